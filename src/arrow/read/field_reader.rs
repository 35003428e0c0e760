//! Reads rows of some fields into arrays, with dictionaries and run ends expanded.
//!
//! ```text
//! rows wanted        x..xx.......................xx
//! rows read          xxxxx                       xx      a short gap costs less to read than to leave out
//! arrays             a--bc                       de
//! given              abcde
//! ```
//! If all columns can decode rows at positions, gaps are read only where many rows are wanted. The limits were
//! measured: see [`GAP`] and [`DENSE`].

use arrow::array::{ArrayRef, BooleanArray};
use arrow::datatypes::{DataType, Field, FieldRef, Fields};

use super::assemble::{Decoded, assemble};
use super::column_buffers::{self, BufferForm, Buffers};
use super::stored::StoredBatch;
use crate::arrow::array::filter::Filter;
use crate::arrow::field_path::FieldPath;
use crate::arrow::layout::field_layout::FieldLayout;
use crate::arrow::projection::{Projected, ProjectionMask};
use crate::arrow::schema::stored::SchemaPlan;
use crate::arrow::selection::RowSelection;
use crate::arrow::selection::masked::MaskedSelection;
use crate::codec::Codec;
use crate::error::{Error, Result};
use crate::io::ReadAt;
use crate::read::file_reader::FileReader;
use crate::read::projected_reader::ProjectedReader;

/// Rows that are read at once where more are read than wanted, at most.
const PIECE: u64 = 16_384;

/// Where at least one row in this many is wanted, reading all and leaving some out costs less than decoding rows at
/// positions. Measured on tables of text and numbers, with AVX2.
const DENSE: u64 = 4;

/// Reads some fields.
pub(crate) struct FieldsReader<R> {
    /// In file order.
    #[cfg(feature = "object_store")]
    columns: Vec<usize>,
    stored: Fields,
    shapes: Vec<FieldLayout>,
    buffers: Vec<Buffers>,
    reader: ProjectedReader<R>,
    decoded: Decoded,
    /// Gaps of up to this many rows are read too.
    gap: u64,
    /// Whether all columns can decode rows at positions.
    picks: bool,
}

impl<R: ReadAt> FieldsReader<R> {
    pub(crate) fn new(
        file: &FileReader<R>,
        planning: &SchemaPlan,
        fields: &ProjectionMask,
    ) -> Result<Self> {
        let Projected { stored, shapes, .. } = fields.project(planning)?;
        Self::of(file, stored, shapes)
    }

    /// Creates a reader of the fields of an output: strings of a value codec that are to be dictionaries are read as keys
    /// of views.
    pub(crate) fn of_output(
        file: &FileReader<R>,
        planning: &SchemaPlan,
        fields: &ProjectionMask,
    ) -> Result<Self> {
        let Projected { fields, mut stored, shapes } = fields.project(planning)?;
        for ((stored, field), shape) in stored.iter_mut().zip(&fields).zip(&shapes) {
            let mut columns = Vec::new();
            shape.columns(&mut columns);
            let is_encoded =
                |column: &usize| file.header().codec(*column).is_ok_and(Codec::is_value_codec);
            if matches!(field.data_type(), DataType::Dictionary(..))
                && matches!(stored.data_type(), DataType::Utf8View | DataType::BinaryView)
                && columns.iter().all(is_encoded)
            {
                let values = Box::new(stored.data_type().clone());
                let data_type = DataType::Dictionary(Box::new(DataType::Int32), values);
                *stored = Field::clone(stored).with_data_type(data_type).into();
            }
        }
        Self::of(file, stored, shapes)
    }

    fn of(
        file: &FileReader<R>,
        stored: Vec<FieldRef>,
        mut shapes: Vec<FieldLayout>,
    ) -> Result<Self> {
        let mut order = Vec::new();
        shapes.iter().for_each(|shape| shape.columns(&mut order));
        order.sort_unstable();
        order.dedup();
        shapes.iter_mut().for_each(|shape| shape.renumber(&order));
        let column = |column: &usize| {
            let codec = file.header().codec(*column)?;
            Ok((file.column(*column)?.clone(), codec.is_value_codec()))
        };
        let columns = order.iter().map(column).collect::<Result<Vec<_>>>()?;
        let mut forms = vec![BufferForm::default(); columns.len()];
        for (shape, field) in shapes.iter().zip(&stored) {
            column_buffers::forms(shape, field, &columns, &mut forms);
        }
        let gap = file.gap_within_blocks(&order, GAP)?;
        let picks = columns.iter().all(|(_, is_value_codec)| *is_value_codec)
            && order.iter().all(|column| file.tree().parent(*column).is_none());
        let buffers = columns.into_iter().zip(forms);
        let buffers = buffers.map(|((column, _), form)| Buffers { column, form }).collect();
        let reader = file.projected_reader(&order)?.with_most_rows(rows_of_batch(file, &stored)?);
        let decoded = Decoded::default();
        Ok(Self {
            #[cfg(feature = "object_store")]
            columns: order,
            stored: stored.into(),
            shapes,
            buffers,
            reader,
            decoded,
            gap,
            picks,
        })
    }

