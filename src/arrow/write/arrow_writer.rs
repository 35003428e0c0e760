//! Writes record batches to a file.
//!
//! ```text
//! try_new    schema -> plan -> columns           close    header, columns
//! write      lower, shred, FileWriter::write     nothing reaches the writer below before close
//! ```

use std::io::Write;

use arrow::array::{RecordBatch, RecordBatchWriter};
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;

use super::batch_schema::conform;
use super::enabled_columns;
use super::properties::WriterProperties;
use super::shred::shred_batch;
use crate::arrow::schema::stored::{self, SchemaPlan};
use crate::arrow::stats::sorting::Sorted;
use crate::error::{Error, Result};
use crate::format::column_metadata::ColumnMetadata;
use crate::format::metadata::Metadata;
use crate::write::file_chunks::FileChunks;
use crate::write::file_summary::FileSummary;
use crate::write::file_writer::FileWriter;

/// Writes record batches of one schema to a Trevni file.
///
/// Nothing is written to the underlying writer before [`finish`](Self::finish), [`close`](Self::close) or
/// [`into_inner`](Self::into_inner). A writer that is dropped writes nothing. With an
/// [`AtomicFile`](crate::io::AtomicFile) the file appears complete or not at all:
///
/// ```
/// use std::sync::Arc;
/// use arrow::array::{ArrayRef, Int64Array, RecordBatch};
/// use trevni::arrow::{ArrowReaderBuilder, ArrowWriter};
/// use trevni::io::AtomicFile;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("ids.trv");
/// let ids: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
/// let batch = RecordBatch::try_from_iter([("id", ids)])?;
/// let mut writer = ArrowWriter::try_new(AtomicFile::create_new(&path)?, batch.schema(), None)?;
/// writer.write(&batch)?;
/// let (file, _) = writer.finish()?;
/// file.commit()?;
///
/// let rows = ArrowReaderBuilder::try_new(std::fs::File::open(&path)?)?.rows();
/// assert_eq!(rows, 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ArrowWriter<W> {
    file: FileWriter<W>,
    planning: SchemaPlan,
    /// Which columns take slots.
    slots: Vec<bool>,
    sorted: Sorted,
}

impl<W: Write + Send> ArrowWriter<W> {
    /// Starts a file. Without properties it gets the default ones.
    pub fn try_new(
        writer: W,
        schema: SchemaRef,
        properties: Option<WriterProperties>,
    ) -> Result<Self> {
        let properties = properties.unwrap_or_default().for_fields(schema.fields());
        let mut metadata = Metadata::new();
        let mut planning = {
            let joins = |_, name: &str| properties.is_packed(name);
            stored::plan(&schema, properties.layout(), &joins, &mut metadata)?
        };
        let typed = properties.set_column_types(&mut planning.plan)?;
        let columns = planning.plan.columns.iter().map(|planned| planned.metadata.clone());
        let mut columns: Vec<ColumnMetadata> = columns.collect();
        properties.set_column_codecs(&mut columns)?;
        enabled_columns::ask(&properties, &planning, &mut columns)?;
        let sorted = Sorted::new(properties.sorting_columns(), &schema)?;
        sorted.note(&planning, &mut columns, &mut metadata)?;
        let slots = columns.iter().map(|column| properties.is_packed(column.name())).collect();
        let file = properties.file_writer().set_typed_columns(typed).build(writer, columns)?;
        let mut writer = Self { file, planning, slots, sorted };
        for (key, value) in properties.metadata().iter() {
            writer.append_key_value_metadata(key, value)?;
        }
        for (key, value) in metadata.iter() {
            writer.file.metadata_mut().set(key, value)?;
        }
        Ok(writer)
    }

    /// Returns the schema of the batches.
    pub fn schema(&self) -> &SchemaRef {
        &self.planning.schema
    }

    /// Appends a batch.
    ///
    /// Its columns have the names of the schema, in the same order, and its types. Text and binary columns may be
    /// of any string or binary type, or dictionaries of them: they are cast. If the writer has [sorting
    /// columns](super::properties::WriterPropertiesBuilder::set_sorting_columns), the rows must be sorted by them.
    ///
    /// # Errors
    /// If the batch does not match the schema or is not sorted. Nothing of it is appended then.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let batch = conform(batch, &self.planning.schema)?;
        let batch = batch.as_ref();
        let columns = shred_batch(&self.planning, &self.slots, batch)?;
        let slices: Vec<_> = columns.iter().map(|column| column.as_slice()).collect();
        self.sorted.check(batch)?;
        self.file.write(batch.num_rows(), &slices)?;
        self.sorted.push(batch);
        Ok(())
    }

    /// Sets a pair of the file's metadata. Keys that start `trevni.` or `arrow.`, and those of the schemas, are
    /// refused.
    pub fn append_key_value_metadata(
        &mut self,
        key: impl Into<String>,
        value: impl Into<Vec<u8>>,
    ) -> Result<()> {
        let key = key.into();
        if stored::is_own_key(&key) {
            return Err(Error::invalid(format!("metadata key {key:?} is reserved")));
        }
        self.file.metadata_mut().set(key, value)
    }

    /// Returns a reference to the writer below. Nothing is written to it before the file is finished.
    pub fn inner(&self) -> &W {
        self.file.inner()
    }

    /// Returns the bytes held in memory.
    pub fn memory_size(&self) -> usize {
        self.file.memory_size()
    }

    /// Returns the bytes of blocks that are complete, in memory and in the temporary file.
    pub fn bytes_written(&self) -> u64 {
        self.file.bytes_written()
    }

    /// Returns the rows written so far.
    pub fn rows(&self) -> u64 {
        self.file.rows()
    }

    /// Writes the file. Returns the underlying writer and the size of the file.
    pub fn finish(self) -> Result<(W, FileSummary)> {
        self.file.finish()
    }

    /// Returns the bytes of the file, of which none are written.
    pub fn into_chunks(self) -> Result<(W, FileChunks)> {
        self.file.into_chunks()
    }

    /// Writes the file.
    pub fn close(self) -> Result<FileSummary> {
        Ok(self.finish()?.1)
    }

    /// Writes the file. Returns what it was written to.
    pub fn into_inner(self) -> Result<W> {
        Ok(self.finish()?.0)
    }
}

impl<W: Write + Send> RecordBatchWriter for ArrowWriter<W> {
    fn write(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        Ok(ArrowWriter::write(self, batch)?)
    }

    fn close(self) -> Result<(), ArrowError> {
        ArrowWriter::close(self)?;
        Ok(())
    }
}

impl<W> std::fmt::Debug for ArrowWriter<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ArrowWriter").field("file", &self.file).finish_non_exhaustive()
    }
}
