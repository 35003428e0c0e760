//! Writes the blocks of a column with the value codec.
//!
//! ```text
//! rows ──► block_values, to 32,768 rows or 1 MiB ──► cut ──► pack, zstd, checksum ──► CompressedBlock
//!                                                 └ every 16th block: hints for it and the next
//! ```

use std::ops::Range;
use std::sync::{Arc, Mutex};

use super::block_compressor::{CompressedBlock, SealQueue};
use crate::checksum::Checksum;
use crate::codec::Codec;
use crate::error::Result;
use crate::format::block::{self, BlockDescriptor};
use crate::format::block_values::BlockValues;
use crate::format::column_data::ColumnSlice;
use crate::format::column_metadata::ColumnMetadata;
use crate::format::packed_block::{PACKED_ZSTD, SERIALISED, most_inflated};
use crate::format::row_offsets::{Spans, first_not};
use crate::format::value::{Value, ValueType};
use crate::format::values_ref::ValuesRef;
use crate::pack::{Distinct, GOOD_FOR, Hints, Options, Payload};
use crate::parallelism::threads;
use crate::stats::collector::StatisticsCollector;

/// How a column is packed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Packing {
    pub(crate) options: Options,
    pub(crate) codec: Codec,
    pub(crate) level: Option<i32>,
    pub(crate) checksum: Checksum,
    pub(crate) with_runs: bool,
    pub(crate) block_rows: usize,
    pub(crate) block_bytes: usize,
}

/// Fills the blocks of a column.
#[derive(Debug)]
pub(crate) struct PackedColumnWriter {
    packing: Packing,
    /// Collects the statistics of each block.
    collector: Option<StatisticsCollector>,
    value_type: ValueType,
    block_values: BlockValues,
    rows: usize,
    first_value: Option<Value<'static>>,
    hints: Arc<Hints>,
    cut: usize,
    full: Vec<FullBlock>,
    /// Memory for the values of the next blocks.
    reusable: Arc<Mutex<Vec<BlockValues>>>,
}

/// A block that is full.
#[derive(Debug)]
struct FullBlock {
    block_values: BlockValues,
    rows: u32,
    first_value: Option<Value<'static>>,
    hints: Arc<Hints>,
    /// The distinct strings, if they were computed for the hints.
    distinct: Option<Distinct>,
}

impl PackedColumnWriter {
    pub(crate) fn new(
        column: &ColumnMetadata,
        packing: Packing,
        collector: Option<StatisticsCollector>,
    ) -> Result<Self> {
        packing.codec.check_available()?;
        let value_type = column.value_type();
        Ok(Self {
            packing,
            collector,
            value_type,
            block_values: BlockValues::new(value_type),
            rows: 0,
            first_value: None,
            hints: Arc::default(),
            cut: 0,
            full: Vec::new(),
            reusable: Arc::default(),
        })
    }

    /// Returns the bytes of values that are not packed yet.
    pub(crate) fn memory_size(&self) -> usize {
        self.block_values.bytes()
            + self.full.iter().map(|full| full.block_values.bytes()).sum::<usize>()
    }

    /// Appends rows. `first` returns the value at a row, if the column is indexed.
    pub(crate) fn write(
        &mut self,
        rows: Range<usize>,
        slice: &ColumnSlice<'_>,
        lengths: &Spans<'_>,
        values: &Spans<'_>,
        first: impl Fn(usize) -> Option<Value<'static>>,
    ) -> Result<()> {
        let Range { start: mut row, end: rows } = rows;
        while row < rows {
            let full = self.rows >= self.packing.block_rows
                || self.block_values.bytes() >= self.packing.block_bytes;
            if full || !self.block_values.takes(slice) {
                self.cut();
            }
            if self.rows == 0 {
                self.first_value = first(row);
            }
            let end = self.fitting(row, rows, slice, values);
            self.block_values.append(slice, lengths.range(row, end), values.range(row, end))?;
            self.rows += end - row;
            row = end;
        }
        Ok(())
    }

