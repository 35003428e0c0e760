//! Minimum and maximum of strings.
//!
//! ```text
//! strings ──► words ──► all alike: the words after ──► least, greatest ──► many alike: their words behind
//!                                                                       └─► few: complete strings
//! ```
//! The prefixes of some strings are compared without branches. Only strings whose prefix is at least as good as
//! that of the best string so far are compared.

use std::ops::Range;

use crate::format::bitmap::Bits;
use crate::kernel::{self, Level, Offset, PREFIXES, PrefixMatches, PrefixRange, prefix_of};

/// Bytes of a string that are in a word.
const BYTES: usize = 7;

/// Up to this number of strings, each is compared separately.
const FEW: u32 = 12;

/// Which bound is searched.
#[derive(Debug, Clone, Copy, PartialEq)]
enum End {
    Least,
    Greatest,
}

impl End {
    /// Returns the better of two.
    fn of<T: Ord>(self, a: T, b: T) -> T {
        match self {
            End::Least => a.min(b),
            End::Greatest => a.max(b),
        }
    }
}

/// The minimum and maximum string.
type Both<'a> = (&'a [u8], &'a [u8]);

/// Returns whether the strings of a word may differ.
fn is_open(word: u64) -> bool {
    word & 0xff == 8
}

/// Returns whether a slot has a string that is empty; `None` if one without a string has bytes.
pub(crate) fn has_empty<O: Offset>(offsets: &[O], validity: &Bits) -> Option<bool> {
    let mut found = false;
    let starts = offsets.chunks(64);
    let ends = offsets.get(1..).unwrap_or_default().chunks(64);
    for ((starts, ends), bits) in starts.zip(ends).zip(validity.as_bytes().chunks(8)) {
        let mut empty = 0;
        for (i, (start, end)) in starts.iter().zip(ends).enumerate() {
            empty |= u64::from(start == end) << i;
        }
        let validity = bits.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte));
        let all = u64::MAX >> (64 - ends.len().clamp(1, 64));
        if !empty & !validity & all != 0 {
            return None;
        }
        found |= empty & validity != 0;
    }
    Some(found)
}

/// Returns the minimum and maximum of the non-empty strings of a range and two earlier ones, and whether there are
/// empty strings.
pub(crate) fn extremes<'a, O: Offset>(
    offsets: &[O],
    data: &'a [u8],
    range: Range<usize>,
    before: Option<Both<'a>>,
) -> (Option<Both<'a>>, bool) {
    let (mut both, mut has_empty) = (before, false);
    let ends = offsets.get(range.start..=range.end).unwrap_or_default();
    let mut words = [0; PREFIXES];
    let mut at = 0;
    while at + 1 < ends.len() {
        let part = ends.get(at..ends.len().min(at + PREFIXES + 1)).unwrap_or_default();
        at += PREFIXES;
        let mut strings = Strings { ends: part, data, prefix: &[] };
        let (low, high) = both.unzip();
        let found = strings.words(&mut words);
        has_empty |= found.has_empty;
        if found.greatest > 0 {
            let low = strings.best(End::Least, found.least, low, &words);
            both = low.zip(strings.best(End::Greatest, found.greatest, high, &words));
        }
    }
    (both, has_empty)
}

/// Some strings.
struct Strings<'a, 's, O> {
    ends: &'s [O],
    data: &'a [u8],
    /// What all of them begin with that are not empty, as far as is known.
    prefix: &'a [u8],
}

