//! A cursor over the blocks of one column.
//!
//! ```text
//! blocks    |--------|-----------|---------|--        next_block: the one to open next
//! rows               |----row    |                    row: the first not yet decoded
//!                         |------|                    rows_left: of the open block
//! ```

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;

use super::block_decoder::BlockDecoder;
use super::file_metadata::FileMetadata;
use super::file_reader::FileReader;
use super::read_metrics::ReadMetrics;
use crate::checksum::Checksum;
use crate::error::{Error, Result};
use crate::format::block::BlockDescriptor;
use crate::format::budget::{OpenBlocks, ReadBudget};
use crate::format::column_data::ColumnData;
use crate::format::column_metadata::ColumnMetadata;
use crate::format::header::Version;
use crate::format::value::ValueType;
use crate::format::values::Values;
use crate::io::ReadAt;

/// A cursor over the blocks of one column.
pub(crate) struct ColumnCursor {
    metadata: Arc<FileMetadata>,
    column: usize,
    value_type: ValueType,
    is_array: bool,
    /// The index of the parent's cursor.
    pub(crate) parent: Option<usize>,
    /// Where the caller wants the data; `None` for parents that are read for their counts.
    pub(crate) target: Option<usize>,
    /// What has been decoded; of counts alone if there is no target.
    pub(crate) data: ColumnData,
    blocks: Arc<[BlockDescriptor]>,
    opener: BlockDecoder,
    /// The memory of this cursor's block among those of all.
    memory: usize,
    open_blocks: OpenBlocks,
    metrics: Option<Arc<ReadMetrics>>,
    /// Whether first values are those of the blocks. Early writers of version 1 stored others there.
    has_first_values: bool,
    /// The first row not yet decoded.
    pub(crate) row: u64,
    next_block: usize,
    pub(crate) rows_left: u64,
    /// Values in the segment at hand: what its children have rows of.
    pub(crate) items: usize,
    /// Whether children are read, which need to know them.
    pub(crate) leads: bool,
    /// Memory for the rows of a block that are taken one by one.
    places: Vec<u32>,
}

/// Reads the stored bytes of a block, including its checksum.
pub(crate) trait Fetch: Fn(&BlockDescriptor, Checksum) -> Result<Bytes> {}

impl<F: Fn(&BlockDescriptor, Checksum) -> Result<Bytes>> Fetch for F {}

/// Ranges of fewer rows than this, on average, are taken row by row.
const FEW: usize = 8;

/// Returns how many rows of a block a range has.
fn count(rows: &Range<u64>) -> usize {
    usize::try_from(rows.end.saturating_sub(rows.start)).unwrap_or(usize::MAX)
}

impl ColumnCursor {
    pub(crate) fn new<R: ReadAt>(
        file: &FileReader<R>,
        column: usize,
        parent: Option<usize>,
        target: Option<usize>,
        open_blocks: &OpenBlocks,
    ) -> Result<Self> {
        let meta = file.column(column)?;
        let blocks = file.blocks(column)?;
        let in_column = |e: Error| e.in_column(meta.name());
        let opener = BlockDecoder::new(file.header(), column, *file.limits()).map_err(in_column)?;
        Ok(Self {
            data: ColumnData::of(meta),
            metadata: file.metadata().clone(),
            column,
            value_type: meta.value_type(),
            is_array: meta.is_array(),
            parent,
            target,
            blocks,
            opener,
            memory: 0,
            open_blocks: open_blocks.clone(),
            metrics: file.metrics().cloned(),
            has_first_values: file.header().version >= Version::V2,
            row: 0,
            next_block: 0,
            rows_left: 0,
            items: 0,
            leads: false,
            places: Vec::new(),
        })
    }

    fn name(&self) -> &str {
        self.metadata.header().columns.get(self.column).map_or("", ColumnMetadata::name)
    }

    /// Closes the open block; it is opened again if it has rows that are read.
    pub(crate) fn close(&mut self) {
        self.opener.close();
        self.rows_left = 0;
        self.open_blocks.release(std::mem::take(&mut self.memory));
    }

