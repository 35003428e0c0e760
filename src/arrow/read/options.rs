//! Options for opening a file: the schema, and limits.
//!
//! ```text
//! ARROW:schema │ avro.schema │ columns      the first that exists, unless a schema is given or the first is skipped
//! ```

use arrow::datatypes::SchemaRef;

use crate::arrow::schema::stored::SchemaSource;
use crate::arrow::schema::view_types::OutputTypes;
use crate::io::Limits;

/// How a file is opened.
#[derive(Debug, Clone, Default)]
pub struct ArrowReaderOptions {
    pub(crate) wanted: SchemaSource,
    pub(crate) types: OutputTypes,
    pub(crate) limits: Limits,
}

impl ArrowReaderOptions {
    /// Creates the default options.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets whether to pass over the Arrow schema in the file, and take types from its Avro schema or its columns.
    pub fn with_skip_arrow_metadata(mut self, skip: bool) -> Self {
        self.wanted = if skip { SchemaSource::Columns } else { SchemaSource::Stored };
        self
    }

    /// Sets the schema to read into, instead of the one in the file: its columns must be those of the file, so that
    /// text is read as `Utf8View`, or an int64 as a timestamp.
    pub fn with_schema(mut self, schema: SchemaRef) -> Self {
        self.wanted = SchemaSource::Given(schema);
        self
    }

    /// Sets whether text and binary fields are read as `Utf8View` and `BinaryView`, as far as
    /// [`with_view_types`](crate::arrow::with_view_types) says. Values of a dictionary are then not copied, and short
    /// ones are compared without a look at other memory. Default: false.
    pub fn with_view_types(mut self, view_types: bool) -> Self {
        self.types = if view_types { OutputTypes::Views } else { OutputTypes::AsStored };
        self
    }

    /// Sets whether text and binary fields are read as dictionaries, as far as
    /// [`with_dictionaries`](crate::arrow::with_dictionaries) says. It replaces
    /// [`with_view_types`](Self::with_view_types). Default: false.
    ///
    /// Where a value codec stores blocks as dictionaries, their codes are the keys: the values of a batch are the
    /// entries of its blocks, of which some may be unused, and two blocks may have the same. If these are more than
    /// half as many as the rows, and in other blocks, equal rows of a batch have the same key, in the order of the rows.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use arrow::array::{ArrayRef, AsArray, RecordBatch, StringArray};
    /// # use arrow::datatypes::Int32Type;
    /// # use trevni::arrow::ArrowWriter;
    /// use trevni::arrow::{ArrowReaderBuilder, ArrowReaderOptions};
    ///
    /// # let names: ArrayRef = Arc::new(StringArray::from(vec!["a", "b", "a"]));
    /// # let batch = RecordBatch::try_from_iter([("name", names)])?;
    /// # let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None)?;
    /// # writer.write(&batch)?;
    /// # let file = bytes::Bytes::from(writer.finish()?.0);
    /// let options = ArrowReaderOptions::new().with_dictionaries(true);
    /// let builder = ArrowReaderBuilder::try_new_with_options(file, options)?;
    /// let batch = builder.build()?.next().transpose()?.unwrap();
    /// assert_eq!(batch.column(0).as_dictionary::<Int32Type>().keys().values(), &[0, 1, 0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_dictionaries(mut self, dictionaries: bool) -> Self {
        self.types = if dictionaries { OutputTypes::Dictionaries } else { OutputTypes::AsStored };
        self
    }

    /// Sets the limits on the memory that the reader may use.
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}
