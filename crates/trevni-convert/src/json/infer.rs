//! Infers the schema of JSON objects.
//!
//! ```text
//! null fits any type; true: Boolean; 1: Int64 (UInt64 where that is too narrow); 1 and 0.5: Float64; other mixtures: Utf8
//! an object, an array and a scalar in one field have no type in common: the error names the field and both lines
//! ```
//! Text is text, dates and times too. Fields are in the order in which they first come.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Fields, Schema};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::declared_types::{GivenTypes, marked};
use super::layout::Values;
use super::record_location::RecordLocation;

const BOOLEAN: u8 = 1;
const POSITIVE: u8 = 2;
const NEGATIVE: u8 = 4;
/// Exceeds `i64`.
const UNSIGNED: u8 = 8;
const FLOAT: u8 = 16;
const TEXT: u8 = 32;

/// The values of a field so far.
#[derive(Debug, Default)]
struct Seen {
    /// The kinds of scalars, and where the first is.
    scalars: u8,
    scalar_place: RecordLocation,
    list: Option<Box<(Seen, RecordLocation)>>,
    object: Option<Box<(Members, RecordLocation)>>,
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
}

/// A field whose values have no type in common.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Conflict {
    pub(super) place: RecordLocation,
    pub(super) field: String,
    pub(super) what: String,
}

impl Inference {
    /// Adds the objects of a record, which is JSON: part of one that is not may be added before the error.
    pub(super) fn add(
        &mut self,
        record: &[u8],
        place: RecordLocation,
    ) -> Result<(), serde_json::Error> {
        for value in Values(record) {
            let mut json = serde_json::Deserializer::from_slice(value);
            At { seen: &mut self.record, place }.deserialize(&mut json)?;
            json.end()?;
        }
        Ok(())
    }

    /// Returns whether no object was added.
    pub(super) fn is_empty(&self) -> bool {
        self.record.object.is_none()
    }

    /// Returns the schema of all that was added. Of values that have no type in common, the first are taken or it
    /// is an error.
    pub(super) fn schema(
        self,
        types: &mut GivenTypes<'_>,
        takes_first: bool,
    ) -> Result<Schema, Conflict> {
        let mut path = Path { names: Vec::new(), types, takes_first };
        match self.record.object {
            Some(object) => Ok(Schema::new(object.0.into_fields(&mut path)?)),
            None => Ok(Schema::empty()),
        }
    }
}

/// The path of a field, and its properties without values.
struct Path<'a, 't> {
    names: Vec<String>,
    types: &'a mut GivenTypes<'t>,
    takes_first: bool,
}

impl Seen {
    fn add(&mut self, scalar: u8, place: RecordLocation) {
        if self.scalars == 0 {
            self.scalar_place = place;
        }
        self.scalars |= scalar;
    }

    fn into_type(self, path: &mut Path<'_, '_>) -> Result<DataType, Conflict> {
        let scalar = (self.scalars != 0).then_some((self.scalar_place, ValueKind::Scalar));
        let list = self.list.as_ref().map(|list| (list.1, ValueKind::Array));
        let object = self.object.as_ref().map(|object| (object.1, ValueKind::Object));
        let mut kinds: Vec<_> = [scalar, list, object].into_iter().flatten().collect();
        kinds.sort_by_key(|(place, _)| *place);
        if let [(before, first), (place, second), ..] = kinds.as_slice()
            && !path.takes_first
        {
            let what = format!("{}, but {} on {before}", second.name(), first.name());
            return Err(Conflict { place: *place, field: path.names.join("."), what });
        }
        Ok(match (kinds.first().map(|(_, kind)| kind), self.list, self.object) {
            (Some(ValueKind::Scalar), ..) => scalar_type(self.scalars),
            (Some(ValueKind::Array), Some(items), _) => {
                let item = items.0.into_type(path)?;
                DataType::List(Arc::new(Field::new_list_field(item, true)))
            }
            (Some(ValueKind::Object), _, Some(members)) => {
                DataType::Struct(members.0.into_fields(path)?)
            }
            _ => DataType::Null,
        })
    }
}

/// Kinds of values that have no type in common.
#[derive(Debug, Clone, Copy)]
enum ValueKind {
    Scalar,
    Array,
    Object,
}

impl ValueKind {
    fn name(self) -> &'static str {
        match self {
            ValueKind::Scalar => "a number, boolean or string",
            ValueKind::Array => "an array",
            ValueKind::Object => "an object",
        }
    }
}

fn scalar_type(kinds: u8) -> DataType {
    match kinds {
        BOOLEAN => DataType::Boolean,
        _ if kinds & (BOOLEAN | TEXT) != 0 => DataType::Utf8,
        _ if kinds & !(POSITIVE | NEGATIVE) == 0 => DataType::Int64,
        _ if kinds & !(POSITIVE | UNSIGNED) == 0 => DataType::UInt64,
        _ => DataType::Float64,
    }
}

impl Members {
    /// Returns the index of a field, which most often follows the last one.
    fn place(&mut self, name: &str, likely: usize) -> usize {
        if self.fields.get(likely).is_some_and(|(field, _)| field == name) {
            return likely;
        }
        if let Some(place) = self.places.get(name) {
            return *place;
        }
        self.places.insert(name.to_owned(), self.fields.len());
        self.fields.push((name.to_owned(), Seen::default()));
        self.fields.len() - 1
    }

