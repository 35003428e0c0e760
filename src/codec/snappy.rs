//! `snappy`: the raw format, whose first varint is the length before compression.

use snap::raw::{Decoder, Encoder, decompress_len, max_compress_len};

use super::{Compress, Decompress, check_len};
use crate::error::{Error, Result};

/// No element of snappy makes more than 64 bytes of 2 (a copy with a one-byte offset makes 11; with two, 64 of 3).
const MOST_RATIO: usize = 32;

pub(super) fn compressor(_level: Option<i32>) -> Box<dyn Compress> {
    Box::new(Encoder::new())
}

pub(super) fn decompressor() -> Box<dyn Decompress> {
    Box::new(Decoder::new())
}

impl Compress for Encoder {
    fn compress(&mut self, raw: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let start = out.len();
        let bound = max_compress_len(raw.len());
        if bound == 0 {
            return Err(Error::too_large("snappy block", raw.len() as u64, u64::from(u32::MAX)));
        }
        out.resize(start + bound, 0);
        let (_, room) = out.split_at_mut(start);
        let n = Encoder::compress(self, raw, room)
            .map_err(|e| Error::invalid(format!("snappy: {e}")))?;
        out.truncate(start + n);
        Ok(())
    }
}

impl Decompress for Decoder {
    fn decompress(&mut self, stored: &[u8], raw_len: usize, out: &mut Vec<u8>) -> Result<()> {
        let malformed = |e| Error::malformed(format!("compressed block: {e}"));
        check_len(decompress_len(stored).map_err(malformed)?, raw_len)?;
        if raw_len > stored.len().saturating_mul(MOST_RATIO) {
            return Err(Error::malformed("snappy block claims more than it can hold"));
        }
        out.resize(raw_len, 0);
        let n = Decoder::decompress(self, stored, out).map_err(malformed)?;
        check_len(n, raw_len)
    }
}