impl<'a, O: Offset> Strings<'a, '_, O> {
    /// Returns the first words that are not all alike, of strings that are not empty.
    fn words(&mut self, words: &mut [u64; PREFIXES]) -> PrefixRange {
        let words_behind = |shared, words: &mut [u64; PREFIXES]| {
            kernel::string::prefixes(Level::in_use(), self.ends, self.data, shared, words)
        };
        let mut found = words_behind(0, words);
        let mut shared = 0;
        while found.least == found.greatest && is_open(found.least) {
            shared += BYTES;
            found = PrefixRange { has_empty: found.has_empty, ..words_behind(shared, words) };
        }
        if shared > 0 {
            let any = words.iter().position(|word| *word > 0).and_then(|any| self.get(any));
            self.prefix = any.and_then(|any| any.get(..shared)).unwrap_or_default();
        }
        found
    }

    /// Returns the better of the best so far and the strings whose words are this one, the best of these.
    fn best(
        &self,
        end: End,
        first: u64,
        so_far: Option<&'a [u8]>,
        words: &[u64; PREFIXES],
    ) -> Option<&'a [u8]> {
        let before = so_far.map(|best| match best.strip_prefix(self.prefix) {
            Some(rest) => prefix_of(rest),
            None if best < self.prefix => 0,
            None => u64::MAX,
        });
        let is_better = |before| before != first && end.of(before, first) == before;
        if before.is_some_and(|before| is_better(before) || before == first && !is_open(first)) {
            return so_far;
        }
        let mut places = kernel::string::find_prefix(Level::in_use(), words, first);
        self.cut(&mut places);
        let so_far = so_far.filter(|_| before == Some(first));
        if let Some(best) = so_far {
            self.leave_out(best, &mut places);
        }
        let found = self.best_at(end, first, places);
        so_far.into_iter().chain(found).reduce(|a, b| end.of(a, b))
    }

    /// Removes the positions of a string that probably repeats.
    fn leave_out(&self, string: &[u8], places: &mut PrefixMatches) {
        let is_it = |i| self.get(i).is_some_and(|other| is_same(string, other));
        if !ones(places).take(FEW as usize).all(is_it) {
            return;
        }
        for (i, bits) in ones(&places.clone()).map(|i| (i, i / 64)) {
            if let Some(bits) = places.get_mut(bits).filter(|_| is_it(i)) {
                *bits &= !(1 << (i % 64));
            }
        }
    }

    /// Returns the best of some strings, whose words are the same.
    fn best_at(&self, end: End, first: u64, mut places: PrefixMatches) -> Option<&'a [u8]> {
        let level = Level::in_use();
        let mut words = [0; PREFIXES];
        let (mut word, mut depth) = (first, self.prefix.len());
        while is_open(word) {
            if places.iter().map(|bits| bits.count_ones()).sum::<u32>() <= FEW {
                let strings = ones(&places).filter_map(|i| self.get(i));
                return strings.reduce(|a, b| end.of(a, b));
            }
            depth += BYTES;
            kernel::string::prefixes(level, self.ends, self.data, depth, &mut words);
            let (least, greatest) = kernel::string::min_max_among(level, &words, &places);
            word = if end == End::Least { least } else { greatest };
            let alike = kernel::string::find_prefix(level, &words, word);
            places.iter_mut().zip(alike).for_each(|(bits, alike)| *bits &= alike);
        }
        ones(&places).next().and_then(|i| self.get(i))
    }

    /// Removes the positions past the last string.
    fn cut(&self, places: &mut PrefixMatches) {
        let mut left = self.ends.len().saturating_sub(1);
        for bits in places {
            *bits &= (u64::MAX >> (64 - left.clamp(1, 64))) * u64::from(left > 0);
            left = left.saturating_sub(64);
        }
    }

    fn range(&self, i: usize) -> Option<Range<usize>> {
        let place = |i: usize| (*self.ends.get(i)?).try_into().ok();
        Some(place(i)?..place(i + 1)?)
    }

    fn get(&self, i: usize) -> Option<&'a [u8]> {
        self.data.get(self.range(i)?)
    }
}

/// Returns the positions of the set bits.
fn ones(places: &PrefixMatches) -> impl Iterator<Item = usize> {
    places.iter().zip((0..).step_by(64)).flat_map(|(bits, at)| {
        let mut bits = *bits;
        std::iter::from_fn(move || {
            let bit = bits.trailing_zeros() as usize;
            bits &= bits.wrapping_sub(1);
            (bit < 64).then_some(at + bit)
        })
    })
}

/// Returns whether two strings are the same: often they are no longer than sixteen bytes.
fn is_same(a: &[u8], b: &[u8]) -> bool {
    match (a.first_chunk::<8>(), a.last_chunk::<8>(), b.first_chunk::<8>(), b.last_chunk::<8>()) {
        (Some(first), Some(last), Some(other_first), Some(other_last)) if a.len() <= 16 => {
            a.len() == b.len() && first == other_first && last == other_last
        }
        _ => a == b,
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::format::string_values::Strings;

    /// Strings that begin alike, repeat, or are empty.
    fn some() -> impl Strategy<Value = Vec<String>> {
        let few = vec(prop_oneof!["[ab]{0,20}", "", "[a-z]{3}"], 1..5);
        let repeated = few.prop_flat_map(|few| {
            vec(prop_oneof![8 => proptest::sample::select(few), 1 => ".{0,9}"], 0..1200)
        });
        (prop_oneof!["", "a{6,9}", "https://example.org/a/"], repeated).prop_map(
            |(prefix, strings)| {
                let prefixed = |string: String| match string.is_empty() {
                    true => string,
                    false => format!("{prefix}{string}"),
                };
                strings.into_iter().map(prefixed).collect()
            },
        )
    }

    proptest! {
        #[test]
        fn the_ends_are_those_of_sorted_strings(strings in some(), start in 0usize..700, cut in 0usize..700) {
            let mut all = Strings::default();
            strings.iter().for_each(|string| all.push(string.as_bytes()).unwrap());
            let start = start.min(strings.len());
            let cut = (start + cut).min(strings.len());
            let of = |range: Range<usize>, before| extremes(&all.offsets, &all.data, range, before);
            // At once, and in two parts.
            let whole = of(start..strings.len(), None);
            let (first, empty) = of(start..cut, None);
            let (second, more_empty) = of(cut..strings.len(), first);
            prop_assert_eq!(whole, (second, empty || more_empty));
            let mut sorted: Vec<&[u8]> = strings.iter().skip(start).map(|s| s.as_bytes()).collect();
            sorted.sort();
            prop_assert_eq!(whole.1, sorted.first().is_some_and(|least| least.is_empty()));
            sorted.retain(|string| !string.is_empty());
            prop_assert_eq!(whole.0, sorted.first().copied().zip(sorted.last().copied()));
        }

        #[test]
        fn an_empty_string_is_one_that_is_there(slots in vec((any::<bool>(), 0usize..3), 0..300)) {
            let (mut all, mut validity) = (Strings::default(), Bits::default());
            for (bit, len) in &slots {
                all.push(&b"abc"[..*len]).unwrap();
                validity.push(*bit);
            }
            let stray = slots.iter().any(|(bit, len)| !bit && *len > 0);
            let found = slots.iter().any(|(bit, len)| *bit && *len == 0);
            prop_assert_eq!(has_empty(&all.offsets, &validity), (!stray).then_some(found));
        }
    }
}
