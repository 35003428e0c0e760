//! The compact protocol: numbers as varints.
//!
//! ```text
//! field   ddddtttt          d = how much larger the id is than the one before, t = type;  STOP is 0
//!         0000tttt, zigzag  where that is not 1 to 15: the id itself
//! bool    a field's is in its type, 1 = true, 2 = false; an item's is a byte
//! i16 i32 i64   zigzag      i8   1 byte      double   its bits (8), low byte first
//! string  varint length, bytes
//! list, set   nnnntttt, or 1111tttt and a varint count     map   varint count, and kkkkvvvv if it is not 0
//! ```

use super::binary::size;
use super::wire_type::WireType;
use super::{Decode, Encode, Head, count, length, unknown_type};
use trevni::wire::{Cursor, put_long};
use trevni::{Error, Result};

/// The protocol.
#[derive(Debug)]
pub(crate) struct Compact;

const TRUE: u8 = 1;
const FALSE: u8 = 2;

fn wire_type(number: u8, cursor: &Cursor<'_>) -> Result<WireType> {
    Ok(match number {
        TRUE | FALSE => WireType::Bool,
        3 => WireType::I8,
        4 => WireType::I16,
        5 => WireType::I32,
        6 => WireType::I64,
        7 => WireType::Double,
        8 => WireType::Bytes,
        9 => WireType::List,
        10 => WireType::Set,
        11 => WireType::Map,
        12 => WireType::Struct,
        13 => WireType::Uuid,
        _ => return Err(unknown_type(number, cursor)),
    })
}

fn number(wire_type: WireType) -> u8 {
    match wire_type {
        WireType::Bool => TRUE,
        WireType::I8 => 3,
        WireType::I16 => 4,
        WireType::I32 => 5,
        WireType::I64 => 6,
        WireType::Double => 7,
        WireType::Bytes => 8,
        WireType::List => 9,
        WireType::Set => 10,
        WireType::Map => 11,
        WireType::Struct => 12,
        WireType::Uuid => 13,
    }
}

/// Returns a varint of up to 32 bits.
fn varint(cursor: &mut Cursor<'_>, what: &'static str) -> Result<i64> {
    let start = cursor.position();
    let mut value = 0i64;
    for shift in [0, 7, 14, 21, 28] {
        let [byte] = cursor.array(what)?;
        value |= i64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return match i32::try_from(value) {
                Ok(_) => Ok(value),
                Err(_) => Err(Error::malformed(format!("{what} is {value}")).at(start)),
            };
        }
    }
    Err(Error::malformed(format!("{what} is longer than five bytes")).at(start))
}

fn put_varint(out: &mut Vec<u8>, value: i32) {
    let mut bits = value.cast_unsigned();
    while bits >= 0x80 {
        let [low, ..] = bits.to_le_bytes();
        out.push(low | 0x80);
        bits >>= 7;
    }
    let [low, ..] = bits.to_le_bytes();
    out.push(low);
}

fn id(cursor: &mut Cursor<'_>, delta: u8, last: i16) -> Result<i16> {
    let at = cursor.position();
    let id = match delta {
        0 => cursor.long("the id of a field")?,
        delta => i64::from(last) + i64::from(delta),
    };
    i16::try_from(id).map_err(|_| Error::malformed(format!("a field's id is {id}")).at(at))
}

impl Decode for Compact {
    #[inline]
    fn head(cursor: &mut Cursor<'_>, last: i16) -> Result<Option<Head>> {
        let [byte] = cursor.array("a field, or the end of a struct")?;
        // A delta before the type STOP has no meaning.
        let number = byte & 0x0f;
        if number == 0 {
            return Ok(None);
        }
        let wire_type = wire_type(number, cursor)?;
        let id = id(cursor, byte >> 4, last)?;
        let bool = (wire_type == WireType::Bool).then_some(number == TRUE);
        Ok(Some(Head { id, wire_type, bool }))
    }

    fn bool(cursor: &mut Cursor<'_>) -> Result<bool> {
        // False is 2; some write 0.
        cursor.array("a bool").map(|[byte]| byte == TRUE)
    }

