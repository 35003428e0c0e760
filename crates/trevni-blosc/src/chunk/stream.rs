//! A stream: compressed bytes after their length.
//!
//! ```text
//! length n (i32)        then
//! n = full size         n stored bytes
//! n > 0                 n bytes of the compressor
//! n = 0                 nothing: zeros                         (second generation)
//! n < 0                 a token: bit 0 set, the byte -n repeats (second generation)
//! ```

use super::Generation;
use trevni::wire::Cursor;
use trevni::{Error, Result};

/// The stored form of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stream<'a> {
    Stored(&'a [u8]),
    Compressed(&'a [u8]),
    Run(u8),
}

impl<'a> Stream<'a> {
    /// Reads a stream of uncompressed size `len`.
    pub(super) fn take(
        cursor: &mut Cursor<'a>,
        generation: Generation,
        len: usize,
    ) -> Result<Self> {
        let length = cursor.fixed32("the length of a stream")?.cast_signed();
        match usize::try_from(length) {
            Ok(0) if generation == Generation::Blosc2 => Ok(Self::Run(0)),
            Ok(0) => Err(Error::malformed("an empty stream")),
            Ok(n) if n == len => Ok(Self::Stored(cursor.take(n, "a stream")?)),
            Ok(n) => Ok(Self::Compressed(cursor.take(n, "a stream")?)),
            Err(_) if generation == Generation::Blosc1 => {
                Err(Error::malformed(format!("a stream of {length} bytes")))
            }
            Err(_) => {
                let [token] = cursor.array("the token of a stream")?;
                if token & 1 == 0 {
                    return Err(Error::unsupported(format!("a stream of token {token}")));
                }
                u8::try_from(length.unsigned_abs())
                    .map(Self::Run)
                    .map_err(|_| Error::malformed(format!("a run of byte {length}")))
            }
        }
    }

    /// Returns the bytes of the stream with its length.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Stored(bytes) | Self::Compressed(bytes) => 4 + bytes.len(),
            Self::Run(0) => 4,
            Self::Run(_) => 5,
        }
    }

    /// Appends the stream; those of more than 2 GiB are not made.
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        match self {
            Self::Stored(bytes) | Self::Compressed(bytes) => {
                let length = i32::try_from(bytes.len()).unwrap_or(i32::MAX);
                out.extend_from_slice(&length.to_le_bytes());
                out.extend_from_slice(bytes);
            }
            Self::Run(byte) => {
                out.extend_from_slice(&(-i32::from(*byte)).to_le_bytes());
                if *byte > 0 {
                    out.push(1);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_go_both_ways() {
        for stream in [
            Stream::Stored(b"abc"),
            Stream::Compressed(b"abcd"),
            Stream::Run(0),
            Stream::Run(1),
            Stream::Run(255),
        ] {
            let mut out = Vec::new();
            stream.put(&mut out);
            assert_eq!(out.len(), stream.size());
            let take = |generation| Stream::take(&mut Cursor::new(&out), generation, 3);
            assert_eq!(take(Generation::Blosc2).unwrap(), stream);
            assert_eq!(take(Generation::Blosc1).is_err(), matches!(stream, Stream::Run(_)));
            for cut in 0..out.len() {
                let mut cursor = Cursor::new(&out[..cut]);
                assert!(Stream::take(&mut cursor, Generation::Blosc2, 3).is_err());
            }
        }
        let far = (-256_i32).to_le_bytes();
        let bytes = [&far[..], &[1]].concat();
        assert!(Stream::take(&mut Cursor::new(&bytes), Generation::Blosc2, 9).is_err());
        let bytes = [&[0xff; 4][..], &[2]].concat();
        assert!(Stream::take(&mut Cursor::new(&bytes), Generation::Blosc2, 9).is_err());
    }
}