    /// Returns the end of the rows from `row`, at least one, of which all but the last start before the block is
    /// full.
    fn fitting(
        &self,
        row: usize,
        rows: usize,
        slice: &ColumnSlice<'_>,
        values: &Spans<'_>,
    ) -> usize {
        let room = self.packing.block_bytes.saturating_sub(self.block_values.bytes());
        let rows = rows.min(row + self.packing.block_rows.saturating_sub(self.rows).max(1));
        let bytes = |end: usize| {
            let values = values.range(row, end);
            let width = self.value_type.most_bytes().unwrap_or(4).min(8);
            let text = match slice.values {
                ValuesRef::Bytes { offsets, .. } => offsets.bytes_between(values.clone()),
                _ => 0,
            };
            values.len() * width + text
        };
        if bytes(rows) < room {
            return rows;
        }
        first_not(row + 1, rows, |end| bytes(end) < room)
    }

    /// Ends the block, if it has rows.
    pub(crate) fn cut(&mut self) {
        if self.rows == 0 {
            return;
        }
        let mut distinct = None;
        if self.cut.is_multiple_of(GOOD_FOR) {
            let (hints, found) = self.block_values.hints(self.packing.options);
            (self.hints, distinct) = (Arc::new(hints), found);
        }
        self.cut += 1;
        let reusable = threads::lock(&self.reusable).pop();
        let next = reusable.unwrap_or_else(|| BlockValues::new(self.value_type));
        self.full.push(FullBlock {
            block_values: std::mem::replace(&mut self.block_values, next),
            rows: u32::try_from(std::mem::take(&mut self.rows)).unwrap_or(u32::MAX),
            first_value: self.first_value.take(),
            hints: self.hints.clone(),
            distinct,
        });
    }

    /// Pushes full blocks to the queue.
    pub(crate) fn send(&mut self, lane: usize, queue: &mut SealQueue) -> Result<()> {
        for full in self.full.drain(..) {
            let (packing, collector, reusable) =
                (self.packing, self.collector.clone(), self.reusable.clone());
            let bytes = full.block_values.bytes();
            queue.push(lane, bytes, move |stored| {
                let (compressed, mut block_values) = packing.compress(full, collector, stored)?;
                block_values.clear();
                threads::lock(&reusable).push(block_values);
                Ok(compressed)
            })?;
        }
        Ok(())
    }
}

impl Packing {
    /// Encodes a block and computes its checksum. `stored` is reused memory.
    fn compress(
        &self,
        full: FullBlock,
        collector: Option<StatisticsCollector>,
        mut stored: Vec<u8>,
    ) -> Result<(CompressedBlock, BlockValues)> {
        let FullBlock { mut block_values, rows, first_value, hints, distinct } = full;
        stored.clear();
        let mut payload = Payload::new(stored, self.codec == Codec::PackZstd);
        let (filled, encoder_statistics) =
            block_values.pack(self.with_runs, &hints, distinct, &mut payload);
        let collected = collector
            .map(|collector| block_values.collected(collector, filled.dense, &encoder_statistics));
        let collected = collected.unwrap_or_default();
        let size = block::block_size(usize::try_from(filled.size).unwrap_or(usize::MAX))?;
        let mut stored = self.pass(size as usize, payload)?;
        let serialised = || block_values.encode_plain(self.with_runs, filled.dense);
        debug_assert_eq!(serialised().len() as u64, filled.size);
        if stored.len() > size as usize {
            stored.clear();
            stored.push(SERIALISED);
            stored.extend(serialised());
        }
        let compressed_size = block::block_size(stored.len())?;
        if self.checksum.is_of_stored() {
            let proof = self.checksum.of(&stored);
            stored.extend(proof);
        } else if self.checksum.size() > 0 {
            self.checksum.put(&serialised(), &mut stored);
        }
        let descriptor = BlockDescriptor {
            rows,
            uncompressed_size: size,
            compressed_size,
            first_value,
            first_row: 0,
            offset: 0,
        };
        let reusable = Vec::new();
        Ok((
            CompressedBlock { stored, descriptor, collected, reusable, is_raw: false },
            block_values,
        ))
    }

    /// Compresses the payload with zstd, if the codec does so and it saves space.
    fn pass(&self, size: usize, payload: Payload) -> Result<Vec<u8>> {
        let len = payload.len();
        if self.codec != Codec::PackZstd || len > most_inflated(size) {
            return Ok(payload.into_bytes());
        }
        let mut passed = vec![PACKED_ZSTD];
        crate::wire::put_long(&mut passed, crate::pack::long(len - 1));
        let mut zstd = Codec::Zstd.compressor(self.level)?;
        zstd.compress_pieces(&payload.pieces(1), &mut passed)?;
        Ok(if passed.len() + len / 32 < len { passed } else { payload.into_bytes() })
    }
}
