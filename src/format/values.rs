//! Vectors of values of one type, in buffers that Arrow takes without a copy.
//!
//! Decoders append to [`Values`]; writers borrow [`ValuesRef`](super::values_ref::ValuesRef). Neither knows rows: those are in
//! [`ColumnData`](super::column_data::ColumnData).

use std::borrow::Cow;

use super::bitmap::Bits;
use super::string_values::Strings;
use super::value::{Value, ValueType};
use super::values_ref::ValuesRef;
use crate::error::{Error, Result};
use crate::pack::{ViewDictionary, Views};

/// Owned values, in row order. Two are equal if they are so bit for bit: NaN equals itself, 0.0 is not -0.0.
#[derive(Debug, Clone)]
pub enum Values {
    /// This number of nulls.
    Null(usize),
    /// Of a boolean column.
    Boolean(Bits),
    /// Of an int or fixed32 column.
    Int(Vec<i32>),
    /// Of a long or fixed64 column.
    Long(Vec<i64>),
    /// Of an int or long column of a value codec, in the width of decimals.
    Wide(Vec<i128>),
    /// Of a float column.
    Float(Vec<f32>),
    /// Of a double column.
    Double(Vec<f64>),
    /// Of a string or bytes column.
    Bytes(Strings),
    /// The same, of a column of a value codec, as views.
    Views(Views),
    /// The same, as keys of views.
    Dictionary(ViewDictionary),
}

impl Values {
    /// No values, for a column of this type.
    pub fn new(value_type: ValueType) -> Self {
        match value_type {
            ValueType::Null => Values::Null(0),
            ValueType::Boolean => Values::Boolean(Bits::default()),
            ValueType::Int | ValueType::Fixed32 => Values::Int(Vec::new()),
            ValueType::Long | ValueType::Fixed64 => Values::Long(Vec::new()),
            ValueType::Float => Values::Float(Vec::new()),
            ValueType::Double => Values::Double(Vec::new()),
            ValueType::String | ValueType::Bytes => Values::Bytes(Strings::default()),
        }
    }

    /// Reserves memory for more numbers, so that numbers appended in chunks are not moved.
    pub(crate) fn reserve(&mut self, n: usize) {
        // Some kernels write this many more.
        let n = n + 64;
        match self {
            Values::Int(out) => out.reserve(n),
            Values::Long(out) => out.reserve(n),
            Values::Wide(out) => out.reserve(n),
            Values::Float(out) => out.reserve(n),
            Values::Double(out) => out.reserve(n),
            Values::Null(_) | Values::Boolean(_) | Values::Bytes(_) | Values::Views(_) => {}
            Values::Dictionary(_) => {}
        }
    }

    /// Returns the memory of a value, but for the bytes of strings. Nulls take none, and booleans a bit, which is
    /// counted as a byte.
    pub(crate) fn width(&self) -> usize {
        match self {
            Values::Null(_) => 0,
            Values::Boolean(_) => 1,
            Values::Int(_) | Values::Float(_) | Values::Bytes(_) => 4,
            Values::Long(_) | Values::Double(_) => 8,
            Values::Wide(_) | Values::Views(_) => 16,
            // A key, and a view at most.
            Values::Dictionary(_) => 20,
        }
    }

    /// Returns the bytes of strings.
    pub(crate) fn own_bytes(&self) -> usize {
        match self {
            Values::Bytes(strings) => strings.data.len(),
            Values::Views(views) => views.own_bytes(),
            Values::Dictionary(keys) => keys.values().own_bytes(),
            _ => 0,
        }
    }

    /// Returns the buffers of views.
    pub(crate) fn buffers(&self) -> usize {
        match self {
            Values::Views(views) => views.buffers(),
            Values::Dictionary(keys) => keys.values().buffers(),
            _ => 0,
        }
    }

    /// Forgets all buffers of views but the first.
    pub(crate) fn truncate_buffers(&mut self, buffers: usize) {
        match self {
            Values::Views(views) => views.truncate_buffers(buffers),
            Values::Dictionary(keys) => keys.truncate_buffers(buffers),
            _ => {}
        }
    }

    /// Limits the bytes of strings that decoders append to `more` than there are.
    pub(crate) fn set_room(&mut self, more: usize) {
        match self {
            Values::Bytes(strings) => strings.set_room(more),
            Values::Views(views) => views.set_room(more),
            Values::Dictionary(keys) => keys.values_mut().set_room(more),
            _ => {}
        }
    }

    /// Returns how many there are.
    pub fn len(&self) -> usize {
        self.as_slice().len()
    }

