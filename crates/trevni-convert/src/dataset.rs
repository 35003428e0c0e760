//! Data sets as a row format.
//!
//! ```text
//! table/            holds commits or .trv files ──► Dataset ──► rows        nothing is opened that cannot have any
//! s3://bucket/table/                            ──► stream, waited for
//! rows ──► DatasetWriter ──finish──► one commit
//! ```

#[cfg(feature = "object_store")]
mod store;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use arrow::array::{RecordBatch, RecordBatchIterator, RecordBatchOptions};
use arrow::datatypes::{Schema, SchemaRef};

#[cfg(feature = "object_store")]
pub use store::dataset_in_store;

use super::{Format, ReadOptions, Rows, Sink, Source, WriteOptions, refuse_schema, trv};
use trevni::dataset::{
    Dataset, DatasetMode, DatasetProperties, DatasetPropertiesBuilder, DatasetScan, DatasetWriter,
};
use trevni::{Error, Result};

pub(super) const FORMAT: Format = Format {
    name: "dataset",
    extensions: &[],
    sniff: |_| false,
    open,
    create: no_pipe,
    holds: Some(|path| Dataset::is_one(path)),
    create_at: Some(create_at),
};

/// Options for writing data sets.
#[derive(Debug, Clone, Default)]
pub struct DatasetOptions {
    /// Whether rows are added to a data set that exists, which otherwise is an error.
    pub append: bool,
    /// The columns whose values are in paths, and how large files are.
    pub properties: DatasetPropertiesBuilder,
}

fn open(source: Source, options: &ReadOptions) -> Result<Rows> {
    refuse_schema(FORMAT.name, options)?;
    #[cfg(feature = "object_store")]
    if let Some(prefix) = source.prefix() {
        return store::open(prefix, options);
    }
    let path = source.folder().ok_or_else(|| Error::invalid("a data set is a folder"))?;
    let table = Dataset::open(path)?;
    match is_count(options) {
        true => counted(&table),
        false => Ok(Box::new(chosen(table.scan(), options).build()?)),
    }
}

/// Returns whether only the number of rows is wanted.
fn is_count(options: &ReadOptions) -> bool {
    let none = options.columns.as_ref().is_some_and(Vec::is_empty);
    none && options.rows.is_none() && options.predicate.is_none() && options.limit.is_none()
}

/// Returns rows without columns, whose number the commits have.
fn counted<P: Clone>(table: &Dataset<P>) -> Result<Rows> {
    let schema = SchemaRef::new(Schema::empty());
    let batch = |rows: u64| {
        let rows = usize::try_from(rows).ok();
        let options = RecordBatchOptions::new().with_row_count(rows);
        RecordBatch::try_new_with_options(schema.clone(), Vec::new(), &options)
    };
    let batches: Vec<_> = table.files().map(|file| batch(file.rows())).collect();
    Ok(Box::new(RecordBatchIterator::new(batches, schema)))
}

/// Configures a scan by the options.
fn chosen<P>(mut scan: DatasetScan<P>, options: &ReadOptions) -> DatasetScan<P> {
    if let Some(columns) = &options.columns {
        scan = scan.with_projection(columns);
    }
    if let Some(rows) = &options.rows {
        scan = scan.with_row_range(rows.clone());
    }
    if let Some(predicate) = &options.predicate {
        scan = scan.with_predicate(predicate.clone());
    }
    if let Some(limit) = options.limit {
        scan = scan.with_limit(limit);
    }
    scan.with_batch_size(options.batch_size)
        .with_limits(options.limits)
        .with_parallelism(options.threads)
}

fn no_pipe<'a>(
    _: &'a mut (dyn Write + Send),
    _: SchemaRef,
    _: &WriteOptions,
) -> Result<Box<dyn Sink + 'a>> {
    Err(Error::invalid("a data set is a folder, which a pipe cannot hold"))
}

fn create_at(
    path: &Path,
    replace: bool,
    schema: SchemaRef,
    options: &WriteOptions,
) -> Result<Box<dyn Sink>> {
    let exists = match path.read_dir() {
        Ok(mut entries) => entries.next().is_some(),
        Err(e) => e.kind() != io::ErrorKind::NotFound,
    };
    if exists && !replace && !options.dataset.append {
        return Err(there(&path.display().to_string()));
    }
    let properties = properties(replace, &schema, options);
    let writer = DatasetWriter::try_new(path, schema, properties)?;
    Ok(Box::new(Folder { writer, replaced: replace.then(|| path.to_owned()) }))
}

fn there(name: &str) -> Error {
    io::Error::new(io::ErrorKind::AlreadyExists, format!("{name} exists")).into()
}

fn properties(replace: bool, schema: &Schema, options: &WriteOptions) -> DatasetProperties {
    let mode = if replace { DatasetMode::Overwrite } else { DatasetMode::Append };
    let file = trv::properties(schema, options);
    options.dataset.properties.clone().set_mode(mode).set_writer_properties(file).build()
}

struct Folder {
    writer: DatasetWriter,
    /// The folder, if what it held is to be removed.
    replaced: Option<PathBuf>,
}

impl Sink for Folder {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        self.writer.write(batch)
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.writer.finish()?;
        if let Some(path) = self.replaced {
            Dataset::remove_replaced(path)?;
        }
        Ok(())
    }
}
