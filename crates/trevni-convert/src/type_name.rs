//! Parses the names of types.
//!
//! ```text
//! text string utf8     bool boolean     int8 .. uint64     float double     decimal(10,2)
//! date     time time[ns]     timestamp timestamp[ms]     timestamp_tz timestamp[us,UTC]
//! json     list(int64)     map(utf8, list(int64))
//! ```

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Fields, TimeUnit};

use crate::json_field::json_field;
use trevni::{Error, Result};

/// Returns the field of a type's name, which may also be `json`: text that is JSON, as the extension type `arrow.json`
/// says.
pub fn parse_field(name: &str, type_name: &str) -> Result<Field> {
    match type_name.trim().eq_ignore_ascii_case("json") {
        true => Ok(json_field(name)),
        false => Ok(Field::new(name, parse_type(type_name)?, true)),
    }
}

/// Returns the type of a name: one of the short ones, in any case, or as Arrow writes it.
pub fn parse_type(name: &str) -> Result<DataType> {
    let lower = name.trim().to_ascii_lowercase();
    let micros = TimeUnit::Microsecond;
    Ok(match lower.as_str() {
        "utf8" | "string" | "str" | "text" | "varchar" => DataType::Utf8,
        "bool" | "boolean" => DataType::Boolean,
        "int8" => DataType::Int8,
        "int16" => DataType::Int16,
        "int32" | "integer" => DataType::Int32,
        "int64" | "int" | "bigint" => DataType::Int64,
        "uint8" => DataType::UInt8,
        "uint16" => DataType::UInt16,
        "uint32" => DataType::UInt32,
        "uint64" => DataType::UInt64,
        "float16" => DataType::Float16,
        "float32" => DataType::Float32,
        "float64" | "float" | "double" => DataType::Float64,
        "date" | "date32" => DataType::Date32,
        "date64" => DataType::Date64,
        "time" => DataType::Time64(micros),
        "timestamp" | "datetime" => DataType::Timestamp(micros, None),
        "timestamp_tz" | "timestamptz" => DataType::Timestamp(micros, Some(Arc::from("UTC"))),
        _ => {
            return parameters(name.trim())
                .or_else(|| name.parse().ok())
                .ok_or_else(|| unknown(name));
        }
    })
}

/// Returns a map of the types of keys and of values, between which is the first comma that is in no brackets.
fn map(inner: &str) -> Option<DataType> {
    let mut depth = 0;
    let comma = inner.find(|c| {
        depth += i32::from(matches!(c, '(' | '[')) - i32::from(matches!(c, ')' | ']'));
        c == ',' && depth == 0
    })?;
    let (key, value) = (inner.get(..comma)?, inner.get(comma + 1..)?);
    let key = parse_field("key", key).ok()?.with_nullable(false);
    let entries = Fields::from(vec![key, parse_field("value", value).ok()?]);
    let entries = Field::new("entries", DataType::Struct(entries), false);
    Some(DataType::Map(Arc::new(entries), false))
}

fn unknown(name: &str) -> Error {
    Error::invalid(format!(
        "no type {name:?}: there are utf8, bool, int8 to int64, uint8 to uint64, float32, float64, date, time, timestamp, \
         timestamp[us,UTC], decimal(10,2), map(utf8, int64) and json, and those of Arrow as it writes them"
    ))
}

/// Returns a type with parameters in brackets.
fn parameters(name: &str) -> Option<DataType> {
    let (kind, rest) = name.split_once(['(', '['])?;
    let inner = rest.strip_suffix([')', ']'])?;
    match kind.trim().to_ascii_lowercase().as_str() {
        "map" => return map(inner),
        "list" => {
            let item = parse_field(Field::LIST_FIELD_DEFAULT_NAME, inner).ok()?;
            return Some(DataType::List(Arc::new(item)));
        }
        _ => {}
    }
    let mut inner = inner.split(',').map(str::trim);
    let (first, second) = (inner.next()?, inner.next());
    if inner.next().is_some() {
        return None;
    }
    match kind.trim().to_ascii_lowercase().as_str() {
        "decimal" | "numeric" => {
            let precision = first.parse().ok().filter(|n| (1..=76).contains(n))?;
            let scale: i8 = second.map_or(Some(0), |scale| scale.parse().ok())?;
            let fits = scale.unsigned_abs() <= precision;
            match precision {
                _ if !fits => None,
                ..=38 => Some(DataType::Decimal128(precision, scale)),
                _ => Some(DataType::Decimal256(precision, scale)),
            }
        }
        "timestamp" => {
            let zone = second.map(|zone| Arc::from(zone.trim_matches(['"', '\''])));
            Some(DataType::Timestamp(unit(first)?, zone))
        }
        "time" if second.is_none() => Some(match unit(first)? {
            unit @ (TimeUnit::Second | TimeUnit::Millisecond) => DataType::Time32(unit),
            unit => DataType::Time64(unit),
        }),
        _ => None,
    }
}

fn unit(name: &str) -> Option<TimeUnit> {
    Some(match name {
        "s" => TimeUnit::Second,
        "ms" => TimeUnit::Millisecond,
        "us" | "µs" => TimeUnit::Microsecond,
        "ns" => TimeUnit::Nanosecond,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_names() {
        let stamp = |unit, zone: Option<&str>| DataType::Timestamp(unit, zone.map(Arc::from));
        for (name, expected) in [
            ("utf8", DataType::Utf8),
            ("Int64", DataType::Int64),
            ("double", DataType::Float64),
            ("date", DataType::Date32),
            ("time[ns]", DataType::Time64(TimeUnit::Nanosecond)),
            ("time[s]", DataType::Time32(TimeUnit::Second)),
            ("timestamp", stamp(TimeUnit::Microsecond, None)),
            ("timestamp[ms]", stamp(TimeUnit::Millisecond, None)),
            ("timestamp_tz", stamp(TimeUnit::Microsecond, Some("UTC"))),
            ("timestamp[us,UTC]", stamp(TimeUnit::Microsecond, Some("UTC"))),
            ("timestamp[ns, Europe/Berlin]", stamp(TimeUnit::Nanosecond, Some("Europe/Berlin"))),
            ("decimal(10,2)", DataType::Decimal128(10, 2)),
            ("decimal(50, 0)", DataType::Decimal256(50, 0)),
            ("LargeUtf8", DataType::LargeUtf8),
            ("Decimal128(5, 1)", DataType::Decimal128(5, 1)),
            (
                "Dictionary(Int32, Utf8)",
                DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)),
            ),
        ] {
            assert_eq!(parse_type(name).unwrap(), expected, "{name}");
        }
        for name in
            ["", "number", "decimal(0,0)", "decimal(2,3)", "timestamp[xs]", "decimal(1,2,3)"]
        {
            assert!(parse_type(name).unwrap_err().to_string().contains("no type"), "{name}");
        }
    }
}
