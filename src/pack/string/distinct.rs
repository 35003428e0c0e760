//! The distinct strings of a vector, and the code of each string.
//!
//! ```text
//! strings   mail ship mail air          entries   mail ship air, in the order in which they come
//!                                       codes     0 1 0 2
//! table     hash ──► slot: code + 1, or 0 where nothing is; the next slots if it is another's
//! key       length, first 8 bytes and the next, or of long strings the last: of short ones all there is to compare
//! ```
//! For short strings 16 bytes are loaded, whatever their length, while that many exist.

/// The maximum number of probes of a search: only adversarial strings need this many.
const PROBES: usize = 64;

/// Strings end to end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StringsRef<'a> {
    /// One more than there are strings.
    pub(crate) offsets: &'a [i32],
    pub(crate) data: &'a [u8],
}

impl<'a> StringsRef<'a> {
    pub(crate) fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    pub(crate) fn get(&self, i: usize) -> &'a [u8] {
        let at = |i: usize| self.offsets.get(i).and_then(|at| usize::try_from(*at).ok());
        let range = at(i).zip(at(i + 1)).map(|(start, end)| start..end);
        range.and_then(|range| self.data.get(range)).unwrap_or_default()
    }

    /// Returns up to `n` strings from `first` on.
    pub(crate) fn part(&self, first: usize, n: usize) -> Self {
        let end = first.saturating_add(n).min(self.len());
        Self { offsets: self.offsets.get(first..=end).unwrap_or_default(), data: self.data }
    }

    /// Returns the bytes of all together.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        let ends = self.offsets.first().zip(self.offsets.last());
        let at = |at: i32| usize::try_from(at).unwrap_or(0);
        ends.and_then(|(start, end)| self.data.get(at(*start)..at(*end))).unwrap_or_default()
    }

    /// Each string, and all bytes from its start on.
    pub(crate) fn rests(self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> {
        let at = |at: &i32| usize::try_from(*at).unwrap_or(usize::MAX);
        let ends = self.offsets.get(1..).unwrap_or_default();
        self.offsets.iter().zip(ends).map(move |(start, end)| {
            let rest = self.data.get(at(start)..).unwrap_or_default();
            (rest.get(..at(end).saturating_sub(at(start))).unwrap_or_default(), rest)
        })
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = &'a [u8]> + Clone {
        (0..self.len()).map(move |i| self.get(i))
    }
}

/// Returns whether a bit is set, if there are bits.
#[inline]
pub(crate) fn is_valid(bits: Option<&[u8]>, i: usize) -> bool {
    bits.is_none_or(|bits| bits.get(i / 8).is_some_and(|byte| byte >> (i % 8) & 1 == 1))
}

/// Distinct strings.
#[derive(Debug)]
pub(crate) struct Distinct {
    /// Where each entry ends, from 0.
    pub(crate) offsets: Vec<i32>,
    pub(crate) data: Vec<u8>,
    /// The entry of each string.
    pub(crate) codes: Vec<i64>,
}

/// What tells strings apart: those of up to 16 bytes it is wholly.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Key {
    first: u64,
    last: u64,
    len: usize,
}

impl Key {
    /// Returns whether strings with this key are equal without comparing their bytes.
    fn is_whole(self) -> bool {
        self.len <= 16
    }

    /// Creates the key of a string; `window` has the 16 bytes from its start, if they exist.
    #[inline]
    fn of(string: &[u8], window: Option<&[u8; WINDOW]>) -> Self {
        let len = string.len();
        if len > WINDOW {
            let word = |bytes: Option<&[u8; 8]>| bytes.map_or(0, |b| u64::from_le_bytes(*b));
            return Self {
                first: word(string.first_chunk()),
                last: word(string.last_chunk()),
                len,
            };
        }
        let [first, last] = match window {
            Some(window) => halves_of(*window),
            None => {
                let mut window = [0; WINDOW];
                window.iter_mut().zip(string).for_each(|(to, from)| *to = *from);
                halves_of(window)
            }
        };
        Self { first: low_bytes(first, len), last: low_bytes(last, len.saturating_sub(8)), len }
    }
}

/// The number of bytes loaded for a short string.
const WINDOW: usize = 16;

#[allow(clippy::cast_possible_truncation)] // The halves are meant.
fn halves_of(window: [u8; WINDOW]) -> [u64; 2] {
    let word = u128::from_le_bytes(window);
    [word as u64, (word >> 64) as u64]
}

/// Returns the lowest bytes of a word, all of them if it has no more.
#[inline]
fn low_bytes(word: u64, n: usize) -> u64 {
    let bits = 8 * u32::try_from(n).unwrap_or(u32::MAX).min(8);
    word & u64::MAX.checked_shr(u64::BITS - bits).unwrap_or(0)
}

