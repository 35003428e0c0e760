//! Intersection, union and nesting of row selections.
//!
//! ```text
//! a               ..xxxx..xx      b            x.xxx..x..
//! intersection    ..xxx...        union        x.xxxx.xxx
//! and_then        ..x.xx..x       the rows of a that b chooses among them: the 1st, 3rd, 4th, 5th
//! ```

use std::ops::Range;

use super::RowSelection;

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
}
