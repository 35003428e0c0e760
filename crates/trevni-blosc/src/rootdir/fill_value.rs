//! The fill value `dflt`, as JSON and as bytes.
//!
//! ```text
//! bool                        true, false
//! integers, times             5            (times: their count; "NaT")
//! floats                      0.5          (NaN, Infinity)
//! |S4, <U4                    "ab"
//! the rest                    0
//! ```
//! An element of zeros is no bytes at all.

use serde_json::{Number, Value};

use super::excerpt;
use crate::dtype::Field;
use crate::json;
use crate::{ByteOrder, Dtype, DtypeKind};
use trevni::{Error, Result};

/// Returns the bytes of a JSON value.
pub(super) fn parse(value: &Value, dtype: &Dtype) -> Result<Vec<u8>> {
    let wrong = || {
        Error::malformed(format!(
            "fill value {} of elements {}",
            excerpt::text(&value.to_string()),
            excerpt::text(&dtype.name())
        ))
    };
    let mut bytes = to_little(value, dtype).ok_or_else(wrong)?;
    if bytes.len() > dtype.size {
        return Err(wrong());
    }
    if bytes.iter().all(|byte| *byte == 0) {
        return Ok(Vec::new());
    }
    if dtype.size > MAX_FILL {
        return Err(Error::too_large("fill value", dtype.size as u64, MAX_FILL as u64));
    }
    bytes.resize(dtype.size, 0);
    in_order(&mut bytes, dtype);
    Ok(bytes)
}

/// Converts the bytes of an element to JSON; `Invalid` if they are not an element, or JSON cannot represent it.
pub(super) fn to_value(fill: &[u8], dtype: &Dtype) -> Result<Value> {
    if !fill.is_empty() && fill.len() != dtype.size {
        let name = dtype.name();
        return Err(Error::invalid(format!("a fill value of {} bytes for {name}", fill.len())));
    }
    // For types without a zero in JSON, bcolz writes the number.
    let mut bytes = if fill.is_empty() { vec![0; dtype.size.min(MAX_ZERO)] } else { fill.to_vec() };
    in_order(&mut bytes, dtype);
    from_little(&bytes, dtype)
        .ok_or_else(|| Error::invalid(format!("{} cannot have this fill value", dtype.name())))
}

/// The most bytes of an element that is not zero; a few bytes of JSON claim them.
const MAX_FILL: usize = 16 << 20;

/// Enough for the zero of any number; that of a text is empty.
const MAX_ZERO: usize = 16;

/// Between little-endian bytes and those of the type, both ways.
fn in_order(bytes: &mut [u8], dtype: &Dtype) {
    let width = if dtype.kind == DtypeKind::Unicode { 4 } else { dtype.size.max(1) };
    if dtype.order == ByteOrder::Big {
        bytes.chunks_exact_mut(width).for_each(<[u8]>::reverse);
    }
}

/// Little-endian bytes, those of texts without their padding.
fn to_little(value: &Value, dtype: &Dtype) -> Option<Vec<u8>> {
    if value.is_null() {
        return Some(Vec::new());
    }
    match &dtype.kind {
        DtypeKind::Bool => {
            let number = value.as_f64().map(|float| float != 0.0);
            Some(vec![u8::from(value.as_bool().or(number)?)])
        }
        DtypeKind::Int | DtypeKind::DateTime(_) | DtypeKind::TimeDelta(_) => {
            let not_a_time = value.as_str() == Some("NaT") && dtype.kind != DtypeKind::Int;
            let number = if not_a_time { i64::MIN.into() } else { whole(value)? };
            let bits = 8 * u32::try_from(dtype.size).ok()? - 1;
            let fits = number >> bits == 0 || number >> bits == -1;
            fits.then(|| number.to_le_bytes().into_iter().take(dtype.size).collect())
        }
        DtypeKind::UInt => {
            let number = u64::try_from(whole(value)?).ok()?;
            let (head, tail) = number
                .to_le_bytes()
                .split_at_checked(dtype.size)
                .map(|(h, t)| (h.to_vec(), t.to_vec()))?;
            tail.iter().all(|byte| *byte == 0).then_some(head)
        }
        DtypeKind::Float => float_bytes(float(value)?, dtype.size),
        DtypeKind::Bytes => value.as_str()?.chars().map(|c| u8::try_from(c).ok()).collect(),
        DtypeKind::Unicode => {
            Some(value.as_str()?.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect())
        }
        DtypeKind::Record(fields) if value.is_array() => {
            of_record(value.as_array()?, fields.as_slice())
        }
        DtypeKind::Complex | DtypeKind::Void | DtypeKind::Record(_) => {
            (value.as_f64() == Some(0.0) || value == "").then(Vec::new)
        }
    }
}

