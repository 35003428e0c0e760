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
        match marker {
            0x00..=0x7f => Ok(marker.into()),
            0x80..=0x8f => self.map(usize::from(marker & 0x0f), depth),
            0x90..=0x9f => self.list(usize::from(marker & 0x0f), depth),
            0xa0..=0xbf => self.string(usize::from(marker & 0x1f)),
            0xe0..=0xff => Ok(i8::from_be_bytes([marker]).into()),
            0xc0 => Ok(Value::Null),
            0xc2 | 0xc3 => Ok((marker == 0xc3).into()),
            0xca => Ok(float(f32::from_be_bytes(self.array()?).into())),
            0xcb => Ok(float(f64::from_be_bytes(self.array()?))),
            0xcc..=0xcf => Ok(self.unsigned(1 << (marker - 0xcc))?.into()),
            0xd0..=0xd3 => Ok(self.signed(1 << (marker - 0xd0))?.into()),
            0xd4..=0xd8 => self.extension(1 << (marker - 0xd4)),
            0xc4..=0xc6 => self.length(1 << (marker - 0xc4)).and_then(|n| self.binary(n)),
            0xc7..=0xc9 => self.length(1 << (marker - 0xc7)).and_then(|n| self.extension(n)),
            0xd9..=0xdb => self.length(1 << (marker - 0xd9)).and_then(|n| self.string(n)),
            0xdc | 0xdd => self.length(2 << (marker - 0xdc)).and_then(|n| self.list(n, depth)),
            0xde | 0xdf => self.length(2 << (marker - 0xde)).and_then(|n| self.map(n, depth)),
            0xc1 => Err(Error::malformed("byte c1 in MessagePack")),
        }
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        self.cursor.array("MessagePack number")
    }

    /// Returns a number of `size` bytes, high byte first.
    fn unsigned(&mut self, size: usize) -> Result<u64> {
        let bytes = self.cursor.take(size, "MessagePack number")?;
        Ok(bytes.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
    }

    fn signed(&mut self, size: usize) -> Result<i64> {
        let unused = 64 - 8 * u32::try_from(size).unwrap_or(8);
        Ok((self.unsigned(size)? << unused).cast_signed() >> unused)
    }

    fn length(&mut self, size: usize) -> Result<usize> {
        Ok(usize::try_from(self.unsigned(size)?).unwrap_or(usize::MAX))
    }

    fn string(&mut self, len: usize) -> Result<Value> {
        let bytes = self.cursor.take(len, "MessagePack string")?;
        Ok(text_or_base64(bytes))
    }

    fn binary(&mut self, len: usize) -> Result<Value> {
        let bytes = self.cursor.take(len, "MessagePack bytes")?;
        Ok(text_or_base64(bytes))
    }

    fn extension(&mut self, len: usize) -> Result<Value> {
        let [kind] = self.array()?;
        let bytes = self.cursor.take(len, "MessagePack extension")?;
        let mut object = Map::new();
        object.insert("extension".into(), i8::from_be_bytes([kind]).into());
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
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let bits = (0..3).fold(0, |b, i| b << 8 | usize::from(*three.get(i).unwrap_or(&0)));
        for i in 0..4 {
            let digit = DIGITS.get(bits >> (18 - 6 * i) & 63).filter(|_| i <= three.len());
            text.push(char::from(*digit.unwrap_or(&b'=')));
        }
    }
    text
}

/// Writes a JSON value: an integer in the shortest form, other numbers as floats of 8 bytes.
pub(crate) fn put_json(out: &mut Vec<u8>, value: &Value) -> Result<()> {
    match value {
        Value::Null => out.push(0xc0),
        Value::Bool(value) => out.push(if *value { 0xc3 } else { 0xc2 }),
        Value::Number(number) => put_number(out, number),
        Value::String(text) => put_string(out, text)?,
        Value::Array(items) => {
            put_count(out, 0x90, 0xdc, items.len())?;
            items.iter().try_for_each(|item| put_json(out, item))?;
        }
        Value::Object(object) => {
            put_count(out, 0x80, 0xde, object.len())?;
            for (key, value) in object {
                put_string(out, key)?;
                put_json(out, value)?;
            }
        }
    }
    Ok(())
}

fn put_number(out: &mut Vec<u8>, number: &Number) {
    if let Some(value) = number.as_u64() {
        put_unsigned(out, value);
    } else if let Some(value) = number.as_i64() {
        put_negative(out, value);
    } else {
        put_marked(out, 0xcb, &number.as_f64().unwrap_or(f64::NAN).to_be_bytes());
    }
}

fn put_unsigned(out: &mut Vec<u8>, value: u64) {
    if let Ok(value) = u8::try_from(value) {
        if value > 0x7f {
            out.push(0xcc);
        }
        out.push(value);
    } else if let Ok(value) = u16::try_from(value) {
        put_marked(out, 0xcd, &value.to_be_bytes());
    } else if let Ok(value) = u32::try_from(value) {
        put_marked(out, 0xce, &value.to_be_bytes());
    } else {
        put_marked(out, 0xcf, &value.to_be_bytes());
    }
}

fn put_negative(out: &mut Vec<u8>, value: i64) {
    if let Ok(value) = i8::try_from(value) {
        if value < -32 {
            out.push(0xd0);
        }
        out.extend_from_slice(&value.to_be_bytes());
    } else if let Ok(value) = i16::try_from(value) {
        put_marked(out, 0xd1, &value.to_be_bytes());
    } else if let Ok(value) = i32::try_from(value) {
        put_marked(out, 0xd2, &value.to_be_bytes());
    } else {
        put_marked(out, 0xd3, &value.to_be_bytes());
    }
}

fn put_string(out: &mut Vec<u8>, text: &str) -> Result<()> {
    match u8::try_from(text.len()) {
        Ok(len @ 0..32) => out.push(0xa0 | len),
        Ok(len) => put_marked(out, 0xd9, &[len]),
        Err(_) => put_wide(out, 0xda, text.len())?,
    }
    out.extend_from_slice(text.as_bytes());
    Ok(())
}

fn put_count(out: &mut Vec<u8>, short: u8, wide: u8, count: usize) -> Result<()> {
    match u8::try_from(count) {
        Ok(count @ 0..16) => out.push(short | count),
        _ => put_wide(out, wide, count)?,
    }
    Ok(())
}

/// Writes a length of 2 bytes after `marker`, or of 4 after the next marker.
fn put_wide(out: &mut Vec<u8>, marker: u8, len: usize) -> Result<()> {
    if let Ok(len) = u16::try_from(len) {
        put_marked(out, marker, &len.to_be_bytes());
        return Ok(());
    }
    let len = u32::try_from(len)
        .map_err(|_| Error::too_large("attribute", len as u64, u32::MAX.into()))?;
    put_marked(out, marker + 1, &len.to_be_bytes());
    Ok(())
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
