//! A file to record batches.
//!
//! ```text
//! try_new    header -> schema, plan              build    projection -> shapes, columns -> RowsReader
//! next       RowsReader::read_ranges, assemble, raise; a batch whose dictionaries cannot count their values is
//!            halved
//! ```

#[cfg(feature = "object_store")]
mod portions;

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions, RecordBatchReader};
use arrow::datatypes::{Fields, Schema, SchemaRef};
use arrow::error::ArrowError;

use super::assemble::{Decoded, assemble};
use super::buffers::{self, Buffers, Form};
use super::packed;
use super::projection::{Projected, ProjectionMask};
use super::schema::{self, Planning, Wanted};
use super::selection::RowSelection;
use super::shape::{Shape, Trail};
use crate::error::{Error, Result};
use crate::io::{Limits, ReadAt};
use crate::trevni::{FileReader, RowsReader};
#[cfg(feature = "object_store")]
pub(super) use portions::Projection;

/// Rows of a batch unless more or fewer are asked for.
const BATCH_SIZE: usize = 8192;

/// How a file is opened.
#[derive(Debug, Clone, Default)]
pub struct ArrowReaderOptions {
    wanted: Wanted,
    limits: Limits,
}

impl ArrowReaderOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether to pass over the Arrow schema in the file, and take types from its Avro schema or its columns.
    pub fn with_skip_arrow_metadata(mut self, skip: bool) -> Self {
        self.wanted = if skip { Wanted::Columns } else { Wanted::Stored };
        self
    }

    /// The schema to read into, instead of the one in the file: its columns must be those of the file, so that
    /// text is read as `Utf8View`, or an int64 as a timestamp.
    pub fn with_schema(mut self, schema: SchemaRef) -> Self {
        self.wanted = Wanted::Given(schema);
        self
    }

    /// What the reader may allocate on the word of the file.
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}

/// Opens a file and says what of it is read.
pub struct ArrowReaderBuilder<R> {
    file: FileReader<R>,
    planning: Planning,
    /// Why the schema asked for could not be had.
    failed: Option<Error>,
    batch_size: usize,
    projection: ProjectionMask,
    rows: Range<u64>,
    selection: Option<RowSelection>,
    parallelism: usize,
}

impl<R: ReadAt> ArrowReaderBuilder<R> {
    /// Opens a file: reads its header and finds its schema.
    pub fn try_new(source: R) -> Result<Self> {
        Self::try_new_with_options(source, ArrowReaderOptions::default())
    }

    /// Opens a file with options.
    pub fn try_new_with_options(source: R, options: ArrowReaderOptions) -> Result<Self> {
        let file = FileReader::try_new_with_limits(source, options.limits)?;
        Self::plan(file, &options.wanted)
    }

    /// Reads from a file that is open already.
    pub fn from_file(file: FileReader<R>, skip_arrow_metadata: bool) -> Result<Self> {
        Self::plan(file, if skip_arrow_metadata { &Wanted::Columns } else { &Wanted::Stored })
    }

    fn plan(file: FileReader<R>, wanted: &Wanted) -> Result<Self> {
        let header = file.header();
        let planning = schema::find(&header.metadata, &header.columns, wanted)?;
        let (rows, projection) = (0..file.rows(), ProjectionMask::all());
        Ok(Self {
            file,
            planning,
            failed: None,
            batch_size: BATCH_SIZE,
            projection,
            rows,
            selection: None,
            parallelism: 1,
        })
    }

    /// The schema of the file, before projection.
    pub fn schema(&self) -> &SchemaRef {
        &self.planning.schema
    }

    /// Rows in the file.
    pub fn rows(&self) -> u64 {
        self.file.rows()
    }

    /// The file, to look at its header and its blocks.
    pub fn file(&self) -> &FileReader<R> {
        &self.file
    }

    /// The most rows of a batch. Default: 8192.
    pub fn with_batch_size(mut self, rows: usize) -> Self {
        self.batch_size = rows.max(1);
        self
    }

    /// The fields to read. Default: all.
    pub fn with_projection(mut self, projection: ProjectionMask) -> Self {
        self.projection = projection;
        self
    }

    /// The rows to read; those past the end are not there. Default: all.
    pub fn with_row_range(mut self, rows: Range<u64>) -> Self {
        self.rows = rows.start.min(self.file.rows())..rows.end.min(self.file.rows());
        self
    }

    /// The rows to read, of those of the [row range](Self::with_row_range). Of each column only the blocks that
    /// have such rows are opened. Default: all.
    pub fn with_row_selection(mut self, selection: RowSelection) -> Self {
        self.selection = Some(selection);
        self
    }

    /// How many threads decompress and decode. The batches are the same, in the same order, and few blocks are
    /// held ahead. Default: 1, the caller's.
    pub fn with_parallelism(mut self, threads: usize) -> Self {
        self.parallelism = threads;
        self
    }

    /// Whether to pass over the Arrow schema; if no other can be had, [`build`](Self::build) says why. For files
    /// whose Arrow schema is broken use [`ArrowReaderOptions`].
    pub fn with_skip_arrow_metadata(mut self, skip: bool) -> Self {
        let header = self.file.header();
        let wanted = if skip { Wanted::Columns } else { Wanted::Stored };
        match schema::find(&header.metadata, &header.columns, &wanted) {
            Ok(planning) => (self.planning, self.failed) = (planning, None),
            Err(e) => self.failed = Some(e),
        }
        self
    }

