//! CSV: types are inferred from the first rows, or given.
//!
//! An empty field is null, in both directions: an empty string does not survive. A given schema is laid to the
//! names of the header; without a header, to the places.

use std::io::{BufRead, BufReader, Write};
use std::sync::Arc;

use arrow::array::{RecordBatch, RecordBatchReader};
use arrow::csv::reader::{Decoder, Format as Dialect, ReaderBuilder};
use arrow::csv::{Writer, WriterBuilder};
use arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};
use arrow::error::ArrowError;

use super::replay::Replay;
use super::{Format, ReadOptions, Rows, Sink, Source, WriteOptions, advice, select};
use crate::error::{Error, Result};

pub(super) const FORMAT: Format =
    Format { name: "csv", extensions: &["csv", "tsv", "txt"], sniff: is_text, open, create };

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
        self.first_line += lines(&self.text);
        self.text.clear();
        loop {
            let buffer = self.input.fill_buf()?;
            let decoded = self.decoder.decode(buffer);
            let taken = decoded.as_ref().map_or(buffer.len(), |n| *n);
            self.text.extend_from_slice(buffer.get(..taken).unwrap_or_default());
            self.input.consume(taken);
            let taken = decoded.map_err(|e| self.place(e))?;
            if taken == 0 || self.decoder.capacity() == 0 {
                break;
            }
        }
        self.decoder.flush().map_err(|e| self.place(e))
    }

    /// Names the line of an error: that of the first record that fails by itself.
    fn place(&self, e: ArrowError) -> ArrowError {
        let header = self.options.header && self.first_line == 1;
        let mut decoder = decoder(&self.schema, &self.options, header, 1);
        let (mut rest, mut line) = (self.text.as_slice(), self.first_line);
        while !rest.is_empty() {
            let record = decoder.decode(rest).and_then(|n| {
                if n == rest.len() {
                    decoder.decode(&[])?;
                }
                decoder.flush().map(|_| n)
            });
            match record {
                Ok(n) => {
                    let (record, behind) = rest.split_at(n.clamp(1, rest.len()));
                    (rest, line) = (behind, line + lines(record));
                }
                Err(e) => return self.explained(line + blank_lines(rest), e),
            }
        }
        e
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
