//! Reads the header, the metadata and the offsets of a file; what they omit is found in the headers of the chunks.
//!
//! ```text
//! 0        32                                        end
//! │ header │ metadata section │ offsets, spare slots │ chunk, checksum ...
//! ```
//! Opening a file reads this much, and the header of each chunk only if there are no offsets or no sizes.

use std::io::{self, Read, Write};

use serde_json::Value;

use super::header::{HEADER_LEN, Header, Version};
use super::metadata::{self, SECTION_HEADER_LEN, SectionHeader};
use super::offsets::{self, OFFSET_LEN};
use crate::chunk;
use trevni::io::{ReadAt, read_within};
use trevni::{Error, Result};

/// The uncompressed size of each chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Sizes {
    /// All as many, the last perhaps fewer.
    Even {
        /// Each but the last.
        chunk: u64,
        /// The last.
        last: u64,
    },
    /// Each its own.
    Uneven(Vec<u64>),
}

impl Sizes {
    fn of(all: Vec<u64>) -> Self {
        match all.split_last() {
            None => Sizes::Even { chunk: 0, last: 0 },
            Some((last, others)) => match others.first().unwrap_or(last) {
                chunk if last <= chunk && others.iter().all(|size| size == chunk) => {
                    Sizes::Even { chunk: *chunk, last: *last }
                }
                _ => Sizes::Uneven(all),
            },
        }
    }

    /// Returns the uncompressed size of a chunk, given the number of chunks.
    pub(crate) fn get(&self, number: usize, count: usize) -> u64 {
        match self {
            Sizes::Even { last, .. } if number + 1 == count => *last,
            Sizes::Even { chunk, .. } => *chunk,
            Sizes::Uneven(all) => all.get(number).copied().unwrap_or(0),
        }
    }

    /// Returns the end of each chunk in the uncompressed bytes, given the number of chunks.
    pub(crate) fn ends(&self, count: usize) -> impl Iterator<Item = u64> {
        (0..count).scan(0u64, move |end, number| {
            *end = end.saturating_add(self.get(number, count));
            Some(*end)
        })
    }
}

/// The start of a file: header, metadata and chunk offsets.
#[derive(Debug)]
pub(crate) struct Beginning {
    /// The header.
    pub(crate) header: Header,
    /// The header of the metadata section; version 2 has none.
    pub(crate) section: Option<SectionHeader>,
    /// The metadata.
    pub(crate) metadata: Option<Value>,
    /// Where each chunk starts in the file.
    pub(crate) starts: Vec<u64>,
    /// The uncompressed size of each chunk.
    pub(crate) sizes: Sizes,
    /// Where the offsets end.
    pub(crate) end: u64,
}

impl Beginning {
    /// Reads the start of a file of this length.
    pub(crate) fn read(source: &impl ReadAt, file_len: u64) -> Result<Self> {
        let bytes = read_within(source, file_len, 0, HEADER_LEN as u64, "Bloscpack header")?;
        refuse_carray(&bytes)?;
        let header = Header::parse(&bytes)?;
        let (section, metadata, table) = read_metadata(source, file_len, &header)?;
        let slots = header.slots()?;
        let end = slots.checked_mul(OFFSET_LEN).and_then(|len| table.checked_add(len));
        let end = end.filter(|end| *end <= file_len).ok_or_else(|| {
            Error::malformed(format!("a table of {slots} offsets is past the end"))
        })?;
        let used = if header.has_offsets { header.nchunks.unwrap_or(0) } else { 0 };
        let table = read_within(source, file_len, table, used * OFFSET_LEN, "offsets")?;
        let known = match header.has_offsets {
            true => offsets::parse(&table, end, file_len)?,
            false => None,
        };
        let (starts, headers) = match known {
            Some(starts) => (starts, None),
            None => {
                let digest_len = header.checksum.size() as u64;
                let found = offsets::walk(source, file_len, end, digest_len, header.nchunks)?;
                let (starts, headers): (_, Vec<_>) = found.into_iter().unzip();
                (starts, Some(headers))
            }
        };
        let sizes = read_sizes(source, file_len, &header, &starts, headers)?;
        Ok(Self { header, section, metadata, starts, sizes, end })
    }
}

