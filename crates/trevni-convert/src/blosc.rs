//! Containers of the Blosc family: each array is a column.
//!
//! ```text
//! bloscpack    .blp       one file; several columns are records       bcolz        .bcolz      a folder; a column a folder
//! b2nd         .b2nd      one file of one column                      superchunk               a folder, likewise
//! b2frame      .b2frame   one file of one column, without its type    sparse                   a folder of one b2nd column
//! ```
//! All containers are read in the same way, whatever their names. Attributes are in the metadata of the schema, as
//! JSON, under [`ATTRIBUTES_KEY`]. Strings are as wide as the widest: without a declared width, rows are buffered
//! in a temporary file until all have been read.

mod create;
mod sink;
#[cfg(feature = "object_store")]
mod stored;

use std::sync::Arc;

use arrow::array::RecordBatchReader;
use arrow::datatypes::{DataType, Field, Fields, Schema, SchemaRef};

use super::{Format, ReadOptions, Rows, Source, refuse_schema, select};
use trevni::Result;
use trevni::arrow::ColumnPath;
use trevni_blosc::numpy::{ChunkedReader, Column};
use trevni_blosc::{self as blosc, Dtype};

/// The key of a schema's metadata that holds the attributes of an array or a table.
pub const ATTRIBUTES_KEY: &str = "blosc.attributes";

/// The formats of the family.
pub(super) const BLOSCPACK: Format = Format {
    name: "bloscpack",
    extensions: &["blp"],
    sniff: |head| blosc::kind_of(head).is_some(),
    open,
    create: |to, schema, options| create::staged(to, schema, options, create::bloscpack),
    holds: None,
    create_at: Some(create::bloscpack),
};

pub(super) const BCOLZ: Format = Format {
    name: "bcolz",
    extensions: &["bcolz"],
    sniff: |_| false,
    open,
    create: create::no_pipe,
    holds: Some(blosc::is_container),
    create_at: Some(create::bcolz),
};

pub(super) const SUPERCHUNK: Format =
    Format { name: "superchunk", extensions: &[], create_at: Some(create::superchunk), ..BCOLZ };

pub(super) const B2ND: Format = Format {
    name: "b2nd",
    extensions: &["b2nd"],
    sniff: |_| false,
    open,
    create: |to, schema, options| create::staged(to, schema, options, create::b2nd),
    holds: Some(blosc::is_container),
    create_at: Some(create::b2nd),
};

pub(super) const B2FRAME: Format = Format {
    name: "b2frame",
    extensions: &["b2frame"],
    create: |to, schema, options| create::staged(to, schema, options, create::b2frame),
    create_at: Some(create::b2frame),
    ..B2ND
};

pub(super) const SPARSE: Format = Format {
    name: "sparse",
    extensions: &[],
    create: create::no_pipe,
    create_at: Some(create::sparse),
    ..B2ND
};

/// Options for writing containers of the Blosc family.
#[derive(Debug, Clone, Default)]
pub struct BloscOptions {
    /// 0 (stored) to 9. Otherwise 5.
    pub level: Option<u8>,
    /// `none`, `byte` or `bit`. Otherwise byte.
    pub shuffle: Option<String>,
    /// Rows of a chunk. Otherwise as many as fit 1 MiB, or as bcolz has them.
    pub chunk_rows: Option<u64>,
    /// Threads that make chunks. Otherwise 1.
    pub threads: Option<usize>,
}

fn open(source: Source, options: &ReadOptions) -> Result<Rows> {
    refuse_schema("Blosc", options)?;
    let mut contents = contents(source)?;
    let threads = options.threads.max(1);
    if let Some(at) = contents.unreadable.iter().position(|(name, _)| is_wanted(name, options)) {
        return Err(contents.unreadable.swap_remove(at).1);
    }
    // Of a table only the wanted columns are opened; an array of records has its columns within.
    let table = contents.arrays.len() + contents.unreadable.len() > 1;
    let mut columns = Vec::new();
    // If no column is selected, one is read for the number of rows.
    let none = !contents.arrays.iter().any(|(name, _)| is_wanted(name, options));
    for (at, (name, array)) in contents.arrays.into_iter().enumerate() {
        if table && !is_wanted(&name, options) && !(none && at == 0) {
            continue;
        }
        let array = array.with_parallelism(threads);
        let array = match &options.dtype {
            Some(dtype) => array.view(Dtype::parse(dtype)?).map_err(|e| e.in_column(&name))?,
            None => array,
        };
        columns.push(Column { name, array });
    }
    let reader = ChunkedReader::try_new(columns, options.batch_size)?;
    let mut reader = reader.with_limits(options.limits);
    if let Some(rows) = &options.rows {
        reader = reader.with_rows(rows.clone());
    }
    let said = serde_json::Value::Object(contents.attributes);
    let rows = WithAttributes::new(reader, &said);
    // Rows are chosen already.
    select::select(Box::new(rows), &ReadOptions { rows: None, ..options.clone() })
}

fn contents(source: Source) -> Result<blosc::Contents> {
    #[cfg(feature = "object_store")]
    if let Some(prefix) = source.prefix() {
        return blosc::open_keys(stored::StoredKeys(prefix));
    }
    if let Some(files) = source.as_files() {
        return blosc::open_files(files.clone());
    }
    match source.folder() {
        Some(path) => blosc::open(path),
        None => blosc::open_source(source.into_read_at()?),
    }
}

/// Returns whether a column, or a part of it, is selected or used by the predicate.
fn is_wanted(name: &str, options: &ReadOptions) -> bool {
    let field: Fields = [Field::new(name, DataType::Null, true)].into_iter().collect();
    let within = |path: &String| !ColumnPath::among(path, &field).steps(&field).is_empty();
    let Some(columns) = &options.columns else { return true };
    let looked_at = options.predicate.as_ref().map(|predicate| predicate.columns());
    columns.iter().chain(looked_at.iter().flatten()).any(within)
}

/// Batches whose schema carries the attributes.
struct WithAttributes {
    reader: ChunkedReader,
    schema: SchemaRef,
}

impl WithAttributes {
    fn new(reader: ChunkedReader, attributes: &serde_json::Value) -> Self {
        let mut metadata = reader.schema().metadata().clone();
        if attributes.as_object().is_some_and(|attributes| !attributes.is_empty()) {
            metadata.insert(ATTRIBUTES_KEY.to_owned(), attributes.to_string());
        }
        let schema = Schema::new_with_metadata(reader.schema().fields().clone(), metadata);
        Self { reader, schema: Arc::new(schema) }
    }
}

impl Iterator for WithAttributes {
    type Item = <ChunkedReader as Iterator>::Item;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.reader.next()?;
        Some(batch.and_then(|batch| batch.with_schema(self.schema.clone())))
    }
}

impl RecordBatchReader for WithAttributes {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
