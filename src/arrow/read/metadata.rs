//! The metadata of a file and its schema, to open the file again.
//!
//! ```text
//! load      header, schema ──► ArrowReaderMetadata ──► new_with_metadata, any number of times
//! ```

use std::sync::Arc;

use arrow::datatypes::{Field, SchemaRef};

use super::options::ArrowReaderOptions;
use crate::arrow::schema::stored::{self, SchemaPlan};
use crate::error::Result;
use crate::io::ReadAt;
use crate::read::file_metadata::FileMetadata;

/// The header, the known block tables and the schema of a file: a reader that is created from them reads only the
/// columns. Cheap to clone. The counterpart of `ArrowReaderMetadata` in `parquet`.
///
/// ```
/// # use std::sync::Arc;
/// # use arrow::array::{ArrayRef, Int64Array, RecordBatch};
/// # use trevni::arrow::ArrowWriter;
/// use trevni::arrow::{ArrowReaderBuilder, ArrowReaderMetadata, ArrowReaderOptions};
///
/// # let ids: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
/// # let batch = RecordBatch::try_from_iter([("id", ids)])?;
/// # let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None)?;
/// # writer.write(&batch)?;
/// # let file = bytes::Bytes::from(writer.finish()?.0);
/// let metadata = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new())?;
/// for _ in 0..2 {
///     let builder = ArrowReaderBuilder::new_with_metadata(file.clone(), metadata.clone());
///     assert_eq!(builder.build()?.next().transpose()?, Some(batch.clone()));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct ArrowReaderMetadata {
    pub(crate) file: Arc<FileMetadata>,
    pub(crate) planning: Arc<SchemaPlan>,
}

impl ArrowReaderMetadata {
    /// Reads the header of a file and finds its schema. Limits of the options are not kept.
    pub fn load<R: ReadAt>(source: &R, options: ArrowReaderOptions) -> Result<Self> {
        Self::try_new(Arc::new(FileMetadata::read(source)?), options)
    }

    /// Finds the schema of a file whose header has been read.
    pub fn try_new(file: Arc<FileMetadata>, options: ArrowReaderOptions) -> Result<Self> {
        let header = file.header();
        let ArrowReaderOptions { wanted, types, .. } = options;
        let mut planning = stored::find(&header.metadata, &header.columns, &wanted, types)?;
        planning.read_dictionaries_as_views(|column| {
            header.codec(column).is_ok_and(|codec| codec.is_value_codec())
        });
        Ok(Self { file, planning: Arc::new(planning) })
    }

    /// Returns the header and the known block tables.
    pub fn metadata(&self) -> &Arc<FileMetadata> {
        &self.file
    }

    /// Returns the schema of the file.
    pub fn schema(&self) -> &SchemaRef {
        &self.planning.schema
    }

    /// Returns the approximate number of bytes that this takes in memory.
    pub fn memory_size(&self) -> usize {
        // A field of a schema, its stored form and its layout.
        let field = 3 * size_of::<Field>();
        let fields = self.planning.schema.flattened_fields().len();
        self.file.memory_size().saturating_add(fields.saturating_mul(field))
    }
}
