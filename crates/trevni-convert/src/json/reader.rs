//! Reads record batches from chunks of records that several threads decode, in order.
//!
//! ```text
//! records ──► chunk ──► batches, bad records ──► batches
//! ```
//! A bad row is skipped and counted, up to the limit; the rows before one that exceeds it are returned before the
//! error. If the cause is a type that was inferred from the first rows, the report says so.

use std::collections::VecDeque;
use std::io::{self, Read, Seek};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use arrow::array::{RecordBatch, RecordBatchReader};
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;

use super::chunk_decoder::{ChunkDecoder, Decoded, explained};
use super::declared_types::GivenTypes;
use super::decode::fault;
use super::infer::Inference;
use super::records::{Chunk, Records};
use crate::parallel::ordered;
use crate::{ReadOptions, Rows, Source, select};
use trevni::{Error, Result};

type Input = Box<dyn Read + Send>;

/// Bytes from which types are inferred, at most, unless from all.
const MOST_TO_INFER: usize = 32 << 20;

pub(super) fn open(source: Source, options: &ReadOptions) -> Result<Rows> {
    if options.schema.is_some() && !options.types.is_empty() {
        return Err(Error::invalid("types of single fields are for rows without a schema"));
    }
    let records = |input: Input| Records::new(input, options.json.max_row_size);
    let (records, read, schema) = match (&options.schema, options.infer_rows) {
        (Some(schema), _) => (records(source.into_read())?, VecDeque::new(), schema.clone()),
        (None, 0) => {
            let mut file = source.into_file()?;
            let mut all = records(Box::new(file.try_clone()?))?;
            let (_, schema) = infer(&mut all, None, options)?;
            file.rewind()?;
            (records(Box::new(file))?, VecDeque::new(), schema)
        }
        (None, rows) => {
            let mut records = records(source.into_read())?;
            let (read, schema) = infer(&mut records, Some(rows), options)?;
            (records, read, schema)
        }
    };
    let decoder = ChunkDecoder::new(schema, options)?;
    let reader = JsonReader::new(decoder, read, records, options);
    select::select(Box::new(reader), options)
}

/// Returns the schema of the first rows, and the chunks that were read for it; or that of all rows.
fn infer(
    records: &mut Records<Input>,
    rows: Option<usize>,
    options: &ReadOptions,
) -> Result<(VecDeque<Chunk>, SchemaRef)> {
    let (mut inference, mut read) = (Inference::default(), VecDeque::new());
    let (mut seen, mut bytes, mut bad) = (0, 0, None);
    while rows.is_none_or(|rows| seen < rows && bytes < MOST_TO_INFER) {
        let most = rows.map_or(options.batch_size, |rows| rows - seen).min(options.batch_size);
        let chunk = match records.chunk(most.max(1)) {
            Ok(Some(chunk)) => chunk,
            Ok(None) => break,
            // It is returned again after the rows, if there are any.
            Err(e) => {
                records.fail_with(e);
                break;
            }
        };
        for (place, record) in chunk.records() {
            // Bad records are left to the reader, unless all are.
            match fault(record) {
                Some(fault) => {
                    bad.get_or_insert_with(|| explained(place, fault.line, &fault.what));
                }
                None => drop(inference.add(record, place)),
            }
        }
        seen += chunk.len();
        bytes += chunk.text.len();
        if rows.is_some() {
            read.push_back(chunk);
        }
    }
    if let (true, Some(bad), 0) = (inference.is_empty(), bad, options.skip_bad) {
        return Err(bad);
    }
    let mut types = GivenTypes::new(&options.types);
    let schema = inference.schema(&mut types, options.skip_bad > 0).map_err(|conflict| {
        let (place, field, what) = (conflict.place, conflict.field, conflict.what);
        let remedy = format!(
            "--type '{field}=utf8' reads the field as text, --skip-bad leaves such rows out"
        );
        Error::malformed(format!("{place}, field {field:?}: {what} ({remedy})"))
    })?;
    types.check(&schema)?;
    if schema.fields().is_empty() {
        // What cannot be cut into records is no JSON.
        records.take_error().map_or(Ok(()), Err)?;
    }
    Ok((read, Arc::new(schema)))
}

/// Chunks of records, and whether types were inferred from them.
fn chunks(
    read: VecDeque<Chunk>,
    mut records: Records<Input>,
    options: &ReadOptions,
) -> impl Iterator<Item = Result<(Chunk, bool)>> + Send + 'static {
    let is_of_all = options.schema.is_none() && options.infer_rows == 0;
    let most = options.batch_size.max(1);
    let others = std::iter::from_fn(move || records.chunk(most).transpose());
    let read = read.into_iter().map(|chunk| Ok((chunk, true)));
    read.chain(others.map(move |chunk| Ok((chunk?, is_of_all))))
}

/// The rows of chunks, in order.
type DecodedChunks = Box<dyn Iterator<Item = io::Result<Result<Decoded>>> + Send>;

/// Starts to decode chunks.
type Start = Box<dyn FnOnce() -> io::Result<DecodedChunks> + Send>;

/// Rows of JSON.
struct JsonReader {
    /// Threads start when rows are wanted, not when only the schema is.
    start: Option<Start>,
    decoded: Option<DecodedChunks>,
    schema: SchemaRef,
    options: ReadOptions,
    batches: VecDeque<RecordBatch>,
    /// The error after the batches.
    error: Option<Error>,
    is_at_end: bool,
}

impl JsonReader {
    fn new(
        decoder: ChunkDecoder,
        read: VecDeque<Chunk>,
        records: Records<Input>,
        options: &ReadOptions,
    ) -> Self {
        let (schema, threads) = (decoder.schema(), options.threads);
        let chunks = chunks(read, records, options);
        let work = move |chunk: Result<(Chunk, bool)>| {
            let (chunk, was_seen) = chunk?;
            decoder.decode(&chunk, was_seen)
        };
        Self {
            start: Some(Box::new(move || ordered(chunks, threads, work))),
            decoded: None,
            schema,
            options: options.clone(),
            batches: VecDeque::new(),
            error: None,
            is_at_end: false,
        }
    }

    /// Returns the rows of the next chunk.
    fn next_chunk(&mut self) -> Option<Result<Decoded>> {
        if let Some(start) = self.start.take() {
            match start() {
                Ok(decoded) => self.decoded = Some(decoded),
                Err(e) => return Some(Err(e.into())),
            }
        }
        Some(self.decoded.as_mut()?.next()?.unwrap_or_else(|e| Err(e.into())))
    }

    /// Takes the rows of a chunk, up to one that is bad and may not be.
    fn take(&mut self, decoded: Decoded) {
        let mut left = usize::MAX;
        for bad in decoded.bad {
            if let Err(e) = self.options.report.pass_over(self.options.skip_bad, bad.error) {
                left = bad.before;
                if bad.is_of_inference && self.options.skip_bad == 0 {
                    self.options.report.inference_failed.store(true, Ordering::Relaxed);
                }
                self.error = Some(e);
                break;
            }
        }
        for batch in decoded.batches {
            let rows = batch.num_rows().min(left);
            left -= rows;
            if rows > 0 {
                self.batches.push_back(batch.slice(0, rows));
            }
        }
    }
}

impl Iterator for JsonReader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(batch) = self.batches.pop_front() {
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
                Some(Ok(decoded)) => self.take(decoded),
                Some(Err(e)) => self.error = Some(e),
                None => self.is_at_end = true,
            }
        }
    }
}

impl RecordBatchReader for JsonReader {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
