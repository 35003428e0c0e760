//! Goldens of another implementation, errors word for word, and bytes of all kinds.

mod errors;
mod golden;
mod random;
mod writing;

use std::io::Cursor;
use std::path::PathBuf;

use arrow::array::*;
use arrow::datatypes::{DataType, Int32Type, SchemaRef};
use arrow::error::ArrowError;
use serde_json::{Map, Value, json};

use super::*;

fn folder() -> PathBuf {
    trevni_testing::data::selected("thrift")
}

fn every() -> ThriftType {
    ThriftType::load(&folder().join("every.thrift"), "Every").unwrap()
}

fn reading(thrift: &ThriftType) -> ReadOptions {
    ReadOptions { thrift: Some(thrift.clone()), ..ReadOptions::default() }
}

fn rows_of(bytes: &[u8], options: &ReadOptions) -> Result<Vec<RecordBatch>> {
    let source = Source::pipe("test", Cursor::new(bytes.to_vec()));
    let rows = open(source, options)?;
    rows.map(|batch| batch.map_err(ours)).collect()
}

/// Returns the error that went through Arrow's.
fn ours(e: ArrowError) -> Error {
    match e {
        ArrowError::ExternalError(e) => *e.downcast().unwrap(),
        other => other.into(),
    }
}

/// Returns the error of reading some bytes as a struct of an IDL, in the binary protocol.
fn fault(idl: &str, bytes: &[u8]) -> String {
    let thrift = ThriftType::try_new(idl, "R").unwrap();
    rows_of(bytes, &reading(&thrift)).unwrap_err().to_string()
}

fn written(thrift: &ThriftType, schema: SchemaRef, batches: &[RecordBatch]) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let options = WriteOptions { thrift: Some(thrift.clone()), ..WriteOptions::default() };
    let mut sink = create(&mut out, schema, &options)?;
    batches.iter().try_for_each(|batch| sink.write(batch))?;
    sink.finish()?;
    Ok(out)
}

/// Returns the rows of batches as lines of JSON, in the form of `every.json`.
fn lines(batches: &[RecordBatch]) -> Vec<String> {
    let rows = batches.iter().flat_map(|batch| {
        let all = StructArray::from(batch.clone());
        (0..batch.num_rows()).map(move |row| value(&all, row).to_string())
    });
    rows.collect()
}

fn value(array: &dyn Array, row: usize) -> Value {
    if array.is_null(row) {
        return Value::Null;
    }
    let items = |items: ArrayRef| Value::from_iter((0..items.len()).map(|i| value(&items, i)));
    match array.data_type() {
        DataType::Boolean => array.as_boolean().value(row).into(),
        DataType::Int8 => array.as_primitive::<arrow::datatypes::Int8Type>().value(row).into(),
        DataType::Int16 => array.as_primitive::<arrow::datatypes::Int16Type>().value(row).into(),
        DataType::Int32 => array.as_primitive::<Int32Type>().value(row).into(),
        DataType::Int64 => array.as_primitive::<arrow::datatypes::Int64Type>().value(row).into(),
        DataType::Float64 => {
            let n = array.as_primitive::<arrow::datatypes::Float64Type>().value(row);
            match (n.is_nan(), n.is_infinite()) {
                (true, _) => json!("NaN"),
                (_, true) => json!(if n > 0.0 { "Infinity" } else { "-Infinity" }),
                _ => json!(n),
            }
        }
        DataType::Utf8 => array.as_string::<i32>().value(row).into(),
        DataType::Binary => hex(array.as_binary::<i32>().value(row)),
        DataType::FixedSizeBinary(_) => hex(array.as_fixed_size_binary().value(row)),
        DataType::Dictionary(..) => {
            let symbols = array.as_dictionary::<Int32Type>();
            let key = symbols.keys().value(row);
            symbols.values().as_string::<i32>().value(key as usize).into()
        }
        DataType::List(_) => items(array.as_list::<i32>().value(row)),
        DataType::Map(..) => {
            let entries = array.as_map().value(row);
            let pair = |i| json!([value(entries.column(0), i), value(entries.column(1), i)]);
            Value::from_iter((0..entries.len()).map(pair))
        }
        DataType::Struct(fields) => {
            let columns = array.as_struct().columns();
            let pairs = fields.iter().zip(columns).map(|(f, c)| (f.name().clone(), value(c, row)));
            Value::Object(Map::from_iter(pairs))
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
        other => panic!("{other}"),
    }
}

fn hex(bytes: &[u8]) -> Value {
    bytes.iter().map(|b| format!("{b:02x}")).collect::<String>().into()
}
