//! Data sets in a store, with blocking requests.

use std::sync::Arc;

use ::object_store::ObjectStore;
use ::object_store::path::Path;
use arrow::array::{RecordBatch, RecordBatchReader};
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use futures_util::TryStreamExt;
use tokio::runtime::Handle;

use super::super::source::StoredObject;
use super::super::{ReadOptions, Rows, Sink, WriteOptions};
use super::{chosen, counted, is_count, properties, there};
use trevni::dataset::{AsyncDatasetWriter, Dataset, DatasetStream};
use trevni::{Error, ErrorKind, Result};

pub(super) fn open(prefix: StoredObject, options: &ReadOptions) -> Result<Rows> {
    let table = prefix.wait(Dataset::open_in(prefix.store.clone(), prefix.path.clone()))?;
    if is_count(options) {
        return counted(&table);
    }
    let stream = chosen(table.scan(), options).stream()?;
    Ok(Box::new(BlockingStream { prefix, stream }))
}

struct BlockingStream {
    prefix: StoredObject,
    stream: DatasetStream,
}

impl Iterator for BlockingStream {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.prefix.wait(self.stream.try_next());
        next.map_err(ArrowError::from).transpose()
    }
}

impl RecordBatchReader for BlockingStream {
    fn schema(&self) -> SchemaRef {
        self.stream.schema().clone()
    }
}

/// Starts a data set below a prefix, as [`CreateAt`](crate::CreateAt) does in a folder. Writing blocks the calling
/// thread, so other threads must drive the runtime.
pub fn dataset_in_store(
    (store, path): (Arc<dyn ObjectStore>, Path),
    runtime: Handle,
    replace: bool,
    schema: SchemaRef,
    options: &WriteOptions,
) -> Result<Box<dyn Sink>> {
    if !replace && !options.dataset.append {
        match runtime.block_on(Dataset::open_in(store.clone(), path.clone())) {
            Ok(_) => return Err(there(path.as_ref())),
            Err(e) if is_missing(&e) => {}
            Err(e) => return Err(e),
        }
    }
    let properties = properties(replace, &schema, options);
    let replaced = replace.then(|| (store.clone(), path.clone()));
    let writer = AsyncDatasetWriter::try_new(store, path, schema, properties);
    let writer = runtime.block_on(writer)?;
    Ok(Box::new(Below { runtime, writer, replaced, ended: false }))
}

fn is_missing(e: &Error) -> bool {
    matches!(e.kind(), ErrorKind::Io(e) if e.kind() == std::io::ErrorKind::NotFound)
}

struct Below {
    runtime: Handle,
    writer: AsyncDatasetWriter,
    /// Where it is, if what it held is to be removed.
    replaced: Option<(Arc<dyn ObjectStore>, Path)>,
    ended: bool,
}

impl Sink for Below {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        self.runtime.block_on(self.writer.write(batch))
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        self.runtime.clone().block_on(self.writer.finish())?;
        self.ended = true;
        if let Some((store, path)) = self.replaced.take() {
            self.runtime.block_on(Dataset::remove_replaced_in(store, path))?;
        }
        Ok(())
    }
}

impl Drop for Below {
    /// Removes the files that were not committed.
    fn drop(&mut self) {
        if !self.ended {
            let _ = self.runtime.clone().block_on(self.writer.abort());
        }
    }
}
