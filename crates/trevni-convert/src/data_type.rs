//! Kinds of Arrow types that have several layouts.

use arrow::datatypes::{DataType, FieldRef};

/// Returns whether values are text, perhaps in a dictionary or in runs.
#[cfg(any(feature = "csv", feature = "json"))]
pub(crate) fn is_text(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => is_text(values),
        DataType::RunEndEncoded(_, values) => is_text(values.data_type()),
        other => other.is_string(),
    }
}

/// Returns the item of any kind of list; `None` for other types.
pub(crate) fn list_item(data_type: &DataType) -> Option<&FieldRef> {
    match data_type {
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _) => Some(item),
        _ => None,
    }
}
