//! `null`: uncompressed bytes. Readers use such blocks without copying them.

use super::{Compress, Decompress, check_len};
use crate::error::Result;

struct Null;

pub(super) fn compressor(_level: Option<i32>) -> Box<dyn Compress> {
    Box::new(Null)
}

pub(super) fn decompressor() -> Box<dyn Decompress> {
    Box::new(Null)
}

impl Compress for Null {
    fn compress(&mut self, raw: &[u8], out: &mut Vec<u8>) -> Result<()> {
        out.extend_from_slice(raw);
        Ok(())
    }

    fn effort(&self, _raw: usize, _stored: &[u8]) -> usize {
        0
    }
}

impl Decompress for Null {
    fn decompress(&mut self, stored: &[u8], raw_len: usize, out: &mut Vec<u8>) -> Result<()> {
        check_len(stored.len(), raw_len)?;
        out.clear();
        out.extend_from_slice(stored);
        Ok(())
    }
}
