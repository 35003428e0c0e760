//! `zstd` without C, for browsers: frames of every level are read, those of the fastest are written.

use ruzstd::decoding::StreamingDecoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::{Compress, Decompress, read_stream};
use crate::error::{Error, Result};

struct Zstd;

pub(super) fn compressor(_: Option<i32>) -> Box<dyn Compress> {
    Box::new(Zstd)
}

pub(super) fn decompressor() -> Box<dyn Decompress> {
    Box::new(Zstd)
}

impl Compress for Zstd {
    fn compress(&mut self, raw: &[u8], out: &mut Vec<u8>) -> Result<()> {
        out.extend_from_slice(&compress_to_vec(raw, CompressionLevel::Fastest));
        Ok(())
    }
}

impl Decompress for Zstd {
    fn decompress(&mut self, stored: &[u8], raw_len: usize, out: &mut Vec<u8>) -> Result<()> {
        let stream = StreamingDecoder::new(stored);
        let stream = stream.map_err(|e| Error::malformed(format!("compressed block: {e}")))?;
        read_stream(stream, raw_len, out)
    }
}
