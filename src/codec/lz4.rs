//! `lz4`: one LZ4 block; its length is in the block descriptor. Outside the specification.

use super::{Compress, Decompress, check_len};
use crate::error::{Error, Result};

/// LZ4 makes at most 255 bytes of one.
const MOST_RATIO: usize = 256;

struct Lz4;

pub(super) fn compressor(_level: Option<i32>) -> Box<dyn Compress> {
    Box::new(Lz4)
}

pub(super) fn decompressor() -> Box<dyn Decompress> {
    Box::new(Lz4)
}

impl Compress for Lz4 {
    fn compress(&mut self, raw: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let start = out.len();
        out.resize(start + lz4_flex::block::get_maximum_output_size(raw.len()), 0);
        let (_, room) = out.split_at_mut(start);
        let n = lz4_flex::block::compress_into(raw, room)
            .map_err(|e| Error::invalid(format!("lz4: {e}")))?;
        out.truncate(start + n);
        Ok(())
    }
}

impl Decompress for Lz4 {
    fn decompress(&mut self, stored: &[u8], raw_len: usize, out: &mut Vec<u8>) -> Result<()> {
        if raw_len > stored.len().saturating_mul(MOST_RATIO) {
            return Err(Error::malformed("lz4 block claims more than it can hold"));
        }
        out.resize(raw_len, 0);
        let n = lz4_flex::block::decompress_into(stored, out)
            .map_err(|e| Error::malformed(format!("compressed block: {e}")))?;
        check_len(n, raw_len)
    }
}
