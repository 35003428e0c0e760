//! The byte ranges of rows and columns in a file, for sources that fetch before they read.
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

use super::file_reader::FileReader;
use crate::error::Result;
use crate::format::block::BlockDescriptor;
use crate::io::ReadAt;

impl<R: ReadAt> FileReader<R> {
    /// Returns the estimated byte ranges of the block tables of these columns and their parents. Only a table
    /// itself has its exact length.
    pub fn table_ranges(&self, columns: &[usize]) -> Vec<Range<u64>> {
        let (header, len) = (self.header(), self.file_len());
        let columns = self.tree().with_ancestors(columns);
        columns.into_iter().map(|column| header.table_span(column, len)).collect()
    }

    /// Returns the longest gap of rows, `most` at most, that has no whole block of these columns or their parents: none
    /// is opened for such a gap. The last block of a column may be shorter, since a gap is not at the end.
    #[cfg(feature = "arrow")]
    pub(crate) fn gap_within_blocks(&self, columns: &[usize], most: u64) -> Result<u64> {
        self.tree().with_ancestors(columns).into_iter().try_fold(most, |gap, column| {
            let blocks = self.blocks(column)?;
            let whole = blocks.split_last().map_or(&[][..], |(_, whole)| whole);
            let smallest = whole.iter().map(|block| u64::from(block.rows)).min();
            Ok(gap.min(smallest.map_or(most, |rows| rows.saturating_sub(1))))
        })
    }

    /// Returns the bytes of the blocks that reading these rows, ascending ranges, of these columns opens: those
    /// that have such rows, and of parents also those with the rows that a child's first block begins with. Tables
    /// that have not been read are read.
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

/// Returns the blocks of each column from the first that is read.
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
