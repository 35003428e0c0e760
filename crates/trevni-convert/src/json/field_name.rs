//! Finds the field of a member.

use std::fmt;

use arrow::datatypes::Fields;
use serde::de::{DeserializeSeed, Deserializer, Error, Visitor};

/// Finds the field of a name, which most often follows the last one.
pub(super) struct FieldName<'a, F> {
    pub(super) fields: &'a Fields,
    /// The field after the last one.
    pub(super) likely: usize,
    /// Called with a name that no field has.
    pub(super) other: F,
}

impl<'de, F: FnOnce(&str)> DeserializeSeed<'de> for FieldName<'_, F> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_str(self)
    }
}

impl<F: FnOnce(&str)> Visitor<'_> for FieldName<'_, F> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Self::Value, E> {
        if self.fields.get(self.likely).is_some_and(|field| field.name() == name) {
            return Ok(Some(self.likely));
        }
        let found = self.fields.find(name).map(|(at, _)| at);
        if found.is_none() {
            (self.other)(name);
        }
        Ok(found)
    }
}
