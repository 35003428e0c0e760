//! Borrowed vectors of values of one type.

use std::borrow::Cow;

use super::string_values::Offsets;
use super::value::{Value, ValueType};
use crate::error::{Error, Result};
use crate::pack::{ViewDictionary, Views};

/// Borrowed values, in row order.
#[derive(Debug, Clone, Copy)]
pub enum ValuesRef<'a> {
    /// This number of nulls.
    Null(usize),
    /// `len` bits from bit `offset`, low bit first.
    Boolean {
        /// The bytes that hold the bits.
        bits: &'a [u8],
        /// The first bit.
        offset: usize,
        /// How many bits.
        len: usize,
    },
    /// For an int or fixed32 column.
    Int(&'a [i32]),
    /// For a long or fixed64 column.
    Long(&'a [i64]),
    /// Of an int or long column; only read.
    Wide(&'a [i128]),
    /// For a float column.
    Float(&'a [f32]),
    /// For a double column.
    Double(&'a [f64]),
    /// For a string or bytes column: value `i` is `data[offsets[i]..offsets[i + 1]]`.
    Bytes {
        /// One more than there are values; never decreasing.
        offsets: Offsets<'a>,
        /// What the offsets point into.
        data: &'a [u8],
    },
    /// Of a string or bytes column; only read.
    Views(&'a Views),
    /// The same, as keys of views.
    Dictionary(&'a ViewDictionary),
}

impl<'a> ValuesRef<'a> {
    /// Strings or bytes with 32-bit offsets.
    pub fn strings(offsets: &'a [i32], data: &'a [u8]) -> Self {
        ValuesRef::Bytes { offsets: Offsets::Small(offsets), data }
    }

    /// Strings or bytes with 64-bit offsets.
    pub fn large_strings(offsets: &'a [i64], data: &'a [u8]) -> Self {
        ValuesRef::Bytes { offsets: Offsets::Large(offsets), data }
    }

    /// Returns how many there are.
    pub fn len(&self) -> usize {
        match self {
            ValuesRef::Null(n) => *n,
            ValuesRef::Boolean { len, .. } => *len,
            ValuesRef::Int(v) => v.len(),
            ValuesRef::Long(v) => v.len(),
            ValuesRef::Wide(v) => v.len(),
            ValuesRef::Float(v) => v.len(),
            ValuesRef::Double(v) => v.len(),
            ValuesRef::Bytes { offsets, .. } => offsets.len(),
            ValuesRef::Views(views) => views.len(),
            ValuesRef::Dictionary(keys) => keys.len(),
        }
    }

    /// Returns whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the values after the first `n`.
    pub(crate) fn skip(self, n: usize) -> Self {
        match self {
            ValuesRef::Null(len) => ValuesRef::Null(len - n.min(len)),
            ValuesRef::Boolean { bits, offset, len } => {
                let n = n.min(len);
                ValuesRef::Boolean { bits, offset: offset + n, len: len - n }
            }
            ValuesRef::Int(v) => ValuesRef::Int(v.get(n..).unwrap_or_default()),
            ValuesRef::Long(v) => ValuesRef::Long(v.get(n..).unwrap_or_default()),
            ValuesRef::Wide(v) => ValuesRef::Wide(v.get(n..).unwrap_or_default()),
            ValuesRef::Float(v) => ValuesRef::Float(v.get(n..).unwrap_or_default()),
            ValuesRef::Double(v) => ValuesRef::Double(v.get(n..).unwrap_or_default()),
            ValuesRef::Bytes { offsets, data } => {
                let offsets = match offsets {
                    Offsets::Small(o) => Offsets::Small(o.get(n..).unwrap_or_default()),
                    Offsets::Large(o) => Offsets::Large(o.get(n..).unwrap_or_default()),
                };
                ValuesRef::Bytes { offsets, data }
            }
            ValuesRef::Views(_) | ValuesRef::Dictionary(_) => self,
        }
    }

    /// Returns the value at `i`, if there is one.
    pub fn get(&self, i: usize) -> Option<Value<'a>> {
        Some(match *self {
            ValuesRef::Null(n) => (i < n).then_some(Value::Null)?,
            ValuesRef::Boolean { bits, offset, len } => {
                let bit = (i < len).then_some(offset + i)?;
                Value::Boolean(bits.get(bit / 8)? >> (bit % 8) & 1 == 1)
            }
            ValuesRef::Int(v) => Value::Int(*v.get(i)?),
            ValuesRef::Long(v) => Value::Long(*v.get(i)?),
            ValuesRef::Wide(v) => Value::Long(i64::try_from(*v.get(i)?).ok()?),
            ValuesRef::Float(v) => Value::Float(*v.get(i)?),
            ValuesRef::Double(v) => Value::Double(*v.get(i)?),
            ValuesRef::Bytes { offsets, data } => {
                Value::Bytes(Cow::Borrowed(offsets.value(i, data)?))
            }
            ValuesRef::Views(views) => Value::Bytes(views.get(i)?),
            ValuesRef::Dictionary(keys) => Value::Bytes(keys.get(i)?),
        })
    }

    /// Returns whether a column of this type can hold them.
    pub fn are_of(&self, value_type: ValueType) -> bool {
        matches!(
            (self, value_type),
            (ValuesRef::Null(_), ValueType::Null)
                | (ValuesRef::Boolean { .. }, ValueType::Boolean)
                | (ValuesRef::Int(_), ValueType::Int | ValueType::Fixed32)
                | (ValuesRef::Long(_), ValueType::Long | ValueType::Fixed64)
                | (ValuesRef::Float(_), ValueType::Float)
                | (ValuesRef::Double(_), ValueType::Double)
                | (ValuesRef::Bytes { .. }, ValueType::String | ValueType::Bytes)
        )
    }

    /// Checks the buffers of a caller: the lengths of bits and bytes, ascending offsets, and UTF-8.
    pub(crate) fn check(&self, value_type: ValueType) -> Result<()> {
        if !self.are_of(value_type) {
            return Err(Error::invalid(format!(
                "values are not of the column's type {value_type}"
            )));
        }
        match *self {
            ValuesRef::Boolean { bits, offset, len } if bits.len() < (offset + len).div_ceil(8) => {
                Err(Error::invalid(format!(
                    "{} bytes of bits hold no {len} bits from {offset}",
                    bits.len()
                )))
            }
            ValuesRef::Bytes { offsets, data } => {
                offsets.check(data, value_type == ValueType::String)
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_a_callers_buffers() {
        let text = "aé".as_bytes();
        assert!(ValuesRef::strings(&[0, 1, 3], text).check(ValueType::String).is_ok());
        assert!(ValuesRef::strings(&[0, 2, 3], text).check(ValueType::Bytes).is_ok());
        for (offsets, text) in [
            (&[0, 2, 3][..], text),
            (&[0, 4], text),
            (&[1, 0], text),
            (&[-1, 1], text),
            (&[0, 1], &[0xff]),
        ] {
            assert!(
                ValuesRef::strings(offsets, text).check(ValueType::String).is_err(),
                "{offsets:?}"
            );
        }
        assert!(
            ValuesRef::Boolean { bits: &[0], offset: 4, len: 5 }.check(ValueType::Boolean).is_err()
        );
        assert!(ValuesRef::Int(&[1]).check(ValueType::Long).is_err());
    }
}
