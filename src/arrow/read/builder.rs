//! Configures a reader: projection, row selection, predicate, batch size.
//!
//! ```text
//! rows      range ──► selection ──► predicates ──► offset ──► limit
//! fields    projection                                              columns of predicates only are not output
//! ```

use std::ops::Range;
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use rayon::ThreadPool;

use super::super::predicate::{self, ColumnPath, Predicate};
use super::arrow_reader::{ArrowReader, ReadMode};
use super::metadata::ArrowReaderMetadata;
use super::options::ArrowReaderOptions;
use super::parallel_reader::{self, ParallelReader};
use super::read_plan::ReadPlan;
use super::remaining_rows::RowPruner;
use super::row_filter::RowFilter;
use crate::arrow::projection::ProjectionMask;
use crate::arrow::schema::stored::SchemaPlan;
use crate::arrow::selection::RowSelection;
use crate::arrow::stats::block_filters::BlockFilters;
use crate::arrow::stats::sorting::{self, SortingColumn};
use crate::arrow::stats::statistics::{ColumnStatistics, StatisticsColumn};
use crate::defaults::BATCH_SIZE;
use crate::error::{Error, Result};
use crate::io::{Limits, ReadAt};
use crate::parallelism::threads;
use crate::read::file_reader::FileReader;
use crate::read::read_metrics::ReadMetrics;

/// Creates a reader for the threads of a pool.
type StartParallel<R> = fn(&ReadPlan<R>, RowSelection, Arc<ThreadPool>) -> Result<ParallelReader>;

/// Opens a file and configures what is read of it.
///
/// `F` says how bytes are fetched: `()` if the source is read directly.
pub struct ArrowReaderBuilder<R, F = ()> {
    pub(crate) file: FileReader<R>,
    pub(crate) planning: Arc<SchemaPlan>,
    pub(crate) batch_size: usize,
    pub(crate) projection: ProjectionMask,
    pub(crate) rows: Range<u64>,
    pub(crate) selection: Option<RowSelection>,
    pub(crate) predicate: Option<Predicate>,
    pub(crate) filter: Option<RowFilter>,
    pub(super) pruner: Option<RowPruner>,
    pub(crate) offset: u64,
    pub(crate) limit: u64,
    pub(crate) pruning: bool,
    parallelism: usize,
    /// Creates a reader for several threads: only a source that may be sent to them has one.
    pub(super) parallel: Option<StartParallel<R>>,
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

    /// Opens a file of which this is known. Nothing is read.
    pub fn new_with_metadata(source: R, metadata: ArrowReaderMetadata) -> Self {
        let ArrowReaderMetadata { file, planning } = metadata;
        Self::of(FileReader::new_with_metadata(source, file), planning, ())
    }

    /// Returns the statistics of the blocks of a top-level field or a field within structs; `None` if the file has
    /// none. Reads the block descriptors of its columns.
    pub fn statistics(&self, column: impl Into<ColumnPath>) -> Result<Option<ColumnStatistics>> {
        match self.statistics_column(&column.into())? {
            Some(column) => column.statistics(&self.file),
            None => Ok(None),
        }
    }

    /// Returns the Bloom filters of the blocks of such a field; `None` if the file has none. Reads the block descriptors
    /// of its column.
    pub fn bloom_filters(&self, column: impl Into<ColumnPath>) -> Result<Option<BlockFilters>> {
        match self.statistics_column(&column.into())? {
            Some(column) => BlockFilters::of_field(&self.file, &column),
            None => Ok(None),
        }
    }

    /// Starts to read.
    pub fn build(self) -> Result<ArrowReader<R>> {
        self.into_reader().map(|(reader, ())| reader)
    }
}

impl<R: ReadAt + 'static, F> ArrowReaderBuilder<R, F> {
    /// Sets the number of threads that decompress and decode, the caller's included: each reads some batches, and the
    /// caller receives them in order. The rows are the same; with a predicate, some batches may be smaller. One
    /// thread reads where there are only a few batches, with a [row filter](Self::with_row_filter) or
    /// [pruner](Self::with_row_pruner), and with an offset or a limit of the rows that pass a predicate. Default: 1.
    ///
    /// Batches are made by one thread and dropped by another. Allocators that do not wait for that, such as mimalloc,
    /// make this up to 1.5 times as fast as that of glibc.
    pub fn with_parallelism(mut self, threads: usize) -> Self {
        self.parallelism = threads;
        self.parallel = Some(ParallelReader::new::<R>);
        self
    }
}

impl<R: ReadAt, F> ArrowReaderBuilder<R, F> {
    pub(in crate::arrow) fn plan(
        file: FileReader<R>,
        options: &ArrowReaderOptions,
        fetching: F,
    ) -> Result<Self> {
        let metadata = ArrowReaderMetadata::try_new(file.metadata().clone(), options.clone())?;
        Ok(Self::of(file, metadata.planning, fetching))
    }

