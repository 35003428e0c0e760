//! `deflate`: raw RFC 1951, one stream per block. Tables and window are reused between blocks.

use libdeflater::{CompressionLvl, Compressor, DecompressionError, Decompressor};

use super::{Compress, Decompress, check_len};
use crate::error::{Error, Result};

/// Deflate makes at most 258 bytes of 2 bits.
const MOST_RATIO: usize = 1032;

/// From 0, no compression at all, to 12, the best; 6 is the usual one.
pub(super) fn compressor(level: Option<i32>) -> Box<dyn Compress> {
    let level = CompressionLvl::new(level.unwrap_or(6).clamp(0, 12)).unwrap_or_default();
    Box::new(Deflate { compressor: Compressor::new(level), room: Vec::new() })
}

pub(super) fn decompressor() -> Box<dyn Decompress> {
    Box::new(Decompressor::new())
}

struct Deflate {
    compressor: Compressor,
    /// Where blocks are compressed to, as long as the largest can become.
    room: Vec<u8>,
}

impl Compress for Deflate {
    fn compress(&mut self, raw: &[u8], out: &mut Vec<u8>) -> Result<()> {
        if raw.is_empty() {
            // The shortest form of nothing, as the reference has it.
            out.extend_from_slice(&[0x03, 0x00]);
            return Ok(());
        }
        let most = self.compressor.deflate_compress_bound(raw.len());
        if self.room.len() < most {
            self.room.resize(most, 0);
        }
        let n = self
            .compressor
            .deflate_compress(raw, &mut self.room)
            .map_err(|e| Error::invalid(format!("deflate: {e}")))?;
        out.extend_from_slice(self.room.get(..n).unwrap_or_default());
        Ok(())
    }
}

impl Decompress for Decompressor {
    fn decompress(&mut self, stored: &[u8], raw_len: usize, out: &mut Vec<u8>) -> Result<()> {
        if raw_len > stored.len().saturating_mul(MOST_RATIO) {
            return Err(Error::malformed("deflate block claims more than it can hold"));
        }
        out.resize(raw_len, 0);
        match self.deflate_decompress(stored, out) {
            Ok(n) => check_len(n, raw_len),
            Err(DecompressionError::InsufficientSpace) => check_len(raw_len + 1, raw_len),
            Err(DecompressionError::BadData) => {
                Err(Error::malformed("compressed block: not deflate, or cut off"))
            }
        }
    }
}
