//! Streams of record batches.

use std::sync::{Mutex, PoisonError};

use arrow::datatypes::SchemaRef;
use pyo3::exceptions::PyStopIteration;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyCapsule;
use pyo3_arrow::input::AnyRecordBatch;
use trevni::Error;

use crate::batch::RecordBatch;
use crate::errors::Raise;
use crate::schema::Schema;
use crate::stream::{BoxedReader, stream_capsule};
use crate::table::Table;

/// A stream of record batches, which can be read once: by iteration, by `read_all`, or by another library through
/// `__arrow_c_stream__`.
#[pyclass(frozen, module = "trevni")]
pub(crate) struct RecordBatchReader {
    schema: SchemaRef,
    /// Absent once it was handed over.
    reader: Mutex<Option<BoxedReader>>,
}

impl RecordBatchReader {
    pub(crate) fn of(reader: BoxedReader) -> Self {
        Self { schema: reader.schema(), reader: Mutex::new(Some(reader)) }
    }

    /// Takes the reader away. Another thread may need the lock of the interpreter to read its batch.
    fn take(&self, py: Python<'_>) -> PyResult<BoxedReader> {
        let reader = self.reader.lock_py_attached(py);
        let taken = reader.unwrap_or_else(PoisonError::into_inner).take();
        let used = || Error::invalid("the stream was handed over to another reader, or read");
        taken.ok_or_else(used).or_raise()
    }
}

#[pymethods]
impl RecordBatchReader {
    /// Takes any object with `__arrow_c_stream__` or `__arrow_c_array__`.
    #[new]
    fn new(data: AnyRecordBatch) -> PyResult<Self> {
        Ok(Self::of(data.into_reader()?))
    }

    /// The schema.
    #[getter]
    fn schema(&self) -> Schema {
        Schema(self.schema.clone())
    }

    /// Reads all batches into a table.
    fn read_all(&self, py: Python<'_>) -> PyResult<Table> {
        let reader = self.take(py)?;
        py.detach(|| Table::read(reader))
    }

    /// Returns the stream as `pyarrow.RecordBatchReader`.
    fn to_arrow<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let class = slf.py().import("pyarrow")?.getattr("RecordBatchReader")?;
        class.call_method1("from_stream", (slf,))
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let reader = self.take(py)?;
        stream_capsule(py, reader, requested_schema)
    }

    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<RecordBatch> {
        let next = py.detach(|| {
            let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
            reader.as_mut().and_then(Iterator::next)
        });
        match next {
            Some(batch) => Ok(RecordBatch(batch.or_raise()?)),
            None => Err(PyStopIteration::new_err(())),
        }
    }

    fn __repr__(&self) -> String {
        format!("trevni.RecordBatchReader\n{}", self.schema().describe())
    }
}
