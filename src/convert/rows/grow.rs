//! A column that grows value by value.
//!
//! ```text
//! null      validity 0, and an empty slot       list, map   the items first, then end_list
//! struct    its fields first, then end_struct   union       branch(n), and one value to what that gives
//! ```
//! A row that fails half-way is taken back with [`truncate`](Grow::truncate).

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::*;
use arrow::buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow::datatypes::*;

use crate::error::{Error, Result};

/// An enumeration with more symbols forgets them between batches.
const MOST_SYMBOLS: usize = 1 << 16;

/// The rows of a field so far.
#[derive(Debug)]
pub(in crate::convert) struct Grow {
    field: FieldRef,
    validity: BooleanBufferBuilder,
    nulls: usize,
    values: Values,
}

#[derive(Debug)]
enum Values {
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

impl Grow {
    /// An empty column of a field's type.
    pub(in crate::convert) fn new(field: &FieldRef) -> Result<Self> {
        let values = Values::new(field)?;
        let validity = BooleanBufferBuilder::new(0);
        Ok(Self { field: field.clone(), validity, nulls: 0, values })
    }

    /// Rows so far.
    pub(in crate::convert) fn len(&self) -> usize {
        self.validity.len()
    }

    /// Adds a null. Where the field takes none, that is an error.
    pub(in crate::convert) fn push_null(&mut self) -> Result<()> {
        if !self.field.is_nullable() && !self.field.data_type().is_null() {
            return Err(Error::malformed(format!("{:?} is missing", self.field.name())));
        }
        self.push_slot()
    }

    /// Adds a slot that says nothing, for a row that is null here or further out.
    fn push_slot(&mut self) -> Result<()> {
        match &mut self.values {
            Values::Nothing => {}
            Values::Boolean(bits) => bits.append(false),
            Values::Int8(v) => v.push(0),
            Values::Int16(v) => v.push(0),
            Values::Int32(v) => v.push(0),
            Values::Int64(v) => v.push(0),
            Values::UInt32(v) => v.push(0),
            Values::UInt64(v) => v.push(0),
            Values::Float32(v) => v.push(0.0),
            Values::Float64(v) => v.push(0.0),
            Values::Bytes { ends, bytes } => ends.push(end(bytes.len())?),
            Values::Fixed { size, bytes } => bytes.resize(bytes.len() + *size, 0),
            Values::Symbols { keys, .. } => keys.push(0),
            Values::List { ends, item } => ends.push(end(item.len())?),
            Values::Map { ends, key, .. } => ends.push(end(key.len())?),
            Values::Struct(fields) => fields.iter_mut().try_for_each(Grow::push_slot)?,
            Values::Union { ids, offsets, branches } => {
                // A union has no nulls of its own: its first branch has one.
                let first = branches.first_mut();
                let first = first.ok_or_else(|| Error::malformed("a union without branches"))?;
                offsets.push(end(first.len())?);
                ids.push(0);
                first.push_slot()?;
            }
        }
        self.validity.append(false);
        self.nulls += 1;
        Ok(())
    }

    fn is_there(&mut self) -> Result<()> {
        self.validity.append(true);
        Ok(())
    }

    /// Adds true or false.
    pub(in crate::convert) fn push_bool(&mut self, value: bool) -> Result<()> {
        match &mut self.values {
            Values::Boolean(bits) => bits.append(value),
            _ => return Err(self.unfit("a boolean")),
        }
        self.is_there()
    }

    /// Adds an integer, which must be in the range of the type.
    pub(in crate::convert) fn push_long(&mut self, value: i64) -> Result<()> {
        let out = |name: &str| Error::malformed(format!("{name:?}: {value} is out of range"));
        let out = |_| out(self.field.name());
        match &mut self.values {
            Values::Int8(v) => v.push(i8::try_from(value).map_err(out)?),
            Values::Int16(v) => v.push(i16::try_from(value).map_err(out)?),
            Values::Int32(v) => v.push(i32::try_from(value).map_err(out)?),
            Values::Int64(v) => v.push(value),
            Values::UInt32(v) => v.push(u32::try_from(value).map_err(out)?),
            Values::UInt64(v) => v.push(u64::try_from(value).map_err(out)?),
            _ => return Err(self.unfit("an integer")),
        }
        self.is_there()
    }

