//! The least and the greatest of many strings.
//!
//! ```text
//! string   DELIVER IN PERSON      first words   DELIVER 8    seven bytes, and how many there are: 8 for more
//!          REG AIR                              REG AIR 7    by which short strings compare, whole as they are
//! ```
//! The words of some strings are compared without a branch. Where more strings than one begin with the least, the words
//! behind these tell them apart, and so on.

use std::ops::Range;

/// Strings that are looked at together.
const CHUNK: usize = 512;

/// Bytes of a string that are in a word.
const BYTES: usize = 7;

/// Which bits of a word are of so many bytes, 8 or more: the last byte of eight makes way for the number.
const KEPT: [u64; 9] = [
    0,
    0xff << 56,
    0xffff << 48,
    0xff_ffff << 40,
    0xffff_ffff << 32,
    0xff_ffff_ffff << 24,
    0xffff_ffff_ffff << 16,
    0xff_ffff_ffff_ffff << 8,
    0xff_ffff_ffff_ffff << 8,
];

/// The word of a string.
#[inline(always)]
fn word(data: &[u8], start: usize, end: usize) -> u64 {
    let n = end.saturating_sub(start).min(8);
    let bytes = match data.get(start..).and_then(|rest| rest.first_chunk::<8>()) {
        Some(first) => u64::from_be_bytes(*first),
        None => near_the_end(data, start),
    };
    bytes & KEPT.get(n).copied().unwrap_or(0) | n as u64
}

#[cold]
fn near_the_end(data: &[u8], start: usize) -> u64 {
    let mut first = [0; 8];
    let rest = data.get(start..).unwrap_or_default();
    first.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
    u64::from_be_bytes(first)
}

/// Whether the strings of a word may differ.
fn is_open(word: u64) -> bool {
    word & 0xff == 8
}

/// The least and the greatest string of a range.
pub(super) fn extremes<'a, O: Copy + TryInto<usize>>(
    offsets: &[O],
    data: &'a [u8],
    range: Range<usize>,
) -> Option<(&'a [u8], &'a [u8])> {
    let ends = offsets.get(range.start..=range.end)?;
    let place = |end: &O| (*end).try_into().unwrap_or(0);
    let mut both: Option<(&[u8], &[u8])> = None;
    let mut at = 0;
    while at + 1 < ends.len() {
        let part = ends.get(at..ends.len().min(at + CHUNK + 1)).unwrap_or_default();
        at += CHUNK;
        let mut words = [0u64; CHUNK];
        let mut start = part.first().map_or(0, place);
        let (mut least, mut greatest) = (u64::MAX, 0);
        for (word_of, end) in words.iter_mut().zip(part.iter().skip(1)) {
            let end = place(end);
            let word = word(data, start, end);
            start = end;
            *word_of = word;
            least = least.min(word);
            greatest = greatest.max(word);
        }
        let strings = Strings { ends: part, data, words: &words };
        let (low, high) = match both {
            None => (None, None),
            Some((low, high)) => (Some(low), Some(high)),
        };
        let low = strings.best(least, low, true, place);
        let high = strings.best(greatest, high, false, place);
        both = low.zip(high);
    }
    both
}

/// Some strings, and their words.
struct Strings<'a, 's, O> {
    ends: &'s [O],
    data: &'a [u8],
    words: &'s [u64; CHUNK],
}

impl<'a, O> Strings<'a, '_, O> {
    /// The better of the best so far and the strings that begin with a word, the best of these.
    fn best(
        &self,
        first: u64,
        so_far: Option<&'a [u8]>,
        is_least: bool,
        place: impl Fn(&O) -> usize,
    ) -> Option<&'a [u8]> {
        if let Some(best) = so_far {
            let before = word(best, 0, best.len());
            let is_worse = if is_least { before < first } else { before > first };
            if is_worse || before == first && !is_open(first) {
                return so_far;
            }
        }
        let mut candidates = self.beginning(first);
        let bounds = |i: &usize| Some(place(self.ends.get(*i)?)..place(self.ends.get(i + 1)?));
        let mut chosen = first;
        let mut depth = 0;
        while is_open(chosen) && candidates.len() > 1 {
            depth += BYTES;
            let next = |i: &usize| {
                bounds(i).map_or(0, |string| word(self.data, string.start + depth, string.end))
            };
            let words = candidates.iter().map(next);
            let words: Vec<u64> = words.collect();
            let best = if is_least { words.iter().min() } else { words.iter().max() };
            chosen = best.copied().unwrap_or(0);
            let mut words = words.iter();
            candidates.retain(|_| words.next() == Some(&chosen));
        }
        let found = candidates.first().and_then(bounds).and_then(|string| self.data.get(string))?;
        Some(match so_far {
            Some(best) if (best < found) == is_least => best,
            _ => found,
        })
    }

    /// Which strings begin with a word: without a branch, for often some do and some do not.
    fn beginning(&self, first: u64) -> Vec<usize> {
        let n = self.ends.len().saturating_sub(1);
        if !is_open(first) {
            return self.words.iter().take(n).position(|word| *word == first).into_iter().collect();
        }
        let mut candidates = vec![0; n + 1];
        let mut count = 0;
        for (i, word) in self.words.iter().enumerate().take(n) {
            if let Some(candidate) = candidates.get_mut(count) {
                *candidate = i;
            }
            count += usize::from(*word == first);
        }
        candidates.truncate(count);
        candidates
    }
}
