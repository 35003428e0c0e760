//! Trevni files. They are read at any position; a pipe is copied to a temporary file first. From object stores with
//! range requests only the needed bytes are fetched. Rows that come from Avro are written in the Avro layout,
//! unless another is set.

#[cfg(feature = "object_store")]
mod object;

use std::io::Write;

use arrow::array::RecordBatch;
use arrow::datatypes::{Schema, SchemaRef};

use super::{Format, ReadOptions, Rows, Sink, Source, WriteOptions, refuse_schema};
use crate::divide::divide;
use trevni::Result;
use trevni::arrow::{
    ArrowReaderBuilder, ArrowReaderOptions, ArrowWriter, Layout, ProjectionMask, WriterProperties,
    schema_to_avro,
};
use trevni::keys::AVRO_SCHEMA;

pub(super) const FORMAT: Format = Format {
    name: "trv",
    extensions: &["trv"],
    sniff: |head| head.starts_with(b"Trv"),
    open,
    create,
    holds: None,
    create_at: None,
};

fn open(source: Source, options: &ReadOptions) -> Result<Rows> {
    refuse_schema(FORMAT.name, options)?;
    #[cfg(feature = "object_store")]
    if let Some(object) = source.object()
        && let Some(rows) = object::open(object, options, &source.taken())?
    {
        return Ok(rows);
    }
    let limited = ArrowReaderOptions::new().with_limits(options.limits);
    let mut builder = ArrowReaderBuilder::try_new_with_options(source.into_read_at()?, limited)?;
    if let Some(mask) = mask(options, builder.schema())? {
        builder = builder.with_projection(mask);
    }
    if let Some(rows) = &options.rows {
        builder = builder.with_row_range(rows.clone());
    }
    if let Some(predicate) = &options.predicate {
        builder = builder.with_predicate(predicate.clone());
    }
    if let Some(limit) = options.limit {
        builder = builder.with_limit(limit);
    }
    options.report.set_row_count(builder.file().rows(), options);
    Ok(Box::new(builder.with_batch_size(options.batch_size).build()?))
}

/// Returns the fields that are wanted, unless all are.
fn mask(options: &ReadOptions, schema: &Schema) -> Result<Option<ProjectionMask>> {
    let names = options.columns.as_ref().map(|columns| columns.iter().map(String::as_str));
    names.map(|names| ProjectionMask::columns(schema, names)).transpose()
}

fn create<'a>(
    to: &'a mut (dyn Write + Send),
    schema: SchemaRef,
    options: &WriteOptions,
) -> Result<Box<dyn Sink + 'a>> {
    let properties = properties(&schema, options);
    Ok(Box::new(File(ArrowWriter::try_new(to, schema, Some(properties))?)))
}

/// Returns how files of this schema are written.
pub(super) fn properties(schema: &Schema, options: &WriteOptions) -> WriterProperties {
    let mut properties = options.properties.clone();
    // Rows of Avro become what Avro's own tools make of them, unless these cannot read it anyway.
    let from_avro = schema.metadata().contains_key(AVRO_SCHEMA) && schema_to_avro(schema).is_ok();
    if from_avro && !properties.codec().is_value_codec() {
        properties = properties.with_default_layout(Layout::Avro);
    }
    properties
}

/// The maximum number of bytes of values that are written together, unless a row has more.
const BYTES: u64 = 64 << 20;

struct File<W: Write + Send>(ArrowWriter<W>);

impl<W: Write + Send> Sink for File<W> {
    /// The values of dictionaries, runs and views are written for each row, so a batch is divided.
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        divide(batch.clone(), BYTES).iter().try_for_each(|part| self.0.write(part))
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.0.close().map(|_| ())
    }
}
