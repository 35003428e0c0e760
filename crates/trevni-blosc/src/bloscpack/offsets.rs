//! The offsets of chunks, from the table or from the sizes of the chunks.
//!
//! ```text
//! table   int64 start of chunk 0, ... chunk n - 1, from the start of the file; spare slots hold -1
//! walk    chunk 0 │ checksum │ chunk 1 │ checksum │ ...      each chunk's header says how long it is
//! ```
//! A table that was never filled in holds -1 in all slots. bloscpack fills the table and then reads by walking.

use crate::chunk;
use trevni::io::{ReadAt, read_within};
use trevni::wire::{Cursor, put_fixed64};
use trevni::{Error, Result};

/// Bytes of an offset.
pub(crate) const OFFSET_LEN: u64 = 8;

/// The size of the smallest chunk, which is a header only.
const MIN_CHUNK: u64 = 16;

/// The most bytes of a chunk that its header takes.
const MAX_CHUNK_HEADER: u64 = 32;

/// Returns the starts in the used slots of a table. Each is at least `from`, and leaves room for a chunk before the
/// end. `None` if the table was not filled.
pub(crate) fn parse(slots: &[u8], from: u64, file_len: u64) -> Result<Option<Vec<u64>>> {
    let mut cursor = Cursor::new(slots);
    let mut starts = Vec::with_capacity(slots.len() / 8);
    let mut unknown = 0;
    while cursor.remaining() > 0 {
        let start = cursor.fixed64("offset of a chunk")?;
        unknown += u64::from(start == u64::MAX);
        starts.push(start);
    }
    if unknown > 0 && unknown == starts.len() as u64 {
        return Ok(None);
    }
    let last = file_len.saturating_sub(MIN_CHUNK);
    match starts.iter().enumerate().find(|(_, start)| !(from..=last).contains(start)) {
        Some((number, start)) => Err(Error::malformed(format!(
            "chunk {number} is said to start at {}; chunks are from {from} to {file_len}",
            start.cast_signed()
        ))),
        None => Ok(Some(starts)),
    }
}

/// Appends the used slots; the twin of [`parse`].
pub(crate) fn put(starts: &[u64], out: &mut Vec<u8>) {
    starts.iter().for_each(|start| put_fixed64(out, *start));
}

/// Returns the header of the chunk that starts there.
pub(crate) fn chunk_header(
    source: &impl ReadAt,
    file_len: u64,
    start: u64,
) -> Result<chunk::Header> {
    let len = file_len.saturating_sub(start).clamp(MIN_CHUNK, MAX_CHUNK_HEADER);
    let bytes = read_within(source, file_len, start, len, "chunk")?;
    chunk::Header::parse(&bytes).map_err(|e| e.at(start))
}

/// Returns the starts and headers of adjacent chunks, each followed by `digest_len` bytes: `count` of them, or all
/// up to the end.
pub(crate) fn walk(
    source: &impl ReadAt,
    file_len: u64,
    from: u64,
    digest_len: u64,
    count: Option<u64>,
) -> Result<Vec<(u64, chunk::Header)>> {
    let mut found = Vec::new();
    let mut start = from;
    while count.map_or(start < file_len, |count| (found.len() as u64) < count) {
        let header = chunk_header(source, file_len, start)?;
        let len = u64::from(header.cbytes).max(MIN_CHUNK) + digest_len;
        let end = start.checked_add(len).filter(|end| *end <= file_len);
        found.push((start, header));
        start = end.ok_or_else(|| {
            let what = format!("chunk {} is of {len} bytes, more than there are", found.len() - 1);
            Error::malformed(what).at(start)
        })?;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::cast_possible_truncation)]

    use super::*;

    /// Returns a stored chunk of the first generation.
    fn chunk(data: &[u8]) -> Vec<u8> {
        let mut out = vec![2, 1, 2, 1];
        let len = data.len() as u32;
        [len, len.max(1), len + 16].iter().for_each(|n| out.extend(n.to_le_bytes()));
        out.extend_from_slice(data);
        out
    }

    #[test]
    fn tables_come_back() {
        let starts = [100, 40, 60];
        let mut table = Vec::new();
        put(&starts, &mut table);
        assert_eq!(parse(&table, 40, 116).unwrap().unwrap(), starts);
        assert!(parse(&table, 41, 116).unwrap_err().to_string().contains("chunk 1"));
        assert!(parse(&table, 40, 115).unwrap_err().to_string().contains("chunk 0"));
        assert_eq!(parse(&[0xff; 16], 0, 100).unwrap(), None);
        assert_eq!(parse(&[], 0, 100).unwrap().unwrap(), [0; 0]);
        let partly = [&table[..8], &[0xff; 8]].concat();
        assert!(parse(&partly, 0, 200).unwrap_err().to_string().contains("start at -1"));
    }

    #[test]
    fn walking_finds_every_chunk() {
        let chunks = [chunk(b"abc"), chunk(b""), chunk(&[7; 100])];
        let mut file = vec![0xee; 10];
        let mut starts = Vec::new();
        for chunk in &chunks {
            starts.push(file.len() as u64);
            file.extend_from_slice(chunk);
            file.extend([0xdd; 4]);
        }
        let len = file.len() as u64;
        let file = bytes::Bytes::from(file);
        for count in [None, Some(3), Some(2)] {
            let found = walk(&file, len, 10, 4, count).unwrap();
            let n = count.unwrap_or(3) as usize;
            assert_eq!(found.iter().map(|(start, _)| *start).collect::<Vec<_>>(), starts[..n]);
            let sizes: Vec<_> = found.iter().map(|(_, header)| header.nbytes).collect();
            assert_eq!(sizes, [3, 0, 100][..n]);
        }
        assert!(walk(&file, len, 10, 4, Some(4)).unwrap_err().is_truncated());
        assert!(walk(&file, len, 10, 4, Some(u64::MAX)).is_err());
        let e = walk(&file, len - 1, 10, 4, None).unwrap_err();
        assert!(e.to_string().contains("chunk 2 is of 120 bytes"), "{e}");
    }
}
