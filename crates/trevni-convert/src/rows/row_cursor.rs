//! Reads a column value by value.
//!
//! ```text
//! list, map   items, entries return a range of rows of the child         dictionaries, run ends by their values
//! struct      child returns a field, with as many rows                   union   branch returns which, and its row
//! ```

use std::ops::Range;

use arrow::array::*;
use arrow::datatypes::*;

use trevni::{Error, Result};

/// An array whose values can be read one by one.
#[derive(Debug)]
pub(crate) struct Walk<'a> {
    array: &'a dyn Array,
    kind: LeafValues<'a>,
}

#[derive(Debug)]
enum LeafValues<'a> {
    Nothing,
    Boolean(&'a BooleanArray),
    Int8(&'a Int8Array),
    Int16(&'a Int16Array),
    Int32(&'a [i32]),
    Int64(&'a [i64]),
    UInt8(&'a UInt8Array),
    UInt16(&'a UInt16Array),
    UInt32(&'a UInt32Array),
    UInt64(&'a UInt64Array),
    Float32(&'a Float32Array),
    Float64(&'a Float64Array),
    Utf8(&'a StringArray),
    LargeUtf8(&'a LargeStringArray),
    Utf8View(&'a StringViewArray),
    Binary(&'a BinaryArray),
    LargeBinary(&'a LargeBinaryArray),
    BinaryView(&'a BinaryViewArray),
    Fixed(&'a FixedSizeBinaryArray),
    Dictionary(Vec<usize>, Box<Walk<'a>>),
    List(&'a ListArray, Box<Walk<'a>>),
    LargeList(&'a LargeListArray, Box<Walk<'a>>),
    Map(&'a MapArray, Box<Walk<'a>>, Box<Walk<'a>>),
    Struct(Vec<Walk<'a>>),
    Union(&'a UnionArray, Vec<(i8, Walk<'a>)>),
}

impl<'a> Walk<'a> {
    /// Wraps an array. Types that no row format has are refused.
    pub(crate) fn new(array: &'a dyn Array) -> Result<Self> {
        Ok(Self { array, kind: LeafValues::new(array)? })
    }

    /// Returns whether a row is null.
    pub(crate) fn is_null(&self, row: usize) -> bool {
        match &self.kind {
            LeafValues::Nothing => true,
            LeafValues::Dictionary(keys, values) => {
                self.array.is_null(row) || keys.get(row).is_none_or(|key| values.is_null(*key))
            }
            _ => self.array.is_null(row),
        }
    }

    /// True or false.
    pub(crate) fn bool(&self, row: usize) -> Result<bool> {
        match &self.kind {
            LeafValues::Boolean(v) => Ok(v.value(row)),
            LeafValues::Dictionary(keys, values) => values.bool(self.key(keys, row)?),
            _ => Err(self.unfit("a boolean")),
        }
    }

    /// Returns an integer, or the number that a date, time, timestamp or duration is.
    pub(crate) fn long(&self, row: usize) -> Result<i64> {
        let behind = || Error::invalid("a row after the last");
        match &self.kind {
            LeafValues::Int8(v) => Ok(v.value(row).into()),
            LeafValues::Int16(v) => Ok(v.value(row).into()),
            LeafValues::Int32(v) => v.get(row).map(|v| (*v).into()).ok_or_else(behind),
            LeafValues::Int64(v) => v.get(row).copied().ok_or_else(behind),
            LeafValues::UInt8(v) => Ok(v.value(row).into()),
            LeafValues::UInt16(v) => Ok(v.value(row).into()),
            LeafValues::UInt32(v) => Ok(v.value(row).into()),
            LeafValues::UInt64(v) => {
                let value = v.value(row);
                i64::try_from(value).map_err(|_| Error::invalid(format!("{value} is out of range")))
            }
            LeafValues::Dictionary(keys, values) => values.long(self.key(keys, row)?),
            _ => Err(self.unfit("an integer")),
        }
    }

    /// Returns an integer that is not negative.
    #[cfg(feature = "protobuf")]
    pub(crate) fn unsigned(&self, row: usize) -> Result<u64> {
        match &self.kind {
            LeafValues::UInt64(v) => Ok(v.value(row)),
            LeafValues::Dictionary(keys, values) => values.unsigned(self.key(keys, row)?),
            _ => {
                let value = self.long(row)?;
                u64::try_from(value).map_err(|_| Error::invalid(format!("{value} is out of range")))
            }
        }
    }

    /// Returns a number of single precision.
    #[cfg(feature = "protobuf")]
    pub(crate) fn float(&self, row: usize) -> Result<f32> {
        match &self.kind {
            LeafValues::Float32(v) => Ok(v.value(row)),
            LeafValues::Dictionary(keys, values) => values.float(self.key(keys, row)?),
            _ => Err(self.unfit("a float")),
        }
    }

    /// Returns a number of single or double precision.
    pub(crate) fn double(&self, row: usize) -> Result<f64> {
        match &self.kind {
            LeafValues::Float32(v) => Ok(v.value(row).into()),
            LeafValues::Float64(v) => Ok(v.value(row)),
            LeafValues::Dictionary(keys, values) => values.double(self.key(keys, row)?),
            _ => Err(self.unfit("a double")),
        }
    }

    /// Text.
    pub(crate) fn text(&self, row: usize) -> Result<&'a str> {
        match &self.kind {
            LeafValues::Utf8(v) => Ok(v.value(row)),
            LeafValues::LargeUtf8(v) => Ok(v.value(row)),
            LeafValues::Utf8View(v) => Ok(v.value(row)),
            LeafValues::Dictionary(keys, values) => values.text(self.key(keys, row)?),
            _ => Err(self.unfit("text")),
        }
    }

    /// Bytes, or the bytes of text.
    pub(crate) fn bytes(&self, row: usize) -> Result<&'a [u8]> {
        match &self.kind {
            LeafValues::Binary(v) => Ok(v.value(row)),
            LeafValues::LargeBinary(v) => Ok(v.value(row)),
            LeafValues::BinaryView(v) => Ok(v.value(row)),
            LeafValues::Fixed(v) => Ok(v.value(row)),
            LeafValues::Dictionary(keys, values) => values.bytes(self.key(keys, row)?),
            _ => self.text(row).map(str::as_bytes),
        }
    }

    /// Returns the items of a list: which rows, and of what.
    pub(crate) fn items(&self, row: usize) -> Result<(Range<usize>, &Walk<'a>)> {
        match &self.kind {
            LeafValues::List(list, item) => Ok((between(list.value_offsets(), row)?, item)),
            LeafValues::LargeList(list, item) => Ok((between(list.value_offsets(), row)?, item)),
            _ => Err(self.unfit("a list")),
        }
    }

    /// Returns the entries of a map: which rows, of which keys and values.
    pub(crate) fn entries(&self, row: usize) -> Result<(Range<usize>, &Walk<'a>, &Walk<'a>)> {
        match &self.kind {
            LeafValues::Map(map, key, value) => {
                Ok((between(map.value_offsets(), row)?, key, value))
            }
            _ => Err(self.unfit("a map")),
        }
    }

    /// Returns a field of a struct.
    pub(crate) fn child(&self, at: usize) -> Result<&Walk<'a>> {
        let found = match &self.kind {
            LeafValues::Struct(fields) => fields.get(at),
            _ => None,
        };
        found.ok_or_else(|| self.unfit("a struct with such a field"))
    }

    /// Returns which branch of a union a row has, counted from 0, and the row of it.
    pub(crate) fn branch(&self, row: usize) -> Result<(usize, usize, &Walk<'a>)> {
        let LeafValues::Union(union, branches) = &self.kind else {
            return Err(self.unfit("a union"));
        };
        let id = union.type_id(row);
        let found = branches.iter().enumerate().find(|(_, (other, _))| *other == id);
        let (at, (_, walk)) = found.ok_or_else(|| self.unfit("such a branch"))?;
        Ok((at, union.value_offset(row), walk))
    }

    fn key(&self, keys: &[usize], row: usize) -> Result<usize> {
        keys.get(row).copied().ok_or_else(|| self.unfit("such a row"))
    }

    fn unfit(&self, wanted: &str) -> Error {
        let kind = self.array.data_type();
        Error::invalid(format!("a column of {kind} is given for {wanted}"))
    }
}

impl<'a> LeafValues<'a> {
    fn new(array: &'a dyn Array) -> Result<Self> {
        let walk = |array: &'a ArrayRef| Walk::new(array.as_ref()).map(Box::new);
        Ok(match array.data_type() {
            DataType::Null => LeafValues::Nothing,
            DataType::Boolean => LeafValues::Boolean(array.as_boolean()),
            DataType::Int8 => LeafValues::Int8(array.as_primitive()),
            DataType::Int16 => LeafValues::Int16(array.as_primitive()),
            DataType::Int32 => LeafValues::Int32(array.as_primitive::<Int32Type>().values()),
            DataType::Int64 => LeafValues::Int64(array.as_primitive::<Int64Type>().values()),
            DataType::UInt8 => LeafValues::UInt8(array.as_primitive()),
            DataType::UInt16 => LeafValues::UInt16(array.as_primitive()),
            DataType::UInt32 => LeafValues::UInt32(array.as_primitive()),
            DataType::UInt64 => LeafValues::UInt64(array.as_primitive()),
            DataType::Float32 => LeafValues::Float32(array.as_primitive()),
            DataType::Float64 => LeafValues::Float64(array.as_primitive()),
            DataType::Utf8 => LeafValues::Utf8(array.as_string()),
            DataType::LargeUtf8 => LeafValues::LargeUtf8(array.as_string()),
            DataType::Utf8View => LeafValues::Utf8View(array.as_string_view()),
            DataType::Binary => LeafValues::Binary(array.as_binary()),
            DataType::LargeBinary => LeafValues::LargeBinary(array.as_binary()),
            DataType::BinaryView => LeafValues::BinaryView(array.as_binary_view()),
            DataType::FixedSizeBinary(_) => LeafValues::Fixed(array.as_fixed_size_binary()),
            DataType::Dictionary(..) => {
                let dictionary = array.as_any_dictionary();
                let keys = dictionary.normalized_keys();
                LeafValues::Dictionary(keys, walk(dictionary.values())?)
            }
            DataType::List(_) => {
                let list = array.as_list::<i32>();
                LeafValues::List(list, walk(list.values())?)
            }
            DataType::LargeList(_) => {
                let list = array.as_list::<i64>();
                LeafValues::LargeList(list, walk(list.values())?)
            }
            DataType::Map(..) => {
                let map = array.as_map();
                LeafValues::Map(map, walk(map.keys())?, walk(map.values())?)
            }
            DataType::Struct(_) => {
                let fields = array.as_struct().columns().iter();
                LeafValues::Struct(fields.map(|f| Walk::new(f.as_ref())).collect::<Result<_>>()?)
            }
            DataType::Union(fields, UnionMode::Dense) => {
                let union = array.as_union();
                let branch =
                    |(id, _): (i8, &FieldRef)| Ok((id, Walk::new(union.child(id).as_ref())?));
                LeafValues::Union(union, fields.iter().map(branch).collect::<Result<_>>()?)
            }
            other => return temporal(array, other),
        })
    }
}

/// Returns the numbers of dates, times, timestamps and durations.
fn temporal<'a>(array: &'a dyn Array, data_type: &DataType) -> Result<LeafValues<'a>> {
    use TimeUnit::*;
    macro_rules! numbers {
        ($t:ty) => {
            array.as_primitive::<$t>().values()
        };
    }
    Ok(match data_type {
        DataType::Date32 => LeafValues::Int32(numbers!(Date32Type)),
        DataType::Date64 => LeafValues::Int64(numbers!(Date64Type)),
        DataType::Time32(Second) => LeafValues::Int32(numbers!(Time32SecondType)),
        DataType::Time32(_) => LeafValues::Int32(numbers!(Time32MillisecondType)),
        DataType::Time64(Microsecond) => LeafValues::Int64(numbers!(Time64MicrosecondType)),
        DataType::Time64(_) => LeafValues::Int64(numbers!(Time64NanosecondType)),
        DataType::Timestamp(Second, _) => LeafValues::Int64(numbers!(TimestampSecondType)),
        DataType::Timestamp(Millisecond, _) => {
            LeafValues::Int64(numbers!(TimestampMillisecondType))
        }
        DataType::Timestamp(Microsecond, _) => {
            LeafValues::Int64(numbers!(TimestampMicrosecondType))
        }
        DataType::Timestamp(Nanosecond, _) => LeafValues::Int64(numbers!(TimestampNanosecondType)),
        DataType::Duration(Second) => LeafValues::Int64(numbers!(DurationSecondType)),
        DataType::Duration(Millisecond) => LeafValues::Int64(numbers!(DurationMillisecondType)),
        DataType::Duration(Microsecond) => LeafValues::Int64(numbers!(DurationMicrosecondType)),
        DataType::Duration(Nanosecond) => LeafValues::Int64(numbers!(DurationNanosecondType)),
        other => return Err(Error::unsupported(format!("{other} cannot be stored in rows"))),
    })
}

fn between<O: OffsetSizeTrait>(offsets: &[O], row: usize) -> Result<Range<usize>> {
    match offsets.get(row..row + 2) {
        Some([from, to]) => Ok(from.as_usize()..to.as_usize()),
        _ => Err(Error::invalid("a row after the last")),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn dictionaries_are_seen_through() {
        let words: DictionaryArray<Int8Type> =
            [Some("a"), None, Some("b"), Some("a")].into_iter().collect();
        let walk = Walk::new(&words).unwrap();
        let seen: Vec<_> =
            (0..4).map(|i| (!walk.is_null(i)).then(|| walk.text(i).unwrap())).collect();
        assert_eq!(seen, [Some("a"), None, Some("b"), Some("a")]);
        assert_eq!(
            walk.long(0).unwrap_err().to_string(),
            "invalid: a column of Utf8 is given for an integer"
        );
    }

    #[test]
    fn slices_keep_their_rows() {
        let lists = ListArray::from_iter_primitive::<Int64Type, _, _>([
            Some(vec![Some(1)]),
            Some(vec![Some(2), Some(3)]),
            None,
        ]);
        let sliced: ArrayRef = Arc::new(lists.slice(1, 2));
        let walk = Walk::new(&sliced).unwrap();
        let (rows, item) = walk.items(0).unwrap();
        assert_eq!(rows.map(|row| item.long(row).unwrap()).collect::<Vec<_>>(), [2, 3]);
        assert!(walk.is_null(1) && walk.child(0).is_err());
    }
}
