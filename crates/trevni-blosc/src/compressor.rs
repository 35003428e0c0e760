//! The compressors of streams.
//!
//! ```text
//! name     code  format   stream
//! blosclz     0       0   control bytes of the FastLZ kind
//! lz4         1       1   an LZ4 block, without frame or length
//! lz4hc       2       1   the same, searched for longer
//! snappy      3       2   raw Snappy; in chunks of the first generation only
//! zlib        4       3   RFC 1950
//! zstd        5       4   a Zstandard frame
//! ```
//! The code is what users and frames count with. The format is in bits 5 to 7 of a chunk's flags, and is all that a
//! reader of streams needs. A stream's uncompressed length is known from the chunk, never from the stream.

mod blosclz;
mod lz4;
#[cfg(any(test, target_family = "wasm"))]
#[cfg_attr(not(target_family = "wasm"), allow(dead_code, reason = "tests only read with it"))]
mod portable_zstd;
mod snappy;
mod window;
mod zlib;
#[cfg(not(target_family = "wasm"))]
mod zstd;

// Compilers for browsers have no C.
#[cfg(target_family = "wasm")]
use portable_zstd as zstd;

pub(crate) use zstd::train as train_zstd;

use trevni::{Error, Result};

/// The compressor of a chunk's streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Compressor {
    /// Blosc's own, of the FastLZ kind.
    BloscLz,
    /// LZ4, quick.
    Lz4,
    /// LZ4, slow to write and smaller; read as LZ4.
    Lz4Hc,
    /// Snappy; in chunks of the first generation only.
    Snappy,
    /// zlib.
    Zlib,
    /// Zstandard.
    Zstd,
}

/// Name, code and format of each compressor. The first of a format is its default.
const TABLE: [(Compressor, &str, u8, u8); 6] = [
    (Compressor::BloscLz, "blosclz", 0, 0),
    (Compressor::Lz4, "lz4", 1, 1),
    (Compressor::Lz4Hc, "lz4hc", 2, 1),
    (Compressor::Snappy, "snappy", 3, 2),
    (Compressor::Zlib, "zlib", 4, 3),
    (Compressor::Zstd, "zstd", 5, 4),
];

impl Compressor {
    /// Returns the name in Blosc's words: `blosclz`, `lz4`, `lz4hc`, `snappy`, `zlib`, `zstd`.
    ///
    /// ```
    /// use trevni_blosc::Compressor;
    /// assert_eq!(Compressor::from_name("lz4hc")?.name(), "lz4hc");
    /// assert_eq!(Compressor::from_code(2)?, Compressor::Lz4Hc);
    /// # Ok::<(), trevni::Error>(())
    /// ```
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// Returns the compressor of a name.
    pub fn from_name(name: &str) -> Result<Self> {
        TABLE
            .iter()
            .find(|row| row.1 == name)
            .map(|row| row.0)
            .ok_or_else(|| Error::unsupported(format!("compressor {name:?}")))
    }

    /// Returns the number in frame headers (byte 27) and in byte 22 of a chunk: 0, 1, 2, 3, 4, 5 in the order above.
    pub fn code(self) -> u8 {
        self.row().2
    }

    /// Returns the compressor of a number.
    pub fn from_code(code: u8) -> Result<Self> {
        TABLE
            .iter()
            .find(|row| row.2 == code)
            .map(|row| row.0)
            .ok_or_else(|| Error::unsupported(format!("compressor number {code}")))
    }

    /// Returns the number in the flags of a chunk, 0 to 4.
    pub(super) fn format(self) -> u8 {
        self.row().3
    }

    /// Returns the compressor of the number in the flags of a chunk.
    pub(super) fn from_format(format: u8) -> Result<Self> {
        TABLE.iter().find(|row| row.3 == format).map(|row| row.0).ok_or_else(|| match format {
            6 | 7 => Error::unsupported("a chunk with a compressor of its user's own"),
            _ => Error::unsupported(format!("compressor format {format}")),
        })
    }

