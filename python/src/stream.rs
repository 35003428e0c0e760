//! Readers of batches: in the order of columns that is asked for, from object stores, and as Arrow C streams.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatchIterator, RecordBatchReader, StructArray};
use arrow::datatypes::SchemaRef;
use futures_util::{Stream, StreamExt};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3_arrow::ffi::{ArrayIterator, to_stream_pycapsule};
use trevni::Error;
use trevni::arrow::ColumnPath;

use crate::batch::row_field;
use crate::errors::Result;
use crate::runtime::runtime;

/// A reader on any thread.
pub(crate) type BoxedReader = Box<dyn RecordBatchReader + Send>;

/// Puts the columns into the order that was asked for: files are read in their own.
pub(crate) fn in_order(reader: BoxedReader, columns: Option<&[String]>) -> Result<BoxedReader> {
    let Some(columns) = columns else { return Ok(reader) };
    let schema = reader.schema();
    let mut order: Vec<usize> = Vec::with_capacity(schema.fields().len());
    for name in columns {
        for step in ColumnPath::among(name, schema.fields()).steps(schema.fields()) {
            if !order.contains(&step.index) {
                order.push(step.index);
            }
        }
    }
    if order.len() != schema.fields().len() || order.is_sorted() {
        return Ok(reader);
    }
    let schema = Arc::new(schema.project(&order)?);
    let batches = reader.map(move |batch| batch?.project(&order));
    Ok(Box::new(RecordBatchIterator::new(batches, schema)))
}

/// Hands a reader over as an Arrow C stream.
pub(crate) fn stream_capsule<'py>(
    py: Python<'py>,
    reader: BoxedReader,
    requested_schema: Option<Bound<'py, PyCapsule>>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let field = row_field(&reader.schema());
    let arrays = reader.map(|batch| Ok(Arc::new(StructArray::from(batch?)) as ArrayRef));
    let arrays = Box::new(ArrayIterator::new(arrays, field));
    Ok(to_stream_pycapsule(py, arrays, requested_schema)?)
}

/// Reads a stream of an object store on the caller's thread.
pub(crate) fn blocking<S>(schema: SchemaRef, stream: S) -> Result<BoxedReader>
where
    S: Stream<Item = Result<arrow::array::RecordBatch>> + Send + Unpin + 'static,
{
    let runtime = runtime()?;
    let mut stream = Some(stream);
    let next = move || {
        let batch = runtime.block_on(stream.as_mut()?.next());
        if !matches!(batch, Some(Ok(_))) {
            stream = None;
        }
        batch.map(|batch| batch.map_err(|error: Error| error.into()))
    };
    Ok(Box::new(RecordBatchIterator::new(std::iter::from_fn(next), schema)))
}
