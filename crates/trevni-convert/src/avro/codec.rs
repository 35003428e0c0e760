//! The codecs of Avro's blocks.
//!
//! ```text
//! null      unchanged            deflate     raw RFC 1951           snappy      raw snappy, then CRC-32 of the rows, high byte first
//! bzip2     one stream           xz          one stream             zstandard   one or more frames
//! ```
//! The uncompressed size of a block is unknown, so the output is limited. (Avro specification: "Required Codecs",
//! "Optional Codecs".)

use std::io::{Read, Write};

use trevni::{Error, Result};

/// How a block's bytes are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Codec {
    Null,
    Deflate,
    Snappy,
    Bzip2,
    Xz,
    Zstandard,
}

const CODECS: [(Codec, &str); 6] = [
    (Codec::Null, "null"),
    (Codec::Deflate, "deflate"),
    (Codec::Snappy, "snappy"),
    (Codec::Bzip2, "bzip2"),
    (Codec::Xz, "xz"),
    (Codec::Zstandard, "zstandard"),
];

impl Codec {
    pub(super) fn name(self) -> &'static str {
        CODECS.iter().find(|(codec, _)| *codec == self).map_or("null", |(_, name)| name)
    }

    pub(super) fn from_name(name: &str) -> Result<Self> {
        let found = CODECS.iter().find(|(_, known)| *known == name);
        found.map(|(codec, _)| *codec).ok_or_else(|| {
            let all: Vec<_> = CODECS.iter().map(|(_, name)| *name).collect();
            Error::unsupported(format!("Avro codec {name:?}: there are {}", all.join(", ")))
        })
    }

    /// Replaces `out` by the compressed form of `raw`.
    pub(super) fn compress(self, raw: &[u8], out: &mut Vec<u8>) -> Result<()> {
        out.clear();
        match self {
            Codec::Null => out.extend_from_slice(raw),
            Codec::Deflate => {
                let mut to =
                    flate2::write::DeflateEncoder::new(out, flate2::Compression::default());
                to.write_all(raw)?;
                to.finish()?;
            }
            Codec::Snappy => {
                let compressed = snap::raw::Encoder::new().compress_vec(raw);
                *out = compressed.map_err(|e| Error::invalid(e.to_string()))?;
                out.extend_from_slice(&crc32fast::hash(raw).to_be_bytes());
            }
            Codec::Bzip2 => {
                let mut to = bzip2::write::BzEncoder::new(out, bzip2::Compression::default());
                to.write_all(raw)?;
                to.finish()?;
            }
            Codec::Xz => {
                let mut to = liblzma::write::XzEncoder::new(out, 6);
                to.write_all(raw)?;
                to.finish()?;
            }
            Codec::Zstandard => zstd::stream::copy_encode(raw, out, 0)?,
        }
        Ok(())
    }

    /// Decompresses `stored` into `out`, which is replaced, up to `most` bytes.
    pub(super) fn decompress(self, stored: &[u8], most: u64, out: &mut Vec<u8>) -> Result<()> {
        out.clear();
        match self {
            Codec::Null => {
                out.extend_from_slice(stored);
                Ok(())
            }
            Codec::Deflate => drain(flate2::read::DeflateDecoder::new(stored), most, out),
            Codec::Snappy => snappy(stored, most, out),
            Codec::Bzip2 => drain(bzip2::read::BzDecoder::new(stored), most, out),
            Codec::Xz => drain(liblzma::read::XzDecoder::new(stored), most, out),
            Codec::Zstandard => drain(zstd::stream::Decoder::new(stored)?, most, out),
        }
    }
}

fn drain(from: impl Read, most: u64, out: &mut Vec<u8>) -> Result<()> {
    let broken = |e: std::io::Error| Error::malformed(format!("a block's codec: {e}"));
    let n = from.take(most + 1).read_to_end(out).map_err(broken)? as u64;
    if n > most { Err(Error::too_large("a block without its codec", n, most)) } else { Ok(()) }
}

/// Snappy expands no more than this many times.
const SNAPPY_MOST: u64 = 64;

fn snappy(stored: &[u8], most: u64, out: &mut Vec<u8>) -> Result<()> {
    let broken = |what: String| Error::malformed(format!("a block's codec: {what}"));
    let Some((body, crc)) = stored.split_last_chunk::<4>() else {
        return Err(broken("no CRC-32 after snappy".to_owned()));
    };
    let size = snap::raw::decompress_len(body).map_err(|e| broken(e.to_string()))?;
    if size as u64 > SNAPPY_MOST * body.len() as u64 {
        return Err(broken(format!("snappy: {} bytes cannot be {size}", body.len())));
    }
    if size as u64 > most {
        return Err(Error::too_large("a block without its codec", size as u64, most));
    }
    out.resize(size, 0);
    snap::raw::Decoder::new().decompress(body, out).map_err(|e| broken(e.to_string()))?;
    let (stored, computed) = (u32::from_be_bytes(*crc), crc32fast::hash(out));
    if stored != computed {
        return Err(Error::new(trevni::ErrorKind::Checksum { stored, computed }));
    }
    Ok(())
}
