//! Writes the blocks of one column.
//!
//! ```text
//! rows ──► as many as surely start before the block is full ──► encode ──► ... ──► cut ──► full blocks
//! ```
//! The maximum size of rows is known without encoding them, so the block size is checked a few times per block
//! instead of once per row.

use std::ops::Range;
use std::sync::Arc;

use super::block_compressor::{
    BlockCompressor, CompressedBlock, IdleCompressors, RawBlock, SealQueue,
};
use super::encoding_choice::{EncodingSample, EncodingSampling};
use super::file_summary::ColumnSummary;
use super::packed_column_writer::{PackedColumnWriter, Packing};
use crate::checksum::Checksum;
use crate::codec::Codec;
use crate::defaults::{BLOCK_SIZE, PACK_BLOCK_ROWS, PACK_BLOCK_SIZE};
use crate::error::{Error, Result};
use crate::format::block::BlockDescriptor;
use crate::format::column_data::ColumnSlice;
use crate::format::column_metadata::ColumnMetadata;
use crate::format::header::{Header, Version};
use crate::format::plain::encode::Encoder;
use crate::format::row_offsets::{Spans, first_not};
use crate::format::value::{Value, ValueType};
use crate::format::values_ref::ValuesRef;
use crate::pack::Options;
use crate::stats::collector::{CollectedStatistics, StatisticsCollector};
use crate::stats::column_statistics::ColumnStatisticsWriter;

/// Fills the blocks of one column.
pub(crate) struct ColumnWriter {
    column: ColumnMetadata,
    block_size: usize,
    encoder: Encoder,
    rows: u32,
    first_value: Option<Value<'static>>,
    /// Collects the statistics of the block.
    collector: Option<StatisticsCollector>,
    statistics: ColumnStatisticsWriter,
    compressor: Arc<BlockCompressor>,
    /// Fills the blocks instead, if the codec takes values.
    packer: Option<PackedColumnWriter>,
    /// The first blocks, while it is open how the column is best written.
    sample: Option<EncodingSample>,
    sampled: Vec<CompressedBlock>,
    full: Vec<RawBlock>,
    /// Memory for the next block.
    reusable: Vec<Vec<u8>>,
    pub(crate) blocks: usize,
    pub(crate) descriptors: Vec<u8>,
    sizes: (u64, u64),
}

/// How blocks are cut and compressed.
#[derive(Debug, Clone)]
pub(crate) struct BlockSettings {
    /// Bytes at which a block ends; each kind of codec has its own default.
    pub(crate) bytes: Option<usize>,
    /// Rows at which a block of the value codec ends.
    pub(crate) rows: usize,
    /// The level of codecs that have one.
    pub(crate) level: Option<i32>,
    /// In hundredths of what they take by themselves: what strings must take less as symbols.
    pub(crate) fsst_threshold: u8,
}

impl Default for BlockSettings {
    fn default() -> Self {
        let Options { fsst_threshold, .. } = Options::default();
        Self { bytes: None, rows: PACK_BLOCK_ROWS, level: None, fsst_threshold }
    }
}

/// More rows than this in a block, and their number might not fit the reference's signed int.
const MOST_ROWS: u32 = 1 << 30;

