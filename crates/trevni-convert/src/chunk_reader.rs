//! Reads record batches from chunks of text that several threads decode, in order.
//!
//! ```text
//! chunk ──► rows, bad rows ──► batches of at most `batch_size` rows
//! ```
//! A bad row is skipped and counted, up to the limit; the rows before one that exceeds it are returned before the
//! error. If the cause is a type that was inferred from the first rows, the report says so.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;

use arrow::array::{RecordBatch, RecordBatchReader};
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;

use crate::ReadOptions;
use crate::parallel::{Ordered, ordered};
use trevni::{Error, Result};

/// The rows of a chunk.
#[derive(Debug)]
pub(super) struct DecodedChunk {
    pub(super) batches: Vec<RecordBatch>,
    /// In the order of the chunk; those after the first that may not be skipped do not count.
    pub(super) bad: Vec<BadRow>,
    /// The lines of the chunk.
    pub(super) lines: u64,
}

/// A row that was left out.
#[derive(Debug)]
pub(super) struct BadRow {
    /// How many good rows of the chunk are before it.
    pub(super) before: usize,
    /// How many lines of the chunk are before it.
    pub(super) lines: u64,
    /// The text after the line.
    pub(super) what: String,
    /// Whether a type that was inferred from the first rows is the cause.
    pub(super) is_of_inference: bool,
}

/// The rows of chunks.
pub(super) struct ChunkReader {
    decoded: Ordered<Result<DecodedChunk>>,
    schema: SchemaRef,
    options: ReadOptions,
    /// The number of the first line of the next chunk.
    line: u64,
    batches: VecDeque<RecordBatch>,
    /// The error after the batches.
    error: Option<Error>,
    is_at_end: bool,
}

impl ChunkReader {
    /// Creates a reader of chunks, whose lines are counted from `line`.
    pub(super) fn new<T: Send + 'static>(
        chunks: impl Iterator<Item = T> + Send + 'static,
        decode: impl Fn(T) -> Result<DecodedChunk> + Send + Sync + 'static,
        schema: SchemaRef,
        line: u64,
        options: &ReadOptions,
    ) -> Self {
        Self {
            decoded: ordered(chunks, options.threads, decode),
            schema,
            options: options.clone(),
            line,
            batches: VecDeque::new(),
            error: None,
            is_at_end: false,
        }
    }

    /// Returns the rows of the next chunk.
    fn next_chunk(&mut self) -> Option<Result<DecodedChunk>> {
        Some(self.decoded.next()?.unwrap_or_else(|e| Err(e.into())))
    }

    /// Takes the rows of a chunk, up to one that is bad and may not be.
    fn take(&mut self, chunk: DecodedChunk) {
        let mut left = usize::MAX;
        for bad in chunk.bad {
            let line = self.line + bad.lines;
            let e = Error::malformed(format!("line {line}{}", bad.what));
            if let Err(e) = self.options.report.pass_over(self.options.skip_bad, e) {
                left = bad.before;
                let retry = bad.is_of_inference && self.options.skip_bad == 0;
                if retry && self.options.infer_rows.is_some_and(|rows| rows > 0) {
                    self.options.report.inference_failed.store(true, Ordering::Relaxed);
                }
                self.error = Some(e);
                break;
            }
        }
        self.line += chunk.lines;
        for batch in chunk.batches {
            let rows = batch.num_rows().min(left);
            left -= rows;
            if rows > 0 {
                self.batches.push_back(batch.slice(0, rows));
            }
        }
    }

    /// Some rows of the batches at hand.
    fn rows(&mut self) -> Option<RecordBatch> {
        let batch = self.batches.pop_front()?;
        let most = self.options.batch_size.max(1);
        if batch.num_rows() > most {
            self.batches.push_front(batch.slice(most, batch.num_rows() - most));
            return Some(batch.slice(0, most));
        }
        Some(batch)
    }
}

impl Iterator for ChunkReader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(batch) = self.rows() {
                return Some(Ok(batch));
            }
            if let Some(e) = self.error.take() {
                self.is_at_end = true;
                return Some(Err(e.into()));
            }
            if self.is_at_end {
                return None;
            }
            match self.next_chunk() {
                Some(Ok(chunk)) => self.take(chunk),
                Some(Err(e)) => self.error = Some(e),
                None => self.is_at_end = true,
            }
        }
    }
}

impl RecordBatchReader for ChunkReader {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
