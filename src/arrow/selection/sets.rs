//! Intersection, union and nesting of row selections.
//!
//! ```text
//! a               ..xxxx..xx      b            x.xxx..x..
//! intersection    ..xxx...        union        x.xxxx.xxx
//! and_then        ..x.xx..x       the rows of a that b chooses among them: the 1st, 3rd, 4th, 5th
//! ```

use std::ops::Range;

use arrow::array::{BooleanArray, BooleanBufferBuilder};

use super::RowSelection;
use crate::arrow::array::filter::known;

impl RowSelection {
    /// Returns the rows that both read.
    pub fn intersection(&self, other: &Self) -> Self {
        let mut ranges = Vec::new();
        let (mut left, mut right) = (self.ranges().iter(), other.ranges().iter());
        let (mut a, mut b) = (left.next(), right.next());
        while let (Some(x), Some(y)) = (a, b) {
            let both = x.start.max(y.start)..x.end.min(y.end);
            if !both.is_empty() {
                ranges.push(both);
            }
            if x.end < y.end {
                a = left.next();
            } else {
                b = right.next();
            }
        }
        Self::of(ranges)
    }

    /// Returns the rows that either reads.
    pub fn union(&self, other: &Self) -> Self {
        let ranges = self.ranges().iter().chain(other.ranges()).cloned();
        Self::from_consecutive_ranges(ranges, u64::MAX)
    }

    /// Returns the rows that `other` reads, where its first row is the first of those that this one reads, and so on.
    pub fn and_then(&self, other: &Self) -> Self {
        let mut ranges = Vec::new();
        let mut chosen = other.ranges().iter().peekable();
        // The number of rows of this selection before the current range.
        let mut before = 0;
        for range in self.ranges() {
            let here = before..before + (range.end - range.start);
            let place = |nth: u64| range.start + (nth - here.start);
            while let Some(part) = chosen.peek().filter(|part| part.start < here.end) {
                let (start, end) = (part.start.max(here.start), part.end.min(here.end));
                ranges.push(place(start)..place(end));
                if part.end > here.end {
                    break;
                }
                chosen.next();
            }
            before = here.end;
        }
        Self::from_ascending(ranges)
    }

    /// Returns the rows for which a mask over them is true; null counts as false.
    pub(crate) fn filter(&self, mask: &BooleanArray) -> Self {
        let [range] = self.ranges() else {
            return self.and_then(&Self::from_filters(std::slice::from_ref(mask)));
        };
        let mask = known(mask);
        let place = |nth: usize| range.start + nth as u64;
        let chosen = mask.values().set_slices();
        Self::of(chosen.map(|(start, end)| place(start)..place(end)).collect())
    }

    /// Returns all rows that are read but the first `rows`.
    pub fn offset(mut self, rows: u64) -> Self {
        self.split_off_first(rows);
        self
    }

    /// Returns the first `rows` rows that are read.
    pub fn limit(self, rows: u64) -> Self {
        self.first_rows(rows)
    }

    /// Splits the selection into the rows before a row, and the others.
    pub(crate) fn split_at(self, row: u64) -> (Self, Self) {
        let whole = self.ranges().partition_point(|range| range.end <= row);
        let (before, behind) = self.ranges().split_at(whole);
        let (mut before, mut behind) = (before.to_vec(), behind.to_vec());
        if let Some(range) = behind.first_mut().filter(|range| range.start < row) {
            before.push(range.start..row);
            range.start = row;
        }
        (Self::of(before), Self::of(behind))
    }

    /// Removes and returns the first ranges: as many as span `most` rows, with gaps of up to `gap` rows, but at
    /// least one.
    pub(crate) fn split_off_spanning(&mut self, gap: u64, most: u64) -> Self {
        let (mut rows, mut n) = (0, 0);
        let mut end: Option<u64> = None;
        for range in self.ranges() {
            let between = end.map_or(0, |end| range.start - end);
            rows += range.end - range.start + if between <= gap { between } else { 0 };
            if rows > most && n > 0 {
                break;
            }
            n += 1;
            end = Some(range.end);
        }
        let first = Self::of(self.ranges().iter().take(n).cloned().collect());
        self.split_off_first(first.row_count())
    }

    /// Appends rows that are after all of these.
    pub(crate) fn append(&mut self, behind: Self) {
        let mut behind = behind.ranges().iter().cloned();
        if let Some(first) = behind.next() {
            let last = self.ranges.get_mut(self.taken..).and_then(<[_]>::last_mut);
            match last.filter(|last| last.end == first.start) {
                Some(last) => last.end = first.end,
                None => self.ranges.push(first),
            }
        }
        self.ranges.extend(behind);
    }

    /// Returns the rows, and those in gaps of up to `most` rows between them.
    pub(crate) fn bridged(&self, most: u64) -> Self {
        let mut ranges: Vec<Range<u64>> = Vec::new();
        for range in self.ranges() {
            match ranges.last_mut().filter(|last| range.start - last.end <= most) {
                Some(last) => last.end = range.end,
                None => ranges.push(range.clone()),
            }
        }
        Self::of(ranges)
    }

    /// Returns which of the rows of `outer`, which has all of these, these are: a mask over its rows.
    pub(crate) fn mask_within(&self, outer: &Self) -> BooleanArray {
        let mut mask = BooleanBufferBuilder::new(0);
        let rows = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        let mut inner = self.ranges().iter().peekable();
        for range in outer.ranges() {
            let mut at = range.start;
            while let Some(part) = inner.next_if(|part| part.start < range.end) {
                mask.append_n(rows(part.start - at), false);
                mask.append_n(rows(part.end - part.start), true);
                at = part.end;
            }
            mask.append_n(rows(range.end - at), false);
        }
        BooleanArray::new(mask.finish(), None)
    }
}
