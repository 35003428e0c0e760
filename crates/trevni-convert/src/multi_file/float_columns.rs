//! Integers that are floating-point numbers in another file: types of text files are inferred from each file separately.
//!
//! ```text
//! file 1   a: int64     s: {x: int64}      l: [int64]         all of them are float64 in the table, unless an integer
//! file 2   a: float64   s: {x: float64}    l: [float64]       would lose digits
//! ```

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, FieldRef, Schema};

use trevni::Result;
use trevni::dataset::FileSchema;

/// Returns schemas in which integers are float64 if they are floats in another file.
pub(super) fn with_floats(files: &[FileSchema]) -> Vec<FileSchema> {
    let field = |field: &FieldRef| {
        let fields = files.iter().filter_map(|file| file.schema.field_with_name(field.name()).ok());
        let types: Vec<&DataType> = fields.map(Field::data_type).collect();
        with_type(field, floated(field.data_type(), &types))
    };
    let file = |file: &FileSchema| {
        let fields = file.schema.fields().iter().map(field).collect::<Vec<_>>();
        let schema = Schema::new_with_metadata(fields, file.schema.metadata().clone());
        FileSchema { schema: Arc::new(schema), ..file.clone() }
    };
    files.iter().map(file).collect()
}

fn with_type(field: &FieldRef, data_type: DataType) -> FieldRef {
    match *field.data_type() == data_type {
        true => field.clone(),
        false => Arc::new(Field::clone(field).with_data_type(data_type)),
    }
}

/// Returns the type of a column, given those that it has in all files.
fn floated(one: &DataType, all: &[&DataType]) -> DataType {
    match one {
        one if one.is_integer() || one.is_floating() => {
            let mixed =
                all.iter().any(|one| one.is_floating()) && all.iter().any(|one| one.is_integer());
            if mixed { DataType::Float64 } else { one.clone() }
        }
        DataType::Struct(fields) => {
            let field = |field: &FieldRef| {
                let same = all.iter().filter_map(|data_type| match data_type {
                    DataType::Struct(fields) => Some(fields.find(field.name())?.1.data_type()),
                    _ => None,
                });
                with_type(field, floated(field.data_type(), &same.collect::<Vec<_>>()))
            };
            DataType::Struct(fields.iter().map(field).collect())
        }
        DataType::List(item) => DataType::List(floated_item(item, all)),
        DataType::LargeList(item) => DataType::LargeList(floated_item(item, all)),
        DataType::FixedSizeList(item, size) => {
            DataType::FixedSizeList(floated_item(item, all), *size)
        }
        DataType::Map(entries, sorted) => DataType::Map(floated_item(entries, all), *sorted),
        other => other.clone(),
    }
}

fn floated_item(item: &FieldRef, all: &[&DataType]) -> FieldRef {
    let items = all.iter().filter_map(|data_type| match data_type {
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::FixedSizeList(item, _)
        | DataType::Map(item, _) => Some(item.data_type()),
        _ => None,
    });
    with_type(item, floated(item.data_type(), &items.collect::<Vec<_>>()))
}

/// Returns whether an integer of a column is another number once it is a float.
pub(super) fn loses_digits(before: &ArrayRef, after: &ArrayRef) -> Result<bool> {
    let (from, to) = (before.data_type(), after.data_type());
    if from.is_integer() && to.is_floating() {
        return Ok(cast(after, from)?.as_ref() != before.as_ref());
    }
    match (from, to) {
        (DataType::Struct(_), DataType::Struct(_)) => {
            let (before, after) = (before.as_struct(), after.as_struct());
            for (name, before) in before.column_names().iter().zip(before.columns()) {
                let after = after.column_by_name(name);
                if after.map_or(Ok(false), |after| loses_digits(before, after))? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        (DataType::List(_), DataType::List(_)) => {
            loses_digits(before.as_list::<i32>().values(), after.as_list::<i32>().values())
        }
        (DataType::LargeList(_), DataType::LargeList(_)) => {
            loses_digits(before.as_list::<i64>().values(), after.as_list::<i64>().values())
        }
        (DataType::FixedSizeList(..), DataType::FixedSizeList(..)) => {
            let (before, after) = (before.as_fixed_size_list(), after.as_fixed_size_list());
            loses_digits(before.values(), after.values())
        }
        (DataType::Map(..), DataType::Map(..)) => {
            loses_digits(before.as_map().values(), after.as_map().values())
        }
        _ => Ok(false),
    }
}
