//! A stream of the record batches of a data set in a store.
//!
//! ```text
//! file 0   header ──► windows ──► batches
//! file 1         header ─────────────────► windows ──► …        opened while the one before it is read
//! ```

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use futures_util::future::BoxFuture;
use futures_util::stream::{BoxStream, try_unfold};
use futures_util::{Stream, StreamExt, TryStreamExt};

use super::file_scan::FileScan;
use super::scan::{DatasetScan, FileSettings, ScanPart, ScanPlan};
use super::store::Prefix;
use crate::arrow::{ArrowStream, Trim};
use crate::error::Result;
use crate::object_store::spawn;

/// The number of files that are prefetched.
const AHEAD: usize = 1;

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
        let opener = Opener { place: self.place, settings };
        let files = Files {
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
        let builder = self.place.open(part.file.path()).await?;
        let configured = builder.try_map_reader(|reader| self.settings.configure(reader, part))?;
        let Some((builder, scan)) = configured else { return Ok(None) };
        let stream = builder.build()?;
        Ok(Some(PartStream { stream, scan, path: part.file.path().to_owned() }))
    }
}

struct Files {
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
        while self.ahead.len() <= AHEAD
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
