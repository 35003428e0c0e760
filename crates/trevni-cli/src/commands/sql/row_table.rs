//! Files of rows as a table.
//!
//! ```text
//! open    the schema, or for a pipe the rows
//! scan    the files are opened again ──► columns of the projection ──► batches
//! ```

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use arrow::array::{RecordBatch, RecordBatchReader};
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use datafusion::error::{DataFusionError, Result};
use trevni_convert::Rows;
use trevni_datafusion::{ReaderScan, ReaderTable};

use super::error::external;
use crate::exit::CliError;
use crate::input::path::PIPE;
use crate::input::rows::{Opened, ReadArgs, batch_fault, tell_report};

/// Opens an input as a table.
pub(super) fn open(mut read: ReadArgs, path: PathBuf) -> Result<ReaderTable, CliError> {
    let is_file = path.is_file() || path.is_dir();
    let is_pipe = path.as_os_str() == PIPE || path.exists() && !is_file;
    let inputs = [path];
    let opened = read.open_all(&inputs)?;
    let schema = opened.rows.schema();
    if is_pipe {
        // A pipe is opened once.
        let name = opened.name.clone();
        let rows = Mutex::new(Some(opened));
        return Ok(ReaderTable::new(&schema, move |_| {
            let opened = rows.lock().unwrap_or_else(PoisonError::into_inner).take();
            let used = || DataFusionError::Execution(format!("{name} can be read once"));
            Ok(Box::new(InputRows(opened.ok_or_else(used)?)))
        }));
    }
    read.inferred = Some(schema.clone());
    Ok(ReaderTable::new(&schema, move |scan| {
        let opened = scanned(&read, scan).open_all(&inputs).map_err(external)?;
        Ok(Box::new(InputRows(opened)))
    }))
}

/// Returns the arguments that read what a scan needs.
fn scanned(read: &ReadArgs, scan: &ReaderScan) -> ReadArgs {
    let mut read = read.clone();
    read.columns = Some(scan.columns.clone());
    if let Some(limit) = scan.limit {
        read.limit_to(limit);
    }
    read
}

/// The rows of an input, whose errors have its name.
struct InputRows(Opened);

impl Iterator for InputRows {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.0.rows.next() {
            Some(batch) => Some(batch.map_err(|e| {
                ArrowError::ExternalError(batch_fault(&self.0.name, e).text().into())
            })),
            None => {
                tell_report(&self.0.report);
                None
            }
        }
    }
}

impl RecordBatchReader for InputRows {
    fn schema(&self) -> SchemaRef {
        Rows::schema(&self.0.rows)
    }
}
