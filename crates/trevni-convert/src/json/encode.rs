//! Encodes the types as JSON that `arrow-json` does not write, or not without loss.
//!
//! ```text
//! union       {"branch":value}, as Avro's JSON encoding has it; a null branch is null
//! map         {"a":1}; where keys are not text [{"key":1,"value":2}]
//! interval    "P14M3DT0.5S": months, days and seconds, each with its own sign; "PT0S" if all are 0
//! times       that are out of range: integers
//! decimals    of more digits than their type allows: all of the digits
//! JSON text   as it is, without blanks
//! ```

use std::fmt::Write;

use arrow::array::{Array, ArrayRef, AsArray, MapArray, UnionArray};
use arrow::compute::cast;
use arrow::datatypes::{
    DataType, Decimal256Type, FieldRef, IntervalDayTimeType, IntervalMonthDayNanoType,
    IntervalUnit, IntervalYearMonthType,
};
use arrow::error::ArrowError;
use arrow::json::writer::{NullableEncoder, make_encoder};
use arrow::json::{Encoder, EncoderFactory, EncoderOptions};

use super::json_text::minified;
use super::scanner::Scanner;
use crate::data_type::is_text;
use crate::json_field::is_json;
use crate::temporal_range;
use trevni::arrow::wider_decimals;

/// Encoders for unions, maps, intervals, and times out of range.
#[derive(Debug)]
pub(super) struct Encoders;

impl EncoderFactory for Encoders {
    fn make_default_encoder<'a>(
        &self,
        field: &'a FieldRef,
        array: &'a dyn Array,
        options: &'a EncoderOptions,
    ) -> Result<Option<NullableEncoder<'a>>, ArrowError> {
        let encoder: Box<dyn Encoder + 'a> = match array.data_type() {
            _ if is_json(field) => Box::new(JsonText(json_texts(array)?)),
            DataType::Union(..) => Box::new(Union::try_new(array, options)?),
            DataType::Map(..) => Box::new(Map::try_new(array.as_map(), options)?),
            DataType::Interval(unit) => Box::new(Interval { array, unit: *unit }),
            other if other.is_temporal() && !temporal_range::is_printable(array) => {
                Box::new(Times(temporal_range::Texts::try_new(array)?))
            }
            other if other.is_decimal() => match wider_decimals(array)? {
                Some(wider) => Box::new(Decimals(wider)),
                None => return Ok(None),
            },
            _ => return Ok(None),
        };
        // A union has no validity.
        Ok(Some(NullableEncoder::new(encoder, array.nulls().cloned())))
    }
}

struct Union<'a> {
    array: &'a UnionArray,
    /// Of each branch its type id, its name as a key, and its values.
    branches: Vec<(i8, Vec<u8>, NullableEncoder<'a>)>,
}

impl<'a> Union<'a> {
    fn try_new(array: &'a dyn Array, options: &'a EncoderOptions) -> Result<Self, ArrowError> {
        let DataType::Union(fields, _) = array.data_type() else {
            return Err(ArrowError::JsonError("a union was announced".into()));
        };
        let array = array.as_union();
        let branch = |(id, field): (i8, &'a FieldRef)| {
            let values = make_encoder(field, array.child(id).as_ref(), options)?;
            let name = serde_json::Value::from(field.name().as_str()).to_string();
            Ok((id, format!("{{{name}:").into_bytes(), values))
        };
        let branches = fields.iter().map(branch).collect::<Result<_, ArrowError>>()?;
        Ok(Self { array, branches })
    }
}

impl Encoder for Union<'_> {
    fn encode(&mut self, row: usize, out: &mut Vec<u8>) {
        let (id, at) = (self.array.type_id(row), self.array.value_offset(row));
        let branch = self.branches.iter_mut().find(|(branch, _, _)| *branch == id);
        match branch {
            Some((_, name, values)) if !values.is_null(at) => {
                out.extend_from_slice(name);
                values.encode(at, out);
                out.push(b'}');
            }
            _ => out.extend_from_slice(b"null"),
        }
    }
}

struct Map<'a> {
    array: &'a MapArray,
    keys: NullableEncoder<'a>,
    values: NullableEncoder<'a>,
    /// Whether the keys are text, and a map is an object.
    object: bool,
}

impl<'a> Map<'a> {
    fn try_new(array: &'a MapArray, options: &'a EncoderOptions) -> Result<Self, ArrowError> {
        let (keys, values) = array.entries_fields();
        let field = |name: &str| match array.data_type() {
            DataType::Map(entries, _) => match entries.data_type() {
                DataType::Struct(fields) => fields.iter().find(|field| field.name() == name),
                _ => None,
            },
            _ => None,
        };
        let (Some(key), Some(value)) = (field(keys.name()), field(values.name())) else {
            return Err(ArrowError::JsonError("a map was announced".into()));
        };
        Ok(Self {
            array,
            keys: make_encoder(key, array.keys().as_ref(), options)?,
            values: make_encoder(value, array.values().as_ref(), options)?,
            object: is_text(key.data_type()) && array.keys().logical_null_count() == 0,
        })
    }
}

