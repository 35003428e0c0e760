//! Arrays of fixed-width binary values, as Avro's `fixed`.
//!
//! ```text
//! fixed-size binary   its bytes                       interval   months, days, milliseconds, 4 bytes each, low first
//! decimal             two's complement, high byte first, its sign repeated
//! ```

use arrow::array::{Array, AsArray};
use arrow::buffer::Buffer;
use arrow::datatypes::*;

use super::to_values::{fixed, to_values};
use crate::arrow::field_path::FieldPath;
use crate::arrow::leaf::borrowed_column::BorrowedValues;
use crate::error::{Error, Result};
use crate::format::value::{Value, ValueType};

/// Bytes of an Avro duration.
const DURATION: usize = 12;

/// Lowers an array to values of `size` bytes, one for each row: null rows have any.
pub(crate) fn lower_fixed(
    array: &dyn Array,
    size: usize,
    path: &FieldPath<'_>,
) -> Result<BorrowedValues> {
    match array.data_type() {
        DataType::Interval(IntervalUnit::MonthDayNano) if size == DURATION => {
            let intervals = array.as_primitive::<IntervalMonthDayNanoType>();
            let mut data = Vec::with_capacity(DURATION * array.len());
            for row in 0..array.len() {
                let value =
                    if array.is_null(row) { Some([0; 3]) } else { duration(intervals.value(row)) };
                let parts = value.ok_or_else(|| {
                    Error::invalid(format!("field {path}: an interval that is no Avro duration"))
                })?;
                data.extend(parts.into_iter().flat_map(u32::to_le_bytes));
            }
            Ok(fixed(array.len(), DURATION, Buffer::from_vec(data)))
        }
        data_type if data_type.is_decimal() => {
            let shortest = to_values(array, ValueType::Bytes, path)?;
            let mut data = Vec::with_capacity(size.saturating_mul(array.len()));
            for row in 0..array.len() {
                let Some(Value::Bytes(value)) = shortest.as_slice().get(row) else {
                    return Err(Error::invalid(format!("field {path}: no bytes of a decimal")));
                };
                let value = if array.is_null(row) { &[] } else { value.as_ref() };
                let Some(missing) = size.checked_sub(value.len()) else {
                    let what = format!("field {path}: a decimal does not fit {size} bytes");
                    return Err(Error::invalid(what));
                };
                let negative = value.first().is_some_and(|high| *high >= 0x80);
                data.extend(std::iter::repeat_n(if negative { 0xff } else { 0 }, missing));
                data.extend_from_slice(value);
            }
            Ok(fixed(array.len(), size, Buffer::from_vec(data)))
        }
        _ => to_values(array, ValueType::Bytes, path),
    }
}

/// Months, days and milliseconds, if an interval is of nothing else.
fn duration(interval: IntervalMonthDayNano) -> Option<[u32; 3]> {
    const NANOS: i64 = 1_000_000;
    let whole = interval.nanoseconds % NANOS == 0;
    let millis = u32::try_from(interval.nanoseconds / NANOS).ok().filter(|_| whole)?;
    Some([u32::try_from(interval.months).ok()?, u32::try_from(interval.days).ok()?, millis])
}
