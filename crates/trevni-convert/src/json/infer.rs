//! Infers the schema of JSON objects.
//!
//! ```text
//! null fits any type; true: Boolean; 1: Int64 (UInt64 where that is too narrow); 1 and 0.5: Float64
//! 0.12345678901234567890: Decimal128, if a float64 would lose digits
//! values without a type in common, such as 1 and "x" and [1]: JSON text, with a warning that names the field
//! objects with more names than a table has columns: maps, with a warning
//! ```
//! Text is text, dates and times too. Fields are in the order in which they first come.

mod keys;
mod walk;

use std::collections::HashMap;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef, Fields, Schema};

use super::declared_types::{GivenTypes, marked};
use super::record_location::RecordLocation;
use super::scanner::Scanner;
use crate::ReadOptions;
use crate::float_digits::{Digits, decimal_type};
use crate::json_field::{is_json, json_field};
use keys::map_field;
use trevni::{Error, Result};
use walk::Walk;

const POSITIVE: u8 = 1;
const NEGATIVE: u8 = 2;
/// Exceeds `i64`.
const UNSIGNED: u8 = 4;
/// An integer beyond both, or any other number.
const FLOAT: u8 = 8;

/// Fields of a schema, structs and lists among them, from which on the names of the objects with the most are keys.
const MOST_FIELDS: usize = 100_000;

/// Names of an object that may be keys, at least.
const FEWEST_KEYS: usize = 200;

/// Fields that are kept while records are inspected.
const MOST_NAMES: usize = 1_000_000;

/// Kinds of values, of which one field has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Boolean,
    Number,
    Text,
    Array,
    Object,
}

const KINDS: [Kind; 5] = [Kind::Boolean, Kind::Number, Kind::Text, Kind::Array, Kind::Object];

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Boolean => "a boolean",
            Kind::Number => "a number",
            Kind::Text => "a string",
            Kind::Array => "an array",
            Kind::Object => "an object",
        }
    }
}

/// The values of a field so far.
#[derive(Debug, Default)]
struct Seen {
    /// Where the first of each kind is.
    places: [Option<RecordLocation>; 5],
    numbers: u8,
    digits: Digits,
    items: Option<Box<Seen>>,
    members: Option<Box<Members>>,
    /// The values of objects whose names are data.
    values: Option<Box<Seen>>,
}

/// The fields of an object, in the order in which they first come.
#[derive(Debug, Default)]
struct Members {
    places: HashMap<String, usize>,
    fields: Vec<(String, Seen)>,
}

/// The schema of the records so far.
#[derive(Debug, Default)]
pub(super) struct Inference {
    record: Seen,
    fields: usize,
    /// Fields whose types are declared.
    given: Vec<FieldRef>,
}

/// A schema, and what a person should know of it.
#[derive(Debug)]
pub(super) struct Inferred {
    pub(super) schema: Schema,
    pub(super) warnings: Vec<String>,
}

impl Inference {
    /// Creates the inference of all types but those of declared ones.
    pub(super) fn new(given: &[FieldRef]) -> Self {
        Self { given: given.to_vec(), ..Self::default() }
    }

    /// Adds the objects of a record. `None` if it is no JSON, of which part may have been added.
    pub(super) fn add(&mut self, record: &str, place: RecordLocation) -> Option<()> {
        let mut json = Scanner::new(record);
        let (given, path) = (self.given.as_slice(), Vec::new());
        let mut walk = Walk { place, depth: 0, fields: &mut self.fields, given, path };
        while json.peek().is_some() {
            walk.value(&mut json, &mut self.record)?;
        }
        Some(())
    }

    /// Returns whether no object was added.
    pub(super) fn is_empty(&self) -> bool {
        self.record.members.is_none()
    }

    /// Fails if there are more fields than are kept in memory.
    pub(super) fn check_size(&self) -> Result<()> {
        if self.fields <= MOST_NAMES {
            return Ok(());
        }
        let (path, names) = self.record.most_members();
        let path = path.join(".");
        let what = match path.is_empty() {
            true => format!("an object has {names} names, which seem to be data"),
            false => format!(
                "the objects of field {path:?} have {names} names, which seem to be data: --type '{path}=map(utf8, ...)' \
                 reads them as a map with one type of values, --type {path}=json keeps their text"
            ),
        };
        Err(Error::malformed(what))
    }