    /// Starts to read.
    pub fn build(self) -> Result<ArrowReader<R>> {
        if let Some(failed) = self.failed {
            return Err(failed);
        }
        let Planning { schema, stored, plan } = &self.planning;
        let Projected { fields, stored, mut shapes } =
            self.projection.apply(schema.fields(), stored, &plan.shapes)?;
        let mut order = Vec::new();
        shapes.iter().for_each(|shape| shape.columns(&mut order));
        order.sort_unstable();
        order.dedup();
        shapes.iter_mut().for_each(|shape| shape.renumber(&order));
        let column = |column: &usize| {
            let codec = self.file.header().codec(*column)?;
            Ok((self.file.column(*column)?.clone(), codec.is_value_codec()))
        };
        let columns = order.iter().map(column).collect::<Result<Vec<_>>>()?;
        let mut forms = vec![Form::default(); columns.len()];
        for (shape, field) in shapes.iter().zip(&stored) {
            buffers::forms(shape, field, &columns, &mut forms);
        }
        let buffers = columns.into_iter().zip(forms);
        let buffers = buffers.map(|((column, _), form)| Buffers { column, form }).collect();
        let whole =
            RowSelection::from_consecutive_ranges([self.rows.clone()].into_iter(), u64::MAX);
        // Scattered rows leave blocks out: which, is seen when it is their turn.
        let ahead = if self.selection.is_some() { 0 } else { self.rows.end };
        let selection = self.selection.map_or(whole, |selection| selection.within(&self.rows));
        Ok(ArrowReader {
            schema: Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone())),
            stored: stored.into(),
            shapes,
            buffers,
            reader: self.file.rows_reader(&order)?.with_parallelism(self.parallelism, ahead)?,
            decoded: Decoded::default(),
            batch_size: self.batch_size,
            remaining: selection,
            pending: VecDeque::new(),
        })
    }
}

/// Reads record batches, one after another. After an error there are no more.
pub struct ArrowReader<R> {
    schema: SchemaRef,
    stored: Fields,
    shapes: Vec<Shape>,
    buffers: Vec<Buffers>,
    reader: RowsReader<R>,
    decoded: Decoded,
    batch_size: usize,
    remaining: RowSelection,
    /// Rows that are assembled, but not yet raised.
    pending: VecDeque<Stored>,
}

/// A batch without dictionaries and run-ends.
struct Stored {
    rows: usize,
    arrays: Vec<ArrayRef>,
}

impl<R: ReadAt> ArrowReader<R> {
    fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            let Some(stored) = self.pending.pop_front() else {
                match self.read()? {
                    Some(stored) => self.pending.push_back(stored),
                    None => return Ok(None),
                }
                continue;
            };
            if let Some(batch) = self.raise(&stored)? {
                self.decoded.spare.note(&batch);
                return Ok(Some(batch));
            }
            if stored.rows < 2 {
                let what = "distinct values of a dictionary in one row";
                return Err(Error::too_large(what, u64::MAX, 0));
            }
            let (first, second) = stored.halves();
            self.pending.push_front(second);
            self.pending.push_front(first);
        }
    }

    fn read(&mut self) -> Result<Option<Stored>> {
        let selected = self.remaining.split_off_first(self.batch_size as u64);
        let wanted = usize::try_from(selected.row_count()).unwrap_or(usize::MAX);
        if wanted == 0 {
            return Ok(None);
        }
        let Decoded { columns, spare } = &mut self.decoded;
        spare.collect();
        columns.clear();
        columns.extend(self.buffers.iter().map(|buffers| buffers.empty(spare)));
        let rows = match self.buffers.is_empty() {
            true => wanted,
            false => self.reader.read_ranges(selected.ranges(), columns)?,
        };
        if rows < wanted {
            self.remaining.put_back(selected, rows as u64);
        }
        let fields = self.shapes.iter().zip(&self.stored);
        let arrays = fields.map(|(shape, field)| {
            assemble(shape, field, rows, &mut self.decoded, &Trail::new(field.name()))
        });
        Ok(Some(Stored { rows, arrays: arrays.collect::<Result<_>>()? }))
    }

    fn raise(&self, stored: &Stored) -> Result<Option<RecordBatch>> {
        let mut arrays = Vec::with_capacity(stored.arrays.len());
        for (array, field) in stored.arrays.iter().zip(self.schema.fields()) {
            match packed::raise(array, field)? {
                Some(array) => arrays.push(array),
                None => return Ok(None),
            }
        }
        let options = RecordBatchOptions::new().with_row_count(Some(stored.rows));
        let batch = RecordBatch::try_new_with_options(self.schema.clone(), arrays, &options)?;
        Ok(Some(batch))
    }
}

impl Stored {
    fn halves(&self) -> (Stored, Stored) {
        let half = self.rows / 2;
        let part = |from: usize, rows: usize| {
            let arrays = self.arrays.iter().map(|array| array.slice(from, rows)).collect();
            Stored { rows, arrays }
        };
        (part(0, half), part(half, self.rows - half))
    }
}

impl<R: ReadAt> Iterator for ArrowReader<R> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.next_batch();
        if batch.is_err() {
            self.remaining = RowSelection::default();
            self.pending.clear();
        }
        batch.map_err(ArrowError::from).transpose()
    }
}

impl<R: ReadAt> RecordBatchReader for ArrowReader<R> {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

impl<R> std::fmt::Debug for ArrowReaderBuilder<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { planning, batch_size, projection, rows, .. } = self;
        f.debug_struct("ArrowReaderBuilder")
            .field("schema", &planning.schema)
            .field("batch_size", batch_size)
            .field("projection", projection)
            .field("rows", rows)
            .finish_non_exhaustive()
    }
}

impl<R> std::fmt::Debug for ArrowReader<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ArrowReader")
            .field("schema", &self.schema)
            .field("remaining", &self.remaining)
            .finish_non_exhaustive()
    }
}
