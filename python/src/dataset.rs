//! Data sets: folders of files, on disk or in an object store.

use std::path::PathBuf;
use std::sync::Arc;

use object_store::ObjectStore;
use object_store::path::Path as StorePath;
use pyo3::prelude::*;
use pyo3_arrow::input::AnyRecordBatch;
use trevni::arrow::WriterProperties;
use trevni::dataset::{
    AsyncDatasetWriter, Dataset, DatasetMode, DatasetProperties, DatasetScan, DatasetSummary,
    DatasetWriter, Folder, Prefix,
};
use trevni::io::Limits;

use crate::errors::{Raise, Result};
use crate::options::{ScanOptions, WriteOptions, limits, threads};
use crate::reader::RecordBatchReader;
use crate::runtime::runtime;
use crate::schema::Schema;
use crate::signals::Signals;
use crate::source::{Source, StorageOptions, is_url, object};
use crate::stream::{BoxedReader, blocking, in_order};
use crate::verify::{Verification, verify_source};

/// Where a data set is.
enum Place {
    Folder(PathBuf),
    Store { store: Arc<dyn ObjectStore>, prefix: StorePath },
}

impl Place {
    fn new(argument: &Bound<'_, PyAny>, options: StorageOptions) -> PyResult<Self> {
        if let Ok(url) = argument.extract::<String>()
            && is_url(&url)
        {
            let (store, prefix) = object(&url, options).or_raise()?;
            return Ok(Place::Store { store, prefix });
        }
        Ok(Place::Folder(argument.extract()?))
    }
}

#[derive(Debug)]
enum Snapshot {
    Folder(Dataset<Folder>),
    Store(Dataset<Prefix>),
}

/// A data set as its last commit left it.
#[pyclass(frozen, module = "trevni._trevni")]
#[derive(Debug)]
pub(crate) struct NativeDataset {
    snapshot: Snapshot,
    limits: Limits,
}

/// Calls a method that data sets of both places have.
macro_rules! both {
    ($self:ident, $dataset:ident => $value:expr) => {
        match &$self.snapshot {
            Snapshot::Folder($dataset) => $value,
            Snapshot::Store($dataset) => $value,
        }
    };
}

#[pymethods]
impl NativeDataset {
    /// Opens a path or a URL: the data set there, or the files of these paths below it.
    #[new]
    #[pyo3(signature = (source, files=None, memory_limit=None, storage_options=None))]
    fn new(
        source: &Bound<'_, PyAny>,
        files: Option<Vec<String>>,
        memory_limit: Option<usize>,
        storage_options: StorageOptions,
    ) -> PyResult<Self> {
        let place = Place::new(source, storage_options)?;
        let open = || match (place, files) {
            (Place::Folder(path), None) => Dataset::open(path).map(Snapshot::Folder),
            (Place::Folder(path), Some(files)) => {
                Dataset::open_files(path, files).map(Snapshot::Folder)
            }
            (Place::Store { store, prefix }, None) => {
                runtime()?.block_on(Dataset::open_in(store, prefix)).map(Snapshot::Store)
            }
            (Place::Store { store, prefix }, Some(files)) => {
                let open = Dataset::open_files_in(store, prefix, files);
                runtime()?.block_on(open).map(Snapshot::Store)
            }
        };
        Ok(Self { snapshot: source.py().detach(open).or_raise()?, limits: limits(memory_limit) })
    }

    #[getter]
    fn schema(&self) -> Schema {
        Schema(both!(self, dataset => dataset.schema().clone()))
    }

    #[getter]
    fn num_rows(&self) -> u64 {
        both!(self, dataset => dataset.rows())
    }

    #[getter]
    fn nbytes(&self) -> u64 {
        both!(self, dataset => dataset.bytes())
    }

    /// The number of the last commit.
    #[getter]
    fn commit(&self) -> Option<u64> {
        both!(self, dataset => dataset.commit())
    }

    /// The names of the columns whose values are in paths.
    #[getter]
    fn partitions(&self) -> Vec<String> {
        let fields = both!(self, dataset => dataset.partitions());
        fields.iter().map(|field| field.name().clone()).collect()
    }

    /// The path, rows and bytes of each file.
    #[getter]
    fn files(&self) -> Vec<(String, u64, u64)> {
        both!(self, dataset => {
            let files = dataset.files();
            files.map(|file| (file.path().to_owned(), file.rows(), file.bytes())).collect()
        })
    }

    /// Verifies the files, one after the other, and what commits say of their values.
    fn verify(&self, py: Python<'_>) -> PyResult<Verification> {
        py.detach(|| self.verified()).or_raise()
    }

    /// Starts to read.
    fn scan(&self, py: Python<'_>, options: ScanOptions) -> PyResult<RecordBatchReader> {
        Ok(RecordBatchReader::of(py.detach(|| self.read(&options)).or_raise()?))
    }
}

