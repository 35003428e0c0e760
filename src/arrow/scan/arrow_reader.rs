//! Reads the record batches of a file.

use arrow::array::{RecordBatch, RecordBatchReader};
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;

use super::ordered_scan::OrderedScan;
use crate::io::ReadAt;

/// A reader of record batches. It ends after the first error.
///
/// An error is a [`trevni::Error`](crate::Error) within an [`ArrowError::ExternalError`]: `Error::from` takes it out.
pub struct ArrowReader<R> {
    schema: SchemaRef,
    /// `None` at the end and after an error.
    scan: Option<OrderedScan<R>>,
}

impl<R> ArrowReader<R> {
    pub(crate) fn new(schema: SchemaRef, scan: OrderedScan<R>) -> Self {
        Self { schema, scan: Some(scan) }
    }

    /// Returns the schema of the batches, after projection.
    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

impl<R: ReadAt + 'static> Iterator for ArrowReader<R> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.scan.as_mut()?.next_batch();
        if !matches!(batch, Ok(Some(_))) {
            self.scan = None;
        }
        batch.map_err(ArrowError::from).transpose()
    }
}

impl<R: ReadAt + 'static> RecordBatchReader for ArrowReader<R> {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

impl<R> std::fmt::Debug for ArrowReader<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ArrowReader").field("schema", &self.schema).finish_non_exhaustive()
    }
}
