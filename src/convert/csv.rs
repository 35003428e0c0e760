//! CSV: types are inferred from the first rows, or given.
//!
//! An empty field is null, in both directions: an empty string does not survive. A given schema is laid to the
//! names of the header; without a header, to the places.

use std::io::{BufRead, BufReader, Write};
use std::sync::Arc;

use arrow::array::{RecordBatch, RecordBatchReader};
use arrow::compute::concat_batches;
use arrow::csv::reader::{Decoder, Format as Dialect, ReaderBuilder};
use arrow::csv::{Writer, WriterBuilder};
use arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};
use arrow::error::ArrowError;

use super::replay::Replay;
use super::{Format, ReadOptions, Rows, Sink, Source, WriteOptions, advice, lossy, select};
use crate::error::{Error, Result};

pub(super) const FORMAT: Format = Format {
    name: "csv",
    extensions: &["csv", "tsv", "txt"],
    sniff: is_text,
    open,
    create,
    holds: None,
    create_at: None,
};

/// Text that could be anything: no control characters but blanks and ends of lines.
fn is_text(head: &[u8]) -> bool {
    let control = |b: &u8| *b < b' ' && !matches!(b, b'\t' | b'\n' | b'\r');
    !head.is_empty() && !head.iter().any(control)
}

fn open(source: Source, options: &ReadOptions) -> Result<Rows> {
    let dialect = Dialect::default().with_header(options.header).with_delimiter(options.delimiter);
    let mut start = Replay::new(source.into_read());
    let looked_at = if options.schema.is_some() { 0 } else { options.infer_rows };
    let (found, _) = dialect.infer_schema(&mut start, Some(looked_at))?;
    let schema = match &options.schema {
        Some(given) => lay(given, &found, options.header)?,
        None => inferred(&found),
    };
    let schema = Arc::new(schema);
    let records = Records {
        input: BufReader::with_capacity(1 << 16, start.rewound()),
        decoder: decoder(&schema, options, options.header, options.batch_size),
        schema,
        options: options.clone(),
        text: Vec::new(),
        first_line: 1,
    };
    select::select(Box::new(records), options)
}

fn decoder(schema: &SchemaRef, options: &ReadOptions, header: bool, batch: usize) -> Decoder {
    ReaderBuilder::new(schema.clone())
        .with_header(header)
        .with_delimiter(options.delimiter)
        .with_batch_size(batch)
        .build_decoder()
}

/// A column that was empty in all rows looked at may hold anything: text takes it all.
fn inferred(found: &Schema) -> Schema {
    let fields = found.fields().iter().map(|field| match field.data_type() {
        DataType::Null => Arc::new(field.as_ref().clone().with_data_type(DataType::Utf8)),
        _ => field.clone(),
    });
    Schema::new(fields.collect::<Vec<FieldRef>>())
}

/// The fields of a given schema in the order of the file.
fn lay(given: &Schema, found: &Schema, header: bool) -> Result<Schema> {
    let (expected, there) = (given.fields().len(), found.fields().len());
    if expected != there {
        let what = format!("the schema has {expected} columns, the file {there}");
        return Err(Error::invalid(what));
    }
    if !header {
        return Ok(given.clone());
    }
    let fields = found.fields().iter().map(|field| {
        let name = field.name();
        let known = given.fields().iter().find(|given| given.name() == name);
        known.cloned().ok_or_else(|| Error::invalid(format!("the schema has no column {name:?}")))
    });
    Ok(Schema::new_with_metadata(fields.collect::<Result<Vec<_>>>()?, given.metadata().clone()))
}

/// Decodes records, and keeps the text of a batch so that an error can be traced to its line.
struct Records<R> {
    input: R,
    decoder: Decoder,
    schema: SchemaRef,
    options: ReadOptions,
    /// The text of the batch at hand, and the line it begins with.
    text: Vec<u8>,
    first_line: u64,
}

