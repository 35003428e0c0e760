//! Trevni files.
//!
//! ```text
//! open    header, schema ──► NativeFile        once
//! scan    NativeFile ──► builder ──► reader    any number of times, nothing is opened again
//! take    rows ──► selection of each once ──► table ──► rows in the order of the caller
//! ```

use std::collections::BTreeMap;
use std::sync::Arc;

use object_store::ObjectStore;
use object_store::path::Path as StorePath;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use trevni::arrow::{
    ArrowReaderBuilder, ArrowReaderMetadata, ArrowReaderOptions, ArrowStreamBuilder, ColumnPath,
    RowSelection,
};
use trevni::io::Limits;
use trevni::object_store::FetchOptions;
use trevni::{Error, FileMetadata};

use crate::errors::{Raise, Result};
use crate::options::{ScanOptions, apply, limits};
use crate::reader::RecordBatchReader;
use crate::runtime::runtime;
use crate::schema::Schema;
use crate::source::{Location, Source, StorageOptions};
use crate::statistics::ColumnStatistics;
use crate::stream::{BoxedReader, blocking, in_order};
use crate::table::Table;

/// Where the blocks of a file are.
#[derive(Debug, Clone)]
enum Blocks {
    Here(Source),
    Store { store: Arc<dyn ObjectStore>, path: StorePath },
}

/// An open file.
#[pyclass(frozen, module = "trevni._trevni")]
#[derive(Debug)]
pub(crate) struct NativeFile {
    blocks: Blocks,
    metadata: ArrowReaderMetadata,
    bytes: u64,
    limits: Limits,
}

#[pymethods]
impl NativeFile {
    /// Opens a path, a URL, a file object or bytes.
    #[new]
    #[pyo3(signature = (source, memory_limit=None, storage_options=None))]
    fn new(
        source: &Bound<'_, PyAny>,
        memory_limit: Option<usize>,
        storage_options: StorageOptions,
    ) -> PyResult<Self> {
        let location = Location::new(source, storage_options)?;
        source.py().detach(|| Self::open(location, limits(memory_limit))).or_raise()
    }

    #[getter]
    fn schema(&self) -> Schema {
        Schema(self.metadata.schema().clone())
    }

    #[getter]
    fn num_rows(&self) -> u64 {
        self.metadata.metadata().header().rows
    }

    #[getter]
    fn nbytes(&self) -> u64 {
        self.bytes
    }

    /// The pairs of the user, by key.
    #[getter]
    fn metadata(&self) -> BTreeMap<String, Vec<u8>> {
        let pairs = self.metadata.metadata().header().metadata.iter();
        pairs.map(|(key, value)| (key.to_owned(), value.to_vec())).collect()
    }

    /// The codecs of the stored columns.
    #[getter]
    fn codecs(&self) -> PyResult<Vec<String>> {
        let header = self.metadata.metadata().header();
        let codecs = (0..header.columns.len()).map(|column| header.codec(column));
        let names = codecs.map(|codec| codec.map(|codec| codec.name().to_owned()));
        names.collect::<Result<_>>().or_raise()
    }

    /// Returns the statistics of a column, if the file has them.
    fn statistics(&self, py: Python<'_>, column: &str) -> PyResult<Option<ColumnStatistics>> {
        let path = ColumnPath::among(column, self.metadata.schema().fields());
        let name = path.names().last().cloned().unwrap_or_default();
        let found = py.detach(|| match &self.blocks {
            Blocks::Here(source) => self.builder(source).statistics(path),
            Blocks::Store { store, path: key } => {
                let mut builder = self.stream_builder(store, key);
                let mut found = runtime()?.block_on(builder.column_statistics(&[path]))?;
                Ok(found.pop().flatten())
            }
        });
        Ok(found.or_raise()?.map(|statistics| ColumnStatistics { name, statistics }))
    }

    /// Starts to read.
    fn scan(&self, py: Python<'_>, options: ScanOptions) -> PyResult<RecordBatchReader> {
        Ok(RecordBatchReader::of(py.detach(|| self.read(&options, None)).or_raise()?))
    }

    /// Returns the rows at these indices, in this order.
    #[pyo3(signature = (rows, *, columns=None))]
    fn take(
        &self,
        py: Python<'_>,
        rows: Vec<u64>,
        columns: Option<Vec<String>>,
    ) -> PyResult<Table> {
        if let Some(row) = rows.iter().find(|row| **row >= self.num_rows()) {
            return Err(PyIndexError::new_err(format!("row {row} of {}", self.num_rows())));
        }
        let mut ascending = rows.clone();
        ascending.sort_unstable();
        ascending.dedup();
        let ranges = ascending.iter().map(|row| *row..row + 1);
        let selection = RowSelection::from_consecutive_ranges(ranges, self.num_rows());
        let options = ScanOptions { columns, threads: Some(1), ..Default::default() };
        let read = || Table::read(self.read(&options, Some(selection)).or_raise()?);
        let table = py.detach(read)?;
        if ascending == rows {
            return Ok(table);
        }
        let place = |row: &u64| ascending.binary_search(row).map(|place| place as u64);
        let places = rows.iter().filter_map(|row| place(row).ok()).collect();
        py.detach(|| table.take(places)).or_raise()
    }
}

impl NativeFile {
    fn open(location: Location, limits: Limits) -> Result<Self> {
        let source = match location {
            Location::Path(path) if path.is_dir() => {
                let what =
                    "a folder; trevni.open, trevni.dataset and trevni.blosc.open open folders";
                return Err(Error::invalid(what).in_file(&path.display().to_string()));
            }
            Location::Path(path) => Source::open(path)?,
            Location::Source(source) => source,
            Location::Object { store, path } => return Self::open_object(store, path, limits),
        };
        let options = ArrowReaderOptions::new();
        let metadata =
            ArrowReaderMetadata::try_new(Arc::new(FileMetadata::read(&source)?), options)?;
        let bytes = trevni::io::ReadAt::len(&source)?;
        Ok(Self { blocks: Blocks::Here(source), metadata, bytes, limits })
    }

    fn open_object(store: Arc<dyn ObjectStore>, path: StorePath, limits: Limits) -> Result<Self> {
        let builder = runtime()?.block_on(ArrowStreamBuilder::new(store.clone(), path.clone()))?;
        let (metadata, bytes) = (builder.metadata(), builder.file().file_len());
        Ok(Self { blocks: Blocks::Store { store, path }, metadata, bytes, limits })
    }

    fn builder(&self, source: &Source) -> ArrowReaderBuilder<Source> {
        ArrowReaderBuilder::new_with_metadata(source.clone(), self.metadata.clone())
            .with_limits(self.limits)
    }

    fn stream_builder(&self, store: &Arc<dyn ObjectStore>, path: &StorePath) -> ArrowStreamBuilder {
        let fetch = FetchOptions::default();
        ArrowStreamBuilder::from_metadata(store.clone(), path.clone(), self.metadata.clone(), fetch)
            .with_limits(self.limits)
    }

    fn read(&self, options: &ScanOptions, rows: Option<RowSelection>) -> Result<BoxedReader> {
        let reader = match &self.blocks {
            Blocks::Here(source) => Box::new(apply!(options, self.builder(source), rows).build()?),
            Blocks::Store { store, path } => {
                let stream = apply!(options, self.stream_builder(store, path), rows).build()?;
                blocking(stream.schema().clone(), stream)?
            }
        };
        in_order(reader, options.columns.as_deref())
    }
}
