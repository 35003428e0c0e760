//! Schemas.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::datatypes::{DataType, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule};
use pyo3_arrow::PySchema;
use pyo3_arrow::ffi::to_schema_pycapsule;
use trevni::arrow::{Predicate, schema_from_ipc, schema_to_ipc};

use crate::errors::Raise;

/// The names and types of columns. Other libraries take it through `__arrow_c_schema__`.
#[pyclass(frozen, module = "trevni")]
#[derive(Debug)]
pub(crate) struct Schema(pub(crate) SchemaRef);

#[pymethods]
impl Schema {
    /// Takes any object with `__arrow_c_schema__`.
    #[new]
    fn new(schema: PySchema) -> Self {
        Self(schema.into_inner())
    }

    /// The names of the columns.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.0.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The types of the columns, in Arrow's notation.
    #[getter]
    fn types(&self) -> Vec<String> {
        self.0.fields().iter().map(|field| field.data_type().to_string()).collect()
    }

    /// The metadata of the schema.
    #[getter]
    fn metadata(&self) -> HashMap<String, String> {
        self.0.metadata().clone()
    }

    /// The type of a column or a field of structs, without dictionaries and run ends; `None` if there is none.
    fn _type_of(&self, path: Vec<String>) -> Option<String> {
        let (first, rest) = path.split_first()?;
        let mut data_type = plain(self.0.field_with_name(first).ok()?.data_type());
        for name in rest {
            let DataType::Struct(fields) = data_type else { return None };
            data_type = plain(fields.find(name)?.1.data_type());
        }
        Some(data_type.to_string())
    }

    /// Whether a predicate can be evaluated on these columns.
    fn _accepts(&self, predicate: &str) -> bool {
        Predicate::parse(predicate).is_ok_and(|predicate| predicate.check(&self.0).is_ok())
    }

    /// Returns the schema as `pyarrow.Schema`.
    fn to_arrow<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pyarrow")?.call_method1("schema", (slf,))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        Ok(to_schema_pycapsule(py, self.0.as_ref())?)
    }

    /// Returns the schema of its text in the metadata of files.
    #[staticmethod]
    fn _of_ipc(text: &[u8]) -> PyResult<Self> {
        Ok(Self(Arc::new(schema_from_ipc(text).or_raise()?)))
    }

    fn __reduce__<'py>(
        slf: Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let text = schema_to_ipc(&slf.get().0).or_raise()?;
        Ok((slf.get_type().getattr("_of_ipc")?, (PyBytes::new(slf.py(), &text),)))
    }

    fn __len__(&self) -> usize {
        self.0.fields().len()
    }

    fn __contains__(&self, name: &str) -> bool {
        self.0.field_with_name(name).is_ok()
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.0 == other.0
    }

    fn __repr__(&self) -> String {
        self.describe()
    }
}

impl Schema {
    /// Returns a line for each column.
    pub(crate) fn describe(&self) -> String {
        let fields = self.0.fields().iter().map(|field| {
            let required = if field.is_nullable() { "" } else { " not null" };
            format!("{}: {}{required}", field.name(), field.data_type())
        });
        fields.collect::<Vec<_>>().join("\n")
    }
}

/// Returns the type of values.
fn plain(data_type: &DataType) -> &DataType {
    match data_type {
        DataType::Dictionary(_, values) => plain(values),
        DataType::RunEndEncoded(_, values) => plain(values.data_type()),
        other => other,
    }
}
