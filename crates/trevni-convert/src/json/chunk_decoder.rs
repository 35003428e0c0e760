//! Decodes chunks of records.
//!
//! ```text
//! chunk ──► typed decoder ──► batch
//!             │ a value needs more
//!             └──► record decoder ──► batches
//!                    │ a record is bad
//!                    └──► record by record ──► batches, bad records
//! ```
//! Of records whose columns are not all wanted, the others are not decoded: only their JSON is checked.

use std::sync::atomic::{AtomicUsize, Ordering};

use arrow::array::RecordBatch;
use arrow::compute::concat_batches;
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;

use super::decode::RecordDecoder;
use super::record_location::RecordLocation;
use super::records::Chunk;
use super::typed_decoder::TypedDecoder;
use crate::chunk_reader::{BadRow, DecodedChunk};
use crate::divide::width;
use crate::{ReadOptions, select};
use trevni::{Error, Result};

/// Rows of a batch where records are decoded one by one.
const FEW: usize = 16;

/// Chunks in a row that the typed decoder could not decode, until it is not tried any more.
const ATTEMPTS: usize = 4;

/// Decodes chunks, on any thread.
pub(super) struct ChunkDecoder {
    typed: Option<TypedDecoder>,
    failures: AtomicUsize,
    /// The rows whose values and nulls are within the limit of a batch: each has all fields.
    most_rows: usize,
    /// The schema of records, with marks at fields of declared types.
    marked: SchemaRef,
    /// The columns that are wanted, and their schema.
    wanted: Vec<usize>,
    schema: SchemaRef,
    options: ReadOptions,
}

impl ChunkDecoder {
    /// Creates a decoder of a schema in which fields of declared types are marked.
    pub(super) fn new(marked: SchemaRef, options: &ReadOptions) -> Result<Self> {
        let all = RecordDecoder::new(&marked, 1, options).schema();
        let wanted = select::roots(&all, options)?;
        let schema = SchemaRef::new(all.project(&wanted)?);
        let typed = match options.types.is_empty() {
            true => TypedDecoder::new(&all, &wanted, options.schema.is_none()),
            false => None,
        };
        let failures = AtomicUsize::new(0);
        // Each thread has some chunks, and builders that grow have twice what they need.
        let of_chunk = options.limits.batch_bytes / (4 * options.threads.max(1));
        let most_rows = of_chunk as u64 / width(all.fields()).max(1);
        let most_rows = usize::try_from(most_rows).unwrap_or(usize::MAX).max(1);
        let options = options.clone();
        Ok(Self { typed, failures, most_rows, marked, wanted, schema, options })
    }

    /// Returns the schema of the rows.
    pub(super) fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// Returns how many rows a chunk may have.
    pub(super) fn most_rows(&self) -> usize {
        self.most_rows
    }

    /// Decodes a chunk. Types may have been inferred from it.
    pub(super) fn decode(&self, chunk: &Chunk, was_seen: bool) -> Result<DecodedChunk> {
        // Chunks from which a schema was inferred were not cut for it.
        let rows = if was_seen { chunk.ranges().count() } else { 0 };
        if rows > self.most_rows {
            let what = "rows from which fields are inferred, each with all fields";
            return Err(Error::too_large(what, rows as u64, self.most_rows as u64));
        }
        if let Some(batch) = self.decode_typed(chunk) {
            return Ok(of_rows(vec![batch?]));
        }
        // The decoder of records would join the lines of one that is cut.
        if chunk.may_have_cut_lines() {
            return self.one_by_one(chunk);
        }
        let mut decoder = RecordDecoder::new(&self.marked, self.options.batch_size, &self.options);
        match decoder.decode(chunk.text()) {
            Ok(batches) => Ok(of_rows(self.project(batches)?)),
            Err(_) => self.one_by_one(chunk),
        }
    }

    fn decode_typed(&self, chunk: &Chunk) -> Option<Result<RecordBatch, ArrowError>> {
        let typed = self.typed.as_ref()?;
        if self.failures.load(Ordering::Relaxed) >= ATTEMPTS {
            return None;
        }
        let decoded = typed.decode(chunk);
        match decoded {
            Some(_) => self.failures.store(0, Ordering::Relaxed),
            None => drop(self.failures.fetch_add(1, Ordering::Relaxed)),
        }
        decoded
    }

    fn project(&self, batches: Vec<RecordBatch>) -> Result<Vec<RecordBatch>> {
        let batches = batches.into_iter().map(|batch| Ok(batch.project(&self.wanted)?));
        batches.collect()
    }

    /// Decodes records one by one, until more are bad than may be.
    fn one_by_one(&self, chunk: &Chunk) -> Result<DecodedChunk> {
        let mut decoder = RecordDecoder::new(&self.marked, FEW, &self.options);
        let (mut good, mut bad, mut before) = (Vec::new(), Vec::new(), 0);
        for (place, record) in chunk.records() {
            match decoder.decode(record) {
                Ok(rows) => {
                    before += rows.iter().map(RecordBatch::num_rows).sum::<usize>();
                    good.extend(rows);
                }
                Err(e) => bad.push(self.bad_row(&decoder, place, record, &e, before)),
            }
            if bad.len() as u64 > self.options.skip_bad {
                break;
            }
        }
        let good = concat_batches(&decoder.schema(), &good)?;
        Ok(DecodedChunk { bad, ..of_rows(self.project(vec![good])?) })
    }

    fn bad_row(
        &self,
        decoder: &RecordDecoder,
        place: RecordLocation,
        record: &[u8],
        e: &ArrowError,
        before: usize,
    ) -> BadRow {
        let fault = decoder.explain(record, e);
        let rows = self.options.infer_rows.unwrap_or(0);
        let is_inferred = self.options.schema.is_none() && rows > 0;
        // Objects and other values are one column where all are known to come.
        let is_of_inference = (fault.is_of_schema || fault.is_other_value) && is_inferred;
        let advice = match (fault.is_of_schema && is_inferred, rows) {
            (true, rows) => format!(
                " (types were inferred from the first {rows} rows: --infer-rows 0 infers from all rows, a --schema gives \
                 them)"
            ),
            (false, _) => String::new(),
        };
        let (lines, object) = place.at_line(fault.line).parts();
        BadRow { before, lines, what: format!("{object}{}{advice}", fault.what), is_of_inference }
    }
}

/// Returns a chunk of good rows. Their lines are not counted: records know theirs.
fn of_rows(batches: Vec<RecordBatch>) -> DecodedChunk {
    DecodedChunk { batches, bad: Vec::new(), lines: 0 }
}
