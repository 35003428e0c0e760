//! A stream of the record batches of an object in a store.
//!
//! ```text
//! new      header                                          one request
//! build    projection, rows, predicates
//! next     block tables ──► window of rows, window, ...    fetched: the next while this one is decoded
//!                           └──► ArrowReader ──► batches
//! ```
//! With predicates there are two kinds of windows: of the predicate columns, and of the other columns for matching
//! rows. [`ArrowReader`](super::arrow_reader::ArrowReader) decodes what was fetched, on the task that polls the
//! stream: a batch takes less than a millisecond, and moving it to another thread would cost a good part of that
//! and require a runtime. On a tokio runtime requests progress meanwhile; elsewhere they progress between batches.
//! The counterpart in `parquet` is `parquet::arrow::async_reader`.

mod batches;
mod prefetch;
mod push_reader;
mod windows;

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use ::object_store::ObjectStore;
use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use futures_util::Stream;
use futures_util::stream::BoxStream;

use super::builder::ArrowReaderBuilder;
use super::file_setters::file_setters;
use super::settings::{ScanSettings, scan_setters};
use crate::arrow::predicate::{Bound, ColumnPath};
use crate::arrow::projection::ProjectionMask;
use crate::arrow::read::metadata::ArrowReaderMetadata;
use crate::arrow::read::options::ArrowReaderOptions;
use crate::arrow::read::remaining_rows::RowPruner;
use crate::arrow::read::row_filter::RowFilter;
use crate::arrow::selection::RowSelection;
use crate::arrow::stats::block_filters::BlockFilters;
use crate::arrow::stats::sorting::{self, SortingColumn};
use crate::arrow::stats::statistics::{ColumnStatistics, StatisticsColumn};
use crate::defaults::WINDOW_BYTES;
use crate::error::Result;
use crate::io::Ranges;
use crate::object_store::{FetchOptions, Location};
use crate::read::file_reader::FileReader;
use crate::read::read_metrics::ReadMetrics;
use crate::read::remote_file::RemoteFile;

/// Opens a file in an object store and configures what is read of it.
///
/// ```
/// use std::sync::Arc;
/// use arrow::array::{ArrayRef, Int64Array, RecordBatch};
/// use futures_util::TryStreamExt;
/// use object_store::memory::InMemory;
/// use trevni::arrow::{ArrowStreamBuilder, AsyncArrowWriter, ProjectionMask};
/// use trevni::object_store::ObjectWriter;
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let column = |n: i64| Arc::new(Int64Array::from_iter_values(0..n)) as ArrayRef;
/// let batch = RecordBatch::try_from_iter([("a", column(3)), ("b", column(3))])?;
/// let store = Arc::new(InMemory::new());
/// let object = ObjectWriter::new(store.clone(), "ab.trv".into());
/// let mut writer = AsyncArrowWriter::try_new(object, batch.schema(), None)?;
/// writer.write(&batch).await?;
/// writer.close().await?;
///
/// let builder = ArrowStreamBuilder::new(store, "ab.trv").await?;
/// let mask = ProjectionMask::columns(builder.schema(), ["b"])?;
/// let stream = builder.with_projection(mask).with_row_range(1..3).build()?;
/// let batches: Vec<_> = stream.try_collect().await?;
/// assert_eq!(batches, [batch.project(&[1])?.slice(1, 2)]);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
pub struct ArrowStreamBuilder {
    pub(super) reader: ArrowReaderBuilder<Arc<Ranges>>,
    file: RemoteFile,
    window: u64,
    prefetch: usize,
}

impl ArrowStreamBuilder {
    /// Opens a file, by its path or its listing: fetches its header and finds its schema.
    pub async fn new(store: Arc<dyn ObjectStore>, location: impl Into<Location>) -> Result<Self> {
        let (options, fetch) = (ArrowReaderOptions::default(), FetchOptions::default());
        Self::new_with_options(store, location, options, fetch).await
    }

