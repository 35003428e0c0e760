//! The dictionary of a chunk: bytes that precede each stream for the compressor.
//!
//! ```text
//! i32   length, at most 32 KiB
//!       the dictionary: for Zstandard one of its own making, for LZ4 any bytes
//! ```

use crate::compressor::train_zstd;
use trevni::wire::Cursor;
use trevni::{Error, Result};

/// The longest dictionary.
const LONGEST: usize = 32 * 1024;
/// Shorter ones are of no use.
const SHORTEST: usize = 256;
/// The maximum size of the dictionary, as a fraction of the compressed size.
const PART: usize = 20;
/// One byte in this many is sampled.
const SAMPLED: usize = 16;

/// Reads the dictionary after the starts of the blocks.
pub(super) fn take<'a>(cursor: &mut Cursor<'a>) -> Result<&'a [u8]> {
    let length = cursor.fixed32("the length of a dictionary")?;
    match length as usize {
        0 => Err(Error::malformed("a dictionary of 0 bytes")),
        n if n > LONGEST => Err(Error::malformed(format!("a dictionary of {n} bytes"))),
        n => cursor.take(n, "a dictionary"),
    }
}

/// Appends the dictionary.
pub(super) fn put(dictionary: &[u8], out: &mut Vec<u8>) {
    let length = u32::try_from(dictionary.len()).unwrap_or(u32::MAX);
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(dictionary);
}

/// Trains a Zstandard dictionary on the filtered bytes of a chunk, in this many streams; `None` if it does not
/// help.
pub(super) fn train(filtered: &[u8], streams: usize) -> Option<Vec<u8>> {
    let longest = LONGEST.min(filtered.len() / PART);
    if longest < SHORTEST {
        return None;
    }
    // The library requires at least 8 samples.
    let count = streams.max(8);
    let sample = filtered.len() / count / SAMPLED;
    let samples = filtered.get(..sample * count)?;
    let dictionary = train_zstd(samples, &vec![sample; count], longest)?;
    (dictionary.len() >= SHORTEST).then_some(dictionary)
}
