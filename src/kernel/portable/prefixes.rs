//! The first bytes of strings, as integers that compare as the strings do.
//!
//! ```text
//! string   DELIVER IN PERSON      words   DELIVER 8    seven bytes, and how many there are: 8 for more
//!          REG AIR                        REG AIR 7    complete short strings, which compare as numbers
//!                                 their range; the strings with a prefix: a bit for each
//! ```

/// The number of strings that are processed at once.
pub const PREFIXES: usize = 512;

/// A bit for each of them.
pub type PrefixMatches = [u64; PREFIXES / 64];

/// Offsets of either width.
pub trait Offset: Copy + TryInto<usize> + Into<i64> + PartialEq {}

impl Offset for i32 {}
impl Offset for i64 {}

/// The range of prefixes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PrefixRange {
    /// The minimum of the non-empty strings; 0 if all are empty.
    pub least: u64,
    /// The maximum.
    pub greatest: u64,
    /// Whether a string is empty.
    pub has_empty: bool,
}

/// Returns the word of a string.
pub fn prefix_of(string: &[u8]) -> u64 {
    word(first_bytes(string, 0), string.len().min(8) as i64)
}

/// Returns the prefix of a string of `len` bytes with these first bytes.
#[inline(always)]
fn word(first: u64, len: i64) -> u64 {
    let len = len.clamp(0, 8).cast_unsigned();
    u64::from_be(first) & !(u64::MAX >> (8 * len.min(7))) | len
}

/// Loads eight bytes in memory order; missing bytes are 0.
#[inline(always)]
pub(crate) fn first_bytes(data: &[u8], start: usize) -> u64 {
    match data.get(start..).and_then(|rest| rest.first_chunk::<8>()) {
        Some(first) => u64::from_ne_bytes(*first),
        None => near_the_end(data, start),
    }
}

#[cold]
fn near_the_end(data: &[u8], start: usize) -> u64 {
    let mut first = [0; 8];
    let rest = data.get(start..).unwrap_or_default();
    first.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
    u64::from_ne_bytes(first)
}

/// Loads the prefixes of the strings between offsets, after the first bytes of each, as many as fit.
#[inline(always)]
pub(crate) fn prefixes<O: Offset>(
    ends: &[O],
    data: &[u8],
    behind: usize,
    out: &mut [u64; PREFIXES],
) -> PrefixRange {
    let place = |start: &O| (*start).try_into().unwrap_or(usize::MAX);
    for (to, start) in out.iter_mut().zip(ends) {
        *to = first_bytes(data, place(start).saturating_add(behind));
    }
    words_of_bytes(ends, behind, out)
}

/// Converts eight bytes of each string, in memory order, to prefixes.
#[inline(always)]
pub(crate) fn words_of_bytes<O: Offset>(
    ends: &[O],
    behind: usize,
    out: &mut [u64; PREFIXES],
) -> PrefixRange {
    let behind = i64::try_from(behind).unwrap_or(i64::MAX);
    // Decremented, so that an empty string is the maximum.
    let (mut least, mut any, mut greatest) = (u64::MAX, u64::MAX, 0);
    let stops = ends.get(1..).unwrap_or_default();
    for ((to, start), stop) in out.iter_mut().zip(ends).zip(stops) {
        let (start, stop): (i64, i64) = ((*start).into(), (*stop).into());
        let word = word(*to, stop.wrapping_sub(start).wrapping_sub(behind));
        *to = word;
        least = least.min(word.wrapping_sub(1));
        any = any.min(word);
        greatest = greatest.max(word);
    }
    PrefixRange { least: least.wrapping_add(1), greatest, has_empty: any == 0 }
}

/// Returns which words are this one: the first by the lowest bit.
#[inline(always)]
pub(crate) fn find_prefix(words: &[u64; PREFIXES], word: u64) -> PrefixMatches {
    let mut places = [0; PREFIXES / 64];
    let (groups, _) = words.as_chunks::<64>();
    for (bits, group) in places.iter_mut().zip(groups) {
        for (i, other) in group.iter().enumerate() {
            *bits |= u64::from(*other == word) << i;
        }
    }
    places
}

/// Returns the minimum and maximum of the prefixes whose bit is set.
#[inline(always)]
pub(crate) fn min_max_among(words: &[u64; PREFIXES], places: &PrefixMatches) -> (u64, u64) {
    let (mut least, mut greatest) = (u64::MAX, 0);
    let (groups, _) = words.as_chunks::<64>();
    for (bits, group) in places.iter().zip(groups) {
        for (i, word) in group.iter().enumerate() {
            // All ones where the bit is set.
            let kept = (bits >> i & 1).wrapping_neg();
            least = least.min(word | !kept);
            greatest = greatest.max(word & kept);
        }
    }
    (least, greatest)
}
