//! Reads a column value by value.
//!
//! ```text
//! list, map   items, entries give a range of rows of what is inside      dictionaries, run ends are seen through
//! struct      child gives a field, of as many rows                       union   branch gives which, and its row
//! ```

use std::ops::Range;

use arrow::array::*;
use arrow::datatypes::*;

use trevni::{Error, Result};

/// An array, ready for its values to be asked for.
#[derive(Debug)]
pub(crate) struct Walk<'a> {
    array: &'a dyn Array,
    kind: Kind<'a>,
}

#[derive(Debug)]
enum Kind<'a> {
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
    /// Looks at an array. Types that no format of rows has are refused.
    pub(crate) fn new(array: &'a dyn Array) -> Result<Self> {
        Ok(Self { array, kind: Kind::new(array)? })
    }

    /// Whether a row is null.
    pub(crate) fn is_null(&self, row: usize) -> bool {
        match &self.kind {
            Kind::Nothing => true,
            Kind::Dictionary(keys, values) => {
                self.array.is_null(row) || keys.get(row).is_none_or(|key| values.is_null(*key))
            }
            _ => self.array.is_null(row),
        }
    }

    /// True or false.
    pub(crate) fn bool(&self, row: usize) -> Result<bool> {
        match &self.kind {
            Kind::Boolean(v) => Ok(v.value(row)),
            Kind::Dictionary(keys, values) => values.bool(self.key(keys, row)?),
            _ => Err(self.unfit("a boolean")),
        }
    }

    /// An integer, or the number that a date, time, timestamp or duration is.
    pub(crate) fn long(&self, row: usize) -> Result<i64> {
        let behind = || Error::invalid("a row behind the last");
        match &self.kind {
            Kind::Int8(v) => Ok(v.value(row).into()),
            Kind::Int16(v) => Ok(v.value(row).into()),
            Kind::Int32(v) => v.get(row).map(|v| (*v).into()).ok_or_else(behind),
            Kind::Int64(v) => v.get(row).copied().ok_or_else(behind),
            Kind::UInt8(v) => Ok(v.value(row).into()),
            Kind::UInt16(v) => Ok(v.value(row).into()),
            Kind::UInt32(v) => Ok(v.value(row).into()),
            Kind::UInt64(v) => {
                let value = v.value(row);
                i64::try_from(value).map_err(|_| Error::invalid(format!("{value} is out of range")))
            }
            Kind::Dictionary(keys, values) => values.long(self.key(keys, row)?),
            _ => Err(self.unfit("an integer")),
        }
    }

    /// An integer that is not negative.
    #[cfg(feature = "protobuf")]
    pub(crate) fn unsigned(&self, row: usize) -> Result<u64> {
        match &self.kind {
            Kind::UInt64(v) => Ok(v.value(row)),
            Kind::Dictionary(keys, values) => values.unsigned(self.key(keys, row)?),
            _ => {
                let value = self.long(row)?;
                u64::try_from(value).map_err(|_| Error::invalid(format!("{value} is out of range")))
            }
        }
    }

    /// A number of single precision.
    #[cfg(feature = "protobuf")]
    pub(crate) fn float(&self, row: usize) -> Result<f32> {
        match &self.kind {
            Kind::Float32(v) => Ok(v.value(row)),
            Kind::Dictionary(keys, values) => values.float(self.key(keys, row)?),
            _ => Err(self.unfit("a float")),
        }
    }

    /// A number of single or double precision.
    pub(crate) fn double(&self, row: usize) -> Result<f64> {
        match &self.kind {
            Kind::Float32(v) => Ok(v.value(row).into()),
            Kind::Float64(v) => Ok(v.value(row)),
            Kind::Dictionary(keys, values) => values.double(self.key(keys, row)?),
            _ => Err(self.unfit("a double")),
        }
    }

    /// Text.
    pub(crate) fn text(&self, row: usize) -> Result<&'a str> {
        match &self.kind {
            Kind::Utf8(v) => Ok(v.value(row)),
            Kind::LargeUtf8(v) => Ok(v.value(row)),
            Kind::Utf8View(v) => Ok(v.value(row)),
            Kind::Dictionary(keys, values) => values.text(self.key(keys, row)?),
            _ => Err(self.unfit("text")),
        }
    }

    /// Bytes, or the bytes of text.
    pub(crate) fn bytes(&self, row: usize) -> Result<&'a [u8]> {
        match &self.kind {
            Kind::Binary(v) => Ok(v.value(row)),
            Kind::LargeBinary(v) => Ok(v.value(row)),
            Kind::BinaryView(v) => Ok(v.value(row)),
            Kind::Fixed(v) => Ok(v.value(row)),
            Kind::Dictionary(keys, values) => values.bytes(self.key(keys, row)?),
            _ => self.text(row).map(str::as_bytes),
        }
    }

    /// The items of a list: which rows, and of what.
    pub(crate) fn items(&self, row: usize) -> Result<(Range<usize>, &Walk<'a>)> {
        match &self.kind {
            Kind::List(list, item) => Ok((between(list.value_offsets(), row)?, item)),
            Kind::LargeList(list, item) => Ok((between(list.value_offsets(), row)?, item)),
            _ => Err(self.unfit("a list")),
        }
    }

    /// The entries of a map: which rows, of which keys and values.
    pub(crate) fn entries(&self, row: usize) -> Result<(Range<usize>, &Walk<'a>, &Walk<'a>)> {
        match &self.kind {
            Kind::Map(map, key, value) => Ok((between(map.value_offsets(), row)?, key, value)),
            _ => Err(self.unfit("a map")),
        }
    }

    /// A field of a struct.
    pub(crate) fn child(&self, at: usize) -> Result<&Walk<'a>> {
        let found = match &self.kind {
            Kind::Struct(fields) => fields.get(at),
            _ => None,
        };
        found.ok_or_else(|| self.unfit("a struct with such a field"))
    }

    /// Which branch of a union a row has, counted from 0, and the row of it.
    pub(crate) fn branch(&self, row: usize) -> Result<(usize, usize, &Walk<'a>)> {
        let Kind::Union(union, branches) = &self.kind else { return Err(self.unfit("a union")) };
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

impl<'a> Kind<'a> {
    fn new(array: &'a dyn Array) -> Result<Self> {
        let walk = |array: &'a ArrayRef| Walk::new(array.as_ref()).map(Box::new);
        Ok(match array.data_type() {
            DataType::Null => Kind::Nothing,
            DataType::Boolean => Kind::Boolean(array.as_boolean()),
            DataType::Int8 => Kind::Int8(array.as_primitive()),
            DataType::Int16 => Kind::Int16(array.as_primitive()),
            DataType::Int32 => Kind::Int32(array.as_primitive::<Int32Type>().values()),
            DataType::Int64 => Kind::Int64(array.as_primitive::<Int64Type>().values()),
            DataType::UInt8 => Kind::UInt8(array.as_primitive()),
            DataType::UInt16 => Kind::UInt16(array.as_primitive()),
            DataType::UInt32 => Kind::UInt32(array.as_primitive()),
            DataType::UInt64 => Kind::UInt64(array.as_primitive()),
            DataType::Float32 => Kind::Float32(array.as_primitive()),
            DataType::Float64 => Kind::Float64(array.as_primitive()),
            DataType::Utf8 => Kind::Utf8(array.as_string()),
            DataType::LargeUtf8 => Kind::LargeUtf8(array.as_string()),
            DataType::Utf8View => Kind::Utf8View(array.as_string_view()),
            DataType::Binary => Kind::Binary(array.as_binary()),
            DataType::LargeBinary => Kind::LargeBinary(array.as_binary()),
            DataType::BinaryView => Kind::BinaryView(array.as_binary_view()),
            DataType::FixedSizeBinary(_) => Kind::Fixed(array.as_fixed_size_binary()),
            DataType::Dictionary(..) => {
                let dictionary = array.as_any_dictionary();
                let keys = dictionary.normalized_keys();
                Kind::Dictionary(keys, walk(dictionary.values())?)
            }
            DataType::List(_) => {
                let list = array.as_list::<i32>();
                Kind::List(list, walk(list.values())?)
            }
            DataType::LargeList(_) => {
                let list = array.as_list::<i64>();
                Kind::LargeList(list, walk(list.values())?)
            }
            DataType::Map(..) => {
                let map = array.as_map();
                Kind::Map(map, walk(map.keys())?, walk(map.values())?)
            }
            DataType::Struct(_) => {
                let fields = array.as_struct().columns().iter();
                Kind::Struct(fields.map(|f| Walk::new(f.as_ref())).collect::<Result<_>>()?)
            }
            DataType::Union(fields, UnionMode::Dense) => {
                let union = array.as_union();
                let branch =
                    |(id, _): (i8, &FieldRef)| Ok((id, Walk::new(union.child(id).as_ref())?));
                Kind::Union(union, fields.iter().map(branch).collect::<Result<_>>()?)
            }
            other => return temporal(array, other),
        })
    }
}

/// The numbers behind dates, times, timestamps and durations.
fn temporal<'a>(array: &'a dyn Array, data_type: &DataType) -> Result<Kind<'a>> {
    use TimeUnit::*;
    macro_rules! numbers {
        ($t:ty) => {
            array.as_primitive::<$t>().values()
        };
    }
    Ok(match data_type {
        DataType::Date32 => Kind::Int32(numbers!(Date32Type)),
        DataType::Date64 => Kind::Int64(numbers!(Date64Type)),
        DataType::Time32(Second) => Kind::Int32(numbers!(Time32SecondType)),
        DataType::Time32(_) => Kind::Int32(numbers!(Time32MillisecondType)),
        DataType::Time64(Microsecond) => Kind::Int64(numbers!(Time64MicrosecondType)),
        DataType::Time64(_) => Kind::Int64(numbers!(Time64NanosecondType)),
        DataType::Timestamp(Second, _) => Kind::Int64(numbers!(TimestampSecondType)),
        DataType::Timestamp(Millisecond, _) => Kind::Int64(numbers!(TimestampMillisecondType)),
        DataType::Timestamp(Microsecond, _) => Kind::Int64(numbers!(TimestampMicrosecondType)),
        DataType::Timestamp(Nanosecond, _) => Kind::Int64(numbers!(TimestampNanosecondType)),
        DataType::Duration(Second) => Kind::Int64(numbers!(DurationSecondType)),
        DataType::Duration(Millisecond) => Kind::Int64(numbers!(DurationMillisecondType)),
        DataType::Duration(Microsecond) => Kind::Int64(numbers!(DurationMicrosecondType)),
        DataType::Duration(Nanosecond) => Kind::Int64(numbers!(DurationNanosecondType)),
        other => return Err(Error::unsupported(format!("{other} has no form in rows"))),
    })
}

fn between<O: OffsetSizeTrait>(offsets: &[O], row: usize) -> Result<Range<usize>> {
    match offsets.get(row..row + 2) {
        Some([from, to]) => Ok(from.as_usize()..to.as_usize()),
        _ => Err(Error::invalid("a row behind the last")),
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
