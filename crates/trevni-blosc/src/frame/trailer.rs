//! The trailer of a frame: variable-length metalayers.
//!
//! ```text
//! 94 01                        array of 4, version 1
//! 93 ...                       metalayers; each value is a chunk
//! ce trailer_len               at 22 bytes before the end, its marker one before
//! d8 00 16 x 00                room for a fingerprint, which is never written
//! ```

use bytes::Bytes;

use super::metalayer::{self, Metalayer, MetalayerSection};
use crate::msgpack::{marked, put_marked};
use trevni::wire::Cursor;
use trevni::{Error, Result};

/// The size of the length and the fingerprint after the metalayers.
pub(super) const TAIL: usize = 23;

/// Bytes of a trailer without metalayers.
pub(super) const LEAST: usize = 35;

/// The trailer of a frame.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trailer {
    /// Named values, each a chunk.
    pub metalayers: Vec<Metalayer>,
}

impl Trailer {
    /// Returns the length of the trailer that ends with these bytes; it may be more than are here.
    ///
    /// # Errors
    /// `Malformed` if no trailer ends so.
    pub fn len_at_end(bytes: &[u8]) -> Result<usize> {
        let tail = bytes.last_chunk::<TAIL>().map_or(bytes, |tail| tail.as_slice());
        let len =
            u32::from_be_bytes(marked(&mut Cursor::new(tail), 0xce, "length of the trailer")?);
        usize::try_from(len)
            .ok()
            .filter(|len| *len >= LEAST)
            .ok_or_else(|| Error::malformed(format!("trailer of {len} bytes")))
    }

    /// Returns a trailer, from its first byte to its last.
    ///
    /// # Errors
    /// `Malformed`, or `Unsupported` for versions other than 1.
    pub fn parse(bytes: &Bytes) -> Result<Self> {
        let [version] = marked(&mut Cursor::new(bytes), 0x94, "trailer")?;
        if version != 1 {
            return Err(Error::unsupported(format!("trailer of version {version}")));
        }
        Ok(Self { metalayers: metalayer::parse(bytes, MetalayerSection::Trailer)? })
    }

    /// Appends the trailer.
    ///
    /// # Errors
    /// `Invalid` if there are too many metalayers, or their names are too long.
    pub fn put(&self, out: &mut Vec<u8>) -> Result<()> {
        let mut trailer = vec![0x94, 1];
        metalayer::put(&mut trailer, &self.metalayers, MetalayerSection::Trailer)?;
        let len = u32::try_from(trailer.len() + TAIL)
            .map_err(|_| Error::invalid("attributes of more than 4 GiB"))?;
        put_marked(&mut trailer, 0xce, &len.to_be_bytes());
        put_marked(&mut trailer, 0xd8, &[0; 17]);
        out.append(&mut trailer);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comes_back() {
        let layer = Metalayer { name: "k".into(), content: Bytes::from_static(b"chunk") };
        for metalayers in [vec![], vec![layer]] {
            let trailer = Trailer { metalayers };
            let mut out = b"before".to_vec();
            trailer.put(&mut out).unwrap();
            let len = Trailer::len_at_end(&out).unwrap();
            assert_eq!(out.len(), 6 + len);
            let bytes = Bytes::from(out).slice(6..);
            assert_eq!(Trailer::parse(&bytes).unwrap(), trailer);
        }
    }

    #[test]
    fn refuses_other_versions_and_lengths() {
        let mut out = Vec::new();
        Trailer::default().put(&mut out).unwrap();
        assert_eq!(out.len(), LEAST);
        assert!(Trailer::len_at_end(&out[..22]).is_err());
        out[16] = 34;
        assert!(Trailer::len_at_end(&out).unwrap_err().to_string().contains("34 bytes"));
        out[1] = 0;
        assert!(Trailer::parse(&out.into()).unwrap_err().to_string().contains("version 0"));
    }
}
