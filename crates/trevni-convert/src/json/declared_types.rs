//! Declared types of fields.
//!
//! ```text
//! a: utf8         {"a":1} {"a":[1,2]} {"a":{"b":null}}      "1"  "[1,2]"  "{\"b\":null}"
//! ```
//! A field of a declared type is marked in the schema that values are checked against. If it is text, arrays and
//! objects are their JSON text; if it is a number, strings are parsed.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef, Fields, Schema};
use trevni::{Error, Result};

const MARK: &str = "given";

/// Types by the names of fields.
pub(super) struct GivenTypes<'a> {
    types: &'a [FieldRef],
    /// Those that were used.
    used: Vec<bool>,
}

impl<'a> GivenTypes<'a> {
    pub(super) fn new(types: &'a [FieldRef]) -> Self {
        Self { types, used: vec![false; types.len()] }
    }

    /// Returns the type of a field. Of two, the last counts.
    pub(super) fn of(&mut self, path: &[String]) -> Option<FieldRef> {
        if self.types.is_empty() {
            return None;
        }
        let path = path.join(".");
        let mut found = None;
        for (field, used) in self.types.iter().zip(&mut self.used) {
            if *field.name() == path {
                (*used, found) = (true, Some(field.clone()));
            }
        }
        found
    }

    /// Fails if a type is declared for an unknown field.
    pub(super) fn check(&self, schema: &Schema) -> Result<()> {
        let unused = self.types.iter().zip(&self.used).find(|(_, used)| !**used);
        let Some((field, _)) = unused else { return Ok(()) };
        let name = field.name();
        let names: Vec<_> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        let names = names.join(", ");
        Err(Error::invalid(format!("no field {name:?}, whose type is given: there are {names}")))
    }
}

pub(super) fn marked(field: Field) -> Field {
    let mut metadata = field.metadata().clone();
    metadata.insert(MARK.to_owned(), String::new());
    field.with_metadata(metadata)
}

pub(super) fn is_marked(field: &Field) -> bool {
    field.metadata().contains_key(MARK)
}

/// Returns a schema with marks at the fields of these types.
pub(super) fn with_marks(schema: &Schema, types: &[FieldRef]) -> Schema {
    let fields = with_marks_below(schema.fields(), "", types);
    Schema::new_with_metadata(fields, schema.metadata().clone())
}

fn with_marks_below(fields: &Fields, path: &str, types: &[FieldRef]) -> Fields {
    let field = |field: &FieldRef| {
        let path = format!("{path}{}", field.name());
        if types.iter().any(|given| *given.name() == path) {
            return Arc::new(marked(Field::clone(field)));
        }
        let mut data_type = field.data_type();
        let mut lists = Vec::new();
        while let DataType::List(item) = data_type {
            lists.push(item);
            data_type = item.data_type();
        }
        let DataType::Struct(below) = data_type else { return field.clone() };
        let mut marked = DataType::Struct(with_marks_below(below, &format!("{path}."), types));
        for item in lists.into_iter().rev() {
            marked = DataType::List(Arc::new(Field::clone(item).with_data_type(marked)));
        }
        Arc::new(Field::clone(field).with_data_type(marked))
    };
    fields.iter().map(field).collect()
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
        let mut metadata = field.metadata().clone();
        metadata.remove(MARK);
        return Arc::new(Field::clone(field).with_metadata(metadata));
    }
    let data_type = match field.data_type() {
        DataType::Struct(fields) => DataType::Struct(unmarked_fields(fields)),
        DataType::List(item) => DataType::List(unmarked_field(item)),
        other => return Arc::new(Field::clone(field).with_data_type(other.clone())),
    };
    Arc::new(Field::clone(field).with_data_type(data_type))
}
