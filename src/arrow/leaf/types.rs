//! The value type that holds each leaf type of Arrow.
//!
//! ```text
//! boolean                                                        boolean
//! int8 16 32, uint8 16, date32, time32, interval(year-month)     int
//! uint32, int64, uint64 (its bits), date64, time64, timestamp,
//! duration                                                       long
//! float16 (exactly, NaNs included), float32                      float
//! float64                                                        double
//! decimal of any width: precision to 9, to 18, more              int, long, bytes (high byte first, shortest)
//! interval(day-time)                                             fixed64   Arrow's 8 bytes
//! interval(month-day-nano)                                       bytes     Arrow's 16 bytes
//! utf8, large, view                                              string
//! binary, large, view, fixed-size                                bytes
//! null                                                           null
//! ```
//! Of `int` and `fixed32`, `long` and `fixed64` a file may have either.

mod fixed;
mod float16;
mod narrow;
mod to_arrow;
mod to_values;

pub(crate) use crate::arrow::leaf::types::to_arrow::{to_arrow, to_arrow_optional};
pub(crate) use crate::arrow::leaf::types::to_values::to_values;
pub(crate) use fixed::lower_fixed;

use arrow::datatypes::{DataType, Field, FieldRef, Fields, IntervalUnit};

use crate::arrow::array::nested;
use crate::error::{Error, Result};
use crate::format::value::ValueType;

const INT: &[ValueType] = &[ValueType::Int, ValueType::Fixed32];
const LONG: &[ValueType] =
    &[ValueType::Long, ValueType::Fixed64, ValueType::Int, ValueType::Fixed32];
const DECIMAL_INT: &[ValueType] =
    &[ValueType::Int, ValueType::Fixed32, ValueType::Long, ValueType::Fixed64, ValueType::Bytes];
const DECIMAL_LONG: &[ValueType] =
    &[ValueType::Long, ValueType::Fixed64, ValueType::Int, ValueType::Fixed32, ValueType::Bytes];
const DECIMAL_BYTES: &[ValueType] =
    &[ValueType::Bytes, ValueType::Long, ValueType::Fixed64, ValueType::Int, ValueType::Fixed32];

/// Returns the value types that can hold a leaf type, the one to write first; `None` for types that are no leaf.
pub(crate) fn accepts(data_type: &DataType) -> Option<&'static [ValueType]> {
    use DataType::*;
    Some(match data_type {
        Null => &[ValueType::Null],
        Boolean => &[ValueType::Boolean],
        Int8 | Int16 | Int32 | UInt8 | UInt16 | Date32 | Time32(_) => INT,
        Interval(IntervalUnit::YearMonth) => INT,
        UInt32 | Int64 | UInt64 | Date64 | Time64(_) | Timestamp(..) | Duration(_) => LONG,
        Interval(IntervalUnit::DayTime) => &[ValueType::Fixed64, ValueType::Long],
        Interval(IntervalUnit::MonthDayNano) => &[ValueType::Bytes],
        Float16 | Float32 => &[ValueType::Float],
        Float64 => &[ValueType::Double],
        Decimal32(p, _) | Decimal64(p, _) | Decimal128(p, _) | Decimal256(p, _) => match p {
            0..=9 => DECIMAL_INT,
            10..=18 => DECIMAL_LONG,
            _ => DECIMAL_BYTES,
        },
        Utf8 | LargeUtf8 | Utf8View => &[ValueType::String],
        Binary | LargeBinary | BinaryView | FixedSizeBinary(_) => &[ValueType::Bytes],
        _ => return None,
    })
}

/// Returns whether null rows may have any value of the type.
pub(crate) fn has_slots(data_type: &DataType) -> bool {
    use DataType::*;
    match data_type {
        Utf8 | LargeUtf8 | Utf8View | Binary | LargeBinary | BinaryView | Boolean => true,
        Dictionary(_, values) => has_slots(values),
        data_type => accepts(data_type).is_some_and(|accepts| {
            !accepts.iter().any(|t| matches!(t, ValueType::Bytes | ValueType::Null))
        }),
    }
}

/// Returns the children that a path can name: of a struct, of a map's entries, of a union, or of a list of these.
pub(crate) fn named_fields(data_type: &DataType) -> Option<Fields> {
    match data_type {
        DataType::Struct(fields) => Some(fields.clone()),
        DataType::Map(entries, _) => named_fields(entries.data_type()),
        DataType::Union(fields, _) => Some(fields.iter().map(|(_, field)| field.clone()).collect()),
        other => named_fields(nested::item(other)?.data_type()),
    }
}

/// Key and value of a map's entries.
pub(crate) fn entry(entries: &Field) -> Result<(&FieldRef, &FieldRef)> {
    match entries.data_type() {
        DataType::Struct(fields) => match fields.as_ref() {
            [key, value] => Ok((key, value)),
            _ => Err(Error::invalid("map entries of other than two fields")),
        },
        _ => Err(Error::invalid("map entries that are no struct")),
    }
}
