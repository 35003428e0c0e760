//! Plans an edit of a frame: the chunks that remain, and those that are written. Does no IO.
//!
//! ```text
//! Edit, insert, update, delete, append ──► Change: a source for each chunk, old or new
//!                                             └──► FrameEdit: header, sizes, trailer, the fate of each slot
//! contiguous, sparse: assign a position to each written chunk ──► Index
//! ```

use std::borrow::Cow;

use super::attributes;
use super::b2nd::{self, B2nd};
use super::header::FrameHeader;
use super::index::Slot;
use super::special;
use super::superchunk::{Sizes, SuperChunk};
use super::trailer::Trailer;
use crate::array::{Attributes, Chunking, Edit};
use crate::chunk::{Content, Header, Special};
use trevni::{Error, Result};

/// Where a chunk comes from.
#[derive(Debug, Clone, Copy)]
pub(super) enum Source<'a> {
    /// From the frame, where it had this number.
    Old(u64),
    /// From the caller.
    New(&'a [u8]),
}

/// What a frame is to be.
#[derive(Debug)]
pub(super) struct Change<'a> {
    sources: Vec<Source<'a>>,
    /// None: as many elements as the chunks have.
    shape: Option<&'a [u64]>,
    attributes: Option<&'a Attributes>,
}

impl<'a> Change<'a> {
    /// Returns the change of an edit of a frame that has `count` chunks.
    pub(super) fn of(edit: &'a Edit, count: u64) -> Result<Self> {
        let mut new = edit.chunks.iter().peekable();
        let source = |number| match new.next_if(|(n, _)| *n == number) {
            Some((_, chunk)) => Ok(Source::New(chunk)),
            None if number < count => Ok(Source::Old(number)),
            None => Err(Error::invalid(format!("chunk {number} of {} is missing", edit.count))),
        };
        let sources = (0..edit.count).map(source).collect::<Result<Vec<_>>>()?;
        if let Some((number, _)) = new.next() {
            let text = format!("chunk {number} of {} comes twice, or too late", edit.count);
            return Err(Error::invalid(text));
        }
        Ok(Self { sources, shape: Some(&edit.shape), attributes: edit.attributes.as_ref() })
    }

    /// Inserts a chunk before an index, or at the end.
    pub(super) fn insert(frame: &SuperChunk, number: u64, chunk: &'a [u8]) -> Result<Self> {
        let count = free(frame, number, 1)?;
        let source = |n| match n {
            n if n < number => Source::Old(n),
            n if n == number => Source::New(chunk),
            n => Source::Old(n - 1),
        };
        Ok(Self::chunks((0..=count).map(source)))
    }

    /// Replaces a chunk.
    pub(super) fn update(frame: &SuperChunk, number: u64, chunk: &'a [u8]) -> Result<Self> {
        frame.slot(number)?;
        let source = |n| if n == number { Source::New(chunk) } else { Source::Old(n) };
        Ok(Self::chunks((0..frame.index.len() as u64).map(source)))
    }

    /// Without a chunk.
    pub(super) fn delete(frame: &SuperChunk, number: u64) -> Result<Self> {
        let count = free(frame, number, 0)?;
        Ok(Self::chunks((0..count).filter(|n| *n != number).map(Source::Old)))
    }

    /// Other attributes.
    pub(super) fn attributes(frame: &SuperChunk, attributes: &'a Attributes) -> Self {
        let sources = (0..frame.index.len() as u64).map(Source::Old);
        Self { attributes: Some(attributes), ..Self::chunks(sources) }
    }

    fn chunks(sources: impl Iterator<Item = Source<'a>>) -> Self {
        Self { sources: sources.collect(), shape: None, attributes: None }
    }
}

/// Returns the number of chunks of a frame without a grid. Fails unless `number` is one of them, or at most `more`
/// past the end.
fn free(frame: &SuperChunk, number: u64, more: u64) -> Result<u64> {
    let count = frame.index.len() as u64;
    if frame.grid.is_some() {
        let text = "the chunks of an array of several dimensions cannot come or go one by one";
        return Err(Error::invalid(text));
    }
    match number < count + more {
        true => Ok(count),
        false => Err(Error::invalid(format!("chunk {number} of a frame that has {count}"))),
    }
}

