//! The exceptions of `trevni/errors.py`, one for each kind of error.

use arrow::error::ArrowError;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use trevni::{Error, ErrorKind};

/// A result whose error is one of the library.
pub(crate) type Result<T> = trevni::Result<T>;

/// Converts the errors of a result to exceptions.
pub(crate) trait Raise<T> {
    /// Returns the value, or the exception for the error.
    fn or_raise(self) -> PyResult<T>;
}

impl<T, E: Into<Error>> Raise<T> for std::result::Result<T, E> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(|error| exception(error.into()))
    }
}

/// Returns the exception for an error.
pub(crate) fn exception(error: Error) -> PyErr {
    Python::attach(|py| match raised_by_python(py, &error) {
        Some(original) => original,
        None => build(py, &error).unwrap_or_else(|failure| failure),
    })
}

/// Returns the exception that Python code raised, if that caused the error.
fn raised_by_python(py: Python<'_>, error: &Error) -> Option<PyErr> {
    match error.kind() {
        ErrorKind::Io(error) => Some(error.get_ref()?.downcast_ref::<PyErr>()?.clone_ref(py)),
        // A stream passes on the text of an exception alone.
        ErrorKind::Arrow(ArrowError::CDataInterface(text)) => {
            let interrupted = text.trim_end().ends_with("KeyboardInterrupt");
            interrupted.then(|| PyKeyboardInterrupt::new_err(()))
        }
        _ => None,
    }
}

fn build(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    let location = error.location();
    let keywords = PyDict::new(py);
    keywords.set_item("file", &location.file)?;
    keywords.set_item("column", &location.column)?;
    keywords.set_item("block", location.block)?;
    keywords.set_item("chunk", location.chunk)?;
    keywords.set_item("offset", location.offset)?;
    if let ErrorKind::Io(io) = error.kind()
        && let Some(number) = io.raw_os_error()
    {
        keywords.set_item("errno", number)?;
    }
    let class = py.import("trevni.errors")?.getattr(class_of(error.kind()))?;
    Ok(PyErr::from_value(class.call((error.to_string(),), Some(&keywords))?))
}

fn class_of(kind: &ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Io(error) if error.kind() == std::io::ErrorKind::NotFound => "NotFoundError",
        ErrorKind::Io(error) if error.kind() == std::io::ErrorKind::AlreadyExists => "ExistsError",
        ErrorKind::Io(_) => "StorageError",
        ErrorKind::Checksum { .. } => "ChecksumError",
        ErrorKind::Truncated { .. } | ErrorKind::Malformed(_) => "DataError",
        ErrorKind::Unsupported(_) => "UnsupportedError",
        ErrorKind::TooLarge { .. } => "LimitError",
        _ => "ArgumentError",
    }
}

/// Returns an error as an object that can be kept in a list.
pub(crate) fn object(py: Python<'_>, error: &Error) -> PyResult<Py<PyAny>> {
    build(py, error)?.into_value(py).into_py_any(py)
}