/// Returns the bytes of a record, whose fields have orders of their own.
fn of_record(values: &[Value], fields: &[Field]) -> Option<Vec<u8>> {
    let (mut bytes, mut values) = (Vec::new(), values.iter());
    for field in fields {
        let copies = field.shape.iter().try_fold(1, |product: u64, n| product.checked_mul(*n))?;
        let size = usize::try_from(copies).ok()?.checked_mul(field.dtype.size)?;
        let end = bytes.len().checked_add(size).filter(|end| *end <= MAX_FILL)?;
        // Padding has no name, and no value.
        if !(field.name.is_empty() && field.dtype.kind == DtypeKind::Void) {
            put_field(values.next()?, field, &mut bytes)?;
        }
        if bytes.len() > end {
            return None;
        }
        bytes.resize(end, 0);
    }
    values.next().is_none().then_some(bytes)
}

/// Appends a value of a field, or a list of values in row-major order.
fn put_field(value: &Value, field: &Field, out: &mut Vec<u8>) -> Option<()> {
    if let (Some((_, inner)), Some(values)) = (field.shape.split_first(), value.as_array()) {
        let inner = Field { shape: inner.to_vec(), ..field.clone() };
        return values.iter().try_for_each(|value| put_field(value, &inner, out));
    }
    let mut one = to_little(value, &field.dtype)?;
    if one.len() > field.dtype.size {
        return None;
    }
    one.resize(field.dtype.size, 0);
    in_order(&mut one, &field.dtype);
    out.extend_from_slice(&one);
    Some(())
}

fn from_little(bytes: &[u8], dtype: &Dtype) -> Option<Value> {
    let trimmed = || bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    match dtype.kind {
        DtypeKind::Bool => Some(Value::Bool(bytes.first() != Some(&0))),
        DtypeKind::Int | DtypeKind::DateTime(_) | DtypeKind::TimeDelta(_) => {
            let negative = bytes.last().is_some_and(|byte| *byte >= 0x80);
            let mut wide = [if negative { 0xff } else { 0 }; 8];
            wide.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
            Some(i64::from_le_bytes(wide).into())
        }
        DtypeKind::UInt => {
            let mut wide = [0; 8];
            wide.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
            Some(u64::from_le_bytes(wide).into())
        }
        DtypeKind::Float => {
            let value = float_of(bytes)?;
            let text = || Value::from(json::float_text(value));
            Some(Number::from_f64(value).map_or_else(text, Value::Number))
        }
        DtypeKind::Bytes => {
            let text = bytes.get(..trimmed())?;
            text.is_ascii()
                .then(|| text.iter().map(|byte| char::from(*byte)).collect::<String>().into())
        }
        DtypeKind::Unicode => {
            let (units, _) = bytes.as_chunks::<4>();
            let text: Option<String> =
                units.iter().map(|unit| char::from_u32(u32::from_le_bytes(*unit))).collect();
            Some(text?.trim_end_matches('\0').into())
        }
        DtypeKind::Complex | DtypeKind::Void | DtypeKind::Record(_) => {
            (trimmed() == 0).then(|| 0.into())
        }
    }
}

/// Returns an integer in any notation.
fn whole(value: &Value) -> Option<i128> {
    let number = || value.as_i64().map(i128::from).or(value.as_u64().map(i128::from));
    let float = || {
        let float = value.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < 1e19)?;
        format!("{float}").parse().ok()
    };
    value.as_bool().map(i128::from).or_else(number).or_else(float)
}

fn float(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::Bool(bool) => Some(f64::from(u8::from(*bool))),
        Value::String(name)
            if matches!(name.trim_start_matches('-'), "NaN" | "nan" | "Infinity" | "inf") =>
        {
            name.parse().ok()
        }
        _ => None,
    }
}

fn float_bytes(value: f64, size: usize) -> Option<Vec<u8>> {
    match size {
        // What does not fit becomes infinite, as in NumPy.
        #[expect(clippy::cast_possible_truncation)]
        4 => Some((value as f32).to_le_bytes().to_vec()),
        8 => Some(value.to_le_bytes().to_vec()),
        _ => Some(half_of(value)?.to_le_bytes().to_vec()),
    }
}

fn float_of(bytes: &[u8]) -> Option<f64> {
    match bytes {
        [a, b] => Some(of_half(u16::from_le_bytes([*a, *b]))),
        [a, b, c, d] => Some(f32::from_le_bytes([*a, *b, *c, *d]).into()),
        _ => Some(f64::from_le_bytes(bytes.try_into().ok()?)),
    }
}

/// Returns a float of 16 bits: sign, 5 bits of exponent, 10 of fraction.
fn of_half(half: u16) -> f64 {
    let sign = if half & 0x8000 == 0 { 1.0 } else { -1.0 };
    let fraction = f64::from(half & 0x3ff);
    match half >> 10 & 0x1f {
        0 => sign * fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => sign * f64::INFINITY,
        31 => f64::NAN,
        exponent => sign * (1024.0 + fraction) * 2f64.powi(i32::from(exponent) - 25),
    }
}