    /// Opens a file with options, of reading and of fetching.
    pub async fn new_with_options(
        store: Arc<dyn ObjectStore>,
        location: impl Into<Location>,
        options: ArrowReaderOptions,
        fetch: FetchOptions,
    ) -> Result<Self> {
        let file = RemoteFile::open(store, location, fetch).await?;
        let reader = file.file().clone().with_limits(options.limits);
        Ok(Self::of(ArrowReaderBuilder::from_file(reader, options)?, file))
    }

    /// Opens a file of which this is known. Nothing is fetched: if the location has an e-tag and the object has changed
    /// since, reading it fails.
    pub fn from_metadata(
        store: Arc<dyn ObjectStore>,
        location: impl Into<Location>,
        metadata: ArrowReaderMetadata,
        fetch: FetchOptions,
    ) -> Self {
        let ArrowReaderMetadata { file, planning } = metadata;
        let file = RemoteFile::new_with_metadata(store, location, fetch, file);
        let reader = file.file().clone();
        Self::of(ArrowReaderBuilder::of(reader, planning), file)
    }

    fn of(reader: ArrowReaderBuilder<Arc<Ranges>>, file: RemoteFile) -> Self {
        Self { reader, file, window: WINDOW_BYTES, prefetch: 1 }
    }

    scan_setters!(reader.settings);
    file_setters!(reader.);

    /// Returns the file, to look at its header and its blocks.
    pub fn file(&self) -> &FileReader<Arc<Ranges>> {
        &self.reader.file
    }

    /// Changes what is read of the file.
    pub(crate) fn try_map_reader<T>(
        self,
        change: impl FnOnce(
            ArrowReaderBuilder<Arc<Ranges>>,
        ) -> Result<Option<(ArrowReaderBuilder<Arc<Ranges>>, T)>>,
    ) -> Result<Option<(Self, T)>> {
        let changed = change(self.reader)?;
        Ok(changed.map(|(reader, with)| (Self { reader, ..self }, with)))
    }

    /// Sets the number of windows that are prefetched while one is decoded. Default: 1.
    pub fn with_prefetch(mut self, windows: usize) -> Self {
        self.prefetch = windows;
        self
    }

    /// Sets the approximate stored size of a window in bytes: it has as many batches as need no more bytes to be
    /// fetched, at least one. The window that is decoded and the prefetched ones are in memory. Default: 32 MiB.
    pub fn with_window_bytes(mut self, bytes: u64) -> Self {
        self.window = bytes;
        self
    }

    /// Returns the statistics of the blocks of some fields, as [`statistics`](ArrowReaderBuilder::statistics) does.
    /// Their block tables are fetched together; what was fetched is not fetched again.
    pub async fn column_statistics(
        &mut self,
        columns: &[ColumnPath],
    ) -> Result<Vec<Option<ColumnStatistics>>> {
        let found = self.fetch_statistics_columns(columns).await?;
        let statistics = |column: Option<StatisticsColumn>| match column {
            Some(column) => column.statistics(&self.reader.file),
            None => Ok(None),
        };
        found.into_iter().map(statistics).collect()
    }

    /// Returns the Bloom filters of the blocks of some fields; `None` of one without. What was fetched is not fetched
    /// again.
    pub async fn column_bloom_filters(
        &mut self,
        columns: &[ColumnPath],
    ) -> Result<Vec<Option<BlockFilters>>> {
        let found = self.fetch_statistics_columns(columns).await?;
        let filters = |column: Option<StatisticsColumn>| match column {
            Some(column) => BlockFilters::of_field(&self.reader.file, &column),
            None => Ok(None),
        };
        found.into_iter().map(filters).collect()
    }

