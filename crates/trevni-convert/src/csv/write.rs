//! Writes CSV with Arrow's writer.

use std::io::Write;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::csv::{Writer, WriterBuilder};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};

use crate::{Sink, WriteOptions, temporal_range};
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
    let mut writer = builder.with_delimiter(options.delimiter).build(to);
    // The header is written even without rows.
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
        if batch.columns().iter().all(|column| temporal_range::is_printable(column)) {
            return Ok(self.0.write(batch)?);
        }
        let columns =
            batch.columns().iter().map(|column| match temporal_range::is_printable(column) {
                true => Ok(column.clone()),
                false => temporal_range::as_text(column),
            });
        let columns = columns.collect::<Result<Vec<_>, _>>()?;
        let fields = batch
            .schema()
            .fields()
            .iter()
            .zip(&columns)
            .map(|(field, column)| Field::clone(field).with_data_type(column.data_type().clone()))
            .collect::<Vec<_>>();
        let schema = Arc::new(Schema::new(fields));
        Ok(self.0.write(&RecordBatch::try_new(schema, columns)?)?)
    }

    fn finish(self: Box<Self>) -> Result<()> {
        Ok(self.0.into_inner().flush()?)
    }
}