/// Returns the nearest, and of two the even one. Positive halves are in the order of their bits.
fn half_of(value: f64) -> Option<u16> {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    if value.is_nan() {
        return Some(0x7e00);
    }
    let size = value.abs();
    // The largest is 65504; half a step above it is infinite.
    if size >= 65520.0 {
        return Some(sign | 0x7c00);
    }
    let low = (0..=0x7bff_u16).rev().find(|half| of_half(*half) <= size)?;
    let [under, over] = [size - of_half(low), of_half(low + 1) - size];
    let up = low < 0x7bff && (over < under || (over == under && low & 1 == 1));
    Some(sign | if up { low + 1 } else { low })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn both(text: &str, value: Value, bytes: &[u8]) {
        let dtype = Dtype::parse(text).unwrap();
        assert_eq!(parse(&value, &dtype).unwrap(), bytes, "{text} {value}");
        assert_eq!(to_value(bytes, &dtype).unwrap(), value, "{text} {value}");
    }

    #[test]
    fn bytes_and_json_agree() {
        both("bool", json!(true), &[1]);
        both("bool", json!(false), &[]);
        both("int8", json!(-2), &[0xfe]);
        both("int32", json!(5), &[5, 0, 0, 0]);
        both(">i4", json!(-5), &[0xff, 0xff, 0xff, 0xfb]);
        both("uint64", json!(u64::MAX), &[0xff; 8]);
        both("float16", json!(1.5), &[0, 0x3e]);
        both("float16", json!("-Infinity"), &[0, 0xfc]);
        both("float32", json!(0.0), &[]);
        both("float64", json!("NaN"), &f64::NAN.to_le_bytes());
        both(">f8", json!(0.1), &0.1f64.to_be_bytes());
        both("|S4", json!("ab"), b"ab\0\0");
        both("|S4", json!(""), &[]);
        both("<U2", json!("é"), &[0xe9, 0, 0, 0, 0, 0, 0, 0]);
        both(">U2", json!("é"), &[0, 0, 0, 0xe9, 0, 0, 0, 0]);
        both("datetime64[ns]", json!(0), &[]);
        both("datetime64[D]", json!(i64::MIN), &[0, 0, 0, 0, 0, 0, 0, 0x80]);
        both("complex128", json!(0), &[]);
        both("|V3", json!(0), &[]);
        let time = Dtype::parse("datetime64[D]").unwrap();
        assert_eq!(parse(&json!("NaT"), &time).unwrap(), i64::MIN.to_le_bytes());
        assert!(parse(&json!(3.0), &Dtype::parse("int16").unwrap()).unwrap() == [3, 0]);
        assert!(parse(&Value::Null, &time).unwrap().is_empty());
    }

    #[test]
    fn refuses_what_does_not_fit() {
        for (text, value) in [
            ("int8", json!(128)),
            ("int8", json!(-129)),
            ("uint8", json!(-1)),
            ("uint8", json!(256)),
            ("int64", json!(1e300)),
            ("int32", json!(0.5)),
            ("int32", json!("x")),
            ("float64", json!("x")),
            ("float64", json!([0])),
            ("bool", json!("x")),
            ("|S2", json!("abc")),
            ("|S2", json!("☃")),
            ("<U1", json!("ab")),
            ("|S2", json!(1)),
            ("|V3", json!(1)),
            ("complex64", json!(1.0)),
            ("int8", json!({})),
            ("int64", json!(u64::MAX)),
        ] {
            assert!(parse(&value, &Dtype::parse(text).unwrap()).is_err(), "{text} {value}");
        }
        assert!(to_value(&[1, 2], &Dtype::parse("int32").unwrap()).is_err());
        assert!(to_value(&[0xff], &Dtype::parse("|S1").unwrap()).is_err());
        assert!(to_value(&[0, 0xd8, 0, 0], &Dtype::parse("<U1").unwrap()).is_err());
    }

    #[test]
    fn long_texts_of_zeros_only() {
        let dtype = Dtype::parse("|S2000000000").unwrap();
        assert!(parse(&json!(""), &dtype).unwrap().is_empty());
        assert!(parse(&json!("x"), &dtype).unwrap_err().to_string().contains("exceeds the limit"));
        assert_eq!(to_value(&[], &dtype).unwrap(), "");
    }

    #[test]
    fn halves_round_to_even() {
        for half in 0..0x7c00 {
            assert_eq!(of_half(half | 0x8000), -of_half(half));
        }
        for (value, half) in [
            (0.1, 0x2e66),
            (1.0 + 2f64.powi(-11), 0x3c00),
            (1.0 + 3.0 * 2f64.powi(-11), 0x3c02),
            (65519.0, 0x7bff),
            (65520.0, 0x7c00),
            (2f64.powi(-25), 0),
            (2f64.powi(-24), 1),
            (-2.0, 0xc000),
        ] {
            assert_eq!(half_of(value), Some(half), "{value}");
        }
    }
}
