//! Value types and single values.
//!
//! ```text
//! null      0 bytes                            float, double   IEEE, low byte first
//! boolean   1 bit, low bit first               string          long length, UTF-8
//! int       varint      fixed32   4 bytes      bytes           long length, bytes
//! long      varint      fixed64   8 bytes
//! ```
//! (Specification: "Type Names".)

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

use crate::error::{Error, Result};
use crate::wire::{self, Cursor};

/// The type of a column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ValueType {
    /// No bytes; array columns of it hold only counts.
    Null,
    /// One bit.
    Boolean,
    /// A varint of 32 bits.
    Int,
    /// A varint of 64 bits.
    Long,
    /// Four bytes.
    Fixed32,
    /// Eight bytes.
    Fixed64,
    /// IEEE single precision.
    Float,
    /// IEEE double precision.
    Double,
    /// UTF-8 after its length.
    String,
    /// Bytes after their length.
    Bytes,
}

const NAMES: [(ValueType, &str); 10] = [
    (ValueType::Null, "null"),
    (ValueType::Boolean, "boolean"),
    (ValueType::Int, "int"),
    (ValueType::Long, "long"),
    (ValueType::Fixed32, "fixed32"),
    (ValueType::Fixed64, "fixed64"),
    (ValueType::Float, "float"),
    (ValueType::Double, "double"),
    (ValueType::String, "string"),
    (ValueType::Bytes, "bytes"),
];

impl ValueType {
    /// Returns all types, in the order of the specification.
    pub fn all() -> impl Iterator<Item = ValueType> {
        NAMES.iter().map(|(t, _)| *t)
    }

    /// Returns the name in `trevni.type`.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(t, _)| *t == self).map_or("null", |(_, name)| name)
    }

    /// Returns the type of a name; like the reference, upper and lower case are the same.
    pub fn from_name(name: &str) -> Result<Self> {
        NAMES
            .iter()
            .find(|(_, n)| n.eq_ignore_ascii_case(name))
            .map(|(t, _)| *t)
            .ok_or_else(|| Error::malformed(format!("unknown value type {name:?}")))
    }

    /// Returns the bytes of every value, where all have as many; otherwise 1.
    pub(crate) fn width(self) -> usize {
        match self {
            ValueType::Fixed32 | ValueType::Float => 4,
            ValueType::Fixed64 | ValueType::Double => 8,
            _ => 1,
        }
    }

    /// Returns the most bytes a value takes; `None` for strings and bytes. A boolean counts as a byte.
    pub(crate) fn most_bytes(self) -> Option<usize> {
        match self {
            ValueType::Null => Some(0),
            ValueType::Boolean => Some(1),
            ValueType::Int => Some(5),
            ValueType::Long => Some(10),
            ValueType::Fixed32 | ValueType::Float => Some(4),
            ValueType::Fixed64 | ValueType::Double => Some(8),
            ValueType::String | ValueType::Bytes => None,
        }
    }
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One value. `fixed32` values are [`Int`](Value::Int), `fixed64` values [`Long`](Value::Long), strings
/// [`Bytes`](Value::Bytes).
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'a> {
    /// Of a null column.
    Null,
    /// Of a boolean column.
    Boolean(bool),
    /// Of an int or fixed32 column.
    Int(i32),
    /// Of a long or fixed64 column.
    Long(i64),
    /// Of a float column.
    Float(f32),
    /// Of a double column.
    Double(f64),
    /// Of a string or bytes column.
    Bytes(Cow<'a, [u8]>),
}