impl ColumnWriter {
    pub(crate) fn new(
        header: &Header,
        i: usize,
        blocks: &BlockSettings,
        sampling: EncodingSampling,
        idle: &IdleCompressors,
    ) -> Result<Self> {
        let column = header.columns.get(i).cloned();
        let mut column = column.ok_or_else(|| Error::invalid("no such column"))?;
        let statistics = ColumnStatisticsWriter::take(&mut column);
        let collector = statistics.collector(&column);
        let in_column = |e: Error| e.in_column(column.name());
        let checksum = header.checksum(i).map_err(in_column)?;
        if checksum == Checksum::SpecifiedCrc32 {
            let what = "checksum \"crc-32\" is only read; \"crc32\" is what other readers know";
            return Err(in_column(Error::unsupported(what)));
        }
        if column.is_indexed() && (column.is_array() || column.parent().is_some()) {
            return Err(in_column(Error::invalid("an array column or child has no first values")));
        }
        let (codec, with_runs) = (header.codec(i)?, header.version >= Version::V2);
        let packing = Packing {
            options: Options {
                fsst_threshold: blocks.fsst_threshold,
                zstd: codec == Codec::PackZstd,
            },
            codec,
            level: blocks.level,
            checksum,
            with_runs,
            block_rows: blocks.rows,
            block_bytes: blocks.bytes.unwrap_or(PACK_BLOCK_SIZE),
        };
        codec.check_level(blocks.level).map_err(in_column)?;
        let packer = || PackedColumnWriter::new(&column, packing, collector.clone());
        let packer = codec.is_value_codec().then(packer);
        let packer = packer.transpose().map_err(in_column)?;
        let codec = if packer.is_some() { Codec::Null } else { codec };
        let compressor = BlockCompressor::new(codec, blocks.level, checksum, idle);
        let compressor = compressor.map_err(in_column)?;
        Ok(Self {
            block_size: blocks.bytes.unwrap_or(BLOCK_SIZE),
            encoder: Encoder::new(with_runs),
            rows: 0,
            first_value: None,
            collector,
            statistics,
            sample: EncodingSample::of(&column, compressor.codec(), sampling),
            compressor: Arc::new(compressor),
            packer,
            sampled: Vec::new(),
            full: Vec::new(),
            reusable: Vec::new(),
            blocks: 0,
            descriptors: Vec::new(),
            sizes: (0, 0),
            column,
        })
    }

    /// Returns the column as it is written, without statistics.
    pub(crate) fn column(&self) -> &ColumnMetadata {
        &self.column
    }

    /// Returns the column as it is written, with statistics.
    pub(crate) fn finished(&self) -> ColumnMetadata {
        self.statistics.finish(&self.column)
    }

    /// Returns whether rows can be slots.
    pub(crate) fn takes_slots(&self) -> bool {
        self.packer.is_some()
    }

    /// Returns the bytes of blocks that are not compressed yet.
    pub(crate) fn memory_size(&self) -> usize {
        let sample = self.sample.as_ref().map_or(0, EncodingSample::bytes);
        let sample = sample + self.packer.as_ref().map_or(0, PackedColumnWriter::memory_size);
        self.encoder.bytes.len() + sample + self.full.iter().map(|b| b.bytes.len()).sum::<usize>()
    }

    /// Appends some of the rows of a slice.
    pub(crate) fn write(
        &mut self,
        rows: Range<usize>,
        slice: &ColumnSlice<'_>,
        lengths: &Spans<'_>,
        values: &Spans<'_>,
    ) -> Result<()> {
        if let Some(packer) = &mut self.packer {
            let indexed = self.column.is_indexed();
            return packer.write(rows, slice, lengths, values, |row| {
                slice.values.get(row).filter(|_| indexed).map(Value::into_owned)
            });
        }
        let Range { start: mut row, end: rows } = rows;
        while row < rows {
            if self.encoder.bytes.len() >= self.block_size || self.rows >= MOST_ROWS {
                self.cut()?;
            }
            if self.rows == 0 && self.column.is_indexed() {
                self.first_value = slice.values.get(row).map(Value::into_owned);
            }
            let end = self.fitting(row, rows, slice, lengths, values);
            let values = values.range(row, end);
            self.encode(slice, lengths.range(row, end), values.clone());
            // After encoding, while the values are in the cache.
            if let Some(collector) = &mut self.collector {
                collector.add_of(slice, self.column.value_type(), values);
            }
            self.rows += u32::try_from(end - row).unwrap_or(MOST_ROWS);
            row = end;
        }
        Ok(())
    }

    /// Returns the end of the rows from `row`, at least one, that start before the block is full.
    fn fitting(
        &self,
        row: usize,
        rows: usize,
        slice: &ColumnSlice<'_>,
        lengths: &Spans<'_>,
        values: &Spans<'_>,
    ) -> usize {
        let room = self.block_size - self.encoder.bytes.len().min(self.block_size);
        let rows = rows.min(row + (MOST_ROWS - self.rows) as usize);
        let most_bytes = |end: usize| {
            let counts = if self.column.is_array() { lengths.range(row, end).len() * 5 } else { 0 };
            let values = values.range(row, end);
            counts
                + match (self.column.value_type().most_bytes(), slice.values) {
                    (Some(width), _) => values.len() * width,
                    (None, ValuesRef::Bytes { offsets, .. }) => {
                        offsets.bytes_between(values.clone()) + values.len() * 10
                    }
                    (None, _) => 0,
                }
        };
        // The last row that starts before the bound may exceed it.
        first_not(row + 1, rows, |end| most_bytes(end) < room)
    }

