//! Numbers of JSON text as Java prints them: in the schemas that Avro's Java library prints, and its JSON parser.
//!
//! ```text
//! -0      ──►  0                 an integer, of any number of digits
//! 1e300   ──►  1.0E300           anything with a fraction or an exponent is a double
//! 0.00012 ──►  1.2E-4            without an exponent from 1.0E-3 to 9999999.999999998
//! ```
//! [`marked`] makes strings of the numbers of a text, since a [`Value`] does not keep their digits. [`text`] prints them.

use serde_json::Value;

/// Precedes a number that is a string, and a string that begins with the first character of this.
const NUMBER: &str = "\\u0000n";
const STRING: &str = "\\u0000s";

/// Returns a JSON text in which numbers are strings. What is not JSON remains so.
pub(super) fn marked(text: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len() + 64), text);
    while let Some(at) = rest.find(['"', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']) {
        let (before, token) = rest.split_at(at);
        out.push_str(before);
        rest = match token.starts_with('"') {
            true => {
                let (string, rest) = token.split_at(string_len(token));
                if string.starts_with("\"\\u0000") {
                    out.push('"');
                    out.push_str(STRING);
                    out.push_str(string.get(1..).unwrap_or_default());
                } else {
                    out.push_str(string);
                }
                rest
            }
            false => {
                let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
                let len = token.find(|c| !is_part(c)).unwrap_or(token.len());
                let (number, rest) = token.split_at(len);
                // A word that is no number is left for the parser to refuse.
                let is_number = serde_json::from_str::<serde_json::Number>(number).is_ok();
                match is_number || number.parse::<f64>().is_ok_and(f64::is_infinite) {
                    true => out.extend(["\"", NUMBER, number, "\""]),
                    false => out.push_str(number),
                }
                rest
            }
        };
    }
    out.push_str(rest);
    out
}

/// Returns the bytes of the string that a text begins with, its quotation marks included.
fn string_len(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Returns the text of a value of a [`marked`] text, as Java prints it.
pub(super) fn text(value: &Value) -> String {
    let mut out = String::new();
    put(value, &mut out);
    out
}

fn put(value: &Value, out: &mut String) {
    match value {
        Value::Array(items) => {
            out.push('[');
            for (number, item) in items.iter().enumerate() {
                out.push_str(if number > 0 { "," } else { "" });
                put(item, out);
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            for (number, (key, member)) in members.iter().enumerate() {
                out.push_str(if number > 0 { "," } else { "" });
                put_string(key, out);
                out.push(':');
                put(member, out);
            }
            out.push('}');
        }
        Value::String(string) => match string.strip_prefix("\0n") {
            Some(number) => put_number(number, out),
            None => put_string(string, out),
        },
        other => out.push_str(&other.to_string()),
    }
}

fn put_string(string: &str, out: &mut String) {
    let string = string.strip_prefix("\0s").unwrap_or(string);
    out.push_str(&Value::from(string).to_string());
}

fn put_number(number: &str, out: &mut String) {
    match number.contains(['.', 'e', 'E']) {
        false if number == "-0" => out.push('0'),
        false => out.push_str(number),
        // A number that was parsed is one.
        true => out.push_str(&double(number.parse().unwrap_or(f64::NAN))),
    }
}

/// Returns what `Double.toString` returns; of infinity what a JSON generator makes of that.
fn double(value: f64) -> String {
    if !value.is_finite() {
        let name = if value > 0.0 { "Infinity" } else { "-Infinity" };
        return format!("\"{name}\"");
    }
    if value == 0.0 || (1e-3..1e7).contains(&value.abs()) {
        return format!("{value:?}");
    }
    // As few digits as distinguish the number, but two.
    let shortest = format!("{value:e}");
    let scientific = if shortest.contains('.') { shortest } else { format!("{value:.1e}") };
    scientific.replace('e', "E")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_printed_as_in_java() {
        for (number, java) in [
            ("0", "0"),
            ("-0", "0"),
            ("-0.0", "-0.0"),
            ("12", "12"),
            ("123456789012345678901234567890", "123456789012345678901234567890"),
            ("1e300", "1.0E300"),
            ("-1e300", "-1.0E300"),
            ("1.0", "1.0"),
            ("1e0", "1.0"),
            ("0.001", "0.001"),
            ("0.00012", "1.2E-4"),
            ("9999999.5", "9999999.5"),
            ("1e7", "1.0E7"),
            ("12345678.5", "1.23456785E7"),
            ("4.9e-324", "4.9E-324"),
            ("1.7976931348623157e308", "1.7976931348623157E308"),
            ("1e999", "\"Infinity\""),
        ] {
            let json =
                format!("{{\"1\":[{number}, \"-0\",\"\\\"-0\"],\"\\u0000n1\":\"\\u0000n2\"}}");
            let expected =
                format!("{{\"1\":[{java},\"-0\",\"\\\"-0\"],\"\\u0000n1\":\"\\u0000n2\"}}");
            assert_eq!(text(&serde_json::from_str(&marked(&json)).unwrap()), expected, "{number}");
        }
        for wrong in ["01", "1.", "-", "1e", "[1 2]", "\"1", "--1", "truE1"] {
            assert!(serde_json::from_str::<Value>(&marked(wrong)).is_err(), "{wrong}");
        }
    }
}
