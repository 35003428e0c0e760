//! The names of Arrow types.

use arrow::datatypes::{DataType, FieldRef};

/// Returns the name of a type, without those of the fields within.
pub(crate) fn type_name(data_type: &DataType) -> String {
    type_and_children(data_type).0
}

/// Returns the name of a type, and the fields within.
pub(crate) fn type_and_children(data_type: &DataType) -> (String, Vec<FieldRef>) {
    match data_type {
        DataType::Struct(fields) => ("Struct".into(), fields.to_vec()),
        DataType::List(item) => ("List".into(), vec![item.clone()]),
        DataType::LargeList(item) => ("LargeList".into(), vec![item.clone()]),
        DataType::ListView(item) => ("ListView".into(), vec![item.clone()]),
        DataType::LargeListView(item) => ("LargeListView".into(), vec![item.clone()]),
        DataType::FixedSizeList(item, n) => (format!("FixedSizeList({n})"), vec![item.clone()]),
        DataType::Map(entries, _) => match entries.data_type() {
            DataType::Struct(fields) => ("Map".into(), fields.to_vec()),
            _ => ("Map".into(), vec![entries.clone()]),
        },
        DataType::Union(fields, mode) => {
            (format!("Union({mode:?})"), fields.iter().map(|(_, field)| field.clone()).collect())
        }
        other => (other.to_string(), Vec::new()),
    }
}
