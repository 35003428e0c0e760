//! Converts Avro schemas to Arrow schemas.
//!
//! ```text
//! record   struct                       ["null", T]      nullable T
//! enum     dictionary<int32, utf8>      other unions     dense union, the null branch a null field
//! fixed    fixed-size binary            ["null"]         null
//! ```
//! Logical types become the corresponding Arrow types, in UTC for instants. A UUID stays string or bytes. A
//! duration is an interval of months, days and nanoseconds; one that exceeds Arrow's range is an error when it is
//! read.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::datatypes::*;

use super::{Avro, Logical, Primitive};
use crate::error::{Error, Result};
use crate::keys::AVRO_ENUM_SYMBOLS;
use crate::keys::AVRO_NAME;

/// The Arrow schema of an Avro schema.
pub(crate) fn to_arrow(avro: &Avro) -> Result<Schema> {
    match avro {
        Avro::Record { name, fields } => {
            let metadata = HashMap::from([(AVRO_NAME.to_owned(), name.clone())]);
            Ok(Schema::new_with_metadata(record(fields)?, metadata))
        }
        other => Ok(Schema::new(vec![field(other.full_name(), other)?])),
    }
}

fn record(fields: &[(String, Avro)]) -> Result<Fields> {
    fields.iter().map(|(name, avro)| field(name, avro).map(Arc::new)).collect()
}

fn field(name: &str, avro: &Avro) -> Result<Field> {
    if let Avro::Union(branches) = avro {
        return match branches.as_slice() {
            [null] if null.is_null() => Ok(Field::new(name, DataType::Null, true)),
            [null, inner] | [inner, null] if null.is_null() => {
                Ok(field(name, inner)?.with_nullable(true))
            }
            branches => union(name, branches),
        };
    }
    let mut metadata = HashMap::new();
    if let Avro::Record { name, .. } | Avro::Enum { name, .. } | Avro::Fixed { name, .. } = avro {
        metadata.insert(AVRO_NAME.to_owned(), name.clone());
    }
    if let Avro::Enum { symbols, .. } = avro {
        metadata.insert(AVRO_ENUM_SYMBOLS.to_owned(), serde_json::json!(&**symbols).to_string());
    }
    Ok(Field::new(name, data_type(avro)?, avro.is_null()).with_metadata(metadata))
}

fn union(name: &str, branches: &[Avro]) -> Result<Field> {
    let fields = branches.iter().map(|avro| field(avro.full_name(), avro));
    let fields = fields.collect::<Result<Vec<_>>>()?;
    let ids: Option<Vec<i8>> = (0..fields.len()).map(|id| i8::try_from(id).ok()).collect();
    let ids = ids.ok_or_else(|| Error::unsupported("a union of more than 128 branches"))?;
    let fields = UnionFields::try_new(ids, fields)?;
    let nullable = branches.iter().any(Avro::is_null);
    Ok(Field::new(name, DataType::Union(fields, UnionMode::Dense), nullable))
}

fn data_type(avro: &Avro) -> Result<DataType> {
    Ok(match avro {
        Avro::Primitive(_, Some(logical)) | Avro::Fixed { logical: Some(logical), .. } => {
            logical_type(*logical, avro)
        }
        Avro::Primitive(primitive, None) => primitive_type(*primitive),
        Avro::Fixed { size, .. } => DataType::FixedSizeBinary(*size),
        Avro::Enum { .. } => {
            DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
        }
        Avro::Record { fields, .. } => DataType::Struct(record(fields)?),
        Avro::Array(items) => DataType::List(Arc::new(field("item", items)?)),
        Avro::Map(values) => {
            let key = Field::new("key", DataType::Utf8, false);
            let entries = DataType::Struct(vec![key, field("value", values)?].into());
            DataType::Map(Arc::new(Field::new("entries", entries, false)), false)
        }
        Avro::Union(_) => return Err(Error::malformed("avro.schema: a union directly in a union")),
    })
}

fn primitive_type(primitive: Primitive) -> DataType {
    match primitive {
        Primitive::Null => DataType::Null,
        Primitive::Boolean => DataType::Boolean,
        Primitive::Int => DataType::Int32,
        Primitive::Long => DataType::Int64,
        Primitive::Float => DataType::Float32,
        Primitive::Double => DataType::Float64,
        Primitive::Bytes => DataType::Binary,
        Primitive::String => DataType::Utf8,
    }
}

fn logical_type(logical: Logical, avro: &Avro) -> DataType {
    use TimeUnit::*;
    let utc = || Some("+00:00".into());
    match logical {
        Logical::Decimal { precision, scale } => {
            let scale = i8::try_from(scale).unwrap_or(0);
            if precision <= 38 {
                DataType::Decimal128(precision, scale)
            } else {
                DataType::Decimal256(precision, scale)
            }
        }
        Logical::Date => DataType::Date32,
        Logical::TimeMillis => DataType::Time32(Millisecond),
        Logical::TimeMicros => DataType::Time64(Microsecond),
        Logical::TimestampMillis => DataType::Timestamp(Millisecond, utc()),
        Logical::TimestampMicros => DataType::Timestamp(Microsecond, utc()),
        Logical::TimestampNanos => DataType::Timestamp(Nanosecond, utc()),
        Logical::LocalTimestampMillis => DataType::Timestamp(Millisecond, None),
        Logical::LocalTimestampMicros => DataType::Timestamp(Microsecond, None),
        Logical::LocalTimestampNanos => DataType::Timestamp(Nanosecond, None),
        Logical::Duration => DataType::Interval(IntervalUnit::MonthDayNano),
        Logical::Uuid => match avro {
            Avro::Fixed { size, .. } => DataType::FixedSizeBinary(*size),
            _ => DataType::Utf8,
        },
    }
}
