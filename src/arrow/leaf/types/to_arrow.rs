//! Converts the values of a column to leaf arrays; the inverse of [`lower`](super::to_values()).
//!
//! ```text
//! Vec<i32>, Vec<i64>, Strings    moved into Arrow's buffers
//! int -> int8, long -> uint32    checked, value by value
//! ```

use std::sync::Arc;

use arrow::array::*;
use arrow::buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow::datatypes::*;

use super::float16;
use super::narrow::{Narrow, narrow};
use crate::arrow::array::buffer_pool::BufferPool;
use crate::arrow::array::utf8::{of_views, offsets, text, views};
use crate::arrow::array::{expand_nulls, map_rows};
use crate::arrow::leaf::precision::sign_extended;
use crate::error::{Error, Result};
use crate::format::string_values::Strings;
use crate::format::values::Values;
use crate::kernel::{self, Level};
use crate::pack::{ViewDictionary, Views};

/// Raises values, one for each row, to an array of a leaf type with these nulls.
pub(crate) fn to_arrow(
    values: Values,
    data_type: &DataType,
    nulls: Option<NullBuffer>,
    pool: &mut BufferPool,
) -> Result<ArrayRef> {
    use DataType::*;
    if let Some(nulls) = nulls.as_ref().filter(|nulls| nulls.len() != values.len()) {
        let what = format!("{} values for {} rows", values.len(), nulls.len());
        return Err(Error::malformed(what));
    }
    let nulls = nulls.filter(|nulls| nulls.null_count() > 0);
    Ok(match (data_type, values) {
        (Null, Values::Null(n)) => Arc::new(NullArray::new(n)),
        (Boolean, Values::Boolean(bits)) => {
            let (bytes, len) = bits.into_parts();
            Arc::new(BooleanArray::new(BooleanBuffer::new(Buffer::from_vec(bytes), 0, len), nulls))
        }
        (Int8, Values::Int(v)) => same(narrow_to::<_, i8>(v, data_type, pool)?, data_type, nulls)?,
        (Int16, Values::Int(v)) => {
            same(narrow_to::<_, i16>(v, data_type, pool)?, data_type, nulls)?
        }
        (UInt8, Values::Int(v)) => same(narrow_to::<_, u8>(v, data_type, pool)?, data_type, nulls)?,
        (UInt16, Values::Int(v)) => {
            same(narrow_to::<_, u16>(v, data_type, pool)?, data_type, nulls)?
        }
        (UInt32, Values::Int(v)) => {
            same(narrow_to::<_, u32>(v, data_type, pool)?, data_type, nulls)?
        }
        (UInt32, Values::Long(v)) => {
            same(narrow_to::<_, u32>(v, data_type, pool)?, data_type, nulls)?
        }
        (Int32 | Date32 | Time32(_) | Interval(IntervalUnit::YearMonth), Values::Int(v)) => {
            same(v, data_type, nulls)?
        }
        (
            Int64 | UInt64 | Date64 | Time64(_) | Timestamp(..) | Duration(_),
            values @ (Values::Int(_) | Values::Long(_)),
        ) => same(longs(values, pool)?, data_type, nulls)?,
        (Float16, Values::Float(v)) => half(&v, nulls)?,
        (Float32, Values::Float(v)) => same(v, data_type, nulls)?,
        (Float64, Values::Double(v)) => same(v, data_type, nulls)?,
        (Interval(IntervalUnit::DayTime), Values::Long(v)) => same(v, data_type, nulls)?,
        (Interval(IntervalUnit::MonthDayNano), Values::Bytes(s)) => intervals(&s, nulls)?,
        (Decimal32(..) | Decimal64(..) | Decimal128(..) | Decimal256(..), values) => {
            decimal(values, data_type, nulls, pool)?
        }
        (Utf8 | LargeUtf8 | Utf8View | Binary | LargeBinary | BinaryView, Values::Bytes(s)) => {
            strings(s, data_type, nulls, pool)?
        }
        (FixedSizeBinary(size), Values::Bytes(s)) => fixed(s, *size, nulls)?,
        (Utf8View | BinaryView, Values::Views(views)) => viewed(views, data_type, nulls)?,
        (Dictionary(_, of), Values::Dictionary(keys)) => dictionary(keys, of, nulls)?,
        (data_type, values) => return Err(unfit(&values, data_type)),
    })
}

