//! Selections with a mask where many short ranges would be.
//!
//! ```text
//! rows     ..xxxxx........x.xx.x.xx.x......
//! parts    2..7          15..26 of which 1 0 1 1 0 1 0 1 1 0 1
//! ```
//! A predicate that every third row matches leaves a range for each of them, which takes more time than the rows.

use std::collections::VecDeque;
use std::ops::Range;

use arrow::array::BooleanBufferBuilder;
use arrow::buffer::{BooleanBuffer, Buffer};

use super::RowSelection;

/// Masks are looked at by as many bits at a time.
const WORD: usize = 64;

/// A mask has more ranges than this, and at least one in [`SPARSE`] rows.
const FEW: usize = 2;
const SPARSE: usize = 64;

/// Rows, as ascending ranges that do not overlap, some with a mask.
#[derive(Debug, Clone, Default)]
pub(crate) struct MaskedSelection {
    parts: VecDeque<Part>,
    rows: u64,
}

#[derive(Debug, Clone)]
struct Part {
    range: Range<u64>,
    /// Which rows of the range are selected; the first and the last are. `None` if all are.
    mask: Option<BooleanBuffer>,
    /// How many are selected.
    rows: u64,
}

impl Part {
    fn whole(range: Range<u64>) -> Self {
        let rows = range.end - range.start;
        Self { range, mask: None, rows }
    }

    /// Returns the ranges that are selected.
    fn ranges(&self) -> impl Iterator<Item = Range<u64>> + '_ {
        let start = self.range.start;
        let whole = self.mask.is_none().then(|| self.range.clone());
        let slices = self.mask.iter().flat_map(BooleanBuffer::set_slices);
        whole
            .into_iter()
            .chain(slices.map(move |(from, to)| start + from as u64..start + to as u64))
    }

    /// Appends the ranges that are selected, and gaps of up to `most` rows between them.
    fn bridge(&self, most: u64, ranges: &mut Vec<Range<u64>>) {
        let Some(mask) = self.mask.as_ref().filter(|_| most >= WORD as u64) else {
            return ranges.extend(self.ranges());
        };
        let mut open: Option<(u64, u64)> = None;
        for (first, last, _) in pieces(mask) {
            let (from, to) = (self.range.start + first as u64, self.range.start + last as u64 + 1);
            open = Some(match open {
                Some((start, end)) if from - end <= most => (start, to),
                Some((start, end)) => {
                    ranges.push(start..end);
                    (from, to)
                }
                None => (from, to),
            });
        }
        ranges.extend(open.map(|(start, end)| start..end));
    }

    /// Splits the part after the first `rows` selected rows, of which there are more.
    fn split(self, rows: u64) -> (Self, Self) {
        let Self { range, mask, rows: all } = self;
        let Some(mask) = mask else {
            let at = range.start + rows;
            return (Self::whole(range.start..at), Self::whole(at..range.end));
        };
        let count = usize::try_from(rows).unwrap_or(usize::MAX);
        let end = mask.find_nth_set_bit_position(0, count);
        let next = mask.find_nth_set_bit_position(end, 1).saturating_sub(1);
        let (first, rest) = (mask.slice(0, end), mask.slice(next, mask.len() - next));
        let row = |place: usize| range.start + place as u64;
        (
            Self { range: range.start..row(end), mask: Some(first), rows },
            Self { range: row(next)..range.end, mask: Some(rest), rows: all - rows },
        )
    }
}

impl From<&RowSelection> for MaskedSelection {
    fn from(selection: &RowSelection) -> Self {
        let rows = selection.row_count();
        Self { parts: selection.ranges().iter().cloned().map(Part::whole).collect(), rows }
    }
}

impl MaskedSelection {
    pub(crate) fn row_count(&self) -> u64 {
        self.rows
    }

    pub(crate) fn selects_any(&self) -> bool {
        self.rows > 0
    }

    /// Returns the range if the selection is one.
    pub(crate) fn as_range(&self) -> Option<Range<u64>> {
        let only = self.parts.front().filter(|part| self.parts.len() == 1 && part.mask.is_none());
        only.map(|part| part.range.clone())
    }

    /// Returns the first row.
    pub(crate) fn first(&self) -> Option<u64> {
        self.parts.front().map(|part| part.range.start)
    }

