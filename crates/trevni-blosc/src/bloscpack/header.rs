//! The header of a file: 32 bytes, in three versions.
//!
//! ```text
//!          0   'b' 'l' 'p' 'k'
//!          4   version
//!               1 (carray proposal)       2 (RFC, Blaze)          3 (bloscpack 0.16)
//!          5   checksum                  options                 options: 1 offsets, 2 metadata
//!          6   has offsets               checksum                checksum
//!          7   0                         typesize                typesize
//! int32    8   chunk size                chunk size              chunk size          -1: not known
//! int32   12   0                         last chunk              last chunk          -1: not known
//! int64   16   file size                 chunks                  chunks              -1: not known
//! int64   24   chunks                    uint32 metadata size,   spare offset slots
//!                                        uint32 0
//! ```
//! All numbers have their low byte first. Only version 3 was ever written by a released program; of the other
//! two there are the documents. There is also a header of 16 bytes that calls itself version 1 (`blpk`, 1,
//! three zeros, int64 chunks): that of the chunk files in directories of carray and bcolz. It is not read here.

use super::digest::Digest;
use trevni::wire::{Cursor, put_fixed32, put_fixed64};
use trevni::{Error, Result};

/// Bytes of a header, in all three versions.
pub(crate) const HEADER_LEN: usize = 32;

const MAGIC: [u8; 4] = *b"blpk";
const OFFSETS: u8 = 1;
const METADATA: u8 = 2;

/// The version of the format, with the field that only it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    /// The first proposal.
    V1 {
        /// The size of "the file" in bytes; the document does not specify before or after compression.
        file_size: u64,
    },
    /// The RFC, and Blaze's document.
    V2 {
        /// Bytes of the metadata, which is bare JSON.
        meta_size: u32,
    },
    /// What bloscpack writes.
    V3 {
        /// Slots of the offsets table that wait for chunks.
        max_app_chunks: u64,
    },
}

/// The header of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Header {
    /// The version.
    pub(crate) version: Version,
    /// Whether the file has a table of offsets.
    pub(crate) has_offsets: bool,
    /// Whether the file has metadata.
    pub(crate) has_metadata: bool,
    /// What follows each chunk.
    pub(crate) checksum: Digest,
    /// The size of an element; 0 in version 1, which does not record it.
    pub(crate) typesize: u8,
    /// The uncompressed size of all chunks but the last, if known.
    pub(crate) chunk_size: Option<u32>,
    /// The uncompressed size of the last chunk, if known.
    pub(crate) last_chunk: Option<u32>,
    /// How many chunks there are, if known.
    pub(crate) nchunks: Option<u64>,
}

