//! Parquet, by the crate of that name.
//!
//! ```text
//! x.parquet   row groups ──► RecordBatch     the Arrow schema, nesting, nulls; key-value metadata is the schema's metadata
//!             row groups ◄── RecordBatch     a row group ends at 1,048,576 rows or 64 MiB, so memory stays bounded
//! ```
//! Files are read at any position; the bytes of a pipe go to a temporary file first. Unions, intervals of months, days and
//! nanoseconds, and structs without fields have no form in Parquet.

use std::io::Write;
use std::sync::Arc;

use arrow::array::{RecordBatch, RecordBatchReader};
use arrow::datatypes::{DataType, Field, IntervalUnit, SchemaRef};
use arrow::error::ArrowError;
use parquet::arrow::ArrowWriter;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::basic::{BrotliLevel, Compression, GzipLevel, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

use super::{Format, ReadOptions, Rows, Sink, Source, WriteOptions, refuse_schema, select};
use crate::error::{Error, Result};

pub(super) const FORMAT: Format = Format {
    name: "parquet",
    extensions: &["parquet", "pq"],
    sniff: |head| head.starts_with(b"PAR1"),
    open,
    create,
};

/// Bytes of encoded columns that are held before they become a row group.
const ROW_GROUP: usize = 64 << 20;

/// The key under which the Arrow schema itself is kept.
const ARROW_SCHEMA: &str = "ARROW:schema";

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

fn fault(e: ParquetError) -> Error {
    match e {
        ParquetError::NYI(what) => Error::unsupported(format!("parquet: {what}")),
        ParquetError::External(e) => Error::malformed(format!("parquet: {e}")),
        ParquetError::General(what) | ParquetError::EOF(what) | ParquetError::ArrowError(what) => {
            Error::malformed(format!("parquet: {what}"))
        }
        other => Error::malformed(format!("parquet: {other}")),
    }
}

fn open(source: Source, options: &ReadOptions) -> Result<Rows> {
    refuse_schema(FORMAT.name, options)?;
    let file = source.into_file()?;
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(fault)?;
    let metadata = builder.schema().metadata().clone();
    let builder = project(builder, options).with_batch_size(options.batch_size);
    let batches = builder.build().map_err(fault)?;
    let schema = batches.schema().as_ref().clone().with_metadata(metadata);
    select::select(Box::new(File { batches, schema: Arc::new(schema) }), options)
}

/// Row groups with the schema's metadata, which the library's own batches are without.
struct File {
    batches: ParquetRecordBatchReader,
    schema: SchemaRef,
}

impl Iterator for File {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.batches.next()?;
        Some(batch.and_then(|batch| batch.with_schema(self.schema.clone())))
    }
}

impl RecordBatchReader for File {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

type Builder = ParquetRecordBatchReaderBuilder<std::fs::File>;

/// Leaves out the fields at the top that nobody wants.
fn project(builder: Builder, options: &ReadOptions) -> Builder {
    let Some(columns) = &options.columns else { return builder };
    let is_wanted = |field: &Field| {
        let below =
            |name: &String| name.strip_prefix(field.name()).is_some_and(|r| r.starts_with('.'));
        columns.iter().any(|name| name == field.name() || below(name))
    };
    let fields = builder.schema().fields().iter().enumerate();
    let roots: Vec<usize> = fields.filter(|(_, f)| is_wanted(f)).map(|(i, _)| i).collect();
    let mask = ProjectionMask::roots(builder.parquet_schema(), roots);
    builder.with_projection(mask)
}

fn create<'a>(
    to: &'a mut (dyn Write + Send),
    schema: SchemaRef,
    options: &WriteOptions,
) -> Result<Box<dyn Sink + 'a>> {
    for field in schema.fields() {
        if let Some(what) = without_form(field.data_type()) {
            let name = field.name();
            return Err(Error::invalid(format!("column {name:?}: Parquet cannot hold {what}")));
        }
    }
    let codec = codec(options.codec.as_deref().unwrap_or("snappy"))?;
    let pairs = schema.metadata().iter().filter(|(key, _)| *key != ARROW_SCHEMA);
    let mut pairs: Vec<_> = pairs.collect();
    pairs.sort();
    let pairs: Vec<_> =
        pairs.into_iter().map(|(k, v)| KeyValue::new(k.clone(), v.clone())).collect();
    let properties = WriterProperties::builder()
        .set_compression(codec)
        .set_key_value_metadata((!pairs.is_empty()).then_some(pairs))
        .build();
    let writer = ArrowWriter::try_new(to, schema, Some(properties)).map_err(fault)?;
    Ok(Box::new(Groups(writer)))
}

/// The part of a type that Parquet has no form for.
fn without_form(data_type: &DataType) -> Option<&'static str> {
    match data_type {
        DataType::Union(..) => Some("unions"),
        DataType::Interval(IntervalUnit::MonthDayNano) => {
            Some("intervals of months, days and nanoseconds")
        }
        DataType::Struct(fields) if fields.is_empty() => Some("a struct without fields"),
        DataType::Struct(fields) => fields.iter().find_map(|f| without_form(f.data_type())),
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _)
        | DataType::Map(item, _)
        | DataType::RunEndEncoded(_, item) => without_form(item.data_type()),
        DataType::Dictionary(_, values) => without_form(values),
        _ => None,
    }
}

struct Groups<W: Write + Send>(ArrowWriter<W>);

impl<W: Write + Send> Sink for Groups<W> {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        self.0.write(batch).map_err(fault)?;
        if self.0.memory_size() >= ROW_GROUP {
            self.0.flush().map_err(fault)?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.0.close().map(drop).map_err(fault)
    }
}
