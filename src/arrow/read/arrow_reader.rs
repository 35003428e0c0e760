//! Reads the record batches of a file.
//!
//! ```text
//! try_new    header -> schema, plan
//! build      projection, rows, predicates ──► batch reader       on one thread
//!                                         └─► parallel reader    on several: a batch reader on each
//! ```

use arrow::array::{RecordBatch, RecordBatchReader};
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;

use super::batch_reader::BatchReader;
use super::parallel_reader::ParallelReader;
use crate::error::Result;
use crate::io::ReadAt;

/// A reader of record batches. It ends after the first error.
pub struct ArrowReader<R> {
    pub(super) schema: SchemaRef,
    pub(super) mode: ReadMode<R>,
}

/// How batches are read.
pub(super) enum ReadMode<R> {
    Serial(Box<BatchReader<R>>),
    Parallel(Box<ParallelReader>),
    Ended,
}

impl<R> ArrowReader<R> {
    /// Returns the schema of the batches, after projection.
    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

impl<R: ReadAt> ArrowReader<R> {
    pub(super) fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        match &mut self.mode {
            ReadMode::Serial(reader) => reader.next_batch(),
            ReadMode::Parallel(reader) => reader.next_batch(),
            ReadMode::Ended => Ok(None),
        }
    }
}

impl<R: ReadAt> Iterator for ArrowReader<R> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.next_batch();
        if batch.is_err() {
            self.mode = ReadMode::Ended;
        }
        batch.map_err(ArrowError::from).transpose()
    }
}

impl<R: ReadAt> RecordBatchReader for ArrowReader<R> {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

impl<R> std::fmt::Debug for ArrowReader<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ArrowReader").field("schema", &self.schema).finish_non_exhaustive()
    }
}
