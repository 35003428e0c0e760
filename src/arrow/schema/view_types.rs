//! View types in place of the types with offsets.
//!
//! ```text
//! Utf8, LargeUtf8       Utf8View          top-level fields only
//! Binary, LargeBinary   BinaryView
//! ```

use arrow::datatypes::{DataType, Field, FieldRef, Schema};

/// Returns a schema whose text and binary fields are views: those of its own, not those of structs and lists. This is the
/// schema that [`with_view_types`](crate::arrow::ArrowReaderOptions::with_view_types) reads into.
///
/// ```
/// use arrow::datatypes::{DataType, Field, Schema};
///
/// let schema = Schema::new(vec![Field::new("name", DataType::Utf8, true)]);
/// assert_eq!(trevni::arrow::with_view_types(&schema).field(0).data_type(), &DataType::Utf8View);
/// ```
pub fn with_view_types(schema: &Schema) -> Schema {
    let viewed = |field: &FieldRef| {
        let data_type = match field.data_type() {
            DataType::Utf8 | DataType::LargeUtf8 => DataType::Utf8View,
            DataType::Binary | DataType::LargeBinary => DataType::BinaryView,
            _ => return field.clone(),
        };
        Field::clone(field).with_data_type(data_type).into()
    };
    let fields: Vec<FieldRef> = schema.fields().iter().map(viewed).collect();
    Schema::new_with_metadata(fields, schema.metadata().clone())
}
