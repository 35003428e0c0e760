//! Block codecs.
//!
//! ```text
//! null      uncompressed                       deflate   raw RFC 1951, no zlib header
//! snappy    raw snappy, no frame, no CRC       bzip2     one stream per block
//! zstd      one frame a block   *              lz4       one LZ4 block, no length before it   *
//! pack      values packed by their kind   *    pack+zstd the same, and zstd where that saves   *
//! ```
//! `*` not in the specification or the reference implementation: other readers refuse such columns. A block
//! descriptor has the uncompressed size of its block, so codecs do not store it. (Specification: "Codecs".)

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use crate::error::{Error, Result};

#[cfg(feature = "bzip2")]
mod bzip2;
#[cfg(all(feature = "deflate", not(target_family = "wasm")))]
mod deflate;
#[cfg(feature = "lz4")]
mod lz4;
mod null;
#[cfg(all(feature = "deflate", any(test, target_family = "wasm")))]
mod portable_deflate;
#[cfg(all(feature = "zstd", any(test, target_family = "wasm")))]
mod portable_zstd;
#[cfg(feature = "snappy")]
mod snappy;
#[cfg(all(feature = "zstd", not(target_family = "wasm")))]
mod zstd;

// Compilers for browsers have no C.
#[cfg(all(feature = "deflate", target_family = "wasm"))]
use portable_deflate as deflate;
#[cfg(all(feature = "zstd", target_family = "wasm"))]
use portable_zstd as zstd;

/// The codec of a column or a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Codec {
    /// No compression.
    Null,
    /// RFC 1951.
    Deflate,
    /// Snappy's raw format.
    Snappy,
    /// bzip2; in the reference implementation, but not in the specification.
    Bzip2,
    /// Zstandard. Only this crate reads it.
    Zstd,
    /// LZ4's block format. Only this crate reads it.
    Lz4,
    /// The value codec: encodings chosen per block. Only this crate reads it.
    Pack,
    /// The value codec, with Zstandard over its payload where that saves space. Only this crate reads it.
    PackZstd,
}

/// Compresses blocks; reuses its working memory between them.
pub(crate) trait Compress: Send {
    /// Compresses `raw` to the end of `out`.
    fn compress(&mut self, raw: &[u8], out: &mut Vec<u8>) -> Result<()>;

    /// Compresses the concatenation of pieces, whose content may differ in kind.
    fn compress_pieces(&mut self, pieces: &[&[u8]], out: &mut Vec<u8>) -> Result<()> {
        self.compress(&pieces.concat(), out)
    }

    /// Returns the number of bytes that cost a reader as much time as decompressing this block.
    fn effort(&self, raw: usize, _stored: &[u8]) -> usize {
        raw / 20
    }
}

/// Decompresses blocks; reuses its working memory between them.
pub(crate) trait Decompress: Send {
    /// Decompresses `stored` into `out`, which is replaced. `raw_len` is the claimed size: no more is allocated
    /// than `stored` can produce, and any other size is an error.
    fn decompress(&mut self, stored: &[u8], raw_len: usize, out: &mut Vec<u8>) -> Result<()>;
}

struct Entry {
    codec: Codec,
    name: &'static str,
    /// The Cargo feature of the codec.
    feature: Option<&'static str>,
    make: CodecForm,
}

/// What a codec compresses.
enum CodecForm {
    /// Encoded values.
    Bytes(Make),
    /// Values.
    Values,
    /// Not in this build.
    Missing,
}

struct Make {
    compress: fn(Option<i32>) -> Box<dyn Compress>,
    decompress: fn() -> Box<dyn Decompress>,
}

macro_rules! entry {
    ($codec:ident, $module:ident, $feature:literal) => {
        Entry {
            codec: Codec::$codec,
            name: $feature,
            feature: Some($feature),
            #[cfg(feature = $feature)]
            make: CodecForm::Bytes(Make {
                compress: $module::compressor,
                decompress: $module::decompressor,
            }),
            #[cfg(not(feature = $feature))]
            make: CodecForm::Missing,
        }
    };
}

const CODECS: [Entry; 8] = [
    Entry {
        codec: Codec::Null,
        name: "null",
        feature: None,
        make: CodecForm::Bytes(Make { compress: null::compressor, decompress: null::decompressor }),
    },
    entry!(Deflate, deflate, "deflate"),
    entry!(Snappy, snappy, "snappy"),
    entry!(Bzip2, bzip2, "bzip2"),
    entry!(Zstd, zstd, "zstd"),
    entry!(Lz4, lz4, "lz4"),
    Entry { codec: Codec::Pack, name: "pack", feature: None, make: CodecForm::Values },
    Entry {
        codec: Codec::PackZstd,
        name: "pack+zstd",
        feature: Some("zstd"),
        make: if cfg!(feature = "zstd") { CodecForm::Values } else { CodecForm::Missing },
    },
];

