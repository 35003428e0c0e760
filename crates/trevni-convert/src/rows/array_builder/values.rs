//! The buffers of a column that is built, by type.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::*;
use arrow::buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow::datatypes::*;

use super::Grow;
use trevni::{Error, Result};

/// An enumeration with more symbols forgets them between batches.
pub(super) const MOST_SYMBOLS: usize = 1 << 16;

/// The values so far, a slot for each row.
#[derive(Debug)]
pub(super) enum Values {
    Nothing,
    Boolean(BooleanBufferBuilder),
    Int8(Vec<i8>),
    Int16(Vec<i16>),
    Int32(Vec<i32>),
    Int64(Vec<i64>),
    UInt32(Vec<u32>),
    UInt64(Vec<u64>),
    Float32(Vec<f32>),
    Float64(Vec<f64>),
    Bytes { ends: Vec<i32>, bytes: Vec<u8> },
    Fixed { size: usize, bytes: Vec<u8> },
    Symbols { keys: Vec<i32>, symbols: Vec<String>, numbers: HashMap<String, i32> },
    List { ends: Vec<i32>, item: Box<Grow> },
    Map { ends: Vec<i32>, key: Box<Grow>, value: Box<Grow> },
    Struct(Vec<Grow>),
    Union { ids: Vec<i8>, offsets: Vec<i32>, branches: Vec<Grow> },
}
impl Values {
    pub(super) fn new(field: &FieldRef) -> Result<Self> {
        let grow = |field: &FieldRef| Grow::new(field).map(Box::new);
        Ok(match field.data_type() {
            DataType::Null => Values::Nothing,
            DataType::Boolean => Values::Boolean(BooleanBufferBuilder::new(0)),
            DataType::Int8 => Values::Int8(Vec::new()),
            DataType::Int16 => Values::Int16(Vec::new()),
            DataType::Int32 => Values::Int32(Vec::new()),
            DataType::Int64
            | DataType::Timestamp(TimeUnit::Nanosecond, _)
            | DataType::Duration(TimeUnit::Nanosecond) => Values::Int64(Vec::new()),
            DataType::UInt32 => Values::UInt32(Vec::new()),
            DataType::UInt64 => Values::UInt64(Vec::new()),
            DataType::Float32 => Values::Float32(Vec::new()),
            DataType::Float64 => Values::Float64(Vec::new()),
            DataType::Utf8 | DataType::Binary => {
                Values::Bytes { ends: Vec::new(), bytes: Vec::new() }
            }
            DataType::FixedSizeBinary(size) => {
                let size = usize::try_from(*size).map_err(|_| unfit(field, "such a size"))?;
                Values::Fixed { size, bytes: Vec::new() }
            }
            DataType::Dictionary(..) => {
                Values::Symbols { keys: Vec::new(), symbols: Vec::new(), numbers: HashMap::new() }
            }
            DataType::List(item) => Values::List { ends: Vec::new(), item: grow(item)? },
            DataType::Map(entries, _) => match entries.data_type() {
                DataType::Struct(fields) => match fields.as_ref() {
                    [key, value] => {
                        Values::Map { ends: Vec::new(), key: grow(key)?, value: grow(value)? }
                    }
                    _ => return Err(unfit(field, "such entries")),
                },
                _ => return Err(unfit(field, "such entries")),
            },
            DataType::Struct(fields) => {
                Values::Struct(fields.iter().map(Grow::new).collect::<Result<_>>()?)
            }
            DataType::Union(fields, UnionMode::Dense) => {
                let branches = fields.iter().map(|(_, field)| Grow::new(field));
                let branches = branches.collect::<Result<_>>()?;
                Values::Union { ids: Vec::new(), offsets: Vec::new(), branches }
            }
            _ => return Err(unfit(field, "rows")),
        })
    }

