//! Converts leaf arrays to the values of a column.
//!
//! ```text
//! int32, int64, utf8 ...    Arrow's own buffer, borrowed
//! int8, decimal128 ...      a buffer of ours
//! ```

use arrow::array::{Array, ArrowPrimitiveType, AsArray, ByteView};
use arrow::buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use arrow::datatypes::*;

use super::float16;
use crate::arrow::field_path::FieldPath;
use crate::arrow::leaf::borrowed_column::BorrowedValues;
use crate::error::{Error, Result};
use crate::format::value::ValueType;

/// Lowers an array to values of a column of this type, one for each row: null rows have any.
pub(crate) fn to_values(
    array: &dyn Array,
    to: ValueType,
    path: &FieldPath<'_>,
) -> Result<BorrowedValues> {
    use DataType::*;
    Ok(match array.data_type() {
        Null => BorrowedValues::Null(array.len()),
        Boolean => BorrowedValues::Boolean(array.as_boolean().values().clone()),
        Int8 => BorrowedValues::Int(widen::<Int8Type, _>(array)),
        Int16 => BorrowedValues::Int(widen::<Int16Type, _>(array)),
        UInt8 => BorrowedValues::Int(widen::<UInt8Type, _>(array)),
        UInt16 => BorrowedValues::Int(widen::<UInt16Type, _>(array)),
        UInt32 => BorrowedValues::Long(widen::<UInt32Type, _>(array)),
        Int32 | Date32 | Time32(_) | Interval(IntervalUnit::YearMonth) => {
            BorrowedValues::Int(same(array))
        }
        Int64 | UInt64 | Date64 | Time64(_) | Timestamp(..) | Duration(_) => {
            BorrowedValues::Long(same(array))
        }
        Float16 => BorrowedValues::Float(
            values::<Float16Type>(array).iter().map(|v| float16::widen(v.to_bits())).collect(),
        ),
        Float32 => BorrowedValues::Float(same(array)),
        Float64 => BorrowedValues::Double(same(array)),
        Interval(IntervalUnit::DayTime) => {
            let bits = |v: &IntervalDayTime| {
                i64::from(v.milliseconds) << 32 | i64::from(v.days.cast_unsigned())
            };
            BorrowedValues::Long(values::<IntervalDayTimeType>(array).iter().map(bits).collect())
        }
        Interval(IntervalUnit::MonthDayNano) => {
            let data = array.as_primitive::<IntervalMonthDayNanoType>().values().inner().clone();
            fixed(array.len(), 16, data)
        }
        Decimal32(..) => decimal::<Decimal32Type>(array, to, path)?,
        Decimal64(..) => decimal::<Decimal64Type>(array, to, path)?,
        Decimal128(..) => decimal::<Decimal128Type>(array, to, path)?,
        Decimal256(..) => decimal::<Decimal256Type>(array, to, path)?,
        Utf8 => strings::<Utf8Type>(array),
        Binary => strings::<BinaryType>(array),
        LargeUtf8 => large_strings::<LargeUtf8Type>(array),
        LargeBinary => large_strings::<LargeBinaryType>(array),
        Utf8View => views::<StringViewType>(array),
        BinaryView => views::<BinaryViewType>(array),
        FixedSizeBinary(size) => {
            let data = array.as_fixed_size_binary();
            fixed(array.len(), usize::try_from(*size).unwrap_or(0), data.values().clone())
        }
        other => return Err(Error::unsupported(format!("field {path}: type {other}"))),
    })
}

fn values<T: ArrowPrimitiveType>(array: &dyn Array) -> &[T::Native] {
    array.as_primitive::<T>().values()
}

fn widen<T: ArrowPrimitiveType, W: ArrowNativeType + From<T::Native>>(
    array: &dyn Array,
) -> ScalarBuffer<W> {
    values::<T>(array).iter().map(|v| W::from(*v)).collect()
}

/// Returns the buffer of a primitive array, as numbers of the same width.
fn same<N: ArrowNativeType>(array: &dyn Array) -> ScalarBuffer<N> {
    let data = array.to_data();
    let buffer = data.buffers().first().cloned().unwrap_or_default();
    ScalarBuffer::new(buffer, data.offset(), data.len())
}