    /// Returns whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Lends them.
    pub fn as_slice(&self) -> ValuesRef<'_> {
        match self {
            Values::Null(n) => ValuesRef::Null(*n),
            Values::Boolean(b) => {
                ValuesRef::Boolean { bits: b.as_bytes(), offset: 0, len: b.len() }
            }
            Values::Int(v) => ValuesRef::Int(v),
            Values::Long(v) => ValuesRef::Long(v),
            Values::Wide(v) => ValuesRef::Wide(v),
            Values::Float(v) => ValuesRef::Float(v),
            Values::Double(v) => ValuesRef::Double(v),
            Values::Bytes(s) => ValuesRef::strings(&s.offsets, &s.data),
            Values::Views(views) => ValuesRef::Views(views),
            Values::Dictionary(keys) => ValuesRef::Dictionary(keys),
        }
    }

    /// Appends one value; its type must be of the same kind.
    pub fn push(&mut self, value: &Value<'_>) -> Result<()> {
        match (self, value) {
            (Values::Null(n), Value::Null) => *n += 1,
            (Values::Boolean(b), Value::Boolean(v)) => b.push(*v),
            (Values::Int(vec), Value::Int(v)) => vec.push(*v),
            (Values::Long(vec), Value::Long(v)) => vec.push(*v),
            (Values::Wide(vec), Value::Int(v)) => vec.push(i128::from(*v)),
            (Values::Wide(vec), Value::Long(v)) => vec.push(i128::from(*v)),
            (Values::Float(vec), Value::Float(v)) => vec.push(*v),
            (Values::Double(vec), Value::Double(v)) => vec.push(*v),
            (Values::Bytes(s), Value::Bytes(v)) => s.push(v)?,
            (Values::Views(views), Value::Bytes(v)) => views.push(v)?,
            (Values::Dictionary(keys), Value::Bytes(v)) => {
                keys.extend_views(|views| views.push(v))?;
            }
            (_, value) => {
                return Err(Error::invalid(format!("{value:?} is not of the column's type")));
            }
        }
        Ok(())
    }

    /// Returns whether they are in a form that only a value codec's blocks are unpacked to.
    pub(crate) fn is_unpacked(&self) -> bool {
        matches!(self, Values::Views(_) | Values::Dictionary(_) | Values::Wide(_))
    }

    /// Appends values of a column to such a form of them.
    pub(crate) fn extend(&mut self, values: Values, text: bool) -> Result<()> {
        match (self, values) {
            (Values::Views(views), Values::Bytes(Strings { offsets, data, .. })) => {
                views.extend(&offsets, data, text)
            }
            (Values::Dictionary(keys), Values::Bytes(Strings { offsets, data, .. })) => {
                keys.extend_views(|views| views.extend(&offsets, data, text))
            }
            (Values::Wide(out), Values::Int(v)) => {
                out.extend(v.iter().map(|v| i128::from(*v)));
                Ok(())
            }
            (Values::Wide(out), Values::Long(v)) => {
                out.extend(v.iter().map(|v| i128::from(*v)));
                Ok(())
            }
            _ => Err(Error::invalid("no buffer for values of this kind")),
        }
    }

    /// Appends a value for each length, which is 0 or 1: the next of `dense`, or something.
    pub(crate) fn extend_slots(&mut self, lengths: &[u32], dense: &Values) -> Result<()> {
        let (mut next, dense) = (0, dense.as_slice());
        let nothing = match self {
            Values::Null(_) => Value::Null,
            Values::Boolean(_) => Value::Boolean(false),
            Values::Int(_) => Value::Int(0),
            Values::Long(_) | Values::Wide(_) => Value::Long(0),
            Values::Float(_) => Value::Float(0.0),
            Values::Double(_) => Value::Double(0.0),
            Values::Bytes(_) | Values::Views(_) | Values::Dictionary(_) => {
                Value::Bytes(Cow::Borrowed(&[]))
            }
        };
        for length in lengths {
            let value = if *length == 1 { dense.get(next) } else { None };
            self.push(value.as_ref().unwrap_or(&nothing))?;
            next += *length as usize;
        }
        Ok(())
    }

    /// Forgets all but the first `n`.
    pub fn truncate(&mut self, n: usize) {
        match self {
            Values::Null(len) => *len = n.min(*len),
            Values::Boolean(b) => b.truncate(n),
            Values::Int(v) => v.truncate(n),
            Values::Long(v) => v.truncate(n),
            Values::Wide(v) => v.truncate(n),
            Values::Float(v) => v.truncate(n),
            Values::Double(v) => v.truncate(n),
            Values::Bytes(s) => s.truncate(n),
            Values::Views(views) => views.truncate(n),
            Values::Dictionary(keys) => keys.truncate(n),
        }
    }
}

impl PartialEq for Values {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Values::Null(a), Values::Null(b)) => a == b,
            (Values::Boolean(a), Values::Boolean(b)) => a == b,
            (Values::Int(a), Values::Int(b)) => a == b,
            (Values::Long(a), Values::Long(b)) => a == b,
            (Values::Wide(a), Values::Wide(b)) => a == b,
            (Values::Float(a), Values::Float(b)) => {
                a.iter().map(|v| v.to_bits()).eq(b.iter().map(|v| v.to_bits()))
            }
            (Values::Double(a), Values::Double(b)) => {
                a.iter().map(|v| v.to_bits()).eq(b.iter().map(|v| v.to_bits()))
            }
            (Values::Bytes(a), Values::Bytes(b)) => a == b,
            (Values::Views(a), Values::Views(b)) => {
                a.len() == b.len() && (0..a.len()).all(|i| a.get(i) == b.get(i))
            }
            (Values::Dictionary(a), Values::Dictionary(b)) => {
                a.len() == b.len() && (0..a.len()).all(|i| a.get(i) == b.get(i))
            }
            _ => false,
        }
    }
}
