//! The native half of the Python package `trevni_datafusion`.
//!
//! ```text
//! SessionContext of Python ── C interface ──► Queries ──► a session here: filters, columns, limit ──► plan
//! rows                     ◄── C interface ── LocalExec, which runs the plan with the stores of that session
//! ```

mod local_exec;
mod queries;
mod table;

use mimalloc::MiMalloc;
use pyo3::prelude::*;

/// Batches are made by one thread and dropped by another, which the allocator of glibc waits for.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

#[pymodule]
fn _trevni_datafusion(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<table::Table>()
}
