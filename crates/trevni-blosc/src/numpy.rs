//! Conversion between NumPy arrays and Arrow columns.
//!
//! ```text
//! dtype                    Arrow                          dtype                   Arrow
//! bool                     Boolean                        datetime64[s ms us ns]  Timestamp, "not a time" is null
//! int8 ... uint64          Int8 ... UInt64                datetime64[D ...]   *   Int64, "not a time" is null
//! float16, 32, 64          Float16, 32, 64                timedelta64[s ... ns]   Duration, likewise
//! complex64, 128       *   FixedSizeList of 2 floats      |S10                    FixedSizeBinary, with its NULs
//! <U5                  *   Utf8, without its NULs         |V8                 *   FixedSizeBinary
//! [("a", "<i4"), ...]      Struct; of a whole array: columns
//! shape (n, 3, 4)          FixedSizeList of FixedSizeList
//! ```
//! Numbers whose high byte comes first are turned. Where the Arrow type alone would not lead back to the dtype
//! (`*`, and numbers in the other order) the field carries it in its metadata, under [`DTYPE_KEY`].
//!
//! Other Arrow types are errors when they are written, and so are nulls, since NumPy has none but "not a time". The
//! strings of a NumPy array have one width: that of the metadata of their field, or that of the widest string.

mod from_arrow;
mod reader;
mod to_arrow;
mod width;
mod writer;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef, TimeUnit};

pub use reader::{ChunkedReader, Column};
pub use width::Widths;
pub use writer::{ChunkedWriter, NumpyField};

pub(crate) use crate::numpy::from_arrow::from_arrow;
pub(crate) use crate::numpy::to_arrow::to_arrow;

use crate::{self as blosc, ByteOrder, Dtype, DtypeKind, Unit};
use trevni::{Error, Result};

/// The key of a field's metadata that holds its dtype, as NumPy prints it.
pub const DTYPE_KEY: &str = "numpy.dtype";

/// Returns the field of elements of a dtype, which are `shape` together in a row.
pub fn field_of(name: &str, dtype: &Dtype, shape: &[u64]) -> Result<Field> {
    let (mut data_type, nullable) = data_type_of(dtype)?;
    for size in shape.iter().rev() {
        let size = i32::try_from(*size)
            .map_err(|_| Error::unsupported(format!("rows of shape {shape:?}, in Arrow")))?;
        let inner = Field::new_list_field(data_type, nullable && size == last(shape));
        data_type = DataType::FixedSizeList(Arc::new(inner), size);
    }
    let field = Field::new(name, data_type, nullable && shape.is_empty());
    if implied(dtype) {
        return Ok(field);
    }
    let said = [(DTYPE_KEY.to_owned(), dtype.numpy_str())];
    Ok(field.with_metadata(said.into_iter().collect()))
}

fn last(shape: &[u64]) -> i32 {
    shape.last().and_then(|n| i32::try_from(*n).ok()).unwrap_or(0)
}

/// Returns whether the Arrow type leads back to the dtype.
fn implied(dtype: &Dtype) -> bool {
    let little = dtype.order == ByteOrder::Little || dtype.size == 1;
    match &dtype.kind {
        DtypeKind::Complex | DtypeKind::Unicode | DtypeKind::Void => false,
        DtypeKind::DateTime(unit) | DtypeKind::TimeDelta(unit) => {
            little && time_unit(unit).is_some()
        }
        DtypeKind::Bytes | DtypeKind::Record(_) => true,
        _ => little,
    }
}

/// Returns the unit that Arrow has too.
fn time_unit(unit: &Unit) -> Option<TimeUnit> {
    let units = [
        ("s", TimeUnit::Second),
        ("ms", TimeUnit::Millisecond),
        ("us", TimeUnit::Microsecond),
        ("ns", TimeUnit::Nanosecond),
    ];
    units.into_iter().find(|(base, _)| unit.count == 1 && unit.base == *base).map(|(_, unit)| unit)
}

