//! Decodes chunks.
//!
//! ```text
//! chunk ──► streams ──► decompressed ──► unshuffled ──► block of the output
//!                       └─ straight into the output if nothing is shuffled
//! ```
//! A block is decompressed and unfiltered before the next, so that it stays in the cache of the core. If only a few
//! elements of a block are needed, only these are unfiltered, and its streams are decompressed only up to them.

mod columns;

use std::fmt;

use super::{Content, Generation, Header, blocks::Blocks, dictionary, special, stream::Stream};
use crate::Compressor;
use crate::compressor::Decompress;
use crate::filter::{Pipeline, room};
use trevni::io::Limits;
use trevni::wire::Cursor;
use trevni::{Error, ErrorKind, Result};

/// Opens chunks, one after another; keeps its working memory between them.
#[derive(Default)]
pub struct Decoder {
    reader: Reader,
    /// A block that is needed in part.
    block: Vec<u8>,
    /// Block 0 of a chunk with delta.
    first: Vec<u8>,
}

/// What reads a block.
struct Reader {
    decompress: Decompress,
    streams: Vec<u8>,
    turn: Vec<u8>,
    /// How much working memory a block may take.
    limit: usize,
}

impl Default for Reader {
    fn default() -> Self {
        let limit = Limits::default().block_bytes;
        let (streams, turn) = (Vec::new(), Vec::new());
        Self { decompress: Decompress::default(), streams, turn, limit }
    }
}

impl fmt::Debug for Decoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decoder").finish_non_exhaustive()
    }
}

/// A chunk that has blocks, ready to be opened.
struct Body<'a> {
    /// The available bytes of the chunk, from `at`.
    bytes: &'a [u8],
    at: usize,
    starts: &'a [u8],
    blocks: Blocks,
    generation: Generation,
    compressor: Compressor,
    pipeline: Pipeline,
    dictionary: Option<&'a [u8]>,
}

impl Decoder {
    /// With another limit of the working memory, in bytes: that of a few blocks. Default: 256 MiB.
    pub fn with_limit(mut self, bytes: usize) -> Self {
        self.reader.limit = bytes;
        self
    }

