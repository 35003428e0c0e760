//! Reads record batches from JSON.
//!
//! A bad row is skipped and counted, up to the limit; the rows before one that exceeds it are returned before the
//! error. If the cause is a type that was inferred from the first rows, the report says so.

use std::collections::VecDeque;
use std::io::{Read, Seek};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use arrow::array::{RecordBatch, RecordBatchReader};
use arrow::compute::concat_batches;
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;

use super::declared_types::GivenTypes;
use super::decode::{RecordDecoder, fault};
use super::infer::Inference;
use super::records::{Chunk, RecordLocation, Records};
use crate::{ReadOptions, Rows, Source, select};
use trevni::{Error, Result};

type Input = Box<dyn Read + Send>;

/// Bytes from which types are inferred, at most, unless from all.
const MOST_TO_INFER: usize = 32 << 20;

/// Rows of a batch where records are decoded one by one.
const FEW: usize = 16;

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
    let decoder = RecordDecoder::new(&schema, options.batch_size, options);
    let reader = JsonReader {
        records,
        read,
        schema: decoder.schema(),
        decoder,
        marked: schema,
        options: options.clone(),
        batches: VecDeque::new(),
        error: None,
        is_at_end: false,
    };
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

fn explained(place: RecordLocation, more: u64, what: &str) -> Error {
    Error::malformed(format!("{}{what}", place.at_line(more)))
}

/// Rows of JSON.
struct JsonReader {
    records: Records<Input>,
    /// The chunks that were read to infer the schema.
    read: VecDeque<Chunk>,
    decoder: RecordDecoder,
    schema: SchemaRef,
    /// The schema with marks at fields of declared types.
    marked: SchemaRef,
    options: ReadOptions,
    batches: VecDeque<RecordBatch>,
    /// The error after the batches.
    error: Option<Error>,
    is_at_end: bool,
}

impl JsonReader {
    /// Decodes more records, if there are any.
    fn fill(&mut self) -> Result<()> {
        let (chunk, was_seen) = match self.read.pop_front() {
            Some(chunk) => (chunk, true),
            None => match self.records.chunk(self.options.batch_size.max(1))? {
                Some(chunk) => (chunk, self.is_of_all()),
                None => {
                    self.is_at_end = true;
                    return Ok(());
                }
            },
        };
        // Values from which types were inferred fit them, but maybe not declared types.
        let batches = match was_seen && self.options.types.is_empty() {
            true => self.decoder.decode(&chunk.text),
            false => self.decoder.decode_checked(&chunk.text),
        };
        match batches {
            Ok(batches) => self.batches.extend(batches),
            Err(_) => self.one_by_one(&chunk)?,
        }
        Ok(())
    }

    /// Returns whether types were inferred from all rows.
    fn is_of_all(&self) -> bool {
        self.options.schema.is_none() && self.options.infer_rows == 0
    }

    /// Decodes records one by one, and skips bad ones up to the limit.
    fn one_by_one(&mut self, chunk: &Chunk) -> Result<()> {
        let mut decoder = RecordDecoder::new(&self.marked, FEW, &self.options);
        let mut good = Vec::new();
        for (place, record) in chunk.records() {
            match decoder.decode_checked(record) {
                Ok(rows) => good.extend(rows),
                Err(e) => {
                    if let Err(e) = self.pass_over(&decoder, place, record, &e) {
                        self.error = Some(e);
                        break;
                    }
                }
            }
        }
        let good = concat_batches(&self.schema, &good)?;
        if good.num_rows() > 0 {
            self.batches.push_back(good);
        }
        Ok(())
    }

    fn pass_over(
        &self,
        decoder: &RecordDecoder,
        place: RecordLocation,
        record: &[u8],
        e: &ArrowError,
    ) -> Result<()> {
        let fault = decoder.explain(record, e);
        let is_inferred = self.options.schema.is_none() && self.options.infer_rows > 0;
        let advice = match (fault.is_of_schema && is_inferred, self.options.infer_rows) {
            (true, rows) => format!(
                " (types were inferred from the first {rows} rows: --infer-rows 0 infers from all rows, a --schema gives \
                 them)"
            ),
            (false, _) => String::new(),
        };
        let e = explained(place, fault.line, &format!("{}{advice}", fault.what));
        let passed = self.options.report.pass_over(self.options.skip_bad, e);
        if passed.is_err() && fault.is_of_schema && is_inferred && self.options.skip_bad == 0 {
            self.options.report.inference_failed.store(true, Ordering::Relaxed);
        }
        passed
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
            if let Err(e) = self.fill() {
                self.error = Some(e);
            }
        }
    }
}

impl RecordBatchReader for JsonReader {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
