//! View types, dictionaries and the types with offsets.
//!
//! ```text
//! Utf8, LargeUtf8       ──► Utf8View   ──► Utf8          top-level fields only
//! Binary, LargeBinary   ──► BinaryView ──► Binary
//! Utf8, ...             ──► Dictionary<Int32, Utf8>, ...
//! ```

use arrow::datatypes::{DataType, Field, FieldRef, Schema};

/// Returns a schema whose text and binary fields are views: those of its own, not those of structs and lists. This is
/// the schema that [`with_view_types`](crate::arrow::ArrowReaderOptions::with_view_types) reads into.
///
/// ```
/// use arrow::datatypes::{DataType, Field, Schema};
///
/// let schema = Schema::new(vec![Field::new("name", DataType::Utf8, true)]);
/// assert_eq!(trevni::arrow::with_view_types(&schema).field(0).data_type(), &DataType::Utf8View);
/// ```
pub fn with_view_types(schema: &Schema) -> Schema {
    with_types(schema, |data_type| view_of(data_type).filter(|view| view != data_type))
}

/// Returns the view type of text or binary data.
pub(crate) fn view_of(data_type: &DataType) -> Option<DataType> {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Some(DataType::Utf8View),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => {
            Some(DataType::BinaryView)
        }
        _ => None,
    }
}

/// Returns a schema whose text and binary fields are dictionaries with 32-bit keys: those of its own, not those of
/// structs and lists. This is the schema that
/// [`with_dictionaries`](crate::arrow::ArrowReaderOptions::with_dictionaries) reads into.
///
/// ```
/// use arrow::datatypes::{DataType, Field, Schema};
///
/// let schema = Schema::new(vec![Field::new("name", DataType::Utf8, true)]);
/// let of = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
/// assert_eq!(trevni::arrow::with_dictionaries(&schema).field(0).data_type(), &of);
/// ```
pub fn with_dictionaries(schema: &Schema) -> Schema {
    with_types(schema, |data_type| {
        view_of(data_type)?;
        Some(DataType::Dictionary(Box::new(DataType::Int32), Box::new(data_type.clone())))
    })
}

/// The types that text and binary data of a file are read into.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum OutputTypes {
    /// Those of the schema.
    #[default]
    AsStored,
    Views,
    Dictionaries,
}

impl OutputTypes {
    pub(crate) fn of(self, schema: Schema) -> Schema {
        match self {
            OutputTypes::AsStored => schema,
            OutputTypes::Views => with_view_types(&schema),
            OutputTypes::Dictionaries => with_dictionaries(&schema),
        }
    }
}

/// Returns a schema with `Utf8` and `Binary` in place of views: that of a file whose readers choose whether to read
/// views. [`ArrowWriter`](crate::arrow::ArrowWriter) takes batches with views for it.
///
/// ```
/// use arrow::datatypes::{DataType, Field, Schema};
///
/// let schema = Schema::new(vec![Field::new("name", DataType::Utf8View, true)]);
/// assert_eq!(trevni::arrow::without_view_types(&schema).field(0).data_type(), &DataType::Utf8);
/// ```
pub fn without_view_types(schema: &Schema) -> Schema {
    with_types(schema, |data_type| match data_type {
        DataType::Utf8View => Some(DataType::Utf8),
        DataType::BinaryView => Some(DataType::Binary),
        _ => None,
    })
}

fn with_types(schema: &Schema, other: fn(&DataType) -> Option<DataType>) -> Schema {
    let field = |field: &FieldRef| match other(field.data_type()) {
        Some(data_type) => Field::clone(field).with_data_type(data_type).into(),
        None => field.clone(),
    };
    let fields: Vec<FieldRef> = schema.fields().iter().map(field).collect();
    Schema::new_with_metadata(fields, schema.metadata().clone())
}