    /// Adds an unsigned 64-bit integer.
    pub(in crate::convert) fn push_unsigned(&mut self, value: u64) -> Result<()> {
        match &mut self.values {
            Values::UInt64(v) => v.push(value),
            _ => return Err(self.unfit("an unsigned integer")),
        }
        self.is_there()
    }

    /// Adds a single-precision number.
    pub(in crate::convert) fn push_float(&mut self, value: f32) -> Result<()> {
        match &mut self.values {
            Values::Float32(v) => v.push(value),
            _ => return Err(self.unfit("a float")),
        }
        self.is_there()
    }

    /// Adds a double-precision number.
    pub(in crate::convert) fn push_double(&mut self, value: f64) -> Result<()> {
        match &mut self.values {
            Values::Float64(v) => v.push(value),
            _ => return Err(self.unfit("a double")),
        }
        self.is_there()
    }

    /// Adds text: a string, or the symbol of an enumeration.
    pub(in crate::convert) fn push_text(&mut self, value: &str) -> Result<()> {
        match &mut self.values {
            Values::Bytes { ends, bytes } if *self.field.data_type() == DataType::Utf8 => {
                ends.push(end(bytes.len() + value.len())?);
                bytes.extend_from_slice(value.as_bytes());
            }
            Values::Symbols { keys, symbols, numbers } => {
                keys.push(key_of(value, symbols, numbers)?);
            }
            _ => return Err(self.unfit("text")),
        }
        self.is_there()
    }

    /// Adds bytes; of a fixed size, if the type has one.
    pub(in crate::convert) fn push_bytes(&mut self, value: &[u8]) -> Result<()> {
        match &mut self.values {
            Values::Bytes { ends, bytes } if *self.field.data_type() == DataType::Binary => {
                ends.push(end(bytes.len() + value.len())?);
                bytes.extend_from_slice(value);
            }
            Values::Fixed { size, bytes } if *size == value.len() => {
                bytes.extend_from_slice(value);
            }
            _ => return Err(self.unfit("so many bytes")),
        }
        self.is_there()
    }

    /// What takes the items of a list; [`end_list`](Self::end_list) makes them a row.
    pub(in crate::convert) fn item(&mut self) -> Result<&mut Grow> {
        match &mut self.values {
            Values::List { item, .. } => Ok(item),
            _ => Err(unfit(&self.field, "a list")),
        }
    }

    /// What takes the keys and values of a map; [`end_list`](Self::end_list) makes them a row.
    pub(in crate::convert) fn entry(&mut self) -> Result<(&mut Grow, &mut Grow)> {
        match &mut self.values {
            Values::Map { key, value, .. } => Ok((key, value)),
            _ => Err(unfit(&self.field, "a map")),
        }
    }

    /// Makes a row of the items or entries that were added since the last row.
    pub(in crate::convert) fn end_list(&mut self) -> Result<()> {
        match &mut self.values {
            Values::List { ends, item } => ends.push(end(item.len())?),
            Values::Map { ends, key, value } if key.len() == value.len() => {
                ends.push(end(key.len())?);
            }
            _ => return Err(self.unfit("a list")),
        }
        self.is_there()
    }

    /// What takes the values of a struct's field; [`end_struct`](Self::end_struct) makes them a row.
    pub(in crate::convert) fn child(&mut self, at: usize) -> Result<&mut Grow> {
        let unfit = || unfit(&self.field, "a struct with such a field");
        match &mut self.values {
            Values::Struct(fields) => fields.get_mut(at).ok_or_else(unfit),
            _ => Err(unfit()),
        }
    }

    /// Makes a row of the values that were added to each field since the last row. A field that got none has
    /// a null.
    pub(in crate::convert) fn end_struct(&mut self) -> Result<()> {
        let rows = self.validity.len() + 1;
        let Values::Struct(fields) = &mut self.values else { return Err(self.unfit("a struct")) };
        for field in fields {
            if field.len() < rows {
                field.push_null()?;
            }
            if field.len() != rows {
                let name = field.field.name();
                return Err(Error::malformed(format!("{name:?} has two values in one struct")));
            }
        }
        self.is_there()
    }