    /// Returns the row after the last.
    #[cfg(feature = "object_store")]
    pub(crate) fn end(&self) -> u64 {
        self.parts.back().map_or(0, |part| part.range.end)
    }

    /// Returns the same rows without masks.
    pub(crate) fn to_selection(&self) -> RowSelection {
        RowSelection::from_ascending(self.parts.iter().flat_map(Part::ranges).collect())
    }

    /// Returns the rows, and those in gaps of up to `most` rows between them.
    pub(crate) fn bridged(&self, most: u64) -> RowSelection {
        let mut ranges = Vec::new();
        self.parts.iter().for_each(|part| part.bridge(most, &mut ranges));
        RowSelection::from_ascending(ranges).bridged(most)
    }

    /// Returns which of the rows of `outer`, which has all of these, these are: a mask over its rows.
    pub(crate) fn mask_within(&self, outer: &RowSelection) -> BooleanBuffer {
        let count = |rows: u64| usize::try_from(rows).unwrap_or(usize::MAX);
        let mut mask = BooleanBufferBuilder::new(count(outer.row_count()));
        let mut parts = self.parts.iter().peekable();
        for range in outer.ranges() {
            let mut at = range.start;
            while let Some(part) = parts.peek().filter(|part| part.range.start < range.end) {
                let (start, end) = (part.range.start.max(at), part.range.end.min(range.end));
                mask.append_n(count(start - at), false);
                match &part.mask {
                    Some(some) => {
                        let from = count(start - part.range.start);
                        mask.append_buffer(&some.slice(from, count(end - start)));
                    }
                    None => mask.append_n(count(end - start), true),
                }
                at = end;
                if part.range.end > range.end {
                    break;
                }
                parts.next();
            }
            mask.append_n(count(range.end - at), false);
        }
        mask.finish()
    }

    /// Returns the rows for which a mask over them is true.
    pub(crate) fn filter(&self, mask: &BooleanBuffer) -> Self {
        let (mut chosen, mut at) = (Self::default(), 0);
        for part in &self.parts {
            let rows = usize::try_from(part.rows).unwrap_or(usize::MAX);
            let answers = mask.slice(at, rows.min(mask.len() - at));
            at += answers.len();
            match &part.mask {
                None => chosen.push_masked(part.range.start, &answers),
                Some(outer) => chosen.push_masked(part.range.start, &scattered(outer, &answers)),
            }
        }
        chosen
    }

    /// Appends the rows from `start` on for which a mask is true. They are after all others.
    fn push_masked(&mut self, start: u64, mask: &BooleanBuffer) {
        let mut ends: Option<(usize, usize)> = None;
        let mut ranges = 0;
        for (first, last, starts) in pieces(mask) {
            ends = Some((ends.map_or(first, |(first, _)| first), last));
            ranges += starts;
        }
        let Some((first, last)) = ends else { return };
        let (len, from) = (last + 1 - first, start + first as u64);
        if ranges == 1 {
            return self.push(Part::whole(from..from + len as u64));
        }
        let mask = mask.slice(first, len);
        if ranges <= FEW || ranges * SPARSE < len {
            for (first, end) in mask.set_slices() {
                self.push(Part::whole(from + first as u64..from + end as u64));
            }
            return;
        }
        let rows = mask.count_set_bits() as u64;
        self.push(Part { range: from..from + len as u64, mask: Some(mask), rows });
    }

    /// Appends a part that is after all others.
    fn push(&mut self, part: Part) {
        self.rows += part.rows;
        if part.mask.is_none()
            && let Some(last) = self.parts.back_mut().filter(|last| last.mask.is_none())
            && last.range.end == part.range.start
        {
            last.range.end = part.range.end;
            last.rows += part.rows;
            return;
        }
        self.parts.push_back(part);
    }

    /// Appends rows that are after all of these.
    pub(crate) fn append(&mut self, behind: Self) {
        behind.parts.into_iter().for_each(|part| self.push(part));
    }

    /// Removes and returns the first rows, `most` at most.
    pub(crate) fn split_off_first(&mut self, most: u64) -> Self {
        let mut first = Self::default();
        while let Some(part) = self.parts.pop_front() {
            let left = most - first.rows;
            if left == 0 {
                self.parts.push_front(part);
                break;
            }
            if part.rows <= left {
                first.push(part);
            } else {
                let (some, rest) = part.split(left);
                first.push(some);
                self.parts.push_front(rest);
            }
        }
        self.rows -= first.rows;
        first
    }

