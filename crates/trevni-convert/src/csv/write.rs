//! Writes CSV.
//!
//! ```text
//! null           nothing; in a file of one column that is no text two quotes, since some readers skip empty lines
//! ""             two quotes: an empty text is no null
//! a,b   a"b      in quotes, which are doubled within
//! ```
//! Values are printed as Arrow prints them. In a file of one column whatever separates fields elsewhere is in quotes, for a
//! reader that looks for a delimiter would find it.

use std::io::Write;

use arrow::array::{Array, ArrayRef, RecordBatch};
use arrow::datatypes::{DataType, Field, SchemaRef};
use arrow::util::display::{ArrayFormatter, FormatOptions};

use super::delimiter;
use crate::data_type::is_text;
use crate::text_sink::TextSink;
use crate::{Sink, WriteOptions, temporal_range};
use trevni::arrow::wider_decimals;
use trevni::{Error, Result};

pub(super) fn create<'a>(
    to: &'a mut (dyn Write + Send),
    schema: SchemaRef,
    options: &WriteOptions,
) -> Result<Box<dyn Sink + 'a>> {
    if let Some(field) = schema.fields().iter().find(|field| is_nested(field)) {
        let name = field.name();
        return Err(Error::invalid(format!("column {name:?} is nested, which CSV cannot hold")));
    }
    let fields = Fields { delimiter: options.delimiter, is_only: schema.fields().len() == 1 };
    if options.header {
        let mut line = Vec::new();
        for (n, field) in schema.fields().iter().enumerate() {
            fields.put(n, Some(field.name()), &mut line);
        }
        line.push(b'\n');
        to.write_all(&line)?;
    }
    Ok(Box::new(TextSink::new(to, options.threads, move |batch| fields.encode(batch))))
}

fn is_nested(field: &Field) -> bool {
    match field.data_type() {
        DataType::Dictionary(_, values) => values.is_nested(),
        DataType::RunEndEncoded(_, values) => values.data_type().is_nested(),
        other => other.is_nested(),
    }
}

/// How fields are separated.
#[derive(Debug, Clone, Copy)]
struct Fields {
    delimiter: u8,
    /// Whether there is one column.
    is_only: bool,
}

impl Fields {
    fn encode(self, batch: &RecordBatch) -> Result<Vec<u8>> {
        let columns = batch.columns().iter().map(printable).collect::<Result<Vec<_>>>()?;
        let options = FormatOptions::default().with_display_error(false);
        let formatters = columns.iter().map(|column| ArrayFormatter::try_new(column, &options));
        let formatters = formatters.collect::<Result<Vec<_>, _>>()?;
        let nulls: Vec<_> = columns.iter().map(|column| column.logical_nulls()).collect();
        let (mut text, mut value) = (Vec::new(), String::new());
        for row in 0..batch.num_rows() {
            for (n, (formatter, nulls)) in formatters.iter().zip(&nulls).enumerate() {
                if nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
                    // Some readers skip empty lines. Nothing between quotes is null, too, where it is no text.
                    let is_shown =
                        self.is_only && columns.get(n).is_some_and(|of| !is_text(of.data_type()));
                    self.put(n, is_shown.then_some(""), &mut text);
                    continue;
                }
                value.clear();
                formatter.value(row).write(&mut value)?;
                self.put(n, Some(&value), &mut text);
            }
            text.push(b'\n');
        }
        Ok(text)
    }

    /// Appends a field, the `n`-th of its record.
    fn put(self, n: usize, value: Option<&str>, text: &mut Vec<u8>) {
        if n > 0 {
            text.push(self.delimiter);
        }
        let Some(value) = value else { return };
        if !self.needs_quotes(value) {
            return text.extend_from_slice(value.as_bytes());
        }
        text.push(b'"');
        for byte in value.bytes() {
            if byte == b'"' {
                text.push(byte);
            }
            text.push(byte);
        }
        text.push(b'"');
    }

    fn needs_quotes(self, value: &str) -> bool {
        let is_special = |byte: u8| {
            byte == self.delimiter
                || matches!(byte, b'"' | b'\n' | b'\r')
                || (self.is_only && delimiter::DELIMITERS.contains(&byte))
        };
        value.is_empty() || value.bytes().any(is_special)
    }
}

/// Returns a column that Arrow prints as it is: times that it cannot print are text, decimals have as many digits as they
/// need.
fn printable(column: &ArrayRef) -> Result<ArrayRef> {
    match temporal_range::is_printable(column) {
        true => Ok(wider_decimals(column)?.unwrap_or_else(|| column.clone())),
        false => Ok(temporal_range::as_text(column)?),
    }
}