    /// Returns the schema of all that was added. Where values have no type in common they are JSON text, or those of
    /// the first kind are taken.
    pub(super) fn schema(mut self, types: &mut GivenTypes<'_>, options: &ReadOptions) -> Inferred {
        let (takes_first, lossy) = (options.skip_bad > 0, options.lossy);
        let warnings = self.names_to_keys();
        let mut path = Path { names: Vec::new(), types, takes_first, lossy, warnings };
        let schema = match self.record.members {
            Some(members) => Schema::new(members.into_fields(&mut path)),
            None => Schema::empty(),
        };
        Inferred { schema, warnings: path.warnings }
    }
}

/// The path of a field, and what is found at it.
struct Path<'a, 't> {
    names: Vec<String>,
    types: &'a mut GivenTypes<'t>,
    /// Whether values of other kinds than the first are bad.
    takes_first: bool,
    /// Whether numbers may lose digits.
    lossy: bool,
    warnings: Vec<String>,
}

impl Seen {
    fn add(&mut self, kind: Kind, place: RecordLocation) {
        if let Some(first) = self.places.get_mut(kind as usize) {
            first.get_or_insert(place);
        }
    }

    /// Returns the kinds, in the order of their first values.
    fn kinds(&self) -> Vec<(RecordLocation, Kind)> {
        let found = self.places.iter().zip(KINDS);
        let mut kinds: Vec<_> = found.filter_map(|(at, kind)| Some(((*at)?, kind))).collect();
        kinds.sort_by_key(|(place, _)| *place);
        kinds
    }

    fn into_field(self, name: &str, path: &mut Path<'_, '_>) -> Field {
        let kinds = self.kinds();
        let field = |data_type| Field::new(name, data_type, true);
        if let [(before, first), (place, second), ..] = kinds.as_slice()
            && !path.takes_first
        {
            let (first, second) = (first.name(), second.name());
            path.is_text(format!("{first} on {before}, {second} on {place}"));
            return json_field(name);
        }
        match (kinds.first().map(|(_, kind)| kind), self.items, self.members) {
            (Some(Kind::Boolean), ..) => field(DataType::Boolean),
            (Some(Kind::Text), ..) => field(DataType::Utf8),
            (Some(Kind::Number), ..) => match number_type(self.numbers, &self.digits, path.lossy) {
                Some(data_type) => field(data_type),
                None => {
                    path.is_text("numbers that no type of numbers holds".to_owned());
                    json_field(name)
                }
            },
            (Some(Kind::Array), Some(items), _) => {
                let item = items.into_field(Field::LIST_FIELD_DEFAULT_NAME, path);
                // Items without a type in common are in no list: the field is the text of all of them.
                match is_json(&item) {
                    true => json_field(name),
                    false => field(DataType::List(Arc::new(item))),
                }
            }
            (Some(Kind::Object), ..) if self.values.is_some() => self
                .values
                .map_or_else(|| json_field(name), |values| map_field(name, *values, path)),
            (Some(Kind::Object), _, Some(members)) => {
                field(DataType::Struct(members.into_fields(path)))
            }
            _ => field(DataType::Null),
        }
    }
}

impl Path<'_, '_> {
    /// Notes that a field is JSON text.
    fn is_text(&mut self, why: String) {
        let field = self.names.join(".");
        self.warnings.push(format!("field {field:?} is kept as JSON text: {why}"));
    }
}

/// Returns the type of numbers; `None` if none holds all their digits.
fn number_type(kinds: u8, digits: &Digits, lossy: bool) -> Option<DataType> {
    if kinds & !(POSITIVE | NEGATIVE) == 0 {
        return Some(DataType::Int64);
    }
    if kinds & !(POSITIVE | UNSIGNED) == 0 {
        return Some(DataType::UInt64);
    }
    match digits.is_beyond_float && !lossy {
        false => Some(DataType::Float64),
        true => digits.scale().map(decimal_type),
    }
}

impl Members {
    /// Returns the index of a field, which most often follows the last one.
    fn place(&mut self, name: &str, likely: usize, fields: &mut usize) -> usize {
        if self.fields.get(likely).is_some_and(|(field, _)| field == name) {
            return likely;
        }
        if let Some(place) = self.places.get(name) {
            return *place;
        }
        *fields += 1;
        self.places.insert(name.to_owned(), self.fields.len());
        self.fields.push((name.to_owned(), Seen::default()));
        self.fields.len() - 1
    }

