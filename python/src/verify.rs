//! Verification of files.

use pyo3::prelude::*;
use trevni::io::Limits;
use trevni::{Error, ErrorKind, FileReader};

use crate::errors::{Raise, Result, object};
use crate::options::{limits, threads};
use crate::source::{Location, Source, StorageOptions};

/// The result of verifying files. It is true if all blocks are verified and there are no faults.
#[pyclass(frozen, module = "trevni")]
#[derive(Debug)]
pub(crate) struct Verification(pub(crate) trevni::Verification);

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

    /// What exceeds the memory limit and was not verified: exceptions as those of `faults`.
    #[getter]
    fn exceeded(&self, py: Python<'_>) -> PyResult<Vec<Py<PyAny>>> {
        self.0.exceeded.iter().map(|error| object(py, error)).collect()
    }

    fn __bool__(&self) -> bool {
        self.0.is_ok()
    }

    fn __repr__(&self) -> String {
        let trevni::Verification { blocks, verified, unchecked, faults, exceeded } = &self.0;
        let counts = format!("blocks={blocks}, verified={verified}, unchecked={unchecked}");
        format!("Verification({counts}, faults={}, exceeded={})", faults.len(), exceeded.len())
    }
}

/// Verifies every block of a file: checksums, values, and statistics. Does not stop at a fault.
#[pyfunction]
#[pyo3(signature = (source, *, memory_limit=None, storage_options=None))]
pub(crate) fn verify_file(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    memory_limit: Option<usize>,
    storage_options: StorageOptions,
) -> PyResult<Verification> {
    let location = Location::new(source, storage_options)?;
    let verify = || verify_source(location.into_source()?, limits(memory_limit));
    py.detach(verify).map(Verification).or_raise()
}

/// Verifies a file, and that its rows can be read.
pub(crate) fn verify_source(source: Source, limits: Limits) -> Result<trevni::Verification> {
    let file = FileReader::try_new_with_limits(source, limits)?;
    let mut seen = file.verify(|_| ());
    if seen.is_ok() {
        let rows = trevni::arrow::verify_rows(&file, threads(None));
        let is_of_value = |e: &Error| matches!(e.kind(), ErrorKind::Unsupported(_));
        rows.err().filter(|e| !is_of_value(e)).into_iter().for_each(|e| seen.push(e));
    }
    Ok(seen)
}
