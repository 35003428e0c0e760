//! Python file objects as sources and targets of bytes.
//!
//! ```text
//! read_at(offset, len)    lock ─► seek(offset) ─► read(len) until all bytes are there
//! write(bytes)            write(bytes) until all bytes are taken
//! ```

use std::io::{self, Write};
use std::sync::Mutex;

use bytes::Bytes;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::sync::MutexExt;
use pyo3::types::PyBytes;
use trevni::io::ReadAt;

/// A file object with `seek` and `read`.
#[derive(Debug)]
pub(crate) struct PythonSource {
    /// Locked from `seek` to the end of `read`.
    file: Mutex<Py<PyAny>>,
    len: u64,
}

impl PythonSource {
    pub(crate) fn new(file: &Bound<'_, PyAny>) -> PyResult<Self> {
        let before = file.call_method0("tell")?;
        let len = file.call_method1("seek", (0, 2))?.extract()?;
        file.call_method1("seek", (before,))?;
        Ok(Self { file: Mutex::new(file.clone().unbind()), len })
    }

    fn read(&self, py: Python<'_>, offset: u64, len: usize) -> PyResult<Bytes> {
        let file = self.file.lock_py_attached(py);
        let file = file.unwrap_or_else(std::sync::PoisonError::into_inner);
        let file = file.bind(py);
        file.call_method1("seek", (offset,))?;
        let first: PyBackedBytes = file.call_method1("read", (len,))?.extract()?;
        if first.len() == len {
            return Ok(Bytes::from_owner(first));
        }
        let mut bytes = first.to_vec();
        while bytes.len() < len {
            let more: PyBackedBytes = file.call_method1("read", (len - bytes.len(),))?.extract()?;
            if more.is_empty() || more.len() > len - bytes.len() {
                return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
            }
            bytes.extend_from_slice(&more);
        }
        Ok(bytes.into())
    }
}

impl ReadAt for PythonSource {
    fn len(&self) -> io::Result<u64> {
        Ok(self.len)
    }

    fn read_at(&self, offset: u64, len: usize) -> io::Result<Bytes> {
        Python::attach(|py| self.read(py, offset, len)).map_err(io::Error::from)
    }
}

/// A file object with `write`.
#[derive(Debug)]
pub(crate) struct PythonTarget(pub(crate) Py<PyAny>);

impl Write for PythonTarget {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Python::attach(|py| {
            let taken = self.0.bind(py).call_method1("write", (PyBytes::new(py, bytes),))?;
            // Some files return nothing: they take all.
            if taken.is_none() { Ok(bytes.len()) } else { taken.extract() }
        })
        .map_err(|error: PyErr| io::Error::from(error))
    }

    fn flush(&mut self) -> io::Result<()> {
        Python::attach(|py| match self.0.bind(py).hasattr("flush")? {
            true => self.0.bind(py).call_method0("flush").map(drop),
            false => Ok(()),
        })
        .map_err(io::Error::from)
    }
}
