//! Statistics of columns.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, BooleanArray, RecordBatch as ArrowBatch, UInt64Array};
use arrow::datatypes::Field;
use pyo3::prelude::*;
use pyo3_arrow::PyScalar;

use crate::batch::RecordBatch;
use crate::errors::Raise;

/// What a file says of the values of a column.
#[pyclass(frozen, module = "trevni")]
#[derive(Debug)]
pub(crate) struct ColumnStatistics {
    pub(crate) name: String,
    pub(crate) statistics: trevni::arrow::ColumnStatistics,
}

#[pymethods]
impl ColumnStatistics {
    /// The name of the column.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// No value is less; `None` if nothing is known.
    #[getter]
    fn min<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.statistics.min().map(|value| scalar(py, value)).transpose()
    }

    /// No value is greater; `None` if nothing is known.
    #[getter]
    fn max<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.statistics.max().map(|value| scalar(py, value)).transpose()
    }

    /// Whether `min` and `max` are values of the column. Bounds of long text are cut.
    #[getter]
    fn is_exact(&self) -> bool {
        self.statistics.is_exact()
    }

    /// The number of nulls.
    #[getter]
    fn null_count(&self) -> u64 {
        self.statistics.null_count()
    }

    /// Returns a row for each block: its first row, its rows, `min`, `max`, nulls, and whether the bounds are exact.
    fn blocks(&self) -> PyResult<RecordBatch> {
        let blocks = self.statistics.blocks();
        let firsts = UInt64Array::from_iter_values(blocks.iter().map(|rows| rows.start));
        let counts = blocks.iter().map(|rows| rows.end - rows.start);
        let exact: &BooleanArray = self.statistics.are_exact();
        let columns: [(&str, ArrayRef); 6] = [
            ("first_row", Arc::new(firsts)),
            ("num_rows", Arc::new(UInt64Array::from_iter_values(counts))),
            ("min", self.statistics.min_values().clone()),
            ("max", self.statistics.max_values().clone()),
            ("null_count", Arc::new(self.statistics.null_counts().clone())),
            ("is_exact", Arc::new(exact.clone())),
        ];
        Ok(RecordBatch(ArrowBatch::try_from_iter(columns).or_raise()?))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let text = |value: Option<Bound<'_, PyAny>>| match value {
            Some(value) => Ok::<_, PyErr>(value.repr()?.to_string()),
            None => Ok("None".to_owned()),
        };
        let (min, max) = (text(self.min(py)?)?, text(self.max(py)?)?);
        let nulls = self.null_count();
        Ok(format!("ColumnStatistics({:?}, min={min}, max={max}, null_count={nulls})", self.name))
    }
}

/// Returns the only value of an array as a Python object.
fn scalar(py: Python<'_>, value: ArrayRef) -> PyResult<Bound<'_, PyAny>> {
    let field = Arc::new(Field::new("", value.data_type().clone(), true));
    Bound::new(py, PyScalar::try_new(value, field)?)?.call_method0("as_py")
}
