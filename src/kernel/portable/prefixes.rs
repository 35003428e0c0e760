//! The first bytes of strings, as integers that compare as the strings do.
//!
//! ```text
//! string   DELIVER IN PERSON      words   DELIVER 8    seven bytes, and how many there are: 8 for more
//!          REG AIR                        REG AIR 7    by which short strings compare, whole as they are
//!                                 what they lie between; places of a word: a bit for each string
//! ```

/// Strings that are looked at together.
pub const PREFIXES: usize = 512;

/// A bit for each of them.
pub type PrefixMatches = [u64; PREFIXES / 64];

/// Offsets of either width.
pub trait Offset: Copy + TryInto<usize> + Into<i64> + PartialEq {}

impl Offset for i32 {}
impl Offset for i64 {}

/// What words lie between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PrefixRange {
    /// The least of strings that are not empty; 0 if all are.
    pub least: u64,
    /// The greatest.
    pub greatest: u64,
    /// Whether a string is empty.
    pub has_empty: bool,
}

/// The word of a string.
pub fn prefix_of(string: &[u8]) -> u64 {
    word(first_bytes(string, 0), string.len().min(8) as i64)
}

/// The word of a string of so many bytes that begins so.
#[inline(always)]
fn word(first: u64, len: i64) -> u64 {
    let len = len.clamp(0, 8).cast_unsigned();
    u64::from_be(first) & !(u64::MAX >> (8 * len.min(7))) | len
}

/// Eight bytes as they lie in memory; 0 for those that are not there.
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

/// Writes the words of the strings between `ends`, behind so many bytes of each, as many as fit.
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

/// Makes words of eight bytes of each string, as they lie in memory: many at a time.
#[inline(always)]
pub(crate) fn words_of_bytes<O: Offset>(
    ends: &[O],
    behind: usize,
    out: &mut [u64; PREFIXES],
) -> PrefixRange {
    let behind = i64::try_from(behind).unwrap_or(i64::MAX);
    // Less by one, where an empty string is the greatest of all.
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

/// Which words are this one: the first by the lowest bit.
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

/// The least and the greatest of the words that have a bit.
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