    /// Returns the first rows, `most` at most.
    #[cfg(any(test, feature = "object_store"))]
    pub(crate) fn first_rows(&self, most: u64) -> Self {
        let mut first = Self::default();
        for part in &self.parts {
            match most - first.rows {
                0 => break,
                left if part.rows <= left => first.push(part.clone()),
                left => first.push(part.clone().split(left).0),
            }
        }
        first
    }

    /// Removes and returns the first rows: as many parts as span `most` rows, with gaps of up to `gap` rows, but at
    /// least one, or what of one with a mask spans as many.
    pub(crate) fn split_off_spanning(&mut self, gap: u64, most: u64) -> Self {
        let (mut spanned, mut rows) = (0, 0);
        let mut end: Option<u64> = None;
        for part in &self.parts {
            let between = end.map_or(0, |end| part.range.start - end);
            spanned += part.range.end - part.range.start + if between <= gap { between } else { 0 };
            if spanned > most {
                if rows == 0 {
                    let len = usize::try_from(most).unwrap_or(usize::MAX);
                    let mask = part.mask.as_ref().map(|mask| mask.slice(0, len.min(mask.len())));
                    rows = mask.map_or(part.rows, |mask| mask.count_set_bits() as u64);
                }
                break;
            }
            rows += part.rows;
            end = Some(part.range.end);
        }
        self.split_off_first(rows)
    }

    /// Puts back rows that were split off but not read: all after the first `read`.
    pub(crate) fn put_back(&mut self, mut first: Self, read: u64) {
        first.split_off_first(read);
        self.rows += first.rows;
        for part in first.parts.into_iter().rev() {
            self.parts.push_front(part);
        }
    }
}

/// Returns the first and the last set bit of each word of a mask that has any, and how many ranges begin there.
fn pieces(mask: &BooleanBuffer) -> impl Iterator<Item = (usize, usize, usize)> + '_ {
    let mut before = 0;
    words(mask).enumerate().filter_map(move |(at, word)| {
        let starts = word & !(word << 1 | before);
        before = word >> (WORD - 1);
        let place = |bit: u32| WORD * at + bit as usize;
        let (first, last) = (place(word.trailing_zeros()), place(word.checked_ilog2()?));
        Some((first, last, starts.count_ones() as usize))
    })
}

/// Returns a mask in which the set bits of `outer` are those of `answers`, which has as many.
fn scattered(outer: &BooleanBuffer, answers: &BooleanBuffer) -> BooleanBuffer {
    let (outer_words, mut answers) = (words(outer), words(answers));
    // Answers that are not used yet, from the lowest bit on, and how many.
    let (mut queue, mut queued) = (0u64, 0u32);
    let scatter = |word: u64| {
        let wanted = word.count_ones();
        let mut bits = queue;
        if queued < wanted {
            let next = answers.next().unwrap_or(0);
            bits |= next.checked_shl(queued).unwrap_or(0);
            let used = wanted - queued;
            (queue, queued) = (next.checked_shr(used).unwrap_or(0), u64::BITS - used);
        } else {
            (queue, queued) = (queue.checked_shr(wanted).unwrap_or(0), queued - wanted);
        }
        deposit(bits, word)
    };
    let words = outer_words.map(scatter).collect::<Vec<u64>>();
    BooleanBuffer::new(Buffer::from_vec(words), 0, outer.len())
}

/// Returns the lowest bits at the places of the set bits of a mask.
fn deposit(mut bits: u64, mut mask: u64) -> u64 {
    let mut out = 0;
    while mask != 0 {
        let lowest = mask & mask.wrapping_neg();
        out |= lowest & (bits & 1).wrapping_neg();
        bits >>= 1;
        mask ^= lowest;
    }
    out
}

/// Returns the bits of a mask, from the lowest of each word on.
fn words(mask: &BooleanBuffer) -> impl Iterator<Item = u64> + '_ {
    let chunks = mask.bit_chunks();
    chunks.iter().chain(std::iter::once(chunks.remainder_bits()))
}

#[cfg(test)]
mod tests;