    fn into_fields(self, path: &mut Path<'_, '_>) -> Result<Fields, Conflict> {
        let fields = self.fields.into_iter().map(|(name, seen)| {
            path.names.push(name.clone());
            let field = match path.types.of(&path.names) {
                Some(given) => marked(Field::new(name, given, true)),
                None => Field::new(name, seen.into_type(path)?, true),
            };
            path.names.pop();
            Ok(field)
        });
        fields.collect()
    }
}

/// Adds a value to those of a field.
struct At<'a> {
    seen: &'a mut Seen,
    place: RecordLocation,
}

impl<'de> DeserializeSeed<'de> for At<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for At<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        self.seen.add(BOOLEAN, self.place);
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        self.seen.add(NEGATIVE, self.place);
        Ok(())
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        let kind = if i64::try_from(value).is_ok() { POSITIVE } else { UNSIGNED };
        self.seen.add(kind, self.place);
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        self.seen.add(FLOAT, self.place);
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        self.seen.add(TEXT, self.place);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<(), A::Error> {
        let place = self.place;
        let list = self.seen.list.get_or_insert_with(|| Box::new((Seen::default(), place)));
        while values.next_element_seed(At { seen: &mut list.0, place })?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        let place = self.place;
        let seen = self.seen.object.get_or_insert_with(|| Box::new((Members::default(), place)));
        let (members, mut likely) = (&mut seen.0, 0);
        while let Some(at) = object.next_key_seed(Name { members: &mut *members, likely })? {
            likely = at + 1;
            match members.fields.get_mut(at) {
                Some((_, seen)) => object.next_value_seed(At { seen, place })?,
                None => drop(object.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

/// Finds the index of a name.
struct Name<'a> {
    members: &'a mut Members,
    likely: usize,
}

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<usize, D::Error> {
        json.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E>(self, name: &str) -> Result<usize, E> {
        Ok(self.members.place(name, self.likely))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inferred(lines: &[&str], takes_first: bool) -> Result<String, Conflict> {
        let mut inference = Inference::default();
        for (line, text) in (1..).zip(lines) {
            inference.add(text.as_bytes(), RecordLocation::of_line(line)).unwrap();
        }
        let schema = inference.schema(&mut GivenTypes::new(&[]), takes_first)?;
        let fields = schema.fields().iter();
        Ok(fields
            .map(|f| format!("{}: {}", f.name(), f.data_type()))
            .collect::<Vec<_>>()
            .join(", "))
    }

    #[test]
    fn types_widen_in_the_order_of_fields() {
        let cases: &[(&[&str], &str)] = &[
            (&[r#"{"b":1,"a":null}"#, r#"{"a":true,"b":2.5}"#], "b: Float64, a: Boolean"),
            (&[r#"{"a":1}"#, r#"{"a":"x"}"#], "a: Utf8"),
            (&[r#"{"a":true}"#, r#"{"a":1}"#], "a: Utf8"),
            (&[r#"{"a":[]}"#, r#"{"a":[null,1]}"#], "a: List(Int64)"),
            (&[r#"{"a":[]}"#], "a: List(Null)"),
            (&[r#"{"a":{"x":1}} {"a":{"y":""}}"#], "a: Struct(\"x\": Int64, \"y\": Utf8)"),
            (&[r#"{"a":18446744073709551615}"#, r#"{"a":1}"#], "a: UInt64"),
            (&[r#"{"a":18446744073709551615}"#, r#"{"a":-1}"#], "a: Float64"),
            (&[r#"{"a":184467440737095516150}"#], "a: Float64"),
            (&[r#"{"a":"2024-01-01"}"#], "a: Utf8"),
            (&[r#"{"a":1}"#, r#"{"b":2}"#, r#"{"b":2.5,"a":-0.5}"#], "a: Float64, b: Float64"),
            (&["{}"], ""),
        ];
        for (lines, expected) in cases {
            assert_eq!(inferred(lines, false).unwrap(), *expected);
        }
    }

    #[test]
    fn values_without_a_type_in_common_conflict() {
        let scalar = "a number, boolean or string";
        let cases = [
            (
                &[r#"{"a":1}"#, r#"{"a":{"b":1}}"#][..],
                (2, "a", format!("an object, but {scalar} on line 1")),
                "a: Int64",
            ),
            (
                &[r#"{"a":{"b":1}}"#, r#"{"a":1}"#],
                (2, "a", format!("{scalar}, but an object on line 1")),
                "a: Struct(\"b\": Int64)",
            ),
            (
                &[r#"{"a":{"b":[1]}}"#, "{}", r#"{"a":{"b":true}}"#],
                (3, "a.b", format!("{scalar}, but an array on line 1")),
                "a: Struct(\"b\": List(Int64))",
            ),
        ];
        for (lines, (line, field, what), first) in cases {
            let conflict =
                Conflict { place: RecordLocation::of_line(line), field: field.into(), what };
            assert_eq!(inferred(lines, false).unwrap_err(), conflict);
            assert_eq!(inferred(lines, true).unwrap(), first);
        }
        for text in ["[1]", "{\"a\"", "{} x", "{\"a\":1e999}"] {
            let _ = Inference::default().add(text.as_bytes(), RecordLocation::default());
        }
    }
}
