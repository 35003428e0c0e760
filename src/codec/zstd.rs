//! `zstd`: one frame a block. Outside the specification.

use super::{Compress, Decompress, read_stream};
use crate::error::{Error, Result};

/// Fast enough to stand beside snappy; callers may ask for more.
const DEFAULT_LEVEL: i32 = 1;

/// Zstandard's smallest frame for a block is far above this share of what it stands for.
const MOST_RATIO: usize = 1 << 8;

struct Compressor {
    level: i32,
}

struct Decompressor;

pub(super) fn compressor(level: Option<i32>) -> Box<dyn Compress> {
    Box::new(Compressor { level: level.unwrap_or(DEFAULT_LEVEL) })
}

pub(super) fn decompressor() -> Box<dyn Decompress> {
    Box::new(Decompressor)
}

impl Compress for Compressor {
    fn compress(&mut self, raw: &[u8], out: &mut Vec<u8>) -> Result<()> {
        out.append(&mut zstd::bulk::compress(raw, self.level)?);
        Ok(())
    }
}

impl Decompress for Decompressor {
    fn decompress(&mut self, stored: &[u8], raw_len: usize, out: &mut Vec<u8>) -> Result<()> {
        if raw_len <= stored.len().saturating_mul(MOST_RATIO) {
            // The usual case, in one call: a capacity of one more shows an excess.
            let malformed = |e| Error::malformed(format!("compressed block: {e}"));
            *out = zstd::bulk::decompress(stored, raw_len.saturating_add(1)).map_err(malformed)?;
            return super::check_len(out.len(), raw_len);
        }
        read_stream(zstd::stream::read::Decoder::with_buffer(stored)?, raw_len, out)
    }
}
