//! Reads a contiguous frame: header, index and trailer at once, chunks when needed.

use std::ops::Range;

use bytes::Bytes;

use crate::chunk::Header;
use crate::frame::header::FrameHeader;
use crate::frame::index::{Index, Slot};
use crate::frame::special;
use crate::frame::superchunk::Parts;
use crate::frame::trailer::{self, Trailer};
use trevni::io::{ReadAt, read_within};
use trevni::{Error, Result};

/// Bytes at the start of a file that are read at once, for the header.
const START: u64 = 512;

/// The positions of the chunks of a frame in its file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Area {
    start: u64,
    len: u64,
}

impl Area {
    pub(super) fn of(header: &FrameHeader) -> Self {
        Self { start: header.header_len.into(), len: header.cbytes }
    }

    /// Returns the position of the index.
    fn end(self) -> Result<u64> {
        let end = self.start.checked_add(self.len);
        end.ok_or_else(|| Error::malformed(format!("chunks of {} bytes", self.len)))
    }

    /// Returns the bytes of a chunk, at most: up to the next, but no more than a chunk can have.
    pub(super) fn guess(self, index: &Index, number: u64, at: u64, nbytes: u32) -> u64 {
        let next = match index.slot(number + 1) {
            Some(Slot::At(next)) if next > at => next,
            _ => self.len,
        };
        let most = u64::from(nbytes) + special::HEADER as u64;
        next.saturating_sub(at).min(most)
    }

    pub(super) fn read(self, source: &impl ReadAt, at: u64, len: u64) -> Result<Bytes> {
        if at.checked_add(len).is_none_or(|end| end > self.len) {
            let text = format!("a chunk of {len} bytes at {at} in chunks of {}", self.len);
            return Err(Error::malformed(text));
        }
        read_within(source, self.start + self.len, self.start + at, len, "chunk")
    }

    /// Returns the bytes of the chunk at `at` in `range`, as far as they can exist.
    pub(super) fn read_part(
        self,
        source: &impl ReadAt,
        at: u64,
        range: &Range<u64>,
    ) -> Result<Bytes> {
        let most = self.len.saturating_sub(at);
        let (from, to) = (range.start.min(most), range.end.min(most));
        self.read(source, at.saturating_add(from), to.saturating_sub(from))
    }
}

/// The header of a chunk; `None` for special ones, which have no bytes.
pub(super) struct Head(Option<Header>);

impl Head {
    pub(super) fn size(&self) -> Result<u32> {
        let text = "a special chunk in a frame whose chunks differ in size";
        self.0.map(|header| header.nbytes).ok_or_else(|| Error::malformed(text))
    }

    pub(super) fn len(&self) -> u32 {
        self.0.map_or(0, |header| header.cbytes)
    }
}

pub(super) fn fetch(source: &impl ReadAt) -> Result<Parts> {
    let header = fetch_header(source)?;
    let len = source.len()?;
    if header.frame_len > len {
        let text = format!("a frame of {} bytes in a file of {len}", header.frame_len);
        return Err(Error::malformed(text));
    }
    if header.sparse {
        return Err(Error::malformed("the index of a sparse frame, without its chunks"));
    }
    let start = match header.nbytes {
        0 => header.frame_len - fetch_trailer_len(source, &header)?,
        _ => Area::of(&header).end()?,
    };
    let behind = header.frame_len.checked_sub(start);
    let behind =
        behind.ok_or_else(|| Error::malformed("chunks that pass the end of their frame"))?;
    let behind = read_within(source, header.frame_len, start, behind, "index and trailer")?;
    Parts::parse(header, &behind)
}

pub(super) fn fetch_header(source: &impl ReadAt) -> Result<FrameHeader> {
    let len = source.len()?;
    let start = read_within(source, len, 0, START.min(len), "frame header")?;
    let needed = FrameHeader::len_at_start(&start)? as u64;
    let whole = match needed <= START {
        true => start,
        false => read_within(source, len, 0, needed, "frame header")?,
    };
    FrameHeader::parse(&whole)
}

fn fetch_trailer_len(source: &impl ReadAt, header: &FrameHeader) -> Result<u64> {
    let tail = trailer::TAIL as u64;
    let start = header.frame_len - tail;
    let bytes = read_within(source, header.frame_len, start, tail, "trailer")?;
    let len = Trailer::len_at_end(&bytes)? as u64;
    let most = header.frame_len - u64::from(header.header_len);
    if len > most {
        return Err(Error::malformed(format!("a trailer of {len} bytes in {most}")));
    }
    Ok(len)
}

/// Returns the headers of all chunks.
pub(super) fn heads(
    source: &impl ReadAt,
    header: &FrameHeader,
    index: &Index,
) -> Result<Vec<Head>> {
    let area = Area::of(header);
    let stored = index.slots().filter(|slot| matches!(slot, Slot::At(_))).count() as u64;
    let least = special::HEADER as u64;
    if stored.saturating_mul(least) > area.len {
        let text = format!("{stored} chunks in {} bytes", area.len);
        return Err(Error::malformed(text));
    }
    let head = |slot| match slot {
        Slot::Special(_) => Ok(Head(None)),
        Slot::At(at) => {
            let header = Header::parse(&area.read(source, at, least)?)?;
            let end = at.checked_add(header.cbytes.into());
            match end.is_some_and(|end| end <= area.len) {
                true => Ok(Head(Some(header))),
                false => Err(Error::malformed(format!("a chunk at {at} passes the last chunk"))),
            }
        }
    };
    index.slots().map(head).collect()
}
