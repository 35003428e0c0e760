//! Writers of files.
//!
//! ```text
//! write(data) ──► batches ──► blocks ──► memory, then a temporary file
//! close()     ──► path: a new file replaces the old one at once     file object: write     URL: one upload
//! discard()   nothing is left
//! ```

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use arrow::array::RecordBatch as ArrowBatch;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3_arrow::PySchema;
use pyo3_arrow::input::AnyRecordBatch;
use trevni::Error;
use trevni::arrow::{ArrowWriter, AsyncArrowWriter};
use trevni::io::AtomicFile;
use trevni::object_store::ObjectWriter;

use crate::errors::{Raise, Result, exception};
use crate::options::WriteOptions;
use crate::python_file::PythonTarget;
use crate::runtime::runtime;
use crate::signals::Signals;
use crate::source::{StorageOptions, is_url, object};

/// Where a file goes.
enum Target {
    Path(AtomicFile),
    Python(PythonTarget),
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Target::Path(file) => file.write(bytes),
            Target::Python(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Target::Path(file) => file.flush(),
            Target::Python(file) => file.flush(),
        }
    }
}

enum Open {
    Here(Box<ArrowWriter<Target>>),
    Store(Box<AsyncArrowWriter>),
}

impl Open {
    fn write(&mut self, batch: &ArrowBatch) -> Result<()> {
        match self {
            Open::Here(writer) => writer.write(batch),
            Open::Store(writer) => runtime()?.block_on(writer.write(batch)),
        }
    }

    /// Writes the file. Returns its size in bytes.
    fn finish(self) -> Result<u64> {
        match self {
            Open::Here(writer) => {
                let (target, summary) = writer.finish()?;
                match target {
                    Target::Path(file) => file.commit()?,
                    Target::Python(mut file) => file.flush()?,
                }
                Ok(summary.bytes)
            }
            Open::Store(writer) => Ok(runtime()?.block_on(writer.close())?.bytes),
        }
    }
}

/// A file that is being written.
#[pyclass(frozen, module = "trevni._trevni")]
pub(crate) struct NativeWriter(Mutex<Option<Open>>);

#[pymethods]
impl NativeWriter {
    #[new]
    #[pyo3(signature = (target, schema, options, storage_options=None))]
    fn new(
        target: &Bound<'_, PyAny>,
        schema: PySchema,
        options: WriteOptions,
        storage_options: StorageOptions,
    ) -> PyResult<Self> {
        let schema = schema.into_inner();
        let properties = options.properties(&schema)?;
        if let Ok(url) = target.extract::<String>()
            && is_url(&url)
        {
            let (store, path) = object(&url, storage_options).or_raise()?;
            let writer = ObjectWriter::new(store, path);
            let writer = AsyncArrowWriter::try_new(writer, schema, Some(properties)).or_raise()?;
            return Ok(Self(Mutex::new(Some(Open::Store(Box::new(writer))))));
        }
        let target = match target.hasattr("write")? {
            true => Target::Python(PythonTarget(target.clone().unbind())),
            false => {
                let path: PathBuf = target.extract()?;
                let name = path.display().to_string();
                let file = AtomicFile::create(path);
                let file = file.map_err(|error| trevni::Error::from(error).in_file(&name));
                Target::Path(file.or_raise()?)
            }
        };
        let writer = ArrowWriter::try_new(target, schema, Some(properties)).or_raise()?;
        Ok(Self(Mutex::new(Some(Open::Here(Box::new(writer))))))
    }

    /// Appends rows. Returns their number.
    fn write(&self, py: Python<'_>, data: AnyRecordBatch) -> PyResult<u64> {
        let reader = data.into_reader()?;
        py.detach(|| {
            let mut writer = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let writer = writer.as_mut().ok_or_else(closed)?;
            let (mut rows, mut signals) = (0, Signals::new());
            for batch in reader {
                let batch = batch.or_raise()?;
                writer.write(&batch).or_raise()?;
                rows += batch.num_rows() as u64;
                signals.check()?;
            }
            Ok(rows)
        })
    }

    /// Writes the file. Returns its size in bytes.
    fn close(&self, py: Python<'_>) -> PyResult<u64> {
        let writer = self.take(py).ok_or_else(closed)?;
        py.detach(|| writer.finish()).or_raise()
    }

    /// Drops what was written.
    fn discard(&self, py: Python<'_>) {
        let writer = self.take(py);
        py.detach(|| drop(writer));
    }

    /// Whether the file was closed or discarded.
    #[getter]
    fn closed(&self, py: Python<'_>) -> bool {
        self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner).is_none()
    }
}

impl NativeWriter {
    /// Takes the writer away. Another thread may need the lock of the interpreter to finish writing.
    fn take(&self, py: Python<'_>) -> Option<Open> {
        self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner).take()
    }
}

fn closed() -> PyErr {
    exception(Error::invalid("the writer is closed"))
}