/// Raises the values of the valid rows to an array with these nulls.
pub(crate) fn to_arrow_optional(
    values: Values,
    data_type: &DataType,
    nulls: NullBuffer,
    pool: &mut BufferPool,
) -> Result<ArrayRef> {
    use DataType::*;
    match (data_type, values) {
        // Strings are validated whenever an array is built, so it is built only once.
        (Utf8 | LargeUtf8 | Utf8View | Binary | LargeBinary | BinaryView, Values::Bytes(mut s)) => {
            let ends = expand_nulls::repeat_ends(&s.offsets, &nulls, pool.take());
            pool.give(std::mem::replace(&mut s.offsets, ends));
            strings(s, data_type, Some(nulls), pool)
        }
        (data_type, Values::Int(v)) => {
            let values = Values::Int(expanded(v, &nulls, pool));
            to_arrow(values, data_type, Some(nulls), pool)
        }
        (data_type, Values::Long(v)) => {
            let values = Values::Long(expanded(v, &nulls, pool));
            to_arrow(values, data_type, Some(nulls), pool)
        }
        (data_type, Values::Float(v)) => {
            let values = Values::Float(expanded(v, &nulls, pool));
            to_arrow(values, data_type, Some(nulls), pool)
        }
        (data_type, Values::Double(v)) => {
            let values = Values::Double(expanded(v, &nulls, pool));
            to_arrow(values, data_type, Some(nulls), pool)
        }
        (data_type, values) => map_rows::expand(&to_arrow(values, data_type, None, pool)?, &nulls),
    }
}

/// Expands the values to their row positions.
fn expanded<N: ArrowNativeType>(
    dense: Vec<N>,
    nulls: &NullBuffer,
    pool: &mut BufferPool,
) -> Vec<N> {
    if nulls.null_count() == 0 {
        return dense;
    }
    let values = expand_nulls::scatter(&dense, nulls, pool.take());
    pool.give(dense);
    values
}

fn unfit(values: &Values, data_type: &DataType) -> Error {
    let kind = match values {
        Values::Null(_) => "nulls",
        Values::Boolean(_) => "booleans",
        Values::Int(_) => "ints",
        Values::Long(_) | Values::Wide(_) => "longs",
        Values::Float(_) => "floats",
        Values::Double(_) => "doubles",
        Values::Bytes(_) | Values::Views(_) | Values::Dictionary(_) => "strings",
    };
    Error::malformed(format!("{kind} are no {data_type}"))
}

fn out_of_range(data_type: &DataType) -> Error {
    Error::malformed(format!("a value is out of the range of {data_type}"))
}

/// Casts integers to a narrower type; one out of its range is an error.
fn narrow_to<W, N>(values: Vec<W>, data_type: &DataType, pool: &mut BufferPool) -> Result<Vec<N>>
where
    W: ArrowNativeType + Narrow<N>,
    N: ArrowNativeType,
{
    narrow(values, pool).ok_or_else(|| out_of_range(data_type))
}

