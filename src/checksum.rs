//! Checksums of blocks.
//!
//! ```text
//! null     nothing
//! crc32    CRC-32 of the block before compression, 4 bytes, high byte first
//! crc-32   the specification's name for it; taken on reading with either byte order, never written
//! crc32-stored   CRC-32 of the block as it is stored, 4 bytes, high byte first; of this crate
//! ```
//! The specification names the algorithm `crc-32` and stores it as fixed32, low byte first. The reference
//! implementation names it `crc32` and stores it high byte first; this crate writes that. With codec `null` the
//! reference stores 0 in place of the checksum: such a block is read and reported as [`Verdict::NotChecked`].
//! (Specification: "Checksum algorithms".)

use byteorder::{BigEndian, ByteOrder, LittleEndian};

use crate::error::{Error, ErrorKind, Result};
use crate::wire::Cursor;

/// The checksum of the blocks of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Checksum {
    /// No checksum.
    Null,
    /// CRC-32, as the reference implementation writes it.
    #[default]
    Crc32,
    /// CRC-32 under the specification's name. It is only read.
    SpecifiedCrc32,
    /// CRC-32 of the block as it is stored. Blocks of the value codec have it. Only this crate reads it.
    StoredCrc32,
}

/// The result of verifying a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The column has no checksum.
    Absent,
    /// The checksum matches.
    Verified,
    /// The writer stored 0 in place of the checksum.
    NotChecked,
}

const NAMES: [(&str, Checksum); 4] = [
    ("null", Checksum::Null),
    ("crc32", Checksum::Crc32),
    ("crc-32", Checksum::SpecifiedCrc32),
    ("crc32-stored", Checksum::StoredCrc32),
];

impl Checksum {
    /// Returns the name in `trevni.checksum`.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(_, c)| *c == self).map_or("null", |(name, _)| name)
    }

    /// Returns the checksum of a name. Names are case-sensitive.
    pub fn from_name(name: &str) -> Result<Self> {
        NAMES
            .iter()
            .find(|(n, _)| *n == name)
            .map(|(_, c)| *c)
            .ok_or_else(|| Error::unsupported(format!("checksum {name:?}")))
    }

    /// Returns the size in bytes that follows each block.
    pub fn size(self) -> usize {
        match self {
            Checksum::Null => 0,
            Checksum::Crc32 | Checksum::SpecifiedCrc32 | Checksum::StoredCrc32 => 4,
        }
    }

    /// Returns whether the checksum is that of the stored block, not of the uncompressed one.
    pub fn is_of_stored(self) -> bool {
        self == Checksum::StoredCrc32
    }

    /// Appends the checksum of a block's data.
    pub(crate) fn put(self, data: &[u8], out: &mut Vec<u8>) {
        if self.size() > 0 {
            out.extend_from_slice(&self.of(data));
        }
    }

    /// Returns the bytes of the checksum.
    pub(crate) fn of(self, data: &[u8]) -> [u8; 4] {
        let mut bytes = [0; 4];
        BigEndian::write_u32(&mut bytes, crc32fast::hash(data));
        bytes
    }

    /// Compares the data of a block with the stored checksum. `plain` tells that its codec is `null`.
    pub(crate) fn verify(self, data: &[u8], stored: &[u8], plain: bool) -> Result<Verdict> {
        if self == Checksum::Null {
            return Ok(Verdict::Absent);
        }
        let stored: [u8; 4] = Cursor::new(stored).array("checksum")?;
        let computed = crc32fast::hash(data);
        let big = BigEndian::read_u32(&stored);
        if big == computed {
            return Ok(Verdict::Verified);
        }
        match self {
            Checksum::SpecifiedCrc32 if LittleEndian::read_u32(&stored) == computed => {
                Ok(Verdict::Verified)
            }
            Checksum::Crc32 if plain && big == 0 => Ok(Verdict::NotChecked),
            _ => Err(Error::new(ErrorKind::Checksum { stored: big, computed })),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_the_reference() {
        let data = [0x02, 0x01, 0xd8, 0x04];
        let mut out = Vec::new();
        Checksum::Crc32.put(&data, &mut out);
        assert_eq!(out, [0xc4, 0x03, 0xf6, 0xae]);
        assert_eq!(Checksum::Crc32.verify(&data, &out, false).unwrap(), Verdict::Verified);
        out.reverse();
        assert!(Checksum::Crc32.verify(&data, &out, true).is_err());
        assert_eq!(Checksum::SpecifiedCrc32.verify(&data, &out, false).unwrap(), Verdict::Verified);
        assert_eq!(Checksum::Crc32.verify(&data, &[0; 4], true).unwrap(), Verdict::NotChecked);
        assert!(Checksum::Crc32.verify(&data, &[0; 4], false).is_err());
        assert!(Checksum::SpecifiedCrc32.verify(&data, &[0; 4], true).is_err());
        assert!(Checksum::Crc32.verify(&data, &[1, 2], true).is_err());
        for bad in ["CRC32", "", "crc"] {
            assert!(Checksum::from_name(bad).is_err());
        }
    }
}