impl Header {
    /// Reads the header at the start of `bytes`.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self> {
        let mut cursor = Cursor::new(bytes);
        let magic: [u8; 4] = cursor.array("Bloscpack header")?;
        if magic != MAGIC {
            return Err(Error::malformed(format!("not a Bloscpack file: it begins {magic:02x?}")));
        }
        let [version] = cursor.array("Bloscpack version")?;
        let header = match version {
            1 => Self::parse_v1(&mut cursor)?,
            2 | 3 => Self::parse_v2_or_v3(version, &mut cursor)?,
            other => return Err(Error::unsupported(format!("Bloscpack version {other}"))),
        };
        header.check()?;
        Ok(header)
    }

    /// Appends the header; the twin of [`parse`](Header::parse).
    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&MAGIC);
        match self.version {
            Version::V1 { file_size } => {
                out.extend([1, self.checksum.number(), u8::from(self.has_offsets), 0]);
                put_size(out, self.chunk_size);
                put_fixed32(out, 0);
                put_fixed64(out, file_size);
                put_count(out, self.nchunks);
            }
            Version::V2 { meta_size } => {
                self.put_v2_or_v3(2, out);
                put_fixed32(out, meta_size);
                put_fixed32(out, 0);
            }
            Version::V3 { max_app_chunks } => {
                self.put_v2_or_v3(3, out);
                put_fixed64(out, max_app_chunks);
            }
        }
    }

    fn parse_v1(cursor: &mut Cursor<'_>) -> Result<Self> {
        let [checksum, has_offsets, _] = cursor.array("Bloscpack header")?;
        let chunk_size = size(cursor, "chunk size")?;
        let _reserved = cursor.fixed32("Bloscpack header")?;
        let file_size = cursor.fixed64("Bloscpack file size")?;
        Ok(Self {
            version: Version::V1 { file_size },
            has_offsets: has_offsets != 0,
            has_metadata: false,
            checksum: Digest::from_number(checksum)?,
            typesize: 0,
            chunk_size,
            last_chunk: None,
            nchunks: count(cursor)?,
        })
    }

    /// Both have the same fields but for the last eight bytes.
    fn parse_v2_or_v3(version: u8, cursor: &mut Cursor<'_>) -> Result<Self> {
        let [options, checksum, typesize] = cursor.array("Bloscpack header")?;
        if options & !(OFFSETS | METADATA) != 0 {
            return Err(Error::unsupported(format!("Bloscpack options {options:#010b}")));
        }
        Ok(Self {
            has_offsets: options & OFFSETS != 0,
            has_metadata: options & METADATA != 0,
            checksum: Digest::from_number(checksum)?,
            typesize,
            chunk_size: size(cursor, "chunk size")?,
            last_chunk: size(cursor, "size of the last chunk")?,
            nchunks: count(cursor)?,
            version: match version {
                2 => {
                    let meta_size = cursor.fixed32("size of the metadata")?;
                    let _reserved = cursor.fixed32("Bloscpack header")?;
                    Version::V2 { meta_size }
                }
                _ => Version::V3 { max_app_chunks: cursor.fixed64("spare offset slots")? },
            },
        })
    }

    fn put_v2_or_v3(&self, version: u8, out: &mut Vec<u8>) {
        let option = |there, bit| if there { bit } else { 0 };
        let options = option(self.has_offsets, OFFSETS) | option(self.has_metadata, METADATA);
        out.extend([version, options, self.checksum.number(), self.typesize]);
        put_size(out, self.chunk_size);
        put_size(out, self.last_chunk);
        put_count(out, self.nchunks);
    }

    fn check(&self) -> Result<()> {
        if let (Some(chunk), Some(last)) = (self.chunk_size, self.last_chunk)
            && last > chunk
        {
            return Err(Error::malformed(format!(
                "the last chunk is of {last} bytes, the others of {chunk}"
            )));
        }
        self.slots().map(|_| ())
    }

    /// Returns the number of slots of the offset table, including spare ones.
    pub(crate) fn slots(&self) -> Result<u64> {
        let spare = match self.version {
            Version::V3 { max_app_chunks } => max_app_chunks,
            _ => 0,
        };
        if !self.has_offsets {
            return Ok(0);
        }
        match self.nchunks {
            Some(chunks) => chunks
                .checked_add(spare)
                .filter(|slots| i64::try_from(*slots).is_ok())
                .ok_or_else(|| Error::malformed(format!("{chunks} chunks and {spare} spare"))),
            None => Err(Error::malformed("a table of offsets of an unknown number of chunks")),
        }
    }

    /// Returns the total uncompressed size, if the header has it.
    pub(crate) fn total(&self) -> Result<Option<u64>> {
        if let Version::V1 { .. } = self.version {
            return Ok(None);
        }
        let (Some(chunk), Some(last), Some(chunks)) =
            (self.chunk_size, self.last_chunk, self.nchunks)
        else {
            return Ok(None);
        };
        let Some(full) = chunks.checked_sub(1) else { return Ok(Some(0)) };
        let total = full.checked_mul(u64::from(chunk)).and_then(|n| n.checked_add(last.into()));
        total.map(Some).ok_or_else(|| Error::malformed(format!("{chunks} chunks of {chunk} bytes")))
    }
}

