//! The common type in which the values of two columns are compared.
//!
//! ```text
//! same type            itself                    int, float           float64
//! text, text           LargeUtf8                 decimals             decimal256 of the larger scale
//! integers             int64, or decimal128      times, timestamps    the finer unit; zones on both sides or neither
//! ```

use arrow::datatypes::{DataType, TimeUnit};

/// Digits of any 64-bit integer.
const INTEGER_DIGITS: u8 = 20;
/// Digits of the widest decimal type.
const MOST_DIGITS: u8 = 76;

/// Returns the type that holds the values of both; `None` if these cannot be compared.
pub(super) fn common_type(one: &DataType, other: &DataType) -> Option<DataType> {
    use DataType::*;
    if one.is_nested() || other.is_nested() {
        return None;
    }
    if one == other {
        return Some(one.clone());
    }
    Some(match (one, other) {
        (Null, other) | (other, Null) => other.clone(),
        (one, other) if is_text(one) && is_text(other) => LargeUtf8,
        (one, other) if is_binary(one) && is_binary(other) => LargeBinary,
        (one, other) if is_date(one) && is_date(other) => Date64,
        (Timestamp(unit, zone), Timestamp(other_unit, other_zone)) => {
            if zone.is_some() != other_zone.is_some() {
                return None;
            }
            Timestamp(finer(*unit, *other_unit), zone.clone())
        }
        (Duration(unit), Duration(other)) => Duration(finer(*unit, *other)),
        (Time32(_) | Time64(_), Time32(_) | Time64(_)) => Time64(TimeUnit::Nanosecond),
        (one, other) if one.is_numeric() && other.is_numeric() => number(one, other),
        _ => return None,
    })
}

fn number(one: &DataType, other: &DataType) -> DataType {
    if one.is_floating() || other.is_floating() {
        return DataType::Float64;
    }
    let scale = |data_type: &DataType| match data_type {
        DataType::Decimal32(_, scale)
        | DataType::Decimal64(_, scale)
        | DataType::Decimal128(_, scale)
        | DataType::Decimal256(_, scale) => Some(*scale),
        _ => None,
    };
    match (scale(one), scale(other)) {
        (None, None) if *one == DataType::UInt64 || *other == DataType::UInt64 => {
            DataType::Decimal128(INTEGER_DIGITS, 0)
        }
        (None, None) => DataType::Int64,
        (one, other) => DataType::Decimal256(MOST_DIGITS, one.unwrap_or(0).max(other.unwrap_or(0))),
    }
}

fn finer(one: TimeUnit, other: TimeUnit) -> TimeUnit {
    one.max(other)
}

fn is_text(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

fn is_binary(data_type: &DataType) -> bool {
    matches!(
        data_type,
        DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView
            | DataType::FixedSizeBinary(_)
    )
}

fn is_date(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Date32 | DataType::Date64)
}