/// What becomes of a slot.
#[derive(Debug)]
pub(super) enum Fate<'a> {
    /// A chunk that keeps its position.
    Stay(u64, u64),
    /// No bytes.
    Special(Special),
    /// Bytes that are written to a new position.
    Write(Cow<'a, [u8]>),
}

/// A frame to be written, without the positions of its new chunks.
#[derive(Debug)]
pub(super) struct FrameEdit<'a> {
    /// With `frame_len` and `cbytes` of before.
    pub(super) header: FrameHeader,
    pub(super) fates: Vec<Fate<'a>>,
    pub(super) sizes: Sizes,
    pub(super) trailer: Trailer,
}

impl<'a> FrameEdit<'a> {
    /// Returns the plan of a change.
    pub(super) fn new(old: &SuperChunk, change: Change<'a>) -> Result<Self> {
        let Change { sources, shape, attributes } = change;
        let sizes = sources.iter().map(|source| size(old, *source)).collect::<Result<Vec<_>>>()?;
        let mut header = old.header.clone();
        header.nbytes = sizes.iter().copied().map(u64::from).sum();
        let sizes = match &old.grid {
            Some(grid) => regrid(&mut header, grid, shape, sizes)?,
            None => recut(old, &mut header, shape, sizes)?,
        };
        let varied = matches!(sizes, Sizes::Varied(_));
        let fates = sources.into_iter().map(|source| fate(old, source, varied));
        let fates = fates.collect::<Result<_>>()?;
        let trailer = match attributes {
            None => old.trailer.clone(),
            Some(new) => {
                let layers = &old.trailer.metalayers;
                Trailer { metalayers: attributes::seal(new, &old.layout.attributes, layers)? }
            }
        };
        header.has_vlmetalayers = !trailer.metalayers.is_empty();
        Ok(Self { header, fates, sizes, trailer })
    }

    /// Returns the bytes of the chunks that are written.
    pub(super) fn written(&self) -> u64 {
        self.fates
            .iter()
            .map(|fate| if let Fate::Write(b) = fate { b.len() as u64 } else { 0 })
            .sum()
    }
}

fn size(old: &SuperChunk, source: Source<'_>) -> Result<u32> {
    match source {
        Source::Old(number) => old.slot(number).map(|(_, nbytes)| nbytes),
        Source::New(chunk) => check_new(chunk).map(|header| header.nbytes),
    }
}

/// Returns the header of a chunk that a frame can hold.
pub(super) fn check_new(chunk: &[u8]) -> Result<Header> {
    let header = Header::parse(chunk)?;
    if header.size() != special::HEADER {
        return Err(Error::invalid("a chunk of the first generation cannot go into a frame"));
    }
    if header.nbytes == 0 || u64::from(header.cbytes) > chunk.len() as u64 {
        let Header { nbytes, cbytes, .. } = header;
        let text = format!("a chunk of {nbytes} bytes, {cbytes} packed, in {}", chunk.len());
        return Err(Error::invalid(text));
    }
    Ok(header)
}

/// Returns the bytes of a chunk that count.
pub(super) fn trimmed<'a>(chunk: &'a [u8], header: &Header) -> Result<&'a [u8]> {
    let cbytes = usize::try_from(header.cbytes).ok();
    cbytes.and_then(|len| chunk.get(..len)).ok_or_else(|| Error::invalid("a chunk that is cut"))
}

