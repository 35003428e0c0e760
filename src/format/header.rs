//! The header: what a file holds, and where each column starts.
//!
//! ```text
//! 54 72 76 02               'T' 'r' 'v' version
//! fixed64                   rows
//! fixed32                   columns
//! metadata                  of the file
//! metadata ...              of each column
//! fixed64 ...               where each column starts, from the start of the file
//! ```
//! Versions 0 and 1 differ only in what a writer may use: 0 has no null type, no arrays and no parents, 1 no
//! runs in array lengths. One reader serves all three. (Specification: "File Format".)

use bytes::Bytes;

use super::column_metadata::ColumnMetadata;
use super::metadata::Metadata;
use crate::checksum::Checksum;
use crate::codec::Codec;
use crate::error::{Error, Result};
use crate::keys::{CHECKSUM, CODEC};
use crate::wire::{self, Cursor};

const MAGIC: [u8; 3] = *b"Trv";

/// The version of the format that a file is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Version {
    /// Before arrays; only for reading.
    V0,
    /// Array lengths are written one by one.
    V1,
    /// Runs of array lengths 0 and 1 are written as one number.
    #[default]
    V2,
}

impl Version {
    /// Returns the fourth byte of a file.
    pub fn number(self) -> u8 {
        match self {
            Version::V0 => 0,
            Version::V1 => 1,
            Version::V2 => 2,
        }
    }

    fn from_number(number: u8) -> Result<Self> {
        match number {
            0 => Ok(Version::V0),
            1 => Ok(Version::V1),
            2 => Ok(Version::V2),
            _ => Err(Error::unsupported(format!("Trevni version {number}"))),
        }
    }
}

/// The header of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Header {
    /// The version of the format.
    pub version: Version,
    /// Rows in the file.
    pub rows: u64,
    /// Metadata of the file.
    pub metadata: Metadata,
    /// The columns, in file order.
    pub columns: Vec<ColumnMetadata>,
    /// Where each column starts.
    pub(crate) starts: Vec<u64>,
}

impl Header {
    /// Returns where a column starts in the file, in bytes.
    pub fn start(&self, column: usize) -> Option<u64> {
        self.starts.get(column).copied()
    }

    /// Returns the codec of a column: its own, or the file's, or `null`.
    pub fn codec(&self, column: usize) -> Result<Codec> {
        let own = self.columns.get(column).map(ColumnMetadata::codec).transpose()?.flatten();
        Ok(own
            .map_or_else(|| self.metadata.codec(), |codec| Ok(Some(codec)))?
            .unwrap_or(Codec::Null))
    }

    /// Returns the checksum of a column: its own, or the file's, or `null`.
    pub fn checksum(&self, column: usize) -> Result<Checksum> {
        let own = self.columns.get(column).map(ColumnMetadata::checksum).transpose()?.flatten();
        let inherited =
            own.map_or_else(|| self.metadata.checksum(), |checksum| Ok(Some(checksum)))?;
        Ok(inherited.unwrap_or(Checksum::Null))
    }

    pub(crate) fn set_codec(&mut self, codec: Codec) {
        self.metadata.put(CODEC, codec.name());
    }

    pub(crate) fn set_checksum(&mut self, checksum: Checksum) {
        match checksum {
            Checksum::Null => self.metadata.remove(CHECKSUM),
            other => self.metadata.put(CHECKSUM, other.name()),
        }
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        out.extend_from_slice(&MAGIC);
        out.push(self.version.number());
        wire::put_fixed64(out, self.rows);
        let columns = u32::try_from(self.columns.len());
        let columns = columns.map_err(|_| Error::invalid("more columns than 32 bits count"))?;
        wire::put_fixed32(out, columns);
        self.metadata.write(out);
        self.columns.iter().for_each(|column| column.write(out));
        self.starts.iter().for_each(|start| wire::put_fixed64(out, *start));
        Ok(())
    }

    /// Reads a header from the start of a file. If `bytes` is only a prefix of it, the error is a truncated one
    /// ([`is_truncated`](Error::is_truncated)).
    pub(crate) fn read(bytes: &[u8]) -> Result<Self> {
        let mut cursor = Cursor::new(bytes);
        let [magic @ .., version] = cursor.array::<4>("magic")?;
        if magic != MAGIC {
            return Err(Error::malformed("not a Trevni file: it does not start with \"Trv\"").at(0));
        }
        let version = Version::from_number(version).map_err(|e| e.at(3))?;
        let rows = cursor.fixed64("row count")?;
        let columns = cursor.fixed32("column count")?;
        // The metadata share one copy of their bytes, not all that was read.
        let start = bytes.len() - cursor.remaining();
        (0..=columns).try_for_each(|_| Metadata::skip(&mut cursor))?;
        let end = bytes.len() - cursor.remaining();
        let source = Bytes::copy_from_slice(bytes.get(..end).unwrap_or_default());
        let mut pairs = Cursor::new(&source);
        pairs.take(start, "start of the header")?;
        let metadata = Metadata::read(&mut pairs, &source)?;
        let read = |_| ColumnMetadata::read(&mut pairs, &source);
        let columns = (0..columns).map(read).collect::<Result<Vec<_>>>()?;
        let starts =
            columns.iter().map(|_| cursor.fixed64("column start")).collect::<Result<Vec<_>>>()?;
        let header = Self { version, rows, metadata, columns, starts };
        header.check_starts(cursor.position())?;
        Ok(header)
    }

    /// Columns follow the header in order, and each has at least its block count.
    fn check_starts(&self, end: u64) -> Result<()> {
        let mut least = end;
        for (start, column) in self.starts.iter().zip(&self.columns) {
            if *start < least {
                let what = format!("starts at {start}, inside what is before it");
                return Err(Error::malformed(what).in_column(column.name()));
            }
            least = start.saturating_add(4);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::value::ValueType;

    /// The example of `spec/trevni.md`.
    const EXAMPLE: &[u8] = b"Trv\x02\x03\0\0\0\0\0\0\0\x01\0\0\0\0\x04\x16trevni.name\x02a\x16trevni.type\x06int\x38\0\0\0\0\0\0\0";

    #[test]
    fn goes_both_ways() {
        let header = Header {
            version: Version::V2,
            rows: 3,
            metadata: Metadata::new(),
            columns: vec![ColumnMetadata::new("a", ValueType::Int)],
            starts: vec![0x38],
        };
        let mut out = Vec::new();
        header.write(&mut out).unwrap();
        assert_eq!(out, EXAMPLE);
        assert_eq!(Header::read(EXAMPLE).unwrap(), header);
    }

    #[test]
    fn refuses_other_magic_and_short_input() {
        for n in 0..EXAMPLE.len() {
            assert!(Header::read(&EXAMPLE[..n]).unwrap_err().is_truncated(), "{n}");
        }
        let mut other = EXAMPLE.to_vec();
        other[3] = 3;
        assert_eq!(
            Header::read(&other).unwrap_err().to_string(),
            "offset 3: unsupported: Trevni version 3"
        );
        other[..3].copy_from_slice(b"XYZ");
        assert!(Header::read(&other).unwrap_err().to_string().contains("not a Trevni file"));
        let mut inside = EXAMPLE.to_vec();
        inside[48] = 0x37;
        assert!(Header::read(&inside).unwrap_err().to_string().contains("inside"));
    }
}
