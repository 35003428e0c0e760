//! MessagePack, as frame headers and user attributes use it.
//!
//! ```text
//! 00-7f n   80-8f map   90-9f array   a0-bf string   c0 nil   c2 false   c3 true   e0-ff n - 256
//! c4 c5 c6  bytes after a length of 1, 2, 4 bytes           ca cb  float of 4, 8 bytes
//! cc-cf     unsigned of 1, 2, 4, 8 bytes                    d0-d3  signed of 1, 2, 4, 8 bytes
//! d9 da db  string after a length of 1, 2, 4 bytes          dc dd  array after a count of 2, 4 bytes
//! de df     map after a count of 2, 4 bytes
//! d4-d8     extension: type, then 1, 2, 4, 8, 16 bytes      c7 c8 c9  extension: length, type, bytes
//! ```
//!
//! Numbers are big-endian. Frame headers use one form of each kind, so that their fields are at fixed positions:
//! [`marked`] reads such a field, and [`put_marked`] writes it. Attributes use every form: [`to_json`] accepts all
//! of them, and [`put_json`] writes the shortest form of a JSON value.

use base64::Engine;
use rmp::Marker;
use rmp::encode::{self, ValueWriteError};
use serde_json::{Map, Number, Value};

use trevni::wire::Cursor;
use trevni::{Error, Result};

/// How deep values may be nested.
const DEPTH: usize = 64;

/// How many values one attribute may have: each takes more memory here than in the file.
const VALUES: usize = 1 << 20;

/// Reads a field of `N` bytes after its marker.
pub(crate) fn marked<const N: usize>(
    cursor: &mut Cursor<'_>,
    marker: u8,
    what: &'static str,
) -> Result<[u8; N]> {
    expect(cursor, marker, what)?;
    cursor.array(what)
}

/// Writes a field after its marker.
pub(crate) fn put_marked(out: &mut Vec<u8>, marker: u8, bytes: &[u8]) {
    out.push(marker);
    out.extend_from_slice(bytes);
}

/// Takes the byte that must come next.
pub(crate) fn expect(cursor: &mut Cursor<'_>, marker: u8, what: &'static str) -> Result<()> {
    let start = cursor.position();
    let [found] = cursor.array(what)?;
    if found == marker {
        return Ok(());
    }
    let text = format!("byte {found:02x} where {what} begins with {marker:02x}");
    Err(Error::malformed(text).at(start))
}

/// Returns the one value that `bytes` hold, as JSON.
///
/// Values that JSON lacks are converted: bytes to a string if they are UTF-8, else to `{"base64": "..."}`;
/// extensions to `{"extension": type, "base64": "..."}`; non-finite floats to the strings `NaN`, `Infinity`,
/// `-Infinity`; keys that are not strings to their JSON text. Bytes after the value, nesting deeper than 64, and
/// more than a million values are errors.
pub(crate) fn to_json(bytes: &[u8]) -> Result<Value> {
    let mut reader = Reader { cursor: Cursor::new(bytes), left: VALUES };
    let value = reader.value(DEPTH)?;
    match reader.cursor.remaining() {
        0 => Ok(value),
        n => Err(Error::malformed(format!("{n} bytes after a MessagePack value"))),
    }
}

/// Returns the bytes without a meaning, as JSON: `{"base64": "..."}`.
pub(crate) fn opaque(bytes: &[u8]) -> Value {
    let mut object = Map::new();
    object.insert("base64".into(), base64(bytes).into());
    Value::Object(object)
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    left: usize,
}

