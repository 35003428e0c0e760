//! Files without a schema, read as Arrow: types from the columns, values those that the reference prints.

use arrow::array::*;
use arrow::datatypes::*;
use base64::Engine;
use serde_json::Value as Json;
use trevni::arrow::ArrowReaderBuilder;

use super::testdata::{REFUSED, reference_files, stem};

/// Returns whether a row of an array is what the reference printed for it.
fn is(array: &dyn Array, row: usize, json: &Json) -> bool {
    let float = |v: f64| match json.as_str() {
        Some("NaN") => v.is_nan(),
        Some("Infinity") => v == f64::INFINITY,
        Some("-Infinity") => v == f64::NEG_INFINITY,
        _ => json.as_f64().is_some_and(|json| json.to_bits() == v.to_bits()),
    };
    match array.data_type() {
        DataType::Null => json.is_null(),
        DataType::Boolean => *json == array.as_boolean().value(row),
        DataType::Int32 => *json == array.as_primitive::<Int32Type>().value(row),
        DataType::Int64 => *json == array.as_primitive::<Int64Type>().value(row),
        DataType::Float32 => {
            // The text is the shortest that is this float and no other; as a double it may be another.
            let v = array.as_primitive::<Float32Type>().value(row);
            let same = |json: f64| (json as f32).to_bits() == v.to_bits();
            if v.is_finite() { json.as_f64().is_some_and(same) } else { float(f64::from(v)) }
        }
        DataType::Float64 => float(array.as_primitive::<Float64Type>().value(row)),
        DataType::Utf8 => *json == array.as_string::<i32>().value(row),
        DataType::Binary => {
            let bytes = array.as_binary::<i32>().value(row);
            *json == base64::prelude::BASE64_STANDARD.encode(bytes)
        }
        DataType::List(_) => {
            let items = array.as_list::<i32>().value(row);
            json.as_array().is_some_and(|json| {
                json.len() == items.len()
                    && json.iter().enumerate().all(|(i, json)| is(&items, i, json))
            })
        }
        DataType::Struct(fields) => json.as_object().is_some_and(|json| {
            let columns = array.as_struct().columns();
            json.len() == fields.len()
                && fields
                    .iter()
                    .zip(columns)
                    .all(|(field, column)| is(column, row, &json[field.name()]))
        }),
        other => panic!("{other} in a file without a schema"),
    }
}

#[test]
fn values_are_what_the_reference_prints() {
    let mut rows = 0;
    for path in reference_files() {
        let (name, json) = (stem(&path), path.with_extension("json"));
        if REFUSED.contains(&name) || name.starts_with("avro-") || !json.is_file() {
            continue;
        }
        let text = std::fs::read_to_string(json).unwrap();
        let mut lines = text.lines().filter(|line| !line.is_empty());
        let file = std::fs::File::open(&path).unwrap();
        for batch in
            ArrowReaderBuilder::try_new(file).unwrap().with_batch_size(100).build().unwrap()
        {
            let batch = StructArray::from(batch.unwrap());
            for row in 0..batch.len() {
                let json: Json = serde_json::from_str(lines.next().unwrap()).unwrap();
                assert!(
                    is(&batch, row, &json),
                    "{name} row {rows}: {:?} is not {json}",
                    batch.slice(row, 1)
                );
                rows += 1;
            }
        }
        assert!(lines.next().is_none(), "{name}");
    }
    println!("{rows} rows");
    assert!(rows > 1000);
}
