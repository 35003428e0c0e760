//! Containers of the Blosc family: Bloscpack files, bcolz directories, Blosc2 frames.

use std::ops::Range;
use std::path::PathBuf;

use pyo3::exceptions::{PyKeyError, PyMemoryError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use trevni::Error;
use trevni_blosc::numpy::{ChunkedReader, Column};
use trevni_blosc::{ChunkedArray, Contents, Order};

use crate::errors::{Raise, Result};
use crate::options::threads;
use crate::reader::RecordBatchReader;
use crate::source::{Location, Source, StorageOptions};

/// Bytes that are read at a time: memory is taken for what was decoded, not for what a shape claims.
const PIECE: u64 = 16 << 20;

#[derive(Debug)]
enum Place {
    Path(PathBuf),
    Source(Source),
}

impl Place {
    fn open(&self) -> Result<Contents> {
        match self {
            Place::Path(path) => {
                trevni_blosc::open(path).map_err(|error| error.in_file(&path.display().to_string()))
            }
            Place::Source(source) => trevni_blosc::open_source(source.clone()),
        }
    }
}

/// An open container.
#[pyclass(frozen, module = "trevni._trevni")]
#[derive(Debug)]
pub(crate) struct NativeContainer {
    place: Place,
    contents: Contents,
}

#[pymethods]
impl NativeContainer {
    /// Opens a path, a URL, a file object or bytes.
    #[new]
    #[pyo3(signature = (source, storage_options=None))]
    fn new(source: &Bound<'_, PyAny>, storage_options: StorageOptions) -> PyResult<Self> {
        let location = Location::new(source, storage_options)?;
        let open = || {
            let place = match location {
                Location::Path(path) => Place::Path(path),
                other => Place::Source(other.into_source()?),
            };
            let contents = place.open()?;
            Ok::<_, Error>(Self { place, contents })
        };
        source.py().detach(open).or_raise()
    }

    #[getter]
    fn kind(&self) -> &'static str {
        self.contents.kind.name()
    }

    #[getter]
    fn names(&self) -> Vec<String> {
        self.contents.arrays.iter().map(|(name, _)| name.clone()).collect()
    }

    /// The attributes of the container as JSON.
    #[getter]
    fn attributes(&self) -> String {
        serde_json::Value::from(self.contents.attributes.clone()).to_string()
    }

    /// The attributes of an array as JSON.
    fn attributes_of(&self, name: &str) -> PyResult<String> {
        let attributes = self.array(name)?.attributes().clone();
        Ok(serde_json::Value::from(attributes).to_string())
    }

    /// The shape of an array.
    fn shape(&self, name: &str) -> PyResult<Vec<u64>> {
        Ok(self.array(name)?.shape().to_vec())
    }

    /// The dtype of an array, as NumPy writes it.
    fn dtype(&self, name: &str) -> PyResult<String> {
        Ok(self.array(name)?.dtype().numpy_str())
    }

    /// The order in which an array is stored, `C` or `F`.
    fn order(&self, name: &str) -> PyResult<&'static str> {
        Ok(match self.array(name)?.layout().order {
            Order::C => "C",
            Order::F => "F",
        })
    }

    /// The number of chunks of an array.
    fn chunks(&self, name: &str) -> PyResult<u64> {
        Ok(self.array(name)?.layout().chunks)
    }

    /// The bytes of rows of an array, in C order.
    fn read<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        start: u64,
        stop: u64,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let array = self.array(name)?;
        let bytes = py.detach(|| read(array, start..stop))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Starts to read columns as Arrow.
    #[pyo3(signature = (*, columns=None, batch_size=None, start=0, stop=None, threads=None))]
    fn scan(
        &self,
        py: Python<'_>,
        columns: Option<Vec<String>>,
        batch_size: Option<usize>,
        start: u64,
        stop: Option<u64>,
        threads: Option<usize>,
    ) -> PyResult<RecordBatchReader> {
        for name in columns.iter().flatten() {
            self.array(name)?;
        }
        let rows = start..stop.unwrap_or(u64::MAX);
        let reader = py.detach(|| self.reader(columns, batch_size, rows, threads)).or_raise()?;
        Ok(RecordBatchReader::of(Box::new(reader)))
    }
}

impl NativeContainer {
    fn array(&self, name: &str) -> PyResult<&ChunkedArray> {
        let found = self.contents.arrays.iter().find(|(known, _)| known == name);
        found.map(|(_, array)| array).ok_or_else(|| PyKeyError::new_err(name.to_owned()))
    }

    fn reader(
        &self,
        columns: Option<Vec<String>>,
        batch_size: Option<usize>,
        rows: Range<u64>,
        requested: Option<usize>,
    ) -> Result<ChunkedReader> {
        let mut arrays = self.place.open()?.arrays;
        if let Some(columns) = columns {
            arrays = columns
                .iter()
                .filter_map(|name| {
                    let place = arrays.iter().position(|(known, _)| known == name)?;
                    Some(arrays.remove(place))
                })
                .collect();
        }
        let column = |(name, array): (String, ChunkedArray)| Column {
            name,
            array: array.with_parallelism(threads(requested)),
        };
        let columns = arrays.into_iter().map(column).collect();
        let batch_size = batch_size.unwrap_or(trevni::defaults::BATCH_SIZE);
        Ok(ChunkedReader::try_new(columns, batch_size)?.with_rows(rows))
    }
}

/// Reads rows, a piece at a time.
fn read(array: &ChunkedArray, rows: Range<u64>) -> PyResult<Vec<u8>> {
    let row = array.row_bytes().or_raise()?.max(1) as u64;
    let (mut at, mut bytes) = (rows.start, Vec::new());
    while at < rows.end {
        let end = rows.end.min(at.saturating_add((PIECE / row).max(1)));
        let piece = array.read(at..end).or_raise()?;
        if bytes.try_reserve(piece.len()).is_err() {
            return Err(PyMemoryError::new_err(()));
        }
        bytes.extend_from_slice(&piece);
        at = end;
    }
    Ok(bytes)
}
