//! Parquet, by the crate of that name.
//!
//! ```text
//! x.parquet   row groups ──► RecordBatch     the Arrow schema, nesting, nulls; key-value metadata is the schema's metadata
//!             row groups ◄── RecordBatch     a row group ends at 1,048,576 rows or 64 MiB, so memory stays bounded
//! ```
//! Files are read at any position; the bytes of a pipe go to a temporary file first. Unions, intervals of months, days and
//! nanoseconds, structs without fields, and dictionaries of some types have no form in Parquet, nor have rows without columns.
//! What was in runs comes back value by value.

use std::io::Write;
use std::sync::Arc;

use arrow::array::{RecordBatch, RecordBatchReader};
use arrow::datatypes::{DataType, Field, FieldRef, IntervalUnit, Schema, SchemaRef};
use arrow::error::ArrowError;
use parquet::arrow::ArrowWriter;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::arrow::encode_arrow_schema;
use parquet::basic::{BrotliLevel, Compression, GzipLevel, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

use super::{
    Format, ReadOptions, Rows, Sink, Source, WriteOptions, refuse_schema, seconds, select,
};
use crate::arrow::{Predicate, schema_from_ipc};
use crate::error::{Error, Result};

pub(super) const FORMAT: Format = Format {
    name: "parquet",
    extensions: &["parquet", "pq"],
    sniff: |head| head.starts_with(b"PAR1"),
    open,
    create,
    holds: None,
    create_at: None,
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

/// What the library says of a file.
fn fault(e: ParquetError) -> Error {
    sorted(e, Error::malformed)
}

/// What the library says of a table.
fn refusal(e: ParquetError) -> Error {
    sorted(e, Error::invalid)
}

fn sorted(e: ParquetError, of: impl Fn(String) -> Error) -> Error {
    match e {
        ParquetError::NYI(what) => Error::unsupported(format!("parquet: {what}")),
        ParquetError::External(e) => match e.downcast::<std::io::Error>() {
            Ok(e) => Error::from(*e),
            Err(e) => of(format!("parquet: {e}")),
        },
        ParquetError::General(what) | ParquetError::EOF(what) | ParquetError::ArrowError(what) => {
            of(format!("parquet: {what}"))
        }
        other => of(format!("parquet: {other}")),
    }
}

fn open(source: Source, options: &ReadOptions) -> Result<Rows> {
    refuse_schema(FORMAT.name, options)?;
    let file = source.into_file()?;
    let rows = caught(fault, || {
        let (builder, in_seconds) = builder(file)?;
        let metadata = builder.schema().metadata().clone();
        let builder = project(builder, options).with_batch_size(options.batch_size);
        let batches = builder.build().map_err(fault)?;
        let schema = batches.schema().as_ref().clone().with_metadata(metadata);
        let schema = in_seconds.map_or(schema.clone(), |said| restored(&schema, &said));
        Ok(File { batches: Some(batches), schema: Arc::new(schema) })
    })?;
    select::select(Box::new(rows), options)
}

/// What the library makes of a file, or of a table. It panics at some that it does not take.
fn caught<T>(of: fn(ParquetError) -> Error, run: impl FnOnce() -> Result<T>) -> Result<T> {
    super::caught::caught(|text| of(ParquetError::General(text)), run)
}

/// Rows with the schema's metadata, which the library's own batches are without.
struct File {
    /// None after an error: what panicked is not to be asked again.
    batches: Option<ParquetRecordBatchReader>,
    schema: SchemaRef,
}

impl Iterator for File {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batches = self.batches.as_mut()?;
        let next = caught(fault, || {
            let batch = batches.next().transpose()?;
            batch.map(|batch| seconds::cast(&batch, &self.schema)).transpose()
        });
        if next.is_err() {
            self.batches = None;
        }
        next.map_err(ArrowError::from).transpose()
    }
}

impl RecordBatchReader for File {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

type Builder = ParquetRecordBatchReaderBuilder<std::fs::File>;

/// The library's reader, and the Arrow schema of the file if that says seconds, which are stored as milliseconds.
fn builder(file: std::fs::File) -> Result<(Builder, Option<Schema>)> {
    let plain = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new()).map_err(fault)?;
    let pairs = plain.metadata().file_metadata().key_value_metadata();
    let text = pairs.into_iter().flatten().find(|pair| pair.key == ARROW_SCHEMA);
    let said = text.and_then(|pair| schema_from_ipc(pair.value.as_deref()?.as_bytes()).ok());
    let said = said.map(|said| {
        let fields = said.fields().iter().map(without_runs).collect::<Vec<_>>();
        Schema::new_with_metadata(fields, said.metadata().clone())
    });
    let Some(said) = said else { return Ok((Builder::new_with_metadata(file, plain), None)) };
    // Some writers store seconds as bare integers; those are seconds to the library.
    let fields = said.fields().iter().zip(plain.schema().fields()).map(|(said, plain)| {
        let is_said = said.data_type() == plain.data_type();
        if is_said { said.clone() } else { seconds::field_in_milliseconds(said) }
    });
    let stored = Schema::new_with_metadata(fields.collect::<Vec<_>>(), said.metadata().clone());
    if stored.fields() != said.fields() {
        let options = ArrowReaderOptions::new().with_schema(Arc::new(stored));
        let parquet = plain.metadata().clone();
        if let Ok(metadata) = ArrowReaderMetadata::try_new(parquet, options) {
            return Ok((Builder::new_with_metadata(file, metadata), Some(said)));
        }
    }
    Ok((Builder::new_with_metadata(file, plain), None))
}

/// A field of the values of runs: that is what is stored of them.
fn without_runs(field: &FieldRef) -> FieldRef {
    match field.data_type() {
        DataType::RunEndEncoded(_, values) => {
            let data_type = values.data_type().clone();
            Arc::new(Field::clone(field).with_data_type(data_type))
        }
        _ => field.clone(),
    }
}

/// A schema with seconds for the milliseconds that another says to be seconds.
fn restored(schema: &Schema, said: &Schema) -> Schema {
    let fields = schema.fields().iter().map(|field| {
        let said = said.fields().iter().find(|said| said.name() == field.name());
        let is_same = |said: &&FieldRef| {
            seconds::field_in_milliseconds(said).data_type() == field.data_type()
        };
        said.filter(is_same).unwrap_or(field).clone()
    });
    Schema::new_with_metadata(fields.collect::<Vec<_>>(), schema.metadata().clone())
}

/// Leaves out the fields at the top that nobody wants.
fn project(builder: Builder, options: &ReadOptions) -> Builder {
    let Some(mut columns) = options.columns.clone() else { return builder };
    columns.extend(options.predicate.iter().flat_map(Predicate::columns));
    let is_in = |name: &str, field: &Field| {
        name.strip_prefix(field.name()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let fields = builder.schema().fields();
    if columns.iter().any(|name| !fields.iter().any(|field| is_in(name, field))) {
        // It will be missed, and then all are named.
        return builder;
    }
    let is_wanted = |field: &Field| columns.iter().any(|name| is_in(name, field));
    let wanted = fields.iter().enumerate().filter(|(_, field)| is_wanted(field));
    let roots: Vec<usize> = wanted.map(|(at, _)| at).collect();
    let mask = ProjectionMask::roots(builder.parquet_schema(), roots);
    builder.with_projection(mask)
}

fn create<'a>(
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
    let codec = codec(options.codec.as_deref().unwrap_or("snappy"))?;
    let pairs = schema.metadata().iter().filter(|(key, _)| *key != ARROW_SCHEMA);
    let mut pairs: Vec<_> = pairs.collect();
    pairs.sort();
    let mut pairs: Vec<_> =
        pairs.into_iter().map(|(k, v)| KeyValue::new(k.clone(), v.clone())).collect();
    if seconds::in_milliseconds(&schema).is_some() {
        pairs.push(KeyValue::new(ARROW_SCHEMA.to_owned(), encode_arrow_schema(&schema)));
    }
    let properties = WriterProperties::builder()
        .set_compression(codec)
        .set_key_value_metadata((!pairs.is_empty()).then_some(pairs))
        .build();
    // Parquet has no times in seconds. They are stored as milliseconds; the Arrow schema says what they were.
    let stored = seconds::in_milliseconds(&schema);
    let options = ArrowWriterOptions::new()
        .with_properties(properties)
        .with_skip_arrow_metadata(stored.is_some());
    let to_store = stored.clone().unwrap_or(schema);
    let start = || ArrowWriter::try_new_with_options(to, to_store, options).map_err(refusal);
    Ok(Box::new(Groups { writer: Some(caught(refusal, start)?), stored }))
}

/// The part of a type that Parquet has no form for.
fn without_form(data_type: &DataType) -> Option<String> {
    match data_type {
        DataType::Union(..) => Some("unions".to_owned()),
        DataType::Interval(IntervalUnit::MonthDayNano) => {
            Some("intervals of months, days and nanoseconds".to_owned())
        }
        DataType::Struct(fields) if fields.is_empty() => Some("a struct without fields".to_owned()),
        DataType::Struct(fields) => fields.iter().find_map(|f| without_form(f.data_type())),
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

/// Whether the library writes a dictionary of such values so that it can read it.
fn is_in_dictionaries(values: &DataType) -> bool {
    use DataType::*;
    match values {
        Utf8 | LargeUtf8 | Binary | LargeBinary | FixedSizeBinary(_) => true,
        Null | Boolean | Float16 | Decimal128(..) | Decimal256(..) | Interval(_) => false,
        other => other.is_primitive(),
    }
}

/// Writes row groups; none after an error, for then the file cannot become whole.
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
        let cast = self.stored.as_ref().map(|schema| seconds::cast(batch, schema)).transpose()?;
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
