//! The native half of the Python package `trevni`.
//!
//! ```text
//! Python    read_table, File, Writer, Dataset, blosc ...      trevni/*.py: expressions, pandas, polars, pyarrow
//! here      NativeFile, Writer, ... ──► Arrow C stream        no Python object is made for a value
//! library   readers and writers, without the lock of the interpreter
//! ```
//! Batches leave and enter through the Arrow PyCapsule interface, so no other package is needed.
//!
//! The modules, from the lowest layer to the highest:
//!
//! ```text layers
//! errors
//! options python_file runtime schema signals
//! batch source
//! stream
//! table
//! reader verify
//! blosc dataset statistics writer
//! file
//! ```

mod batch;
mod blosc;
mod dataset;
mod errors;
mod file;
mod options;
mod python_file;
mod reader;
mod runtime;
mod schema;
mod signals;
mod source;
mod statistics;
mod stream;
mod table;
mod verify;
mod writer;

use mimalloc::MiMalloc;
use pyo3::prelude::*;

/// Batches are made by one thread and dropped by another, which the allocator of glibc waits for.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

#[pymodule]
fn _trevni(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<batch::RecordBatch>()?;
    module.add_class::<blosc::NativeContainer>()?;
    module.add_class::<dataset::NativeDataset>()?;
    module.add_class::<file::NativeFile>()?;
    module.add_class::<reader::RecordBatchReader>()?;
    module.add_class::<schema::Schema>()?;
    module.add_class::<statistics::ColumnStatistics>()?;
    module.add_class::<table::Table>()?;
    module.add_class::<verify::Verification>()?;
    module.add_class::<writer::NativeWriter>()?;
    module.add_function(wrap_pyfunction!(dataset::write_dataset, module)?)?;
    module.add_function(wrap_pyfunction!(verify::verify_file, module)?)?;
    Ok(())
}
