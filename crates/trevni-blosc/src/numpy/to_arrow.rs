//! Converts the bytes of elements to Arrow arrays.
//!
//! ```text
//! 01 00 00 00 02 00 00 00      Int32  1 2         unchanged; byte-swapped first if big-endian
//! records  a b │ a b           a a    b b         each field is picked out
//! ```

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanArray, FixedSizeBinaryArray, FixedSizeListArray, PrimitiveArray,
    StringBuilder, StructArray,
};
use arrow::buffer::{BooleanBuffer, Buffer, MutableBuffer, NullBuffer, ScalarBuffer};
use arrow::datatypes::*;

use super::{field_of, pair, time_unit, unsupported};
use crate::{self as blosc, ByteOrder, Dtype, DtypeKind};
use trevni::{Error, Result};

/// "Not a time".
const NAT: i64 = i64::MIN;

/// Returns the array of `rows` rows, each of `shape` elements, whose bytes these are.
pub(crate) fn to_arrow(
    dtype: &Dtype,
    shape: &[u64],
    rows: usize,
    bytes: MutableBuffer,
) -> Result<ArrayRef> {
    let Some((size, inner)) = shape.split_first() else {
        return elements(dtype, rows, bytes);
    };
    let size = usize::try_from(*size).unwrap_or(usize::MAX);
    let within = rows.checked_mul(size).ok_or_else(|| unsupported(dtype))?;
    let values = to_arrow(dtype, inner, within, bytes)?;
    let field = field_of("item", dtype, inner)?;
    let field = Field::new_list_field(values.data_type().clone(), field.is_nullable());
    let size = i32::try_from(size).map_err(|_| unsupported(dtype))?;
    let list = FixedSizeListArray::try_new_with_length(Arc::new(field), size, values, None, rows)?;
    Ok(Arc::new(list))
}

fn elements(dtype: &Dtype, count: usize, mut bytes: MutableBuffer) -> Result<ArrayRef> {
    if dtype.order == ByteOrder::Big {
        turn(bytes.as_slice_mut(), word(dtype));
    }
    let size = || i32::try_from(dtype.size).map_err(|_| unsupported(dtype));
    Ok(match (&dtype.kind, dtype.size) {
        (DtypeKind::Bool, _) => {
            let bits = bytes.as_slice().iter().map(|b| *b != 0).collect::<BooleanBuffer>();
            Arc::new(BooleanArray::new(bits, None))
        }
        (DtypeKind::Int, 1) => primitive::<Int8Type>(bytes),
        (DtypeKind::Int, 2) => primitive::<Int16Type>(bytes),
        (DtypeKind::Int, 4) => primitive::<Int32Type>(bytes),
        (DtypeKind::Int, 8) => primitive::<Int64Type>(bytes),
        (DtypeKind::UInt, 1) => primitive::<UInt8Type>(bytes),
        (DtypeKind::UInt, 2) => primitive::<UInt16Type>(bytes),
        (DtypeKind::UInt, 4) => primitive::<UInt32Type>(bytes),
        (DtypeKind::UInt, 8) => primitive::<UInt64Type>(bytes),
        (DtypeKind::Float, 2) => primitive::<Float16Type>(bytes),
        (DtypeKind::Float, 4) => primitive::<Float32Type>(bytes),
        (DtypeKind::Float, 8) => primitive::<Float64Type>(bytes),
        (DtypeKind::Complex, 8) => complex(primitive::<Float32Type>(bytes))?,
        (DtypeKind::Complex, 16) => complex(primitive::<Float64Type>(bytes))?,
        (DtypeKind::DateTime(unit), 8) => match time_unit(unit) {
            Some(TimeUnit::Second) => times::<TimestampSecondType>(bytes),
            Some(TimeUnit::Millisecond) => times::<TimestampMillisecondType>(bytes),
            Some(TimeUnit::Microsecond) => times::<TimestampMicrosecondType>(bytes),
            Some(TimeUnit::Nanosecond) => times::<TimestampNanosecondType>(bytes),
            None => times::<Int64Type>(bytes),
        },
        (DtypeKind::TimeDelta(unit), 8) => match time_unit(unit) {
            Some(TimeUnit::Second) => times::<DurationSecondType>(bytes),
            Some(TimeUnit::Millisecond) => times::<DurationMillisecondType>(bytes),
            Some(TimeUnit::Microsecond) => times::<DurationMicrosecondType>(bytes),
            Some(TimeUnit::Nanosecond) => times::<DurationNanosecondType>(bytes),
            None => times::<Int64Type>(bytes),
        },
        (DtypeKind::Bytes | DtypeKind::Void, _) => {
            let values = Buffer::from(bytes);
            Arc::new(FixedSizeBinaryArray::try_new_with_len(size()?, values, None, count)?)
        }
        (DtypeKind::Unicode, _) => text(dtype.size, count, bytes.as_slice())?,
        (DtypeKind::Record(fields), _) => record(fields, dtype.size, count, bytes.as_slice())?,
        _ => return Err(unsupported(dtype)),
    })
}

