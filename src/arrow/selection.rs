//! Which rows are read.
//!
//! ```text
//! selectors     skip 2   select 3   skip 4   select 1
//! ranges                 2..5                9..10        ascending, apart, none empty
//! ```
//! The names are those of the crate `parquet`.

use std::ops::Range;

/// Some rows to pass over or to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowSelector {
    /// How many.
    pub row_count: u64,
    /// Whether they are passed over.
    pub skip: bool,
}

impl RowSelector {
    /// Reads so many rows.
    pub fn select(row_count: u64) -> Self {
        Self { row_count, skip: false }
    }

    /// Passes over so many rows.
    pub fn skip(row_count: u64) -> Self {
        Self { row_count, skip: true }
    }
}

/// The rows to read, as ascending ranges. Rows behind the last selector are not read.
///
/// ```
/// use trevni::arrow::{RowSelection, RowSelector};
///
/// let selection = RowSelection::from(vec![RowSelector::skip(2), RowSelector::select(3)]);
/// assert_eq!(selection, RowSelection::from_consecutive_ranges([2..5].into_iter(), 10));
/// assert_eq!(selection.row_count(), 3);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RowSelection {
    ranges: Vec<Range<u64>>,
}

impl RowSelection {
    /// The rows of these ranges that lie below `total_rows`. Ranges that overlap or come in any order are one
    /// set of rows, each read once, in the order of the file.
    pub fn from_consecutive_ranges(
        ranges: impl Iterator<Item = Range<u64>>,
        total_rows: u64,
    ) -> Self {
        let mut ranges: Vec<_> = ranges
            .map(|range| range.start..range.end.min(total_rows))
            .filter(|range| !range.is_empty())
            .collect();
        ranges.sort_unstable_by_key(|range| range.start);
        ranges.dedup_by(|next, before| {
            let joined = next.start <= before.end;
            if joined {
                before.end = before.end.max(next.end);
            }
            joined
        });
        Self { ranges }
    }

    /// How many rows are read.
    pub fn row_count(&self) -> u64 {
        self.ranges.iter().map(|range| range.end - range.start).sum()
    }

    /// The rows, as ascending ranges that do not touch.
    pub fn ranges(&self) -> &[Range<u64>] {
        &self.ranges
    }

    /// The selected rows that lie in a range, too.
    pub(crate) fn within(&self, rows: &Range<u64>) -> Self {
        let part = |range: &Range<u64>| range.start.max(rows.start)..range.end.min(rows.end);
        let ranges = self.ranges.iter().map(part).filter(|range| !range.is_empty()).collect();
        Self { ranges }
    }

    /// Takes the first rows away, `most` at the most.
    pub(crate) fn split_off_first(&mut self, most: u64) -> Self {
        let mut left = most;
        let mut whole = 0;
        for range in &mut self.ranges {
            let n = range.end - range.start;
            if n > left {
                break;
            }
            left -= n;
            whole += 1;
        }
        let mut first: Vec<_> = self.ranges.drain(..whole).collect();
        if let Some(range) = self.ranges.first_mut().filter(|_| left > 0) {
            first.push(range.start..range.start + left);
            range.start += left;
        }
        Self { ranges: first }
    }

    /// Gives rows back that were split off, but not read: all behind the first `read`.
    pub(crate) fn put_back(&mut self, mut first: Self, read: u64) {
        first.split_off_first(read);
        let ranges = first.ranges.into_iter().chain(self.ranges.drain(..));
        *self = Self::from_consecutive_ranges(ranges, u64::MAX);
    }
}

impl From<Vec<RowSelector>> for RowSelection {
    fn from(selectors: Vec<RowSelector>) -> Self {
        let mut row = 0u64;
        let ranges: Vec<_> = selectors
            .into_iter()
            .filter_map(|selector| {
                let start = row;
                row = row.saturating_add(selector.row_count);
                (!selector.skip).then_some(start..row)
            })
            .collect();
        Self::from_consecutive_ranges(ranges.into_iter(), u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(ranges: &[Range<u64>]) -> RowSelection {
        RowSelection { ranges: ranges.to_vec() }
    }

    #[test]
    #[allow(clippy::reversed_empty_ranges)]
    fn ranges_ascend_and_do_not_touch() {
        let ranges = [7..9, 3..3, 0..2, 8..20, 2..3, 30..40, 5..4];
        let selection = RowSelection::from_consecutive_ranges(ranges.into_iter(), 12);
        assert_eq!(selection, of(&[0..3, 7..12]));
        assert_eq!(selection.row_count(), 8);
        assert_eq!(selection.within(&(2..8)), of(&[2..3, 7..8]));
        let selectors = [(1, true), (2, false), (3, false), (0, true), (1, false), (4, true)];
        let selectors = selectors.map(|(row_count, skip)| RowSelector { row_count, skip });
        let one = RowSelection::from_consecutive_ranges(std::iter::once(1..7), 7);
        assert_eq!(RowSelection::from(selectors.to_vec()), one);
    }

    #[test]
    fn is_taken_in_parts_and_given_back() {
        for most in 0..10 {
            for read in 0..=most {
                let mut rest = of(&[0..3, 7..8, 9..12]);
                let first = rest.split_off_first(most);
                assert_eq!(first.row_count(), most.min(7));
                let read = read.min(first.row_count());
                rest.put_back(first, read);
                let mut whole = of(&[0..3, 7..8, 9..12]);
                whole.split_off_first(read);
                assert_eq!(rest, whole, "{read} of {most}");
            }
        }
    }
}