/// Writes the start of a file: the header, a metadata section, the offsets and spare slots.
pub(crate) fn put(
    to: &mut impl Write,
    header: &Header,
    section: &[u8],
    starts: &[u64],
) -> Result<()> {
    let mut bytes = Vec::with_capacity(HEADER_LEN);
    header.put(&mut bytes);
    bytes.extend_from_slice(section);
    if header.has_offsets {
        offsets::put(starts, &mut bytes);
    }
    to.write_all(&bytes)?;
    let spare = header.slots()?.saturating_sub(starts.len() as u64);
    io::copy(&mut io::repeat(0xff).take(spare.saturating_mul(OFFSET_LEN)), to)?;
    Ok(())
}

/// Returns the metadata, and where it ends.
fn read_metadata(
    source: &impl ReadAt,
    file_len: u64,
    header: &Header,
) -> Result<(Option<SectionHeader>, Option<Value>, u64)> {
    let start = HEADER_LEN as u64;
    if !header.has_metadata {
        return Ok((None, None, start));
    }
    if let Version::V2 { meta_size } = header.version {
        let text = read_within(source, file_len, start, meta_size.into(), "metadata")?;
        let value = metadata::from_json(&text).map_err(|e| e.at(start))?;
        return Ok((None, Some(value), start + u64::from(meta_size)));
    }
    let head = read_within(source, file_len, start, SECTION_HEADER_LEN as u64, "metadata header")?;
    let section = SectionHeader::parse(&head).map_err(|e| e.at(start))?;
    let (start, len) = (start + SECTION_HEADER_LEN as u64, section.rest_len());
    let rest = read_within(source, file_len, start, len, "metadata")?;
    let value = metadata::open(&section, &rest).map_err(|e| e.at(start))?;
    Ok((Some(section), Some(value), start + len))
}

/// Returns the sizes of the header, or else those of the chunks.
fn read_sizes(
    source: &impl ReadAt,
    file_len: u64,
    header: &Header,
    starts: &[u64],
    headers: Option<Vec<chunk::Header>>,
) -> Result<Sizes> {
    if header.total()?.is_some()
        && let (Some(chunk), Some(last)) = (header.chunk_size, header.last_chunk)
    {
        return Ok(Sizes::Even { chunk: chunk.into(), last: last.into() });
    }
    let headers = match headers {
        Some(headers) => headers,
        None => {
            let read = |start: &u64| offsets::chunk_header(source, file_len, *start);
            starts.iter().map(read).collect::<Result<_>>()?
        }
    };
    let all: Vec<_> = headers.iter().map(|header| u64::from(header.nbytes)).collect();
    if let Version::V1 { file_size } = header.version {
        let total: u64 = all.iter().sum();
        if file_size != total && file_size != file_len {
            return Err(Error::malformed(format!(
                "a file of {file_len} bytes, and {total} in its chunks, claims {file_size} bytes"
            )));
        }
    }
    Ok(Sizes::of(all))
}

/// The 16-byte header of a chunk file of carray and bcolz is detected by the chunk after it: in the header of the
/// proposal the same bytes are the high half of the number of chunks.
fn refuse_carray(bytes: &[u8]) -> Result<()> {
    let is_carray = bytes.starts_with(b"blpk\x01\0\0\0")
        && bytes.split_at_checked(16).is_some_and(|(_, chunk)| chunk::Header::parse(chunk).is_ok());
    match is_carray {
        true => Err(Error::unsupported(
            "a chunk file of a carray directory; open the directory that its data folder is in",
        )),
        false => Ok(()),
    }
}
