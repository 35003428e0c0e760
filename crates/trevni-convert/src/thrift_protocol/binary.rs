//! The binary protocol: numbers of fixed size, high byte first.
//!
//! ```text
//! field   type (1), id (2), value      STOP is type 0       bool   1 byte, 0 or 1
//! string  length (4), bytes            list, set   type (1), count (4), items
//! double  its bits (8)                 map         type (1), type (1), count (4), entries
//! ```

use super::wire_type::WireType;
use super::{Decode, Encode, Head, count, length, unknown_type};
use trevni::wire::Cursor;
use trevni::{Error, Result};

/// The protocol.
#[derive(Debug)]
pub(crate) struct Binary;

fn wire_type(byte: u8, cursor: &Cursor<'_>) -> Result<WireType> {
    Ok(match byte {
        2 => WireType::Bool,
        3 => WireType::I8,
        4 => WireType::Double,
        6 => WireType::I16,
        8 => WireType::I32,
        10 => WireType::I64,
        11 => WireType::Bytes,
        12 => WireType::Struct,
        13 => WireType::Map,
        14 => WireType::Set,
        15 => WireType::List,
        16 => WireType::Uuid,
        _ => return Err(unknown_type(byte, cursor)),
    })
}

fn number(wire_type: WireType) -> u8 {
    match wire_type {
        WireType::Bool => 2,
        WireType::I8 => 3,
        WireType::Double => 4,
        WireType::I16 => 6,
        WireType::I32 => 8,
        WireType::I64 => 10,
        WireType::Bytes => 11,
        WireType::Struct => 12,
        WireType::Map => 13,
        WireType::Set => 14,
        WireType::List => 15,
        WireType::Uuid => 16,
    }
}

impl Decode for Binary {
    #[inline]
    fn head(cursor: &mut Cursor<'_>, _: i16) -> Result<Option<Head>> {
        let [byte] = cursor.array("a field, or the end of a struct")?;
        if byte == 0 {
            return Ok(None);
        }
        let wire_type = wire_type(byte, cursor)?;
        let id = i16::from_be_bytes(cursor.array("the id of a field")?);
        Ok(Some(Head { id, wire_type, bool: None }))
    }

    fn bool(cursor: &mut Cursor<'_>) -> Result<bool> {
        cursor.array("a bool").map(|[byte]| byte != 0)
    }

    #[inline]
    fn int(cursor: &mut Cursor<'_>, wire_type: WireType) -> Result<i64> {
        Ok(match wire_type {
            WireType::I8 => i8::from_be_bytes(cursor.array("an i8")?).into(),
            WireType::I16 => i16::from_be_bytes(cursor.array("an i16")?).into(),
            WireType::I32 => i32::from_be_bytes(cursor.array("an i32")?).into(),
            _ => i64::from_be_bytes(cursor.array("an i64")?),
        })
    }

    fn double(cursor: &mut Cursor<'_>) -> Result<f64> {
        Ok(f64::from_be_bytes(cursor.array("a double")?))
    }

    #[inline]
    fn bytes<'a>(cursor: &mut Cursor<'a>) -> Result<&'a [u8]> {
        let claimed = i32::from_be_bytes(cursor.array("the length of a string")?);
        let length = length(cursor, claimed.into())?;
        cursor.take(length, "a string")
    }

    fn list(cursor: &mut Cursor<'_>) -> Result<(Option<WireType>, usize)> {
        let [byte] = cursor.array("the type of items")?;
        let claimed = i32::from_be_bytes(cursor.array("the count of items")?);
        if claimed == 0 {
            return Ok((None, 0));
        }
        let item = wire_type(byte, cursor)?;
        Ok((Some(item), count(cursor, claimed.into(), Self::smallest(item))?))
    }

    fn map(cursor: &mut Cursor<'_>) -> Result<(Option<(WireType, WireType)>, usize)> {
        let [key, value] = cursor.array("the types of entries")?;
        let claimed = i32::from_be_bytes(cursor.array("the count of entries")?);
        if claimed == 0 {
            return Ok((None, 0));
        }
        let (key, value) = (wire_type(key, cursor)?, wire_type(value, cursor)?);
        let each = Self::smallest(key) + Self::smallest(value);
        Ok((Some((key, value)), count(cursor, claimed.into(), each)?))
    }

    fn smallest(wire_type: WireType) -> usize {
        match wire_type {
            WireType::Bool | WireType::I8 | WireType::Struct => 1,
            WireType::I16 => 2,
            WireType::I32 | WireType::Bytes => 4,
            WireType::I64 | WireType::Double => 8,
            WireType::List | WireType::Set => 5,
            WireType::Map => 6,
            WireType::Uuid => 16,
        }
    }
}

impl Encode for Binary {
    fn put_head(out: &mut Vec<u8>, _: i16, id: i16, wire_type: WireType) {
        out.push(number(wire_type));
        Self::put_i16(out, id);
    }

    fn put_bool_field(out: &mut Vec<u8>, last: i16, id: i16, value: bool) {
        Self::put_head(out, last, id, WireType::Bool);
        Self::put_bool(out, value);
    }

    fn put_bool(out: &mut Vec<u8>, value: bool) {
        out.push(value.into());
    }

    fn put_i16(out: &mut Vec<u8>, value: i16) {
        out.extend_from_slice(&value.to_be_bytes());
    }

    fn put_i32(out: &mut Vec<u8>, value: i32) {
        out.extend_from_slice(&value.to_be_bytes());
    }

    fn put_i64(out: &mut Vec<u8>, value: i64) {
        out.extend_from_slice(&value.to_be_bytes());
    }

    fn put_double(out: &mut Vec<u8>, value: f64) {
        out.extend_from_slice(&value.to_be_bytes());
    }

    fn put_bytes(out: &mut Vec<u8>, value: &[u8]) -> Result<()> {
        Self::put_i32(out, size(value.len())?);
        out.extend_from_slice(value);
        Ok(())
    }

    fn put_list(out: &mut Vec<u8>, item: WireType, count: usize) -> Result<()> {
        out.push(number(item));
        Self::put_i32(out, size(count)?);
        Ok(())
    }

    fn put_map(out: &mut Vec<u8>, key: WireType, value: WireType, count: usize) -> Result<()> {
        out.extend_from_slice(&[number(key), number(value)]);
        Self::put_i32(out, size(count)?);
        Ok(())
    }
}

/// Returns a count or length, which Thrift has in 32 bits.
pub(crate) fn size(count: usize) -> Result<i32> {
    i32::try_from(count).map_err(|_| Error::invalid(format!("{count} are more than Thrift counts")))
}