    pub(in crate::arrow) fn of(
        file: FileReader<R>,
        planning: Arc<SchemaPlan>,
        fetching: F,
    ) -> Self {
        let (rows, projection) = (0..file.rows(), ProjectionMask::all());
        Self {
            file,
            planning,
            batch_size: BATCH_SIZE,
            projection,
            rows,
            selection: None,
            predicate: None,
            filter: None,
            pruner: None,
            offset: 0,
            limit: u64::MAX,
            pruning: true,
            parallelism: 1,
            parallel: None,
            fetching,
        }
    }

    /// Returns what is known of the file and its schema, to open it again.
    pub fn metadata(&self) -> ArrowReaderMetadata {
        let (file, planning) = (self.file.metadata().clone(), self.planning.clone());
        ArrowReaderMetadata { file, planning }
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
        let SchemaPlan { schema, stored, plan } = &*self.planning;
        let (route, _) = predicate::find(column, schema.fields())?;
        let values = SchemaPlan::values(schema.fields(), stored);
        Ok(values.and_then(|values| StatisticsColumn::find(&route, &values, &plan.shapes)))
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

    /// Sets a function that excludes rows while others are read: for a predicate that becomes stricter, such as the
    /// bound of a top-k query. It is called before each window of rows and returns the rows that are still needed if
    /// they are fewer than before. What was read and fetched before is not taken back. One thread reads then.
    /// Default: none.
    pub fn with_row_pruner(
        mut self,
        prune: impl FnMut() -> Option<RowSelection> + Send + 'static,
    ) -> Self {
        self.pruner = Some(RowPruner::new(Box::new(prune)));
        self
    }

    /// Sets the limits on the memory that the reader may use. Default: those of the
    /// [options](ArrowReaderOptions::with_limits).
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.file = self.file.with_limits(limits);
        self
    }

    /// Sets what counts the blocks that are read. Default: nothing.
    pub fn with_metrics(mut self, metrics: Arc<ReadMetrics>) -> Self {
        self.file = self.file.with_metrics(metrics);
        self
    }

    /// Fails if a setting is out of its range.
    pub(in crate::arrow) fn check_settings(&self) -> Result<()> {
        check_settings(self.batch_size, self.parallelism)
    }

    /// Returns the schema of the batches.
    pub(in crate::arrow) fn projected_schema(&self) -> Result<SchemaRef> {
        self.projection.projected_schema(&self.planning)
    }

    /// Returns whether rows are read by their values.
    #[cfg(feature = "object_store")]
    pub(in crate::arrow) fn has_filters(&self) -> bool {
        self.predicate.is_some() || self.filter.is_some()
    }

    /// Starts to read.
    pub(in crate::arrow) fn into_reader(mut self) -> Result<(ArrowReader<R>, F)> {
        self.check_settings()?;
        let several = self.can_be_parallel();
        let plan = ReadPlan {
            schema: self.projected_schema()?,
            file: self.file,
            planning: self.planning,
            batch_size: self.batch_size,
            projection: self.projection,
            predicate: self.predicate,
            offset: self.offset,
            limit: self.limit,
        };
        let filters = plan.filters(self.filter.take())?;
        let mut rows =
            RowSelection::from_consecutive_ranges([self.rows.clone()].into_iter(), u64::MAX);
        if let Some(selection) = self.selection.take() {
            rows = selection.intersection(&rows);
        }
        if self.pruning
            && let Some(worth) = plan.prune(&filters)?
        {
            rows = rows.intersection(&worth);
        }
        if filters.is_empty() {
            rows = rows.offset(self.offset).limit(self.limit);
        }
        let schema = plan.schema.clone();
        let enough = rows.row_count() > parallel_reader::unit_rows(self.batch_size);
        let pool = if several && enough { threads::pool(self.parallelism)? } else { None };
        let parallel = match (self.parallel, pool) {
            // Where the share of a thread is too little, one thread reads.
            (Some(start), Some(pool)) => start(&plan, rows.clone(), pool).ok(),
            _ => None,
        };
        let mode = match parallel {
            Some(reader) => ReadMode::Parallel(Box::new(reader)),
            None => ReadMode::Serial(Box::new(plan.batch_reader(filters, rows, self.pruner)?)),
        };
        Ok((ArrowReader { schema, mode }, self.fetching))
    }

    /// Returns whether rows are the same if they are read in units, independently.
    fn can_be_parallel(&self) -> bool {
        let all = self.offset == 0 && self.limit == u64::MAX;
        self.filter.is_none() && self.pruner.is_none() && (self.predicate.is_none() || all)
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
