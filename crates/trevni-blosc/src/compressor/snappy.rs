//! Snappy in its raw format, for chunks of the first generation.
//!
//! ```text
//! uncompressed length   7 bits a byte, low first
//! elements              literals, and copies from up to 64 KiB back
//! ```

/// Working memory of the writer.
pub(crate) struct Encoder(snap::raw::Encoder);

impl Default for Encoder {
    fn default() -> Self {
        Self(snap::raw::Encoder::new())
    }
}

/// Returns how much the library wants to be offered.
pub(super) fn room(len: usize) -> usize {
    snap::raw::max_compress_len(len).max(len)
}

impl Encoder {
    pub(super) fn compress(&mut self, bytes: &[u8], out: &mut [u8]) -> Option<usize> {
        self.0.compress(bytes, out).ok()
    }
}

/// Working memory of the reader.
pub(super) struct Decoder(snap::raw::Decoder);

impl Default for Decoder {
    fn default() -> Self {
        Self(snap::raw::Decoder::new())
    }
}

impl Decoder {
    pub(super) fn decompress(&mut self, bytes: &[u8], out: &mut [u8]) -> Option<()> {
        let n = self.0.decompress(bytes, out).ok()?;
        (n == out.len()).then_some(())
    }
}