impl Reader<'_> {
    fn value(&mut self, depth: usize) -> Result<Value> {
        self.left = self.left.checked_sub(1).ok_or_else(|| {
            Error::too_large("values of an attribute", VALUES as u64 + 1, VALUES as u64)
        })?;
        let [marker] = self.cursor.array("MessagePack value")?;
        match Marker::from_u8(marker) {
            Marker::FixPos(value) => Ok(value.into()),
            Marker::FixNeg(value) => Ok(value.into()),
            Marker::Null => Ok(Value::Null),
            Marker::False => Ok(false.into()),
            Marker::True => Ok(true.into()),
            Marker::F32 => Ok(float(f32::from_be_bytes(self.array()?).into())),
            Marker::F64 => Ok(float(f64::from_be_bytes(self.array()?))),
            Marker::U8 => Ok(u8::from_be_bytes(self.array()?).into()),
            Marker::U16 => Ok(u16::from_be_bytes(self.array()?).into()),
            Marker::U32 => Ok(u32::from_be_bytes(self.array()?).into()),
            Marker::U64 => Ok(u64::from_be_bytes(self.array()?).into()),
            Marker::I8 => Ok(i8::from_be_bytes(self.array()?).into()),
            Marker::I16 => Ok(i16::from_be_bytes(self.array()?).into()),
            Marker::I32 => Ok(i32::from_be_bytes(self.array()?).into()),
            Marker::I64 => Ok(i64::from_be_bytes(self.array()?).into()),
            Marker::FixStr(len) => self.text(len.into()),
            Marker::Str8 | Marker::Bin8 => self.length::<1>().and_then(|len| self.text(len)),
            Marker::Str16 | Marker::Bin16 => self.length::<2>().and_then(|len| self.text(len)),
            Marker::Str32 | Marker::Bin32 => self.length::<4>().and_then(|len| self.text(len)),
            Marker::FixArray(count) => self.list(count.into(), depth),
            Marker::Array16 => self.length::<2>().and_then(|count| self.list(count, depth)),
            Marker::Array32 => self.length::<4>().and_then(|count| self.list(count, depth)),
            Marker::FixMap(count) => self.map(count.into(), depth),
            Marker::Map16 => self.length::<2>().and_then(|count| self.map(count, depth)),
            Marker::Map32 => self.length::<4>().and_then(|count| self.map(count, depth)),
            Marker::FixExt1 => self.extension(1),
            Marker::FixExt2 => self.extension(2),
            Marker::FixExt4 => self.extension(4),
            Marker::FixExt8 => self.extension(8),
            Marker::FixExt16 => self.extension(16),
            Marker::Ext8 => self.length::<1>().and_then(|len| self.extension(len)),
            Marker::Ext16 => self.length::<2>().and_then(|len| self.extension(len)),
            Marker::Ext32 => self.length::<4>().and_then(|len| self.extension(len)),
            Marker::Reserved => Err(Error::malformed("byte c1 in MessagePack")),
        }
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        self.cursor.array("MessagePack number")
    }

    /// Returns a length of `N` bytes, high byte first.
    fn length<const N: usize>(&mut self) -> Result<usize> {
        let bytes: [u8; N] = self.array()?;
        Ok(bytes.iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte)))
    }

    /// Returns a string, or bytes.
    fn text(&mut self, len: usize) -> Result<Value> {
        let bytes = self.cursor.take(len, "MessagePack string")?;
        Ok(text_or_base64(bytes))
    }

    fn extension(&mut self, len: usize) -> Result<Value> {
        let [number] = self.array()?;
        let bytes = self.cursor.take(len, "MessagePack extension")?;
        let mut object = Map::new();
        object.insert("extension".into(), i8::from_be_bytes([number]).into());
        object.insert("base64".into(), base64(bytes).into());
        Ok(Value::Object(object))
    }

    fn list(&mut self, count: usize, depth: usize) -> Result<Value> {
        let depth = deeper(depth)?;
        (0..count).map(|_| self.value(depth)).collect::<Result<Vec<_>>>().map(Value::Array)
    }

    fn map(&mut self, count: usize, depth: usize) -> Result<Value> {
        let depth = deeper(depth)?;
        let mut object = Map::new();
        for _ in 0..count {
            let key = match self.value(depth)? {
                Value::String(key) => key,
                other => other.to_string(),
            };
            object.insert(key, self.value(depth)?);
        }
        Ok(Value::Object(object))
    }
}

fn deeper(depth: usize) -> Result<usize> {
    let deep = || Error::too_large("nesting of an attribute", DEPTH as u64 + 1, DEPTH as u64);
    depth.checked_sub(1).ok_or_else(deep)
}

fn float(value: f64) -> Value {
    match Number::from_f64(value) {
        Some(number) => Value::Number(number),
        None if value.is_nan() => "NaN".into(),
        None if value > 0.0 => "Infinity".into(),
        None => "-Infinity".into(),
    }
}

fn text_or_base64(bytes: &[u8]) -> Value {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => opaque(bytes),
    }
}