    /// Takes back the value that a struct's field got since the last row, if it did: the next one replaces it.
    pub(in crate::convert) fn take_back(&mut self, at: usize) -> Result<()> {
        let rows = self.validity.len();
        self.child(at).map(|field| field.truncate(rows))
    }

    /// What takes the one value of a row of a union.
    pub(in crate::convert) fn branch(&mut self, at: usize) -> Result<&mut Grow> {
        let unfit = || unfit(&self.field, "a union with such a branch");
        let Values::Union { ids, offsets, branches } = &mut self.values else {
            return Err(unfit());
        };
        let branch = branches.get_mut(at).ok_or_else(unfit)?;
        offsets.push(end(branch.len())?);
        ids.push(i8::try_from(at).map_err(|_| unfit())?);
        self.validity.append(true);
        Ok(branch)
    }

    /// Forgets all rows behind the first `rows`, and what was added for a row that has not ended.
    pub(in crate::convert) fn truncate(&mut self, rows: usize) {
        match &mut self.values {
            Values::Nothing => {}
            Values::Boolean(bits) => bits.truncate(rows),
            Values::Int8(v) => v.truncate(rows),
            Values::Int16(v) => v.truncate(rows),
            Values::Int32(v) => v.truncate(rows),
            Values::Int64(v) => v.truncate(rows),
            Values::UInt32(v) => v.truncate(rows),
            Values::UInt64(v) => v.truncate(rows),
            Values::Float32(v) => v.truncate(rows),
            Values::Float64(v) => v.truncate(rows),
            Values::Bytes { ends, bytes } => {
                let last = cut(ends, rows);
                bytes.truncate(last);
            }
            Values::Fixed { size, bytes } => bytes.truncate(*size * rows),
            Values::Symbols { keys, .. } => keys.truncate(rows),
            Values::List { ends, item } => {
                let last = cut(ends, rows);
                item.truncate(last);
            }
            Values::Map { ends, key, value } => {
                let last = cut(ends, rows);
                key.truncate(last);
                value.truncate(last);
            }
            Values::Struct(fields) => fields.iter_mut().for_each(|field| field.truncate(rows)),
            Values::Union { ids, offsets, branches } => {
                // Backwards, so that the first of the rows that go has the last word.
                while ids.len() > rows {
                    let branch = ids.pop().and_then(|id| usize::try_from(id).ok());
                    let branch = branch.and_then(|at| branches.get_mut(at));
                    let offset = offsets.pop().and_then(|offset| usize::try_from(offset).ok());
                    if let (Some(branch), Some(offset)) = (branch, offset) {
                        branch.truncate(offset);
                    }
                }
                offsets.truncate(rows);
            }
        }
        let gone = (rows..self.len()).filter(|row| !self.validity.get_bit(*row)).count();
        self.nulls -= gone;
        self.validity.truncate(rows);
    }

    /// Lets an enumeration know a symbol before a row has it.
    pub(in crate::convert) fn know(&mut self, symbol: &str) -> Result<()> {
        match &mut self.values {
            Values::Symbols { symbols, numbers, .. } => {
                key_of(symbol, symbols, numbers).map(|_| ())
            }
            _ => Err(self.unfit("symbols")),
        }
    }

