//! Writes Parquet files.

use std::io::Write;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, IntervalUnit, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::arrow::encode_arrow_schema;
use parquet::basic::{BrotliLevel, Compression, GzipLevel, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

use super::{caught, refusal};
use crate::{Sink, WriteOptions, map_types, second_timestamps};
use trevni::keys::ARROW_SCHEMA;
use trevni::{Error, Result};

/// Bytes of encoded columns that are held before they become a row group.
const ROW_GROUP: usize = 64 << 20;

const CODECS: [&str; 6] = ["null", "snappy", "lz4", "gzip", "zstd", "brotli"];

fn codec(name: &str) -> Result<Compression> {
    Ok(match name {
        "null" => Compression::UNCOMPRESSED,
        "snappy" => Compression::SNAPPY,
        "lz4" => Compression::LZ4_RAW,
        "gzip" => Compression::GZIP(GzipLevel::default()),
        "zstd" => Compression::ZSTD(ZstdLevel::default()),
        "brotli" => Compression::BROTLI(BrotliLevel::default()),
        _ => {
            let what = format!("Parquet codec {name:?}: there are {}", CODECS.join(", "));
            return Err(Error::invalid(what));
        }
    })
}

pub(super) fn create<'a>(
    to: &'a mut (dyn Write + Send),
    schema: SchemaRef,
    options: &WriteOptions,
) -> Result<Box<dyn Sink + 'a>> {
    if schema.fields().is_empty() {
        return Err(Error::invalid("Parquet cannot hold rows without columns"));
    }
    for field in schema.fields() {
        if let Some(what) = without_form(field.data_type()) {
            let name = field.name();
            return Err(Error::invalid(format!("column {name:?}: Parquet cannot hold {what}")));
        }
    }
    let (original, schema) = (schema.clone(), without_nested_runs(&schema));
    let codec = codec(options.codec.as_deref().unwrap_or("snappy"))?;
    let pairs = schema.metadata().iter().filter(|(key, _)| *key != ARROW_SCHEMA);
    let mut pairs: Vec<_> = pairs.collect();
    pairs.sort();
    let mut pairs: Vec<_> =
        pairs.into_iter().map(|(k, v)| KeyValue::new(k.clone(), v.clone())).collect();
    if second_timestamps::in_milliseconds(&schema).is_some() {
        pairs.push(KeyValue::new(ARROW_SCHEMA.to_owned(), encode_arrow_schema(&schema)));
    }
    // Readers decode the Arrow schema that the writer adds: one that is nested too deep makes a file that none opens.
    trevni::arrow::schema_to_ipc(&schema)?;
    let properties = WriterProperties::builder()
        .set_compression(codec)
        .set_key_value_metadata((!pairs.is_empty()).then_some(pairs))
        .build();
    // Parquet has no times in seconds. They are stored as milliseconds; the Arrow schema has the original type.
    let stored = second_timestamps::in_milliseconds(&schema);
    let options = ArrowWriterOptions::new()
        .with_properties(properties)
        .with_skip_arrow_metadata(stored.is_some());
    let to_store = stored.unwrap_or(schema);
    let stored = (to_store.fields() != original.fields()).then(|| to_store.clone());
    let start = || ArrowWriter::try_new_with_options(to, to_store, options).map_err(refusal);
    Ok(Box::new(Groups { writer: Some(caught(refusal, start)?), stored }))
}

/// Returns the schema with values for the runs within other types: the library reads those without their type.
fn without_nested_runs(schema: &SchemaRef) -> SchemaRef {
    let fields = schema.fields().iter().map(|field| match field.data_type() {
        DataType::RunEndEncoded(_, values)
            if !matches!(values.data_type(), DataType::RunEndEncoded(..)) =>
        {
            field.clone()
        }
        _ => map_types::map_field(field, map_types::value_of_runs),
    });
    Arc::new(Schema::new_with_metadata(fields.collect::<Vec<_>>(), schema.metadata().clone()))
}

/// Returns the part of a type that Parquet has no form for.
fn without_form(data_type: &DataType) -> Option<String> {
    match data_type {
        DataType::Union(..) => Some("unions".to_owned()),
        DataType::Interval(IntervalUnit::MonthDayNano) => {
            Some("intervals of months, days and nanoseconds".to_owned())
        }
        DataType::Struct(fields) if fields.is_empty() => Some("a struct without fields".to_owned()),
        DataType::Struct(fields) => fields.iter().find_map(|f| without_form(f.data_type())),
        // Arrow does not cast lists of size 0.
        DataType::FixedSizeList(item, 0)
            if map_types::map_field(item, map_types::value_of_runs) != *item =>
        {
            Some(format!("runs in lists of 0 items, {}", item.data_type()))
        }
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _)
        | DataType::Map(item, _) => without_form(item.data_type()),
        DataType::RunEndEncoded(_, item) => without_form(item.data_type()).or_else(|| {
            item.data_type().is_nested().then(|| format!("runs of {}", item.data_type()))
        }),
        DataType::FixedSizeBinary(0) => Some("binary of a fixed size of 0".to_owned()),
        DataType::Decimal32(_, scale)
        | DataType::Decimal64(_, scale)
        | DataType::Decimal128(_, scale)
        | DataType::Decimal256(_, scale)
            if *scale < 0 =>
        {
            Some("decimals of a negative scale".to_owned())
        }
        DataType::Dictionary(_, values) => without_form(values)
            .or_else(|| (!is_in_dictionaries(values)).then(|| format!("a dictionary of {values}"))),
        _ => None,
    }
}

/// Returns whether the library writes a dictionary of such values so that it can read it.
fn is_in_dictionaries(values: &DataType) -> bool {
    use DataType::*;
    match values {
        Utf8 | LargeUtf8 | Binary | LargeBinary | FixedSizeBinary(_) => true,
        Null | Boolean | Float16 | Decimal128(..) | Decimal256(..) | Interval(_) => false,
        other => other.is_primitive(),
    }
}

/// Writes row groups; none after an error, since the file cannot be completed then.
struct Groups<W: Write + Send> {
    writer: Option<ArrowWriter<W>>,
    /// The schema that batches are cast to, if not their own.
    stored: Option<SchemaRef>,
}

fn unfinished() -> Error {
    Error::invalid("parquet: an error was met before")
}

impl<W: Write + Send> Sink for Groups<W> {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let mut writer = self.writer.take().ok_or_else(unfinished)?;
        let cast = self
            .stored
            .as_ref()
            .map(|schema| second_timestamps::cast(batch, schema))
            .transpose()?;
        self.writer = Some(caught(refusal, || {
            writer.write(cast.as_ref().unwrap_or(batch)).map_err(refusal)?;
            if writer.memory_size() >= ROW_GROUP {
                writer.flush().map_err(refusal)?;
            }
            Ok(writer)
        })?);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<()> {
        let writer = self.writer.ok_or_else(unfinished)?;
        caught(refusal, || writer.close().map(drop).map_err(refusal))
    }
}