    fn into_fields(self, path: &mut Path<'_, '_>) -> Fields {
        let fields = self.fields.into_iter().map(|(name, seen)| {
            path.names.push(name.clone());
            let field = match path.types.of(&path.names) {
                Some(given) => marked(Field::clone(&given).with_name(name)),
                None => seen.into_field(&name, path),
            };
            path.names.pop();
            field
        });
        fields.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inferred(lines: &[&str], takes_first: bool) -> (String, Vec<String>) {
        let mut inference = Inference::default();
        for (line, text) in (1..).zip(lines) {
            inference.add(text, RecordLocation::of_line(line)).unwrap();
        }
        let options = ReadOptions { skip_bad: u64::from(takes_first), ..ReadOptions::default() };
        let found = inference.schema(&mut GivenTypes::new(&[]), &options);
        let fields = found.schema.fields().iter().map(|f| match is_json(f) {
            true => format!("{}: Json", f.name()),
            false => format!("{}: {}", f.name(), f.data_type()),
        });
        (fields.collect::<Vec<_>>().join(", "), found.warnings)
    }

    #[test]
    fn types_widen_in_the_order_of_fields() {
        let cases: &[(&[&str], &str)] = &[
            (&[r#"{"b":1,"a":null}"#, r#"{"a":true,"b":2.5}"#], "b: Float64, a: Boolean"),
            (&[r#"{"a":[]}"#, r#"{"a":[null,1]}"#], "a: List(Int64)"),
            (&[r#"{"a":[]}"#], "a: List(Null)"),
            (&[r#"{"a":{"x":1}} {"a":{"y":""}}"#], "a: Struct(\"x\": Int64, \"y\": Utf8)"),
            (&[r#"{"a":18446744073709551615}"#, r#"{"a":1}"#], "a: UInt64"),
            (&[r#"{"a":18446744073709551615}"#, r#"{"a":-1}"#], "a: Decimal128(38, 0)"),
            (&[r#"{"a":184467440737095516150}"#], "a: Decimal128(38, 0)"),
            (&[r#"{"a":18446744073709551616}"#], "a: Float64"),
            (&[r#"{"a":0.12345678901234567891}"#, r#"{"a":5}"#], "a: Decimal128(38, 20)"),
            (&[r#"{"a":9007199254740993}"#, r#"{"a":0.5}"#], "a: Decimal128(38, 1)"),
            (&[r#"{"a":0.30000000000000004}"#, r#"{"a":1e300}"#], "a: Float64"),
            (&[r#"{"a":NaN}"#, r#"{"a":1}"#, r#"{"a":-Infinity}"#], "a: Float64"),
            (&[r#"{"a":-0}"#], "a: Float64"),
            (&[r#"{"a":"2024-01-01"}"#], "a: Utf8"),
            (&[r#"{"a":1}"#, r#"{"b":2}"#, r#"{"b":2.5,"a":-0.5}"#], "a: Float64, b: Float64"),
            (&["{}"], ""),
        ];
        for (lines, expected) in cases {
            assert_eq!(inferred(lines, false), ((*expected).to_owned(), Vec::new()));
        }
    }

    #[test]
    fn values_without_a_type_in_common_are_json() {
        let cases = [
            (
                &[r#"{"a":1}"#, r#"{"a":{"b":1}}"#][..],
                "a: Json",
                "field \"a\" is kept as JSON text: a number on line 1, an object on line 2",
                "a: Int64",
            ),
            (
                &[r#"{"a":true}"#, r#"{"a":"x"}"#],
                "a: Json",
                "field \"a\" is kept as JSON text: a boolean on line 1, a string on line 2",
                "a: Boolean",
            ),
            (
                &[r#"{"a":[[1]]}"#, r#"{"a":[[[1]]]}"#],
                "a: Json",
                "field \"a\" is kept as JSON text: a number on line 1, an array on line 2",
                "a: List(List(Int64))",
            ),
            (
                &[r#"{"a":1e400}"#],
                "a: Json",
                "field \"a\" is kept as JSON text: numbers that no type of numbers holds",
                "a: Json",
            ),
            (
                &[r#"{"a":{"b":[1]}}"#, "{}", r#"{"a":{"b":true}}"#],
                "a: Struct(\"b\": Utf8, metadata: {\"ARROW:extension:metadata\": \"\", \
                 \"ARROW:extension:name\": \"arrow.json\"})",
                "field \"a.b\" is kept as JSON text: an array on line 1, a boolean on line 3",
                "a: Struct(\"b\": List(Int64))",
            ),
        ];
        for (lines, kept, warning, first) in cases {
            assert_eq!(inferred(lines, false), (kept.to_owned(), vec![warning.to_owned()]));
            assert_eq!(inferred(lines, true).0, first);
        }
        for text in ["[1", "{\"a\"", "{} x", "{\"a\":01}"] {
            assert_eq!(Inference::default().add(text, RecordLocation::default()), None, "{text}");
        }
    }
}
