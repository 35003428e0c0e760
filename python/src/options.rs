//! The arguments of reading and writing.

use std::collections::HashMap;

use arrow::datatypes::Schema;
use pyo3::prelude::*;
use trevni::arrow::{ColumnPath, Layout, Predicate, SortingColumn, WriterProperties};
use trevni::checksum::Checksum;
use trevni::codec::Codec;
use trevni::io::Limits;
use trevni::{Error, Metadata};

use crate::errors::{Raise, Result};

/// Returns the number of threads: of all cores, unless the caller says.
pub(crate) fn threads(requested: Option<usize>) -> usize {
    requested.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// Returns the limits of a reader: those by default, unless the caller says how many bytes it may use.
pub(crate) fn limits(memory: Option<usize>) -> Limits {
    memory.map_or_else(Limits::default, Limits::of_memory)
}

/// The arguments of a scan.
#[derive(Debug, Default, Clone, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct ScanOptions {
    pub(crate) columns: Option<Vec<String>>,
    #[pyo3(item("where"))]
    pub(crate) predicate: Option<String>,
    pub(crate) batch_size: Option<usize>,
    pub(crate) offset: u64,
    pub(crate) limit: Option<u64>,
    pub(crate) threads: Option<usize>,
}

impl ScanOptions {
    /// Returns the predicate, parsed.
    pub(crate) fn predicate(&self) -> Result<Option<Predicate>> {
        self.predicate.as_deref().map(Predicate::parse).transpose()
    }
}

/// Sets the builder of a reader or a stream by the arguments of a scan, to read these rows if they are given.
macro_rules! apply {
    ($options:expr, $builder:expr, $rows:expr) => {{
        let (options, mut builder): (&$crate::options::ScanOptions, _) = ($options, $builder);
        if let Some(columns) = &options.columns {
            let mask = trevni::arrow::ProjectionMask::columns(builder.schema(), columns)?;
            builder = builder.with_projection(mask);
        }
        if let Some(predicate) = options.predicate()? {
            builder = builder.with_predicate(predicate);
        }
        if let Some(rows) = $rows {
            builder = builder.with_row_selection(rows);
        }
        if let Some(rows) = options.batch_size {
            builder = builder.with_batch_size(rows);
        }
        if let Some(rows) = options.limit {
            builder = builder.with_limit(rows);
        }
        let threads = $crate::options::threads(options.threads);
        builder.with_offset(options.offset).with_parallelism(threads)
    }};
}

pub(crate) use apply;

/// The columns that a feature is for: all, none, or these.
#[derive(Debug, Clone, FromPyObject)]
pub(crate) enum Columns {
    All(bool),
    Named(Vec<String>),
}

/// The arguments of writers.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct WriteOptions {
    codec: Option<String>,
    column_codecs: Option<HashMap<String, String>>,
    level: Option<i32>,
    block_size: Option<usize>,
    block_rows: Option<usize>,
    checksum: Option<bool>,
    statistics: Columns,
    bloom_filters: Columns,
    sorting: Option<Vec<String>>,
    metadata: Option<HashMap<String, Vec<u8>>>,
    layout: Option<String>,
    threads: Option<usize>,
}

impl WriteOptions {
    /// Returns the properties of a writer.
    pub(crate) fn properties(&self, schema: &Schema) -> PyResult<WriterProperties> {
        self.build(schema).or_raise()
    }

    fn build(&self, schema: &Schema) -> Result<WriterProperties> {
        let mut builder = WriterProperties::builder().set_parallelism(threads(self.threads));
        if let Some(codec) = &self.codec {
            builder = builder.set_codec(codec.parse()?);
        }
        for (column, codec) in self.column_codecs.iter().flatten() {
            check_column(column, schema)?;
            builder = builder.set_column_codec(column, codec.parse::<Codec>()?);
        }
        builder = builder.set_codec_level(self.level);
        if let Some(bytes) = self.block_size {
            builder = builder.set_block_size(bytes);
        }
        if let Some(rows) = self.block_rows {
            builder = builder.set_block_rows(rows);
        }
        if let Some(enabled) = self.checksum {
            let stored = self.codec.as_deref().is_some_and(|codec| codec.starts_with("pack"));
            builder = builder.set_checksum(match (enabled, stored) {
                (false, _) => Checksum::Null,
                (true, true) => Checksum::StoredCrc32,
                (true, false) => Checksum::Crc32,
            });
        }
        if let Some(layout) = &self.layout {
            builder = builder.set_layout(layout_named(layout)?);
        }
        builder = match &self.statistics {
            Columns::All(enabled) => builder.set_statistics_enabled(*enabled),
            Columns::Named(columns) => columns.iter().try_fold(
                builder.set_statistics_enabled(false),
                |builder, column| {
                    check_column(column, schema)?;
                    Ok::<_, Error>(builder.set_column_statistics_enabled(column, true))
                },
            )?,
        };
        builder = match &self.bloom_filters {
            Columns::All(enabled) => builder.set_bloom_filter_enabled(*enabled),
            Columns::Named(columns) => columns.iter().try_fold(builder, |builder, column| {
                check_column(column, schema)?;
                Ok::<_, Error>(builder.set_column_bloom_filter_enabled(column, true))
            })?,
        };
        let sorting = self.sorting.iter().flatten().map(|column| sorting_column(column));
        builder = builder.set_sorting_columns(sorting.collect());
        let mut metadata = Metadata::new();
        for (key, value) in self.metadata.iter().flatten() {
            metadata.set(key.clone(), value.clone())?;
        }
        Ok(builder.set_key_value_metadata(metadata).build())
    }
}

/// Fails if a path begins with no column.
fn check_column(path: &str, schema: &Schema) -> Result<()> {
    match ColumnPath::among(path, schema.fields()).root(schema.fields()) {
        Some(_) => Ok(()),
        None => Err(Error::invalid(format!("no column {path:?}"))),
    }
}

/// Returns the layout of a name.
fn layout_named(name: &str) -> Result<Layout> {
    match name {
        "split" => Ok(Layout::Split),
        "avro" => Ok(Layout::Avro),
        other => Err(Error::invalid(format!("layout {other:?}: it is \"split\" or \"avro\""))),
    }
}

/// Returns the order of a column: descending if its name begins with a minus sign.
fn sorting_column(name: &str) -> SortingColumn {
    match name.strip_prefix('-') {
        Some(name) => SortingColumn::descending(name),
        None => SortingColumn::ascending(name),
    }
}