impl Distinct {
    /// Counts all strings or, with bits, those whose bit is set: the others get the code of the one before. `None`
    /// if more than `most` are distinct, or there are none.
    pub(crate) fn of(
        strings: StringsRef<'_>,
        validity: Option<&[u8]>,
        most: usize,
    ) -> Option<Self> {
        let n = strings.len();
        let slots = (most.min(n) * 2).next_power_of_two().max(16);
        let mut table = vec![0u32; slots];
        let mut keys: Vec<Key> = Vec::new();
        let mut found = Self { offsets: vec![0], data: Vec::new(), codes: Vec::with_capacity(n) };
        let mut code = 0;
        for (i, (string, rest)) in strings.rests().enumerate() {
            if is_valid(validity, i) {
                let key = Key::of(string, rest.first_chunk());
                code = found.code(string, key, &mut keys, &mut table, most)?;
            }
            found.codes.push(i64::from(code));
        }
        (!keys.is_empty() || n == 0).then_some(found)
    }

    pub(crate) fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Returns the bytes of the longest.
    pub(crate) fn longest(&self) -> usize {
        let ends = self.offsets.iter().zip(self.offsets.get(1..).unwrap_or_default());
        ends.map(|(start, end)| end.abs_diff(*start) as usize).max().unwrap_or(0)
    }

    fn code(
        &mut self,
        string: &[u8],
        key: Key,
        keys: &mut Vec<Key>,
        table: &mut [u32],
        most: usize,
    ) -> Option<u32> {
        let mask = table.len() - 1;
        let [_, high] = halves(hash(string, key));
        let mut at = high as usize;
        for _ in 0..PROBES {
            at &= mask;
            let slot = table.get_mut(at)?;
            let entries = StringsRef { offsets: &self.offsets, data: &self.data };
            match slot.checked_sub(1) {
                Some(code)
                    if keys.get(code as usize) == Some(&key)
                        && (key.is_whole() || entries.get(code as usize) == string) =>
                {
                    return Some(code);
                }
                Some(_) => at += 1,
                None => {
                    let code =
                        u32::try_from(entries.len()).ok().filter(|_| entries.len() < most)?;
                    self.data.extend_from_slice(string);
                    self.offsets.push(i32::try_from(self.data.len()).ok()?);
                    keys.push(key);
                    *slot = code + 1;
                    return Some(code);
                }
            }
        }
        None
    }
}

#[allow(clippy::cast_possible_truncation)] // The halves are meant.
fn halves(word: u64) -> [u32; 2] {
    [word as u32, (word >> 32) as u32]
}

/// Of the length, and the first, middle and last eight bytes.
#[inline]
fn hash(string: &[u8], key: Key) -> u64 {
    let middle = if key.is_whole() { None } else { string.get(string.len() / 2 - 4..) };
    let middle = middle.and_then(|half| half.first_chunk()).map_or(0, |m| u64::from_le_bytes(*m));
    let (a, b) = (key.first ^ key.len as u64, key.last ^ middle.rotate_left(29));
    let product = u128::from(a ^ 0x9e37_79b9_7f4a_7c15) * u128::from(b ^ 0xd1b5_4a32_d192_ed03);
    #[allow(clippy::cast_possible_truncation)] // The halves are meant.
    let mixed = product as u64 ^ (product >> 64) as u64;
    mixed
}

#[cfg(test)]
mod tests {
    #![allow(clippy::cast_possible_truncation)]
    use super::*;

    #[test]
    fn finds_each_once_and_gives_up_on_too_many() {
        let words: Vec<String> = (0..5000).map(|i| format!("{:x}", i * i % 301)).collect();
        let mut offsets = vec![0];
        let mut data = Vec::new();
        for word in &words {
            data.extend_from_slice(word.as_bytes());
            offsets.push(data.len() as i32);
        }
        let strings = StringsRef { offsets: &offsets, data: &data };
        assert_eq!(strings.bytes(), data);
        let distinct = Distinct::of(strings, None, 4000).unwrap();
        let entries = StringsRef { offsets: &distinct.offsets, data: &distinct.data };
        for (word, code) in words.iter().zip(&distinct.codes) {
            assert_eq!(entries.get(*code as usize), word.as_bytes());
        }
        let mut all: Vec<&[u8]> = entries.iter().collect();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), entries.len());
        assert!(Distinct::of(strings, None, all.len() - 1).is_none());
        assert!(Distinct::of(strings, None, all.len()).is_some());
    }

    #[test]
    fn what_is_not_there_is_as_the_one_before() {
        let strings = StringsRef { offsets: &[0, 0, 1, 1, 2, 3], data: b"aba" };
        let distinct = Distinct::of(strings, Some(&[0b11010]), 9).unwrap();
        assert_eq!((&distinct.data[..], &distinct.codes[..]), (&b"ab"[..], &[0, 0, 0, 1, 0][..]));
        assert!(Distinct::of(strings, Some(&[0]), 9).is_none());
    }
}
