//! A file of several chunks: `__1__.bin`.
//!
//! ```text
//! 0    "blpk", ...               the 32-byte header of Bloscpack, in any of its versions
//! 32   offsets                   int64 each, low byte first: where a chunk starts, counted from the start of the file
//! ...  chunk, checksum, slack    the checksum if the header says so; any number of free bytes
//!      chunk, checksum, slack
//! ```
//! Version 3 is written, which bloscpack 0.16 reads as one file. bloscpack reads chunk after chunk without the
//! offsets, so a file with slack between chunks is written as version 2, which it refuses.
//!
//! The proposals do not specify what offsets are relative to. Some point into the header or the offsets, and can
//! only be relative to the first chunk: the first chunk then follows the offsets. Without offsets, or if all are
//! -1, chunks are adjacent.

use bytes::Bytes;

use super::blp::in_file;
use super::directory_format::Slack;
use crate::bloscpack::digest::Digest;
use crate::bloscpack::header::{HEADER_LEN, Header, Version};
use crate::bloscpack::offsets;
use crate::chunk;
use trevni::io::{ReadAt, read_within};
use trevni::wire::{Cursor, put_fixed64};
use trevni::{Error, Result};

/// Where the chunks of a file are.
#[derive(Debug, Clone)]
pub(super) struct Index {
    /// The checksum of chunks.
    pub(super) digest: Digest,
    /// Where each starts, in bytes from the start of the file.
    pub(super) starts: Vec<u64>,
    /// Bytes of the file.
    pub(super) file_len: u64,
}

/// Returns the name of a file; the first is 1.
pub(super) fn name(number: u64) -> String {
    format!("__{number}__.bin")
}

/// Returns the file that a name is of.
pub(super) fn number(file: &str) -> Option<u64> {
    let digits = file.strip_prefix("__")?.strip_suffix("__.bin")?;
    digits.parse().ok().filter(|number| name(*number) == file)
}

impl Index {
    /// Reads header and offsets.
    pub(super) fn read(path: &str, source: &impl ReadAt) -> Result<Self> {
        Self::read_parts(source).map_err(|e| in_file(path, e))
    }

    fn read_parts(source: &impl ReadAt) -> Result<Self> {
        let file_len = source.len()?;
        let head = read_within(source, file_len, 0, HEADER_LEN as u64, "superchunk header")?;
        let header = Header::parse(&head)?;
        let from = HEADER_LEN as u64 + metadata_len(&header, source, file_len)?;
        let slots = header.slots()?;
        let table = read_within(source, file_len, from, slots.saturating_mul(8), "offsets")?;
        let from = from + table.len() as u64;
        let used = header.nchunks.and_then(|n| usize::try_from(n).ok()?.checked_mul(8));
        let table = used.and_then(|used| table.get(..used)).unwrap_or_default();
        let starts = match offsets::parse(table, 0, file_len)?.filter(|_| header.has_offsets) {
            Some(starts) => based(starts, from, file_len)?,
            None => {
                let digest = header.checksum.size() as u64;
                let found = offsets::walk(source, file_len, from, digest, header.nchunks)?;
                found.into_iter().map(|(start, _)| start).collect()
            }
        };
        Ok(Self { digest: header.checksum, starts, file_len })
    }

    /// Reads a chunk of at most `most` uncompressed bytes.
    pub(super) fn chunk(
        &self,
        path: &str,
        source: &impl ReadAt,
        number: usize,
        most: u64,
    ) -> Result<Bytes> {
        let missing = || Error::malformed(format!("{path}: there is no chunk {number}"));
        let start = *self.starts.get(number).ok_or_else(missing)?;
        let next = self.starts.get(number + 1).copied().filter(|next| *next > start);
        self.read_chunk(source, start, next, most)
            .map_err(|e| in_file(&format!("{path}, chunk at {start}"), e))
    }

    fn read_chunk(
        &self,
        source: &impl ReadAt,
        start: u64,
        next: Option<u64>,
        most: u64,
    ) -> Result<Bytes> {
        // No chunk is longer than its uncompressed size and its header, or overlaps the next.
        let room = most.saturating_add(32 + self.digest.size() as u64);
        let file_len = source.len()?;
        let end = next.unwrap_or(file_len).min(file_len);
        let bytes =
            read_within(source, file_len, start, end.saturating_sub(start).min(room), "chunk")?;
        let chunk = cut_chunk(&bytes, self.digest)?;
        Ok(bytes.slice_ref(chunk))
    }

    /// Returns whether chunks of these lengths (checksums included) fit where the old ones are.
    fn fits(&self, lens: &[u64]) -> bool {
        let first = HEADER_LEN as u64 + 8 * lens.len() as u64;
        let next = self.starts.iter().skip(1).chain([&u64::MAX]);
        lens.len() == self.starts.len()
            && self.starts.first().is_some_and(|start| *start >= first)
            && self
                .starts
                .iter()
                .zip(lens)
                .zip(next)
                .all(|((start, len), next)| start.checked_add(*len).is_some_and(|end| end <= *next))
    }
}

