//! Zstandard frames.
//!
//! ```text
//! 28 b5 2f fd   magic
//! descriptor    says which of window, dictionary number and content size follow
//! blocks        raw, of one byte, or compressed; the last is marked
//! ```

use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe;

use trevni::{Error, Result};

/// Trains a dictionary of at most `longest` bytes on samples that follow each other.
pub(crate) fn train(samples: &[u8], sizes: &[usize], longest: usize) -> Option<Vec<u8>> {
    zstd::dict::from_continuous(samples, sizes, longest).ok()
}

/// A context, kept between streams.
pub(crate) struct Encoder {
    context: Compressor<'static>,
    level: i32,
}

impl Encoder {
    /// Blosc's levels 1 to 9 are 1, 3, 5 ... 15 and the highest there is.
    pub(super) fn new(level: u8) -> Result<Self> {
        let level = match level {
            ..=8 => i32::from(level) * 2 - 1,
            _ => zstd_safe::max_c_level(),
        };
        Ok(Self { context: Compressor::new(level)?, level })
    }

    pub(super) fn compress(&mut self, bytes: &[u8], out: &mut [u8]) -> Option<usize> {
        self.context.compress_to_buffer(bytes, out).ok()
    }

    pub(super) fn set_dictionary(&mut self, dictionary: Option<&[u8]>) -> Result<()> {
        // A stream that did not fit is not over for the context, which then takes no dictionary.
        let reset = self.context.context_mut().reset(zstd_safe::ResetDirective::SessionOnly);
        reset.map_err(|code| std::io::Error::other(zstd_safe::get_error_name(code)))?;
        Ok(self.context.set_dictionary(self.level, dictionary.unwrap_or(&[]))?)
    }
}

/// A context, made when first needed and kept between streams.
#[derive(Default)]
pub(super) struct Decoder {
    context: Option<Decompressor<'static>>,
    has_dictionary: bool,
}

impl Decoder {
    pub(super) fn set_dictionary(&mut self, dictionary: Option<&[u8]>) -> Result<()> {
        if dictionary.is_some() || self.has_dictionary {
            self.has_dictionary = dictionary.is_some();
            self.context
                .get_or_insert_default()
                .set_dictionary(dictionary.unwrap_or(&[]))
                .map_err(|e| Error::malformed(format!("a Zstandard dictionary: {e}")))?;
        }
        Ok(())
    }

    pub(super) fn decompress(&mut self, bytes: &[u8], out: &mut [u8]) -> Option<()> {
        let context = self.context.get_or_insert_default();
        let n = context.decompress_to_buffer(bytes, out).ok()?;
        (n == out.len()).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dictionary_follows_a_stream_that_did_not_fit() {
        let mut encoder = Encoder::new(3).unwrap();
        let bytes: Vec<u8> = (0..4000u32).map(|i| ((i * i) >> 7).to_le_bytes()[0]).collect();
        assert_eq!(encoder.compress(&bytes, &mut [0; 20]), None);
        encoder.set_dictionary(Some(&bytes[..1000])).unwrap();
        let mut out = [0; 5000];
        let n = encoder.compress(&bytes, &mut out).unwrap();
        let mut decoder = Decoder::default();
        decoder.set_dictionary(Some(&bytes[..1000])).unwrap();
        let mut back = vec![0; bytes.len()];
        decoder.decompress(&out[..n], &mut back).unwrap();
        assert!(back == bytes);
    }
}