impl Value<'_> {
    /// Encodes the value as a first value in a block descriptor: a boolean is a byte.
    pub(crate) fn put(&self, value_type: ValueType, out: &mut Vec<u8>) {
        match self {
            Value::Null => {}
            Value::Boolean(v) => out.push(u8::from(*v)),
            Value::Int(v) if value_type == ValueType::Fixed32 => {
                wire::put_fixed32(out, v.cast_unsigned())
            }
            Value::Int(v) => wire::put_int(out, *v),
            Value::Long(v) if value_type == ValueType::Fixed64 => {
                wire::put_fixed64(out, v.cast_unsigned())
            }
            Value::Long(v) => wire::put_long(out, *v),
            Value::Float(v) => wire::put_fixed32(out, v.to_bits()),
            Value::Double(v) => wire::put_fixed64(out, v.to_bits()),
            Value::Bytes(v) => wire::put_bytes(out, v),
        }
    }

    /// Reads a first value.
    pub(crate) fn take(value_type: ValueType, cursor: &mut Cursor<'_>) -> Result<Value<'static>> {
        const WHAT: &str = "first value";
        Ok(match value_type {
            ValueType::Null => Value::Null,
            ValueType::Boolean => Value::Boolean(cursor.array::<1>(WHAT)? != [0]),
            ValueType::Int => Value::Int(cursor.int(WHAT)?),
            ValueType::Long => Value::Long(cursor.long(WHAT)?),
            ValueType::Fixed32 => Value::Int(cursor.fixed32(WHAT)?.cast_signed()),
            ValueType::Fixed64 => Value::Long(cursor.fixed64(WHAT)?.cast_signed()),
            ValueType::Float => Value::Float(f32::from_bits(cursor.fixed32(WHAT)?)),
            ValueType::Double => Value::Double(f64::from_bits(cursor.fixed64(WHAT)?)),
            ValueType::String => Value::Bytes(Cow::Owned(cursor.string(WHAT)?.as_bytes().to_vec())),
            ValueType::Bytes => Value::Bytes(Cow::Owned(cursor.bytes(WHAT)?.to_vec())),
        })
    }

    /// Returns the order of an index: numbers by value, floating point by IEEE total order, bytes and strings byte by
    /// byte without sign. Values of different types have none.
    pub fn order(&self, other: &Value<'_>) -> Option<Ordering> {
        match (self, other) {
            (Value::Null, Value::Null) => Some(Ordering::Equal),
            (Value::Boolean(a), Value::Boolean(b)) => Some(a.cmp(b)),
            (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
            (Value::Long(a), Value::Long(b)) => Some(a.cmp(b)),
            (Value::Float(a), Value::Float(b)) => Some(a.total_cmp(b)),
            (Value::Double(a), Value::Double(b)) => Some(a.total_cmp(b)),
            (Value::Bytes(a), Value::Bytes(b)) => Some(a.cmp(b)),
            _ => None,
        }
    }

    /// Returns the value with bytes of its own.
    pub fn into_owned(self) -> Value<'static> {
        match self {
            Value::Null => Value::Null,
            Value::Boolean(v) => Value::Boolean(v),
            Value::Int(v) => Value::Int(v),
            Value::Long(v) => Value::Long(v),
            Value::Float(v) => Value::Float(v),
            Value::Double(v) => Value::Double(v),
            Value::Bytes(v) => Value::Bytes(Cow::Owned(v.into_owned())),
        }
    }

    /// Returns whether a column of this type holds such values.
    pub fn is_of(&self, value_type: ValueType) -> bool {
        matches!(
            (self, value_type),
            (Value::Null, ValueType::Null)
                | (Value::Boolean(_), ValueType::Boolean)
                | (Value::Int(_), ValueType::Int | ValueType::Fixed32)
                | (Value::Long(_), ValueType::Long | ValueType::Fixed64)
                | (Value::Float(_), ValueType::Float)
                | (Value::Double(_), ValueType::Double)
                | (Value::Bytes(_), ValueType::String | ValueType::Bytes)
        )
    }
}

impl From<bool> for Value<'_> {
    fn from(value: bool) -> Self {
        Value::Boolean(value)
    }
}

impl From<i32> for Value<'_> {
    fn from(value: i32) -> Self {
        Value::Int(value)
    }
}

impl From<i64> for Value<'_> {
    fn from(value: i64) -> Self {
        Value::Long(value)
    }
}

impl From<f32> for Value<'_> {
    fn from(value: f32) -> Self {
        Value::Float(value)
    }
}

impl From<f64> for Value<'_> {
    fn from(value: f64) -> Self {
        Value::Double(value)
    }
}

impl<'a> From<&'a [u8]> for Value<'a> {
    fn from(value: &'a [u8]) -> Self {
        Value::Bytes(Cow::Borrowed(value))
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(value: &'a str) -> Self {
        Value::Bytes(Cow::Borrowed(value.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_both_ways() {
        for t in ValueType::all() {
            assert_eq!(ValueType::from_name(t.name()).unwrap(), t);
        }
        assert_eq!(ValueType::from_name("InT").unwrap(), ValueType::Int);
        assert!(ValueType::from_name("uint").is_err());
    }

    #[test]
    fn single_values_go_both_ways() {
        let cases: [(Value<'_>, ValueType, &[u8]); 8] = [
            (Value::Null, ValueType::Null, &[]),
            (true.into(), ValueType::Boolean, &[1]),
            ((-1i32).into(), ValueType::Int, &[1]),
            ((-1i32).into(), ValueType::Fixed32, &[0xff; 4]),
            (64i64.into(), ValueType::Long, &[0x80, 1]),
            (1i64.into(), ValueType::Fixed64, &[1, 0, 0, 0, 0, 0, 0, 0]),
            (1f32.into(), ValueType::Float, &[0, 0, 0x80, 0x3f]),
            ("foo".into(), ValueType::String, &[6, b'f', b'o', b'o']),
        ];
        for (value, value_type, bytes) in cases {
            let mut out = Vec::new();
            value.put(value_type, &mut out);
            assert_eq!(out, bytes);
            assert!(value.is_of(value_type));
            assert_eq!(Value::take(value_type, &mut Cursor::new(bytes)).unwrap(), value);
        }
    }
}
