//! JSON as Python's `json` module writes it, with NaN and infinities.
//!
//! ```text
//! {"a": 1, "b": [0.5, 1e-05, "\u00e9"], "c": NaN}      directories
//!      ╰─ a blank after ':' and ','   ╰─ no letters but ASCII
//! {"a":1,"b":[0.5,1e-05,"\u00e9"]}                     Bloscpack: without blanks
//! ```
//! Files are the same to the byte as Python's only if their JSON is. Python also knows the numbers `NaN`,
//! `Infinity` and `-Infinity`. They are read as texts of these names.

use serde_json::Value;

use trevni::{Error, Result};

const NOT_FINITE: [&str; 3] = ["NaN", "Infinity", "-Infinity"];

/// The separators between values, and between names and values.
#[derive(Debug, Clone, Copy)]
pub(super) struct Separators {
    item: &'static str,
    key: &'static str,
}

/// Those of `json.dumps` by default.
pub(super) const BLANKS: Separators = Separators { item: ", ", key: ": " };

/// As short as can be.
pub(super) const TIGHT: Separators = Separators { item: ",", key: ":" };

/// Reads a value. `what` names the file in errors.
pub(super) fn parse(what: &str, text: &str) -> Result<Value> {
    let quoted = quote_not_finite(text);
    serde_json::from_str(&quoted).map_err(|e| Error::malformed(format!("{what}: {e}")))
}

/// Puts quotes around numbers that only Python knows.
fn quote_not_finite(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut in_string = false;
    while let Some(next) = rest.chars().next() {
        let name = NOT_FINITE.iter().find(|name| !in_string && rest.starts_with(**name));
        let taken = match (name, in_string, next) {
            (Some(name), ..) => name.len(),
            (None, true, '\\') => 1 + rest.chars().nth(1).map_or(0, char::len_utf8),
            _ => next.len_utf8(),
        };
        in_string ^= next == '"';
        let (head, tail) = rest.split_at_checked(taken).unwrap_or((rest, ""));
        match name {
            Some(_) => out.extend(["\"", head, "\""]),
            None => out.push_str(head),
        }
        rest = tail;
    }
    out
}

/// Returns the text of a value.
pub(super) fn text(value: &Value, between: Separators) -> String {
    let mut out = String::new();
    put(value, between, &mut out);
    out
}

fn put(value: &Value, between: Separators, out: &mut String) {
    match value {
        Value::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
            Some(float) => out.push_str(&float_text(float)),
            None => out.push_str(&number.to_string()),
        },
        Value::String(text) => put_string(text, out),
        Value::Array(values) => {
            let put_item = |item: &Value, out: &mut String| put(item, between, out);
            put_list(['[', ']'], values, between, out, put_item);
        }
        Value::Object(pairs) => {
            let put_pair = |(key, value): (&String, &Value), out: &mut String| {
                put_string(key, out);
                out.push_str(between.key);
                put(value, between, out);
            };
            put_list(['{', '}'], pairs, between, out, put_pair);
        }
        Value::Null | Value::Bool(_) => out.push_str(&value.to_string()),
    }
}

fn put_list<T>(
    [open, close]: [char; 2],
    items: impl IntoIterator<Item = T>,
    between: Separators,
    out: &mut String,
    put_item: impl Fn(T, &mut String),
) {
    out.push(open);
    for (i, item) in items.into_iter().enumerate() {
        if i > 0 {
            out.push_str(between.item);
        }
        put_item(item, out);
    }
    out.push(close);
}

fn put_string(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            ' '..='~' => out.push(character),
            _ => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
    }
    out.push('"');
}

/// Returns the fewest digits that come back as this number, with an exponent outside of 1e-4 to 1e16.
pub(super) fn float_text(value: f64) -> String {
    if value.is_nan() {
        return "NaN".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Infinity".into() } else { "-Infinity".into() };
    }
    let scientific = format!("{value:e}");
    match scientific.split_once('e').map(|(digits, power)| (digits, power.parse::<i32>())) {
        Some((digits, Ok(power))) if !(-4..16).contains(&power) => {
            let sign = if power < 0 { '-' } else { '+' };
            format!("{digits}e{sign}{:02}", power.unsigned_abs())
        }
        _ => format!("{value:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn writes_what_python_writes() {
        let value = json!({
            "µ": "😀\"\\/\n\r\t\u{8}\u{c}\u{1}\u{7f}",
            "l": [null, true, false, -1, 18446744073709551615u64, 1.0, {}, []],
        });
        let tight = concat!(
            r#"{"\u00b5":"\ud83d\ude00\"\\/\n\r\t\b\f\u0001\u007f","#,
            r#""l":[null,true,false,-1,18446744073709551615,1.0,{},[]]}"#
        );
        let blanks = concat!(
            r#"{"\u00b5": "\ud83d\ude00\"\\/\n\r\t\b\f\u0001\u007f", "#,
            r#""l": [null, true, false, -1, 18446744073709551615, 1.0, {}, []]}"#
        );
        for (between, expected) in [(TIGHT, tight), (BLANKS, blanks)] {
            assert_eq!(text(&value, between), expected);
            assert_eq!(parse("x", expected).unwrap(), value);
        }
    }

    #[test]
    fn floats_are_what_python_writes() {
        for (value, expected) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (2.5, "2.5"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (1.5e300, "1.5e+300"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (1.25e-7, "1.25e-07"),
            (123456789012345680.0, "1.2345678901234568e+17"),
            (5e-324, "5e-324"),
        ] {
            assert_eq!(float_text(value), expected);
        }
    }

    #[test]
    fn reads_numbers_that_only_python_knows() {
        let value = parse("x", r#"{"a": [NaN, -Infinity, Infinity], "b": "NaN \" NaN"}"#).unwrap();
        assert_eq!(value, json!({"a": ["NaN", "-Infinity", "Infinity"], "b": "NaN \" NaN"}));
        let e = parse("meta/x", "{nan}").unwrap_err();
        assert!(e.to_string().starts_with("malformed: meta/x: "), "{e}");
        assert!(parse("x", &"[".repeat(100_000)).is_err());
        assert_eq!(float_text(f64::NAN) + &float_text(f64::NEG_INFINITY), "NaN-Infinity");
    }
}
