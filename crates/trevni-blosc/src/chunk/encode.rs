//! Encodes chunks.
//!
//! ```text
//! block of the input ──► shuffled ──► streams, each compressed, or stored if that is not shorter ──► chunk
//! ```
//! If the chunk would exceed the uncompressed size, it is stored. All choices are those of the reference
//! implementations, so that equal parameters give equal chunks where the compressors do.

use std::fmt;

use super::blocks::Blocks;
use super::header::largest;
use super::split::shortest;
use super::stream::Stream;
use super::{Content, Generation, Header, MAX_NBYTES, Params, Special, block_size, dictionary};
use crate::compressor::Compress;
use crate::filter::{Pipeline, Scratch, room};
use crate::repeated_byte::run;
use crate::{Compressor, Filter};
use trevni::{Error, Result};

/// Makes chunks, one after another; keeps its working memory between them.
pub struct Encoder {
    params: Params,
    pipeline: Pipeline,
    /// `None` at level 0.
    compress: Option<Compress>,
    scratch: Scratch,
    stream: Vec<u8>,
}

impl fmt::Debug for Encoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encoder").field("params", &self.params).finish_non_exhaustive()
    }
}

impl Encoder {
    /// Returns an encoder; parameters that no chunk can have are refused.
    pub fn new(params: &Params) -> Result<Self> {
        let is_first = check(params)?;
        let pipeline = Pipeline::new(&params.filters, params.typesize, is_first)?;
        pipeline.check(&params.filters)?;
        Ok(Self {
            params: params.clone(),
            pipeline,
            compress: match params.level {
                0 => None,
                level => Some(Compress::new(params.compressor, level)?),
            },
            scratch: Scratch::default(),
            stream: Vec::new(),
        })
    }

    /// Encodes `data` as a chunk at the end of `out`.
    pub fn encode(&mut self, data: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let nbytes = u32::try_from(data.len())
            .ok()
            .filter(|_| data.len() <= MAX_NBYTES)
            .ok_or_else(|| Error::invalid(format!("a chunk of {} bytes", data.len())))?;
        let block_size = block_size::choose(&self.params, nbytes);
        let mut header = Header::new(&self.params, nbytes, block_size);
        let start = out.len();
        out.reserve(header.size() + data.len());
        out.extend(header.to_bytes().into_iter().take(header.size()));
        let mut is_stored = true;
        if data.len() < shortest(self.params.generation) || self.compress.is_none() {
            header.store_at_once();
        } else {
            is_stored = !self.blocks(&mut header, data, start, out)?;
        }
        if is_stored {
            out.truncate(start + header.size());
            out.extend_from_slice(data);
            (header.content, header.has_dictionary) = (Content::Stored, false);
        }
        let length = out.len() - start;
        header.cbytes = u32::try_from(length).map_err(|_| Error::invalid("a chunk over 2 GiB"))?;
        let place = out.iter_mut().skip(start).zip(header.to_bytes());
        place.take(header.size()).for_each(|(to, from)| *to = from);
        Ok(())
    }

    /// Appends starts, dictionary and blocks; `false` if that is longer than the data.
    fn blocks(
        &mut self,
        header: &mut Header,
        data: &[u8],
        start: usize,
        out: &mut Vec<u8>,
    ) -> Result<bool> {
        let Some(compress) = &mut self.compress else { return Ok(false) };
        let blocks = Blocks::of(header)?;
        let mut writer = Writer {
            compress,
            stream: &mut self.stream,
            generation: self.params.generation,
            is_snappy: self.params.compressor == Compressor::Snappy,
            start,
            limit: start + header.size() + data.len(),
            blocks,
            out,
        };
        let starts = writer.out.len();
        if !writer.reserve_starts() {
            if self.params.generation == Generation::Blosc2 {
                header.store_at_once();
            }
            return Ok(false);
        }
        if self.params.use_dictionary {
            return writer.with_dictionary(&self.pipeline, &mut self.scratch, header, data);
        }
        for (block, index) in data.chunks(blocks.size()).zip(0..) {
            let first = (index > 0).then(|| data.get(..blocks.size()).unwrap_or_default());
            let filtered = self.pipeline.forward(block, first, &mut self.scratch);
            if !writer.block(filtered, starts + 4 * index) {
                return Ok(false);
            }
        }
        writer.note_zeros(header, starts + 4 * blocks.count());
        Ok(true)
    }
}

