//! The schema of files that SQL writes.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};

/// Returns a schema with strings and bytes in place of views: whether views are read is a setting of the session, and no
/// property of a file.
pub fn stored_schema(schema: &Schema) -> SchemaRef {
    let stored = |field: &FieldRef| {
        let data_type = match field.data_type() {
            DataType::Utf8View => DataType::Utf8,
            DataType::BinaryView => DataType::Binary,
            _ => return field.clone(),
        };
        Field::clone(field).with_data_type(data_type).into()
    };
    let fields: Vec<FieldRef> = schema.fields().iter().map(stored).collect();
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}
