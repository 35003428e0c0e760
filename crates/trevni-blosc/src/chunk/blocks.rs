//! Blocks: the equal parts of a chunk, and whether each is one stream or one per byte of an element.
//!
//! ```text
//! nbytes      [ block 0 | block 1 | .. | last ]     the last may be shorter, and then is one stream
//! a block     [ stream 0 | .. | stream typesize-1 ]   equal parts, if blocks are split
//! ```

use super::{Content, Generation, Header, Params, Split};
use crate::{Compressor, Filter};
use trevni::{Error, Result};

/// The largest typesize whose blocks are split.
const MAX_STREAMS: usize = 16;

/// The shortest streams that blocks are split into; what is shorter than that is not compressed at all.
pub(super) fn shortest(generation: Generation) -> usize {
    match generation {
        Generation::Blosc1 => 128,
        Generation::Blosc2 => 32,
    }
}

/// How the bytes of a chunk are divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Blocks {
    nbytes: usize,
    block_size: usize,
    streams: usize,
}

impl Blocks {
    /// The blocks that a header tells of.
    pub(super) fn of(header: &Header) -> Result<Self> {
        let (nbytes, block_size) = (header.nbytes as usize, (header.block_size as usize).max(1));
        let typesize = usize::from(header.typesize).max(1);
        let streams = match header.generation() {
            _ if !header.is_split => 1,
            // Chunks that are older than the flag are not split either.
            Generation::Blosc1 if !divides(Generation::Blosc1, typesize, block_size) => 1,
            _ => typesize,
        };
        if header.content == Content::Blocks && !block_size.is_multiple_of(streams) {
            let what = format!("blocks of {block_size} bytes in {streams} streams");
            return Err(Error::malformed(what));
        }
        Ok(Self { nbytes, block_size, streams })
    }

    /// Bytes of all.
    pub(super) fn nbytes(&self) -> usize {
        self.nbytes
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.nbytes.div_ceil(self.block_size)
    }

    /// Bytes of a block, but for the last.
    pub(super) fn size(&self) -> usize {
        self.block_size
    }

    /// How many streams a block of so many bytes has.
    pub(super) fn streams(&self, len: usize) -> usize {
        if len < self.block_size { 1 } else { self.streams }
    }

    /// How many streams all have.
    pub(super) fn all_streams(&self) -> usize {
        let whole = self.nbytes / self.block_size;
        whole * self.streams + usize::from(!self.nbytes.is_multiple_of(self.block_size))
    }

    /// Whether blocks of such a size are split: if they should be, and give equal parts.
    pub(super) fn is_split(params: &Params, block_size: u32) -> bool {
        block_size.is_multiple_of(u32::from(params.typesize.max(1)))
            && Self::should_split(params, block_size)
    }

    /// Whether blocks of such a size should be split, as the references decide it.
    pub(super) fn should_split(params: &Params, block_size: u32) -> bool {
        let (typesize, block_size) = (usize::from(params.typesize), block_size as usize);
        let divides = divides(params.generation, typesize, block_size);
        match (params.generation, params.split) {
            (_, Split::Never) => false,
            (Generation::Blosc1, Split::Always) => divides,
            (Generation::Blosc2, Split::Always) => true,
            (Generation::Blosc1, Split::Auto) => {
                matches!(params.compressor, Compressor::BloscLz | Compressor::Snappy) && divides
            }
            (Generation::Blosc1, Split::ForwardCompat) => {
                params.compressor != Compressor::Zstd && divides
            }
            (Generation::Blosc2, Split::Auto | Split::ForwardCompat) => {
                let is_fast = match params.compressor {
                    Compressor::BloscLz | Compressor::Lz4 => true,
                    Compressor::Zstd => params.level <= 5,
                    _ => false,
                };
                let shuffled = |filter| matches!(filter, &Filter::Shuffle { .. });
                is_fast && params.filters.iter().any(shuffled) && divides
            }
        }
    }
}

/// Whether a block gives as many streams as its elements have bytes, and none of them is too short.
fn divides(generation: Generation, typesize: usize, block_size: usize) -> bool {
    typesize <= MAX_STREAMS && block_size / typesize >= shortest(generation)
}
