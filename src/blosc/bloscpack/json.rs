//! JSON as Python's `json.dumps` writes it, without blanks: all of it ASCII, numbers as `repr` has them.
//!
//! ```text
//! {"name":"\u00b5","share":0.5,"large":1e+16,"small":1e-05,"whole":2.0}
//! ```
//! Bloscpack files are the same to the byte only if their metadata is.

use serde_json::{Number, Value};

/// Appends the text of a value.
pub(crate) fn put(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => put_number(number, out),
        Value::String(text) => put_string(text, out),
        Value::Array(values) => {
            out.push('[');
            for (i, value) in values.iter().enumerate() {
                put_comma(i, out);
                put(value, out);
            }
            out.push(']');
        }
        Value::Object(pairs) => {
            out.push('{');
            for (i, (key, value)) in pairs.iter().enumerate() {
                put_comma(i, out);
                put_string(key, out);
                out.push(':');
                put(value, out);
            }
            out.push('}');
        }
    }
}

fn put_comma(before: usize, out: &mut String) {
    if before > 0 {
        out.push(',');
    }
}

fn put_number(number: &Number, out: &mut String) {
    match number.as_f64().filter(|_| number.is_f64()) {
        Some(float) => out.push_str(&repr(float)),
        None => out.push_str(&number.to_string()),
    }
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

/// The fewest digits that come back as this number, with an exponent outside of 1e-4 to 1e16.
fn repr(value: f64) -> String {
    let scientific = format!("{value:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    match exponent.parse::<i32>() {
        Ok(e) if !(-4..16).contains(&e) => {
            let sign = if e < 0 { '-' } else { '+' };
            format!("{digits}e{sign}{:02}", e.unsigned_abs())
        }
        _ => format!("{value:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn is_what_python_writes() {
        let value = json!({
            "µ": "😀\"\\/\n\r\t\u{8}\u{c}\u{1}\u{7f}",
            "l": [null, true, false, -1, 18446744073709551615u64, 1.0, {}, []],
        });
        let mut text = String::new();
        put(&value, &mut text);
        assert_eq!(
            text,
            concat!(
                r#"{"\u00b5":"\ud83d\ude00\"\\/\n\r\t\b\f\u0001\u007f","#,
                r#""l":[null,true,false,-1,18446744073709551615,1.0,{},[]]}"#
            )
        );
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
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
            assert_eq!(repr(value), expected);
        }
    }
}
