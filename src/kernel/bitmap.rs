//! Bitmaps: counting, copying, and reading array lengths of 0 and 1.

use super::Level;
use super::portable::{self, BitmapProgress, LengthRun};

/// Decodes up to `n` array lengths of 0 or 1 as bits, appended to the `len` bits in `bits`.
///
/// The rest of `run` comes first, then lengths from the start of `bytes`; a run that exceeds `n` stays in `run`. Stops
/// before a length that is truncated, malformed or above 1.
pub fn lengths_to_bitmap(
    bytes: &[u8],
    n: usize,
    run: &mut LengthRun,
    bits: &mut Vec<u8>,
    len: usize,
) -> BitmapProgress {
    portable::lengths_to_bitmap(bytes, n, run, bits, len)
}

/// Appends `n` bits of `source`, from bit `offset`, to the `len` bits in `out`. Bits past the end of `source` count as
/// 0.
pub fn copy_bits(source: &[u8], offset: usize, n: usize, out: &mut Vec<u8>, len: usize) {
    portable::copy_bits(source, offset, n, out, len);
}

/// Calls `take` with the bit and the length of each run of equal bits among the `n` bits from bit `offset`, low bit of
/// each byte first. A long run may be split.
pub fn for_each_run(source: &[u8], offset: usize, n: usize, take: impl FnMut(bool, usize)) {
    portable::for_each_run(source, offset, n, take);
}

/// Returns the number of set bits among the `n` bits from bit `offset`.
pub fn count_ones(source: &[u8], offset: usize, n: usize) -> usize {
    at_level!(Level::in_use(), count_ones(source, offset, n))
}

/// Appends the rank of each position: the number of set bits before it. Positions ascend; bits past the end are 0.
pub fn rank(level: Level, source: &[u8], positions: &[u32], out: &mut Vec<u32>) {
    at_level!(level, rank(source, positions, out));
}