/// Returns the type of elements, and whether they may be null.
fn data_type_of(dtype: &Dtype) -> Result<(DataType, bool)> {
    let data_type = match (&dtype.kind, dtype.size) {
        (DtypeKind::Bool, _) => DataType::Boolean,
        (DtypeKind::Int, 1) => DataType::Int8,
        (DtypeKind::Int, 2) => DataType::Int16,
        (DtypeKind::Int, 4) => DataType::Int32,
        (DtypeKind::Int, 8) => DataType::Int64,
        (DtypeKind::UInt, 1) => DataType::UInt8,
        (DtypeKind::UInt, 2) => DataType::UInt16,
        (DtypeKind::UInt, 4) => DataType::UInt32,
        (DtypeKind::UInt, 8) => DataType::UInt64,
        (DtypeKind::Float, 2) => DataType::Float16,
        (DtypeKind::Float, 4) => DataType::Float32,
        (DtypeKind::Float, 8) => DataType::Float64,
        (DtypeKind::Complex, 8) => pair(DataType::Float32),
        (DtypeKind::Complex, 16) => pair(DataType::Float64),
        (DtypeKind::Unicode, _) => DataType::Utf8,
        (DtypeKind::DateTime(unit), 8) => {
            let time = time_unit(unit).map(|unit| DataType::Timestamp(unit, None));
            return Ok((time.unwrap_or(DataType::Int64), true));
        }
        (DtypeKind::TimeDelta(unit), 8) => {
            return Ok((time_unit(unit).map_or(DataType::Int64, DataType::Duration), true));
        }
        (DtypeKind::Bytes | DtypeKind::Void, size) => {
            let size = i32::try_from(size);
            DataType::FixedSizeBinary(size.map_err(|_| unsupported(dtype))?)
        }
        (DtypeKind::Record(fields), _) => DataType::Struct(
            fields
                .iter()
                .filter(|field| !field.is_padding())
                .map(|field| field_of(&field.name, &field.dtype, &field.shape).map(Arc::new))
                .collect::<Result<Vec<FieldRef>>>()?
                .into(),
        ),
        _ => return Err(unsupported(dtype)),
    };
    Ok((data_type, false))
}

fn pair(of: DataType) -> DataType {
    DataType::FixedSizeList(Arc::new(Field::new_list_field(of, false)), 2)
}

fn unsupported(dtype: &Dtype) -> Error {
    Error::unsupported(format!("elements of dtype {}, in Arrow", dtype.numpy_str()))
}

/// Returns the dtype and the shape of a row of a field. `width` is that of strings without a declared one:
/// characters of text, bytes of binary.
pub fn dtype_of(field: &Field, width: Option<usize>) -> Result<(Dtype, Vec<u64>)> {
    if let Some(said) = field.metadata().get(DTYPE_KEY) {
        let dtype = Dtype::parse(said)?;
        let (_, shape) = under_lists(field.data_type());
        let extra = usize::from(matches!(dtype.kind, DtypeKind::Complex));
        let shape = shape.get(..shape.len().saturating_sub(extra)).unwrap_or_default().to_vec();
        let fits = field_of(field.name(), &dtype, &shape)?;
        if same_type(fits.data_type(), field.data_type()) {
            return Ok((dtype, shape));
        }
        let what = format!("{said} is no dtype of {}", field.data_type());
        return Err(Error::invalid(what).in_column(field.name()));
    }
    let (data_type, shape) = under_lists(field.data_type());
    let dtype = natural(data_type, width).map_err(|e| e.in_column(field.name()))?;
    Ok((dtype, shape))
}

/// Returns whether two types hold the same values, whatever is null and whatever fields are called.
fn same_type(a: &DataType, b: &DataType) -> bool {
    match (a, b) {
        (DataType::FixedSizeList(a, n), DataType::FixedSizeList(b, m)) => {
            n == m && same_type(a.data_type(), b.data_type())
        }
        (DataType::Utf8, b) => is_text(b),
        (DataType::Timestamp(a, _), DataType::Timestamp(b, _)) => a == b,
        _ => a == b,
    }
}