fn base64(bytes: &[u8]) -> String {
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

/// Writes a JSON value: an integer in the shortest form, other numbers as floats of 8 bytes.
pub(crate) fn put_json(out: &mut Vec<u8>, value: &Value) -> Result<()> {
    let failed = |e: ValueWriteError| Error::from(std::io::Error::from(e));
    match value {
        Value::Null => out.push(0xc0),
        Value::Bool(value) => out.push(if *value { 0xc3 } else { 0xc2 }),
        Value::Number(number) => put_number(out, number).map_err(failed)?,
        Value::String(text) => put_string(out, text)?,
        Value::Array(items) => {
            encode::write_array_len(out, length(items.len())?).map_err(failed)?;
            items.iter().try_for_each(|item| put_json(out, item))?;
        }
        Value::Object(object) => {
            encode::write_map_len(out, length(object.len())?).map_err(failed)?;
            for (key, value) in object {
                put_string(out, key)?;
                put_json(out, value)?;
            }
        }
    }
    Ok(())
}

fn put_number(out: &mut Vec<u8>, number: &Number) -> std::result::Result<(), ValueWriteError> {
    if let Some(value) = number.as_u64() {
        encode::write_uint(out, value).map(|_| ())
    } else if let Some(value) = number.as_i64() {
        encode::write_sint(out, value).map(|_| ())
    } else {
        encode::write_f64(out, number.as_f64().unwrap_or(f64::NAN))
    }
}

fn put_string(out: &mut Vec<u8>, text: &str) -> Result<()> {
    length(text.len())?;
    encode::write_str(out, text).map_err(|e| std::io::Error::from(e).into())
}

fn length(len: usize) -> Result<u32> {
    u32::try_from(len).map_err(|_| Error::too_large("attribute", len as u64, u32::MAX.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_json_can_say_comes_back() {
        let long = "x".repeat(300);
        let value = json!({
            "none": null, "yes": true, "no": false, "text": "é", "long": long, "t40": "y".repeat(40),
            "numbers": [0, 127, 128, 255, 256, 65535, 65536, 4294967296u64, u64::MAX],
            "negative": [-1, -32, -33, -128, -129, -32768, -32769, -2147483649i64, i64::MIN],
            "floats": [0.5, 1e300, -0.0], "many": vec![7; 70000], "map": {"": {"": []}},
        });
        let mut bytes = Vec::new();
        put_json(&mut bytes, &value).unwrap();
        assert_eq!(to_json(&bytes).unwrap(), value);
    }

    #[test]
    fn numbers_take_the_shortest_form() {
        for (value, hex) in [
            (json!(127), &[0x7f][..]),
            (json!(200), &[0xcc, 0xc8]),
            (json!(-32), &[0xe0]),
            (json!(-33), &[0xd0, 0xdf]),
            (json!(-200), &[0xd1, 0xff, 0x38]),
            (json!(1.5), &[0xcb, 0x3f, 0xf8, 0, 0, 0, 0, 0, 0]),
        ] {
            let mut bytes = Vec::new();
            put_json(&mut bytes, &value).unwrap();
            assert_eq!(bytes, hex);
        }
    }

    #[test]
    fn forms_that_are_never_written_are_read() {
        for (bytes, value) in [
            (&[0xcc, 5][..], json!(5)),
            (&[0xd0, 0x80], json!(-128)),
            (&[0xca, 0x3f, 0xc0, 0, 0], json!(1.5)),
            (&[0xcb, 0x7f, 0xf8, 0, 0, 0, 0, 0, 0], json!("NaN")),
            (&[0xca, 0xff, 0x80, 0, 0], json!("-Infinity")),
            (&[0xc4, 2, b'a', b'b'], json!("ab")),
            (&[0xc5, 0, 1, 0xff], json!({"base64": "/w=="})),
            (&[0xd4, 0xfe, 0x61], json!({"extension": -2, "base64": "YQ=="})),
            (&[0xc7, 3, 42, 1, 2, 3], json!({"extension": 42, "base64": "AQID"})),
            (&[0x82, 1, 2, 0xc0, 3], json!({"1": 2, "null": 3})),
            (&[0xdd, 0, 0, 0, 1, 0xc3], json!([true])),
            (&[0xdf, 0, 0, 0, 1, 0xa1, b'k', 0xd9, 1, b'v'], json!({"k": "v"})),
        ] {
            assert_eq!(to_json(bytes).unwrap(), value, "{bytes:02x?}");
        }
    }

    #[test]
    fn hostile_values_are_refused() {
        for bytes in [
            &[][..],
            &[0xc1],
            &[1, 2],
            &[0xdd, 0xff, 0xff, 0xff, 0xff],
            &[0xdf, 0xff, 0xff, 0xff, 0xff, 1],
            &[0xc6, 0xff, 0xff, 0xff, 0xff],
            &[0xc9, 0xff, 0xff, 0xff, 0xff, 1],
            &[0x91; 100],
            &[0xd3, 1],
        ] {
            assert!(to_json(bytes).is_err(), "{bytes:02x?}");
        }
        let mut many = vec![0xdd, 0, 0x20, 0, 0];
        many.resize(5 + (1 << 21), 0xc0);
        assert!(to_json(&many).unwrap_err().to_string().starts_with("too large: values"));
    }
}