fn regrid(
    header: &mut FrameHeader,
    grid: &B2nd,
    shape: Option<&[u64]>,
    sizes: Vec<u32>,
) -> Result<Sizes> {
    let shape = shape.unwrap_or(&grid.shape).to_vec();
    let grid = B2nd { shape, ..grid.clone() };
    if grid.shape.len() != grid.chunk_shape.len() || grid.chunks()? != sizes.len() as u64 {
        let text = format!("{} chunks for an array of shape {:?}", sizes.len(), grid.shape);
        return Err(Error::invalid(text));
    }
    let bytes = |elements: u64| {
        let bytes = elements.checked_mul(header.typesize.into());
        bytes
            .and_then(|bytes| i32::try_from(bytes).ok())
            .ok_or_else(|| Error::invalid("chunks of 2 GiB"))
    };
    let (each, block) = (bytes(grid.chunk_elements()?)?, bytes(grid.block_elements()?)?);
    let fixed = each.unsigned_abs();
    if let Some(size) = sizes.iter().find(|size| **size != fixed) {
        return Err(Error::invalid(format!("a chunk of {size} bytes where all have {each}")));
    }
    if header.block_size == 0 {
        header.block_size = block.unsigned_abs();
    }
    header.set_chunk_size(each);
    let named = |name: &str| name == b2nd::NAME || name == b2nd::OLD_NAME;
    for layer in header.metalayers.iter_mut().filter(|layer| named(&layer.name)) {
        let mut content = Vec::new();
        grid.put(&mut content)?;
        // Other writers may have left bytes after it; the size of a metalayer never changes.
        content.extend_from_slice(layer.content.get(content.len()..).unwrap_or_default());
        layer.content = content.into();
    }
    Ok(Sizes::Fixed { each: fixed, last: fixed })
}

fn recut(
    old: &SuperChunk,
    header: &mut FrameHeader,
    shape: Option<&[u64]>,
    sizes: Vec<u32>,
) -> Result<Sizes> {
    let element = old.layout.dtype.size as u64;
    let claimed = shape.map(|shape| {
        let [rows] = shape else { return None };
        rows.checked_mul(element)
    });
    if claimed.is_some_and(|claimed| claimed != Some(header.nbytes)) {
        let text = format!("chunks of {} bytes for shape {shape:?}", header.nbytes);
        return Err(Error::invalid(text));
    }
    if claimed.is_some() && header.element_size() != old.header.element_size() {
        let text = format!(
            "{} bytes are whole elements of {} bytes: a frame of single bytes would become another type",
            header.nbytes, header.typesize
        );
        return Err(Error::unsupported(text));
    }
    let fixed = match old.layout.chunking {
        _ if sizes.is_empty() => header.chunk_size,
        Chunking::Flat { chunk_bytes } => first_size(chunk_bytes, &sizes, old.index.is_empty()),
        _ => 0,
    };
    let sizes = match u32::try_from(fixed) {
        Ok(fixed) if fixed > 0 => Sizes::of(fixed, sizes),
        _ if sizes.is_empty() => Sizes::Fixed { each: 0, last: 0 },
        _ => Sizes::Varied(sizes),
    };
    header.set_chunk_size(if matches!(sizes, Sizes::Varied(_)) { 0 } else { fixed });
    Ok(sizes)
}

/// Returns the size of chunks: that of the first, if a frame that had none gets several, or larger ones.
fn first_size(chunk_bytes: u64, sizes: &[u32], fresh: bool) -> i32 {
    let first = match sizes.first() {
        Some(first) if fresh && (sizes.len() > 1 || u64::from(*first) > chunk_bytes) => {
            u64::from(*first)
        }
        _ => chunk_bytes,
    };
    i32::try_from(first).unwrap_or(0)
}

fn fate<'a>(old: &SuperChunk, source: Source<'a>, varied: bool) -> Result<Fate<'a>> {
    let kind = match source {
        Source::New(chunk) => match Header::parse(chunk)? {
            Header { content: Content::Special(kind), nbytes, .. } => (kind, nbytes),
            header => return trimmed(chunk, &header).map(|chunk| Fate::Write(chunk.into())),
        },
        Source::Old(number) => match old.slot(number)? {
            (Slot::At(at), _) => return Ok(Fate::Stay(number, at)),
            (Slot::Special(kind), nbytes) => (kind, nbytes),
        },
    };
    match (kind, varied) {
        ((kind, _), false) => Ok(Fate::Special(kind)),
        ((kind, nbytes), true) => {
            let chunk = special::spelled_out(kind, nbytes, old.params.typesize)?;
            Ok(Fate::Write(chunk.into()))
        }
    }
}