/// Returns the type within fixed-size lists, and the sizes.
fn under_lists(data_type: &DataType) -> (&DataType, Vec<u64>) {
    let (mut inner, mut shape) = (data_type, Vec::new());
    while let DataType::FixedSizeList(item, size) = inner {
        shape.push(u64::try_from(*size).unwrap_or(0));
        inner = item.data_type();
    }
    (inner, shape)
}

fn is_text(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

fn is_binary(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Binary | DataType::LargeBinary | DataType::BinaryView)
}

/// Returns the dtype of an Arrow type.
fn natural(data_type: &DataType, width: Option<usize>) -> Result<Dtype> {
    let time = |unit: &TimeUnit| Unit { count: 1, base: unit_name(unit) };
    let wide = |unit: usize| {
        let width = width.ok_or_else(|| Error::invalid("strings of an unknown width"))?;
        // NumPy has no strings of no width.
        width.max(1).checked_mul(unit).ok_or_else(|| Error::invalid(format!("strings of {width}")))
    };
    Ok(match data_type {
        DataType::Boolean => Dtype::new(DtypeKind::Bool, 1),
        DataType::Int8 => Dtype::new(DtypeKind::Int, 1),
        DataType::Int16 => Dtype::new(DtypeKind::Int, 2),
        DataType::Int32 => Dtype::new(DtypeKind::Int, 4),
        DataType::Int64 => Dtype::new(DtypeKind::Int, 8),
        DataType::UInt8 => Dtype::new(DtypeKind::UInt, 1),
        DataType::UInt16 => Dtype::new(DtypeKind::UInt, 2),
        DataType::UInt32 => Dtype::new(DtypeKind::UInt, 4),
        DataType::UInt64 => Dtype::new(DtypeKind::UInt, 8),
        DataType::Float16 => Dtype::new(DtypeKind::Float, 2),
        DataType::Float32 => Dtype::new(DtypeKind::Float, 4),
        DataType::Float64 => Dtype::new(DtypeKind::Float, 8),
        DataType::Date32 => Dtype::new(DtypeKind::DateTime(Unit { count: 1, base: "D" }), 8),
        DataType::Date64 => Dtype::new(DtypeKind::DateTime(Unit { count: 1, base: "ms" }), 8),
        DataType::Timestamp(unit, _) => Dtype::new(DtypeKind::DateTime(time(unit)), 8),
        DataType::Duration(unit) => Dtype::new(DtypeKind::TimeDelta(time(unit)), 8),
        DataType::FixedSizeBinary(size) => {
            Dtype::new(DtypeKind::Bytes, usize::try_from(*size).unwrap_or(0))
        }
        DataType::Struct(fields) => record(fields)?,
        DataType::Dictionary(_, values) => natural(values, width)?,
        DataType::RunEndEncoded(_, values) => natural(values.data_type(), width)?,
        other if is_text(other) => Dtype::new(DtypeKind::Unicode, wide(4)?),
        other if is_binary(other) => Dtype::new(DtypeKind::Bytes, wide(1)?),
        other => {
            let what = format!("{other} cannot be represented in NumPy");
            return Err(Error::unsupported(what));
        }
    })
}

/// Returns the dtype of a row of several fields. Strings within must declare their width.
fn record(fields: &[FieldRef]) -> Result<Dtype> {
    let fields = fields.iter().map(|field| {
        let (dtype, shape) = dtype_of(field, None)?;
        Ok(blosc::Field { name: field.name().clone(), dtype, shape })
    });
    Dtype::record(fields.collect::<Result<_>>()?)
}

fn unit_name(unit: &TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Second => "s",
        TimeUnit::Millisecond => "ms",
        TimeUnit::Microsecond => "us",
        TimeUnit::Nanosecond => "ns",
    }
}
