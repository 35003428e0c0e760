//! Random values, and dictionaries of them.

use std::sync::Arc;

use arrow::array::*;
use arrow::buffer::NullBuffer;
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::*;
use fastrand::Rng;

use super::array;
use trevni::keys::AVRO_ENUM_SYMBOLS;
use trevni::{Error, Result};

/// Seconds from 1970 to 2040.
const SECONDS: i64 = 2_208_988_800;
const DAY: i64 = 86_400;
const MILLION: i64 = 1_000_000;

/// Returns an array of a type without parts.
pub(super) fn leaf(
    field: &Field,
    nulls: Option<NullBuffer>,
    n: usize,
    rng: &mut Rng,
) -> Result<ArrayRef> {
    use DataType::*;
    let data_type = field.data_type();
    Ok(match data_type {
        Null => Arc::new(NullArray::new(n)),
        Boolean => {
            let bits: Vec<bool> = (0..n).map(|_| rng.bool()).collect();
            Arc::new(BooleanArray::new(bits.into(), nulls))
        }
        Float16 | Float32 | Float64 => {
            let numbers = (0..n).map(|_| number(rng)).collect::<Vec<_>>();
            cast_to(&Float64Array::new(numbers.into(), nulls), data_type)?
        }
        Utf8 | LargeUtf8 | Utf8View => {
            let texts = (0..n).map(|_| text(rng)).collect::<Vec<_>>();
            with_nulls(&cast_to(&StringArray::from(texts), data_type)?, nulls)?
        }
        Binary | LargeBinary | BinaryView => {
            let bytes = (0..n).map(|_| bytes(rng.usize(..12), rng)).collect::<Vec<_>>();
            let bytes = BinaryArray::from_iter_values(bytes);
            with_nulls(&cast_to(&bytes, data_type)?, nulls)?
        }
        FixedSizeBinary(size) => {
            let each = usize::try_from(*size).unwrap_or(0);
            let bytes = bytes(each.saturating_mul(n), rng).into();
            Arc::new(FixedSizeBinaryArray::try_new_with_len(*size, bytes, nulls, n)?)
        }
        Decimal32(p, _) | Decimal64(p, _) | Decimal128(p, _) | Decimal256(p, _) => {
            decimals(*p, data_type, nulls, n, rng)?
        }
        Interval(unit) => intervals(*unit, nulls, n, rng),
        _ => {
            let Some(most) = most(data_type) else {
                return Err(Error::unsupported(format!("random values of {data_type}")));
            };
            let longs = (0..n).map(|_| long(most, rng)).collect::<Vec<_>>();
            let longs: ArrayRef = Arc::new(Int64Array::new(longs.into(), nulls));
            match data_type {
                Date32 | Time32(_) => cast_to(&cast_to(&longs, &Int32)?, data_type)?,
                _ => cast_to(&longs, data_type)?,
            }
        }
    })
}

/// Returns the numbers that values of a type are: from the first, and up to the second.
fn most(data_type: &DataType) -> Option<(i64, i64)> {
    use DataType::*;
    let bits = |bits: u32| Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1));
    let in_unit = |seconds: i64, unit: &TimeUnit| {
        let unit = match unit {
            TimeUnit::Second => 1,
            TimeUnit::Millisecond => 1000,
            TimeUnit::Microsecond => MILLION,
            TimeUnit::Nanosecond => 1000 * MILLION,
        };
        Some((0, seconds * unit - 1))
    };
    match data_type {
        Int8 => bits(8),
        Int16 => bits(16),
        Int32 => bits(32),
        Int64 => Some((i64::MIN, i64::MAX)),
        UInt8 => Some((0, u8::MAX.into())),
        UInt16 => Some((0, u16::MAX.into())),
        UInt32 => Some((0, u32::MAX.into())),
        UInt64 => Some((0, i64::MAX)),
        Date32 => Some((0, SECONDS / DAY - 1)),
        Date64 => Some((0, SECONDS * 1000 - 1)),
        Time32(unit) | Time64(unit) => in_unit(DAY, unit),
        Timestamp(unit, _) => in_unit(SECONDS, unit),
        Duration(unit) => in_unit(100 * DAY, unit),
        _ => None,
    }
}

/// Returns a number in a range, of any magnitude.
fn long((least, most): (i64, i64), rng: &mut Rng) -> i64 {
    let small = i64::MAX >> rng.u32(..63);
    match rng.u8(..4) {
        0 => rng.i64(least.max(-small)..=most.min(small)),
        _ => rng.i64(least..=most),
    }
}

