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

#[cfg(test)]
mod tests {
    use super::*;
    use trevni_testing::numbers::Numbers;

    /// Compresses noise into too little room, resets, and compresses zeros. Returns whether they come back.
    fn comes_back_after_reset(level: u32, len: usize) -> bool {
        let mut numbers = Numbers(1);
        let noise: Vec<u8> = (0..len).map(|_| numbers.next31().to_le_bytes()[2]).collect();
        let zeros = vec![0; len];
        let mut deflater = Deflate::new(Compression::new(level), true);
        let mut out = vec![0; len];
        let _ = deflater.compress(&noise, &mut out, FlushCompress::Finish);
        deflater.reset();
        let _ = deflater.compress(&zeros, &mut out, FlushCompress::Finish);
        let written = usize::try_from(deflater.total_out()).unwrap();
        let mut back = vec![1; len];
        let mut inflater = Inflate::new(true);
        let status = inflater.decompress(&out[..written], &mut back, FlushDecompress::Finish);
        matches!(status, Ok(Status::StreamEnd)) && back == zeros
    }

    /// The cause of a stream that nobody could read, by the library alone. Where this fails, the library is fixed, and
    /// a deflater can be reset after any stream.
    #[test]
    fn the_library_leaves_a_block_open_when_it_is_reset() {
        let sizes = || [32, 100, 256, 300, 512, 800, 1024, 1500].map(|kib: usize| kib << 10);
        assert!(sizes().iter().any(|len| !comes_back_after_reset(1, *len)));
        assert!(sizes().iter().all(|len| comes_back_after_reset(6, *len)));
    }
}
