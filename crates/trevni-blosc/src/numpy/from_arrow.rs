//! Converts Arrow arrays to the bytes of elements.
//!
//! ```text
//! Int32  1 2       01 00 00 00 02 00 00 00        unchanged; byte-swapped last if big-endian
//! Struct a a b b   a b │ a b                      each field is put between the others
//! ```

use arrow::array::{Array, ArrayRef, AsArray, StructArray};
use arrow::compute::cast;
use arrow::datatypes::*;

use super::to_arrow::{turn, word};
use super::{is_binary, is_text, time_unit};
use crate::{self as blosc, ByteOrder, Dtype, DtypeKind};
use trevni::{Error, Result};

/// "Not a time".
const NAT: i64 = i64::MIN;

/// Appends the bytes of an array's rows, each of `shape` elements.
pub(crate) fn from_arrow(
    array: &ArrayRef,
    dtype: &Dtype,
    shape: &[u64],
    out: &mut Vec<u8>,
) -> Result<()> {
    let timed = matches!(dtype.kind, DtypeKind::DateTime(_) | DtypeKind::TimeDelta(_));
    if array.null_count() > 0 && !(timed && shape.is_empty()) {
        return Err(Error::invalid("a null, which NumPy has not"));
    }
    if let Some((_, inner)) = shape.split_first() {
        let list = array.as_fixed_size_list_opt().ok_or_else(|| mismatch(array, dtype))?;
        return from_arrow(&inner_values(list)?, dtype, inner, out);
    }
    let start = out.len();
    elements(array, dtype, out)?;
    if dtype.order == ByteOrder::Big {
        turn(out.get_mut(start..).unwrap_or_default(), word(dtype));
    }
    Ok(())
}

/// Returns the values of the rows of a slice.
fn inner_values(list: &arrow::array::FixedSizeListArray) -> Result<ArrayRef> {
    let size = usize::try_from(list.value_length()).unwrap_or(0);
    let start = usize::try_from(list.value_offset(0)).unwrap_or(0);
    Ok(list.values().slice(start, list.len().saturating_mul(size)))
}

fn mismatch(array: &ArrayRef, dtype: &Dtype) -> Error {
    Error::invalid(format!("{} for elements of {}", array.data_type(), dtype.numpy_str()))
}

fn elements(array: &ArrayRef, dtype: &Dtype, out: &mut Vec<u8>) -> Result<()> {
    match (&dtype.kind, dtype.size) {
        (DtypeKind::Bool, _) => {
            let bits = array.as_boolean_opt().ok_or_else(|| mismatch(array, dtype))?;
            out.extend(bits.values().iter().map(u8::from));
            Ok(())
        }
        (DtypeKind::Int, 1) => numbers::<Int8Type>(array, dtype, out),
        (DtypeKind::Int, 2) => numbers::<Int16Type>(array, dtype, out),
        (DtypeKind::Int, 4) => numbers::<Int32Type>(array, dtype, out),
        (DtypeKind::Int, 8) => numbers::<Int64Type>(array, dtype, out),
        (DtypeKind::UInt, 1) => numbers::<UInt8Type>(array, dtype, out),
        (DtypeKind::UInt, 2) => numbers::<UInt16Type>(array, dtype, out),
        (DtypeKind::UInt, 4) => numbers::<UInt32Type>(array, dtype, out),
        (DtypeKind::UInt, 8) => numbers::<UInt64Type>(array, dtype, out),
        (DtypeKind::Float, 2) => numbers::<Float16Type>(array, dtype, out),
        (DtypeKind::Float, 4) => numbers::<Float32Type>(array, dtype, out),
        (DtypeKind::Float, 8) => numbers::<Float64Type>(array, dtype, out),
        (DtypeKind::Complex, size) => {
            let pairs = array.as_fixed_size_list_opt().ok_or_else(|| mismatch(array, dtype))?;
            let part = Dtype::new(DtypeKind::Float, size / 2);
            from_arrow(&inner_values(pairs)?, &part, &[], out)
        }
        (DtypeKind::DateTime(_) | DtypeKind::TimeDelta(_), 8) => times(array, dtype, out),
        (DtypeKind::Bytes | DtypeKind::Void, size) => binary(array, dtype, size, out),
        (DtypeKind::Unicode, size) => text(array, dtype, size / 4, out),
        (DtypeKind::Record(fields), size) => {
            let rows = array.as_struct_opt().ok_or_else(|| mismatch(array, dtype))?;
            record(rows, fields, size, out)
        }
        _ => Err(mismatch(array, dtype)),
    }
}

/// Returns the array with the values themselves, of dictionaries and run-ends too.
fn plain(array: &ArrayRef, wanted: &DataType) -> Result<ArrayRef> {
    if array.data_type() == wanted {
        return Ok(array.clone());
    }
    match array.data_type() {
        DataType::Dictionary(..) | DataType::RunEndEncoded(..) => {}
        other if is_text(other) || is_binary(other) => {}
        _ => return Ok(array.clone()),
    }
    Ok(cast(array, wanted)?)
}

