//! Declared types of fields.
//!
//! ```text
//! a: utf8         {"a":1} {"a":[1,2]} {"a":{"b":null}}      "1"  "[1,2]"  "{\"b\":null}"
//! ```
//! A field of a declared type is marked in the schema that values are checked against. If it is text, arrays and
//! objects are their JSON text; if it is a number, strings are parsed.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef, Fields, Schema};
use serde_json::Value;

use trevni::{Error, Result};

const MARK: &str = "given";

/// Types by the names of fields.
pub(super) struct GivenTypes<'a> {
    types: &'a [(String, DataType)],
    /// Those that were used.
    used: Vec<bool>,
}

impl<'a> GivenTypes<'a> {
    pub(super) fn new(types: &'a [(String, DataType)]) -> Self {
        Self { types, used: vec![false; types.len()] }
    }

    /// Returns the type of a field. Of two, the last counts.
    pub(super) fn of(&mut self, path: &[String]) -> Option<DataType> {
        if self.types.is_empty() {
            return None;
        }
        let path = path.join(".");
        let mut found = None;
        for ((name, data_type), used) in self.types.iter().zip(&mut self.used) {
            if *name == path {
                (*used, found) = (true, Some(data_type.clone()));
            }
        }
        found
    }

    /// Fails if a type is declared for an unknown field.
    pub(super) fn check(&self, schema: &Schema) -> Result<()> {
        let unused = self.types.iter().zip(&self.used).find(|(_, used)| !**used);
        let Some(((name, _), _)) = unused else { return Ok(()) };
        let names: Vec<_> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        let names = names.join(", ");
        Err(Error::invalid(format!("no field {name:?}, whose type is given: there are {names}")))
    }
}

pub(super) fn marked(field: Field) -> Field {
    field.with_metadata([(MARK.to_owned(), String::new())].into())
}

pub(super) fn is_marked(field: &Field) -> bool {
    field.metadata().contains_key(MARK)
}

/// Returns a schema without marks.
pub(super) fn unmarked(schema: &Schema) -> Schema {
    Schema::new(unmarked_fields(schema.fields()))
}

fn unmarked_fields(fields: &Fields) -> Fields {
    fields.iter().map(unmarked_field).collect()
}

fn unmarked_field(field: &FieldRef) -> FieldRef {
    if is_marked(field) {
        return Arc::new(Field::clone(field).with_metadata(Default::default()));
    }
    let data_type = match field.data_type() {
        DataType::Struct(fields) => DataType::Struct(unmarked_fields(fields)),
        DataType::List(item) => DataType::List(unmarked_field(item)),
        other => return Arc::new(Field::clone(field).with_data_type(other.clone())),
    };
    Arc::new(Field::clone(field).with_data_type(data_type))
}

/// Returns whether a type is text, perhaps in a dictionary or in runs.
pub(super) fn is_text(data_type: &DataType) -> bool {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => is_text(values),
        DataType::RunEndEncoded(_, values) => is_text(values.data_type()),
        _ => false,
    }
}

/// Converts arrays and objects to their JSON text where the declared type is text.
pub(super) fn nested_as_text(value: &mut Value, data_type: &DataType, is_given: bool) {
    match (&mut *value, data_type) {
        (Value::Array(_) | Value::Object(_), of) if is_given && is_text(of) => {
            *value = Value::String(value.to_string());
        }
        (Value::Object(object), DataType::Struct(fields)) => {
            for field in fields {
                if let Some(value) = object.get_mut(field.name()) {
                    nested_as_text(value, field.data_type(), is_given || is_marked(field));
                }
            }
        }
        (Value::Object(object), DataType::Map(entries, _)) => {
            if let DataType::Struct(fields) = entries.data_type()
                && let Some(of) = fields.get(1)
            {
                object
                    .values_mut()
                    .for_each(|value| nested_as_text(value, of.data_type(), is_given));
            }
        }
        (
            Value::Array(values),
            DataType::List(item)
            | DataType::LargeList(item)
            | DataType::ListView(item)
            | DataType::LargeListView(item)
            | DataType::FixedSizeList(item, _),
        ) => {
            values.iter_mut().for_each(|value| nested_as_text(value, item.data_type(), is_given));
        }
        _ => {}
    }
}