impl Encoder for Map<'_> {
    fn encode(&mut self, row: usize, out: &mut Vec<u8>) {
        let offsets = self.array.value_offsets();
        let at = |row: usize| offsets.get(row).and_then(|at| usize::try_from(*at).ok());
        let entries = at(row).unwrap_or(0)..at(row + 1).unwrap_or(0);
        out.push(if self.object { b'{' } else { b'[' });
        for (n, entry) in entries.enumerate() {
            if n > 0 {
                out.push(b',');
            }
            if self.object {
                self.keys.encode(entry, out);
                out.push(b':');
                put(&mut self.values, entry, out);
            } else {
                out.extend_from_slice(b"{\"key\":");
                put(&mut self.keys, entry, out);
                out.extend_from_slice(b",\"value\":");
                put(&mut self.values, entry, out);
                out.push(b'}');
            }
        }
        out.push(if self.object { b'}' } else { b']' });
    }
}

fn put(values: &mut NullableEncoder<'_>, at: usize, out: &mut Vec<u8>) {
    match values.is_null(at) {
        true => out.extend_from_slice(b"null"),
        false => values.encode(at, out),
    }
}

/// Values that are JSON text.
struct JsonText(ArrayRef);

impl Encoder for JsonText {
    fn encode(&mut self, row: usize, out: &mut Vec<u8>) {
        out.extend_from_slice(minified(self.0.as_string::<i64>().value(row)).as_bytes());
    }
}

/// Fails at a text that is not one JSON value.
fn json_texts(array: &dyn Array) -> Result<ArrayRef, ArrowError> {
    let texts = cast(array, &DataType::LargeUtf8)?;
    for (row, text) in texts.as_string::<i64>().iter().enumerate() {
        let mut json = text.map(Scanner::new);
        let is_value = |json: &mut Scanner<'_>| json.skip().is_some() && json.peek().is_none();
        if json.as_mut().is_some_and(|json| !is_value(json)) {
            let what = format!("value {row} is not JSON, which its type arrow.json says it is");
            return Err(ArrowError::JsonError(what));
        }
    }
    Ok(texts)
}

/// Decimals of more digits than their type allows.
struct Decimals(ArrayRef);

impl Encoder for Decimals {
    fn encode(&mut self, row: usize, out: &mut Vec<u8>) {
        let decimals = self.0.as_primitive::<Decimal256Type>();
        out.extend_from_slice(decimals.value_as_string(row).as_bytes());
    }
}

/// Dates, times and durations of which some are out of range.
struct Times<'a>(temporal_range::Texts<'a>);

impl Encoder for Times<'_> {
    fn encode(&mut self, row: usize, out: &mut Vec<u8>) {
        match self.0.value(row) {
            Ok(text) => {
                out.push(b'"');
                out.extend_from_slice(text.as_bytes());
                out.push(b'"');
            }
            Err(integer) => out.extend_from_slice(integer.to_string().as_bytes()),
        }
    }
}

struct Interval<'a> {
    array: &'a dyn Array,
    unit: IntervalUnit,
}

impl Encoder for Interval<'_> {
    fn encode(&mut self, row: usize, out: &mut Vec<u8>) {
        let (months, days, nanoseconds) = match self.unit {
            IntervalUnit::YearMonth => {
                (self.array.as_primitive::<IntervalYearMonthType>().value(row), 0, 0)
            }
            IntervalUnit::DayTime => {
                let value = self.array.as_primitive::<IntervalDayTimeType>().value(row);
                (0, value.days, i64::from(value.milliseconds) * 1_000_000)
            }
            IntervalUnit::MonthDayNano => {
                let value = self.array.as_primitive::<IntervalMonthDayNanoType>().value(row);
                (value.months, value.days, value.nanoseconds)
            }
        };
        out.push(b'"');
        out.extend_from_slice(duration(months, days, nanoseconds).as_bytes());
        out.push(b'"');
    }
}

/// Returns an interval as an ISO 8601 duration.
fn duration(months: i32, days: i32, nanoseconds: i64) -> String {
    let mut text = String::from("P");
    // Writing to a string does not fail.
    if months != 0 {
        let _ = write!(text, "{months}M");
    }
    if days != 0 {
        let _ = write!(text, "{days}D");
    }
    if nanoseconds != 0 || (months == 0 && days == 0) {
        let sign = if nanoseconds < 0 { "-" } else { "" };
        let (whole, part) = (
            nanoseconds.unsigned_abs() / 1_000_000_000,
            nanoseconds.unsigned_abs() % 1_000_000_000,
        );
        let seconds = match part {
            0 => format!("{whole}"),
            _ => format!("{whole}.{part:09}").trim_end_matches('0').to_owned(),
        };
        let _ = write!(text, "T{sign}{seconds}S");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_iso_8601_durations() {
        for (months, days, nanoseconds, text) in [
            (0, 0, 0, "PT0S"),
            (14, 0, 0, "P14M"),
            (-14, 3, 0, "P-14M3D"),
            (0, 0, 1_500_000_000, "PT1.5S"),
            (1, -2, -1, "P1M-2DT-0.000000001S"),
            (0, 0, i64::MIN, "PT-9223372036.854775808S"),
        ] {
            assert_eq!(duration(months, days, nanoseconds), text);
        }
    }
}