fn size(cursor: &mut Cursor<'_>, what: &'static str) -> Result<Option<u32>> {
    match cursor.fixed32(what)?.cast_signed() {
        -1 => Ok(None),
        size => u32::try_from(size)
            .map(Some)
            .map_err(|_| Error::malformed(format!("{what} {size} is negative"))),
    }
}

fn put_size(out: &mut Vec<u8>, size: Option<u32>) {
    put_fixed32(out, size.unwrap_or(u32::MAX));
}

fn count(cursor: &mut Cursor<'_>) -> Result<Option<u64>> {
    match cursor.fixed64("number of chunks")?.cast_signed() {
        -1 => Ok(None),
        count => u64::try_from(count)
            .map(Some)
            .map_err(|_| Error::malformed(format!("number of chunks {count} is negative"))),
    }
}

fn put_count(out: &mut Vec<u8>, count: Option<u64>) {
    put_fixed64(out, count.unwrap_or(u64::MAX));
}

#[cfg(test)]
mod tests {
    #![allow(clippy::cast_possible_truncation)]

    use super::*;

    const V3: Header = Header {
        version: Version::V3 { max_app_chunks: 30 },
        has_offsets: true,
        has_metadata: true,
        checksum: Digest::Crc32,
        typesize: 8,
        chunk_size: Some(4096),
        last_chunk: Some(100),
        nchunks: Some(3),
    };

    fn bytes(header: &Header) -> Vec<u8> {
        let mut out = Vec::new();
        header.put(&mut out);
        out
    }

    #[test]
    fn every_version_comes_back() {
        let unknown = Header { chunk_size: None, last_chunk: None, nchunks: None, ..V3 };
        let v1 = Header {
            version: Version::V1 { file_size: 1 << 40 },
            has_metadata: false,
            typesize: 0,
            last_chunk: None,
            ..V3
        };
        for header in [
            V3,
            Header { has_offsets: false, ..unknown.clone() },
            Header { version: Version::V2 { meta_size: 17 }, ..V3 },
            v1.clone(),
        ] {
            let bytes = bytes(&header);
            assert_eq!(bytes.len(), HEADER_LEN);
            assert_eq!(Header::parse(&bytes).unwrap(), header);
            assert!(Header::parse(&bytes[..31]).unwrap_err().is_truncated());
        }
        assert_eq!(V3.total().unwrap(), Some(2 * 4096 + 100));
        assert_eq!(V3.slots().unwrap(), 33);
        assert_eq!(v1.total().unwrap(), None);
        assert_eq!(Header { nchunks: Some(0), ..V3 }.total().unwrap(), Some(0));
    }

    #[test]
    fn refuses_what_cannot_be() {
        let refused = |at: usize, value: &[u8]| {
            let mut bytes = bytes(&V3);
            bytes[at..at + value.len()].copy_from_slice(value);
            Header::parse(&bytes).unwrap_err().to_string()
        };
        assert!(refused(0, b"blpq").contains("not a Bloscpack file"));
        assert!(refused(4, &[4]).contains("version 4"));
        assert!(refused(5, &[7]).contains("options 0b00000111"));
        assert!(refused(6, &[9]).contains("checksum number 9"));
        assert!(refused(8, &(-2i32).to_le_bytes()).contains("chunk size -2"));
        assert!(refused(12, &5000i32.to_le_bytes()).contains("the last chunk is of 5000"));
        assert!(refused(16, &(-2i64).to_le_bytes()).contains("chunks -2"));
        assert!(refused(16, &[0xff; 8]).contains("unknown number"));
        assert!(refused(24, &[0xff; 8]).contains("spare"));
        assert!(refused(24, &i64::MAX.to_le_bytes()).contains("spare"));
        let many = Header { nchunks: Some(i64::MAX as u64), has_offsets: false, ..V3 };
        let e = Header::parse(&bytes(&many)).unwrap().total().unwrap_err();
        assert!(e.to_string().contains("chunks of 4096 bytes"), "{e}");
    }
}