    /// Returns the array of rows with parts.
    pub(super) fn finish(
        &mut self,
        field: &FieldRef,
        nulls: Option<NullBuffer>,
        rows: usize,
    ) -> Result<ArrayRef> {
        Ok(match self {
            Values::List { ends, item } => {
                let of_item = item.field.clone();
                Arc::new(ListArray::try_new(of_item, offsets(ends), item.finish()?, nulls)?)
            }
            Values::Map { ends, key, value } => {
                let DataType::Map(entries, _) = field.data_type() else {
                    return Err(unfit(field, "a map"));
                };
                let DataType::Struct(fields) = entries.data_type() else {
                    return Err(unfit(field, "a map"));
                };
                let columns = vec![key.finish()?, value.finish()?];
                let pairs = StructArray::try_new(fields.clone(), columns, None)?;
                let offsets = offsets(ends);
                Arc::new(MapArray::try_new(entries.clone(), offsets, pairs, nulls, false)?)
            }
            Values::Struct(children) => {
                let DataType::Struct(fields) = field.data_type() else {
                    return Err(unfit(field, "a struct"));
                };
                let columns = children.iter_mut().map(Grow::finish).collect::<Result<_>>()?;
                let fields = fields.clone();
                Arc::new(StructArray::try_new_with_length(fields, columns, nulls, rows)?)
            }
            Values::Union { ids, offsets, branches } => {
                let DataType::Union(fields, _) = field.data_type() else {
                    return Err(unfit(field, "a union"));
                };
                let (ids, offsets) = (std::mem::take(ids), std::mem::take(offsets));
                let columns = branches.iter_mut().map(Grow::finish).collect::<Result<_>>()?;
                let offsets = Some(offsets.into());
                Arc::new(UnionArray::try_new(fields.clone(), ids.into(), offsets, columns)?)
            }
            _ => return Err(unfit(field, "rows")),
        })
    }
}

pub(super) fn unfit(field: &Field, given: &str) -> Error {
    let (name, kind) = (field.name(), field.data_type());
    Error::malformed(format!("{name:?} is {kind}, and not made for {given}"))
}

/// Returns the number of a symbol, which is new or not.
pub(super) fn key_of(
    symbol: &str,
    symbols: &mut Vec<String>,
    numbers: &mut HashMap<String, i32>,
) -> Result<i32> {
    if let Some(key) = numbers.get(symbol) {
        return Ok(*key);
    }
    let key = end(symbols.len())?;
    symbols.push(symbol.to_owned());
    numbers.insert(symbol.to_owned(), key);
    Ok(key)
}

/// Returns the symbols so far. Of numbers without a name there is no end: when there are too many, the next batch
/// begins again.
pub(super) fn dictionary(
    symbols: &mut Vec<String>,
    numbers: &mut HashMap<String, i32>,
) -> ArrayRef {
    let dictionary = StringArray::from_iter_values(symbols.iter());
    if symbols.len() > MOST_SYMBOLS {
        symbols.clear();
        numbers.clear();
    }
    Arc::new(dictionary)
}

pub(super) fn end(at: usize) -> Result<i32> {
    i32::try_from(at).map_err(|_| Error::invalid("more than 2 GB of a column in one batch"))
}

/// Cuts a list of ends to some rows. Returns the last that is left.
pub(super) fn cut(ends: &mut Vec<i32>, rows: usize) -> usize {
    ends.truncate(rows);
    ends.last().map_or(0, |end| usize::try_from(*end).unwrap_or(0))
}

pub(super) fn offsets(ends: &mut Vec<i32>) -> OffsetBuffer<i32> {
    let offsets: Vec<i32> = std::iter::once(0).chain(ends.drain(..)).collect();
    OffsetBuffer::new(ScalarBuffer::from(offsets))
}

pub(super) fn numbers<T: ArrowPrimitiveType>(
    v: &mut Vec<T::Native>,
    nulls: Option<NullBuffer>,
) -> ArrayRef {
    Arc::new(PrimitiveArray::<T>::new(std::mem::take(v).into(), nulls))
}

pub(super) fn longs(
    v: &mut Vec<i64>,
    data_type: &DataType,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef> {
    let longs = PrimitiveArray::<Int64Type>::new(std::mem::take(v).into(), nulls);
    Ok(make_array(longs.into_data().into_builder().data_type(data_type.clone()).build()?))
}
