//! Reads the stored bytes of the blocks that a prefetch decodes next.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;

use super::file_reader::FileReader;
use crate::checksum::Checksum;
use crate::error::Result;
use crate::format::block::BlockDescriptor;
use crate::io::ReadAt;

/// The stored bytes of the next blocks, each with the index of its block.
pub(crate) type StoredBlocks = VecDeque<(usize, Bytes)>;

/// The blocks of a column, and the one to read next.
pub(crate) struct BlockFetcher {
    pub(crate) blocks: Arc<[BlockDescriptor]>,
    pub(crate) checksum: Checksum,
    pub(crate) next: usize,
}

impl BlockFetcher {
    /// Reads the blocks that begin before a row.
    pub(crate) fn fetch<R: ReadAt>(&self, file: &FileReader<R>, end: u64) -> Result<StoredBlocks> {
        let blocks = self.blocks.iter().enumerate().skip(self.next);
        let blocks = blocks.take_while(|(_, block)| block.first_row < end);
        blocks.map(|(i, block)| Ok((i, file.read_block(block, self.checksum)?))).collect()
    }
}
