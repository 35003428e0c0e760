//! Verification of files.

use pyo3::prelude::*;
use trevni::FileReader;

use crate::errors::{Raise, Result, object};
use crate::source::{Location, StorageOptions};

/// The result of verifying a file. It is true if there are no faults.
#[pyclass(frozen, module = "trevni")]
#[derive(Debug)]
pub(crate) struct Verification(trevni::Verification);

#[pymethods]
impl Verification {
    /// The number of blocks.
    #[getter]
    fn blocks(&self) -> u64 {
        self.0.blocks
    }

    /// The blocks whose checksum is right.
    #[getter]
    fn verified(&self) -> u64 {
        self.0.verified
    }

    /// The blocks without a checksum.
    #[getter]
    fn unchecked(&self) -> u64 {
        self.0.unchecked
    }

    /// The faults: exceptions with `column`, `block` and `offset`.
    #[getter]
    fn faults(&self, py: Python<'_>) -> PyResult<Vec<Py<PyAny>>> {
        self.0.faults.iter().map(|fault| object(py, fault)).collect()
    }

    fn __bool__(&self) -> bool {
        self.0.faults.is_empty()
    }

    fn __repr__(&self) -> String {
        let trevni::Verification { blocks, verified, unchecked, faults } = &self.0;
        let counts = format!("blocks={blocks}, verified={verified}, unchecked={unchecked}");
        format!("Verification({counts}, faults={})", faults.len())
    }
}

/// Verifies every block of a file: checksums, values, and statistics. Does not stop at a fault.
#[pyfunction]
#[pyo3(signature = (source, *, storage_options=None))]
pub(crate) fn verify(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    storage_options: StorageOptions,
) -> PyResult<Verification> {
    let location = Location::new(source, storage_options)?;
    py.detach(|| read(location)).or_raise()
}

fn read(location: Location) -> Result<Verification> {
    let source = location.into_source()?;
    Ok(Verification(FileReader::try_new(source)?.verify(|_| ())))
}
