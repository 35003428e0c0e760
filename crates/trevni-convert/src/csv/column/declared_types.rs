//! Parses columns with declared types.
//!
//! ```text
//! boolean                        true, false, 1, 0
//! integers, floats, decimals     as Arrow's parsers; losing digits is an error unless allowed
//! timestamps with a zone         with an offset, or as local times of the zone; without a zone, without an offset
//! any other flat type            as Arrow's cast from text
//! ```

use std::sync::Arc;

use arrow::array::timezone::Tz;
use arrow::array::{Array, ArrayRef, ArrowPrimitiveType, NullArray, new_null_array};
use arrow::compute::kernels::cast_utils::{Parser, parse_decimal, string_to_datetime};
use arrow::compute::{CastOptions, can_cast_types, cast_with_options};
use arrow::datatypes::*;

use super::{BadRows, Cells, keeps_digits, naive};
use crate::csv::datetime::{self, Datetime};
use crate::csv::{inferred_type, number};
use crate::data_type::is_text;
use crate::float_digits;

/// Returns whether CSV can hold a type.
pub(crate) fn is_readable(data_type: &DataType) -> bool {
    use DataType::*;
    match data_type {
        Binary | LargeBinary | BinaryView | FixedSizeBinary(_) => false,
        Dictionary(_, values) => matches!(values.as_ref(), Utf8 | LargeUtf8 | Utf8View),
        Null => true,
        Timestamp(_, Some(zone)) => zone.parse::<Tz>().is_ok(),
        other => !other.is_nested() && can_cast_types(&Utf8, other),
    }
}

/// Returns the array of all values.
pub(crate) fn parse(cells: Cells<'_>, bad: &mut BadRows) -> ArrayRef {
    use DataType::*;
    match cells.column.field.data_type() {
        Utf8 => cells.texts(true, bad),
        Boolean => Arc::new(cells.booleans(bad, boolean)),
        Int8 => numbers::<Int8Type>(cells, bad),
        Int16 => numbers::<Int16Type>(cells, bad),
        Int32 => numbers::<Int32Type>(cells, bad),
        Int64 => numbers::<Int64Type>(cells, bad),
        UInt8 => numbers::<UInt8Type>(cells, bad),
        UInt16 => numbers::<UInt16Type>(cells, bad),
        UInt32 => numbers::<UInt32Type>(cells, bad),
        UInt64 => numbers::<UInt64Type>(cells, bad),
        Float16 => floats::<Float16Type>(cells, bad, |value| f64::from(value.to_f32())),
        Float32 => floats::<Float32Type>(cells, bad, f64::from),
        Float64 => floats::<Float64Type>(cells, bad, |value| value),
        Date32 => Arc::new(cells.primitives::<Date32Type>(bad, |text| {
            datetime::date(text.as_bytes()).or_else(|| Date32Type::parse(text))
        })),
        Timestamp(unit, None) => cells.timestamps(*unit, None, bad, naive),
        Timestamp(unit, Some(zone)) => in_zone(cells, *unit, zone, bad),
        Decimal32(precision, scale) => decimals::<Decimal32Type>(cells, *precision, *scale, bad),
        Decimal64(precision, scale) => decimals::<Decimal64Type>(cells, *precision, *scale, bad),
        Decimal128(precision, scale) => decimals::<Decimal128Type>(cells, *precision, *scale, bad),
        Decimal256(precision, scale) => decimals::<Decimal256Type>(cells, *precision, *scale, bad),
        Null => nothing(cells, bad),
        other => cast(cells, other, bad),
    }
}

fn boolean(text: &str) -> Option<bool> {
    match text.trim() {
        "1" => Some(true),
        "0" => Some(false),
        text => inferred_type::boolean(text),
    }
}

fn numbers<T: ArrowPrimitiveType + Parser>(cells: Cells<'_>, bad: &mut BadRows) -> ArrayRef {
    Arc::new(cells.primitives::<T>(bad, T::parse))
}

fn floats<T: ArrowPrimitiveType + Parser>(
    cells: Cells<'_>,
    bad: &mut BadRows,
    wide: impl Fn(T::Native) -> f64,
) -> ArrayRef {
    let (lossy, comma) = (cells.column.lossy, cells.column.decimal_comma);
    Arc::new(cells.primitives::<T>(bad, |text| {
        let text = number::with_point(text, comma);
        let value = T::parse(&text)?;
        (lossy || keeps_figures::<T>(wide(value), &text)).then_some(value)
    }))
}

/// Returns whether a number has all digits of an integer. Of the narrow types, small integers may lose some already.
fn keeps_figures<T: ArrowPrimitiveType>(value: f64, text: &str) -> bool {
    const SMALL: f64 = 2048.0;
    match T::DATA_TYPE {
        DataType::Float64 => keeps_digits(value, text),
        _ => value.abs() < SMALL || float_digits::is_integer_held(value, text.trim()),
    }
}

fn decimals<T: DecimalType>(
    cells: Cells<'_>,
    precision: u8,
    scale: i8,
    bad: &mut BadRows,
) -> ArrayRef {
    let (lossy, comma) = (cells.column.lossy, cells.column.decimal_comma);
    let array = cells.primitives::<T>(bad, |text| {
        let text = number::with_point(text, comma);
        let text = text.trim();
        let fits =
            lossy || text.contains(['e', 'E']) || float_digits::fraction(text) <= i64::from(scale);
        let value = fits.then(|| parse_decimal::<T>(text, precision, scale).ok()).flatten()?;
        T::validate_decimal_precision(value, precision, scale).ok()?;
        Some(value)
    });
    match array.with_precision_and_scale(precision, scale) {
        Ok(array) => Arc::new(array),
        Err(_) => new_null_array(cells.column.field.data_type(), cells.spans.len()),
    }
}

fn in_zone(cells: Cells<'_>, unit: TimeUnit, zone: &Arc<str>, bad: &mut BadRows) -> ArrayRef {
    let parsed = zone.parse::<Tz>().ok();
    cells.timestamps(unit, Some(zone.clone()), bad, |text| {
        if let Some(moment) = datetime::moment(text.as_bytes()).filter(|m| m.has_offset) {
            return Some(moment);
        }
        let time = string_to_datetime(parsed.as_ref()?, text).ok()?;
        let (seconds, nanoseconds) = (time.timestamp(), time.timestamp_subsec_nanos());
        Some(Datetime { seconds, nanoseconds, has_offset: true })
    })
}

pub(super) fn nothing(cells: Cells<'_>, bad: &mut BadRows) -> ArrayRef {
    for (row, text) in cells.values().filter(|(_, text)| !cells.column.nulls.contains(text)) {
        cells.bad(row, text, bad);
    }
    Arc::new(NullArray::new(cells.spans.len()))
}

fn cast(cells: Cells<'_>, to: &DataType, bad: &mut BadRows) -> ArrayRef {
    let texts = cells.texts(is_text(to), bad);
    let options = CastOptions { safe: true, ..CastOptions::default() };
    let Ok(array) = cast_with_options(&texts, to, &options) else {
        cells.values().for_each(|(row, text)| cells.bad(row, text, bad));
        return new_null_array(to, texts.len());
    };
    if array.null_count() > texts.null_count() {
        for (row, text) in cells.values() {
            if array.is_null(row) && texts.is_valid(row) {
                cells.bad(row, text, bad);
            }
        }
    }
    array
}
