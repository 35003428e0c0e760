//! Configures a reader: projection, row selection, predicate, batch size.
//!
//! ```text
//! rows      range ──► selection ──► predicates ──► offset ──► limit
//! fields    projection                                              columns of predicates only are not output
//! ```

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use arrow::datatypes::{Schema, SchemaRef};

use super::super::Layout;
use super::super::predicate::{self, Bound, ColumnPath, Predicate};
use super::arrow_reader::{ArrowReader, Output, RowSource};
use super::bound_filter::BoundFilter;
use super::field_reader::FieldsReader;
use super::filter_reader::{self, FilterReader, Stage};
use super::options::ArrowReaderOptions;
use super::row_filter::RowFilter;
use crate::arrow::encoded;
use crate::arrow::layout::field_layout::FieldLayout;
use crate::arrow::projection::{Projected, ProjectionMask};
use crate::arrow::schema::stored::{self, SchemaPlan};
use crate::arrow::selection::RowSelection;
use crate::arrow::stats::pruning::Pruning;
use crate::arrow::stats::sorting::{self, SortingColumn};
use crate::arrow::stats::statistics::{ColumnStatistics, StatisticsColumn};
use crate::defaults::BATCH_SIZE;
use crate::error::{Error, Result};
use crate::io::{Limits, ReadAt};
use crate::read::file_reader::FileReader;

/// A filter, and the columns that it is about.
type Asked = (ProjectionMask, BoundFilter);

/// Opens a file and configures what is read of it.
///
/// `F` says how bytes are fetched: `()` if the source is read directly.
pub struct ArrowReaderBuilder<R, F = ()> {
    pub(crate) file: FileReader<R>,
    pub(crate) planning: SchemaPlan,
    pub(crate) batch_size: usize,
    pub(crate) projection: ProjectionMask,
    pub(crate) rows: Range<u64>,
    pub(crate) selection: Option<RowSelection>,
    pub(crate) predicate: Option<Predicate>,
    pub(crate) filter: Option<RowFilter>,
    pub(crate) offset: u64,
    pub(crate) limit: u64,
    pub(crate) pruning: bool,
    parallelism: usize,
    pub(in crate::arrow) fetching: F,
}

impl<R: ReadAt> ArrowReaderBuilder<R> {
    /// Opens a file: reads its header and finds its schema.
    pub fn try_new(source: R) -> Result<Self> {
        Self::try_new_with_options(source, ArrowReaderOptions::default())
    }

    /// Opens a file with options.
    pub fn try_new_with_options(source: R, options: ArrowReaderOptions) -> Result<Self> {
        let file = FileReader::try_new_with_limits(source, options.limits)?;
        Self::plan(file, &options, ())
    }

    /// Reads from a file that is already open. Its limits stay those it was opened with.
    pub fn from_file(file: FileReader<R>, options: ArrowReaderOptions) -> Result<Self> {
        Self::plan(file, &options, ())
    }

    /// Returns the statistics of the blocks of a top-level field or a field within structs; `None` if the file has
    /// none. Reads the block descriptors of its columns.
    pub fn statistics(&self, column: impl Into<ColumnPath>) -> Result<Option<ColumnStatistics>> {
        match self.statistics_column(&column.into())? {
            Some(column) => column.statistics(&self.file),
            None => Ok(None),
        }
    }

    /// Starts to read.
    pub fn build(self) -> Result<ArrowReader<R>> {
        self.into_reader().map(|(reader, ())| reader)
    }
}

impl<R: ReadAt, F> ArrowReaderBuilder<R, F> {
    pub(in crate::arrow) fn plan(
        file: FileReader<R>,
        options: &ArrowReaderOptions,
        fetching: F,
    ) -> Result<Self> {
        let header = file.header();
        let planning = stored::find(&header.metadata, &header.columns, &options.wanted)?;
        let (rows, projection) = (0..file.rows(), ProjectionMask::all());
        Ok(Self {
            file,
            planning,
            batch_size: BATCH_SIZE,
            projection,
            rows,
            selection: None,
            predicate: None,
            filter: None,
            offset: 0,
            limit: u64::MAX,
            pruning: true,
            parallelism: 1,
            fetching,
        })
    }

    /// Returns the schema of the file, before projection.
    pub fn schema(&self) -> &SchemaRef {
        &self.planning.schema
    }

    /// Returns where a field and its statistics are; `None` if it has none.
    pub(in crate::arrow) fn statistics_column(
        &self,
        column: &ColumnPath,
    ) -> Result<Option<StatisticsColumn>> {
        let SchemaPlan { schema, stored, plan } = &self.planning;
        let (route, _) = predicate::find(column, schema.fields())?;
        // Of an enum, ordinals are stored: these are no values.
        if encoded::stored_fields(schema.fields(), Layout::Split) != *stored {
            return Ok(None);
        }
        Ok(StatisticsColumn::find(&route, stored, &plan.shapes))
    }

