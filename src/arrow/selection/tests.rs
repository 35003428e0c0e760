//! Selections compared with vectors of booleans.
//!
//! ```text
//! selection     2..5, 9..10
//! vector        - - x x x - - - - x
//! ```

#![allow(clippy::cast_possible_truncation)]

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

fn of(ranges: &[Range<u64>]) -> RowSelection {
    RowSelection::of(ranges.to_vec())
}

#[test]
#[allow(clippy::reversed_empty_ranges)]
fn ranges_ascend_and_do_not_touch() {
    let ranges = [7..9, 3..3, 0..2, 8..20, 2..3, 30..40, 5..4];
    let selection = RowSelection::from_consecutive_ranges(ranges.into_iter(), 12);
    assert_eq!(selection, of(&[0..3, 7..12]));
    assert_eq!(selection.row_count(), 8);
    assert_eq!(selection.intersection(&of(&[2..8, 13..14])), of(&[2..3, 7..8]));
    let selectors = [(1, true), (2, false), (3, false), (0, true), (1, false), (4, true)];
    let selectors = selectors.map(|(row_count, skip)| RowSelector { row_count, skip });
    let one = RowSelection::from_consecutive_ranges(std::iter::once(1..7), 7);
    assert_eq!(RowSelection::from(selectors.to_vec()), one);
}

fn selected(rows: &[bool]) -> RowSelection {
    RowSelection::from_filters(&[BooleanArray::from(rows.to_vec())])
}

/// As many rows as the vector has, of which those are true that a selection reads.
fn rows(selection: &RowSelection, n: usize) -> Vec<bool> {
    let mut rows = vec![false; n];
    for range in selection.ranges() {
        rows[range.start as usize..range.end as usize].fill(true);
    }
    rows
}

fn well_formed(selection: &RowSelection) -> bool {
    let ranges = selection.ranges();
    ranges.iter().all(|range| !range.is_empty())
        && ranges.windows(2).all(|pair| pair[0].end < pair[1].start)
}

/// Returns the rows in stretches, so that ranges arise.
fn vectors() -> impl Strategy<Value = Vec<bool>> {
    vec((any::<bool>(), 1usize..6), 0..20).prop_map(|stretches| {
        stretches.into_iter().flat_map(|(row, n)| std::iter::repeat_n(row, n)).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sets_are_those_of_booleans(a in vectors(), b in vectors()) {
        let n = a.len().max(b.len());
        let (x, y) = (selected(&a), selected(&b));
        prop_assert!(well_formed(&x));
        prop_assert_eq!(&rows(&x, a.len()), &a);
        let at = |rows: &[bool], i: usize| rows.get(i).copied().unwrap_or(false);
        let both: Vec<_> = (0..n).map(|i| at(&a, i) && at(&b, i)).collect();
        let either: Vec<_> = (0..n).map(|i| at(&a, i) || at(&b, i)).collect();
        for (selection, expected) in [(x.intersection(&y), both), (x.union(&y), either)] {
            prop_assert!(well_formed(&selection));
            prop_assert_eq!(rows(&selection, n), expected);
        }
        // The second chooses among the rows that the first has chosen.
        let mut chosen = 0;
        let then: Vec<_> = a.iter().map(|row| {
            chosen += usize::from(*row);
            *row && at(&b, chosen - 1)
        }).collect();
        prop_assert!(well_formed(&x.and_then(&y)));
        prop_assert_eq!(rows(&x.and_then(&y), a.len()), then);
    }

    #[test]
    fn parts_are_those_of_booleans(a in vectors(), first in 0u64..40, most in 0u64..40) {
        let selection = selected(&a);
        let places: Vec<_> = (0..a.len()).filter(|i| a[*i]).collect();
        let of = |places: Vec<usize>| -> Vec<bool> { (0..a.len()).map(|i| places.contains(&i)).collect() };
        let behind = selection.clone().offset(first);
        prop_assert_eq!(rows(&behind, a.len()), of(places.iter().copied().skip(first as usize).collect()));
        let limited = selection.clone().limit(most);
        prop_assert_eq!(rows(&limited, a.len()), of(places.iter().copied().take(most as usize).collect()));
        prop_assert!(well_formed(&behind) && well_formed(&limited));
        prop_assert_eq!(selection.row_count(), places.len() as u64);
        let end = places.last().map_or(0, |last| last + 1);
        prop_assert_eq!(selection.skipped_row_count(), (end - places.len()) as u64);
        prop_assert_eq!(selection.selects_any(), !places.is_empty());
        let selectors: Vec<RowSelector> = selection.clone().into();
        prop_assert!(selectors.windows(2).all(|pair| pair[0].skip != pair[1].skip));
        prop_assert_eq!(selectors.into_iter().collect::<RowSelection>(), selection);
    }

    /// As a scan does: some rows are taken, others are added, any number of times.
    #[test]
    fn rows_are_taken_in_order_while_others_are_added(
        steps in vec((vectors(), 0u64..20), 1..12),
    ) {
        let (mut selection, mut model) = (RowSelection::default(), Vec::new());
        let mut end = 0u64;
        for (more, most) in steps {
            let ascending = selected(&more).ranges().iter().map(|r| r.start + end..r.end + end).collect::<Vec<_>>();
            model.extend(ascending.iter().cloned().flatten());
            selection = selection.union(&of(&ascending));
            end += more.len() as u64;
            let taken = selection.split_off_first(most);
            let expected: Vec<u64> = model.drain(..model.len().min(most as usize)).collect();
            prop_assert_eq!(taken.ranges().iter().cloned().flatten().collect::<Vec<_>>(), expected);
            prop_assert_eq!(selection.ranges().iter().cloned().flatten().collect::<Vec<_>>(), model.clone());
            prop_assert!(well_formed(&selection) && selection.clone() == selection);
        }
    }

    #[test]
    fn masks_lie_end_to_end_and_null_is_false(
        masks in vec(vec(proptest::option::of(any::<bool>()), 0..70), 0..4),
    ) {
        let filters: Vec<_> = masks.iter().map(|mask| BooleanArray::from(mask.clone())).collect();
        let all: Vec<_> = masks.concat().into_iter().map(|row| row == Some(true)).collect();
        let selection = RowSelection::from_filters(&filters);
        prop_assert!(well_formed(&selection));
        prop_assert_eq!(rows(&selection, all.len()), all);
    }
}
