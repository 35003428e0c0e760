//! Rows in the form of `every.json`, from the arrays themselves.

use arrow::array::*;
use arrow::datatypes::*;
use serde_json::{Value, json};

pub(super) fn rows(batch: &RecordBatch) -> Vec<Value> {
    let rows = StructArray::from(batch.clone());
    (0..rows.len()).map(|row| value(&rows, row)).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn value(array: &dyn Array, row: usize) -> Value {
    if array.is_null(row) {
        return Value::Null;
    }
    let all = |items: ArrayRef| (0..items.len()).map(|i| value(&items, i)).collect::<Vec<_>>();
    match array.data_type() {
        DataType::Null => Value::Null,
        DataType::Boolean => json!(array.as_boolean().value(row)),
        DataType::Int32 => json!(array.as_primitive::<Int32Type>().value(row)),
        DataType::Int64 => json!(array.as_primitive::<Int64Type>().value(row)),
        DataType::UInt32 => json!(array.as_primitive::<UInt32Type>().value(row)),
        DataType::UInt64 => json!(array.as_primitive::<UInt64Type>().value(row)),
        DataType::Float32 => {
            json!(format!("f32:{:08x}", array.as_primitive::<Float32Type>().value(row).to_bits()))
        }
        DataType::Float64 => {
            json!(format!("f64:{:016x}", array.as_primitive::<Float64Type>().value(row).to_bits()))
        }
        DataType::Utf8 => json!(array.as_string::<i32>().value(row)),
        DataType::Binary => json!(format!("hex:{}", hex(array.as_binary::<i32>().value(row)))),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            json!(array.as_primitive::<TimestampNanosecondType>().value(row))
        }
        DataType::Duration(TimeUnit::Nanosecond) => {
            json!(array.as_primitive::<DurationNanosecondType>().value(row))
        }
        DataType::Dictionary(..) => {
            let dictionary = array.as_dictionary::<Int32Type>();
            value(dictionary.values(), dictionary.keys().value(row) as usize)
        }
        DataType::List(_) => Value::Array(all(array.as_list::<i32>().value(row))),
        DataType::Map(..) => {
            let entries = array.as_map().value(row);
            let pair = |i| json!([value(entries.column(0), i), value(entries.column(1), i)]);
            Value::Array((0..entries.len()).map(pair).collect())
        }
        DataType::Struct(fields) => {
            let columns = fields.iter().zip(array.as_struct().columns());
            columns.map(|(field, column)| (field.name().clone(), value(column, row))).collect()
        }
        DataType::Union(fields, _) => {
            let union = array.as_union();
            let id = union.type_id(row);
            let (_, field) = fields.iter().find(|(other, _)| *other == id).unwrap();
            match value(union.child(id), union.value_offset(row)) {
                Value::Null => Value::Null,
                value => json!({ field.name(): value }),
            }
        }
        other => panic!("{other} is no type of these rows"),
    }
}
