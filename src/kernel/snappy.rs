//! Decompression of snappy blocks.

use super::Level;
use super::portable;

/// Decompresses the elements of a snappy block, without its length prefix, into `out`, which is replaced.
///
/// The caller has checked that the elements can produce `raw_len` bytes. Returns whether they produce exactly that
/// many. If not, or if the level has no kernel, the content of `out` is unspecified and the caller uses `snap`.
pub fn decompress_snappy(level: Level, elements: &[u8], raw_len: usize, out: &mut Vec<u8>) -> bool {
    at_level!(level, decompress_snappy(elements, raw_len, out))
}
