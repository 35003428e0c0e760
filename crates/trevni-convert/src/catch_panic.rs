//! Converts panics of libraries to errors.
//!
//! ```text
//! library ──► value or error, or panic ──► caught ──► value or error
//! ```
//! Some libraries do not validate all bytes of a file. A reader that panicked is dropped.

use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow::array::{RecordBatch, RecordBatchReader};
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;

use trevni::{Error, Result};

/// Calls a library; `of` converts the message of a panic to an error.
pub(super) fn caught<T>(
    of: impl FnOnce(String) -> Error,
    run: impl FnOnce() -> Result<T>,
) -> Result<T> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(of(text.unwrap_or("no reason given").to_owned()))
    })
}

/// Rows of a library's reader.
pub(super) struct Caught<R> {
    /// None after an error.
    rows: Option<R>,
    schema: SchemaRef,
    of: fn(String) -> Error,
}

impl<R: RecordBatchReader> Caught<R> {
    /// Returns the rows of a reader that is opened here.
    pub(super) fn open(of: fn(String) -> Error, open: impl FnOnce() -> Result<R>) -> Result<Self> {
        caught(of, || {
            let rows = open()?;
            let schema = rows.schema();
            Ok(Self { rows: Some(rows), schema, of })
        })
    }
}

impl<R: RecordBatchReader> Iterator for Caught<R> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let rows = self.rows.as_mut()?;
        let next = caught(self.of, || Ok(rows.next().transpose()?));
        if !matches!(next, Ok(Some(_))) {
            self.rows = None;
        }
        next.map_err(ArrowError::from).transpose()
    }
}

impl<R: RecordBatchReader> RecordBatchReader for Caught<R> {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