    fn row(self) -> (Self, &'static str, u8, u8) {
        let [blosclz, lz4, lz4hc, snappy, zlib, zstd] = TABLE;
        match self {
            Compressor::BloscLz => blosclz,
            Compressor::Lz4 => lz4,
            Compressor::Lz4Hc => lz4hc,
            Compressor::Snappy => snappy,
            Compressor::Zlib => zlib,
            Compressor::Zstd => zstd,
        }
    }
}

/// What writes streams: a compressor at a level, with its working memory.
pub(super) enum Compress {
    BloscLz(blosclz::Encoder),
    Lz4(lz4::Mode),
    Snappy(Box<snappy::Encoder>),
    Zlib(zlib::Encoder),
    Zstd(zstd::Encoder),
}

impl Compress {
    /// Returns a writer at a level of 1 to 9.
    pub(super) fn new(compressor: Compressor, level: u8) -> Result<Self> {
        Ok(match compressor {
            Compressor::BloscLz => Self::BloscLz(blosclz::Encoder::new(level)),
            Compressor::Lz4 => Self::Lz4(lz4::Mode::fast(level)),
            Compressor::Lz4Hc => Self::Lz4(lz4::Mode::high(level)),
            Compressor::Snappy => Self::Snappy(Box::default()),
            Compressor::Zlib => Self::Zlib(zlib::Encoder::new(level)),
            Compressor::Zstd => Self::Zstd(zstd::Encoder::new(level)?),
        })
    }

    /// Returns how many bytes `compress` must be offered for a stream of `len`, beyond those that it may fill.
    pub(super) fn room(&self, len: usize) -> usize {
        match self {
            Self::Snappy(_) => snappy::room(len),
            _ => len,
        }
    }

    /// Compresses `bytes` to the start of `out` and returns the length; `None` if it does not fit.
    pub(super) fn compress(&mut self, bytes: &[u8], out: &mut [u8]) -> Option<usize> {
        match self {
            Self::BloscLz(encoder) => encoder.compress(bytes, out),
            Self::Lz4(mode) => lz4::compress(*mode, bytes, out),
            Self::Snappy(encoder) => encoder.compress(bytes, out),
            Self::Zlib(encoder) => encoder.compress(bytes, out),
            Self::Zstd(encoder) => encoder.compress(bytes, out),
        }
    }

    /// Sets the dictionary of the streams to come; without one, there is none any more. Zstandard only.
    pub(super) fn set_dictionary(&mut self, dictionary: Option<&[u8]>) -> Result<()> {
        match self {
            Self::Zstd(encoder) => encoder.set_dictionary(dictionary),
            _ => Ok(()),
        }
    }
}

/// What reads streams of all compressors. The working memory of each is made when it is first met.
#[derive(Default)]
pub(super) struct Decompress {
    snappy: snappy::Decoder,
    zlib: Option<zlib::Decoder>,
    zstd: zstd::Decoder,
}

impl Decompress {
    /// Announces the dictionary of the streams to come, or that there is none.
    pub(super) fn set_dictionary(
        &mut self,
        compressor: Compressor,
        dictionary: Option<&[u8]>,
    ) -> Result<()> {
        match compressor {
            Compressor::Zstd => self.zstd.set_dictionary(dictionary),
            Compressor::Lz4 | Compressor::Lz4Hc => Ok(()),
            _ if dictionary.is_none() => Ok(()),
            _ => Err(Error::unsupported(format!("a dictionary with {}", compressor.name()))),
        }
    }

    /// Decompresses a stream into `out`, whose length must be the uncompressed size. `dictionary` is that of the
    /// chunk.
    pub(super) fn decompress(
        &mut self,
        compressor: Compressor,
        dictionary: Option<&[u8]>,
        bytes: &[u8],
        out: &mut [u8],
    ) -> Result<()> {
        let done = match compressor {
            Compressor::BloscLz => blosclz::decompress(bytes, out),
            Compressor::Lz4 | Compressor::Lz4Hc => match dictionary {
                Some(dictionary) => lz4::decompress_with(dictionary, bytes, out),
                None => lz4::decompress(bytes, out),
            },
            Compressor::Snappy => self.snappy.decompress(bytes, out),
            Compressor::Zlib => self.zlib.get_or_insert_default().decompress(bytes, out),
            Compressor::Zstd => self.zstd.decompress(bytes, out),
        };
        done.ok_or_else(|| wrong(compressor, bytes, out))
    }