impl Codec {
    /// All codecs, including those that this build lacks.
    pub const ALL: [Codec; CODECS.len()] = [
        Codec::Null,
        Codec::Deflate,
        Codec::Snappy,
        Codec::Bzip2,
        Codec::Zstd,
        Codec::Lz4,
        Codec::Pack,
        Codec::PackZstd,
    ];

    /// Returns the name in `trevni.codec`.
    pub fn name(self) -> &'static str {
        self.entry().map_or("null", |entry| entry.name)
    }

    /// Returns the codec of a name. Names are case-sensitive.
    pub fn from_name(name: &str) -> Result<Self> {
        CODECS
            .iter()
            .find(|entry| entry.name == name)
            .map(|entry| entry.codec)
            .ok_or_else(|| Error::unsupported(format!("codec {name:?}")))
    }

    /// Returns whether this build has the codec.
    pub fn is_available(self) -> bool {
        self.check_available().is_ok()
    }

    /// Returns whether the codec encodes values instead of compressing bytes.
    pub fn is_value_codec(self) -> bool {
        matches!(self, Codec::Pack | Codec::PackZstd)
    }

    /// Returns the levels of the codec, on its own scale; `None` if it has none.
    pub fn levels(self) -> Option<RangeInclusive<i32>> {
        match self {
            Codec::Deflate => Some(0..=12),
            Codec::Bzip2 => Some(1..=9),
            // Negative levels are faster; this is the minimum of zstd.
            Codec::Zstd | Codec::PackZstd => Some(-131_072..=22),
            Codec::Null | Codec::Snappy | Codec::Lz4 | Codec::Pack => None,
        }
    }

    /// Fails if the codec has levels and `level` is none of them.
    pub(crate) fn check_level(self, level: Option<i32>) -> Result<()> {
        let (Some(level), Some(levels)) = (level, self.levels()) else { return Ok(()) };
        if levels.contains(&level) {
            return Ok(());
        }
        let (first, last) = (levels.start(), levels.end());
        let what = format!("level {level} of codec {self}: its levels are {first} to {last}");
        Err(Error::invalid(what))
    }

    /// Returns a compressor at `level`, which codecs without levels ignore.
    pub(crate) fn compressor(self, level: Option<i32>) -> Result<Box<dyn Compress>> {
        self.check_level(level)?;
        Ok((self.make()?.compress)(level))
    }

    pub(crate) fn decompressor(self) -> Result<Box<dyn Decompress>> {
        Ok((self.make()?.decompress)())
    }

    fn entry(self) -> Option<&'static Entry> {
        CODECS.iter().find(|entry| entry.codec == self)
    }

    /// Fails if this build lacks the codec.
    pub(crate) fn check_available(self) -> Result<()> {
        match self.entry() {
            Some(Entry { name, feature, make: CodecForm::Missing, .. }) => {
                let feature = feature.unwrap_or(name);
                let what = format!("codec {name:?}: this build lacks the feature `{feature}`");
                Err(Error::unsupported(what))
            }
            _ => Ok(()),
        }
    }

    fn make(self) -> Result<&'static Make> {
        self.check_available()?;
        match self.entry().map(|entry| &entry.make) {
            Some(CodecForm::Bytes(make)) => Ok(make),
            _ => Err(Error::invalid(format!("codec {:?} encodes values, not bytes", self.name()))),
        }
    }
}

impl fmt::Display for Codec {
    /// Writes the name of the codec.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Codec {
    type Err = Error;

    /// Parses the name of a codec, as [`from_name`](Codec::from_name) does.
    fn from_str(name: &str) -> Result<Self> {
        Self::from_name(name)
    }
}

/// Reads a decompression stream to its end into `out`, which grows with the data. Stops one byte past `raw_len`,
/// which is an error.
#[cfg(any(
    feature = "bzip2",
    feature = "zstd",
    all(feature = "deflate", any(test, target_family = "wasm"))
))]
fn read_stream(stream: impl std::io::Read, raw_len: usize, out: &mut Vec<u8>) -> Result<()> {
    use std::io::Read;
    out.clear();
    let bound = (raw_len as u64).saturating_add(1);
    stream
        .take(bound)
        .read_to_end(out)
        .map_err(|e| Error::malformed(format!("compressed block: {e}")))?;
    check_len(out.len(), raw_len)
}

