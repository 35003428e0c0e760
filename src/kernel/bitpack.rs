//! Bit packing in chunks of 1,024 values, and arithmetic on unpacked values.

use super::Level;
use super::portable::{self, CHUNK, ChunkStats, LANES, Modular, Ordered};

/// Decodes the 1,024 integers of a chunk of `width` bits each and adds `base` to each. Missing bytes count as 0.
pub fn unpack<T: Modular>(level: Level, bytes: &[u8], width: u32, base: u64, out: &mut Vec<T>) {
    at_level!(level, unpack(bytes, width, base, out));
}

/// Replaces each number by `number * factor + shift`, wrapping.
pub fn scale<T: Modular>(level: Level, numbers: &mut [T], factor: T, shift: T) {
    at_level!(level, scale(numbers, factor, shift));
}

/// Appends each number as `i128`.
pub fn widen<N: Copy + Into<i64>>(level: Level, numbers: &[N], out: &mut Vec<i128>) {
    at_level!(level, widen(numbers, out));
}

/// Replaces each number by the sum of `before` and all numbers up to it, wrapping.
pub fn prefix_sum<T: Modular>(level: Level, numbers: &mut [T], before: T) {
    at_avx512!(level, prefix_sum(numbers, before));
}

/// Encodes a chunk: the low `width` bits of each value minus `base`, whose higher bits must be 0.
pub fn pack(level: Level, values: &[i64; CHUNK], width: u32, base: i64, out: &mut Vec<u8>) {
    at_level!(level, pack(values, width, base, out));
}

/// Decodes the `LANES` integers of a chunk from index `group * LANES`. `None` if `width` is above 16 or bytes are
/// missing.
pub fn unpack_group(bytes: &[u8], width: u32, group: usize) -> Option<[u16; LANES]> {
    portable::unpack_group(bytes, width, group)
}

/// Decodes the `i`th integer of a chunk of `width` bits each; 0 if it is missing.
pub fn unpack_one(bytes: &[u8], width: u32, i: usize) -> u64 {
    portable::unpack_one(bytes, width, i)
}

/// Computes the statistics that the choice of an encoding needs.
pub fn chunk_stats(level: Level, values: &[i64]) -> ChunkStats {
    at_level!(level, chunk_stats(values))
}

/// Returns the [ranks](Ordered::rank) of the minimum and maximum value; `None` if there are no values.
pub fn min_max<T: Ordered>(level: Level, values: &[T]) -> Option<(i64, i64)> {
    at_level!(level, min_max(values))
}

/// Returns the [ranks](Ordered::rank) of the minimum and maximum of the values whose bit in `validity` is set, low bit
/// of each byte first; `None` if there are none.
pub fn min_max_valid<T: Ordered>(
    level: Level,
    values: &[T],
    validity: &[u8],
) -> Option<(i64, i64)> {
    at_level!(level, min_max_valid(values, validity))
}

/// Returns the number of values whose difference to `base`, modulo 2^64, does not fit `width` bits.
pub fn count_above(level: Level, values: &[i64], base: i64, width: u32) -> usize {
    at_level!(level, count_above(values, base, width))
}
