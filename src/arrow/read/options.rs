//! Options for opening a file: the schema, and limits.
//!
//! ```text
//! ARROW:schema │ avro.schema │ columns      the first that exists, unless a schema is given or the first is skipped
//! ```

use arrow::datatypes::SchemaRef;

use crate::arrow::schema::stored::SchemaSource;
use crate::io::Limits;

/// How a file is opened.
#[derive(Debug, Clone, Default)]
pub struct ArrowReaderOptions {
    pub(crate) wanted: SchemaSource,
    pub(crate) view_types: bool,
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
        self.view_types = view_types;
        self
    }

    /// Sets the limits on the memory that the reader may use.
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}
