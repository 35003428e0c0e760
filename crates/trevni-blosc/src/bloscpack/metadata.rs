//! The metadata section: a JSON value, optionally compressed, with reserved room.
//!
//! ```text
//!           0   "JSON", four NULs
//!           8   0
//!           9   checksum          as of the chunks, see "digest"
//!          10   0 plain, 1 zlib
//!          11   level             of zlib; recorded even if zlib did not help
//! uint32   12   size              of the JSON
//! uint32   16   room              bytes until the checksum
//! uint32   20   stored            bytes in use
//!          24   eight NULs        for a codec of the user's
//!          32   stored bytes, NULs up to the room, checksum of the stored bytes
//! ```
//! Version 2 of the format has no such section: the metadata is plain JSON, whose size is in the header.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::DeflateEncoder;
use serde_json::Value;

use super::digest::Digest;
use super::properties::{MetadataProperties, Room};
use crate::json;
use trevni::wire::{Cursor, put_fixed32};
use trevni::{Error, Result};

/// Bytes of a section before the stored bytes.
pub(crate) const SECTION_HEADER_LEN: usize = 32;

/// The most bytes of JSON that are read: values take many times the memory of their text.
const MAX_JSON: u32 = 16 << 20;

const MAGIC: [u8; 8] = *b"JSON\0\0\0\0";

/// The header of the section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SectionHeader {
    /// The checksum after the reserved room.
    pub(crate) checksum: Digest,
    /// Whether the JSON is compressed.
    pub(crate) zlib: bool,
    /// How hard zlib tried.
    pub(crate) level: u8,
    /// Bytes of the JSON.
    pub(crate) size: u32,
    /// Bytes until the checksum.
    pub(crate) room: u32,
    /// Bytes in use.
    pub(crate) stored: u32,
    /// The name of a codec of the user's; means nothing to anyone so far.
    pub(crate) user_codec: [u8; 8],
}

impl SectionHeader {
    /// Reads the first 32 bytes of a section.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self> {
        let mut cursor = Cursor::new(bytes);
        let magic: [u8; 8] = cursor.array("metadata header")?;
        if magic != MAGIC {
            let name = String::from_utf8_lossy(&magic);
            return Err(Error::unsupported(format!("metadata of the kind {name:?}")));
        }
        let [options, checksum, codec, level] = cursor.array("metadata header")?;
        if options != 0 || codec > 1 {
            let found = format!("metadata with options {options} and codec {codec}");
            return Err(Error::unsupported(found));
        }
        let header = Self {
            checksum: Digest::from_number(checksum)?,
            zlib: codec == 1,
            level,
            size: cursor.fixed32("size of the metadata")?,
            room: cursor.fixed32("room of the metadata")?,
            stored: cursor.fixed32("stored size of the metadata")?,
            user_codec: cursor.array("user codec of the metadata")?,
        };
        match header.stored > header.room {
            true => Err(Error::malformed(format!(
                "metadata of {} bytes in a room of {}",
                header.stored, header.room
            ))),
            false => Ok(header),
        }
    }

    /// Appends the 32 bytes.
    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&MAGIC);
        out.extend([0, self.checksum.number(), u8::from(self.zlib), self.level]);
        put_fixed32(out, self.size);
        put_fixed32(out, self.room);
        put_fixed32(out, self.stored);
        out.extend_from_slice(&self.user_codec);
    }

    /// Returns the size of the section after its first 32 bytes.
    pub(crate) fn rest_len(&self) -> u64 {
        u64::from(self.room) + self.checksum.size() as u64
    }

    /// Returns the settings with which a section of the same size replaces this one.
    pub(crate) fn properties(&self) -> MetadataProperties {
        MetadataProperties {
            checksum: self.checksum,
            zlib: true,
            level: self.level,
            room: Room::Exactly(self.room.into()),
            user_codec: self.user_codec,
        }
    }
}

/// Parses the JSON value of a section and verifies its checksum.
pub(crate) fn open(header: &SectionHeader, rest: &[u8]) -> Result<Value> {
    let mut cursor = Cursor::new(rest);
    let stored = cursor.take(in_memory(header.stored), "metadata")?;
    cursor.take(in_memory(header.room - header.stored), "room of the metadata")?;
    header.checksum.check(stored, cursor.take(header.checksum.size(), "metadata checksum")?)?;
    if header.size > MAX_JSON {
        return Err(Error::too_large("metadata", header.size.into(), MAX_JSON.into()));
    }
    let inflated;
    let text = match header.zlib {
        true => {
            inflated = inflate(stored, header.size)?;
            &inflated
        }
        false => stored,
    };
    if text.len() as u64 != u64::from(header.size) {
        let found = format!("metadata of {} bytes, not of {}", text.len(), header.size);
        return Err(Error::malformed(found));
    }
    from_json(text)
}

/// Returns a section with this value.
pub(crate) fn seal(value: &Value, properties: &MetadataProperties) -> Result<Vec<u8>> {
    let text = json::text(value, json::TIGHT).into_bytes();
    let size = within_32_bits(text.len() as u64)?;
    let deflated = match properties.zlib {
        true => Some(deflate(&text, properties.level)?).filter(|bytes| bytes.len() <= text.len()),
        false => None,
    };
    let zlib = deflated.is_some();
    let stored = deflated.unwrap_or(text);
    let room = within_32_bits(properties.room.of(size.into()))?;
    let header = SectionHeader {
        checksum: properties.checksum,
        zlib,
        level: properties.level,
        size,
        room,
        stored: within_32_bits(stored.len() as u64)?,
        user_codec: properties.user_codec,
    };
    let Some(padding) = room.checked_sub(header.stored) else {
        return Err(Error::unsupported(format!(
            "the metadata needs {} bytes, but its section has room for {room}",
            header.stored
        )));
    };
    let mut out = Vec::with_capacity(SECTION_HEADER_LEN + stored.len());
    header.put(&mut out);
    out.extend_from_slice(&stored);
    out.resize(out.len() + in_memory(padding), 0);
    out.extend(properties.checksum.of(&stored));
    Ok(out)
}