fn check_len(found: usize, expected: usize) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    let relation = if found > expected { "more than" } else { "not" };
    Err(Error::malformed(format!(
        "block decompresses to {relation} the {expected} bytes it announces"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> Vec<Vec<u8>> {
        let noise: Vec<u8> =
            (0..70_000u32).map(|i| i.wrapping_mul(2654435761).to_be_bytes()[1]).collect();
        vec![vec![], vec![7], vec![0; 100_000], b"abcabcabd".repeat(999), noise]
    }

    #[test]
    fn every_codec_brings_blocks_back_and_checks_their_length() {
        for codec in Codec::ALL.into_iter().filter(|c| c.is_available() && !c.is_value_codec()) {
            let (mut c, mut d) = (codec.compressor(None).unwrap(), codec.decompressor().unwrap());
            for raw in samples() {
                let mut stored = Vec::new();
                c.compress(&raw, &mut stored).unwrap();
                let mut out = vec![9; 5];
                d.decompress(&stored, raw.len(), &mut out).unwrap();
                assert_eq!(out, raw, "{codec:?}");
                for wrong in [raw.len() + 1, raw.len().wrapping_sub(1), raw.len() * 2 + 9] {
                    assert!(d.decompress(&stored, wrong, &mut out).is_err(), "{codec:?} {wrong}");
                }
                // A decompressor can be used again after an error.
                d.decompress(&stored, raw.len(), &mut out).unwrap();
                assert_eq!(out, raw, "{codec:?}");
            }
        }
    }

    /// What one module makes, the other reads.
    #[cfg(all(feature = "deflate", feature = "zstd", not(target_family = "wasm")))]
    #[test]
    fn portable_codecs_are_the_same() {
        type Codecs = [(fn(Option<i32>) -> Box<dyn Compress>, fn() -> Box<dyn Decompress>); 2];
        let codecs: [Codecs; 2] = [
            [
                (deflate::compressor, deflate::decompressor),
                (portable_deflate::compressor, portable_deflate::decompressor),
            ],
            [
                (zstd::compressor, zstd::decompressor),
                (portable_zstd::compressor, portable_zstd::decompressor),
            ],
        ];
        for [(ours, ours_back), (portable, portable_back)] in codecs {
            for (raw, level) in samples().into_iter().zip([None, Some(1), Some(3), Some(9), None]) {
                for (make, back) in [(ours, portable_back), (portable, ours_back)] {
                    let (mut stored, mut out) = (Vec::new(), vec![9; 5]);
                    make(level).compress(&raw, &mut stored).unwrap();
                    back().decompress(&stored, raw.len(), &mut out).unwrap();
                    assert_eq!(out, raw);
                    for wrong in [raw.len() + 1, raw.len().wrapping_sub(1)] {
                        assert!(back().decompress(&stored, wrong, &mut out).is_err());
                    }
                    let cut = stored.len() - 1;
                    assert!(
                        back().decompress(&stored[..cut], raw.len(), &mut out).is_err()
                            || raw.is_empty()
                    );
                }
            }
        }
    }

    #[test]
    fn empty_blocks_as_the_reference_writes_them() {
        assert!(Codec::Pack.compressor(None).is_err() && Codec::Pack.is_available());
        for (codec, expected) in [
            (Codec::Null, &[][..]),
            (Codec::Deflate, &[0x03, 0x00]),
            (Codec::Snappy, &[0x00]),
            (Codec::Bzip2, b"BZh9\x17\x72\x45\x38\x50\x90\x00\x00\x00\x00"),
        ] {
            if let Ok(mut c) = codec.compressor(None) {
                let mut out = Vec::new();
                c.compress(&[], &mut out).unwrap();
                assert_eq!(out, expected, "{codec:?}");
            }
        }
    }

    #[test]
    fn names_are_exact_and_missing_features_are_named() {
        assert_eq!(Codec::from_name("bzip2").unwrap(), Codec::Bzip2);
        assert!(Codec::from_name("Snappy").unwrap_err().to_string().contains("\"Snappy\""));
        for codec in Codec::ALL.into_iter().filter(|c| !c.is_available()) {
            let e = codec.check_available().unwrap_err().to_string();
            let feature = match codec {
                Codec::PackZstd => "zstd",
                other => other.name(),
            };
            assert!(e.contains(&format!("feature `{feature}`")), "{e}");
        }
    }
}
