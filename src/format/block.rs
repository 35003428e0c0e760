//! Block descriptors. A block holds complete rows of one column, compressed and with a checksum.
//!
//! ```text
//! descriptor   fixed32 rows, fixed32 size before codec, fixed32 size after codec,
//!              then the first value, if the column has trevni.values
//! block        payload (size after codec), checksum of the bytes before the codec
//! ```
//! Sizes leave the checksum out. (Specification: "Block Descriptor", "Block".)

use super::column_metadata::ColumnMetadata;
use super::value::Value;
use crate::checksum::Checksum;
use crate::error::{Error, Result};
use crate::wire::{self, Cursor};

/// The bytes of a descriptor without a first value.
pub(crate) const DESCRIPTOR: u64 = 12;

/// The descriptor of a block.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockDescriptor {
    /// Rows in the block; of children too, rows of the file.
    pub rows: u32,
    /// Bytes before the codec.
    pub uncompressed_size: u32,
    /// Bytes after the codec, without the checksum.
    pub compressed_size: u32,
    /// The first value, if the column is indexed.
    pub first_value: Option<Value<'static>>,
    /// The first row of the block in the file; not stored, but summed up.
    pub first_row: u64,
    /// Where the block starts in the file; not stored, but summed up.
    pub offset: u64,
}

impl BlockDescriptor {
    pub(crate) fn put(&self, column: &ColumnMetadata, out: &mut Vec<u8>) {
        wire::put_fixed32(out, self.rows);
        wire::put_fixed32(out, self.uncompressed_size);
        wire::put_fixed32(out, self.compressed_size);
        if let Some(value) = &self.first_value {
            value.put(column.value_type(), out);
        }
    }

    fn take(column: &ColumnMetadata, cursor: &mut Cursor<'_>) -> Result<Self> {
        const WHAT: &str = "block descriptor";
        let rows = cursor.fixed32(WHAT)?;
        let uncompressed_size = cursor.fixed32(WHAT)?;
        let compressed_size = cursor.fixed32(WHAT)?;
        let first_value =
            column.is_indexed().then(|| Value::take(column.value_type(), cursor)).transpose()?;
        Ok(Self { rows, uncompressed_size, compressed_size, first_value, first_row: 0, offset: 0 })
    }

    /// Returns the row after the last of the block.
    pub fn end_row(&self) -> u64 {
        self.first_row + u64::from(self.rows)
    }
}

/// Reads the descriptors of a column, which begin at `offset` in the file. If `bytes` is only a prefix of them, the
/// error is a truncated one.
pub(crate) fn read_descriptors(
    column: &ColumnMetadata,
    count: u32,
    checksum: Checksum,
    bytes: &[u8],
    offset: u64,
) -> Result<Vec<BlockDescriptor>> {
    let mut cursor = Cursor::new(bytes);
    let mut blocks = Vec::new();
    for _ in 0..count {
        blocks.push(BlockDescriptor::take(column, &mut cursor)?);
    }
    let (mut row, mut at) = (0u64, offset.saturating_add(cursor.position()));
    for block in &mut blocks {
        (block.first_row, block.offset) = (row, at);
        row += u64::from(block.rows);
        at = at.saturating_add(block.stored_size(checksum));
    }
    Ok(blocks)
}

impl BlockDescriptor {
    /// Returns the bytes of the block in the file, its checksum included.
    pub fn stored_size(&self, checksum: Checksum) -> u64 {
        u64::from(self.compressed_size) + checksum.size() as u64
    }
}

/// Returns a size that a descriptor can hold.
pub(crate) fn block_size(len: usize) -> Result<u32> {
    u32::try_from(len).map_err(|_| Error::too_large("block", len as u64, u64::from(u32::MAX)))
}
