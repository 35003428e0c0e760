//! Row selections: the rows that are read.
//!
//! ```text
//! selectors     skip 2   select 3   skip 4   select 1
//! ranges                 2..5                9..10        ascending, apart, none empty
//! mask          0 0      1 1 1      0 0 0 0  1
//! ```
//! Names are those of the crate `parquet`. A selection is a set of rows and does not know the length of the table:
//! rows that are skipped after the last selected one are not kept.

pub(crate) mod masked;
mod sets;

#[cfg(test)]
mod tests;

use std::ops::Range;

use arrow::array::BooleanArray;

use crate::arrow::array::filter::known;

/// Some rows to pass over or to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowSelector {
    /// How many.
    pub row_count: u64,
    /// Whether they are passed over.
    pub skip: bool,
}

impl RowSelector {
    /// Selects this number of rows.
    pub fn select(row_count: u64) -> Self {
        Self { row_count, skip: false }
    }

    /// Skips this number of rows.
    pub fn skip(row_count: u64) -> Self {
        Self { row_count, skip: true }
    }
}

/// The rows to read, as ascending ranges. Rows after the last selector are not read.
///
/// ```
/// use trevni::arrow::{RowSelection, RowSelector};
///
/// let selection = RowSelection::from(vec![RowSelector::skip(2), RowSelector::select(3)]);
/// assert_eq!(selection, RowSelection::from_consecutive_ranges([2..5].into_iter(), 10));
/// assert_eq!(selection.row_count(), 3);
/// ```
#[derive(Debug, Default)]
pub struct RowSelection {
    ranges: Vec<Range<u64>>,
    /// How many of the ranges have been taken away: a scan takes the first rows many times.
    taken: usize,
}

impl Clone for RowSelection {
    fn clone(&self) -> Self {
        Self::of(self.ranges().to_vec())
    }
}

impl PartialEq for RowSelection {
    fn eq(&self, other: &Self) -> bool {
        self.ranges() == other.ranges()
    }
}

impl Eq for RowSelection {}

impl RowSelection {
    /// Selects the rows of these ranges below `total_rows`. The ranges may overlap and be in any order; each row is
    /// read once, in the order of the file.
    pub fn from_consecutive_ranges(
        ranges: impl Iterator<Item = Range<u64>>,
        total_rows: u64,
    ) -> Self {
        let mut ranges: Vec<_> = ranges
            .map(|range| range.start..range.end.min(total_rows))
            .filter(|range| !range.is_empty())
            .collect();
        ranges.sort_unstable_by_key(|range| range.start);
        Self::from_ascending(ranges)
    }

    /// Selects the rows for which a concatenation of masks is true; null counts as false.
    pub fn from_filters(filters: &[BooleanArray]) -> Self {
        let mut at = 0u64;
        let mut ranges = Vec::new();
        for filter in filters {
            let mask = known(filter);
            let slices = mask.values().set_slices();
            ranges.extend(slices.map(|(start, end)| at + start as u64..at + end as u64));
            at += filter.len() as u64;
        }
        Self::from_ascending(ranges)
    }

    /// Ranges that ascend and overlap nowhere; what touches becomes one.
    fn from_ascending(mut ranges: Vec<Range<u64>>) -> Self {
        ranges.dedup_by(|next, before| {
            let joined = next.start <= before.end;
            if joined {
                before.end = before.end.max(next.end);
            }
            joined
        });
        Self::of(ranges)
    }

    /// Ranges that ascend and do not touch.
    fn of(ranges: Vec<Range<u64>>) -> Self {
        Self { ranges, taken: 0 }
    }

    /// Returns how many rows are read.
    pub fn row_count(&self) -> u64 {
        self.ranges().iter().map(|range| range.end - range.start).sum()
    }

    /// Returns how many rows are passed over before the last that is read.
    pub fn skipped_row_count(&self) -> u64 {
        self.ranges().last().map_or(0, |last| last.end) - self.row_count()
    }

    /// Returns whether any row is read.
    pub fn selects_any(&self) -> bool {
        !self.ranges().is_empty()
    }

    /// Returns the rows as selectors, alternately skipped and read; the last reads.
    pub fn iter(&self) -> impl Iterator<Item = RowSelector> + '_ {
        let mut at = 0;
        let selectors = self.ranges().iter().flat_map(move |range| {
            let skip = RowSelector::skip(range.start - at);
            at = range.end;
            [skip, RowSelector::select(range.end - range.start)]
        });
        selectors.filter(|selector| selector.row_count > 0)
    }

    /// Returns the rows, as ascending ranges that do not touch.
    pub fn ranges(&self) -> &[Range<u64>] {
        self.ranges.get(self.taken..).unwrap_or_default()
    }

    /// Takes the first rows away, `most` at most.
    pub(crate) fn split_off_first(&mut self, most: u64) -> Self {
        let first = self.first_rows(most);
        let Some(end) = first.ranges().last().map(|last| last.end) else { return first };
        let whole = self.ranges().iter().take(first.ranges().len());
        let whole = whole.filter(|range| range.end <= end).count();
        self.taken += whole;
        if let Some(range) = self.ranges.get_mut(self.taken).filter(|range| range.start < end) {
            range.start = end;
        }
        // Each range is moved once at most, on average.
        if self.taken > self.ranges.len() / 2 {
            self.ranges.drain(..std::mem::take(&mut self.taken));
        }
        first
    }

    /// Returns the first rows, `most` at most.
    pub(crate) fn first_rows(&self, most: u64) -> Self {
        let (mut left, mut first) = (most, Vec::new());
        for range in self.ranges() {
            let rows = (range.end - range.start).min(left);
            if rows == 0 {
                break;
            }
            left -= rows;
            first.push(range.start..range.start + rows);
        }
        Self::of(first)
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

impl FromIterator<RowSelector> for RowSelection {
    fn from_iter<I: IntoIterator<Item = RowSelector>>(selectors: I) -> Self {
        selectors.into_iter().collect::<Vec<_>>().into()
    }
}

impl From<RowSelection> for Vec<RowSelector> {
    fn from(selection: RowSelection) -> Self {
        selection.iter().collect()
    }
}