    #[inline]
    fn int(cursor: &mut Cursor<'_>, wire_type: WireType) -> Result<i64> {
        match wire_type {
            WireType::I8 => Ok(i8::from_le_bytes(cursor.array("an i8")?).into()),
            WireType::I16 => {
                let at = cursor.position();
                let value = cursor.long("an i16")?;
                let fits = i16::try_from(value).is_ok();
                let wrong = || Error::malformed(format!("an i16 is {value}")).at(at);
                fits.then_some(value).ok_or_else(wrong)
            }
            WireType::I32 => cursor.int("an i32").map(i64::from),
            _ => cursor.long("an i64"),
        }
    }

    fn double(cursor: &mut Cursor<'_>) -> Result<f64> {
        Ok(f64::from_le_bytes(cursor.array("a double")?))
    }

    #[inline]
    fn bytes<'a>(cursor: &mut Cursor<'a>) -> Result<&'a [u8]> {
        let claimed = varint(cursor, "the length of a string")?;
        let length = length(cursor, claimed)?;
        cursor.take(length, "a string")
    }

    fn list(cursor: &mut Cursor<'_>) -> Result<(Option<WireType>, usize)> {
        let [byte] = cursor.array("the type of items")?;
        let claimed = match byte >> 4 {
            15 => varint(cursor, "the count of items")?,
            few => few.into(),
        };
        if claimed == 0 {
            return Ok((None, 0));
        }
        let item = wire_type(byte & 0x0f, cursor)?;
        Ok((Some(item), count(cursor, claimed, Self::smallest(item))?))
    }

    fn map(cursor: &mut Cursor<'_>) -> Result<(Option<(WireType, WireType)>, usize)> {
        let claimed = varint(cursor, "the count of entries")?;
        if claimed == 0 {
            return Ok((None, 0));
        }
        let [byte] = cursor.array("the types of entries")?;
        let (key, value) = (wire_type(byte >> 4, cursor)?, wire_type(byte & 0x0f, cursor)?);
        let each = Self::smallest(key) + Self::smallest(value);
        Ok((Some((key, value)), count(cursor, claimed, each)?))
    }

    fn smallest(wire_type: WireType) -> usize {
        match wire_type {
            WireType::Double => 8,
            WireType::Uuid => 16,
            _ => 1,
        }
    }
}

impl Encode for Compact {
    fn put_head(out: &mut Vec<u8>, last: i16, id: i16, wire_type: WireType) {
        head(out, last, id, number(wire_type));
    }

    fn put_bool_field(out: &mut Vec<u8>, last: i16, id: i16, value: bool) {
        head(out, last, id, if value { TRUE } else { FALSE });
    }

    fn put_bool(out: &mut Vec<u8>, value: bool) {
        out.push(if value { TRUE } else { FALSE });
    }

    fn put_i16(out: &mut Vec<u8>, value: i16) {
        put_long(out, value.into());
    }

    fn put_i32(out: &mut Vec<u8>, value: i32) {
        put_long(out, value.into());
    }

    fn put_i64(out: &mut Vec<u8>, value: i64) {
        put_long(out, value);
    }

    fn put_double(out: &mut Vec<u8>, value: f64) {
        out.extend_from_slice(&value.to_le_bytes());
    }

    fn put_bytes(out: &mut Vec<u8>, value: &[u8]) -> Result<()> {
        put_varint(out, size(value.len())?);
        out.extend_from_slice(value);
        Ok(())
    }

    fn put_list(out: &mut Vec<u8>, item: WireType, count: usize) -> Result<()> {
        match u8::try_from(count) {
            Ok(few @ 0..=14) => out.push(few << 4 | number(item)),
            _ => {
                out.push(0xf0 | number(item));
                put_varint(out, size(count)?);
            }
        }
        Ok(())
    }

    fn put_map(out: &mut Vec<u8>, key: WireType, value: WireType, count: usize) -> Result<()> {
        put_varint(out, size(count)?);
        if count > 0 {
            out.push(number(key) << 4 | number(value));
        }
        Ok(())
    }
}

fn head(out: &mut Vec<u8>, last: i16, id: i16, number: u8) {
    match u8::try_from(i32::from(id) - i32::from(last)) {
        Ok(delta @ 1..=15) => out.push(delta << 4 | number),
        _ => {
            out.push(number);
            put_long(out, id.into());
        }
    }
}
