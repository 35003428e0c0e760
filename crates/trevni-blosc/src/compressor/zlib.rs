//! zlib streams.
//!
//! ```text
//! 2 bytes    method and window
//! deflate    blocks
//! 4 bytes    Adler-32 of the output, high byte first
//! ```

use flate2::{
    Compress as Deflate, Compression, Decompress as Inflate, FlushCompress, FlushDecompress, Status,
};

/// A deflater, kept between streams that end.
pub(crate) struct Encoder {
    deflater: Deflate,
    level: Compression,
}

impl Encoder {
    pub(super) fn new(level: u8) -> Self {
        let level = Compression::new(u32::from(level));
        Self { deflater: Deflate::new(level, true), level }
    }

    pub(super) fn compress(&mut self, bytes: &[u8], out: &mut [u8]) -> Option<usize> {
        self.deflater.reset();
        match self.deflater.compress(bytes, out, FlushCompress::Finish) {
            Ok(Status::StreamEnd) => usize::try_from(self.deflater.total_out()).ok(),
            // zlib-rs 0.6.8 leaves a block open when a stream that did not fit is reset: the next stream would be one
            // that nobody can read.
            _ => {
                self.deflater = Deflate::new(self.level, true);
                None
            }
        }
    }
}

/// An inflater, kept between streams.
pub(super) struct Decoder(Inflate);

impl Default for Decoder {
    fn default() -> Self {
        Self(Inflate::new(true))
    }
}

impl Decoder {
    pub(super) fn decompress(&mut self, bytes: &[u8], out: &mut [u8]) -> Option<()> {
        self.0.reset(true);
        let status = self.0.decompress(bytes, out, FlushDecompress::Finish).ok()?;
        (status == Status::StreamEnd && self.0.total_out() == out.len() as u64).then_some(())
    }
}
