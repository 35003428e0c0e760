//! Record batches.

use std::sync::Arc;

use arrow::array::{Array, RecordBatch as ArrowBatch, StructArray};
use arrow::datatypes::{Field, FieldRef, Schema as ArrowSchema};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use pyo3_arrow::ffi::to_array_pycapsules;

use crate::schema::Schema;

/// Some rows in columns. Other libraries take it through `__arrow_c_array__`, without a copy.
#[pyclass(frozen, module = "trevni")]
#[derive(Debug)]
pub(crate) struct RecordBatch(pub(crate) ArrowBatch);

#[pymethods]
impl RecordBatch {
    /// The schema.
    #[getter]
    fn schema(&self) -> Schema {
        Schema(self.0.schema())
    }

    /// The number of rows.
    #[getter]
    fn num_rows(&self) -> usize {
        self.0.num_rows()
    }

    /// The number of columns.
    #[getter]
    fn num_columns(&self) -> usize {
        self.0.num_columns()
    }

    /// Returns the rows as `pyarrow.RecordBatch`.
    fn to_arrow<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pyarrow")?.call_method1("record_batch", (slf,))
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let rows = StructArray::from(self.0.clone());
        let field = row_field(self.0.schema_ref());
        Ok(to_array_pycapsules(py, field, &rows as &dyn Array, requested_schema)?)
    }

    fn __len__(&self) -> usize {
        self.0.num_rows()
    }

    fn __repr__(&self) -> String {
        format!("trevni.RecordBatch of {} rows\n{}", self.0.num_rows(), self.schema().describe())
    }
}

/// Returns the field of rows as structs, which is how the C interface passes batches.
pub(crate) fn row_field(schema: &ArrowSchema) -> FieldRef {
    let field = Field::new_struct("", schema.fields().clone(), false);
    Arc::new(field.with_metadata(schema.metadata().clone()))
}