    /// Returns the rows in the file.
    pub fn rows(&self) -> u64 {
        self.file.rows()
    }

    /// Returns the file, to look at its header and its blocks.
    pub fn file(&self) -> &FileReader<R> {
        &self.file
    }

    /// Returns the columns that the rows are sorted by, which the writer has checked; empty if the file does not
    /// say.
    pub fn sorting_columns(&self) -> Vec<SortingColumn> {
        let sorting = sorting::find(&self.file.header().metadata, &self.planning.schema);
        sorting.into_iter().map(|(_, column)| column).collect()
    }

    /// Returns the column by which all rows ascend.
    fn sorted_column(&self) -> Option<usize> {
        let sorting = sorting::find(&self.file.header().metadata, &self.planning.schema);
        let (place, _) = sorting.first().filter(|(_, first)| !first.descending)?;
        match self.planning.plan.shapes.get(*place)? {
            FieldLayout::Leaf { column } => Some(*column),
            _ => None,
        }
    }

    /// Sets the maximum number of rows of a batch. A batch has fewer where its values would take more memory than the
    /// [`Limits`](crate::io::Limits) allow. Default: 8192.
    pub fn with_batch_size(mut self, rows: usize) -> Self {
        self.batch_size = rows;
        self
    }

    /// Returns the maximum number of rows of a batch.
    pub(in crate::arrow) fn batch_size(&self) -> usize {
        self.batch_size
    }

    /// Sets the fields to read. Default: all. From a store, bytes of other columns are fetched only in gaps between
    /// ranges.
    pub fn with_projection(mut self, projection: ProjectionMask) -> Self {
        self.projection = projection;
        self
    }

    /// Sets the range of rows to read; rows past the end are ignored. Default: all.
    pub fn with_row_range(mut self, rows: Range<u64>) -> Self {
        self.rows = rows.start.min(self.file.rows())..rows.end.min(self.file.rows());
        self
    }

    /// Sets the rows to read, of those of the [row range](Self::with_row_range). Of each column only the blocks that
    /// have such rows are opened. Default: all.
    pub fn with_row_selection(mut self, selection: RowSelection) -> Self {
        self.selection = Some(selection);
        self
    }

    /// Sets a predicate: rows for which it is true are read. The conditions of a conjunction are evaluated in
    /// order, and each opens only the blocks with rows for which the conditions before it were true. Default: none.
    pub fn with_predicate(mut self, predicate: Predicate) -> Self {
        self.predicate = Some(predicate);
        self
    }

    /// Sets predicates written in Rust, which are evaluated after that of [`with_predicate`](Self::with_predicate).
    /// They receive batches of at most 8192 rows, or of the batch size if it is larger. Default: none.
    pub fn with_row_filter(mut self, filter: RowFilter) -> Self {
        self.filter = Some(filter);
        self
    }

    /// Sets the number of rows to skip, of those that would be read. Default: 0.
    pub fn with_offset(mut self, rows: u64) -> Self {
        self.offset = rows;
        self
    }

    /// Sets the maximum number of rows to read, after predicates and offset. Nothing is read after the last of
    /// them. Default: no limit.
    pub fn with_limit(mut self, rows: u64) -> Self {
        self.limit = rows;
        self
    }

    /// Sets whether blocks are left out of which it is known, by their statistics, filters and first values,
    /// that no row of them passes the [predicate](Self::with_predicate). The rows that are read are the same.
    /// Default: true.
    pub fn with_pruning(mut self, pruning: bool) -> Self {
        self.pruning = pruning;
        self
    }

    /// Sets the number of threads that decompress and decode. The batches are the same, in the same order. Two
    /// batches are prefetched or, if there are fewer columns than threads, a few blocks. Default: 1, the caller's.
    pub fn with_parallelism(mut self, threads: usize) -> Self {
        self.parallelism = threads;
        self
    }

