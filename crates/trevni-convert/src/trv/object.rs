//! Reads a Trevni file in a store, fetching the needed ranges only.

use std::sync::atomic::{AtomicU64, Ordering};

use arrow::array::{RecordBatch, RecordBatchReader};
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use futures_util::TryStreamExt;

use super::{ReadOptions, Rows, mask};
use crate::source::{StoredObject, is_unsupported};
use trevni::Result;
use trevni::arrow::{ArrowStream, ArrowStreamBuilder};

/// Opens a file; `None` if its store does not support range requests.
pub(super) fn open(
    object: StoredObject,
    options: &ReadOptions,
    taken: &AtomicU64,
) -> Result<Option<Rows>> {
    let opened = ArrowStreamBuilder::new(object.store.clone(), object.path.clone());
    let mut builder = match object.wait(opened) {
        Err(e) if is_unsupported(&e) => return Ok(None),
        builder => builder?,
    };
    taken.store(builder.file().file_len(), Ordering::Relaxed);
    if let Some(mask) = mask(options, builder.schema())? {
        builder = builder.with_projection(mask);
    }
    if let Some(rows) = &options.rows {
        builder = builder.with_row_range(rows.clone());
    }
    if let Some(predicate) = &options.predicate {
        builder = builder.with_predicate(predicate.clone());
    }
    if let Some(limit) = options.limit {
        builder = builder.with_limit(limit);
    }
    let builder = builder.with_batch_size(options.batch_size).with_limits(options.limits);
    let stream = builder.build()?;
    Ok(Some(Box::new(BlockingReader { object, stream })))
}

/// A stream, for those who wait for each batch.
struct BlockingReader {
    object: StoredObject,
    stream: ArrowStream,
}

impl Iterator for BlockingReader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.object.wait(self.stream.try_next());
        next.map_err(ArrowError::from).transpose()
    }
}

impl RecordBatchReader for BlockingReader {
    fn schema(&self) -> SchemaRef {
        self.stream.schema().clone()
    }
}
