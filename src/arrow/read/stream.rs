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
mod windows;

use std::ops::Range;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use ::object_store::ObjectStore;
use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use futures_util::Stream;
use futures_util::stream::BoxStream;

use super::builder::ArrowReaderBuilder;
use super::options::ArrowReaderOptions;
use super::row_filter::RowFilter;
use crate::arrow::predicate::Predicate;
use crate::arrow::projection::ProjectionMask;
use crate::arrow::selection::RowSelection;
use crate::defaults::WINDOW_BYTES;
use crate::error::Result;
use crate::io::{Limits, Ranges};
use crate::object_store::{FetchOptions, Location};
use crate::read::file_reader::FileReader;
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
    file: RemoteFile,
    reader: ArrowReaderBuilder<Arc<Ranges>>,
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
        let reader = ArrowReaderBuilder::of_file(file.file().clone(), options)?;
        Ok(Self { file, reader, window: WINDOW_BYTES, prefetch: 1 })
    }

    /// Returns the schema of the file, before projection.
    pub fn schema(&self) -> &SchemaRef {
        self.reader.schema()
    }

    /// Returns the rows in the file.
    pub fn rows(&self) -> u64 {
        self.reader.rows()
    }

    /// Returns the file, to look at its header.
    pub fn file(&self) -> &FileReader<Arc<Ranges>> {
        self.file.file()
    }

    /// Sets the maximum number of rows of a batch. Default: 8192.
    pub fn with_batch_size(self, rows: usize) -> Self {
        self.reading(|reader| reader.with_batch_size(rows))
    }

    /// Sets the fields to read. Default: all. Bytes of other columns are fetched only in gaps between ranges.
    pub fn with_projection(self, projection: ProjectionMask) -> Self {
        self.reading(|reader| reader.with_projection(projection))
    }

    /// Sets the range of rows to read; rows past the end are ignored. Default: all.
    pub fn with_row_range(self, rows: Range<u64>) -> Self {
        self.reading(|reader| reader.with_row_range(rows))
    }

    /// Sets the rows to read, of those of the [row range](Self::with_row_range). Of each column only the blocks
    /// that have such rows are fetched. Default: all.
    pub fn with_row_selection(self, selection: RowSelection) -> Self {
        self.reading(|reader| reader.with_row_selection(selection))
    }

    /// Sets a predicate. Its columns are fetched first, and of other columns only the blocks with matching rows.
    /// See [`ArrowReaderBuilder::with_predicate`].
    pub fn with_predicate(self, predicate: Predicate) -> Self {
        self.reading(|reader| reader.with_predicate(predicate))
    }

    /// Sets predicates written in Rust. See [`ArrowReaderBuilder::with_row_filter`].
    pub fn with_row_filter(self, filter: RowFilter) -> Self {
        self.reading(|reader| reader.with_row_filter(filter))
    }

    /// Sets the number of rows to skip, of those that would be read. Default: 0.
    pub fn with_offset(self, rows: u64) -> Self {
        self.reading(|reader| reader.with_offset(rows))
    }

    /// Sets the maximum number of rows to read, after predicates and offset. Default: no limit.
    pub fn with_limit(self, rows: u64) -> Self {
        self.reading(|reader| reader.with_limit(rows))
    }

    /// Sets whether blocks without matching rows are pruned by statistics. Default: true. See
    /// [`ArrowReaderBuilder::with_pruning`].
    pub fn with_pruning(self, pruning: bool) -> Self {
        self.reading(|reader| reader.with_pruning(pruning))
    }

    /// Sets the limits on the memory that the reader may use.
    pub fn with_limits(self, limits: Limits) -> Self {
        self.reading(|reader| reader.with_limits(limits))
    }

    /// Sets the number of threads that decompress and decode. Default: 1, the one that polls the stream.
    pub fn with_parallelism(self, threads: usize) -> Self {
        self.reading(|reader| reader.with_parallelism(threads))
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

    /// Passes a setting on to the reader.
    fn reading(
        mut self,
        set: impl FnOnce(ArrowReaderBuilder<Arc<Ranges>>) -> ArrowReaderBuilder<Arc<Ranges>>,
    ) -> Self {
        self.reader = set(self.reader);
        self
    }

    /// Returns the stream; it begins to fetch when it is first polled.
    pub fn build(self) -> Result<ArrowStream> {
        self.reader.check_settings()?;
        let (schema, columns) = (self.reader.projected_schema()?, self.reader.columns_needed()?);
        let batches = batches::batches(self, columns);
        Ok(ArrowStream { schema, batches })
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

impl std::fmt::Debug for ArrowStreamBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ArrowStreamBuilder")
            .field("object", self.file.object())
            .field("reader", &self.reader)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for ArrowStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ArrowStream").field("schema", &self.schema).finish_non_exhaustive()
    }
}
