//! Opening chunks.
//!
//! ```text
//! chunk ──► streams ──► decompressed ──► unshuffled ──► block of the output
//!                       └─ straight into the output if nothing is shuffled
//! ```
//! A block is read and put in order before the next is begun, so that it stays in the cache of the core.

use std::fmt;

use super::{Content, Generation, Header, blocks::Blocks, dictionary, special, stream::Stream};
use crate::blosc::Compressor;
use crate::blosc::compressor::Decompress;
use crate::blosc::filter::{Pipeline, room};
use crate::error::{Error, ErrorKind, Result};
use crate::wire::Cursor;

/// Opens chunks, one after another; keeps its working memory between them.
#[derive(Default)]
pub struct Decoder {
    reader: Reader,
    /// A block of which not all is asked for.
    block: Vec<u8>,
    /// Block 0 of a chunk with delta.
    first: Vec<u8>,
}

/// What reads a block.
#[derive(Default)]
struct Reader {
    decompress: Decompress,
    streams: Vec<u8>,
    turn: Vec<u8>,
}

impl fmt::Debug for Decoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decoder").finish_non_exhaustive()
    }
}

/// A chunk that has blocks, ready to be opened.
struct Body<'a> {
    chunk: &'a [u8],
    starts: &'a [u8],
    blocks: Blocks,
    generation: Generation,
    compressor: Compressor,
    pipeline: Pipeline,
    dictionary: Option<&'a [u8]>,
}

impl Decoder {
    /// Fills `out`, which must be as long as the chunk's `nbytes`. Bytes behind the chunk are not looked at. If it fails,
    /// `out` may be filled in part.
    pub fn decode(&mut self, chunk: &[u8], out: &mut [u8]) -> Result<()> {
        let (header, chunk) = open(chunk)?;
        if header.nbytes as usize != out.len() {
            let (is, asked) = (header.nbytes, out.len());
            return Err(Error::invalid(format!("{asked} bytes asked of a chunk of {is}")));
        }
        if out.is_empty() {
            return Ok(());
        }
        match header.content {
            Content::Stored => stored(&header, chunk, 0, out),
            Content::Special(_) | Content::Repeated => special::fill(&header, chunk, 0, out),
            Content::Blocks => {
                let body = Body::new(&header, chunk)?;
                self.reader.decompress.set_dictionary(body.compressor, body.dictionary)?;
                self.all(&body, out)
            }
        }
    }

    /// Fills `out` with the bytes from `start` on; opens only the blocks that have some of them. A block that is not asked
    /// for as a whole is opened in memory of its own, as large as the block.
    pub fn decode_range(&mut self, chunk: &[u8], start: usize, out: &mut [u8]) -> Result<()> {
        let (header, chunk) = open(chunk)?;
        let nbytes = header.nbytes as usize;
        if start.checked_add(out.len()).is_none_or(|end| end > nbytes) {
            let asked = out.len();
            return Err(Error::invalid(format!(
                "{asked} bytes from {start} on asked of a chunk of {nbytes}"
            )));
        }
        if out.is_empty() {
            return Ok(());
        }
        match header.content {
            Content::Stored => stored(&header, chunk, start, out),
            Content::Special(_) | Content::Repeated => special::fill(&header, chunk, start, out),
            Content::Blocks => {
                let body = Body::new(&header, chunk)?;
                self.reader.decompress.set_dictionary(body.compressor, body.dictionary)?;
                self.range(&body, start, out)
            }
        }
    }

    fn all(&mut self, body: &Body<'_>, out: &mut [u8]) -> Result<()> {
        let size = body.blocks.size();
        let (first, rest) = out.split_at_mut(size.min(out.len()));
        self.reader.block(body, 0, first, None)?;
        for (block, index) in rest.chunks_mut(size).zip(1..) {
            self.reader.block(body, index, block, Some(first))?;
        }
        Ok(())
    }

