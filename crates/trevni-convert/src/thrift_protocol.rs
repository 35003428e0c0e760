//! The protocols of Apache Thrift. Parquet has its metadata in the compact one.
//!
//! ```text
//! struct = field* STOP        field = type, id, value        list, set = type of items, count, items
//!                                                            map = types, count, key value key value ...
//! ```
//! Both protocols are small and implemented here. Apache's crate allocates up to 100 MB for a claimed string
//! length, copies each string, and does not limit containers. Here bytes are borrowed, and a count is compared with
//! the remaining bytes.

pub(crate) mod binary;
pub(crate) mod compact;
pub(crate) mod wire_type;

use trevni::wire::Cursor;
use trevni::{Error, ErrorKind, Result};
use wire_type::WireType;

/// Structs and containers nested deeper than this are refused, as Thrift itself does.
const DEEPEST: usize = 64;

/// The header of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) id: i16,
    pub(crate) wire_type: WireType,
    /// The value of a bool that is in its head.
    pub(crate) bool: Option<bool>,
}

/// Values from bytes.
pub(crate) trait Decode {
    /// Returns the head of the next field, or none where the struct ends. `last` is the id of the one before, or 0.
    fn head(cursor: &mut Cursor<'_>, last: i16) -> Result<Option<Head>>;
    fn bool(cursor: &mut Cursor<'_>) -> Result<bool>;
    fn int(cursor: &mut Cursor<'_>, wire_type: WireType) -> Result<i64>;
    fn double(cursor: &mut Cursor<'_>) -> Result<f64>;
    fn bytes<'a>(cursor: &mut Cursor<'a>) -> Result<&'a [u8]>;
    /// Returns the type and the count of the items of a list or set. Where there are none, they are of any type.
    fn list(cursor: &mut Cursor<'_>) -> Result<(Option<WireType>, usize)>;
    /// Returns the types and the count of the entries of a map.
    fn map(cursor: &mut Cursor<'_>) -> Result<(Option<(WireType, WireType)>, usize)>;
    /// Returns the minimum number of bytes of a value.
    fn smallest(wire_type: WireType) -> usize;
}

/// Values to bytes.
pub(crate) trait Encode {
    fn put_head(out: &mut Vec<u8>, last: i16, id: i16, wire_type: WireType);
    /// A field that is a bool, with its value.
    fn put_bool_field(out: &mut Vec<u8>, last: i16, id: i16, value: bool);
    fn put_stop(out: &mut Vec<u8>) {
        out.push(0);
    }
    fn put_bool(out: &mut Vec<u8>, value: bool);
    fn put_i8(out: &mut Vec<u8>, value: i8) {
        out.extend_from_slice(&value.to_le_bytes());
    }
    fn put_i16(out: &mut Vec<u8>, value: i16);
    fn put_i32(out: &mut Vec<u8>, value: i32);
    fn put_i64(out: &mut Vec<u8>, value: i64);
    fn put_double(out: &mut Vec<u8>, value: f64);
    fn put_bytes(out: &mut Vec<u8>, value: &[u8]) -> Result<()>;
    fn put_list(out: &mut Vec<u8>, item: WireType, count: usize) -> Result<()>;
    fn put_map(out: &mut Vec<u8>, key: WireType, value: WireType, count: usize) -> Result<()>;
}

/// Passes a value.
pub(crate) fn skip<P: Decode>(cursor: &mut Cursor<'_>, head: Head, depth: usize) -> Result<()> {
    match head.wire_type {
        WireType::Bool if head.bool.is_some() => Ok(()),
        WireType::Bool => P::bool(cursor).map(|_| ()),
        int @ (WireType::I8 | WireType::I16 | WireType::I32 | WireType::I64) => {
            P::int(cursor, int).map(|_| ())
        }
        WireType::Double => P::double(cursor).map(|_| ()),
        WireType::Bytes => P::bytes(cursor).map(|_| ()),
        WireType::Uuid => cursor.take(16, "a uuid").map(|_| ()),
        WireType::Struct => skip_struct::<P>(cursor, depth + 1),
        WireType::List | WireType::Set => {
            let (item, count) = P::list(cursor)?;
            let depth = deeper(cursor, depth)?;
            let Some(item) = item else { return Ok(()) };
            (0..count).try_for_each(|_| skip::<P>(cursor, Head::of_item(item), depth))
        }
        WireType::Map => {
            let (types, count) = P::map(cursor)?;
            let depth = deeper(cursor, depth)?;
            let Some((key, value)) = types else { return Ok(()) };
            (0..count).try_for_each(|_| {
                skip::<P>(cursor, Head::of_item(key), depth)?;
                skip::<P>(cursor, Head::of_item(value), depth)
            })
        }
    }
}

/// Skips a struct at a nesting depth: the outermost is at 1.
pub(crate) fn skip_struct<P: Decode>(cursor: &mut Cursor<'_>, depth: usize) -> Result<()> {
    deeper(cursor, depth.saturating_sub(1))?;
    let mut last = 0;
    while let Some(head) = P::head(cursor, last)? {
        last = head.id;
        skip::<P>(cursor, head, depth)?;
    }
    Ok(())
}

/// One deeper, if that is allowed.
fn deeper(cursor: &Cursor<'_>, depth: usize) -> Result<usize> {
    if depth < DEEPEST {
        return Ok(depth + 1);
    }
    let what = format!("structs and lists are nested deeper than {DEEPEST}");
    Err(Error::malformed(what).at(cursor.position()))
}

impl Head {
    /// Items have no head of their own.
    pub(crate) fn of_item(wire_type: WireType) -> Self {
        Self { id: 0, wire_type, bool: None }
    }
}

/// Returns a count of items of at least `each` bytes. Fails if it exceeds the remaining bytes.
fn count(cursor: &Cursor<'_>, count: i64, each: usize) -> Result<usize> {
    let Ok(count) = usize::try_from(count) else {
        return Err(Error::malformed(format!("{count} items")).at(cursor.position()));
    };
    let (needed, left) = (count.saturating_mul(each) as u64, cursor.remaining() as u64);
    match needed.checked_sub(left) {
        None | Some(0) => Ok(count),
        Some(missing) => Err(short("the items of a list", missing, cursor)),
    }
}

/// Returns the length of bytes.
fn length(cursor: &Cursor<'_>, length: i64) -> Result<usize> {
    usize::try_from(length)
        .map_err(|_| Error::malformed(format!("a length of {length}")).at(cursor.position()))
}

fn short(what: &'static str, missing: u64, cursor: &Cursor<'_>) -> Error {
    Error::new(ErrorKind::Truncated { what, missing }).at(cursor.position())
}

/// Returns the error of a type that neither protocol has.
fn unknown_type(byte: u8, cursor: &Cursor<'_>) -> Error {
    Error::malformed(format!("no type has the number {byte}"))
        .at(cursor.position().saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::compact::Compact;
    use super::*;

    #[test]
    fn values_are_skipped_to_their_end() {
        let cases: [(WireType, &[u8]); 8] = [
            (WireType::I8, &[7]),
            (WireType::I32, &[0x80, 1]),
            (WireType::Double, &[0; 8]),
            (WireType::Bytes, &[3, 1, 2, 3]),
            (WireType::List, &[0x35, 1, 2, 3]),
            (WireType::List, &[0xf1, 2, 1, 1]),
            (WireType::Struct, &[0]),
            // A field of id 1, one of id 300, the end.
            (WireType::Struct, &[0x15, 2, 0x05, 0xd8, 0x04, 4, 0]),
        ];
        let skip = |kind, bytes| {
            let mut cursor = Cursor::new(bytes);
            skip::<Compact>(&mut cursor, Head::of_item(kind), 1).map(|()| cursor.remaining())
        };
        for (kind, bytes) in cases {
            assert_eq!(skip(kind, bytes).unwrap(), 0, "{kind:?} {bytes:?}");
            assert!(skip(kind, &bytes[..bytes.len() - 1]).is_err(), "{kind:?} {bytes:?}");
        }
        let mut cursor = Cursor::new(&[]);
        let head = Head { id: 1, wire_type: WireType::Bool, bool: Some(true) };
        super::skip::<Compact>(&mut cursor, head, 1).unwrap();
        assert!(skip(WireType::List, &[0x19; 100]).is_err());
        assert!(skip(WireType::Map, &[1, 1, 0, 1, 1]).is_err());
    }
}
