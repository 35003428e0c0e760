//! Truncates long strings to bounds.
//!
//! ```text
//! least      https://example.org/a/long/path            https://example.org/a/
//! greatest   https://example.org/b/longer/path          https://example.org/b0       its last sign is the next one
//! ```
//! The common prefix is kept, and 16 bytes after it: enough to distinguish this block from others.

use super::block_statistics::{Bounds, LONGEST};
use crate::format::value::Value;

/// The number of bytes that are kept after the common prefix.
const BEHIND: usize = 16;

/// Bounds of strings of any length, or `None` if none are short enough. Text stays text.
pub(crate) fn cut(min: &[u8], max: &[u8], text: bool) -> Option<Bounds> {
    let shared = min.iter().zip(max).take_while(|(a, b)| a == b).count();
    // The next sign may take a byte more, or three.
    let keep = (shared + BEHIND).min(LONGEST - 4);
    let min = match min.len() > keep {
        true => (prefix(min, keep, text).to_vec(), false),
        false => (min.to_vec(), true),
    };
    let max = match max.len() > keep {
        true => (above(prefix(max, keep, text), text)?, false),
        false => (max.to_vec(), true),
    };
    let value = |bytes: Vec<u8>| Value::Bytes(bytes.into());
    Some(Bounds { exact: min.1 && max.1, min: value(min.0), max: value(max.0) })
}

/// Returns a prefix of at most `most` bytes, which does not split a character of a string.
fn prefix(bytes: &[u8], most: usize, text: bool) -> &[u8] {
    let is_within = |at: &usize| bytes.get(*at).is_some_and(|byte| text && byte & 0xc0 == 0x80);
    let end = (0..=most).rev().find(|at| !is_within(at)).unwrap_or(0);
    bytes.get(..end).unwrap_or_default()
}

/// Returns a short string that is greater than all strings with this prefix: its last character is incremented.
fn above(prefix: &[u8], text: bool) -> Option<Vec<u8>> {
    if text {
        let mut text = std::str::from_utf8(prefix).ok()?.to_owned();
        while let Some(last) = text.pop() {
            if let Some(next) = next(last) {
                text.push(next);
                return Some(text.into_bytes());
            }
        }
        return None;
    }
    let kept = prefix.iter().rposition(|byte| *byte != 0xff)?;
    let mut bytes = prefix.get(..=kept)?.to_vec();
    if let Some(last) = bytes.last_mut() {
        *last += 1;
    }
    Some(bytes)
}

fn next(sign: char) -> Option<char> {
    match sign {
        '\u{d7ff}' => Some('\u{e000}'),
        char::MAX => None,
        other => char::from_u32(u32::from(other) + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(min: &str, max: &str) -> (String, String, bool) {
        let Bounds { min, max, exact } = cut(min.as_bytes(), max.as_bytes(), true).unwrap();
        let text = |value| match value {
            Value::Bytes(bytes) => String::from_utf8(bytes.into_owned()).unwrap(),
            other => panic!("{other:?}"),
        };
        (text(min), text(max), exact)
    }

    #[test]
    fn what_is_long_is_cut_outwards() {
        let (a, b) = ("a".repeat(100), "a".repeat(50) + &"b".repeat(50));
        assert_eq!(bounds("", "sixteen bytes..."), ("".into(), "sixteen bytes...".into(), true));
        assert_eq!(bounds("", "seventeen bytes.."), ("".into(), "seventeen bytes/".into(), false));
        let (min, max, exact) = bounds(&a, &b);
        assert_eq!((min, exact), ("a".repeat(60), false));
        assert_eq!(max, "a".repeat(50) + "bbbbbbbbbc");
        // Characters are not split, and the last code point is dropped for the one before it.
        let long = "é".repeat(20);
        assert_eq!(bounds(&long, &long).0, "é".repeat(20));
        assert_eq!(bounds("", &("x".repeat(15) + "éé")).1, "x".repeat(14) + "y");
        let last = format!("{}\u{10ffff}\u{10ffff}", "x".repeat(8));
        assert_eq!(bounds("", &(last + "z")).1, "xxxxxxxy");
        assert_eq!(bounds("", &("x".repeat(12) + "\u{d7ff}zz")).1, "x".repeat(12) + "\u{d7ff}{");
    }

    #[test]
    fn what_has_nothing_above_has_no_bounds() {
        assert_eq!(cut(b"", &[0xff; 17], false), None);
        assert_eq!(cut(b"", "\u{10ffff}".repeat(9).as_bytes(), true), None);
        let cut = cut(b"", &[[1; 1].as_slice(), &[0xff; 40]].concat(), false).unwrap();
        assert_eq!((cut.max, cut.exact), (Value::Bytes(vec![2].into()), false));
    }
}
