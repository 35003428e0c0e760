//! What a partition of a scan has read, for `EXPLAIN ANALYZE`.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use datafusion::physical_plan::metrics::{
    Count, ExecutionPlanMetricsSet, MetricBuilder, MetricCategory, PruningMetrics, Time,
};
use futures_util::Stream;
use trevni::ReadMetrics;
use trevni::object_store::FetchMetrics;

/// The metrics of the files of a partition.
#[derive(Debug, Clone)]
pub(crate) struct ScanMetrics {
    /// Files of which no row can pass.
    pub(crate) pruned_files: Count,
    /// Blocks of the columns of the filter, and rows that are in none that may pass.
    pub(crate) blocks: PruningMetrics,
    pub(crate) pruned_rows: Count,
    /// Errors in the evaluation of filters on statistics.
    pub(crate) errors: Count,
    bytes: Count,
    requests: Count,
    /// Blocks that were decompressed.
    blocks_read: Count,
    fetch_time: Time,
    decode_time: Time,
}

impl ScanMetrics {
    pub(crate) fn new(set: &ExecutionPlanMetricsSet, partition: usize) -> Self {
        let builder = || MetricBuilder::new(set);
        let bytes = builder().with_category(MetricCategory::Bytes);
        Self {
            pruned_files: builder().counter("files_pruned", partition),
            blocks: builder().pruning_metrics("blocks_pruned_statistics", partition),
            pruned_rows: builder().counter("rows_pruned_statistics", partition),
            errors: builder().counter("predicate_evaluation_errors", partition),
            bytes: bytes.counter("bytes_scanned", partition),
            requests: builder().counter("requests", partition),
            blocks_read: builder().counter("blocks_read", partition),
            fetch_time: builder().subset_time("fetch_time", partition),
            decode_time: builder().subset_time("decode_time", partition),
        }
    }

    /// Returns what measures the fetching and decoding of a file.
    pub(crate) fn of_file(&self) -> FileMetrics {
        let (fetched, read, known) = (Arc::default(), Arc::default(), Known::default());
        FileMetrics { scan: self.clone(), fetched, read, known }
    }
}

/// The metrics of a file that is being read.
pub(crate) struct FileMetrics {
    scan: ScanMetrics,
    fetched: Arc<FetchMetrics>,
    read: Arc<ReadMetrics>,
    known: Known,
}

/// What has been added to the metrics of the scan.
#[derive(Default)]
struct Known {
    requests: u64,
    bytes: u64,
    time: Duration,
    blocks: u64,
}

impl FileMetrics {
    /// Returns what counts requests.
    pub(crate) fn fetched(&self) -> Arc<FetchMetrics> {
        self.fetched.clone()
    }

    /// Returns what counts blocks.
    pub(crate) fn read(&self) -> Arc<ReadMetrics> {
        self.read.clone()
    }

    /// Adds what was fetched and read since the last call.
    pub(crate) fn update(&mut self) {
        let (fetched, before) = (&self.fetched, &self.known);
        let now = Known {
            requests: fetched.requests(),
            bytes: fetched.bytes(),
            time: fetched.time(),
            blocks: self.read.blocks(),
        };
        let count = |more: u64| usize::try_from(more).unwrap_or(usize::MAX);
        self.scan.requests.add(count(now.requests - before.requests));
        self.scan.bytes.add(count(now.bytes - before.bytes));
        self.scan.fetch_time.add_duration(now.time - before.time);
        self.scan.blocks_read.add(count(now.blocks - before.blocks));
        self.known = now;
    }

    /// Measures the time in which a stream of batches decodes them.
    pub(crate) fn measure<S: Stream + Unpin>(self, batches: S) -> Measured<S> {
        Measured { batches, metrics: self }
    }
}

impl Drop for FileMetrics {
    fn drop(&mut self) {
        self.update();
    }
}

/// A stream whose time of decoding is measured: requests progress on other threads.
pub(crate) struct Measured<S> {
    batches: S,
    metrics: FileMetrics,
}

impl<S: Stream + Unpin> Stream for Measured<S> {
    type Item = S::Item;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let time = self.metrics.scan.decode_time.clone();
        let timer = time.timer();
        let next = Pin::new(&mut self.batches).poll_next(cx);
        timer.done();
        if next.is_ready() {
            self.metrics.update();
        }
        next
    }
}
