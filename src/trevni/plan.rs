//! Which bytes of a file hold what: for sources that fetch before they read.
//!
//! ```text
//! column    count │ descriptors │ block │ block │ block │ block │
//! table     ├───── guessed ─────┤
//! rows                                  ├── blocks with such ───┤
//! parent                        ├── and those that a child's first block begins in ──┤
//! ```
//! Nothing is read here but tables that a [`FileReader`] does not have yet.

use std::ops::Range;
use std::sync::Arc;

use super::block::{self, BlockDescriptor};
use super::header::Header;
use super::reader::FileReader;
use super::value::ValueType;
use crate::error::{Error, Result};
use crate::io::ReadAt;
use crate::wire::Cursor;

/// Bytes of serialised values at which writers end a block, unless they are told otherwise.
const BLOCK: u64 = 1 << 16;

/// Rows at which writers end a packed block.
const BLOCK_ROWS: u64 = 1 << 14;

/// What blocks of unknown size are taken to come to at least, stored.
const SMALL_BLOCK: u64 = 1 << 11;

impl Header {
    /// The bytes of a column in a file of `len` bytes: its block table, then its blocks.
    pub(crate) fn span(&self, column: usize, len: u64) -> Range<u64> {
        let start = self.start(column).unwrap_or(len);
        start..self.start(column + 1).unwrap_or(len).clamp(start, len.max(start))
    }

    /// Where a column's block table is taken to lie. It may be longer if blocks are unusually small, or if it has
    /// long first values.
    pub(super) fn table(&self, column: usize, len: u64) -> Range<u64> {
        let span = self.span(column, len);
        let stored = span.end - span.start;
        let meta = self.columns.get(column);
        let plain = meta.filter(|column| !column.is_array() && column.parent().is_none());
        let width = plain.and_then(|column| width(column.value_type()));
        let values = width.map(|bits| self.rows.saturating_mul(bits).div_ceil(8));
        let blocks = match values {
            Some(bytes) => bytes / BLOCK + self.rows / BLOCK_ROWS + 2,
            None => stored / SMALL_BLOCK + 16,
        };
        let least = if meta.is_some_and(|column| column.is_indexed()) { 32 } else { 0 };
        let guess = 4 + blocks.saturating_mul(block::DESCRIPTOR + least);
        span.start..span.start.saturating_add(guess).min(span.end)
    }
}

/// The most bits of a value, if there is a bound.
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

/// A block table, or how many bytes it takes from the start of its column, at least.
pub(super) enum Table {
    Whole(Vec<BlockDescriptor>),
    Longer(u64),
}

/// Reads a block table from the first bytes of its column, as many as there are.
pub(super) fn read_table(header: &Header, column: usize, len: u64, bytes: &[u8]) -> Result<Table> {
    let Some(meta) = header.columns.get(column) else {
        return Err(Error::invalid(format!("no column {column}")));
    };
    let span = header.span(column, len);
    let mut cursor = Cursor::new(bytes);
    let most = span.end - span.start;
    let longer = |least: u64| match bytes.len() as u64 {
        // There is no more than the whole column.
        whole if whole >= most => None,
        there => Some(Table::Longer(least.max(there.saturating_mul(2)).min(most))),
    };
    let place = |e: Error| e.at(span.start).in_column(meta.name());
    let count = match cursor.fixed32("block count") {
        Err(e) if e.is_truncated() => return longer(4).ok_or_else(|| place(e)),
        count => count.map_err(place)?,
    };
    let (checksum, at) = (header.checksum(column)?, span.start.saturating_add(4));
    match block::read_descriptors(meta, count, checksum, cursor.rest(), at) {
        Err(e) if e.is_truncated() => {
            let least = 4 + u64::from(count) * block::DESCRIPTOR;
            if least > most {
                return Err(place(e));
            }
            longer(least).ok_or_else(|| place(e))
        }
        blocks => {
            let blocks = blocks.map_err(place)?;
            header.check_blocks(column, len, &blocks).map_err(place)?;
            Ok(Table::Whole(blocks))
        }
    }
}

impl<R: ReadAt> FileReader<R> {
    /// The bytes that are likely to hold the block tables of these columns and of their parents, a range each. Only a
    /// table itself says how long it is.
    pub fn table_ranges(&self, columns: &[usize]) -> Vec<Range<u64>> {
        let (header, len) = (self.header(), self.file_len());
        let columns = self.tree().with_ancestors(columns);
        columns.into_iter().map(|column| header.table(column, len)).collect()
    }

    /// The bytes of the blocks that reading these rows, ascending ranges, of these columns opens: those that have
    /// such rows, and of parents also those with the rows that a child's first block begins with. Tables that have
    /// not been read are read.
    pub fn block_ranges(&self, columns: &[usize], rows: &[Range<u64>]) -> Result<Vec<Range<u64>>> {
        let lanes = self.tree().with_ancestors(columns);
        let tables = lanes.iter().map(|column| self.blocks(*column)).collect::<Result<Vec<_>>>()?;
        let place = |column: usize| lanes.binary_search(&column).ok();
        let parents: Vec<_> =
            lanes.iter().map(|column| self.tree().parent(*column).and_then(place)).collect();
        let checksums = lanes
            .iter()
            .map(|column| self.header().checksum(*column))
            .collect::<Result<Vec<_>>>()?;
        let mut wanted = Vec::new();
        for rows in rows.iter().filter(|rows| !rows.is_empty()) {
            for (blocks, checksum) in first_blocks(&tables, &parents, rows).zip(&checksums) {
                let n = blocks.partition_point(|block| block.first_row < rows.end);
                let last = n.checked_sub(1).and_then(|last| blocks.get(last));
                if let (Some(first), Some(last)) = (blocks.first(), last) {
                    wanted.push(first.offset..last.offset + last.stored_size(*checksum));
                }
            }
        }
        Ok(wanted)
    }
}

/// The blocks of each lane from the one on that reading begins with.
fn first_blocks<'a>(
    tables: &'a [Arc<[BlockDescriptor]>],
    parents: &[Option<usize>],
    rows: &Range<u64>,
) -> impl Iterator<Item = &'a [BlockDescriptor]> + use<'a> {
    let mut needed = vec![rows.start; tables.len()];
    let mut firsts = vec![0; tables.len()];
    let lanes = tables.iter().zip(parents).zip(&mut firsts).enumerate().rev();
    for (lane, ((blocks, parent), first)) in lanes {
        let row = needed.get(lane).copied().unwrap_or(rows.start);
        *first = blocks.partition_point(|block| block.end_row() <= row);
        let start = blocks.get(*first).map_or(row, |block| block.first_row);
        if let Some(parent) = parent.and_then(|parent| needed.get_mut(parent)) {
            *parent = start.min(*parent);
        }
    }
    tables.iter().zip(firsts).map(|(blocks, first)| blocks.get(first..).unwrap_or_default())
}