    /// Finds fields, and fetches their block tables.
    async fn fetch_statistics_columns(
        &mut self,
        columns: &[ColumnPath],
    ) -> Result<Vec<Option<StatisticsColumn>>> {
        let find = |column| self.reader.statistics_column(column);
        let found = columns.iter().map(find).collect::<Result<Vec<_>>>()?;
        let tables: Vec<usize> = found.iter().flatten().filter_map(|c| c.column()).collect();
        self.file.fetch_tables(&tables, 0).await?;
        Ok(found)
    }

    /// Fetches the block tables of all columns that are read, for the output and by the predicates that are set. Statistics
    /// are in them: those of predicates then cost no round trip of their own.
    pub async fn fetch_tables(&mut self) -> Result<()> {
        self.file.fetch_tables(&self.columns_needed()?, 0).await
    }

    /// Returns the stream; it begins to fetch when it is first polled.
    pub fn build(self) -> Result<ArrowStream> {
        let (schema, columns) = self.schema_and_columns()?;
        Ok(ArrowStream { schema, batches: batches::batches(self, columns) })
    }

    /// Returns the stream when its first rows are being fetched.
    pub(crate) async fn start(self) -> Result<ArrowStream> {
        let (schema, columns) = self.schema_and_columns()?;
        Ok(ArrowStream { schema, batches: batches::start(self, columns).await? })
    }

    /// The schema of the batches and the columns to fetch. Fails if a setting is out of its range.
    fn schema_and_columns(&self) -> Result<(SchemaRef, Vec<usize>)> {
        self.reader.settings.check()?;
        Ok((self.reader.projected_schema()?, self.columns_needed()?))
    }
}

impl ArrowStreamBuilder {
    /// Returns all columns that are read, for the output and by predicates; in file order.
    fn columns_needed(&self) -> Result<Vec<usize>> {
        let ArrowReaderBuilder { planning, projection, settings, hooks, .. } = &self.reader;
        let fields = planning.schema.fields();
        let mut masks = vec![projection.clone()];
        for node in settings.predicate.iter().flat_map(|predicate| predicate.clone().into_steps()) {
            masks.push(ProjectionMask::of_bound(&Bound::new(&node, fields)?));
        }
        let predicates = hooks.filter.iter().flat_map(|filter| &filter.predicates);
        masks.extend(predicates.map(|predicate| predicate.projection().clone()));
        let mut columns = Vec::new();
        for mask in masks {
            let shapes = mask.project(planning)?.shapes;
            shapes.iter().for_each(|shape| shape.columns(&mut columns));
        }
        columns.sort_unstable();
        columns.dedup();
        Ok(columns)
    }

    /// Returns how many bytes of the first blocks are fetched with the block tables: half of a window if all rows are
    /// read, what a round trip is worth if the first rows are, else none.
    fn bytes_ahead(&self, window: u64) -> u64 {
        let ScanSettings { rows, offset, limit, .. } = &self.reader.settings;
        let all = self.rows();
        if self.reader.has_filters() || self.reader.selection.is_some() {
            return 0;
        }
        match (rows.start.saturating_add(*offset), rows.end.min(*limit)) {
            (0, end) if end >= all => window / 2,
            (0, 1..) => self.file.object().options().round_trip_bytes().min(window / 2),
            _ => 0,
        }
    }
}

impl std::fmt::Debug for ArrowStreamBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { reader, window, prefetch, .. } = self;
        f.debug_struct("ArrowStreamBuilder")
            .field("reader", reader)
            .field("window", window)
            .field("prefetch", prefetch)
            .finish_non_exhaustive()
    }
}

/// A stream of record batches, the same as those of an [`ArrowReader`](super::arrow_reader::ArrowReader). After an
/// error it ends.
pub struct ArrowStream {
    schema: SchemaRef,
    batches: BoxStream<'static, Result<RecordBatch>>,
}

impl ArrowStream {
    /// Returns the schema of the batches.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }
}

impl Stream for ArrowStream {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.batches.as_mut().poll_next(cx)
    }
}

impl std::fmt::Debug for ArrowStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ArrowStream").field("schema", &self.schema).finish_non_exhaustive()
    }
}
