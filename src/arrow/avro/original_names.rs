//! Keeps the original names of fields whose names Avro does not allow, in properties of the Avro fields.
//!
//! ```text
//! Arrow      field "unit_price", metadata avro.original_name = "unit price"
//! Avro       {"name":"unit_price","type":"double","originalName":"unit price"}
//! ```

use arrow::datatypes::{DataType, FieldRef, Fields, Schema};
use serde_json::{Value, json};

use super::Avro;
use crate::arrow::array::nested;
use crate::arrow::leaf::types;

/// The key of a field's metadata that holds the name that it had before it was made one that Avro accepts.
pub const ORIGINAL_NAME_KEY: &str = "avro.original_name";

/// The property of a field in an Avro schema.
const PROPERTY: &str = "originalName";

/// An Avro schema in JSON, with the original names of the Arrow schema that it was made for.
pub(super) fn add(avro: &Avro, schema: &Schema) -> Value {
    let mut json = avro.to_json();
    add_to_record(&mut json, schema.fields());
    json
}

fn add_to_record(json: &mut Value, fields: &Fields) {
    // A record that was defined before is only a name here.
    let Some(Value::Array(all)) = json.get_mut("fields") else { return };
    for (json, field) in all.iter_mut().zip(fields) {
        if let Some(original) = field.metadata().get(ORIGINAL_NAME_KEY)
            && let Some(object) = json.as_object_mut()
        {
            object.insert(PROPERTY.to_owned(), json!(original));
        }
        if let Some(of_type) = json.get_mut("type") {
            add_to_type(of_type, field.data_type());
        }
    }
}

fn add_to_type(json: &mut Value, data_type: &DataType) {
    match (json, data_type) {
        (json, DataType::Dictionary(_, values)) => add_to_type(json, values),
        (json, DataType::RunEndEncoded(_, values)) => add_to_type(json, values.data_type()),
        (Value::Array(branches), DataType::Union(fields, _)) => {
            for (branch, (_, field)) in branches.iter_mut().zip(fields.iter()) {
                add_to_type(branch, field.data_type());
            }
        }
        // Null, and the type.
        (Value::Array(branches), _) => {
            branches.iter_mut().for_each(|branch| add_to_type(branch, data_type));
        }
        (json, DataType::Struct(fields)) => add_to_record(json, fields),
        (json, DataType::Map(entries, _)) => {
            let value = |(_, value): (&FieldRef, &FieldRef)| value.data_type().clone();
            if let (Ok(value), Some(json)) =
                (types::entry(entries).map(value), json.get_mut("values"))
            {
                add_to_type(json, &value);
            }
        }
        (json, data_type) => {
            if let (Some(item), Some(json)) = (nested::item(data_type), json.get_mut("items")) {
                add_to_type(json, item.data_type());
            }
        }
    }
}
