//! Parses numbers in the syntax that inference accepts.
//!
//! ```text
//! integer   -?(0|[1-9][0-9]*)                                7  -42  0          not +7, 007
//! float     -?(0|[1-9][0-9]*)?(.[0-9]*)?([eE][+-]?[0-9]+)?   0.5  .5  5.  1e-3  not 00.5, +0.5, 1e400
//!           -?(inf|infinity)                                 in any case
//! ```
//! Blanks around a number are ignored, as pyarrow and DuckDB do. A comma is before the fraction where the caller says so.

use std::borrow::Cow;

/// An integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Integer {
    Signed(i64),
    /// Exceeds `i64`.
    Unsigned(u64),
    /// Exceeds both types.
    Wide,
}

/// Returns the integer that a text is, if it is one.
pub(super) fn integer(text: &[u8]) -> Option<Integer> {
    let text = if has_blanks(text) { text.trim_ascii() } else { text };
    let (negative, digits) = sign(text);
    if !is_figure(digits) {
        return None;
    }
    if digits.len() > 20 {
        return Some(Integer::Wide);
    }
    let mut magnitude = 0u64;
    for digit in digits {
        let next = magnitude.checked_mul(10).and_then(|n| n.checked_add(u64::from(digit - b'0')));
        let Some(next) = next else { return Some(Integer::Wide) };
        magnitude = next;
    }
    Some(match (negative, i64::try_from(magnitude)) {
        (false, Ok(value)) => Integer::Signed(value),
        (true, Ok(value)) => Integer::Signed(-value),
        (false, Err(_)) => Integer::Unsigned(magnitude),
        (true, Err(_)) if magnitude == i64::MIN.unsigned_abs() => Integer::Signed(i64::MIN),
        (true, Err(_)) => Integer::Wide,
    })
}

/// The 64-bit integer that a text is, if it is one.
pub(super) fn signed(text: &[u8]) -> Option<i64> {
    match integer(text)? {
        Integer::Signed(value) => Some(value),
        _ => None,
    }
}

/// Returns the unsigned 64-bit integer that a text is, if it is one.
pub(super) fn unsigned(text: &[u8]) -> Option<u64> {
    match integer(text)? {
        Integer::Signed(value) => u64::try_from(value).ok(),
        Integer::Unsigned(value) => Some(value),
        Integer::Wide => None,
    }
}

/// Returns the number that a text is, if it is one and not too large for a float.
pub(super) fn float(text: &str) -> Option<f64> {
    let text = text.trim_matches(BLANKS);
    let (_, rest) = sign(text.as_bytes());
    if rest.eq_ignore_ascii_case(b"inf") || rest.eq_ignore_ascii_case(b"infinity") {
        return text.parse().ok();
    }
    // A sign, or a zero before another digit; the parser checks the rest.
    match rest {
        [b'0', b'0'..=b'9', ..] => return None,
        [b'0'..=b'9' | b'.', ..] => {}
        _ => return None,
    }
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

/// Returns a number with a point before its fraction, where a comma is. A point is then of no number.
pub(super) fn with_point(text: &str, decimal_comma: bool) -> Cow<'_, str> {
    match decimal_comma {
        true if text.contains('.') => Cow::Borrowed("."),
        true if text.contains(',') => Cow::Owned(text.replace(',', ".")),
        _ => Cow::Borrowed(text),
    }
}

const BLANKS: [char; 2] = [' ', '\t'];

/// Returns a text without the blanks around it.
pub(super) fn trim(text: &str) -> &str {
    if has_blanks(text.as_bytes()) { text.trim_matches(BLANKS) } else { text }
}

fn has_blanks(text: &[u8]) -> bool {
    let is_blank = |b: Option<&u8>| matches!(b, Some(b' ' | b'\t'));
    is_blank(text.first()) || is_blank(text.last())
}

fn sign(text: &[u8]) -> (bool, &[u8]) {
    match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    }
}

/// Digits, of which the first is no zero unless it is the only one.
fn is_figure(digits: &[u8]) -> bool {
    match digits {
        [] => false,
        [b'0', _, ..] => false,
        _ => digits.iter().all(u8::is_ascii_digit),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_have_no_leading_zeros() {
        use Integer::{Signed, Unsigned, Wide};
        for (text, expected) in [
            ("0", Some(Signed(0))),
            ("-0", Some(Signed(0))),
            ("7", Some(Signed(7))),
            (" -42\t", Some(Signed(-42))),
            ("9223372036854775807", Some(Signed(i64::MAX))),
            ("-9223372036854775808", Some(Signed(i64::MIN))),
            ("9223372036854775808", Some(Unsigned(1 << 63))),
            ("18446744073709551615", Some(Unsigned(u64::MAX))),
            ("18446744073709551616", Some(Wide)),
            ("-9223372036854775809", Some(Wide)),
            ("100000000000000000000000000", Some(Wide)),
            ("00501", None),
            ("-01", None),
            ("+7", None),
            ("1.0", None),
            ("1_000", None),
            ("0x1f", None),
            ("", None),
            ("-", None),
            (" ", None),
        ] {
            assert_eq!(integer(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn floats_have_no_leading_zeros() {
        for (text, expected) in [
            ("0.5", Some(0.5)),
            ("-0.5", Some(-0.5)),
            (".5", Some(0.5)),
            ("5.", Some(5.0)),
            (" 1e5 ", Some(1e5)),
            ("1E-3", Some(1e-3)),
            ("-Infinity", Some(f64::NEG_INFINITY)),
            ("inf", Some(f64::INFINITY)),
            ("7", Some(7.0)),
            ("1e400", None),
            ("00.5", None),
            ("+0.5", None),
            ("1e", None),
            ("1d", None),
            (".", None),
            ("-", None),
            ("nan", None),
            ("--1", None),
            ("-+1", None),
            ("1.2.3", None),
            ("", None),
        ] {
            assert_eq!(float(text), expected, "{text}");
        }
    }
}
