//! Scans JSON text: values are skipped, or returned as their text.
//!
//! ```text
//! {"a": [1.5, "x\n"], "b": null}
//!  string  number string    literal         blanks between them are skipped
//! ```
//! What is skipped is checked as serde_json checks it, in two thirds of its time; the words that Python prints of
//! numbers are values too. `None` says that the text is no JSON, or too deep.

use std::borrow::Cow;

/// The maximum nesting depth of arrays and objects.
pub(super) const MOST_LEVELS: usize = 128;

/// Numbers that JSON has no text for.
const NUMBER_WORDS: [(&str, f64); 3] =
    [("NaN", f64::NAN), ("Infinity", f64::INFINITY), ("-Infinity", f64::NEG_INFINITY)];

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH_BITS: u64 = 0x8080_8080_8080_8080;

/// A position in a text.
#[derive(Debug, Clone)]
pub(super) struct Scanner<'a> {
    text: &'a str,
    rest: &'a [u8],
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, rest: text.as_bytes() }
    }

    /// Returns the next byte that is not blank.
    pub(super) fn peek(&mut self) -> Option<u8> {
        self.rest = after_blanks(self.rest);
        self.rest.first().copied()
    }

    /// Takes the next byte that is not blank if it is this one. Returns whether it is.
    pub(super) fn take(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        if let (true, Some((_, rest))) = (is_next, self.rest.split_first()) {
            self.rest = rest;
        }
        is_next
    }

    /// Takes a word: `null`, `true` or `false`.
    pub(super) fn word(&mut self, word: &str) -> Option<()> {
        self.rest = after_blanks(self.rest).strip_prefix(word.as_bytes())?;
        Some(())
    }

    /// Takes a string, without quotes and escapes.
    pub(super) fn string(&mut self) -> Option<Cow<'a, str>> {
        let quoted = after_blanks(self.rest);
        let mut is_escaped = false;
        self.rest = after_string_with(quoted.strip_prefix(b"\"")?, || is_escaped = true)?;
        let quoted = self.text_since(quoted)?;
        match is_escaped {
            false => quoted.get(1..quoted.len() - 1).map(Cow::Borrowed),
            true => serde_json::from_str(quoted).ok().map(Cow::Owned),
        }
    }

    /// Takes the name of a member, and the colon, if its text is this one, which has its quotes. Returns whether it is.
    pub(super) fn take_name(&mut self, quoted: &str) -> bool {
        let Some(rest) = after_blanks(self.rest).strip_prefix(quoted.as_bytes()) else {
            return false;
        };
        let rest = after_blanks(rest).strip_prefix(b":");
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Takes the name of a member, and the colon.
    pub(super) fn name(&mut self) -> Option<Cow<'a, str>> {
        let name = self.string()?;
        self.take(b':').then_some(name)
    }

    /// Takes a number, as its text.
    pub(super) fn number(&mut self) -> Option<&'a str> {
        let number = after_blanks(self.rest);
        self.rest = after_number(number.strip_prefix(b"-").unwrap_or(number))?;
        self.text_since(number)
    }

    /// Takes a word that Python and JavaScript print of a number: `NaN`, `Infinity` or `-Infinity`.
    pub(super) fn number_word(&mut self) -> Option<f64> {
        for (word, value) in NUMBER_WORDS {
            if self.word(word).is_some() {
                return Some(value);
            }
        }
        None
    }

    /// Takes a string, as its text with quotes and escapes.
    pub(super) fn quoted(&mut self) -> Option<&'a str> {
        let quoted = after_blanks(self.rest);
        self.rest = after_string(quoted.strip_prefix(b"\"")?)?;
        self.text_since(quoted)
    }

    /// Takes a value, as its text.
    pub(super) fn value(&mut self) -> Option<&'a str> {
        let value = after_blanks(self.rest);
        self.skip()?;
        self.text_since(value)
    }

    /// Takes a comma, or the end of an array or an object. Returns whether it was a comma.
    pub(super) fn has_next(&mut self, end: u8) -> Option<bool> {
        if self.take(b',') {
            return Some(true);
        }
        self.take(end).then_some(false)
    }

    /// The position in the text, in bytes.
    pub(super) fn taken(&self) -> usize {
        self.text.len() - self.rest.len()
    }

    /// Skips a value.
    pub(super) fn skip(&mut self) -> Option<()> {
        self.rest = after_value(self.rest)?;
        Some(())
    }

    /// Returns the text from an earlier position up to this one.
    fn text_since(&self, earlier: &[u8]) -> Option<&'a str> {
        let len = self.text.len();
        self.text.get(len.checked_sub(earlier.len())?..len.checked_sub(self.rest.len())?)
    }
}

