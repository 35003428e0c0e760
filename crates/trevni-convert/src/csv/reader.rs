//! Reads record batches from chunks that several threads parse, in order.
//!
//! ```text
//! chunk ──► Table ──► arrays, bad rows ──► batches of at most `batch_size` rows
//! ```
//! A bad row is skipped and counted, up to the limit; the rows before one that exceeds it are returned before the
//! error. If the cause is a type that was inferred from the first rows, the report says so.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use arrow::array::{BooleanArray, RecordBatch, RecordBatchOptions, RecordBatchReader};
use arrow::compute::filter;
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;

use super::chunk::Chunk;
use super::column::{BadRows, BadValue, Cells, Column};
use super::table::{Layout, Table};
use crate::ReadOptions;
use crate::parallel::ordered;
use trevni::{Error, Result};

/// How chunks are parsed.
#[derive(Debug)]
pub(super) struct ChunkParser {
    pub(super) layout: Layout,
    pub(super) columns: Vec<Column>,
    pub(super) schema: SchemaRef,
    /// From how many rows types were inferred; 0 if from all.
    pub(super) infer_rows: usize,
    /// How many bad rows matter.
    pub(super) most_bad: usize,
}

/// The rows of a chunk.
#[derive(Debug)]
struct Parsed {
    batch: RecordBatch,
    bad: Vec<BadRow>,
    lines: u64,
}

#[derive(Debug)]
struct BadRow {
    /// How many good rows are before it.
    before: usize,
    /// How many lines of the chunk are before it.
    lines: u64,
    what: String,
    is_of_inference: bool,
}

impl ChunkParser {
    fn parse(&self, chunk: Chunk) -> Result<Parsed> {
        let mut table = Table::new(chunk, &self.layout, self.most_bad);
        let mut bad = BadRows::new(self.most_bad);
        let text = table.text();
        let cells = self.columns.iter().zip(&table.columns);
        let arrays = cells.map(|(column, spans)| Cells { column, text, spans }.parse(&mut bad));
        let mut arrays: Vec<_> = arrays.collect();
        let mut rows = table.rows;
        if !bad.is_empty() {
            let good: BooleanArray = (0..rows).map(|row| Some(!bad.has(row))).collect();
            for array in &mut arrays {
                *array = filter(array, &good)?;
            }
            rows = good.true_count();
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(self.schema.clone(), arrays, &options)?;
        let lines = table.lines;
        let bad = self.in_order(&mut table, bad);
        Ok(Parsed { batch, bad, lines })
    }

    /// Returns all bad rows, in the order of the file.
    fn in_order(&self, table: &mut Table, values: BadRows) -> Vec<BadRow> {
        let records = std::mem::take(&mut table.bad);
        if records.is_empty() && values.is_empty() {
            return Vec::new();
        }
        let records = records.into_iter().map(|bad| {
            let what = format!(": {}", bad.what);
            (bad.start, bad.row, 0, what, false)
        });
        let values = values.into_rows().map(|(row, value)| {
            let start = table.starts.get(row).map_or(0, |start| *start as usize);
            let is_of_inference = value.fitting.is_some();
            (start, row, 1, self.explain(&value), is_of_inference)
        });
        let mut all: Vec<_> = records.chain(values).collect();
        all.sort_unstable_by_key(|(start, ..)| *start);
        let mut dropped = 0;
        let bad = all.into_iter().map(|(start, row, is_row, what, is_of_inference)| {
            let before = row.saturating_sub(dropped);
            dropped += is_row;
            BadRow { before, lines: table.lines_before(start), what, is_of_inference }
        });
        bad.collect()
    }

    fn explain(&self, value: &BadValue) -> String {
        let BadValue { what, fitting, column } = value;
        let mut text = format!(", column {column:?}: {what}");
        if let Some(fitting) = fitting {
            let name = fitting.name();
            let plain = column.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
            let quote = if plain { "" } else { "'" };
            let setting = format!("--type {quote}{column}={name}{quote}");
            text.push_str(&match self.infer_rows {
                0 => format!(" ({setting} says what it is)"),
                rows => format!(
                    " (its type was inferred from the first {rows} rows: {setting} says what it is, \
                     --infer-rows 0 infers from all rows)"
                ),
            });
        }
        text
    }
}

/// The rows of chunks, in order.
type ParsedChunks = Box<dyn Iterator<Item = io::Result<Result<Parsed>>> + Send>;

/// Starts to parse chunks.
type Start = Box<dyn FnOnce() -> io::Result<ParsedChunks> + Send>;

/// Rows of CSV.
pub(super) struct CsvReader {
    /// Threads start when rows are wanted, not when only the schema is.
    start: Option<Start>,
    parsed: Option<ParsedChunks>,
    schema: SchemaRef,
    options: ReadOptions,
    /// The number of the first line that has not been parsed.
    line: u64,
    batch: Option<RecordBatch>,
    /// The error after the batch.
    error: Option<Error>,
    is_at_end: bool,
}

impl CsvReader {
    pub(super) fn new(
        parser: ChunkParser,
        chunks: impl Iterator<Item = Result<Chunk>> + Send + 'static,
        options: &ReadOptions,
    ) -> Self {
        let (schema, threads) = (parser.schema.clone(), options.threads);
        let parser = Arc::new(parser);
        let work = move |chunk: Result<Chunk>| parser.parse(chunk?);
        Self {
            start: Some(Box::new(move || ordered(chunks, threads, work))),
            parsed: None,
            schema,
            options: options.clone(),
            line: 1,
            batch: None,
            error: None,
            is_at_end: false,
        }
    }

    /// Returns the rows of the next chunk.
    fn next_chunk(&mut self) -> Option<Result<Parsed>> {
        if let Some(start) = self.start.take() {
            match start() {
                Ok(parsed) => self.parsed = Some(parsed),
                Err(e) => return Some(Err(e.into())),
            }
        }
        Some(self.parsed.as_mut()?.next()?.unwrap_or_else(|e| Err(e.into())))
    }

    /// Takes the rows of a chunk, up to one that is bad and may not be.
    fn take(&mut self, parsed: Parsed) {
        let Parsed { batch, bad, lines } = parsed;
        let mut rows = batch.num_rows();
        for bad in bad {
            let line = self.line + bad.lines;
            let e = Error::malformed(format!("line {line}{}", bad.what));
            if let Err(e) = self.options.report.pass_over(self.options.skip_bad, e) {
                rows = bad.before;
                let retry = bad.is_of_inference && self.options.skip_bad == 0;
                if retry && self.options.infer_rows > 0 {
                    self.options.report.inference_failed.store(true, Ordering::Relaxed);
                }
                self.error = Some(e);
                break;
            }
        }
        self.line += lines;
        self.batch = (rows > 0).then(|| batch.slice(0, rows.min(batch.num_rows())));
    }

    /// Some rows of the batch at hand.
    fn rows(&mut self) -> Option<RecordBatch> {
        let batch = self.batch.take()?;
        let most = self.options.batch_size.max(1);
        if batch.num_rows() <= most {
            return Some(batch);
        }
        self.batch = Some(batch.slice(most, batch.num_rows() - most));
        Some(batch.slice(0, most))
    }
}

impl Iterator for CsvReader {
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
                Some(Ok(parsed)) => self.take(parsed),
                Some(Err(e)) => self.error = Some(e),
                None => self.is_at_end = true,
            }
        }
    }
}

impl RecordBatchReader for CsvReader {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
