//! Reads arrays of equal length as record batches.
//!
//! ```text
//! array a   ── window ───────── ── window ─────────      some chunks are opened at a time,
//! array b   ── window ── ── window ── ── window ──       and batches are slices of a window
//! batches   ─── ─── ─── ─── ───
//! ```

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch, RecordBatchOptions, RecordBatchReader};
use arrow::buffer::MutableBuffer;
use arrow::datatypes::{DataType, FieldRef, Schema, SchemaRef};
use arrow::error::ArrowError;

use super::{field_of, to_arrow};
use crate::{ChunkedArray, DtypeKind};
use trevni::io::Limits;
use trevni::{Error, Result};

/// Bytes that are opened at a time for each thread, if a chunk has no more.
const WINDOW: u64 = 1 << 20;

/// Bytes of an array that are opened first, at most. If that succeeds, more are opened the next time.
const FIRST: u64 = 8 << 20;

/// The memory of a row of an array besides its values.
const OVERHEAD: usize = 8;

/// Arrays that keep the memory that they are opened with.
const KEEPING: usize = 16;

/// A column of a table of arrays.
#[derive(Debug)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its values.
    pub array: ChunkedArray,
}

/// Reads arrays as the columns of batches.
#[derive(Debug)]
pub struct ChunkedReader {
    schema: SchemaRef,
    columns: Vec<Window>,
    rows: Range<u64>,
    batch_size: usize,
    limits: Limits,
}

/// An array, and those of its rows that are open.
#[derive(Debug)]
struct Window {
    array: ChunkedArray,
    /// The first row that is open.
    first: u64,
    open: ArrayRef,
    /// Whether the fields of the records are columns of their own.
    spread: bool,
    /// The bytes that may be opened next.
    next: u64,
}

impl ChunkedReader {
    /// Returns a reader of these columns, which must all have as many rows. Of one alone that is of records, the
    /// fields are the columns.
    pub fn try_new(columns: Vec<Column>, batch_size: usize) -> Result<Self> {
        let alone = columns.len() == 1;
        let len = columns.first().map_or(0, |column| column.array.len());
        let mut fields: Vec<FieldRef> = Vec::new();
        let mut windows = Vec::new();
        for Column { name, array } in columns {
            if array.len() != len {
                let what = format!("{} rows, but the first column has {len}", array.len());
                return Err(Error::malformed(what).in_column(&name));
            }
            let (dtype, shape) = (array.dtype(), row_shape(&array));
            let field = field_of(&name, dtype, shape).map_err(|e| e.in_column(&name))?;
            let spread = alone && shape.is_empty() && matches!(dtype.kind, DtypeKind::Record(_));
            match field.data_type() {
                DataType::Struct(inner) if spread => fields.extend(inner.iter().cloned()),
                _ => fields.push(Arc::new(field)),
            }
            let open = to_arrow(dtype, shape, 0, MutableBuffer::new(0))?;
            windows.push(Window { array, first: 0, open, spread, next: FIRST });
        }
        let schema = Arc::new(Schema::new(fields));
        let (columns, batch_size, limits) = (windows, batch_size.max(1), Limits::default());
        Ok(Self { schema, columns, rows: 0..len, batch_size, limits })
    }

    /// Limits on the memory that is held at once: a batch has fewer rows where they are large.
    pub fn with_limits(self, limits: Limits) -> Self {
        let limited = |window: Window| Window { array: window.array.with_limits(limits), ..window };
        Self { columns: self.columns.into_iter().map(limited).collect(), limits, ..self }
    }

    /// Returns the maximum number of rows of a batch: the requested number, unless it exceeds the limit.
    fn rows_of_batch(&self) -> Result<u64> {
        let mut row = 0usize;
        for window in &self.columns {
            row = row.saturating_add(window.array.row_bytes()?).saturating_add(OVERHEAD);
        }
        if row > self.limits.row_bytes {
            let (size, limit) = (row as u64, self.limits.row_bytes as u64);
            return Err(Error::too_large("a row", size, limit));
        }
        let most = self.limits.batch_bytes / row.max(1);
        Ok(self.batch_size.min(most).max(1) as u64)
    }

