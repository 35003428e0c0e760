//! Writes CSV with Arrow's writer.

use std::io::Write;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::csv::{QuoteStyle, WriterBuilder};
use arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};

use super::delimiter;
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
    let builder = WriterBuilder::new().with_header(options.header);
    let builder = builder.with_delimiter(options.delimiter);
    // The header is written even without rows.
    to.write_all(&encode(&builder, &RecordBatch::new_empty(schema))?)?;
    let builder = builder.with_header(false);
    Ok(Box::new(TextSink::new(to, options.threads, move |batch| encode(&builder, batch))))
}

fn is_nested(field: &Field) -> bool {
    match field.data_type() {
        DataType::Dictionary(_, values) => values.is_nested(),
        DataType::RunEndEncoded(_, values) => values.data_type().is_nested(),
        other => other.is_nested(),
    }
}

fn encode(builder: &WriterBuilder, batch: &RecordBatch) -> Result<Vec<u8>> {
    let changed = match batch.columns().iter().all(is_printable) {
        true => None,
        false => Some(with_text(batch)?),
    };
    let batch = changed.as_ref().unwrap_or(batch);
    let text = written(builder.clone(), batch)?;
    // A reader that looks for a delimiter would find one in the values of a single column.
    let divides = |byte: &u8| delimiter::DELIMITERS.contains(byte);
    match batch.num_columns() == 1 && text.iter().any(divides) {
        true => written(builder.clone().with_quote_style(QuoteStyle::Always), batch),
        false => Ok(text),
    }
}

fn written(builder: WriterBuilder, batch: &RecordBatch) -> Result<Vec<u8>> {
    let mut writer = builder.build(Vec::new());
    writer.write(batch)?;
    Ok(writer.into_inner())
}

/// Returns whether Arrow's writer prints every value of a column as it is.
fn is_printable(column: &ArrayRef) -> bool {
    temporal_range::is_printable(column) && matches!(wider_decimals(column), Ok(None))
}

/// Returns a batch whose times that Arrow's writer cannot print are text, and whose decimals have as many digits as they
/// need.
fn with_text(batch: &RecordBatch) -> Result<RecordBatch> {
    let columns = batch.columns().iter().map(|column| match temporal_range::is_printable(column) {
        true => Ok(wider_decimals(column)?.unwrap_or_else(|| column.clone())),
        false => Ok(temporal_range::as_text(column)?),
    });
    let columns = columns.collect::<Result<Vec<_>>>()?;
    let of_column = |(field, column): (&FieldRef, &ArrayRef)| {
        Field::clone(field).with_data_type(column.data_type().clone())
    };
    let fields: Vec<_> = batch.schema_ref().fields().iter().zip(&columns).map(of_column).collect();
    Ok(RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)?)
}
