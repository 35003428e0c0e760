//! Zstandard frames without C, for browsers: they are read, and none is written.

use ruzstd::decoding::{Dictionary, FrameDecoder};

use trevni::{Error, Result};

/// Trains no dictionary.
pub(crate) fn train(_: &[u8], _: &[usize], _: usize) -> Option<Vec<u8>> {
    None
}

/// Writes nothing: every stream is stored.
pub(crate) struct Encoder;

impl Encoder {
    pub(super) fn new(_: u8) -> Result<Self> {
        Ok(Self)
    }

    pub(super) fn compress(&mut self, _: &[u8], _: &mut [u8]) -> Option<usize> {
        None
    }

    pub(super) fn set_dictionary(&mut self, _: Option<&[u8]>) -> Result<()> {
        Ok(())
    }
}

/// Kept between streams.
#[derive(Default)]
pub(super) struct Decoder(FrameDecoder);

impl Decoder {
    pub(super) fn set_dictionary(&mut self, dictionary: Option<&[u8]>) -> Result<()> {
        if let Some(dictionary) = dictionary {
            let fault = |e: String| Error::malformed(format!("a Zstandard dictionary: {e}"));
            let dictionary =
                Dictionary::decode_dict(dictionary).map_err(|e| fault(e.to_string()))?;
            self.0.add_dict(dictionary).map_err(|e| fault(e.to_string()))?;
        }
        Ok(())
    }

    pub(super) fn decompress(&mut self, bytes: &[u8], out: &mut [u8]) -> Option<()> {
        let n = self.0.decode_all(bytes, out).ok()?;
        (n == out.len()).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::zstd::Encoder;
    use super::Decoder;

    #[test]
    fn reads_what_the_library_writes() {
        let bytes: Vec<u8> =
            (0..70_000u32).map(|i| (i.wrapping_mul(i) >> 9).to_le_bytes()[0]).collect();
        let samples: Vec<_> = bytes.chunks(700).collect();
        let dictionary = zstd::dict::from_samples(&samples, 2000).unwrap();
        for dictionary in [None, Some(dictionary.as_slice())] {
            for level in [1, 5, 9] {
                let mut encoder = Encoder::new(level).unwrap();
                encoder.set_dictionary(dictionary).unwrap();
                let mut stream = vec![0; 80_000];
                let n = encoder.compress(&bytes, &mut stream).unwrap();
                let mut decoder = Decoder::default();
                decoder.set_dictionary(dictionary).unwrap();
                let mut back = vec![0; bytes.len()];
                decoder.decompress(&stream[..n], &mut back).unwrap();
                assert!(back == bytes);
                assert_eq!(decoder.decompress(&stream[..n - 1], &mut back), None);
                assert_eq!(decoder.decompress(&stream[..n], &mut back[1..]), None);
            }
        }
    }
}
