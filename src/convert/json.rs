//! JSON lines: an object a line, nested as the schema is.
//!
//! ```text
//! {"id":1,"tags":["a","b"],"at":{"x":0.5,"y":null}}
//! ```
//! Types are inferred from the first rows, or given. A member that an inferred schema does not know is an
//! error, for it would be lost; under a given schema, members that it does not name are passed over. Bytes are
//! hexadecimal digits. Nulls are written; what JSON has no number for (NaN, infinities) becomes null.

mod encode;
mod write;

use std::io::{BufRead, BufReader};
use std::sync::Arc;

use arrow::array::{RecordBatch, RecordBatchReader};
use arrow::compute::concat_batches;
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use arrow::json::reader::{Decoder, ReaderBuilder, infer_json_schema};

use super::replay::Replay;
use super::{Format, ReadOptions, Rows, Source, advice, lossy, select};
use crate::error::Result;

pub(super) const FORMAT: Format = Format {
    name: "jsonl",
    extensions: &["jsonl", "json", "ndjson"],
    sniff: |head| head.trim_ascii_start().starts_with(b"{"),
    open,
    create: write::create,
    holds: None,
    create_at: None,
};

/// Bytes of text that are decoded together, if the batch is not full before.
const BATCH_BYTES: usize = 8 << 20;

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

fn open(source: Source, options: &ReadOptions) -> Result<Rows> {
    let mut input = BufReader::new(source.into_read());
    if input.fill_buf()?.starts_with(BYTE_ORDER_MARK) {
        input.consume(BYTE_ORDER_MARK.len());
    }
    let mut start = Replay::new(input);
    let schema = match &options.schema {
        Some(schema) => schema.clone(),
        None => {
            let found = infer_json_schema(BufReader::new(&mut start), Some(options.infer_rows));
            Arc::new(found?.0)
        }
    };
    let lines = Lines {
        input: BufReader::new(start.rewound()),
        decoder: decoder(&schema, options)?,
        schema,
        options: options.clone(),
        text: Vec::new(),
        from: 0,
        at: 0,
        first_line: 1,
        next_line: 1,
    };
    select::select(Box::new(lines), options)
}

fn decoder(schema: &SchemaRef, options: &ReadOptions) -> Result<Decoder, ArrowError> {
    ReaderBuilder::new(schema.clone())
        .with_batch_size(options.batch_size)
        .with_strict_mode(options.schema.is_none())
        .with_coerce_primitive(true)
        .build_decoder()
}

/// Decodes whole lines, so that an error can be traced to one.
struct Lines<R> {
    input: R,
    decoder: Decoder,
    schema: SchemaRef,
    options: ReadOptions,
    /// The lines at hand, where those begin that are in no batch yet, and how far they are decoded.
    text: Vec<u8>,
    from: usize,
    at: usize,
    first_line: u64,
    next_line: u64,
}

impl<R: BufRead> Lines<R> {
    /// Reads lines for a batch; gives whether there were any.
    fn fill(&mut self) -> Result<bool, ArrowError> {
        self.text.clear();
        (self.from, self.at) = (0, 0);
        self.first_line = self.next_line;
        self.add()
    }

    /// Reads more lines.
    fn add(&mut self) -> Result<bool, ArrowError> {
        let before = self.text.len();
        for _ in 0..self.options.batch_size {
            if self.input.read_until(b'\n', &mut self.text)? == 0 {
                break;
            }
            self.next_line += 1;
            if self.text.len() - before >= BATCH_BYTES {
                break;
            }
        }
        Ok(self.text.len() > before)
    }

    fn batch(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        loop {
            match self.decode() {
                Ok(batch) => return Ok(batch),
                Err(e) => {
                    let good = self.one_by_one(e)?;
                    if good.num_rows() > 0 {
                        return Ok(Some(good));
                    }
                }
            }
        }
    }

    /// Decodes the next batch, all at once.
    fn decode(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        loop {
            let more = self.at < self.text.len();
            if !more
                && !(if self.decoder.has_partial_record() { self.add()? } else { self.fill()? })
            {
                return self.decoder.flush();
            }
            let rest = self.text.get(self.at..).unwrap_or_default();
            self.at += self.decoder.decode(rest)?;
            if self.at >= self.text.len() && self.decoder.has_partial_record() {
                continue;
            }
            if let Some(batch) = self.decoder.flush()? {
                let text = self.text.get(self.from..self.at).unwrap_or_default();
                let batch = self.checked(batch, text)?;
                self.from = self.at;
                return Ok(Some(batch));
            }
        }
    }

    /// A batch in which no integer lost digits.
    fn checked(&self, batch: RecordBatch, text: &[u8]) -> Result<RecordBatch, ArrowError> {
        if self.options.lossy || !lossy::is_suspicious(&batch) {
            return Ok(batch);
        }
        let Some(schema) = lossy::as_text(&self.schema) else { return Ok(batch) };
        let mut decoder = decoder(&schema, &self.options)?;
        decoder.decode(text)?;
        match decoder.flush()?.and_then(|text| lossy::lost(&batch, &text)) {
            Some(lost) => Err(super::loses(&lost)),
            None => Ok(batch),
        }
    }

    /// Decodes the lines of a batch that failed by themselves, and passes over those that are bad, as long as so many
    /// are allowed. Otherwise the error names the first line.
    fn one_by_one(&mut self, e: ArrowError) -> Result<RecordBatch, ArrowError> {
        let (done, rest) = self.text.split_at(self.from.min(self.text.len()));
        let first = self.first_line + done.iter().filter(|b| **b == b'\n').count() as u64;
        let (advice, mut failed, mut good) = (advice(&self.options), Some(e), Vec::new());
        for (line, text) in (first..).zip(rest.split_inclusive(|b| *b == b'\n')) {
            match self.try_line(text) {
                Ok(record) => good.extend(record),
                Err(e) => {
                    let e = ArrowError::JsonError(format!("line {line}: {}{advice}", said(e)));
                    failed = None;
                    self.options.report.pass_over(self.options.skip_bad, e.into())?;
                }
            }
        }
        if let Some(e) = failed {
            let last = self.next_line.saturating_sub(1);
            let what = format!("lines {first} to {last}: {}{advice}", said(e));
            return Err(ArrowError::JsonError(what));
        }
        self.text.clear();
        (self.from, self.at) = (0, 0);
        self.decoder = decoder(&self.schema, &self.options)?;
        concat_batches(&self.schema, &good)
    }

    fn try_line(&self, text: &[u8]) -> Result<Option<RecordBatch>, ArrowError> {
        let mut decoder = decoder(&self.schema, &self.options)?;
        decoder.decode(text)?;
        decoder.flush()?.map(|batch| self.checked(batch, text)).transpose()
    }
}

/// The text of an error, without the name of its kind.
fn said(e: ArrowError) -> String {
    let text = match e {
        ArrowError::JsonError(text)
        | ArrowError::ParseError(text)
        | ArrowError::InvalidArgumentError(text) => text,
        other => other.to_string(),
    };
    // A field that cannot be null is spoken of as Arrow's programmers see it.
    let of_field =
        text.strip_prefix("Encountered unmasked nulls in non-nullable StructArray child: ");
    match of_field.and_then(|rest| rest.split('"').nth(1)) {
        Some(name) => format!("field '{name}' is missing or null, and the schema takes no null"),
        None => text,
    }
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.batch().transpose()
    }
}

impl<R: BufRead> RecordBatchReader for Lines<R> {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
