//! Writes record batches to an object in a store.
//!
//! ```text
//! write    ArrowWriter: blocks wait in memory, and beyond the budget in a temporary file
//! finish   FileChunks ──► ObjectWriter: one put, or parts
//! ```
//! A file's header comes first and is known last, so nothing is sent before the end. The name is that of
//! `parquet::arrow::async_writer`.

use std::io::Sink;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;

use super::arrow_writer::ArrowWriter;
use super::properties::WriterProperties;
use crate::error::{Error, Result};
use crate::object_store::ObjectWriter;
use crate::write::file_chunks::FileChunks;
use crate::write::file_summary::FileSummary;

/// Writes record batches of one schema to a Trevni file in a store. The file appears complete or not at all: if
/// [`finish`](Self::finish) fails or is dropped before its end, the parts that were sent are removed, as far as
/// [`ObjectWriter`] can.
///
/// ```
/// use std::sync::Arc;
/// use arrow::array::{ArrayRef, Int64Array, RecordBatch};
/// use object_store::memory::InMemory;
/// use trevni::arrow::AsyncArrowWriter;
/// use trevni::object_store::ObjectWriter;
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let ids: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
/// let batch = RecordBatch::try_from_iter([("id", ids)])?;
/// let object = ObjectWriter::new(Arc::new(InMemory::new()), "ids.trv".into());
/// let mut writer = AsyncArrowWriter::try_new(object.with_refuse_existing(true), batch.schema(), None)?;
/// writer.write(&batch).await?;
/// assert_eq!(writer.finish().await?.rows, 3);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct AsyncArrowWriter {
    /// Until the end.
    writer: Option<ArrowWriter<Sink>>,
    object: ObjectWriter,
    schema: SchemaRef,
}

impl AsyncArrowWriter {
    /// Starts a file. Without properties it gets the default ones.
    pub fn try_new(
        object: ObjectWriter,
        schema: SchemaRef,
        properties: Option<WriterProperties>,
    ) -> Result<Self> {
        let writer = ArrowWriter::try_new(std::io::sink(), schema.clone(), properties)?;
        Ok(Self { writer: Some(writer), object, schema })
    }

    /// Returns the schema of the batches.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Appends a batch, whose columns have the types of the schema. After an error nothing of it is appended. It is
    /// encoded here and now; nothing is sent.
    pub async fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        self.open()?.write(batch)
    }

    /// Sets a pair of the file's metadata, as [`ArrowWriter`] does.
    pub fn append_key_value_metadata(
        &mut self,
        key: impl Into<String>,
        value: impl Into<Vec<u8>>,
    ) -> Result<()> {
        self.open()?.append_key_value_metadata(key, value)
    }

    /// Returns the bytes held in memory.
    pub fn memory_size(&self) -> usize {
        self.writer.as_ref().map_or(0, ArrowWriter::memory_size)
    }

    /// Returns the rows written so far.
    pub fn rows(&self) -> u64 {
        self.writer.as_ref().map_or(0, ArrowWriter::rows)
    }

    /// Writes the file. Returns its size. A second call is an error.
    pub async fn finish(&mut self) -> Result<FileSummary> {
        self.open()?;
        let (_, mut chunks) = match self.writer.take() {
            Some(writer) => writer.into_chunks()?,
            None => return Err(ended()),
        };
        self.object.expect(chunks.summary().bytes);
        if let Err(e) = self.send(&mut chunks).await {
            // The upload has been aborted, unless the temporary file cannot be read.
            let _ = self.object.abort().await;
            return Err(e);
        }
        Ok(chunks.summary().clone())
    }

    async fn send(&mut self, chunks: &mut FileChunks) -> Result<()> {
        for chunk in chunks {
            self.object.put(chunk?).await?;
        }
        self.object.finish().await.map(|_| ())
    }

    /// Writes the file.
    pub async fn close(mut self) -> Result<FileSummary> {
        self.finish().await
    }

    fn open(&mut self) -> Result<&mut ArrowWriter<Sink>> {
        self.writer.as_mut().ok_or_else(ended)
    }
}

fn ended() -> Error {
    Error::invalid("the file has been written")
}