    /// The array of all rows; the column is empty behind it. Symbols keep their numbers.
    pub(in crate::convert) fn finish(&mut self) -> Result<ArrayRef> {
        let rows = self.validity.len();
        let valid = self.validity.finish();
        let nulls = (std::mem::take(&mut self.nulls) > 0).then(|| NullBuffer::new(valid));
        Ok(match &mut self.values {
            Values::Nothing => Arc::new(NullArray::new(rows)),
            Values::Boolean(bits) => Arc::new(BooleanArray::new(bits.finish(), nulls)),
            Values::Int8(v) => numbers::<Int8Type>(v, nulls),
            Values::Int16(v) => numbers::<Int16Type>(v, nulls),
            Values::Int32(v) => numbers::<Int32Type>(v, nulls),
            Values::Int64(v) => longs(v, self.field.data_type(), nulls)?,
            Values::UInt32(v) => numbers::<UInt32Type>(v, nulls),
            Values::UInt64(v) => numbers::<UInt64Type>(v, nulls),
            Values::Float32(v) => numbers::<Float32Type>(v, nulls),
            Values::Float64(v) => numbers::<Float64Type>(v, nulls),
            Values::Bytes { ends, bytes } => {
                let (offsets, bytes) = (offsets(ends), std::mem::take(bytes).into());
                match self.field.data_type() {
                    DataType::Utf8 => Arc::new(StringArray::try_new(offsets, bytes, nulls)?),
                    _ => Arc::new(BinaryArray::try_new(offsets, bytes, nulls)?),
                }
            }
            Values::Fixed { size, bytes } => {
                let bytes = std::mem::take(bytes).into();
                let size = end(*size)?;
                Arc::new(FixedSizeBinaryArray::try_new_with_len(size, bytes, nulls, rows)?)
            }
            Values::Symbols { keys, symbols, numbers } => {
                if symbols.is_empty() && rows > 0 {
                    // Even keys that are null must point somewhere.
                    key_of("", symbols, numbers)?;
                }
                let keys = Int32Array::new(std::mem::take(keys).into(), nulls);
                Arc::new(DictionaryArray::try_new(keys, dictionary(symbols, numbers))?)
            }
            Values::List { ends, item } => {
                let field = item.field.clone();
                Arc::new(ListArray::try_new(field, offsets(ends), item.finish()?, nulls)?)
            }
            Values::Map { ends, key, value } => {
                let DataType::Map(entries, _) = self.field.data_type() else {
                    return Err(unfit(&self.field, "a map"));
                };
                let DataType::Struct(fields) = entries.data_type() else {
                    return Err(unfit(&self.field, "a map"));
                };
                let columns = vec![key.finish()?, value.finish()?];
                let pairs = StructArray::try_new(fields.clone(), columns, None)?;
                let offsets = offsets(ends);
                Arc::new(MapArray::try_new(entries.clone(), offsets, pairs, nulls, false)?)
            }
            Values::Struct(children) => {
                let DataType::Struct(fields) = self.field.data_type() else {
                    return Err(unfit(&self.field, "a struct"));
                };
                let columns = children.iter_mut().map(Grow::finish).collect::<Result<_>>()?;
                let fields = fields.clone();
                Arc::new(StructArray::try_new_with_length(fields, columns, nulls, rows)?)
            }
            Values::Union { ids, offsets, branches } => {
                let DataType::Union(fields, _) = self.field.data_type() else {
                    return Err(unfit(&self.field, "a union"));
                };
                let (ids, offsets) = (std::mem::take(ids), std::mem::take(offsets));
                let columns = branches.iter_mut().map(Grow::finish).collect::<Result<_>>()?;
                let offsets = Some(offsets.into());
                Arc::new(UnionArray::try_new(fields.clone(), ids.into(), offsets, columns)?)
            }
        })
    }