    fn range(&mut self, body: &Body<'_>, start: usize, out: &mut [u8]) -> Result<()> {
        let (size, nbytes) = (body.blocks.size(), body.nbytes());
        let first = room(&mut self.first, if body.pipeline.has_delta() { size } else { 0 });
        if body.pipeline.has_delta() {
            self.reader.block(body, 0, first, None)?;
        }
        let (mut index, mut skip, mut out) = (start / size, start % size, out);
        while !out.is_empty() {
            let len = size.min(nbytes.saturating_sub(index * size));
            let (part, rest) = out.split_at_mut(out.len().min(len.saturating_sub(skip)));
            if index == 0 && body.pipeline.has_delta() {
                part.copy_from_slice(slice(first, skip, part.len())?);
            } else if part.len() == len {
                self.reader.block(body, index, part, Some(first))?;
            } else {
                let block = room(&mut self.block, len);
                self.reader.block(body, index, block, Some(first))?;
                part.copy_from_slice(slice(block, skip, part.len())?);
            }
            (index, skip, out) = (index + 1, 0, rest);
        }
        Ok(())
    }
}

impl Reader {
    /// Fills `out` with a block. `first` is block 0, which itself needs none.
    fn block(
        &mut self,
        body: &Body<'_>,
        index: usize,
        out: &mut [u8],
        first: Option<&[u8]>,
    ) -> Result<()> {
        let first = first.filter(|_| index > 0);
        if !body.pipeline.moves() {
            body.read_streams(index, &mut self.decompress, out)?;
            body.pipeline.backward(&mut [], &mut self.turn, out, first);
            return Ok(());
        }
        let streams = room(&mut self.streams, out.len());
        body.read_streams(index, &mut self.decompress, streams)?;
        body.pipeline.backward(streams, &mut self.turn, out, first);
        Ok(())
    }
}

impl<'a> Body<'a> {
    fn new(header: &Header, chunk: &'a [u8]) -> Result<Self> {
        let (blocks, generation) = (Blocks::of(header)?, header.generation());
        let mut cursor = Cursor::new(chunk);
        cursor.take(header.size(), "the header of a chunk")?;
        let starts =
            cursor.take(blocks.count().saturating_mul(4), "the block starts of a chunk")?;
        let is_first = generation == Generation::Blosc1;
        Ok(Self {
            chunk,
            starts,
            blocks,
            generation,
            compressor: header.compressor()?,
            pipeline: Pipeline::new(&header.filters()?, header.typesize, is_first)?,
            dictionary: match header.has_dictionary {
                true => Some(dictionary::take(&mut cursor)?),
                false => None,
            },
        })
    }

    fn nbytes(&self) -> usize {
        self.blocks.nbytes()
    }

    /// Fills `out` with what the streams of a block stand for.
    fn read_streams(
        &self,
        index: usize,
        decompress: &mut Decompress,
        out: &mut [u8],
    ) -> Result<()> {
        let start = slice(self.starts, index * 4, 4)?
            .first_chunk()
            .map_or(0, |start| u32::from_le_bytes(*start) as usize);
        let rest = self.chunk.get(start..).ok_or_else(|| {
            Error::malformed(format!("block {index} of a chunk begins behind it, at {start}"))
        })?;
        let mut cursor = Cursor::new(rest);
        let each = out.len() / self.blocks.streams(out.len());
        for part in out.chunks_exact_mut(each.max(1)) {
            match Stream::take(&mut cursor, self.generation, part.len())? {
                Stream::Stored(bytes) => part.copy_from_slice(bytes),
                Stream::Run(byte) => part.fill(byte),
                Stream::Compressed(bytes) => {
                    decompress.decompress(self.compressor, self.dictionary, bytes, part)?;
                }
            }
        }
        Ok(())
    }
}

/// The header of a chunk, and the chunk without what is behind it.
fn open(chunk: &[u8]) -> Result<(Header, &[u8])> {
    let header = Header::parse(chunk)?;
    let cbytes = header.cbytes as usize;
    match chunk.get(..cbytes) {
        Some(chunk) => Ok((header, chunk)),
        None => {
            let missing = (cbytes - chunk.len()) as u64;
            Err(Error::new(ErrorKind::Truncated { what: "a chunk", missing }))
        }
    }
}

fn stored(header: &Header, chunk: &[u8], start: usize, out: &mut [u8]) -> Result<()> {
    out.copy_from_slice(slice(chunk, header.size() + start, out.len())?);
    Ok(())
}

fn slice(bytes: &[u8], start: usize, len: usize) -> Result<&[u8]> {
    bytes
        .get(start..)
        .and_then(|rest| rest.get(..len))
        .ok_or_else(|| Error::malformed("a chunk with a part that is not there"))
}