impl NativeDataset {
    fn verified(&self) -> Result<Verification> {
        let mut all = trevni::Verification::default();
        match &self.snapshot {
            Snapshot::Folder(dataset) => {
                for file in dataset.files() {
                    let path = dataset.path_of(file);
                    all.extend(verify_source(Source::open(path)?, self.limits), file.path());
                }
                if all.is_ok() {
                    dataset.verify_statistics()?.into_iter().for_each(|fault| all.push(fault));
                }
            }
            Snapshot::Store(dataset) => {
                for file in dataset.files() {
                    let path = dataset.location(file)?;
                    let source = Source::download(dataset.store().as_ref(), &path)?;
                    all.extend(verify_source(source, self.limits), file.path());
                }
            }
        }
        Ok(Verification(all))
    }

    fn read(&self, options: &ScanOptions) -> Result<BoxedReader> {
        let reader: BoxedReader = match &self.snapshot {
            Snapshot::Folder(dataset) => {
                let scan = dataset.scan().with_limits(self.limits);
                Box::new(apply(options, scan)?.build()?)
            }
            Snapshot::Store(dataset) => {
                let scan = dataset.scan().with_limits(self.limits);
                let stream = apply(options, scan)?.stream()?;
                blocking(stream.schema().clone(), stream)?
            }
        };
        in_order(reader, options.columns.as_deref())
    }
}

fn apply<P>(options: &ScanOptions, mut scan: DatasetScan<P>) -> Result<DatasetScan<P>> {
    if let Some(columns) = &options.columns {
        scan = scan.with_projection(columns.clone());
    }
    if let Some(predicate) = options.predicate()? {
        scan = scan.with_predicate(predicate);
    }
    if let Some(rows) = options.batch_size {
        scan = scan.with_batch_size(rows);
    }
    if let Some(rows) = options.limit {
        scan = scan.with_limit(rows);
    }
    Ok(scan.with_offset(options.offset).with_parallelism(threads(options.threads)))
}

/// Writes rows to a data set in one commit. Returns the number of the commit and the rows.
#[pyfunction]
#[pyo3(signature = (
    data, target, options, *, overwrite=false, partition_by=None, file_bytes=None, file_rows=None, storage_options=None
))]
#[allow(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn write_dataset(
    py: Python<'_>,
    data: AnyRecordBatch,
    target: &Bound<'_, PyAny>,
    options: WriteOptions,
    overwrite: bool,
    partition_by: Option<Vec<String>>,
    file_bytes: Option<u64>,
    file_rows: Option<u64>,
    storage_options: StorageOptions,
) -> PyResult<(u64, u64)> {
    let place = Place::new(target, storage_options)?;
    let reader = data.into_reader()?;
    let properties: WriterProperties = options.properties(&reader.schema())?;
    let mode = if overwrite { DatasetMode::Overwrite } else { DatasetMode::Append };
    let mut builder = DatasetProperties::builder().set_mode(mode).set_writer_properties(properties);
    if let Some(columns) = partition_by {
        builder = builder.set_partition_by(columns);
    }
    if let Some(bytes) = file_bytes {
        builder = builder.set_target_file_size(bytes);
    }
    if let Some(rows) = file_rows {
        builder = builder.set_max_rows_per_file(rows);
    }
    let properties = builder.build();
    let summary = py.detach(|| match place {
        Place::Folder(path) => write_folder(reader, path, properties),
        Place::Store { store, prefix } => write_store(reader, store, prefix, properties),
    })?;
    Ok((summary.commit, summary.rows))
}

fn write_folder(
    reader: BoxedReader,
    path: PathBuf,
    properties: DatasetProperties,
) -> PyResult<DatasetSummary> {
    let mut writer = DatasetWriter::try_new(path, reader.schema(), properties).or_raise()?;
    let mut signals = Signals::new();
    for batch in reader {
        writer.write(&batch.or_raise()?).or_raise()?;
        signals.check()?;
    }
    writer.finish().or_raise()
}

fn write_store(
    reader: BoxedReader,
    store: Arc<dyn ObjectStore>,
    prefix: StorePath,
    properties: DatasetProperties,
) -> PyResult<DatasetSummary> {
    let runtime = runtime().or_raise()?;
    let writer = AsyncDatasetWriter::try_new(store, prefix, reader.schema(), properties);
    let mut writer = runtime.block_on(writer).or_raise()?;
    let mut signals = Signals::new();
    let write = || {
        for batch in reader {
            runtime.block_on(writer.write(&batch.or_raise()?)).or_raise()?;
            signals.check()?;
        }
        runtime.block_on(writer.finish()).or_raise()
    };
    let written = write();
    if written.is_err() {
        runtime.block_on(writer.abort()).or_raise()?;
    }
    written
}