    fn count_memory(&mut self, memory: usize) -> Result<()> {
        self.open_blocks.replace(std::mem::take(&mut self.memory), memory)?;
        self.memory = memory;
        Ok(())
    }

    /// Sets the cursor before the block that contains `row`, unless that block is open and not past it. Returns the
    /// first row to be decoded.
    pub(crate) fn start_at(&mut self, row: u64) -> u64 {
        if self.row <= row && row < self.row + self.rows_left {
            return self.row;
        }
        self.next_block = self.blocks.partition_point(|block| block.end_row() <= row);
        self.rows_left = 0;
        self.row = self.blocks.get(self.next_block).map_or(row, |block| block.first_row);
        self.row
    }

    pub(crate) fn open_next(&mut self, fetch: &impl Fetch) -> Result<()> {
        let blocks = self.blocks.clone();
        let Some(block) = blocks.get(self.next_block) else {
            return Err(Error::malformed("no block for a row").in_column(self.name()));
        };
        let memory = self.opener.memory().max(self.opener.memory_of(block));
        self.count_memory(memory).map_err(|e| self.place(e, self.next_block))?;
        let stored = fetch(block, self.opener.checksum());
        let opened = stored.and_then(|stored| self.opener.open(block, stored)).map(|_| ());
        let opened = opened.and_then(|()| self.count_memory(self.opener.memory()));
        opened.map_err(|e| self.place(e, self.next_block))?;
        self.check_first_value(block).map_err(|e| self.place(e, self.next_block))?;
        if let Some(metrics) = &self.metrics {
            metrics.add_block();
        }
        self.rows_left = u64::from(block.rows);
        self.next_block += 1;
        self.close_if_done()
    }

    /// No checksum covers descriptors, so a first value is compared with the block's own.
    fn check_first_value(&self, block: &BlockDescriptor) -> Result<()> {
        let Some(expected) = &block.first_value else { return Ok(()) };
        if !self.has_first_values || block.rows == 0 {
            return Ok(());
        }
        match self.opener.starts_with(expected)? {
            true => Ok(()),
            false => Err(Error::malformed("the first value is not that of the descriptor")),
        }
    }

    /// Decodes `n` lengths or values of `k` rows into the cursor's data.
    pub(crate) fn read(&mut self, n: usize, k: u64, budget: &ReadBudget) -> Result<()> {
        if self.target.is_none() {
            return self.skip(n, k);
        }
        let result = self.within(budget, n, |cursor| cursor.decode(n, budget));
        self.advance(result, k)
    }

    /// Has `decode` append to the cursor's data: a value for each of `n` items, or any number, within a budget.
    fn within(
        &mut self,
        budget: &ReadBudget,
        n: usize,
        decode: impl FnOnce(&mut Self) -> Result<usize>,
    ) -> Result<usize> {
        let width = self.data.values.width();
        let lengths = self.data.lengths.is_some();
        budget.take(n, if lengths { size_of::<u32>() } else { width })?;
        let before = self.data.values.own_bytes();
        self.data.values.set_room(budget.left());
        let decoded = decode(self)?;
        budget.take(self.data.values.own_bytes() - before, 1)?;
        if lengths {
            budget.take(decoded, width)?;
        }
        Ok(decoded)
    }

    fn decode(&mut self, n: usize, budget: &ReadBudget) -> Result<usize> {
        let ColumnData { lengths, validity, values } = &mut self.data;
        match (lengths, validity, values) {
            (Some(lengths), _, values) => {
                let most = budget.left() / values.width().max(1);
                self.opener.arrays(n, lengths, values, most)
            }
            (None, Some(validity), values) if self.is_array => {
                self.opener.slots(n, validity, values)
            }
            (None, None, values) if self.is_array => match values {
                Values::Boolean(bits) if self.value_type == ValueType::Null => {
                    self.opener.presence(n, bits)
                }
                _ => Err(Error::invalid("no buffer for the lengths of an array column")),
            },
            (None, _, values) => self.opener.values(n, values).map(|()| n),
        }
    }