/// Refuses parameters that no chunk can have. Returns whether they are of the first generation.
fn check(params: &Params) -> Result<bool> {
    let Params { generation, compressor, level, filters, typesize, block_size, .. } = params;
    let is_first = *generation == Generation::Blosc1;
    let [before @ .., last] = filters;
    let has_pipeline = before.iter().any(|filter| *filter != Filter::None)
        || !matches!(last, Filter::None | Filter::Shuffle { group: 0 } | Filter::BitShuffle);
    let wrong = if *typesize == 0 {
        "elements of 0 bytes"
    } else if *level > 9 {
        "a level above 9"
    } else if *block_size > largest(*generation) {
        "blocks of more than the references read"
    } else if is_first && has_pipeline {
        "first-generation chunks with more than one shuffle"
    } else if !is_first && *compressor == Compressor::Snappy {
        "second-generation chunks with Snappy"
    } else if params.use_dictionary && (is_first || *compressor != Compressor::Zstd) {
        "dictionaries without Zstandard in second-generation chunks"
    } else {
        return Ok(is_first);
    };
    Err(Error::invalid(wrong))
}

/// The blocks of a chunk in the making.
struct Writer<'a> {
    compress: &'a mut Compress,
    stream: &'a mut Vec<u8>,
    generation: Generation,
    is_snappy: bool,
    /// Where the chunk begins in `out`.
    start: usize,
    /// Where `out` would end if the data were stored.
    limit: usize,
    blocks: Blocks,
    out: &'a mut Vec<u8>,
}

impl Writer<'_> {
    fn reserve_starts(&mut self) -> bool {
        let end = self.out.len() + 4 * self.blocks.count();
        // A chunk of blocks of one byte would have four times as many bytes of starts.
        let fits = end <= self.limit;
        if fits {
            self.out.resize(end, 0);
        }
        fits
    }

    /// Appends the streams of a filtered block and stores their start at `place`. Returns false if they do not fit.
    fn block(&mut self, filtered: &[u8], place: usize) -> bool {
        let start = u32::try_from(self.out.len() - self.start).unwrap_or(u32::MAX);
        let place = self.out.iter_mut().skip(place).zip(start.to_le_bytes());
        place.for_each(|(to, from)| *to = from);
        let each = filtered.len() / self.blocks.streams(filtered.len());
        filtered.chunks_exact(each.max(1)).all(|bytes| self.stream(bytes))
    }

    /// Appends a stream; `false` if it does not fit.
    fn stream(&mut self, bytes: &[u8]) -> bool {
        let left = self.limit.saturating_sub(self.out.len()).saturating_sub(4);
        if self.generation == Generation::Blosc2
            && let Some(byte) = run(bytes)
        {
            let stream = Stream::Run(byte);
            let fits = self.out.len() + stream.size() <= self.limit;
            if fits {
                stream.put(self.out);
            }
            return fits;
        }
        let room_wanted = self.compress.room(bytes.len());
        // Snappy requires more room than it uses.
        let offered = if self.is_snappy { room_wanted } else { room_wanted.min(left) };
        let scratch = room(self.stream, offered);
        let stream = match self.compress.compress(bytes, scratch) {
            Some(n) if n > 0 && n < bytes.len() && n <= left => {
                Stream::Compressed(scratch.get(..n).unwrap_or_default())
            }
            _ if bytes.len() <= left => Stream::Stored(bytes),
            _ => return false,
        };
        stream.put(self.out);
        true
    }

    /// Marks a chunk whose streams are all runs of zeros, and removes them. Readers require complete elements
    /// there.
    fn note_zeros(&mut self, header: &mut Header, streams: usize) {
        let all = streams + 4 * self.blocks.all_streams();
        if self.generation == Generation::Blosc2
            && self.out.len() == all
            && header.nbytes.is_multiple_of(u32::from(header.typesize))
        {
            self.out.truncate(self.start + header.size());
            header.content = Content::Special(Special::Zeros);
        }
    }

    /// Filters all blocks, learns from them, and appends dictionary and blocks.
    fn with_dictionary(
        mut self,
        pipeline: &Pipeline,
        scratch: &mut Scratch,
        header: &mut Header,
        data: &[u8],
    ) -> Result<bool> {
        let (size, starts) = (self.blocks.size(), self.out.len() - 4 * self.blocks.count());
        let mut filtered = Vec::with_capacity(data.len());
        for (block, index) in data.chunks(size).zip(0..) {
            let first = (index > 0).then(|| data.get(..size).unwrap_or_default());
            filtered.extend_from_slice(pipeline.forward(block, first, scratch));
        }
        let dictionary = dictionary::train(&filtered, self.blocks.all_streams());
        header.has_dictionary = dictionary.is_some();
        self.compress.set_dictionary(dictionary.as_deref())?;
        if let Some(dictionary) = &dictionary {
            dictionary::put(dictionary, self.out);
        }
        let streams = self.out.len();
        for (block, index) in filtered.chunks(size).zip(0..) {
            if !self.block(block, starts + 4 * index) {
                return Ok(false);
            }
        }
        self.note_zeros(header, streams);
        header.has_dictionary &= header.content == Content::Blocks;
        Ok(true)
    }
}
