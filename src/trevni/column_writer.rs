//! Fills and seals the blocks of one column.
//!
//! ```text
//! rows ──► as many as surely start before the block is full ──► encode ──► ... ──► cut ──► seal
//! ```
//! How many bytes some rows take at the most is known without encoding them, so that the block rule is looked
//! at a few times a block and not once a row.

use super::block::{self, BlockDescriptor};
use super::column::ColumnSlice;
use super::encode::Encoder;
use super::header::{Header, Version};
use super::metadata::ColumnMetadata;
use super::spans::Spans;
use super::summary::ColumnSummary;
use super::value::{Value, ValueType};
use super::values::ValuesRef;
use crate::checksum::Checksum;
use crate::codec::Compress;
use crate::error::{Error, Result};

/// Fills and seals the blocks of one column.
pub(super) struct ColumnWriter {
    column: ColumnMetadata,
    checksum: Checksum,
    compressor: Box<dyn Compress>,
    block_size: usize,
    pub(super) encoder: Encoder,
    rows: u32,
    first_value: Option<Value<'static>>,
    sealed: Vec<u8>,
    pub(super) blocks: usize,
    pub(super) descriptors: Vec<u8>,
    sizes: (u64, u64),
}

/// More rows than this in a block, and their number might not fit the reference's signed int.
const MOST_ROWS: u32 = 1 << 30;

impl ColumnWriter {
    pub(super) fn new(
        header: &Header,
        i: usize,
        block_size: usize,
        level: Option<i32>,
    ) -> Result<Self> {
        let column = header.columns.get(i).cloned();
        let column = column.ok_or_else(|| Error::invalid("no such column"))?;
        let in_column = |e: Error| e.in_column(column.name());
        let checksum = header.checksum(i).map_err(in_column)?;
        if checksum == Checksum::SpecifiedCrc32 {
            let what = "checksum \"crc-32\" is only read; \"crc32\" is what other readers know";
            return Err(in_column(Error::unsupported(what)));
        }
        if column.is_indexed() && (column.is_array() || column.parent().is_some()) {
            return Err(in_column(Error::invalid("an array column or child has no first values")));
        }
        Ok(Self {
            checksum,
            compressor: header.codec(i)?.compressor(level).map_err(in_column)?,
            block_size,
            encoder: Encoder::new(header.version >= Version::V2),
            rows: 0,
            first_value: None,
            sealed: Vec::new(),
            blocks: 0,
            descriptors: Vec::new(),
            sizes: (0, 0),
            column,
        })
    }

    pub(super) fn write(
        &mut self,
        rows: usize,
        slice: &ColumnSlice<'_>,
        lengths: &Spans<'_>,
        values: &Spans<'_>,
        mut sealed: impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let mut row = 0;
        while row < rows {
            if self.encoder.bytes.len() >= self.block_size || self.rows >= MOST_ROWS {
                self.cut(&mut sealed)?;
            }
            if self.rows == 0 && self.column.is_indexed() {
                self.first_value = slice.values.get(row).map(into_owned);
            }
            let end = self.fitting(row, rows, slice, lengths, values);
            self.encode(slice, lengths.range(row, end), values.range(row, end));
            self.rows += u32::try_from(end - row).unwrap_or(MOST_ROWS);
            row = end;
        }
        Ok(())
    }

    /// The end of the rows from `row` on, at least one, that surely start before the block is full.
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
            let counts =
                if slice.lengths.is_some() { lengths.range(row, end).len() * 5 } else { 0 };
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
        // The last row that starts before the bound may go beyond it.
        let (mut low, mut high) = (row + 1, rows);
        while low < high {
            let middle = low + (high - low) / 2;
            if most_bytes(middle) < room { low = middle + 1 } else { high = middle }
        }
        low
    }

    fn encode(
        &mut self,
        slice: &ColumnSlice<'_>,
        lengths: std::ops::Range<usize>,
        values: std::ops::Range<usize>,
    ) {
        let fixed = matches!(self.column.value_type(), ValueType::Fixed32 | ValueType::Fixed64);
        match slice.lengths {
            Some(all) => {
                let lengths = all.get(lengths).unwrap_or_default();
                self.encoder.arrays(lengths, slice.values, values.start, fixed);
            }
            None if fixed => self.encoder.fixed(slice.values, values),
            None => self.encoder.values(slice.values, values),
        }
    }

    /// Ends the block, if it has rows.
    pub(super) fn cut(&mut self, sealed: &mut impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        self.encoder.finish();
        let raw = &self.encoder.bytes;
        self.sealed.clear();
        let uncompressed_size = block::block_size(raw.len())?;
        let compressed_size =
            block::seal(raw, &mut *self.compressor, self.checksum, &mut self.sealed)?;
        sealed(&self.sealed)?;
        let descriptor = BlockDescriptor {
            rows: std::mem::take(&mut self.rows),
            uncompressed_size,
            compressed_size,
            first_value: self.first_value.take(),
            first_row: 0,
            offset: 0,
        };
        descriptor.put(&self.column, &mut self.descriptors);
        self.blocks += 1;
        self.sizes.0 += u64::from(uncompressed_size);
        self.sizes.1 += u64::from(compressed_size);
        self.encoder.clear();
        Ok(())
    }

    pub(super) fn summary(&self) -> ColumnSummary {
        let (uncompressed_size, compressed_size) = self.sizes;
        ColumnSummary { blocks: self.blocks as u64, uncompressed_size, compressed_size }
    }
}

fn into_owned(value: Value<'_>) -> Value<'static> {
    match value {
        Value::Null => Value::Null,
        Value::Boolean(v) => Value::Boolean(v),
        Value::Int(v) => Value::Int(v),
        Value::Long(v) => Value::Long(v),
        Value::Float(v) => Value::Float(v),
        Value::Double(v) => Value::Double(v),
        Value::Bytes(v) => Value::Bytes(v.into_owned().into()),
    }
}
