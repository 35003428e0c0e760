//! Avro schemas, and the columns of the Avro layout.
//!
//! ```text
//! avro.schema  -- parse -->  Avro  -- to_json -->  avro.schema
//! Schema  -- from_arrow -->  Avro  -- to_arrow -->  Schema
//!                            Avro  -- plan ------>  columns and shapes
//! ```
//! A schema that is no record at the top is one field, named like its type: `int`, `array`, `map`, `union`, or the
//! full name of an enum or a fixed.

mod canonical_text;
mod columns;
mod from_arrow;
mod java_numbers;
mod json;
mod original_names;
pub(crate) mod parse;
mod to_arrow;

pub(crate) use columns::plan;
pub(crate) use from_arrow::from_arrow;
pub use from_arrow::legal_avro_name;
pub use original_names::ORIGINAL_NAME_KEY;
pub(crate) use to_arrow::to_arrow;

use std::sync::Arc;

use arrow::datatypes::Schema;

use crate::error::Result;
use crate::format::value::ValueType;
use crate::keys::AVRO_SCHEMA;

/// Converts an Avro schema in JSON to the Arrow schema with which files in the Avro layout are read. Its metadata
/// has the JSON under `avro.schema`, so that writing it produces the same text.
pub fn schema_from_avro(json: &str) -> Result<Schema> {
    with_text(&Avro::parse(json.as_bytes())?, json)
}

/// Converts an Arrow schema to the Avro schema, in JSON, that files in the Avro layout have: the schema it was
/// converted from, or else a new one. Fails with the name of a field that Avro cannot represent.
pub fn schema_to_avro(schema: &Schema) -> Result<String> {
    Ok(of_schema(schema)?.1)
}

/// The Arrow schema of an Avro schema, with the text that this was parsed from, in its normal form.
pub(crate) fn with_text(avro: &Avro, text: &str) -> Result<Schema> {
    let mut schema = to_arrow(avro)?;
    let text = canonical_text::normal(text).unwrap_or_else(|| text.to_owned());
    schema.metadata.insert(AVRO_SCHEMA.to_owned(), text);
    Ok(schema)
}

/// Returns the Avro schema that an Arrow schema was converted from, if it still describes all fields, or else a new
/// one; and its text.
pub(crate) fn of_schema(schema: &Schema) -> Result<(Avro, String)> {
    if let Some(text) = schema.metadata().get(AVRO_SCHEMA) {
        let avro = Avro::parse(text.as_bytes())?;
        if to_arrow(&avro)?.fields() == schema.fields() {
            return Ok((avro, text.clone()));
        }
    }
    let avro = from_arrow(schema)?;
    let text = original_names::add(&avro, schema).to_string();
    Ok((avro, text))
}

/// Returns whether the text of its Avro schema describes an Arrow schema completely.
pub(crate) fn says_all(text: &str, schema: &Schema) -> Result<bool> {
    Ok(schema_from_avro(text)? == *schema)
}

/// A schema; references to named types are replaced by the types.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Avro {
    Primitive(Primitive, Option<Logical>),
    Fixed { name: String, size: i32, logical: Option<Logical> },
    Enum { name: String, symbols: Arc<[String]> },
    Record { name: String, fields: Vec<(String, Avro)> },
    Array(Box<Avro>),
    Map(Box<Avro>),
    Union(Vec<Avro>),
}

impl Avro {
    pub(crate) fn logical(&self) -> Option<Logical> {
        match self {
            Avro::Primitive(_, logical) | Avro::Fixed { logical, .. } => *logical,
            _ => None,
        }
    }
}

/// The types without parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Primitive {
    Null,
    Boolean,
    Int,
    Long,
    Float,
    Double,
    Bytes,
    String,
}

const PRIMITIVES: [(Primitive, &str, ValueType); 8] = [
    (Primitive::Null, "null", ValueType::Null),
    (Primitive::Boolean, "boolean", ValueType::Boolean),
    (Primitive::Int, "int", ValueType::Int),
    (Primitive::Long, "long", ValueType::Long),
    (Primitive::Float, "float", ValueType::Float),
    (Primitive::Double, "double", ValueType::Double),
    (Primitive::Bytes, "bytes", ValueType::Bytes),
    (Primitive::String, "string", ValueType::String),
];

/// The logical type of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Logical {
    Decimal { precision: u8, scale: u8 },
    Date,
    TimeMillis,
    TimeMicros,
    TimestampMillis,
    TimestampMicros,
    TimestampNanos,
    LocalTimestampMillis,
    LocalTimestampMicros,
    LocalTimestampNanos,
    Uuid,
    Duration,
}

/// All but decimal, which has parameters.
const LOGICALS: [(Logical, &str); 11] = [
    (Logical::Date, "date"),
    (Logical::TimeMillis, "time-millis"),
    (Logical::TimeMicros, "time-micros"),
    (Logical::TimestampMillis, "timestamp-millis"),
    (Logical::TimestampMicros, "timestamp-micros"),
    (Logical::TimestampNanos, "timestamp-nanos"),
    (Logical::LocalTimestampMillis, "local-timestamp-millis"),
    (Logical::LocalTimestampMicros, "local-timestamp-micros"),
    (Logical::LocalTimestampNanos, "local-timestamp-nanos"),
    (Logical::Uuid, "uuid"),
    (Logical::Duration, "duration"),
];

impl Primitive {
    fn name(self) -> &'static str {
        PRIMITIVES.iter().find(|(p, ..)| *p == self).map_or("null", |(_, name, _)| name)
    }

    fn from_name(name: &str) -> Option<Self> {
        PRIMITIVES.iter().find(|(_, n, _)| *n == name).map(|(p, ..)| *p)
    }
}

impl Logical {
    fn name(self) -> &'static str {
        LOGICALS.iter().find(|(l, _)| *l == self).map_or("decimal", |(_, name)| name)
    }

    fn from_name(name: &str) -> Option<Self> {
        LOGICALS.iter().find(|(_, n)| *n == name).map(|(l, _)| *l)
    }
}

impl Avro {
    const NULL: Avro = Avro::Primitive(Primitive::Null, None);

    pub(crate) fn is_null(&self) -> bool {
        matches!(self, Avro::Primitive(Primitive::Null, _))
    }

    /// Returns the name that tells branches of a union apart.
    pub(crate) fn full_name(&self) -> &str {
        match self {
            Avro::Primitive(primitive, _) => primitive.name(),
            Avro::Fixed { name, .. } | Avro::Enum { name, .. } | Avro::Record { name, .. } => name,
            Avro::Array(_) => "array",
            Avro::Map(_) => "map",
            Avro::Union(_) => "union",
        }
    }

    /// Returns the value type, of a schema that is one column.
    fn value_type(&self) -> Option<ValueType> {
        match self {
            Avro::Primitive(primitive, _) => {
                PRIMITIVES.iter().find(|(p, ..)| p == primitive).map(|(.., value_type)| *value_type)
            }
            Avro::Fixed { .. } => Some(ValueType::Bytes),
            Avro::Enum { .. } => Some(ValueType::Int),
            _ => None,
        }
    }
}