    /// Returns the columns that are read, but for their parents; in file order.
    #[cfg(feature = "object_store")]
    pub(crate) fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// Returns the largest gap that is read rather than left out, in rows.
    pub(crate) fn gap(&self) -> u64 {
        self.gap
    }

    /// Sets how many batches are in use at the same time, that of the reader included, and how many bytes of buffers are
    /// kept to be filled again. Default: 1, all of it.
    pub(crate) fn set_batches_in_use(&mut self, batches: usize, bytes: usize) {
        self.decoded.pool.set_depth(batches, bytes);
    }

    /// Lists the buffers of a batch, to be reused when it is dropped.
    pub(crate) fn note(&mut self, batch: &arrow::array::RecordBatch) {
        self.decoded.pool.note(batch);
    }

    /// Takes arrays that are about to be dropped, to fill their memory again.
    pub(crate) fn give(&mut self, arrays: &[ArrayRef]) {
        self.decoded.pool.give_arrays(arrays);
    }

    /// Reads rows; fewer if their strings would exceed 2 GiB, but at least one.
    pub(crate) fn read(&mut self, chosen: &MaskedSelection) -> Result<StoredBatch> {
        let wide = chosen.bridged(self.gap);
        let is_dense = wide.row_count() <= chosen.row_count().saturating_mul(DENSE);
        if wide.row_count() == chosen.row_count() || (self.picks && !is_dense) {
            return self.read_exactly(&chosen.to_selection());
        }
        if wide.row_count() <= PIECE {
            return self.read_piece(chosen, &wide);
        }
        let (mut rest, mut pieces) = (chosen.clone(), Vec::new());
        while rest.selects_any() {
            let piece = rest.split_off_spanning(self.gap, PIECE);
            let stored = self.read_piece(&piece, &piece.bridged(self.gap))?;
            let short = (stored.rows as u64) < piece.row_count();
            pieces.push(stored);
            if short {
                break;
            }
        }
        StoredBatch::concat(pieces)
    }

    /// Reads more rows than are wanted, and keeps those that are.
    fn read_piece(&mut self, chosen: &MaskedSelection, wide: &RowSelection) -> Result<StoredBatch> {
        let mut read = self.read_exactly(wide)?;
        let mask = chosen.mask_within(wide);
        let mask = BooleanArray::new(mask.slice(0, read.rows.min(mask.len())), None);
        if mask.has_false() {
            let filter = Filter::new(&mask);
            let kept = read.arrays.iter().map(|array| filter.filter(array));
            let kept = kept.collect::<Result<_>>()?;
            let arrays = std::mem::replace(&mut read.arrays, kept);
            self.give(&arrays);
            read.rows = filter.count();
        }
        Ok(read)
    }

    fn read_exactly(&mut self, rows: &RowSelection) -> Result<StoredBatch> {
        let wanted = usize::try_from(rows.row_count()).unwrap_or(usize::MAX);
        let Decoded { columns, pool } = &mut self.decoded;
        pool.collect();
        columns.clear();
        columns.extend(self.buffers.iter().map(|buffers| buffers.empty(pool)));
        let rows = match self.buffers.is_empty() {
            true => wanted,
            false => self.reader.read_ranges(rows.ranges(), columns)?,
        };
        let fields = self.shapes.iter().zip(&self.stored);
        let arrays = fields.map(|(shape, field)| {
            assemble(shape, field, rows, &mut self.decoded, &FieldPath::new(field.name()))
        });
        Ok(StoredBatch { rows, arrays: arrays.collect::<Result<_>>()? })
    }
}

/// Returns how many rows of a batch fit into memory, by what each takes even if it is null.
fn rows_of_batch<R: ReadAt>(file: &FileReader<R>, fields: &[FieldRef]) -> Result<usize> {
    let limits = file.limits();
    let all = |sum: usize, field: &FieldRef| sum.saturating_add(fixed_width(field.data_type()));
    let width = fields.iter().fold(0, all);
    if width > limits.row_bytes {
        let (size, limit) = (width as u64, limits.row_bytes as u64);
        return Err(Error::too_large("values of fixed size in a row", size, limit));
    }
    Ok(limits.batch_bytes.checked_div(width).unwrap_or(usize::MAX))
}

/// Returns the fixed size of a value by its type; nulls take as much.
fn fixed_width(data_type: &DataType) -> usize {
    match data_type {
        DataType::FixedSizeBinary(size) => usize::try_from(*size).unwrap_or(0),
        DataType::FixedSizeList(item, size) => {
            let size = usize::try_from(*size).unwrap_or(0);
            size.saturating_mul(fixed_width(item.data_type()).max(1))
        }
        DataType::Struct(fields) => {
            fields.iter().fold(0, |sum, field| sum.saturating_add(fixed_width(field.data_type())))
        }
        _ => 0,
    }
}

/// Gaps that are read rather than left out, in rows, at most.
const GAP: u64 = 64;
