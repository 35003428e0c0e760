//! Dates, times and durations that are out of range of their text form, and are written as integers.
//!
//! ```text
//! Time32(s)      86399      23:59:59          Date32       2147483647    2147483647
//! Time32(s)      86400      86400             Duration(s)  i64::MAX      9223372036854775807
//! ```
//! The libraries write an error or `<invalid>` instead.

use std::ops::RangeInclusive;

use arrow::array::Array;
use arrow::buffer::ScalarBuffer;
use arrow::datatypes::{DataType, TimeUnit};
use arrow::error::ArrowError;
use arrow::util::display::{ArrayFormatter, FormatOptions};

const DAY: i64 = 86_400;

/// Days around 1970-01-01 of which every one has a text, in any zone.
const DAYS: i64 = 95_000_000;

/// What the library writes for a duration that is out of range.
const INVALID: &str = "<invalid>";

/// Returns whether every value of an array surely has a text. Arrays of other types have.
pub(super) fn is_printable(array: &dyn Array) -> bool {
    let (Some(range), Some(values)) = (range(array.data_type()), Integers::of(array)) else {
        return true;
    };
    match values {
        Integers::Narrow(values) => values.iter().all(|value| range.contains(&i64::from(*value))),
        Integers::Wide(values) => values.iter().all(|value| range.contains(value)),
    }
}

/// Returns the values of a type that surely have a text; `None` if all have.
fn range(data_type: &DataType) -> Option<RangeInclusive<i64>> {
    let per_second = |unit: &TimeUnit| match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    };
    let around = |most: i64| -most..=most;
    match data_type {
        DataType::Date32 => Some(around(DAYS)),
        DataType::Date64 => Some(around(DAYS * DAY * 1_000)),
        DataType::Time32(unit) | DataType::Time64(unit) => Some(0..=DAY * per_second(unit) - 1),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => None,
        DataType::Timestamp(unit, _) => Some(around(DAYS * DAY * per_second(unit))),
        DataType::Duration(TimeUnit::Second) => Some(around(i64::MAX / 1_000)),
        DataType::Duration(_) => Some(around(i64::MAX)),
        _ => None,
    }
}

/// The integers that values are stored as.
enum Integers {
    Narrow(ScalarBuffer<i32>),
    Wide(ScalarBuffer<i64>),
}

impl Integers {
    fn of(array: &dyn Array) -> Option<Self> {
        let data = array.to_data();
        let (buffer, offset, len) = (data.buffers().first()?.clone(), data.offset(), data.len());
        match array.data_type().primitive_width()? {
            4 => Some(Integers::Narrow(ScalarBuffer::new(buffer, offset, len))),
            8 => Some(Integers::Wide(ScalarBuffer::new(buffer, offset, len))),
            _ => None,
        }
    }

    fn value(&self, row: usize) -> i64 {
        match self {
            Integers::Narrow(values) => values.get(row).map_or(0, |value| i64::from(*value)),
            Integers::Wide(values) => values.get(row).map_or(0, |value| *value),
        }
    }
}

/// The texts of dates, times or durations.
pub(super) struct Texts<'a> {
    formatter: ArrayFormatter<'a>,
    values: Integers,
    text: String,
}

impl<'a> Texts<'a> {
    pub(super) fn try_new(array: &'a dyn Array) -> Result<Self, ArrowError> {
        let formatter = ArrayFormatter::try_new(array, &FormatOptions::new())?;
        let values = Integers::of(array);
        let values = values.ok_or_else(|| ArrowError::CastError("no dates or times".into()))?;
        Ok(Self { formatter, values, text: String::new() })
    }

    /// Returns the text of a value that is not null; the integer if it has none.
    pub(super) fn value(&mut self, row: usize) -> Result<&str, i64> {
        self.text.clear();
        let written = self.formatter.value(row).write(&mut self.text);
        if written.is_ok() && self.text != INVALID {
            Ok(&self.text)
        } else {
            Err(self.values.value(row))
        }
    }
}

/// Returns an array as text.
#[cfg(feature = "csv")]
pub(super) fn as_text(
    array: &arrow::array::ArrayRef,
) -> Result<arrow::array::ArrayRef, ArrowError> {
    let mut texts = Texts::try_new(array.as_ref())?;
    let mut builder = arrow::array::StringBuilder::new();
    for row in 0..array.len() {
        match (array.is_null(row), texts.value(row)) {
            (true, _) => builder.append_null(),
            (false, Ok(text)) => builder.append_value(text),
            (false, Err(integer)) => builder.append_value(integer.to_string()),
        }
    }
    Ok(std::sync::Arc::new(builder.finish()))
}