    /// Decompresses at least the first `wanted` bytes of a stream into `out`, whose length is the uncompressed
    /// size.
    pub(super) fn decompress_start(
        &mut self,
        compressor: Compressor,
        bytes: &[u8],
        out: &mut [u8],
        wanted: usize,
    ) -> Result<()> {
        match compressor {
            Compressor::Lz4 | Compressor::Lz4Hc if wanted <= out.len() / 2 => {
                lz4::decompress_start(bytes, out, wanted)
                    .ok_or_else(|| wrong(compressor, bytes, out))
            }
            _ => self.decompress(compressor, None, bytes, out),
        }
    }
}

fn wrong(compressor: Compressor, bytes: &[u8], out: &[u8]) -> Error {
    let (name, is, should) = (compressor.name(), bytes.len(), out.len());
    Error::malformed(format!("a {name} stream of {is} bytes that does not decompress to {should}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_codes_and_formats_go_both_ways() {
        for (index, (compressor, name, code, format)) in TABLE.into_iter().enumerate() {
            assert_eq!(usize::from(code), index);
            assert_eq!(Compressor::from_name(name).unwrap(), compressor);
            assert_eq!(Compressor::from_code(code).unwrap(), compressor);
            assert_eq!(Compressor::from_format(format).unwrap().format(), format);
            assert_eq!((compressor.name(), compressor.code()), (name, code));
        }
        assert!(Compressor::from_name("LZ4").is_err());
        assert!(Compressor::from_code(6).is_err());
        let e = Compressor::from_format(6).unwrap_err();
        assert_eq!(e.to_string(), "unsupported: a chunk with a compressor of its user's own");
    }

    /// Every compressor at every level round-trips, and reports output that does not fit.
    #[test]
    fn streams_go_both_ways_at_every_level() {
        let text: Vec<u8> = (0..20_000_u32).map(|i| (i / 9 * i % 13).to_le_bytes()[0]).collect();
        let mut read = Decompress::default();
        for (compressor, name, ..) in TABLE {
            for level in 1..=9 {
                let mut write = Compress::new(compressor, level).unwrap();
                for data in [&text[..], &[7; 5000], &text[..100]] {
                    let mut stream = vec![0; write.room(data.len())];
                    let Some(n) = write.compress(data, &mut stream) else {
                        assert!(data.len() <= 100, "{name} {level} does not compress");
                        continue;
                    };
                    let mut back = vec![1; data.len()];
                    read.decompress(compressor, None, &stream[..n], &mut back).unwrap();
                    assert!(back == data, "{name} {level}");
                    let mut long = vec![1; data.len() + 1];
                    assert!(read.decompress(compressor, None, &stream[..n], &mut long).is_err());
                    assert_eq!(write.compress(data, &mut [0; 5]), None, "{name} {level}");
                }
            }
        }
    }

    /// A stream that did not fit leaves nothing behind for the next one.
    #[test]
    fn streams_after_noise_are_readable() {
        let mut numbers = trevni_testing::numbers::Numbers(1);
        let mut read = Decompress::default();
        for n in [1usize << 10, 100 << 10, 600 << 10] {
            let noise: Vec<u8> = (0..n).map(|_| numbers.next31().to_le_bytes()[2]).collect();
            let pattern: Vec<u8> = (0..n).map(|i| (i / 50).to_le_bytes()[0]).collect();
            for (compressor, name, ..) in TABLE {
                for level in 1..=9 {
                    let mut write = Compress::new(compressor, level).unwrap();
                    let mut stream = vec![0; write.room(n)];
                    for room in [n - 1, n / 2, n / 4] {
                        let _ = write.compress(&noise, &mut stream[..room]);
                        let len = write.compress(&pattern, &mut stream).unwrap();
                        let mut back = vec![1; n];
                        read.decompress(compressor, None, &stream[..len], &mut back)
                            .unwrap_or_else(|e| panic!("{name} {level}, {n} bytes: {e}"));
                        assert!(back == pattern, "{name} {level}, {n} bytes");
                    }
                }
            }
        }
    }
}
