//! The scalar types: their encoding, their Arrow type and their default.
//!
//! ```text
//! bytes of a message ──take──► Plain ──push──► Grow
//!                    ◄──put───       ◄───of─── Walk
//! ```

use arrow::datatypes::DataType;

use super::wire::{Cursor, Wire, put_varint};
use crate::rows::{Grow, Walk};
use trevni::{Error, Result};

/// A scalar type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scalar {
    Double,
    Float,
    Int32,
    Int64,
    Uint32,
    Uint64,
    Sint32,
    Sint64,
    Fixed32,
    Fixed64,
    Sfixed32,
    Sfixed64,
    Bool,
    String,
    Bytes,
}

/// A value of one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Plain<'a> {
    Double(f64),
    Float(f32),
    /// Of up to 32 bits without a sign, or 64 with one.
    Long(i64),
    Unsigned(u64),
    Bool(bool),
    Text(&'a str),
    Bytes(&'a [u8]),
}

/// Returns the lower half.
fn low(value: u64) -> u32 {
    u32::try_from(value & u64::from(u32::MAX)).unwrap_or(0)
}

/// 0, -1, 1, -2 ... from 0, 1, 2, 3 ...
fn unzigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -((value & 1).cast_signed())
}

fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}

impl Scalar {
    /// Returns what it is called in a schema.
    pub(super) fn name(self) -> &'static str {
        match self {
            Scalar::Double => "double",
            Scalar::Float => "float",
            Scalar::Int32 => "int32",
            Scalar::Int64 => "int64",
            Scalar::Uint32 => "uint32",
            Scalar::Uint64 => "uint64",
            Scalar::Sint32 => "sint32",
            Scalar::Sint64 => "sint64",
            Scalar::Fixed32 => "fixed32",
            Scalar::Fixed64 => "fixed64",
            Scalar::Sfixed32 => "sfixed32",
            Scalar::Sfixed64 => "sfixed64",
            Scalar::Bool => "bool",
            Scalar::String => "string",
            Scalar::Bytes => "bytes",
        }
    }

    pub(super) fn data_type(self) -> DataType {
        match self {
            Scalar::Double => DataType::Float64,
            Scalar::Float => DataType::Float32,
            Scalar::Int32 | Scalar::Sint32 | Scalar::Sfixed32 => DataType::Int32,
            Scalar::Int64 | Scalar::Sint64 | Scalar::Sfixed64 => DataType::Int64,
            Scalar::Uint32 | Scalar::Fixed32 => DataType::UInt32,
            Scalar::Uint64 | Scalar::Fixed64 => DataType::UInt64,
            Scalar::Bool => DataType::Boolean,
            Scalar::String => DataType::Utf8,
            Scalar::Bytes => DataType::Binary,
        }
    }

    pub(super) fn wire(self) -> Wire {
        match self {
            Scalar::Double | Scalar::Fixed64 | Scalar::Sfixed64 => Wire::Fixed64,
            Scalar::Float | Scalar::Fixed32 | Scalar::Sfixed32 => Wire::Fixed32,
            Scalar::String | Scalar::Bytes => Wire::Bytes,
            _ => Wire::Varint,
        }
    }

    /// Returns the type if its values have this wire type.
    pub(super) fn fitting(self, wire: Wire) -> Result<Self> {
        if self.wire() == wire {
            return Ok(self);
        }
        let (kind, wanted, given) = (self.name(), self.wire().name(), wire.name());
        Err(Error::malformed(format!("{kind} is {wanted}, and {given} is there")))
    }

    /// Returns the default value.
    pub(super) fn zero(self) -> Plain<'static> {
        match self {
            Scalar::Double => Plain::Double(0.0),
            Scalar::Float => Plain::Float(0.0),
            Scalar::Uint64 | Scalar::Fixed64 => Plain::Unsigned(0),
            Scalar::Bool => Plain::Bool(false),
            Scalar::String => Plain::Text(""),
            Scalar::Bytes => Plain::Bytes(&[]),
            _ => Plain::Long(0),
        }
    }

    /// Reads a value.
    pub(super) fn take<'a>(self, from: &mut Cursor<'a>) -> Result<Plain<'a>> {
        Ok(match self {
            Scalar::Double => Plain::Double(f64::from_le_bytes(from.fixed64()?)),
            Scalar::Float => Plain::Float(f32::from_le_bytes(from.fixed32()?)),
            Scalar::Int32 => Plain::Long(low(from.varint()?).cast_signed().into()),
            Scalar::Int64 => Plain::Long(from.varint()?.cast_signed()),
            Scalar::Uint32 => Plain::Long(low(from.varint()?).into()),
            Scalar::Uint64 => Plain::Unsigned(from.varint()?),
            Scalar::Sint32 => Plain::Long(unzigzag(low(from.varint()?).into())),
            Scalar::Sint64 => Plain::Long(unzigzag(from.varint()?)),
            Scalar::Fixed32 => Plain::Long(u32::from_le_bytes(from.fixed32()?).into()),
            Scalar::Fixed64 => Plain::Unsigned(u64::from_le_bytes(from.fixed64()?)),
            Scalar::Sfixed32 => Plain::Long(i32::from_le_bytes(from.fixed32()?).into()),
            Scalar::Sfixed64 => Plain::Long(i64::from_le_bytes(from.fixed64()?)),
            Scalar::Bool => Plain::Bool(from.varint()? != 0),
            Scalar::String => {
                let text = std::str::from_utf8(from.slice()?);
                Plain::Text(text.map_err(|_| Error::malformed("a string that is not UTF-8"))?)
            }
            Scalar::Bytes => Plain::Bytes(from.slice()?),
        })
    }

    /// Returns the value of a row.
    pub(super) fn of<'a>(self, walk: &Walk<'a>, row: usize) -> Result<Plain<'a>> {
        let long = |least: i64, most: i64| {
            let value = walk.long(row)?;
            let out = || Error::invalid(format!("{value} is out of the range of {}", self.name()));
            (least..=most).contains(&value).then_some(Plain::Long(value)).ok_or_else(out)
        };
        match self {
            Scalar::Double => walk.double(row).map(Plain::Double),
            Scalar::Float => walk.float(row).map(Plain::Float),
            Scalar::Int32 | Scalar::Sint32 | Scalar::Sfixed32 => {
                long(i32::MIN.into(), i32::MAX.into())
            }
            Scalar::Uint32 | Scalar::Fixed32 => long(0, u32::MAX.into()),
            Scalar::Int64 | Scalar::Sint64 | Scalar::Sfixed64 => walk.long(row).map(Plain::Long),
            Scalar::Uint64 | Scalar::Fixed64 => walk.unsigned(row).map(Plain::Unsigned),
            Scalar::Bool => walk.bool(row).map(Plain::Bool),
            Scalar::String => walk.text(row).map(Plain::Text),
            Scalar::Bytes => walk.bytes(row).map(Plain::Bytes),
        }
    }

    /// Writes a value, without its key.
    pub(super) fn put(self, out: &mut Vec<u8>, value: Plain<'_>) {
        match (self.wire(), value) {
            (Wire::Fixed32, Plain::Long(v)) => {
                out.extend_from_slice(&low(v.cast_unsigned()).to_le_bytes());
            }
            (Wire::Fixed64, Plain::Long(v)) => out.extend_from_slice(&v.to_le_bytes()),
            (Wire::Fixed64, Plain::Unsigned(v)) => out.extend_from_slice(&v.to_le_bytes()),
            (_, Plain::Long(v)) if matches!(self, Scalar::Sint32 | Scalar::Sint64) => {
                put_varint(out, zigzag(v));
            }
            (_, Plain::Long(v)) => put_varint(out, v.cast_unsigned()),
            (_, Plain::Unsigned(v)) => put_varint(out, v),
            (_, Plain::Double(v)) => out.extend_from_slice(&v.to_le_bytes()),
            (_, Plain::Float(v)) => out.extend_from_slice(&v.to_le_bytes()),
            (_, Plain::Bool(v)) => out.push(v.into()),
            (_, Plain::Text(v)) => put_bytes(out, v.as_bytes()),
            (_, Plain::Bytes(v)) => put_bytes(out, v),
        }
    }
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

impl Plain<'_> {
    /// Adds it to a column.
    pub(super) fn push(self, to: &mut Grow) -> Result<()> {
        match self {
            Plain::Double(v) => to.push_double(v),
            Plain::Float(v) => to.push_float(v),
            Plain::Long(v) => to.push_long(v),
            Plain::Unsigned(v) => to.push_unsigned(v),
            Plain::Bool(v) => to.push_bool(v),
            Plain::Text(v) => to.push_text(v),
            Plain::Bytes(v) => to.push_bytes(v),
        }
    }

    /// Returns whether a value is the default and need not be written. A negative zero is not.
    pub(super) fn is_zero(&self) -> bool {
        match self {
            Plain::Double(v) => v.to_bits() == 0,
            Plain::Float(v) => v.to_bits() == 0,
            Plain::Long(v) => *v == 0,
            Plain::Unsigned(v) => *v == 0,
            Plain::Bool(v) => !v,
            Plain::Text(v) => v.is_empty(),
            Plain::Bytes(v) => v.is_empty(),
        }
    }
}