/// Returns the bytes between header and offsets. No proposal has any; other Bloscpack files may.
fn metadata_len(header: &Header, source: &impl ReadAt, file_len: u64) -> Result<u64> {
    match header.version {
        _ if !header.has_metadata => Ok(0),
        Version::V2 { meta_size } => Ok(meta_size.into()),
        _ => {
            let section = read_within(source, file_len, HEADER_LEN as u64, 32, "metadata header")?;
            let mut cursor = Cursor::new(&section);
            let [.., checksum, _, _] = cursor.array::<12>("metadata header")?;
            let _size = cursor.fixed32("size of the metadata")?;
            let room = cursor.fixed32("room of the metadata")?;
            Ok(32 + u64::from(room) + Digest::from_number(checksum)?.size() as u64)
        }
    }
}

/// Returns starts relative to the file, each after `from`.
fn based(mut starts: Vec<u64>, from: u64, file_len: u64) -> Result<Vec<u64>> {
    let first = starts.iter().copied().min().unwrap_or(from);
    if let Some(shift) = from.checked_sub(first) {
        starts.iter_mut().for_each(|start| *start = start.saturating_add(shift));
    }
    match starts.iter().find(|start| **start >= file_len) {
        Some(start) => Err(Error::malformed(format!("a chunk at {start} of {file_len} bytes"))),
        None => Ok(starts),
    }
}

/// Returns the chunk at the start of `bytes`, once its checksum is right.
fn cut_chunk(bytes: &[u8], digest: Digest) -> Result<&[u8]> {
    let header = chunk::Header::parse(bytes)?;
    let len = usize::try_from(header.cbytes).unwrap_or(usize::MAX);
    let Some((chunk, rest)) = bytes.split_at_checked(len) else {
        return Err(Error::malformed(format!("{} bytes of a chunk of {len}", bytes.len())));
    };
    digest.check(chunk, rest.get(..digest.size()).unwrap_or(rest))?;
    Ok(chunk)
}

/// Encodes a file. Chunks that fit at their positions in `old` keep them; otherwise all are laid out again, with
/// slack after each.
pub(super) fn assemble(
    chunks: &[&[u8]],
    digest: Digest,
    slack: Slack,
    old: Option<&Index>,
) -> Result<Vec<u8>> {
    let table_end = HEADER_LEN as u64 + 8 * chunks.len() as u64;
    let lens: Vec<_> = chunks.iter().map(|chunk| ((*chunk).len() + digest.size()) as u64).collect();
    let (starts, file_len) = match old.filter(|old| old.fits(&lens)) {
        Some(old) => (old.starts.clone(), old.file_len),
        None => {
            let mut starts = Vec::with_capacity(chunks.len());
            let mut end = table_end;
            for (chunk, len) in chunks.iter().zip(&lens) {
                starts.push(end);
                end += len + slack.behind((*chunk).len()) as u64;
            }
            (starts, end)
        }
    };
    let mut out = Vec::new();
    header(chunks, digest, is_tight(&starts, &lens, table_end))?.put(&mut out);
    starts.iter().for_each(|start| put_fixed64(&mut out, *start));
    for (chunk, start) in chunks.iter().zip(&starts) {
        out.resize(usize::try_from(*start).unwrap_or(out.len()).max(out.len()), 0);
        out.extend_from_slice(chunk);
        out.extend(digest.of(chunk));
    }
    out.resize(usize::try_from(file_len).unwrap_or(out.len()).max(out.len()), 0);
    Ok(out)
}

/// Returns whether chunks are adjacent.
fn is_tight(starts: &[u64], lens: &[u64], from: u64) -> bool {
    let mut end = from;
    starts.iter().zip(lens).all(|(start, len)| std::mem::replace(&mut end, start + len) == *start)
}

fn header(chunks: &[&[u8]], digest: Digest, tight: bool) -> Result<Header> {
    let of = |chunk: Option<&&[u8]>| chunk.map(|chunk| chunk::Header::parse(chunk)).transpose();
    let (first, last) = (of(chunks.first())?, of(chunks.last())?);
    Ok(Header {
        version: match tight {
            true => Version::V3 { max_app_chunks: 0 },
            false => Version::V2 { meta_size: 0 },
        },
        has_offsets: true,
        has_metadata: false,
        checksum: digest,
        typesize: first.map_or(1, |header| header.typesize),
        chunk_size: Some(first.map_or(0, |header| header.nbytes)),
        last_chunk: Some(last.map_or(0, |header| header.nbytes)),
        nchunks: Some(chunks.len() as u64),
    })
}

#[cfg(test)]
mod tests;