    /// Decodes a chunk into `out`, which must have its `nbytes`. Bytes after the chunk are ignored. After an error
    /// the content of `out` is unspecified.
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
            Content::Stored => {
                out.copy_from_slice(slice(chunk, header.size(), out.len())?);
                Ok(())
            }
            Content::Special(_) | Content::Repeated => special::fill(&header, chunk, 0, out),
            Content::Blocks => {
                let body = Body::new(&header, chunk, (0, chunk))?;
                self.reader.decompress.set_dictionary(body.compressor, body.dictionary)?;
                self.all(&body, out)
            }
        }
    }

    /// Decodes the bytes from `start` into `out`; only their blocks are decompressed. A block that is needed in
    /// part is decompressed to a buffer of its size.
    pub fn decode_range(&mut self, chunk: &[u8], start: usize, out: &mut [u8]) -> Result<()> {
        let (_, chunk) = open(chunk)?;
        self.decode_part(chunk, (0, chunk), start, out)
    }

    /// Decodes a chunk that is available in part: its head, and the bytes of [`needed`](super::needed) with their
    /// position.
    pub(crate) fn decode_part(
        &mut self,
        head: &[u8],
        (at, bytes): (usize, &[u8]),
        start: usize,
        out: &mut [u8],
    ) -> Result<()> {
        let header = Header::parse(head)?;
        let (nbytes, cbytes) = (header.nbytes as usize, header.cbytes as usize);
        // Bytes after the chunk do not belong to it.
        let head = head.get(..cbytes).unwrap_or(head);
        let bytes = bytes.get(..cbytes.saturating_sub(at)).unwrap_or(bytes);
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
            Content::Stored => {
                let start = (header.size() + start).checked_sub(at).unwrap_or(usize::MAX);
                out.copy_from_slice(slice(bytes, start, out.len())?);
                Ok(())
            }
            Content::Special(_) | Content::Repeated => special::fill(&header, head, start, out),
            Content::Blocks => {
                let body = Body::new(&header, head, (at, bytes))?;
                self.reader.decompress.set_dictionary(body.compressor, body.dictionary)?;
                self.range(&body, start, out)
            }
        }
    }

    /// Returns the bytes of working memory.
    pub(crate) fn memory(&self) -> usize {
        let Reader { streams, turn, .. } = &self.reader;
        [&self.block, &self.first, streams, turn].iter().map(|buffer| buffer.len()).sum()
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
        let has_delta = body.pipeline.has_delta();
        let mut first: &mut [u8] = &mut [];
        if has_delta {
            self.reader.check_memory(body, size, 1)?;
            first = room(&mut self.first, size);
            self.reader.block(body, 0, first, None)?;
        }
        let (mut index, mut skip, mut out) = (start / size, start % size, out);
        while !out.is_empty() {
            let len = size.min(nbytes.saturating_sub(index * size));
            let (part, rest) = out.split_at_mut(out.len().min(len.saturating_sub(skip)));
            if index == 0 && has_delta {
                part.copy_from_slice(slice(first, skip, part.len())?);
            } else if part.len() == len {
                self.reader.block(body, index, part, Some(first))?;
            } else if let Some(byte) = body.constant(index, len)? {
                part.fill(byte);
            } else if part.len() <= len / columns::FEW && body.splits(len) {
                self.reader.check_memory(body, len, 1)?;
                self.reader.few(body, (index, len), skip, part)?;
            } else {
                self.reader.check_memory(body, len, 1 + usize::from(has_delta))?;
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
    /// Fails if a block needs more working memory than the limit: `buffers` besides those of its filters.
    fn check_memory(&self, body: &Body<'_>, len: usize, buffers: usize) -> Result<()> {
        let buffers = buffers + body.pipeline.buffers();
        let (size, limit) = (len.saturating_mul(buffers), self.limit);
        if size > limit {
            return Err(Error::too_large("working memory of a block", size as u64, limit as u64));
        }
        Ok(())
    }

    /// Fills `out` with a block. `first` is block 0, which itself needs none.
    fn block(
        &mut self,
        body: &Body<'_>,
        index: usize,
        out: &mut [u8],
        first: Option<&[u8]>,
    ) -> Result<()> {
        if let Some(byte) = body.constant(index, out.len())? {
            out.fill(byte);
            return Ok(());
        }
        self.check_memory(body, out.len(), 0)?;
        let first = first.filter(|_| index > 0);
        if !body.pipeline.has_moves() {
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
    fn new(header: &Header, head: &'a [u8], (at, bytes): (usize, &'a [u8])) -> Result<Self> {
        let (blocks, generation) = (Blocks::of(header)?, header.generation());
        let mut cursor = Cursor::new(head);
        cursor.take(header.size(), "the header of a chunk")?;
        let starts =
            cursor.take(blocks.count().saturating_mul(4), "the block starts of a chunk")?;
        let is_first = generation == Generation::Blosc1;
        Ok(Self {
            bytes,
            at,
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

    /// Returns whether each stream of a block has one byte of every element, and there is no other filter.
    fn splits(&self, len: usize) -> bool {
        let streams = self.blocks.streams(len);
        let plain = self.dictionary.is_none() && self.pipeline.only_shuffle() == Some(streams);
        plain && streams > 1 && len.is_multiple_of(streams)
    }

    /// Returns the bytes from the start of a block.
    fn block(&self, index: usize) -> Result<Cursor<'a>> {
        let start = slice(self.starts, index * 4, 4)?
            .first_chunk()
            .map_or(0, |start| u32::from_le_bytes(*start) as usize);
        let rest = start.checked_sub(self.at).and_then(|start| self.bytes.get(start..));
        rest.map(Cursor::new).ok_or_else(|| {
            Error::malformed(format!("block {index} of a chunk begins after its end, at {start}"))
        })
    }

    /// Returns the byte that a block of `len` bytes repeats, if each of its streams is a run of it: filters do not
    /// change it.
    fn constant(&self, index: usize, len: usize) -> Result<Option<u8>> {
        if self.generation == Generation::Blosc1 || self.pipeline.has_delta() {
            return Ok(None);
        }
        let (mut cursor, streams) = (self.block(index)?, self.blocks.streams(len));
        let mut constant = None;
        for _ in 0..streams {
            match Stream::take(&mut cursor, self.generation, len / streams)? {
                Stream::Run(byte) if constant.is_none_or(|constant| constant == byte) => {
                    constant = Some(byte);
                }
                _ => return Ok(None),
            }
        }
        Ok(constant)
    }

    /// Decompresses the streams of a block into `out`.
    fn read_streams(
        &self,
        index: usize,
        decompress: &mut Decompress,
        out: &mut [u8],
    ) -> Result<()> {
        let mut cursor = self.block(index)?;
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

/// Returns the header of a chunk, and the chunk without the bytes after it.
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

fn slice(bytes: &[u8], start: usize, len: usize) -> Result<&[u8]> {
    bytes
        .get(start..)
        .and_then(|rest| rest.get(..len))
        .ok_or_else(|| Error::malformed("a part of the chunk is missing"))
}
