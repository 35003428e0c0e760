//! Builds a column value by value.
//!
//! ```text
//! null      validity 0, and an empty slot       list, map   the items first, then end_list
//! struct    its fields first, then end_struct   union       branch(n), and one value for its builder
//! ```
//! A row that fails is removed with [`truncate`](Grow::truncate).

#[cfg(test)]
mod tests;
mod values;

use std::sync::Arc;

use arrow::array::*;
use arrow::buffer::NullBuffer;
use arrow::datatypes::*;

use self::values::{Values, cut, dictionary, end, key_of, longs, numbers, offsets, unfit};
use trevni::{Error, Result};

/// The rows of a field so far.
#[derive(Debug)]
pub(crate) struct Grow {
    field: FieldRef,
    validity: BooleanBufferBuilder,
    nulls: usize,
    values: Values,
}

impl Grow {
    /// Returns an empty column of a field's type.
    pub(crate) fn new(field: &FieldRef) -> Result<Self> {
        let values = Values::new(field)?;
        let validity = BooleanBufferBuilder::new(0);
        Ok(Self { field: field.clone(), validity, nulls: 0, values })
    }

    /// Returns the rows so far.
    pub(crate) fn len(&self) -> usize {
        self.validity.len()
    }

    /// Adds a null. Where the field takes none, that is an error.
    pub(crate) fn push_null(&mut self) -> Result<()> {
        if !self.field.is_nullable() && !self.field.data_type().is_null() {
            return Err(Error::malformed(format!("{:?} is missing", self.field.name())));
        }
        self.push_slot()
    }

    /// Adds a slot for a row that is null here or further out.
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
                // A union has no validity: its first branch has one.
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
    pub(crate) fn push_bool(&mut self, value: bool) -> Result<()> {
        match &mut self.values {
            Values::Boolean(bits) => bits.append(value),
            _ => return Err(self.unfit("a boolean")),
        }
        self.is_there()
    }

    /// Adds an integer, which must be in the range of the type.
    pub(crate) fn push_long(&mut self, value: i64) -> Result<()> {
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
    #[cfg(feature = "protobuf")]
    pub(crate) fn push_unsigned(&mut self, value: u64) -> Result<()> {
        match &mut self.values {
            Values::UInt64(v) => v.push(value),
            _ => return Err(self.unfit("an unsigned integer")),
        }
        self.is_there()
    }

    /// Adds a single-precision number.
    #[cfg(feature = "protobuf")]
    pub(crate) fn push_float(&mut self, value: f32) -> Result<()> {
        match &mut self.values {
            Values::Float32(v) => v.push(value),
            _ => return Err(self.unfit("a float")),
        }
        self.is_there()
    }

    /// Adds a double-precision number.
    pub(crate) fn push_double(&mut self, value: f64) -> Result<()> {
        match &mut self.values {
            Values::Float64(v) => v.push(value),
            _ => return Err(self.unfit("a double")),
        }
        self.is_there()
    }

    /// Adds text: a string, or the symbol of an enumeration.
    pub(crate) fn push_text(&mut self, value: &str) -> Result<()> {
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
    pub(crate) fn push_bytes(&mut self, value: &[u8]) -> Result<()> {
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

    /// Returns what takes the items of a list; [`end_list`](Self::end_list) makes them a row.
    pub(crate) fn item(&mut self) -> Result<&mut Grow> {
        match &mut self.values {
            Values::List { item, .. } => Ok(item),
            _ => Err(unfit(&self.field, "a list")),
        }
    }

    /// Returns what takes the keys and values of a map; [`end_list`](Self::end_list) makes them a row.
    pub(crate) fn entry(&mut self) -> Result<(&mut Grow, &mut Grow)> {
        match &mut self.values {
            Values::Map { key, value, .. } => Ok((key, value)),
            _ => Err(unfit(&self.field, "a map")),
        }
    }

    /// Makes a row of the items or entries that were added since the last row.
    pub(crate) fn end_list(&mut self) -> Result<()> {
        match &mut self.values {
            Values::List { ends, item } => ends.push(end(item.len())?),
            Values::Map { ends, key, value } if key.len() == value.len() => {
                ends.push(end(key.len())?);
            }
            _ => return Err(self.unfit("a list")),
        }
        self.is_there()
    }

    /// Returns what takes the values of a struct's field; [`end_struct`](Self::end_struct) makes them a row.
    pub(crate) fn child(&mut self, at: usize) -> Result<&mut Grow> {
        let unfit = || unfit(&self.field, "a struct with such a field");
        match &mut self.values {
            Values::Struct(fields) => fields.get_mut(at).ok_or_else(unfit),
            _ => Err(unfit()),
        }
    }

    /// Makes a row of the values that were added to each field since the last row. A field that got none has
    /// a null.
    pub(crate) fn end_struct(&mut self) -> Result<()> {
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

    /// Returns what takes the one value of a row of a union.
    pub(crate) fn branch(&mut self, at: usize) -> Result<&mut Grow> {
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

    /// Removes all rows after the first `rows`, and values of an incomplete row.
    pub(crate) fn truncate(&mut self, rows: usize) {
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
                // Backwards, so that the first of the removed rows decides.
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

    /// Adds a symbol to an enumeration before a row has it.
    pub(crate) fn know(&mut self, symbol: &str) -> Result<()> {
        match &mut self.values {
            Values::Symbols { symbols, numbers, .. } => {
                key_of(symbol, symbols, numbers).map(|_| ())
            }
            _ => Err(self.unfit("symbols")),
        }
    }

    /// Returns the array of all rows and clears the column. Symbols keep their numbers.
    pub(crate) fn finish(&mut self) -> Result<ArrayRef> {
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
            nested => nested.finish(&self.field, nulls, rows)?,
        })
    }

    fn unfit(&self, given: &str) -> Error {
        unfit(&self.field, given)
    }
}