/// Returns the value of a JSON text.
pub(crate) fn from_json(text: &[u8]) -> Result<Value> {
    serde_json::from_slice(text).map_err(|e| Error::malformed(format!("metadata is no JSON: {e}")))
}

/// At most one byte more than `size`, whatever the stream claims.
fn inflate(stored: &[u8], size: u32) -> Result<Vec<u8>> {
    let mut text = Vec::new();
    ZlibDecoder::new(stored)
        .take(u64::from(size) + 1)
        .read_to_end(&mut text)
        .map_err(|e| Error::malformed(format!("metadata does not inflate: {e}")))?;
    Ok(text)
}

/// Returns a zlib stream as zlib itself would write it. Ours finds matches of three bytes, which are most of those
/// in a short text, at its highest level only; so that is used whatever the level, which is left to the stream's
/// header to tell.
fn deflate(text: &[u8], level: u8) -> Result<Vec<u8>> {
    let flags = match level {
        0 | 1 => 0x01,
        2..=5 => 0x5e,
        6 => 0x9c,
        _ => 0xda,
    };
    let effort = if level == 0 { Compression::none() } else { Compression::best() };
    let mut encoder = DeflateEncoder::new(vec![0x78, flags], effort);
    encoder.write_all(text)?;
    let mut out = encoder.finish()?;
    out.extend(simd_adler32::adler32(&text).to_be_bytes());
    Ok(out)
}

fn within_32_bits(size: u64) -> Result<u32> {
    u32::try_from(size).map_err(|_| Error::too_large("metadata section", size, u64::from(u32::MAX)))
}

fn in_memory(size: u32) -> usize {
    usize::try_from(size).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::cast_possible_truncation)]

    use super::*;
    use serde_json::json;

    fn opened(section: &[u8]) -> Result<Value> {
        let (head, rest) = section.split_at(SECTION_HEADER_LEN);
        open(&SectionHeader::parse(head)?, rest)
    }

    #[test]
    fn comes_back_whatever_the_settings() {
        let long = json!({"text": "na ".repeat(200), "n": [1, 2.5, null]});
        for value in [long, json!({"a": 1}), json!(7), json!({})] {
            for zlib in [true, false] {
                for (level, checksum) in
                    [(6, Digest::Adler32), (0, Digest::Sha1), (9, Digest::None)]
                {
                    let properties =
                        MetadataProperties { checksum, zlib, level, ..Default::default() };
                    let section = seal(&value, &properties).unwrap();
                    assert_eq!(opened(&section).unwrap(), value);
                    let head = SectionHeader::parse(&section).unwrap();
                    assert_eq!(head.rest_len() as usize + SECTION_HEADER_LEN, section.len());
                    assert_eq!(head.level, level);
                    assert_eq!(head.room, head.size * 10);
                    assert!(!head.zlib || head.stored <= head.size);
                    assert_eq!(seal(&value, &head.properties()).unwrap().len(), section.len());
                }
            }
        }
    }

    #[test]
    fn what_is_too_long_for_its_room_is_refused() {
        let properties = MetadataProperties { room: Room::Exactly(6), ..Default::default() };
        let e = seal(&json!({"a": 1}), &properties).unwrap_err();
        assert!(e.to_string().contains("needs 7 bytes, but its section has room for 6"), "{e}");
    }

    #[test]
    fn damage_is_found() {
        let value = json!({"text": "na ".repeat(200)});
        let section = seal(&value, &MetadataProperties::default()).unwrap();
        let changed = |at: usize, bytes: &[u8]| {
            let mut section = section.clone();
            section[at..at + bytes.len()].copy_from_slice(bytes);
            opened(&section).unwrap_err().to_string()
        };
        assert!(changed(0, b"YAML").contains("metadata of the kind \"YAML"));
        assert!(changed(8, &[1]).contains("options 1"));
        assert!(changed(10, &[2]).contains("codec 2"));
        assert!(changed(12, &[1, 0, 0, 0]).contains("of 2 bytes, not of 1"));
        assert!(changed(12, &[0xff; 4]).contains("too large"));
        assert!(changed(12, &[0xff, 0xff, 0, 0]).contains("not of 65535"));
        assert!(changed(16, &[1, 0, 0, 0]).contains("in a room of 1"));
        assert!(changed(16, &[0xff; 4]).contains("short of room"));
        assert!(changed(20, &[1, 0, 0, 0]).contains("checksum mismatch"));
        assert!(changed(40, &[0]).contains("checksum mismatch"));
        for cut in SECTION_HEADER_LEN..section.len() {
            assert!(opened(&section[..cut]).unwrap_err().is_truncated());
        }
    }

    #[test]
    fn claims_of_the_deflated_take_no_memory() {
        let bomb = deflate(&vec![b' '; 30 << 20], 9).unwrap();
        let header = SectionHeader {
            checksum: Digest::None,
            zlib: true,
            level: 9,
            size: 100,
            room: bomb.len() as u32,
            stored: bomb.len() as u32,
            user_codec: [0; 8],
        };
        let e = open(&header, &bomb).unwrap_err();
        assert!(e.to_string().contains("101 bytes, not of 100"), "{e}");
    }
}