/// Returns the bytes that are turned together.
pub(super) fn word(dtype: &Dtype) -> usize {
    match dtype.kind {
        DtypeKind::Complex => dtype.size / 2,
        DtypeKind::Unicode => 4,
        DtypeKind::Bytes | DtypeKind::Void | DtypeKind::Record(_) | DtypeKind::Bool => 1,
        _ => dtype.size,
    }
}

/// Reverses the bytes of each word.
pub(super) fn turn(bytes: &mut [u8], word: usize) {
    match word {
        0 | 1 => {}
        2 => words(bytes, u16::swap_bytes, u16::to_ne_bytes, u16::from_ne_bytes),
        4 => words(bytes, u32::swap_bytes, u32::to_ne_bytes, u32::from_ne_bytes),
        8 => words(bytes, u64::swap_bytes, u64::to_ne_bytes, u64::from_ne_bytes),
        _ => bytes.chunks_exact_mut(word).for_each(<[u8]>::reverse),
    }
}

fn words<const N: usize, T>(
    bytes: &mut [u8],
    swap: impl Fn(T) -> T,
    to: impl Fn(T) -> [u8; N],
    from: impl Fn([u8; N]) -> T,
) {
    let (words, _) = bytes.as_chunks_mut::<N>();
    for word in words {
        *word = to(swap(from(*word)));
    }
}

fn primitive<T: ArrowPrimitiveType>(bytes: MutableBuffer) -> ArrayRef {
    Arc::new(PrimitiveArray::<T>::new(ScalarBuffer::from(Buffer::from(bytes)), None))
}

/// 64-bit counts of a unit, null where there is no time.
fn times<T: ArrowPrimitiveType<Native = i64>>(bytes: MutableBuffer) -> ArrayRef {
    let values = ScalarBuffer::<i64>::from(Buffer::from(bytes));
    let nulls = values.contains(&NAT).then(|| {
        NullBuffer::new(values.iter().map(|value| *value != NAT).collect::<BooleanBuffer>())
    });
    Arc::new(PrimitiveArray::<T>::new(values, nulls))
}

fn complex(parts: ArrayRef) -> Result<ArrayRef> {
    let DataType::FixedSizeList(item, size) = pair(parts.data_type().clone()) else {
        return Ok(parts);
    };
    Ok(Arc::new(FixedSizeListArray::try_new(item, size, parts, None)?))
}

/// Texts of code points of four bytes, without the NULs at their ends.
fn text(size: usize, count: usize, bytes: &[u8]) -> Result<ArrayRef> {
    let mut texts = StringBuilder::with_capacity(count, bytes.len() / 4);
    if size == 0 {
        (0..count).for_each(|_| texts.append_value(""));
        return Ok(Arc::new(texts.finish()));
    }
    let mut one = String::new();
    for element in bytes.chunks_exact(size) {
        let points = element.as_chunks::<4>().0;
        let used = points.iter().rposition(|point| *point != [0; 4]).map_or(0, |last| last + 1);
        one.clear();
        for point in points.get(..used).unwrap_or_default() {
            let point = u32::from_le_bytes(*point);
            let not_text = || Error::malformed(format!("{point:#x} is no character"));
            one.push(char::from_u32(point).ok_or_else(not_text)?);
        }
        texts.append_value(&one);
    }
    Ok(Arc::new(texts.finish()))
}

fn record(fields: &[blosc::Field], size: usize, count: usize, bytes: &[u8]) -> Result<ArrayRef> {
    let mut arrays: Vec<(FieldRef, ArrayRef)> = Vec::new();
    let mut start = 0usize;
    for field in fields {
        let elements = field.shape.iter().try_fold(1u64, |product, n| product.checked_mul(*n));
        let width = elements
            .and_then(|n| usize::try_from(n).ok()?.checked_mul(field.dtype.size))
            .filter(|width| start.checked_add(*width).is_some_and(|end| end <= size))
            .ok_or_else(|| {
                Error::malformed(format!("field {:?} outside its record", field.name))
            })?;
        if field.is_padding() {
            start += width;
            continue;
        }
        let mut picked = MutableBuffer::with_capacity(width.saturating_mul(count));
        for record in bytes.chunks_exact(size.max(1)) {
            picked.extend_from_slice(record.get(start..start + width).unwrap_or_default());
        }
        let array = to_arrow(&field.dtype, &field.shape, count, picked)?;
        arrays.push((Arc::new(field_of(&field.name, &field.dtype, &field.shape)?), array));
        start += width;
    }
    let (fields, arrays): (Vec<_>, Vec<_>) = arrays.into_iter().unzip();
    Ok(Arc::new(StructArray::try_new_with_length(fields.into(), arrays, None, count)?))
}
