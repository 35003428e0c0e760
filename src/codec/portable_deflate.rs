//! `deflate` without C, for browsers: the same streams as `deflate.rs` reads, and others that hold the same.

use std::io::Read;

use flate2::Compression;
use flate2::bufread::{DeflateDecoder, DeflateEncoder};

use super::{Compress, Decompress, read_stream};
use crate::error::Result;

struct Deflate {
    level: Compression,
}

/// From 0, no compression at all, to 9; 6 is the usual one.
pub(super) fn compressor(level: Option<i32>) -> Box<dyn Compress> {
    let level = level.map_or(6, |level| u32::try_from(level.clamp(0, 9)).unwrap_or(6));
    Box::new(Deflate { level: Compression::new(level) })
}

pub(super) fn decompressor() -> Box<dyn Decompress> {
    Box::new(Deflate { level: Compression::default() })
}

impl Compress for Deflate {
    fn compress(&mut self, raw: &[u8], out: &mut Vec<u8>) -> Result<()> {
        DeflateEncoder::new(raw, self.level).read_to_end(out)?;
        Ok(())
    }
}

impl Decompress for Deflate {
    fn decompress(&mut self, stored: &[u8], raw_len: usize, out: &mut Vec<u8>) -> Result<()> {
        read_stream(DeflateDecoder::new(stored), raw_len, out)
    }
}
