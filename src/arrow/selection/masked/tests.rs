//! Selections with masks compared with vectors of rows.

#![allow(clippy::cast_possible_truncation)]

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

/// Returns whether each of many rows is chosen: dense, sparse, and in ranges.
fn answers() -> impl Strategy<Value = Vec<bool>> {
    let stretch = (1usize..200, 0u32..5, any::<u64>()).prop_map(|(n, kind, seed)| {
        let bit = move |row: usize| match kind {
            0 => false,
            1 => true,
            2 => seed >> (row % 64) & 1 == 1,
            3 => row % 3 == 1,
            _ => row % 61 == 7,
        };
        (0..n).map(bit).collect::<Vec<_>>()
    });
    vec(stretch, 0..8).prop_map(|stretches| stretches.concat())
}

fn rows(selection: &MaskedSelection) -> Vec<u64> {
    selection.to_selection().ranges().iter().cloned().flatten().collect()
}

/// Selects the rows from `start` on that are chosen.
fn selected(start: u64, chosen: &[bool]) -> MaskedSelection {
    let window = start..start + chosen.len() as u64;
    let window = RowSelection::from_consecutive_ranges(std::iter::once(window), u64::MAX);
    MaskedSelection::from(&window).filter(&chosen.iter().copied().collect())
}

fn is_well_formed(selection: &MaskedSelection) -> bool {
    let mut last = 0;
    let mut count = 0;
    for part in &selection.parts {
        let mask = part.mask.as_ref();
        let places = mask.map(|mask| mask.set_indices().collect::<Vec<_>>());
        let ends = places.as_ref().is_none_or(|places| {
            places[0] == 0
                && places.last() == mask.map(|mask| mask.len() - 1).as_ref()
                && places.len() as u64 == part.rows
        });
        let len = part.range.end - part.range.start;
        if part.range.is_empty()
            || part.range.start < last
            || !ends
            || mask.is_some_and(|mask| mask.len() as u64 != len)
            || (mask.is_none() && part.rows != len)
        {
            return false;
        }
        (last, count) = (part.range.end, count + part.rows);
    }
    count == selection.rows
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn masks_choose_among_what_masks_chose(a in answers(), b in answers()) {
        let first = selected(7, &a);
        prop_assert!(is_well_formed(&first));
        let expected: Vec<u64> = (0..a.len()).filter(|i| a[*i]).map(|i| 7 + i as u64).collect();
        prop_assert_eq!(rows(&first), expected.clone());
        let mut answers = b.into_iter().cycle();
        let answers: Vec<bool> = expected.iter().map(|_| answers.next().unwrap_or(true)).collect();
        let second = first.filter(&answers.iter().copied().collect());
        prop_assert!(is_well_formed(&second));
        let expected: Vec<u64> =
            expected.into_iter().zip(answers).filter(|(_, answer)| *answer).map(|(row, _)| row).collect();
        prop_assert_eq!(second.first(), expected.first().copied());
        prop_assert_eq!(second.selects_any(), !expected.is_empty());
        prop_assert_eq!(rows(&second), expected);
    }

    #[test]
    fn a_mask_within_bridged_rows_selects_the_same(a in answers(), gap in 0u64..200) {
        let selection = selected(3, &a);
        let wide = selection.bridged(gap);
        prop_assert_eq!(&wide, &selection.to_selection().bridged(gap));
        let mask = selection.mask_within(&wide);
        let of_wide: Vec<u64> = wide.ranges().iter().cloned().flatten().collect();
        prop_assert_eq!(mask.len(), of_wide.len());
        prop_assert_eq!(mask.set_indices().map(|at| of_wide[at]).collect::<Vec<_>>(), rows(&selection));
    }

    /// As a scan does: rows are taken, some are given back, others are appended.
    #[test]
    fn rows_are_taken_in_order(steps in vec((answers(), 0u64..300, 0u64..300), 1..8)) {
        let (mut selection, mut model) = (MaskedSelection::default(), Vec::new());
        let mut end = 0;
        for (more, most, read) in steps {
            let behind = selected(end, &more);
            model.extend(rows(&behind));
            selection.append(behind);
            end += more.len() as u64;
            let first = selection.first_rows(most);
            let taken = selection.split_off_first(most);
            prop_assert_eq!(rows(&first), rows(&taken));
            prop_assert!(is_well_formed(&taken) && is_well_formed(&selection));
            let expected: Vec<u64> = model.drain(..model.len().min(most as usize)).collect();
            prop_assert_eq!(rows(&taken), expected.clone());
            let read = read.min(taken.row_count());
            selection.put_back(taken, read);
            model.splice(0..0, expected[read as usize..].iter().copied());
            prop_assert!(is_well_formed(&selection));
            prop_assert_eq!(rows(&selection), model.clone());
        }
    }

    #[test]
    fn pieces_are_all_rows(a in answers(), gap in 0u64..100, most in 1u64..400) {
        let whole = selected(0, &a);
        let (mut rest, mut pieces) = (whole.clone(), Vec::new());
        while rest.selects_any() {
            let piece = rest.split_off_spanning(gap, most);
            prop_assert!(piece.selects_any() && is_well_formed(&piece));
            // Only a range that is longer alone exceeds the size.
            let is_one = piece.parts.len() == 1 && piece.parts[0].mask.is_none();
            prop_assert!(is_one || piece.bridged(gap).row_count() <= most.max(64));
            pieces.extend(rows(&piece));
        }
        prop_assert_eq!(pieces, rows(&whole));
    }
}
