//! A stream of the record batches of a data set in a store.
//!
//! ```text
//! file 0   header ──► tables ──► windows ──► batches
//! file 1   header ──► tables ──► window ─────────────► windows ──► batches      while the files before it are read
//! file 2   header ──► tables ──► window ──────────────────────────► …
//! ```
//! How many files are begun depends on the memory: each takes its part of the half that windows have.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use futures_util::future::BoxFuture;
use futures_util::stream::{BoxStream, try_unfold};
use futures_util::{Stream, StreamExt, TryStreamExt};

use super::file_scan::FileScan;
use super::scan::{DatasetScan, FileSettings, ScanPart, ScanPlan};
use super::store::Prefix;
use crate::arrow::{ArrowStream, Trim, shares};
use crate::error::Result;
use crate::object_store::spawn;

/// A stream of the record batches of a scan, in the order of the files. After an error it ends.
pub struct DatasetStream {
    schema: SchemaRef,
    batches: BoxStream<'static, Result<RecordBatch>>,
}

impl DatasetScan<Prefix> {
    /// Returns the stream; it begins to fetch when it is first polled.
    pub fn stream(self) -> Result<DatasetStream> {
        let ScanPlan { settings, parts, trim } = self.plan()?;
        let schema = settings.predicate.output.clone();
        // With a limit it is not known which files are needed.
        let most = if trim.limit() == u64::MAX { self.place.concurrency() } else { 1 };
        let (files_ahead, window) = shares::of_files(&settings.scan.limits, most);
        let opener = Opener { place: self.place, settings, window, header: AtomicU64::new(0) };
        let files = Files {
            files_ahead,
            opener: Arc::new(opener),
            parts: parts.into(),
            ahead: VecDeque::new(),
            current: None,
            trim,
        };
        let batches = try_unfold(files, |mut files| async {
            Ok(files.next().await?.map(|batch| (batch, files)))
        });
        Ok(DatasetStream { schema, batches: batches.boxed() })
    }
}

struct Opener {
    place: Prefix,
    settings: FileSettings,
    /// The bytes of a window.
    window: u64,
    /// The length of the longest header so far, or 0: those of a data set are about as long, so the first read of the
    /// next file needs to be no longer.
    header: AtomicU64,
}

/// A file that is open.
struct PartStream {
    stream: ArrowStream,
    scan: FileScan,
    path: String,
}

impl Opener {
    /// Opens the rows of a file; `None` if none of the file can match.
    async fn open(self: Arc<Self>, part: ScanPart) -> Result<Option<PartStream>> {
        self.try_open(&part).await.map_err(|e| e.in_file(part.file.path()))
    }

    async fn try_open(&self, part: &ScanPart) -> Result<Option<PartStream>> {
        let first_read = self.header.load(Ordering::Relaxed);
        let builder = self.place.open_with(part.file.path(), first_read).await?;
        let header = builder.file().header().start(0);
        self.header.fetch_max(header.unwrap_or_default(), Ordering::Relaxed);
        let configured = builder.try_map_reader(|reader| self.settings.configure(reader, part))?;
        let Some((builder, scan)) = configured else { return Ok(None) };
        let stream = builder.with_window_bytes(self.window).start().await?;
        Ok(Some(PartStream { stream, scan, path: part.file.path().to_owned() }))
    }
}

struct Files {
    files_ahead: usize,
    opener: Arc<Opener>,
    parts: VecDeque<ScanPart>,
    ahead: VecDeque<BoxFuture<'static, Result<Option<PartStream>>>>,
    current: Option<PartStream>,
    trim: Trim,
}

impl Files {
    async fn next(&mut self) -> Result<Option<RecordBatch>> {
        while !self.trim.is_done() {
            let Some(current) = &mut self.current else {
                match self.next_file().await? {
                    true => continue,
                    false => return Ok(None),
                }
            };
            let (path, scan) = (&current.path, &current.scan);
            match current.stream.try_next().await.map_err(|e| e.in_file(path))? {
                None => self.current = None,
                Some(batch) => {
                    let batch = scan.finish(&batch).map_err(|e| e.in_file(path))?;
                    let batch = self.trim.trim(batch);
                    if batch.num_rows() > 0 {
                        return Ok(Some(batch));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Moves to the next file. Returns whether there is one.
    async fn next_file(&mut self) -> Result<bool> {
        while self.ahead.len() <= self.files_ahead
            && let Some(part) = self.parts.pop_front()
        {
            self.ahead.push_back(spawn(self.opener.clone().open(part)));
        }
        let Some(next) = self.ahead.pop_front() else { return Ok(false) };
        self.current = next.await?;
        Ok(true)
    }
}

impl DatasetStream {
    /// Returns the schema of the batches.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }
}

impl Stream for DatasetStream {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.batches.as_mut().poll_next(cx)
    }
}

impl std::fmt::Debug for DatasetStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DatasetStream").field("schema", &self.schema).finish_non_exhaustive()
    }
}
