//! The interface of a measured format.

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use bytes::Bytes;

use super::Result;
use super::filter::Filter;

/// A measured read.
#[derive(Debug, Clone, Copy)]
pub(super) enum Request<'a> {
    All,
    /// One column, by its index.
    Column(usize),
    /// Single rows, ascending.
    Rows(&'a [usize]),
    /// The rows that a filter keeps.
    Filter(&'a Filter),
}

/// Takes each batch that is read.
pub(super) type Sink<'a> = dyn FnMut(RecordBatch) -> Result<()> + 'a;

/// The interface of a measured format.
pub(super) trait Format {
    fn write(&self, schema: &SchemaRef, batches: &[RecordBatch]) -> Result<Vec<u8>>;

    /// Opens the file and reads.
    fn read(&self, file: &Bytes, request: Request<'_>, sink: &mut Sink<'_>) -> Result<()>;
}

/// A format with its compression.
pub(super) struct Config {
    pub(super) name: &'static str,
    pub(super) format: Box<dyn Format>,
}
