//! Zig-zag varints.

use super::Level;
use super::portable;

/// Below this number of values the portable kernel is faster.
const FEW: usize = 4;

/// Returns the level for `n` values.
pub(super) fn for_count(level: Level, n: usize) -> Level {
    if n < FEW { Level::Portable } else { level }
}

/// Decodes up to `n` longs from the start of `bytes` to the end of `out`. Returns the number of bytes read. Stops
/// before a varint that is truncated or longer than ten bytes.
pub fn decode_longs(level: Level, bytes: &[u8], n: usize, out: &mut Vec<i64>) -> usize {
    at_level!(for_count(level, n), decode_longs(bytes, n, out))
}

/// Decodes up to `n` ints as [`decode_longs`] does; also stops before a value that does not fit 32 bits.
pub fn decode_ints(level: Level, bytes: &[u8], n: usize, out: &mut Vec<i32>) -> usize {
    at_level!(for_count(level, n), decode_ints(bytes, n, out))
}

/// Skips up to `n` varints. Returns the number of varints and of bytes skipped.
pub fn skip_varints(level: Level, bytes: &[u8], n: usize) -> (usize, usize) {
    at_level!(level, skip_varints(bytes, n))
}

/// Encodes longs to the end of `out`, each in its shortest form.
pub fn encode_longs(level: Level, values: &[i64], out: &mut Vec<u8>) {
    at_level!(for_count(level, values.len()), encode_longs(values, out));
}

/// Encodes ints; the bytes are those of the same longs.
pub fn encode_ints(level: Level, values: &[i32], out: &mut Vec<u8>) {
    at_level!(for_count(level, values.len()), encode_ints(values, out));
}

/// Returns the encoded size of the values in bytes.
pub fn varint_size(level: Level, values: &[i64]) -> u64 {
    at_level!(level, varint_size(values))
}