    /// Sets the limits on the memory that the reader may use. Default: those of the
    /// [options](ArrowReaderOptions::with_limits).
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.file = self.file.with_limits(limits);
        self
    }

    /// Fails if a setting is out of its range.
    pub(in crate::arrow) fn check_settings(&self) -> Result<()> {
        check_settings(self.batch_size, self.parallelism)
    }

    /// Returns the schema of the batches.
    #[cfg(feature = "object_store")]
    pub(in crate::arrow) fn projected_schema(&self) -> Result<SchemaRef> {
        let fields = self.projection.project(&self.planning)?.fields;
        let metadata = self.planning.schema.metadata().clone();
        Ok(Schema::new_with_metadata(fields, metadata).into())
    }

    /// Starts to read.
    pub(in crate::arrow) fn into_reader(mut self) -> Result<(ArrowReader<R>, F)> {
        self.check_settings()?;
        let mut rows =
            RowSelection::from_consecutive_ranges([self.rows.clone()].into_iter(), u64::MAX);
        let mut scattered = self.selection.is_some();
        if let Some(selection) = self.selection.take() {
            rows = selection.intersection(&rows);
        }
        let (filters, worth) = self.filters()?;
        if let Some(worth) = worth {
            rows = rows.intersection(&worth);
            scattered |= rows.ranges().len() > 1;
        }
        if filters.is_empty() {
            rows = rows.offset(self.offset).limit(self.limit);
        }
        // A scattered selection skips blocks, which are known only when they are reached.
        let end = rows.ranges().last().map_or(0, |last| last.end);
        let ahead = if scattered { 0 } else { end };
        let mut output = self.projection.clone();
        let mut stages: Vec<Stage<R>> = Vec::with_capacity(filters.len());
        let schema = &self.planning.schema;
        for (wanted, filter) in filters {
            let held = stages.iter().map(|stage| &stage.read);
            let read = held.fold(wanted.clone(), |left, held| left.minus(held, schema.fields()));
            output = output.minus(&read, schema.fields());
            let reader = self.reader(&read, stages.first().map(Stage::reader), ahead)?;
            let projected = wanted.project(&self.planning)?;
            stages.push(Stage::new(filter, wanted, projected, read, reader));
        }
        filter_reader::keep(&mut stages, schema.fields(), &self.projection);
        let reader = self.reader(&output, stages.first().map(Stage::reader), ahead)?;
        let source = match stages.is_empty() {
            true => RowSource::Straight(rows),
            false => RowSource::Sifted(Box::new(FilterReader::new(
                schema.fields().clone(),
                stages,
                rows,
                (self.offset, self.limit),
                self.batch_size,
            ))),
        };
        let Projected { fields, stored, .. } = self.projection.project(&self.planning)?;
        let metadata = schema.metadata().clone();
        let reader = ArrowReader {
            schema: Arc::new(Schema::new_with_metadata(fields, metadata)),
            output: Output {
                fields: schema.fields().clone(),
                stored: stored.into(),
                wanted: self.projection,
                read: output,
                reader,
            },
            source,
            batch_size: self.batch_size,
            portion: None,
            pending: VecDeque::new(),
        };
        Ok((reader, self.fetching))
    }

    /// Returns a reader of some fields. Readers share one pool for prefetching.
    fn reader(
        &self,
        fields: &ProjectionMask,
        first: Option<&FieldsReader<R>>,
        ahead: u64,
    ) -> Result<FieldsReader<R>> {
        let reader = FieldsReader::new(&self.file, &self.planning, fields)?;
        match first {
            None => reader.with_parallelism(self.parallelism, ahead),
            Some(first) => Ok(reader.with_threads_of(first)),
        }
    }

    /// Returns the filters in order, each with its columns, and the rows that pruning leaves, if it removes any.
    fn filters(&mut self) -> Result<(Vec<Asked>, Option<RowSelection>)> {
        let fields = self.planning.schema.fields();
        let mut filters = Vec::new();
        let mut worth: Option<RowSelection> = None;
        let mut pruning = Pruning::new(&self.file, self.sorted_column());
        for node in self.predicate.take().map(Predicate::into_steps).unwrap_or_default() {
            let mask = ProjectionMask::of_bound(&Bound::new(&node, fields)?);
            let about = mask.project(&self.planning)?;
            let filter = BoundFilter::of_node(&node, &about)?;
            if let (BoundFilter::Stored(bound), true) = (&filter, self.pruning) {
                let rows = pruning.rows(bound, &about)?;
                worth = Some(worth.map_or_else(|| rows.clone(), |worth| worth.intersection(&rows)));
            }
            filters.push((mask, filter));
        }
        for predicate in self.filter.take().into_iter().flat_map(|filter| filter.predicates) {
            filters.push((predicate.projection().clone(), BoundFilter::Arrow(predicate)));
        }
        Ok((filters, worth))
    }
}

/// Fails if the batch size or the parallelism of a reader is 0.
pub(crate) fn check_settings(batch_size: usize, parallelism: usize) -> Result<()> {
    match (batch_size, parallelism) {
        (0, _) => Err(Error::invalid("a batch size of 0 rows")),
        (_, 0) => Err(Error::invalid("a parallelism of 0 threads")),
        _ => Ok(()),
    }
}

impl<R, F> std::fmt::Debug for ArrowReaderBuilder<R, F> {
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
