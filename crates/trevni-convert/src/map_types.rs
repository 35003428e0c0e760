//! Replaces types, at any depth.
//!
//! ```text
//! Struct<a: List<T>, b: U>   T ──► V   Struct<a: List<V>, b: U>
//! ```

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef, Schema};

/// Returns a schema with other types: those that `of` returns, or else the same with the types inside replaced.
pub(super) fn map_schema(schema: &Schema, of: fn(&DataType) -> Option<DataType>) -> Schema {
    let fields = schema.fields().iter().map(|field| map_field(field, of)).collect::<Vec<_>>();
    Schema::new_with_metadata(fields, schema.metadata().clone())
}

/// Returns a field with another type, as [`map_schema`] does.
pub(super) fn map_field(field: &FieldRef, of: fn(&DataType) -> Option<DataType>) -> FieldRef {
    let data_type = map_type(field.data_type(), of);
    match data_type == *field.data_type() {
        true => field.clone(),
        false => Arc::new(Field::clone(field).with_data_type(data_type)),
    }
}

fn map_type(data_type: &DataType, of: fn(&DataType) -> Option<DataType>) -> DataType {
    if let Some(other) = of(data_type) {
        return other;
    }
    let inner = |field: &FieldRef| map_field(field, of);
    match data_type {
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(inner).collect()),
        DataType::List(item) => DataType::List(inner(item)),
        DataType::LargeList(item) => DataType::LargeList(inner(item)),
        DataType::FixedSizeList(item, size) => DataType::FixedSizeList(inner(item), *size),
        DataType::Map(entries, sorted) => DataType::Map(inner(entries), *sorted),
        DataType::RunEndEncoded(ends, values) => {
            DataType::RunEndEncoded(ends.clone(), inner(values))
        }
        DataType::Dictionary(keys, values) => {
            DataType::Dictionary(keys.clone(), Box::new(map_type(values, of)))
        }
        other => other.clone(),
    }
}

/// Returns the type of the values of runs, for types whose runs are stored value by value.
#[cfg(feature = "parquet")]
pub(super) fn value_of_runs(data_type: &DataType) -> Option<DataType> {
    match data_type {
        DataType::RunEndEncoded(_, values) => Some(map_type(values.data_type(), value_of_runs)),
        DataType::ListView(item) => Some(DataType::ListView(map_field(item, value_of_runs))),
        DataType::LargeListView(item) => {
            Some(DataType::LargeListView(map_field(item, value_of_runs)))
        }
        _ => None,
    }
}