    fn encode(&mut self, slice: &ColumnSlice<'_>, lengths: Range<usize>, values: Range<usize>) {
        let fixed = matches!(self.column.value_type(), ValueType::Fixed32 | ValueType::Fixed64);
        match slice.lengths {
            Some(all) => {
                let lengths = all.get(lengths).unwrap_or_default();
                self.encoder.arrays(lengths, slice.values, values.start, fixed);
            }
            None if self.column.is_array() => {
                if let ValuesRef::Boolean { bits, offset, .. } = slice.values {
                    self.encoder.presence(bits, offset, lengths);
                }
            }
            None if fixed => self.encoder.fixed(slice.values, values),
            None => self.encoder.values(slice.values, values),
        }
    }

    /// Ends the block, if it has rows.
    fn cut(&mut self) -> Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        self.encoder.finish();
        let raw = RawBlock {
            bytes: self.encoder.replace(self.reusable.pop().unwrap_or_default()),
            rows: std::mem::take(&mut self.rows),
            first_value: self.first_value.take(),
            collected: self.collector.as_mut().map(StatisticsCollector::take).unwrap_or_default(),
        };
        match &mut self.sample {
            Some(sample) => {
                if sample.push(raw) {
                    self.fill_nulls()?;
                }
            }
            None => self.full.push(raw),
        }
        Ok(())
    }

    /// Ends the last block.
    pub(crate) fn finish(&mut self) -> Result<()> {
        if let Some(packer) = &mut self.packer {
            packer.cut();
        }
        self.cut()?;
        self.fill_nulls()
    }

    /// Chooses the encoding of the column, and compresses the sampled blocks.
    fn fill_nulls(&mut self) -> Result<()> {
        let Some(sample) = self.sample.take() else { return Ok(()) };
        let filled = sample.fill_nulls(&self.column, &self.compressor)?;
        if let Some(codec) = filled.codec {
            self.column = self.column.clone().with_codec(codec);
        }
        if let Some(value_type) = filled.value_type {
            self.column = self.column.clone().with_value_type(value_type);
        }
        if filled.codec.is_some() || filled.value_type.is_some() {
            let codec = filled.codec.unwrap_or_else(|| self.compressor.codec());
            self.compressor = Arc::new(self.compressor.with(codec)?);
        }
        self.sampled = filled.blocks;
        Ok(())
    }

    /// Pushes full blocks to the queue.
    pub(crate) fn send(&mut self, column: usize, queue: &mut SealQueue) -> Result<()> {
        self.sampled.drain(..).for_each(|compressed| queue.push_sealed(column, compressed));
        if let Some(packer) = &mut self.packer {
            return packer.send(column, queue);
        }
        // As many blocks as were filled since the last time may be the next time.
        let wanted = self.full.len().max(1);
        for raw in self.full.drain(..) {
            let compressor = self.compressor.clone();
            queue.push(column, raw.bytes.len(), move |stored| compressor.compress(raw, stored))?;
        }
        while self.reusable.len() < wanted
            && let Some(memory) = queue.memory()
        {
            self.reusable.push(memory);
        }
        Ok(())
    }

    /// Notes a block that is compressed.
    pub(crate) fn note(&mut self, descriptor: &BlockDescriptor, collected: CollectedStatistics) {
        self.statistics.note(descriptor, collected);
        descriptor.put(&self.column, &mut self.descriptors);
        self.blocks += 1;
        self.sizes.0 += u64::from(descriptor.uncompressed_size);
        self.sizes.1 += u64::from(descriptor.compressed_size);
    }

    pub(crate) fn summary(&self) -> ColumnSummary {
        let (uncompressed_size, compressed_size) = self.sizes;
        let (name, blocks) = (self.column.name().to_owned(), self.blocks as u64);
        ColumnSummary { name, blocks, uncompressed_size, compressed_size }
    }
}
