//! `deflate`: raw RFC 1951. The compressor's window is kept from block to block.

use flate2::{Compression, Decompress as Inflate, FlushCompress, FlushDecompress, Status};

use super::{Compress, Decompress, check_len};
use crate::error::{Error, Result};

/// Deflate makes at most 258 bytes of 2 bits.
const MOST_RATIO: usize = 1032;

pub(super) fn compressor(level: Option<i32>) -> Box<dyn Compress> {
    let level = level.map_or(6, |level| u32::try_from(level.clamp(0, 9)).unwrap_or(6));
    Box::new(flate2::Compress::new(Compression::new(level), false))
}

pub(super) fn decompressor() -> Box<dyn Decompress> {
    Box::new(Inflate::new(false))
}

impl Compress for flate2::Compress {
    fn compress(&mut self, raw: &[u8], out: &mut Vec<u8>) -> Result<()> {
        self.reset();
        let mut rest = raw;
        loop {
            out.reserve(rest.len() / 2 + 64);
            let before = self.total_in();
            let status = self
                .compress_vec(rest, out, FlushCompress::Finish)
                .map_err(|e| Error::invalid(format!("deflate: {e}")))?;
            let used = usize::try_from(self.total_in() - before).unwrap_or(usize::MAX);
            rest = rest.get(used..).unwrap_or_default();
            if status == Status::StreamEnd {
                return Ok(());
            }
        }
    }
}

impl Decompress for Inflate {
    fn decompress(&mut self, stored: &[u8], raw_len: usize, out: &mut Vec<u8>) -> Result<()> {
        self.reset(false);
        out.clear();
        // One byte more than announced shows an excess.
        out.reserve(raw_len.min(stored.len().saturating_mul(MOST_RATIO)).saturating_add(1));
        let status = self
            .decompress_vec(stored, out, FlushDecompress::Finish)
            .map_err(|e| Error::malformed(format!("compressed block: {e}")))?;
        check_len(out.len(), raw_len)?;
        if status != Status::StreamEnd {
            return Err(Error::malformed("compressed block has no end"));
        }
        Ok(())
    }
}