fn number(rng: &mut Rng) -> f64 {
    match rng.u8(..4) {
        0 => f64::from(rng.i16(..)) / 4.0,
        1 => (rng.f64() - 0.5) * 10f64.powi(rng.i32(-3..5)),
        _ => rng.f64(),
    }
}

fn text(rng: &mut Rng) -> String {
    const SOME: [char; 6] = ['é', 'ß', '€', '中', '😀', ' '];
    let length = rng.usize(..12);
    let letter = |_| match rng.u8(..16) {
        0 => SOME.get(rng.usize(..SOME.len())).copied().unwrap_or(' '),
        _ => rng.lowercase(),
    };
    (0..length).map(letter).collect()
}

fn bytes(n: usize, rng: &mut Rng) -> Vec<u8> {
    (0..n).map(|_| rng.u8(..)).collect()
}

fn decimals(
    precision: u8,
    data_type: &DataType,
    nulls: Option<NullBuffer>,
    n: usize,
    rng: &mut Rng,
) -> Result<ArrayRef> {
    let most = 10i128.pow(u32::from(precision.min(18))) - 1;
    let values: Vec<i128> = (0..n).map(|_| rng.i128(-most..=most)).collect();
    // Cast from the same scale, so that every digit stays.
    let scale = match data_type {
        DataType::Decimal32(_, s)
        | DataType::Decimal64(_, s)
        | DataType::Decimal128(_, s)
        | DataType::Decimal256(_, s) => *s,
        _ => 0,
    };
    let values = Decimal128Array::new(values.into(), nulls);
    cast_to(&values.with_precision_and_scale(precision.clamp(1, 38), scale)?, data_type)
}

fn intervals(unit: IntervalUnit, nulls: Option<NullBuffer>, n: usize, rng: &mut Rng) -> ArrayRef {
    let small = |rng: &mut Rng| rng.i32(0..1000);
    match unit {
        IntervalUnit::YearMonth => {
            let values: Vec<i32> = (0..n).map(|_| small(rng)).collect();
            Arc::new(IntervalYearMonthArray::new(values.into(), nulls))
        }
        IntervalUnit::DayTime => {
            let values = (0..n).map(|_| IntervalDayTime::new(small(rng), small(rng)));
            Arc::new(IntervalDayTimeArray::new(values.collect::<Vec<_>>().into(), nulls))
        }
        IntervalUnit::MonthDayNano => {
            // Full milliseconds, which Avro's durations can represent.
            let nanos = |rng: &mut Rng| i64::from(rng.u32(..)) * MILLION;
            let values =
                (0..n).map(|_| IntervalMonthDayNano::new(small(rng), small(rng), nanos(rng)));
            Arc::new(IntervalMonthDayNanoArray::new(values.collect::<Vec<_>>().into(), nulls))
        }
    }
}

/// Returns a dictionary: of the symbols of an Avro enum, or of some values.
pub(super) fn dictionary(
    field: &Field,
    keys: &DataType,
    values: &DataType,
    nulls: Option<&NullBuffer>,
    n: usize,
    rng: &mut Rng,
) -> Result<ArrayRef> {
    let symbols = field.metadata().get(AVRO_ENUM_SYMBOLS);
    let symbols = symbols.and_then(|text| serde_json::from_str::<Vec<String>>(text).ok());
    let values_of: ArrayRef = match symbols {
        Some(symbols) => Arc::new(StringArray::from(symbols)),
        None => array(&Field::new("values", values.clone(), false), 12, rng)?,
    };
    let count = values_of.len() as i64;
    if count == 0 && n > 0 {
        return Err(Error::invalid(format!("{:?} is an enum without symbols", field.name())));
    }
    let keys_of: Vec<i64> = (0..n).map(|_| rng.i64(0..count)).collect();
    let keys_of = cast_to(&Int64Array::new(keys_of.into(), nulls.cloned()), keys)?;
    let data = keys_of.to_data().into_builder().data_type(field.data_type().clone());
    Ok(make_array(data.child_data(vec![values_of.to_data()]).build()?))
}

fn cast_to(array: &dyn Array, to: &DataType) -> Result<ArrayRef> {
    Ok(cast_with_options(array, to, &CastOptions { safe: false, ..CastOptions::default() })?)
}

fn with_nulls(array: &ArrayRef, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
    Ok(make_array(array.to_data().into_builder().nulls(nulls).build()?))
}