fn numbers<T: ArrowPrimitiveType>(
    array: &ArrayRef,
    dtype: &Dtype,
    out: &mut Vec<u8>,
) -> Result<()> {
    let array = plain(array, &T::DATA_TYPE)?;
    let numbers = array.as_primitive_opt::<T>().ok_or_else(|| mismatch(&array, dtype))?;
    out.extend_from_slice(numbers.values().inner().as_slice());
    Ok(())
}

/// Counts of a unit, whatever Arrow calls them.
fn times(array: &ArrayRef, dtype: &Dtype, out: &mut Vec<u8>) -> Result<()> {
    let wanted = match &dtype.kind {
        DtypeKind::DateTime(unit) => time_unit(unit).map(|unit| DataType::Timestamp(unit, None)),
        DtypeKind::TimeDelta(unit) => time_unit(unit).map(DataType::Duration),
        _ => None,
    };
    let array = match (wanted, array.data_type()) {
        (Some(wanted), DataType::Date64) => cast(array, &wanted)?,
        (Some(wanted), DataType::Dictionary(..) | DataType::RunEndEncoded(..)) => {
            cast(array, &wanted)?
        }
        (_, DataType::Date32) => cast(&cast(array, &DataType::Int32)?, &DataType::Int64)?,
        _ => array.clone(),
    };
    let counts = match array.data_type() {
        DataType::Int64 => array.clone(),
        DataType::Timestamp(..) | DataType::Duration(_) => cast(&array, &DataType::Int64)?,
        _ => return Err(mismatch(&array, dtype)),
    };
    let counts = counts.as_primitive::<Int64Type>();
    if counts.null_count() == 0 {
        out.extend_from_slice(counts.values().inner().as_slice());
        return Ok(());
    }
    out.extend(counts.iter().flat_map(|count| count.unwrap_or(NAT).to_le_bytes()));
    Ok(())
}

/// Writes bytes, padded with NULs.
fn binary(array: &ArrayRef, dtype: &Dtype, size: usize, out: &mut Vec<u8>) -> Result<()> {
    if let Some(fixed) = array.as_fixed_size_binary_opt() {
        if usize::try_from(fixed.value_length()) != Ok(size) {
            return Err(mismatch(array, dtype));
        }
        (0..fixed.len()).for_each(|row| out.extend_from_slice(fixed.value(row)));
        return Ok(());
    }
    let array = plain(array, &DataType::Binary)?;
    let values = array.as_binary_opt::<i32>().ok_or_else(|| mismatch(&array, dtype))?;
    for value in values.iter().flatten() {
        if value.last() == Some(&0) {
            return Err(Error::invalid("bytes that end in a NUL, which NumPy strips"));
        }
        padded(value.iter().copied(), value.len(), size, out)?;
    }
    Ok(())
}

/// Writes characters of four bytes, padded with NULs.
fn text(array: &ArrayRef, dtype: &Dtype, width: usize, out: &mut Vec<u8>) -> Result<()> {
    let array = plain(array, &DataType::Utf8)?;
    let values = array.as_string_opt::<i32>().ok_or_else(|| mismatch(&array, dtype))?;
    for value in values.iter().flatten() {
        if value.ends_with('\0') {
            return Err(Error::invalid("text that ends in a NUL, which NumPy strips"));
        }
        let points = value.chars().flat_map(|c| u32::from(c).to_le_bytes());
        padded(points, value.chars().count() * 4, width * 4, out)?;
    }
    Ok(())
}

fn padded(
    bytes: impl Iterator<Item = u8>,
    len: usize,
    size: usize,
    out: &mut Vec<u8>,
) -> Result<()> {
    let Some(missing) = size.checked_sub(len) else {
        let what = format!("a string of {len} bytes where there is room for {size}");
        return Err(Error::invalid(what));
    };
    out.extend(bytes);
    out.resize(out.len() + missing, 0);
    Ok(())
}

fn record(
    rows: &StructArray,
    fields: &[blosc::Field],
    size: usize,
    out: &mut Vec<u8>,
) -> Result<()> {
    let mut columns = Vec::new();
    for (field, column) in fields.iter().zip(rows.columns()) {
        let mut bytes = Vec::new();
        from_arrow(column, &field.dtype, &field.shape, &mut bytes)
            .map_err(|e| e.in_column(&field.name))?;
        columns.push((bytes.len().checked_div(rows.len()).unwrap_or(0), bytes));
    }
    let width: usize = columns.iter().map(|(width, _)| width).sum();
    if columns.len() != fields.len() || (width != size && !rows.is_empty()) {
        return Err(Error::invalid(format!(
            "{} fields of a record of {}",
            columns.len(),
            fields.len()
        )));
    }
    out.reserve(size.saturating_mul(rows.len()));
    for row in 0..rows.len() {
        for (width, bytes) in &columns {
            out.extend_from_slice(bytes.get(row * width..(row + 1) * width).unwrap_or_default());
        }
    }
    Ok(())
}
