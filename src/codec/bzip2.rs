//! `bzip2`: one stream per block, by default at level 9.

use bzip2::Compression;
use bzip2::read::{BzDecoder, BzEncoder};
use std::io::Read;

use super::{Compress, Decompress, read_stream};
use crate::error::Result;

struct Bzip2 {
    level: Compression,
}

pub(super) fn compressor(level: Option<i32>) -> Box<dyn Compress> {
    let level = level.map_or(9, |level| u32::try_from(level.clamp(1, 9)).unwrap_or(9));
    Box::new(Bzip2 { level: Compression::new(level) })
}

pub(super) fn decompressor() -> Box<dyn Decompress> {
    Box::new(Bzip2 { level: Compression::best() })
}

impl Compress for Bzip2 {
    fn compress(&mut self, raw: &[u8], out: &mut Vec<u8>) -> Result<()> {
        BzEncoder::new(raw, self.level).read_to_end(out)?;
        Ok(())
    }
}

impl Decompress for Bzip2 {
    fn decompress(&mut self, stored: &[u8], raw_len: usize, out: &mut Vec<u8>) -> Result<()> {
        read_stream(BzDecoder::new(stored), raw_len, out)
    }
}
