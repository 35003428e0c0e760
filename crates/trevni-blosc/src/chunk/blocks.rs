//! Divides a chunk into blocks, and blocks into streams.
//!
//! ```text
//! nbytes      [ block 0 | block 1 | .. | last ]     the last may be shorter, and then is one stream
//! a block     [ stream 0 | .. | stream typesize-1 ]   equal parts, if blocks are split
//! ```

use super::split::divides;
use super::{Content, Generation, Header};
use trevni::{Error, Result};

/// How the bytes of a chunk are divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Blocks {
    nbytes: usize,
    block_size: usize,
    streams: usize,
}

impl Blocks {
    /// Returns the blocks that a header tells of.
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

    /// Returns the bytes of all.
    pub(super) fn nbytes(&self) -> usize {
        self.nbytes
    }

    /// Returns how many there are.
    pub(super) fn count(&self) -> usize {
        self.nbytes.div_ceil(self.block_size)
    }

    /// Returns the bytes of a block, but for the last.
    pub(super) fn size(&self) -> usize {
        self.block_size
    }

    /// Returns the number of streams of a block of this size.
    pub(super) fn streams(&self, len: usize) -> usize {
        if len < self.block_size { 1 } else { self.streams }
    }

    /// Returns how many streams all have.
    pub(super) fn all_streams(&self) -> usize {
        let whole = self.nbytes / self.block_size;
        whole * self.streams + usize::from(!self.nbytes.is_multiple_of(self.block_size))
    }
}