    /// Only these rows.
    pub fn with_rows(mut self, rows: Range<u64>) -> Self {
        self.rows = rows.start.min(self.rows.end)..rows.end.min(self.rows.end);
        self
    }

    fn batch(&mut self, rows: Range<u64>) -> Result<RecordBatch> {
        let mut arrays = Vec::new();
        let (end, count) = (self.rows.end, self.columns.len());
        let (most, keeps) = ((self.limits.batch_bytes / count.max(1)) as u64, count <= KEEPING);
        for window in &mut self.columns {
            let array = window.take(rows.clone(), end, most)?;
            if !keeps {
                window.array.release_memory();
            }
            match array.as_struct_opt().filter(|_| window.spread) {
                Some(fields) => arrays.extend(fields.columns().iter().cloned()),
                None => arrays.push(array),
            }
        }
        let count = usize::try_from(rows.end - rows.start).ok();
        let options = RecordBatchOptions::new().with_row_count(count);
        Ok(RecordBatch::try_new_with_options(self.schema.clone(), arrays, &options)?)
    }
}

/// Returns the dimensions of a row.
fn row_shape(array: &ChunkedArray) -> &[u64] {
    array.shape().get(1..).unwrap_or_default()
}

impl Window {
    /// Rows, of which all are before `end`.
    fn take(&mut self, rows: Range<u64>, end: u64, most: u64) -> Result<ArrayRef> {
        let open = self.first..self.first.saturating_add(self.open.len() as u64);
        if rows.start < open.start || rows.end > open.end {
            self.open(rows.clone(), end, most)?;
        }
        let at = |row: u64| usize::try_from(row).unwrap_or(usize::MAX);
        Ok(self.open.slice(at(rows.start - self.first), at(rows.end - rows.start)))
    }

    /// Decodes these rows, and those after them up to the end of a chunk.
    fn open(&mut self, rows: Range<u64>, end: u64, most: u64) -> Result<()> {
        let row = (self.array.row_bytes()? as u64).max(1);
        let chunk = self.array.chunk_shape().and_then(|shape| shape.first().copied());
        let step = chunk.unwrap_or(1).max(1);
        let wanted = (WINDOW / row).max(step).saturating_mul(self.array.parallelism() as u64);
        let fitting = self.next.min(most) / row;
        let edge = match rows.start.saturating_add(wanted.min(fitting)) {
            edge if wanted <= fitting || edge - rows.start >= step => edge / step * step,
            edge => edge,
        };
        let to = edge.max(rows.end).min(end);
        self.next = self.next.saturating_mul(4).min(most.max(FIRST));
        let count = usize::try_from(to - rows.start)
            .ok()
            .and_then(|count| Some((count, count.checked_mul(self.array.row_bytes().ok()?)?)));
        let (count, bytes) =
            count.ok_or_else(|| Error::invalid("rows that are more than memory"))?;
        // The decoded rows are not needed while these are read.
        self.open = self.open.slice(0, 0);
        let mut buffer = MutableBuffer::from_len_zeroed(bytes);
        self.array.read_into(rows.start, buffer.as_slice_mut())?;
        self.open = to_arrow(self.array.dtype(), row_shape(&self.array), count, buffer)?;
        self.first = rows.start;
        Ok(())
    }
}

impl Iterator for ChunkedReader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rows.is_empty() {
            return None;
        }
        let start = self.rows.start;
        let batch = self.rows_of_batch().and_then(|rows| {
            let end = start.saturating_add(rows).min(self.rows.end);
            self.rows.start = end;
            self.batch(start..end)
        });
        if batch.is_err() {
            self.rows.start = self.rows.end;
        }
        Some(batch.map_err(Into::into))
    }
}

impl RecordBatchReader for ChunkedReader {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