/// Returns the text after a value.
fn after_value(mut text: &[u8]) -> Option<&[u8]> {
    // A bit for each level, which is set for an object.
    let (mut depth, mut objects) = (0, 0u128);
    loop {
        let (first, rest) = after_blanks(text).split_first()?;
        text = match (first, after_blanks(rest)) {
            (b'{', [b'}', rest @ ..]) | (b'[', [b']', rest @ ..]) => rest,
            (b'{' | b'[', _) if depth == MOST_LEVELS => return None,
            (b'{', member) => {
                (depth, objects) = (depth + 1, objects << 1 | 1);
                text = after_name(member)?;
                continue;
            }
            (b'[', item) => {
                (depth, objects) = (depth + 1, objects << 1);
                text = item;
                continue;
            }
            (b'"', _) => after_string(rest)?,
            (b'-', [b'I', ..]) => rest.strip_prefix(b"Infinity")?,
            (b'-', _) => after_number(rest)?,
            (b'0'..=b'9', _) => after_number(after_blanks(text))?,
            (b't', _) => rest.strip_prefix(b"rue")?,
            (b'f', _) => rest.strip_prefix(b"alse")?,
            (b'n', _) => rest.strip_prefix(b"ull")?,
            (b'N', _) => rest.strip_prefix(b"aN")?,
            (b'I', _) => rest.strip_prefix(b"nfinity")?,
            _ => return None,
        };
        // Ends of the levels that the value is in.
        loop {
            if depth == 0 {
                return Some(text);
            }
            let (first, rest) = after_blanks(text).split_first()?;
            text = match (first, objects & 1) {
                (b',', 0) => rest,
                (b',', _) => after_name(after_blanks(rest))?,
                (b']', 0) | (b'}', 1) => {
                    (depth, objects, text) = (depth - 1, objects >> 1, rest);
                    continue;
                }
                _ => return None,
            };
            break;
        }
    }
}

#[inline(always)]
fn after_blanks(mut text: &[u8]) -> &[u8] {
    while let [b' ' | b'\n' | b'\r' | b'\t', rest @ ..] = text {
        text = rest;
    }
    text
}

/// Returns the text after a name and its colon.
#[inline(always)]
fn after_name(text: &[u8]) -> Option<&[u8]> {
    after_blanks(after_string(text.strip_prefix(b"\"")?)?).strip_prefix(b":")
}

/// Returns the text after the closing quote of a string, whose opening one is before the text.
#[inline(always)]
fn after_string(text: &[u8]) -> Option<&[u8]> {
    after_string_with(text, || {})
}

