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

use super::file_scan::{FileScan, ScanPredicate};
use super::reader::check_rows;
use super::scan::{DatasetScan, ScanPart, ScanPlan, Trim};
use super::store::Prefix;
use crate::arrow::ArrowStream;
use crate::error::Result;
use crate::io::Limits;
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
        let ScanPlan { question, parts, trim, batch_size, limits } = self.plan()?;
        let schema = question.output.clone();
        let (threads, most) = (self.parallelism, trim.most());
        let opener = Opener { place: self.place, question, batch_size, limits, threads, most };
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
    question: Arc<ScanPredicate>,
    batch_size: usize,
    limits: Limits,
    threads: usize,
    /// Rows that are needed of all.
    most: u64,
}

/// A file that is open.
struct PartStream {
    stream: ArrowStream,
    ask: FileScan,
    path: String,
}

impl Opener {
    /// `None` if none of the file can pass.
    async fn open(self: Arc<Self>, part: ScanPart) -> Result<Option<PartStream>> {
        let path = part.file.path().to_owned();
        self.try_open(part).await.map_err(|e| e.in_file(&path))
    }

    async fn try_open(&self, part: ScanPart) -> Result<Option<PartStream>> {
        let builder = self.place.open(part.file.path()).await?;
        check_rows(&part, builder.rows())?;
        let Some(ask) = self.question.ask(builder.schema(), part.constants)? else {
            return Ok(None);
        };
        let mut builder = builder
            .with_batch_size(self.batch_size)
            .with_limits(self.limits)
            .with_parallelism(self.threads)
            .with_projection(ask.mask.clone())
            .with_row_range(part.rows);
        if let Some(predicate) = &ask.predicate {
            builder = builder.with_predicate(predicate.clone());
        }
        if ask.is_settled() {
            builder = builder.with_limit(self.most);
        }
        let path = part.file.path().to_owned();
        Ok(Some(PartStream { stream: builder.build()?, ask, path }))
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
            let (path, ask) = (&current.path, &current.ask);
            match current.stream.try_next().await.map_err(|e| e.in_file(path))? {
                None => self.current = None,
                Some(batch) => {
                    let batch = ask.finish(&batch).map_err(|e| e.in_file(path))?;
                    let batch = self.trim.trim(&batch);
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
