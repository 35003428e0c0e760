//! Describes how one block is stored, for people who look at a file.

use super::block_decoder::BlockDecoder;
use super::file_reader::FileReader;
use crate::checksum::Verdict;
use crate::error::{Error, Result};
use crate::io::ReadAt;

/// How a block is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockEncoding {
    /// The encodings of the values, such as `dictionary of 3 (codes: frame of reference, 2 bits)`; `plain` unless the
    /// codec chooses them.
    pub encoding: String,
    /// The CRC-32 that is stored behind the block, if there is one.
    pub checksum: Option<u32>,
    /// Whether it was compared with the block.
    pub is_verified: bool,
}

impl<R: ReadAt> FileReader<R> {
    /// Reads a block, verifies its checksum, and returns how its values are encoded.
    ///
    /// # Errors
    /// Those of reading the block; `Invalid` if there is no such column or block.
    pub fn block_encoding(&self, column: usize, block: usize) -> Result<BlockEncoding> {
        let name = self.column(column)?.name();
        let blocks = self.blocks(column)?;
        let descriptor = blocks.get(block);
        let descriptor = descriptor
            .ok_or_else(|| Error::invalid(format!("no block {block}")).in_column(name))?;
        let open = || {
            let mut decoder = BlockDecoder::new(self.header(), column, *self.limits())?;
            let stored = self.read_block(descriptor, decoder.checksum())?;
            let behind = stored.get(descriptor.compressed_size as usize..);
            let checksum = behind.and_then(|behind| behind.first_chunk().copied());
            let verdict = decoder.open(descriptor, stored)?;
            Ok(BlockEncoding {
                encoding: decoder.encoding(),
                checksum: checksum.map(u32::from_be_bytes),
                is_verified: verdict == Verdict::Verified,
            })
        };
        open().map_err(|e: Error| e.in_block_at(block, descriptor.offset).in_column(name))
    }
}
