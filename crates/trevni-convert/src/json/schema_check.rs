//! Checks that JSON values fit a schema, without building them.
//!
//! ```text
//! {"a":0.5,"b":{"c":"x"}}      a: Int64         misfit: a, 0.5
//!                              b.c: Int64       misfit: b.c, a string; under a declared type, "7" is a number
//! ```
//! The decoder of arrow-json makes integers of fractions, and numbers of strings: neither may happen silently.

use std::cell::{Cell, RefCell};
use std::fmt;

use arrow::datatypes::{DataType, Field, FieldRef, SchemaRef};
use serde::de::{
    DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor,
};

use super::declared_types::{is_marked, is_text};
use super::field_name::FieldName;
use super::layout::Values;

/// Checks values against a schema.
#[derive(Debug)]
pub(super) struct Fit {
    record: DataType,
    /// Whether strings are no numbers, and members that the schema does not have are misfits.
    is_strict: bool,
}

/// A value that does not fit.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Misfit {
    pub(super) path: Vec<String>,
    pub(super) what: String,
    /// Whether it is an array or an object, the type is text, and it may be that text.
    pub(super) is_nested_text: bool,
}

/// Where a check is, and what it found.
struct Check {
    is_strict: bool,
    path: RefCell<Vec<String>>,
    what: RefCell<Option<String>>,
    is_nested_text: Cell<bool>,
}

impl Fit {
    pub(super) fn new(schema: &SchemaRef, is_strict: bool) -> Self {
        Self { record: DataType::Struct(schema.fields().clone()), is_strict }
    }

    /// Finds the first value of some records that does not fit. Invalid JSON is not inspected further.
    pub(super) fn check(&self, text: &[u8]) -> Result<(), Misfit> {
        let check = Check {
            is_strict: self.is_strict,
            path: RefCell::default(),
            what: RefCell::default(),
            is_nested_text: Cell::new(false),
        };
        for value in Values(text) {
            let mut json = serde_json::Deserializer::from_slice(value);
            let is_given = !self.is_strict;
            let at = At { data_type: &self.record, is_nullable: true, is_given, check: &check };
            if at.deserialize(&mut json).is_err() {
                break;
            }
        }
        match check.what.into_inner() {
            Some(what) => {
                let mut path = check.path.into_inner();
                path.reverse();
                Err(Misfit { path, what, is_nested_text: check.is_nested_text.get() })
            }
            None => Ok(()),
        }
    }
}

/// A value of a type.
struct At<'a> {
    data_type: &'a DataType,
    is_nullable: bool,
    /// Whether the type is declared, not inferred.
    is_given: bool,
    check: &'a Check,
}

impl At<'_> {
    fn of<'a>(&self, field: &'a Field, check: &'a Check) -> At<'a> {
        At {
            data_type: field.data_type(),
            is_nullable: field.is_nullable(),
            is_given: self.is_given || is_marked(field),
            check,
        }
    }

    /// Returns an array or an object that is not of the type.
    fn nested<E: serde::de::Error>(&self, kind: &str) -> E {
        self.check.is_nested_text.set(self.is_given && is_text(self.data_type));
        self.misfit(kind)
    }

    fn misfit<E: serde::de::Error>(&self, kind: impl fmt::Display) -> E {
        let name = match self.data_type {
            DataType::Struct(_) => "Struct".to_owned(),
            DataType::List(_) => "List".to_owned(),
            DataType::Map(..) => "Map".to_owned(),
            other => other.to_string(),
        };
        self.misfit_of(format!("{kind}, and the type is {name}"))
    }

    fn misfit_of<E: serde::de::Error>(&self, what: String) -> E {
        self.check.what.replace(Some(what));
        E::custom("a value does not fit")
    }

    fn scalar<E: serde::de::Error>(&self, kind: &str, fits: bool) -> Result<(), E> {
        if fits || is_text(self.data_type) { Ok(()) } else { Err(self.misfit(kind)) }
    }
}

/// Returns whether a type is read from numbers. For types that are read from strings only, the decoder reports
/// errors.
fn is_number(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => is_number(values),
        DataType::RunEndEncoded(_, values) => is_number(values.data_type()),
        other => other.is_primitive(),
    }
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

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        if self.is_nullable {
            return Ok(());
        }
        Err(self.misfit_of("null, but the field is not nullable".to_owned()))
    }

    fn visit_bool<E: serde::de::Error>(self, _: bool) -> Result<(), E> {
        self.scalar("a boolean", *self.data_type == DataType::Boolean)
    }

    fn visit_i64<E: serde::de::Error>(self, _: i64) -> Result<(), E> {
        self.scalar("a number", is_number(self.data_type))
    }

    fn visit_u64<E: serde::de::Error>(self, _: u64) -> Result<(), E> {
        self.scalar("a number", is_number(self.data_type))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<(), E> {
        if self.data_type.is_integer() && value.fract() != 0.0 {
            return Err(self.misfit(value));
        }
        self.scalar("a number", is_number(self.data_type))
    }

    fn visit_str<E: serde::de::Error>(self, _: &str) -> Result<(), E> {
        let is_other = self.data_type.is_nested()
            || matches!(self.data_type, DataType::Boolean | DataType::Null)
            || (!self.is_given && self.data_type.is_primitive());
        self.scalar("a string", !is_other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<(), A::Error> {
        let (DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _)) = self.data_type
        else {
            return Err(self.nested("an array"));
        };
        while values.next_element_seed(self.of(item, self.check))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        let mut likely = 0;
        let fields = match self.data_type {
            DataType::Struct(fields) => fields,
            DataType::Map(entries, _) => {
                while object.next_key::<IgnoredAny>()?.is_some() {
                    match value_of(entries) {
                        Some(value) => object.next_value_seed(self.of(value, self.check))?,
                        None => drop(object.next_value::<IgnoredAny>()?),
                    }
                }
                return Ok(());
            }
            _ => return Err(self.nested("an object")),
        };
        let other = |name: &str| {
            if self.check.is_strict {
                self.check.path.borrow_mut().push(name.to_owned());
                self.check.what.replace(Some("not among the fields".to_owned()));
            }
        };
        while let Some(found) = object.next_key_seed(FieldName { fields, likely, other })? {
            let Some(at) = found else {
                if self.check.is_strict {
                    return Err(A::Error::custom("a value does not fit"));
                }
                object.next_value::<IgnoredAny>()?;
                continue;
            };
            likely = at + 1;
            if let Some(field) = fields.get(at) {
                let value = object.next_value_seed(self.of(field, self.check));
                if value.is_err() {
                    self.check.path.borrow_mut().push(field.name().clone());
                }
                value?;
            }
        }
        Ok(())
    }
}

/// Returns the values of a map.
fn value_of(entries: &FieldRef) -> Option<&FieldRef> {
    match entries.data_type() {
        DataType::Struct(fields) => fields.get(1),
        _ => None,
    }
}