/// Returns a primitive array of these values.
fn same<N: ArrowNativeType>(
    values: Vec<N>,
    data_type: &DataType,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef> {
    let (n, values) = (values.len(), Buffer::from_vec(values));
    macro_rules! around {
        ($of:ty) => {
            around::<$of>(n, values, data_type, nulls)
        };
    }
    downcast_primitive! {
        data_type => (around),
        _ => Err(Error::malformed(format!("numbers are no {data_type}"))),
    }
}

/// Returns an array of `n` values; their width and alignment must be the type's.
fn around<T: ArrowPrimitiveType>(
    n: usize,
    values: Buffer,
    data_type: &DataType,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef> {
    let width = size_of::<T::Native>();
    if values.len() != n.saturating_mul(width) || !values.as_ptr().cast::<T::Native>().is_aligned()
    {
        return Err(Error::malformed(format!("{data_type} has values of {width} bytes")));
    }
    let array = PrimitiveArray::<T>::try_new(ScalarBuffer::new(values, 0, n), nulls)?;
    Ok(Arc::new(array.with_data_type(data_type.clone())))
}

fn longs(values: Values, pool: &mut BufferPool) -> Result<Vec<i64>> {
    match values {
        Values::Int(v) => {
            let widen = |v: &[i32], out: &mut Vec<_>| out.extend(v.iter().map(|v| i64::from(*v)));
            Ok(widened(v, pool, widen))
        }
        Values::Long(v) => Ok(v),
        other => Err(unfit(&other, &DataType::Int64)),
    }
}

fn half(values: &[f32], nulls: Option<NullBuffer>) -> Result<ArrayRef> {
    let halves: Option<Vec<_>> =
        values.iter().map(|v| float16::narrow(*v).map(half::f16::from_bits)).collect();
    let halves = halves.ok_or_else(|| out_of_range(&DataType::Float16))?;
    Ok(Arc::new(Float16Array::try_new(halves.into(), nulls)?))
}

/// Arrow's 16 bytes, or Avro's 12: months, days and milliseconds.
fn intervals(strings: &Strings, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
    let one = |i| {
        let bytes = strings.get(i).unwrap_or_default();
        let parts = [0, 4, 8, 12].map(|at| i32_at(bytes, at));
        match (bytes.len(), parts) {
            (16, [Some(months), Some(days), Some(low), Some(high)]) => {
                let nanos = i64::from(high) << 32 | i64::from(low.cast_unsigned());
                Ok(IntervalMonthDayNano::new(months, days, nanos))
            }
            // The parts of an Avro duration have no sign.
            (12, [Some(months @ 0..), Some(days @ 0..), Some(millis), _]) => {
                let nanos = i64::from(millis.cast_unsigned()) * 1_000_000;
                Ok(IntervalMonthDayNano::new(months, days, nanos))
            }
            (12, [Some(months), Some(days), ..]) => {
                let [months, days] = [months, days].map(i32::cast_unsigned);
                Err(Error::unsupported(format!(
                    "a duration of {months} months and {days} days: an interval has no more than {}",
                    i32::MAX
                )))
            }
            _ => Err(Error::malformed("an interval is not of 16 bytes, nor an Avro duration")),
        }
    };
    let all = (0..strings.len()).map(one).collect::<Result<Vec<_>>>()?;
    Ok(Arc::new(IntervalMonthDayNanoArray::try_new(all.into(), nulls)?))
}

fn i32_at(bytes: &[u8], at: usize) -> Option<i32> {
    Some(i32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn decimal(
    values: Values,
    data_type: &DataType,
    nulls: Option<NullBuffer>,
    pool: &mut BufferPool,
) -> Result<ArrayRef> {
    use DataType::*;
    match (data_type, values) {
        (Decimal32(..), Values::Int(v)) => same(v, data_type, nulls),
        (Decimal32(..), Values::Long(v)) => {
            same(narrow_to::<_, i32>(v, data_type, pool)?, data_type, nulls)
        }
        (Decimal64(..), values @ (Values::Int(_) | Values::Long(_))) => {
            same(longs(values, pool)?, data_type, nulls)
        }
        (Decimal128(..), Values::Int(v)) => same(widened(v, pool, widen), data_type, nulls),
        (Decimal128(..), Values::Long(v)) => same(widened(v, pool, widen), data_type, nulls),
        (Decimal128(..), Values::Wide(v)) => same(v, data_type, nulls),
        (Decimal256(..), Values::Int(v)) => {
            let widen = |v: &[i32], out: &mut Vec<_>| out.extend(v.iter().map(|v| i256::from(*v)));
            same(widened(v, pool, widen), data_type, nulls)
        }
        (Decimal256(..), Values::Long(v)) => {
            let widen = |v: &[i64], out: &mut Vec<_>| out.extend(v.iter().map(|v| i256::from(*v)));
            same(widened(v, pool, widen), data_type, nulls)
        }
        (Decimal32(..), Values::Bytes(s)) => {
            same(unpacked(&s, i32::from_le_bytes, data_type)?, data_type, nulls)
        }
        (Decimal64(..), Values::Bytes(s)) => {
            same(unpacked(&s, i64::from_le_bytes, data_type)?, data_type, nulls)
        }
        (Decimal128(..), Values::Bytes(s)) => {
            same(unpacked(&s, i128::from_le_bytes, data_type)?, data_type, nulls)
        }
        (Decimal256(..), Values::Bytes(s)) => {
            same(unpacked(&s, i256::from_le_bytes, data_type)?, data_type, nulls)
        }
        (_, values) => Err(unfit(&values, data_type)),
    }
}

fn widened<N: ArrowNativeType, W: ArrowNativeType>(
    values: Vec<N>,
    pool: &mut BufferPool,
    widen: impl FnOnce(&[N], &mut Vec<W>),
) -> Vec<W> {
    let mut out = pool.take();
    widen(&values, &mut out);
    pool.give(values);
    out
}

fn widen<N: Copy + Into<i64>>(values: &[N], out: &mut Vec<i128>) {
    kernel::bitpack::widen(Level::in_use(), values, out);
}

fn unpacked<N, const W: usize>(
    strings: &Strings,
    number: impl Fn([u8; W]) -> N,
    data_type: &DataType,
) -> Result<Vec<N>> {
    let number = |i| sign_extended::<W>(strings.get(i)?).map(&number);
    let all: Option<Vec<N>> = (0..strings.len()).map(number).collect();
    all.ok_or_else(|| out_of_range(data_type))
}

fn strings(
    strings: Strings,
    data_type: &DataType,
    nulls: Option<NullBuffer>,
    pool: &mut BufferPool,
) -> Result<ArrayRef> {
    let Strings { offsets: ends, data, text: known, .. } = strings;
    let offsets = offsets(ends, data.len())?;
    let data = Buffer::from_vec(data);
    let large = |offsets: OffsetBuffer<i32>| {
        OffsetBuffer::new(offsets.iter().map(|end| i64::from(*end)).collect::<ScalarBuffer<i64>>())
    };
    Ok(match data_type {
        DataType::Utf8 => Arc::new(text(offsets, data, nulls, known)?),
        DataType::LargeUtf8 => Arc::new(text(large(offsets), data, nulls, known)?),
        DataType::Utf8View => {
            let array = text(offsets, data, nulls, known)?;
            Arc::new(views::<Utf8Type, StringViewType>(&array, pool.take()))
        }
        DataType::Binary => Arc::new(BinaryArray::try_new(offsets, data, nulls)?),
        DataType::LargeBinary => Arc::new(LargeBinaryArray::try_new(large(offsets), data, nulls)?),
        _ => {
            let array = BinaryArray::try_new(offsets, data, nulls)?;
            Arc::new(views::<BinaryType, BinaryViewType>(&array, pool.take()))
        }
    })
}

fn viewed(views: Views, data_type: &DataType, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
    Ok(match data_type {
        DataType::Utf8View => Arc::new(of_views::<StringViewType>(views, nulls)?),
        _ => Arc::new(of_views::<BinaryViewType>(views, nulls)?),
    })
}

fn dictionary(
    dictionary: ViewDictionary,
    value_type: &DataType,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef> {
    let (keys, values) = dictionary.into_parts();
    let keys = Int32Array::try_new(keys.into(), nulls)?;
    Ok(Arc::new(DictionaryArray::try_new(keys, viewed(values, value_type, None)?)?))
}

fn fixed(strings: Strings, size: i32, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
    let n = strings.len();
    let wide = |pair: &[i32]| matches!(pair, [a, b] if b.checked_sub(*a) == Some(size));
    if strings.offsets.first() != Some(&0) || !strings.offsets.windows(2).all(wide) {
        return Err(Error::malformed(format!("a value is not of {size} bytes")));
    }
    let data = Buffer::from_vec(strings.data);
    let bytes = n.saturating_mul(usize::try_from(size).unwrap_or(0));
    if data.len() < bytes {
        return Err(Error::malformed(format!("values are not of {size} bytes")));
    }
    let data = data.slice_with_length(0, bytes);
    Ok(Arc::new(FixedSizeBinaryArray::try_new_with_len(size, data, nulls, n)?))
}
