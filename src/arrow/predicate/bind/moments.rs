//! Converts date, time and duration literals to the unit of their column, exactly.
//!
//! ```text
//! timestamp of seconds    >= '2024-01-31T10:00:00.5'      > 10:00:00
//! date                    <  '2024-01-31T10:00'           <= 2024-01-31
//! ```

use arrow::compute::cast;
use arrow::datatypes::*;

use super::super::number::NumberPosition;
use super::numbers::placed;
use super::{Operator, Test};
use crate::arrow::predicate::datetime::{self, DAY, SECOND};
use crate::error::{Error, Result};

/// Returns the test for values of a temporal type; `None` if the type is not temporal or the text is not a literal
/// of it.
pub(super) fn moments(
    data_type: &DataType,
    operator: Operator,
    text: &str,
) -> Result<Option<Test>> {
    let (unit, nanos) = match data_type {
        DataType::Date32 => (DAY, without_zone(text)?),
        DataType::Date64 => (SECOND / 1000, without_zone(text)?),
        DataType::Timestamp(unit, None) => (nanoseconds(*unit), without_zone(text)?),
        DataType::Timestamp(unit, Some(zone)) => (nanoseconds(*unit), with_zone(text, zone)?),
        DataType::Time32(unit) | DataType::Time64(unit) => {
            (nanoseconds(*unit), datetime::time(text))
        }
        DataType::Duration(unit) => (nanoseconds(*unit), datetime::duration(text)),
        _ => return Ok(None),
    };
    let Some(nanos) = nanos else { return Ok(None) };
    let whole = i256::from_i128(nanos.div_euclid(unit));
    let place = if nanos.rem_euclid(unit) == 0 {
        NumberPosition::At(whole)
    } else {
        NumberPosition::Behind(whole)
    };
    let narrow = matches!(data_type, DataType::Date32 | DataType::Time32(_));
    let test = match narrow {
        true => placed::<Int32Type>(operator, place, &DataType::Int32, |whole| {
            whole.to_i128()?.try_into().ok()
        }),
        false => placed::<Int64Type>(operator, place, &DataType::Int64, |whole| {
            whole.to_i128()?.try_into().ok()
        }),
    };
    Ok(Some(match test {
        Test::Compare(operator, value) => Test::Compare(operator, cast(&value, data_type)?),
        other => other,
    }))
}

fn nanoseconds(unit: TimeUnit) -> i128 {
    match unit {
        TimeUnit::Second => SECOND,
        TimeUnit::Millisecond => SECOND / 1000,
        TimeUnit::Microsecond => SECOND / 1_000_000,
        TimeUnit::Nanosecond => 1,
    }
}

fn without_zone(text: &str) -> Result<Option<i128>> {
    let Some(moment) = datetime::moment(text) else { return Ok(None) };
    match moment.zone {
        None => Ok(Some(moment.nanos)),
        Some(_) => Err(Error::invalid("which has a zone, as the column has not")),
    }
}

/// In UTC, by the zone of the text, or that of the column if it is a fixed one.
fn with_zone(text: &str, zone: &str) -> Result<Option<i128>> {
    let Some(moment) = datetime::moment(text) else { return Ok(None) };
    match moment.zone.or_else(|| datetime::distance(zone)) {
        Some(distance) => Ok(Some(moment.nanos - distance)),
        None => Err(Error::invalid("which needs a zone, such as Z or +01:00")),
    }
}