    fn unfit(&self, given: &str) -> Error {
        unfit(&self.field, given)
    }
}

impl Values {
    fn new(field: &FieldRef) -> Result<Self> {
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
}

fn unfit(field: &Field, given: &str) -> Error {
    let (name, kind) = (field.name(), field.data_type());
    Error::malformed(format!("{name:?} is {kind}, and not made for {given}"))
}

/// The number of a symbol, which is new or not.
fn key_of(
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

/// The symbols so far. Of numbers without a name there is no end: when there are too many, the next batch
/// begins anew.
fn dictionary(symbols: &mut Vec<String>, numbers: &mut HashMap<String, i32>) -> ArrayRef {
    let dictionary = StringArray::from_iter_values(symbols.iter());
    if symbols.len() > MOST_SYMBOLS {
        symbols.clear();
        numbers.clear();
    }
    Arc::new(dictionary)
}

fn end(at: usize) -> Result<i32> {
    i32::try_from(at).map_err(|_| Error::invalid("more than 2 GB of a column in one batch"))
}

/// Cuts a list of ends to some rows; gives the last that is left.
fn cut(ends: &mut Vec<i32>, rows: usize) -> usize {
    ends.truncate(rows);
    ends.last().map_or(0, |end| usize::try_from(*end).unwrap_or(0))
}

fn offsets(ends: &mut Vec<i32>) -> OffsetBuffer<i32> {
    let offsets: Vec<i32> = std::iter::once(0).chain(ends.drain(..)).collect();
    OffsetBuffer::new(ScalarBuffer::from(offsets))
}

fn numbers<T: ArrowPrimitiveType>(v: &mut Vec<T::Native>, nulls: Option<NullBuffer>) -> ArrayRef {
    Arc::new(PrimitiveArray::<T>::new(std::mem::take(v).into(), nulls))
}

fn longs(v: &mut Vec<i64>, data_type: &DataType, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
    let longs = PrimitiveArray::<Int64Type>::new(std::mem::take(v).into(), nulls);
    Ok(make_array(longs.into_data().into_builder().data_type(data_type.clone()).build()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> FieldRef {
        let list = Field::new_list("l", Field::new("item", DataType::Utf8, false), true);
        let branches =
            [Field::new("null", DataType::Null, true), Field::new("n", DataType::Int64, false)];
        let union = UnionFields::try_new([0, 1], branches).unwrap();
        let union = Field::new("u", DataType::Union(union, UnionMode::Dense), true);
        let id = Field::new("id", DataType::Int32, false);
        Arc::new(Field::new("row", DataType::Struct(vec![id, list, union].into()), true))
    }

    fn row(grow: &mut Grow, id: i64, texts: Option<&[&str]>, n: Option<i64>) -> Result<()> {
        grow.child(0)?.push_long(id)?;
        if let Some(texts) = texts {
            let list = grow.child(1)?;
            texts.iter().try_for_each(|text| list.item()?.push_text(text))?;
            list.end_list()?;
        }
        if let Some(n) = n {
            grow.child(2)?.branch(1)?.push_long(n)?;
        }
        grow.end_struct()
    }

    #[test]
    fn a_row_that_fails_is_taken_back() {
        let mut with_fault = Grow::new(&sample()).unwrap();
        let mut without = Grow::new(&sample()).unwrap();
        type Row = (i64, Option<&'static [&'static str]>, Option<i64>);
        let rows: [Row; 4] = [
            (1, Some(&["a", "b"]), Some(7)),
            (2, None, None),
            (3, Some(&[]), Some(9)),
            (4, Some(&["c"]), None),
        ];
        for (id, texts, n) in rows {
            let before = with_fault.len();
            let fault = row(&mut with_fault, i64::MAX, texts, n).unwrap_err().to_string();
            assert_eq!(fault, "malformed: \"id\": 9223372036854775807 is out of range");
            with_fault.child(1).unwrap().item().unwrap().push_text("left over").unwrap();
            with_fault.child(2).unwrap().branch(1).unwrap().push_long(1).unwrap();
            with_fault.truncate(before);
            row(&mut with_fault, id, texts, n).unwrap();
            row(&mut without, id, texts, n).unwrap();
        }
        assert_eq!(with_fault.finish().unwrap().to_data(), without.finish().unwrap().to_data());
        assert_eq!(with_fault.len(), 0);
    }

    #[test]
    fn known_symbols_come_first_and_too_many_are_forgotten() {
        let symbols = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
        let mut grow = Grow::new(&Arc::new(Field::new("e", symbols, true))).unwrap();
        ["A", "B", "A"].into_iter().for_each(|name| grow.know(name).unwrap());
        let mut batch = |texts: &mut dyn Iterator<Item = String>| {
            texts.for_each(|text| grow.push_text(&text).unwrap());
            let array = grow.finish().unwrap();
            array.as_any_dictionary().values().len()
        };
        assert_eq!(batch(&mut ["B".to_owned()].into_iter()), 2);
        assert_eq!(batch(&mut (0..MOST_SYMBOLS).map(|n| n.to_string())), MOST_SYMBOLS + 2);
        assert_eq!(batch(&mut ["B".to_owned()].into_iter()), 1);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let mut grow = Grow::new(&sample()).unwrap();
        let fault = grow.end_struct().unwrap_err().to_string();
        assert_eq!(fault, "malformed: \"id\" is missing");
        grow.truncate(0);
        grow.child(0).unwrap().push_long(1).unwrap();
        grow.child(0).unwrap().push_long(2).unwrap();
        let fault = grow.end_struct().unwrap_err().to_string();
        assert_eq!(fault, "malformed: \"id\" has two values in one struct");
        assert!(grow.push_bool(true).is_err() && grow.child(3).is_err() && grow.branch(0).is_err());
    }
}
