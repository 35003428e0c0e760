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

/// A deflater, kept between streams.
pub(crate) struct Encoder(Deflate);

impl Encoder {
    pub(super) fn new(level: u8) -> Self {
        Self(Deflate::new(Compression::new(u32::from(level)), true))
    }

    pub(super) fn compress(&mut self, bytes: &[u8], out: &mut [u8]) -> Option<usize> {
        self.0.reset();
        match self.0.compress(bytes, out, FlushCompress::Finish).ok()? {
            Status::StreamEnd => usize::try_from(self.0.total_out()).ok(),
            _ => None,
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