    /// Decodes the rows of ranges in `block`, after the last one decoded, of a column without a parent. Returns
    /// their number.
    pub(crate) fn read_ranges(
        &mut self,
        ranges: &[Range<u64>],
        block: &Range<u64>,
        budget: &ReadBudget,
    ) -> Result<usize> {
        let inside = |range: &Range<u64>| range.start.max(block.start)..range.end.min(block.end);
        let rows = ranges.iter().map(|range| count(&inside(range))).sum();
        // The rest of a block is read completely if it is short, which also checks its end.
        let few = rows < ranges.len() * FEW && (rows as u64) < self.rows_left;
        if few && self.opener.picks() && self.data.lengths.is_none() {
            self.pick(ranges.iter().map(inside), rows, budget)?;
            return Ok(rows);
        }
        for range in ranges.iter().map(inside).filter(|range| !range.is_empty()) {
            let gap = self.row..range.start;
            if !gap.is_empty() {
                self.skip(count(&gap), gap.end - gap.start)?;
            }
            self.read(count(&range), range.end - range.start, budget)?;
        }
        Ok(rows)
    }

    /// Decodes single rows.
    fn pick(
        &mut self,
        ranges: impl Iterator<Item = Range<u64>>,
        rows: usize,
        budget: &ReadBudget,
    ) -> Result<()> {
        let block = self.blocks.get(self.next_block.saturating_sub(1));
        let first = block.map_or(self.row, |block| block.first_row);
        let place = |row: u64| u32::try_from(row.saturating_sub(first)).unwrap_or(u32::MAX);
        self.places.clear();
        self.places.reserve(rows);
        let mut end = self.row;
        for range in ranges {
            (place(range.start)..place(range.end)).for_each(|place| self.places.push(place));
            end = end.max(range.end);
        }
        let picked = self.within(budget, rows, |cursor| {
            let ColumnData { validity, values, .. } = &mut cursor.data;
            match (validity, values) {
                (Some(validity), values) if cursor.is_array => {
                    cursor.opener.pick_slots(&cursor.places, validity, values)
                }
                (None, Values::Boolean(bits)) if cursor.is_array => {
                    cursor.opener.pick_presence(&cursor.places, bits)
                }
                (_, values) => cursor.opener.pick_values(&cursor.places, values).map(|()| rows),
            }
        });
        self.advance(picked, end - self.row)
    }

    /// Passes over `n` lengths or values of `k` rows, for the counts alone.
    pub(crate) fn skip(&mut self, n: usize, k: u64) -> Result<()> {
        let result = match self.is_array {
            true => self.opener.skip_arrays(n, self.leads),
            false => self.opener.skip_values(n).map(|()| n),
        };
        self.advance(result, k)
    }

    fn advance(&mut self, items: Result<usize>, k: u64) -> Result<()> {
        match items {
            Ok(items) => self.items = items,
            Err(e) => {
                // The position of the decoder is unspecified now: the block must be opened again.
                self.rows_left = 0;
                return Err(self.place_here(e));
            }
        }
        self.row += k;
        self.rows_left -= k;
        self.close_if_done()
    }

    fn close_if_done(&self) -> Result<()> {
        if self.rows_left > 0 {
            return Ok(());
        }
        self.opener.finish().map_err(|e| self.place_here(e))
    }

    /// Returns whether the strings of the open block may not fit after the decoded ones.
    pub(crate) fn would_overflow(&self) -> bool {
        match &self.data.values {
            Values::Bytes(strings) if self.target.is_some() => {
                let more = self.opener.size();
                i32::try_from(strings.data.len().saturating_add(more)).is_err()
            }
            _ => false,
        }
    }

    /// Names the open block in an error of its values.
    fn place_here(&self, e: Error) -> Error {
        self.place(e, self.next_block.saturating_sub(1))
    }

    fn place(&self, e: Error, block: usize) -> Error {
        let offset = self.blocks.get(block).map_or(0, |block| block.offset);
        e.in_block_at(block, offset).in_column(self.name())
    }
}

impl Drop for ColumnCursor {
    fn drop(&mut self) {
        self.open_blocks.release(self.memory);
    }
}