impl<R: BufRead> Records<R> {
    fn batch(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        loop {
            self.first_line += lines(&self.text);
            self.text.clear();
            match self.decode() {
                Ok(batch) => return Ok(batch),
                Err(e) => {
                    // Nothing is left in a batch of nothing but bad rows; the next may have some.
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
            let buffer = self.input.fill_buf()?;
            let decoded = self.decoder.decode(buffer);
            let taken = decoded.as_ref().map_or(buffer.len(), |n| *n);
            self.text.extend_from_slice(buffer.get(..taken).unwrap_or_default());
            self.input.consume(taken);
            if decoded? == 0 || self.decoder.capacity() == 0 {
                break;
            }
        }
        let header = self.options.header && self.first_line == 1;
        let batch = self.decoder.flush()?;
        batch.map(|batch| self.checked(batch, &self.text, header)).transpose()
    }

    /// A batch in which no integer lost digits.
    fn checked(
        &self,
        batch: RecordBatch,
        text: &[u8],
        header: bool,
    ) -> Result<RecordBatch, ArrowError> {
        if self.options.lossy || !lossy::is_suspicious(&batch) {
            return Ok(batch);
        }
        let Some(schema) = lossy::as_text(&self.schema) else { return Ok(batch) };
        let mut decoder = decoder(&schema, &self.options, header, batch.num_rows().max(1));
        let mut rest = text;
        // A header is decoded by itself; nothing at all says that the text has ended.
        while !rest.is_empty() && decoder.capacity() > 0 {
            let n = decoder.decode(rest)?;
            rest = rest.get(n.max(1)..).unwrap_or_default();
        }
        decoder.decode(&[])?;
        match decoder.flush()?.and_then(|text| lossy::lost(&batch, &text)) {
            Some(lost) => Err(super::loses(&lost)),
            None => Ok(batch),
        }
    }

    /// Decodes the records of a batch that failed by themselves, and passes over those that are bad, as long as so many
    /// are allowed. Otherwise the error names the line of the first.
    fn one_by_one(&mut self, e: ArrowError) -> Result<RecordBatch, ArrowError> {
        let text = std::mem::take(&mut self.text);
        let mut header = self.options.header && self.first_line == 1;
        let (mut at, mut line, mut good) = (0, self.first_line, Vec::new());
        let (mut text, mut failed) = (text, Some(e));
        while at < text.len() {
            let mut one = decoder(&self.schema, &self.options, header, 1);
            let (n, record) = self.record(&mut one, &mut text, at, header);
            header = false;
            let rest = text.get(at..).unwrap_or_default();
            match record {
                Ok(record) => good.extend(record),
                Err(e) => {
                    let e = self.explained(line + blank_lines(rest), e);
                    failed = None;
                    self.options.report.pass_over(self.options.skip_bad, e.into())?;
                }
            }
            line += lines(rest.get(..n).unwrap_or_default());
            at += n.max(1);
        }
        self.text = text;
        self.decoder = decoder(&self.schema, &self.options, false, self.options.batch_size);
        match failed {
            Some(e) => Err(e),
            None => concat_batches(&self.schema, &good),
        }
    }

    /// Decodes the record that begins at a place of the text, and reads more text if it ends before the record does.
    /// Gives how many bytes it has.
    fn record(
        &mut self,
        one: &mut Decoder,
        text: &mut Vec<u8>,
        at: usize,
        header: bool,
    ) -> (usize, Result<Option<RecordBatch>, ArrowError>) {
        let mut n = 0;
        let decoded = loop {
            let rest = text.get(at + n..).unwrap_or_default();
            match one.decode(rest) {
                Ok(taken) => n += taken,
                Err(e) => {
                    // The line is bad; where the next begins is all that can be known.
                    let end = rest.iter().position(|b| *b == b'\n').map_or(rest.len(), |i| i + 1);
                    return (n + end, Err(e));
                }
            }
            if one.capacity() == 0 {
                break Ok(());
            }
            let more = self.input.fill_buf().map(<[u8]>::to_vec);
            match more {
                Ok(more) if more.is_empty() => break one.decode(&[]).map(drop),
                Ok(more) => {
                    self.input.consume(more.len());
                    text.extend_from_slice(&more);
                }
                Err(e) => break Err(e.into()),
            }
        };
        let record = decoded.and_then(|()| one.flush());
        let of_record = text.get(at..at + n).unwrap_or_default();
        let checked = record.and_then(|record| {
            record.map(|record| self.checked(record, of_record, header)).transpose()
        });
        (n, checked)
    }

    fn explained(&self, line: u64, e: ArrowError) -> ArrowError {
        let text = match e {
            ArrowError::ParseError(text) | ArrowError::CsvError(text) => text,
            other => other.to_string(),
        };
        // The count of lines in the text is of this record alone.
        let text = without_number(&without_number(&text, " at line "), " for line ");
        let column = self.column_in(&text).map(|name| format!(" ({name})")).unwrap_or_default();
        ArrowError::CsvError(format!("line {line}{column}: {text}{}", advice(&self.options)))
    }

    /// The name of the column that an error gives by number.
    fn column_in(&self, text: &str) -> Option<&str> {
        let behind = text.split_once(" column ")?.1;
        let digits = behind.split(|c: char| !c.is_ascii_digit()).next()?;
        let field = self.schema.fields().get(digits.parse::<usize>().ok()?)?;
        Some(field.name())
    }
}

fn without_number(text: &str, before: &str) -> String {
    match text.split_once(before) {
        Some((start, end)) => {
            format!("{start}{}", end.trim_start_matches(|c: char| c.is_ascii_digit()))
        }
        None => text.to_owned(),
    }
}

fn lines(text: &[u8]) -> u64 {
    text.iter().filter(|b| **b == b'\n').count() as u64
}

/// Lines without a record before the next one.
fn blank_lines(text: &[u8]) -> u64 {
    text.iter().take_while(|b| matches!(b, b'\r' | b'\n')).filter(|b| **b == b'\n').count() as u64
}

impl<R: BufRead> Iterator for Records<R> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.batch().transpose()
    }
}

impl<R: BufRead> RecordBatchReader for Records<R> {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

fn create<'a>(
    to: &'a mut (dyn Write + Send),
    schema: SchemaRef,
    options: &WriteOptions,
) -> Result<Box<dyn Sink + 'a>> {
    if let Some(field) = schema.fields().iter().find(|field| is_nested(field)) {
        let name = field.name();
        return Err(Error::invalid(format!("column {name:?} is nested, which CSV cannot hold")));
    }
    let builder = WriterBuilder::new().with_header(options.header);
    let mut writer = builder.with_delimiter(options.delimiter).build(to);
    // The header is there even if no rows come.
    writer.write(&RecordBatch::new_empty(schema))?;
    Ok(Box::new(Text(writer)))
}

fn is_nested(field: &Field) -> bool {
    match field.data_type() {
        DataType::Dictionary(_, values) => values.is_nested(),
        DataType::RunEndEncoded(_, values) => values.data_type().is_nested(),
        other => other.is_nested(),
    }
}

struct Text<W: Write>(Writer<W>);

impl<W: Write> Sink for Text<W> {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        Ok(self.0.write(batch)?)
    }

    fn finish(self: Box<Self>) -> Result<()> {
        Ok(self.0.into_inner().flush()?)
    }
}