fn strings<T: ByteArrayType<Offset = i32>>(array: &dyn Array) -> BorrowedValues {
    let array = array.as_bytes::<T>();
    BorrowedValues::Bytes(array.offsets().clone(), array.values().clone())
}

fn large_strings<T: ByteArrayType<Offset = i64>>(array: &dyn Array) -> BorrowedValues {
    let array = array.as_bytes::<T>();
    BorrowedValues::LargeBytes(array.offsets().clone(), array.values().clone())
}

fn views<T: ByteViewType>(array: &dyn Array) -> BorrowedValues {
    let array = array.as_byte_view::<T>();
    // The views of null rows may have any length.
    let length = |view: &u128| ByteView::from(*view).length as usize;
    let total = match array.nulls() {
        Some(nulls) => {
            nulls.valid_indices().filter_map(|row| array.views().get(row)).map(length).sum()
        }
        None => array.views().iter().map(length).sum(),
    };
    let mut data = Vec::with_capacity(total);
    let mut lengths = Vec::with_capacity(array.len());
    for value in array.iter() {
        let bytes = value.map_or(&[][..], |value| value.as_ref());
        data.extend_from_slice(bytes);
        lengths.push(bytes.len());
    }
    BorrowedValues::LargeBytes(OffsetBuffer::from_lengths(lengths), Buffer::from_vec(data))
}

/// Values of one size, end to end.
pub(super) fn fixed(n: usize, size: usize, data: Buffer) -> BorrowedValues {
    let lengths = std::iter::repeat_n(size, n);
    match i32::try_from(n.saturating_mul(size)) {
        Ok(_) => BorrowedValues::Bytes(OffsetBuffer::from_lengths(lengths), data),
        Err(_) => BorrowedValues::LargeBytes(OffsetBuffer::from_lengths(lengths), data),
    }
}

fn decimal<T: DecimalType>(
    array: &dyn Array,
    to: ValueType,
    path: &FieldPath<'_>,
) -> Result<BorrowedValues> {
    let values = array.as_primitive::<T>().values();
    let too_long = || {
        let what = format!("field {path}: a value has more digits than {}", array.data_type());
        Error::invalid(what)
    };
    // Arrow does not enforce the precision of decimals, so each value is checked.
    Ok(match to {
        ValueType::Int | ValueType::Fixed32 if T::BYTE_LENGTH == 4 => {
            BorrowedValues::Int(same(array))
        }
        ValueType::Long | ValueType::Fixed64 if T::BYTE_LENGTH == 8 => {
            BorrowedValues::Long(same(array))
        }
        ValueType::Int | ValueType::Fixed32 => {
            let narrow = |v: &T::Native| i32::try_from(v.to_i64()?).ok();
            let narrowed: Option<Vec<i32>> = values.iter().map(narrow).collect();
            BorrowedValues::Int(narrowed.ok_or_else(too_long)?.into())
        }
        ValueType::Long | ValueType::Fixed64 => {
            let narrowed: Option<Vec<i64>> = values.iter().map(|v| v.to_i64()).collect();
            BorrowedValues::Long(narrowed.ok_or_else(too_long)?.into())
        }
        _ => shortest(values.inner(), T::BYTE_LENGTH),
    })
}

/// Two's complement, high byte first, without bytes that only repeat the sign.
fn shortest(values: &[u8], width: usize) -> BorrowedValues {
    let mut data: Vec<u8> = Vec::new();
    let mut lengths = Vec::with_capacity(values.len() / width.max(1));
    for value in values.chunks_exact(width.max(1)) {
        let needed = needed(value);
        data.extend(value.iter().take(needed).rev());
        lengths.push(needed);
    }
    BorrowedValues::LargeBytes(OffsetBuffer::from_lengths(lengths), Buffer::from_vec(data))
}

/// Returns how many of the low bytes represent the value.
fn needed(value: &[u8]) -> usize {
    let sign = if value.last().is_some_and(|high| *high >= 0x80) { 0xff } else { 0 };
    let extra = value.iter().rev().take_while(|byte| **byte == sign).count();
    let kept = value.len() - extra;
    // The highest byte kept must show the sign itself.
    let shown =
        kept.checked_sub(1).and_then(|i| value.get(i)).is_some_and(|b| b & 0x80 == sign & 0x80);
    if shown { kept } else { (kept + 1).min(value.len()) }
}
