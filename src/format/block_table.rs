//! Block tables: the descriptors before the blocks of a column.
//!
//! ```text
//! column   fixed32 count │ descriptor │ descriptor │ ... │ block │ block │ ...
//! span     ├──────────────────────────────── up to the next column ────────────────┤
//! ```
//! The length of a table depends on its count and, for an indexed column, on its first values. (Specification:
//! "Column".)

use std::ops::Range;

use super::block::{self, BlockDescriptor};
use super::header::Header;
use super::value::ValueType;
use crate::defaults::BLOCK_SIZE;
use crate::error::{Error, Result};
use crate::wire::Cursor;

/// The bytes of the block count.
pub(crate) const COUNT: u64 = 4;

/// The assumed minimum stored size of a block of unknown size.
const SMALL_BLOCK: u64 = 1 << 11;

/// Returns the most bits of a value, if there is a bound.
fn width(value_type: ValueType) -> Option<u64> {
    match value_type {
        ValueType::Null => Some(0),
        ValueType::Boolean => Some(1),
        ValueType::Int => Some(40),
        ValueType::Long => Some(80),
        ValueType::Fixed32 | ValueType::Float => Some(32),
        ValueType::Fixed64 | ValueType::Double => Some(64),
        ValueType::String | ValueType::Bytes => None,
    }
}

/// A block table, or the minimum number of bytes that are needed to read it.
pub(crate) enum Table {
    Whole(Vec<BlockDescriptor>),
    Longer(u64),
}

/// Blocks of a value codec rarely have fewer rows.
const FEW_ROWS: u64 = 16_384;

impl Header {
    /// Returns the bytes of a column in a file of `len` bytes: its block table, then its blocks.
    pub(crate) fn span(&self, column: usize, len: u64) -> Range<u64> {
        let start = self.start(column).unwrap_or(len);
        start..self.start(column + 1).unwrap_or(len).clamp(start, len.max(start))
    }

    /// Returns the estimated byte range of the block table of a column. The table may be longer if blocks are
    /// unusually small or first values long.
    pub(crate) fn table_span(&self, column: usize, len: u64) -> Range<u64> {
        let span = self.span(column, len);
        let stored = span.end - span.start;
        let meta = self.columns.get(column);
        let plain = meta.filter(|column| !column.is_array() && column.parent().is_none());
        let width = plain.and_then(|column| width(column.value_type()));
        let values = width.map(|bits| self.rows.saturating_mul(bits).div_ceil(8));
        let blocks = match values {
            Some(bytes) => bytes / BLOCK_SIZE as u64 + self.rows / FEW_ROWS + 2,
            None => stored / SMALL_BLOCK + 16,
        };
        let least = if meta.is_some_and(|column| column.is_indexed()) { 32 } else { 0 };
        let guess = COUNT + blocks.saturating_mul(block::DESCRIPTOR + least);
        span.start..span.start.saturating_add(guess).min(span.end)
    }

    /// Reads a block table from the first bytes of its column, as many as there are.
    pub(crate) fn read_table(&self, column: usize, len: u64, bytes: &[u8]) -> Result<Table> {
        let Some(meta) = self.columns.get(column) else {
            return Err(Error::invalid(format!("no column {column}")));
        };
        let span = self.span(column, len);
        let mut cursor = Cursor::new(bytes);
        let most = span.end - span.start;
        let longer = |least: u64| match bytes.len() as u64 {
            // The table cannot exceed the column.
            whole if whole >= most => None,
            available => Some(Table::Longer(least.max(available.saturating_mul(2)).min(most))),
        };
        let place = |e: Error| e.at(span.start).in_column(meta.name());
        let count = match cursor.fixed32("block count") {
            Err(e) if e.is_truncated() => return longer(COUNT).ok_or_else(|| place(e)),
            count => count.map_err(place)?,
        };
        let (checksum, at) = (self.checksum(column)?, span.start.saturating_add(COUNT));
        match block::read_descriptors(meta, count, checksum, cursor.rest(), at) {
            Err(e) if e.is_truncated() => {
                let least = COUNT + u64::from(count) * block::DESCRIPTOR;
                if least > most {
                    return Err(place(e));
                }
                longer(least).ok_or_else(|| place(e))
            }
            blocks => {
                let blocks = blocks.map_err(place)?;
                self.check_blocks(column, len, &blocks).map_err(place)?;
                Ok(Table::Whole(blocks))
            }
        }
    }

    /// Compares the blocks of a column with the rows of the file, and with where the next column starts.
    pub(crate) fn check_blocks(
        &self,
        column: usize,
        len: u64,
        blocks: &[BlockDescriptor],
    ) -> Result<()> {
        let start = self.start(column).unwrap_or(len);
        let checksum = self.checksum(column)?;
        let end =
            blocks.last().map_or(start + COUNT, |last| last.offset + last.stored_size(checksum));
        let bound = self.start(column + 1).unwrap_or(len);
        if end > bound {
            return Err(Error::malformed(format!("blocks end at {end}, past {bound}")).at(start));
        }
        let rows: u64 = blocks.iter().map(|block| u64::from(block.rows)).sum();
        if rows != self.rows {
            let (expected, what) = (self.rows, "blocks hold");
            return Err(Error::malformed(format!("{what} {rows} rows of {expected}")).at(start));
        }
        Ok(())
    }
}