/// Calls `escaped` if there are escapes.
#[inline(always)]
fn after_string_with(mut text: &[u8], mut escaped: impl FnMut()) -> Option<&[u8]> {
    loop {
        let plain = match text.split_first_chunk::<8>() {
            Some((chunk, rest)) => match first_special(u64::from_le_bytes(*chunk)) {
                Some(plain) => plain,
                None => {
                    text = rest;
                    continue;
                }
            },
            None => text.iter().position(|b| matches!(b, b'"' | b'\\' | 0..=0x1f))?,
        };
        text = match text.get(plain..)? {
            [b'"', rest @ ..] => return Some(rest),
            [b'\\', b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', rest @ ..] => rest,
            [b'\\', b'u', rest @ ..] => {
                let (digits, rest) = rest.split_first_chunk::<4>()?;
                digits.iter().all(u8::is_ascii_hexdigit).then_some(rest)?
            }
            _ => return None,
        };
        escaped();
    }
}

/// Returns how many of eight bytes are before the first quote, backslash or control character.
#[inline(always)]
fn first_special(bytes: u64) -> Option<usize> {
    // The high bit of a byte that is below `n`; those of later bytes may be wrong.
    let below = |bytes: u64, n: u64| bytes.wrapping_sub(ONES * n) & !bytes;
    let quotes = below(bytes ^ (ONES * u64::from(b'"')), 1);
    let backslashes = below(bytes ^ (ONES * u64::from(b'\\')), 1);
    let found = (below(bytes, 0x20) | quotes | backslashes) & HIGH_BITS;
    (found != 0).then(|| (found.trailing_zeros() / 8) as usize)
}

/// Returns the text after a number, whose sign is before the text.
#[inline(always)]
fn after_number(text: &[u8]) -> Option<&[u8]> {
    let mut text = match text {
        [b'0', b'0'..=b'9', ..] => return None,
        [b'0', rest @ ..] => rest,
        _ => after_digits(text)?,
    };
    if let [b'.', rest @ ..] = text {
        text = after_digits(rest)?;
    }
    if let [b'e' | b'E', rest @ ..] = text {
        let digits = match rest {
            [b'+' | b'-', digits @ ..] => digits,
            digits => digits,
        };
        text = after_digits(digits)?;
    }
    Some(text)
}

/// Returns the text after one digit or more.
#[inline(always)]
fn after_digits(text: &[u8]) -> Option<&[u8]> {
    let len = text.iter().position(|b| !b.is_ascii_digit()).unwrap_or(text.len());
    if len == 0 { None } else { text.get(len..) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::Deserialize;
    use serde::de::IgnoredAny;

    use super::*;

    fn is_value(text: &str) -> bool {
        let mut scanner = Scanner::new(text);
        scanner.skip().is_some() && scanner.peek().is_none()
    }

    fn is_value_of_serde(text: &str) -> bool {
        let mut json = serde_json::Deserializer::from_str(text);
        IgnoredAny::deserialize(&mut json).is_ok() && json.end().is_ok()
    }

    #[test]
    fn values_are_those_of_serde() {
        for text in [
            "",
            " ",
            "{}",
            "[ ]",
            "{ }x",
            "[1,]",
            "[,1]",
            "{\"a\":1,}",
            "{\"a\" : [ { } , 1 ] }",
            "{a:1}",
            "{\"a\"}",
            "[}",
            "{]",
            "0",
            "-0",
            "01",
            "-",
            "-1.5e+7",
            "1.",
            ".5",
            "1e",
            "1e5.",
            "1E-05",
            "truefalse",
            "true",
            "nul",
            "null ",
            "\"\\u12aF\"",
            "\"\\u12x4\"",
            "\"\\x\"",
            "\"\\\"",
            "\"a\tb\"",
            "\"12345678\"",
            "\"1234567\\\"\"",
            "\"é😀\u{7f}\"",
            "\"12345678",
            "+1",
            "1 2",
            "[1 2]",
            "{\"a\":1 \"b\":2}",
            "{\"a\"::1}",
            "{1:2}",
            "\u{feff}1",
            "Na",
            "-Inf",
            "[[[]]]]",
        ] {
            assert_eq!(is_value(text), is_value_of_serde(text), "{text:?}");
        }
        let nested = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        assert!(is_value(&nested(128)) && !is_value(&nested(129)));
        // What Python writes of numbers.
        for word in ["NaN", "Infinity", "-Infinity", "[NaN,{\"a\":-Infinity}]"] {
            assert!(is_value(word) && !is_value_of_serde(word), "{word}");
        }
    }

    #[test]
    fn tokens_are_returned() {
        let mut scanner = Scanner::new(" { \"a\\u0041\" : -1.50e3 ,\"é\":\"x\\ny\",\"\":true}");
        assert!(scanner.take(b'{'));
        assert_eq!(scanner.name().as_deref(), Some("aA"));
        assert_eq!(scanner.number(), Some("-1.50e3"));
        let mut named = scanner.clone();
        assert!(named.take(b',') && !named.take_name("\"e\"") && named.take_name("\"é\""));
        assert_eq!(named.string().as_deref(), Some("x\ny"));
        assert!(scanner.take(b',') && !scanner.take(b','));
        assert_eq!(scanner.name(), Some(Cow::Borrowed("é")));
        assert_eq!(scanner.string().as_deref(), Some("x\ny"));
        assert!(scanner.take(b',') && scanner.name().is_some());
        assert_eq!(scanner.clone().word("null"), None);
        assert_eq!(scanner.word("true"), Some(()));
        assert!(scanner.take(b'}') && scanner.peek().is_none());
        // Half a pair of surrogates.
        assert_eq!(Scanner::new("\"\\ud800\"").string(), None);
    }

    proptest! {
        #[test]
        fn damaged_values_are_those_of_serde(
            mut bytes in "[\\[\\]{}\",:0-9.eE+ \\\\untrfalsi\\-é\t]{0,40}",
            insert in any::<bool>(),
            at in 0usize..40,
        ) {
            if insert {
                let valid = "{\"a\":[1,-2.5e3,\"x\\u00e9\\n\"],\"b\":{\"c\":null,\"d\":true}}";
                let at = (0..=at.min(valid.len())).rev().find(|at| valid.is_char_boundary(*at));
                bytes = format!("{}{bytes}{}", &valid[..at.unwrap_or(0)], &valid[at.unwrap_or(0)..]);
            }
            prop_assert_eq!(is_value(&bytes), is_value_of_serde(&bytes), "{:?}", bytes);
        }
    }
}
