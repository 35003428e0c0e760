//! Strings: length-prefixed bytes, offsets, views and prefixes.

use super::Level;
use super::portable::{self, Offset, PREFIXES, PrefixMatches, PrefixRange};
use super::varint::for_count;

/// Decodes up to `n` length-prefixed strings from the start of `bytes`: appends their bytes to `data` and their ends to
/// `offsets`, whose last element is the length of `data` on entry.
///
/// Returns the number of bytes read. Stops before a string that is truncated, has a negative length, or ends past the
/// maximum of an offset.
pub fn decode_strings(
    level: Level,
    bytes: &[u8],
    n: usize,
    offsets: &mut Vec<i32>,
    data: &mut Vec<u8>,
) -> usize {
    at_level!(for_count(level, n), decode_strings(bytes, n, offsets, data))
}

/// Skips up to `n` strings. Returns the number of strings and of bytes skipped.
pub fn skip_strings(bytes: &[u8], n: usize) -> (usize, usize) {
    portable::skip_strings(bytes, n)
}

/// Encodes the strings between offsets, each after its length. A string outside of `data` is encoded as empty.
pub fn encode_strings<O: Copy + TryInto<usize>>(
    level: Level,
    offsets: &[O],
    data: &[u8],
    out: &mut Vec<u8>,
) {
    at_level!(for_count(level, offsets.len()), encode_strings(offsets, data, out));
}

/// Appends the offsets of values with these lengths, starting with 0. `None` if their sum exceeds an offset.
pub fn lengths_to_offsets(lengths: &[u32], out: &mut Vec<i32>) -> Option<()> {
    portable::lengths_to_offsets(lengths, out)
}

/// Appends the Arrow views of the values between offsets into `data`. A view longer than [`INLINE`](super::INLINE)
/// bytes refers to buffer `buffer`.
pub fn offsets_to_views(
    level: Level,
    offsets: &[i32],
    data: &[u8],
    buffer: u32,
    out: &mut Vec<u128>,
) {
    at_level!(level, offsets_to_views(offsets, data, buffer, out));
}

/// Returns the view of `len` bytes from `start` in `data`, the content of buffer `buffer`.
pub fn view(start: u32, len: u32, data: &[u8], buffer: u32) -> u128 {
    portable::view(start, len, data, buffer)
}

/// Returns whether each of the slices of `bytes` that begin at `starts` is UTF-8.
pub fn is_utf8(bytes: &[u8], starts: impl Iterator<Item = usize>) -> bool {
    portable::is_utf8(bytes, starts)
}

/// Loads eight bytes of each string between `offsets`, after its first `skip` bytes, as an integer that compares as the
/// bytes do. Handles as many strings as `out` holds.
pub fn prefixes<O: Offset>(
    level: Level,
    offsets: &[O],
    data: &[u8],
    skip: usize,
    out: &mut [u64; PREFIXES],
) -> PrefixRange {
    at_level!(level, prefixes(offsets, data, skip, out))
}

/// Returns a bitmap of the prefixes that equal `prefix`, the first in the lowest bit.
pub fn find_prefix(level: Level, prefixes: &[u64; PREFIXES], prefix: u64) -> PrefixMatches {
    at_level!(level, find_prefix(prefixes, prefix))
}

/// Returns the minimum and maximum of the prefixes whose bit is set in `matches`.
pub fn min_max_among(
    level: Level,
    prefixes: &[u64; PREFIXES],
    matches: &PrefixMatches,
) -> (u64, u64) {
    at_level!(level, min_max_among(prefixes, matches))
}
