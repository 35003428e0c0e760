//! Row files: those of the references, compared with other readers, and malformed ones.

#[cfg(feature = "avro")]
mod avro;
#[cfg(feature = "avro")]
mod avro_evolution;
#[cfg(feature = "avro")]
mod avro_faults;
#[cfg(feature = "avro")]
mod avro_hostile;
#[cfg(feature = "avro")]
mod avro_peer;
#[cfg(feature = "avro")]
mod avro_random;
#[cfg(feature = "avro")]
mod container;
mod csv;
mod first_rows;
mod ipc;
mod json;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "parquet")]
mod parquet_types;
mod selected;

use std::io::Cursor;

use arrow::array::{RecordBatch, RecordBatchIterator};
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
#[cfg(feature = "avro")]
use arrow::util::display::{ArrayFormatter, FormatOptions};
use trevni::arrow::{Layout, WriterProperties};
use trevni_convert::{Comparison, Format, ReadOptions, Rows, Source, WriteOptions};

use trevni_testing::equality::same_rows;

/// All rows of a file.
#[derive(Debug, Clone)]
struct Table {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

fn open(format: &str, bytes: &[u8], options: &ReadOptions) -> trevni::Result<Rows> {
    let source = Source::pipe("bytes", Cursor::new(bytes.to_vec()));
    (Format::named(format).unwrap().open)(source, options)
}

/// Returns an error of this crate without what Arrow wraps it in.
fn unwrapped(e: ArrowError) -> trevni::Error {
    match e {
        ArrowError::ExternalError(e) => *e.downcast().unwrap(),
        other => other.into(),
    }
}

fn collect(rows: Rows) -> trevni::Result<Table> {
    let schema = rows.schema();
    let batches = rows.collect::<Result<Vec<_>, _>>().map_err(unwrapped)?;
    Ok(Table { schema, batches })
}

fn read(format: &str, bytes: &[u8], options: &ReadOptions) -> trevni::Result<Table> {
    collect(open(format, bytes, options)?)
}

/// Reads with the defaults what must be good.
fn table(format: &str, bytes: &[u8]) -> Table {
    read(format, bytes, &ReadOptions::default()).unwrap()
}

fn write(format: &str, table: &Table, options: &WriteOptions) -> trevni::Result<Vec<u8>> {
    let mut out = Vec::new();
    let create = Format::named(format).unwrap().create;
    let mut sink = create(&mut out, table.schema.clone(), options)?;
    table.batches.iter().try_for_each(|batch| sink.write(batch))?;
    sink.finish()?;
    Ok(out)
}

/// Writes with the defaults what can be written.
fn file(format: &str, table: &Table) -> Vec<u8> {
    write(format, table, &WriteOptions::default()).unwrap()
}

fn with_codec(codec: &str) -> WriteOptions {
    WriteOptions { codec: Some(codec.to_owned()), ..WriteOptions::default() }
}

fn with_layout(layout: Layout) -> WriteOptions {
    let properties = WriterProperties::builder().set_layout(layout).build();
    WriteOptions { properties, ..WriteOptions::default() }
}

fn in_batches_of(batch_size: usize) -> ReadOptions {
    ReadOptions { batch_size, ..ReadOptions::default() }
}

impl Table {
    fn rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// As if read from a file.
    fn to_rows(&self) -> Rows {
        let batches = self.batches.clone().into_iter().map(Ok);
        Box::new(RecordBatchIterator::new(batches, self.schema.clone()))
    }

    /// Returns the rows as text, values with bars between them.
    #[cfg(feature = "avro")]
    fn lines(&self) -> Vec<String> {
        let options = FormatOptions::default().with_null("null");
        let mut lines = Vec::new();
        for batch in &self.batches {
            let columns = batch.columns().iter();
            let columns = columns.map(|c| ArrayFormatter::try_new(c, &options).unwrap());
            let columns: Vec<_> = columns.collect();
            for row in 0..batch.num_rows() {
                let values = columns.iter().map(|column| column.value(row).to_string());
                lines.push(values.collect::<Vec<_>>().join(" | "));
            }
        }
        lines
    }
}

/// The same schema, with its metadata, and the same rows.
fn assert_same(name: &str, expected: &Table, found: &Table) {
    assert_eq!(expected.schema, found.schema, "{name}");
    same_rows(&expected.batches, &found.batches).unwrap_or_else(|e| panic!("{name}: {e}"));
}

/// The same rows, however their values are stored.
fn assert_alike(name: &str, expected: &Table, found: &Table) {
    let comparison = Comparison::new(expected.to_rows(), found.to_rows(), 3).unwrap();
    assert!(comparison.is_equal(), "{name}: {comparison:#?}");
}
