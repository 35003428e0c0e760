//! JSON values as text.
//!
//! ```text
//! { "a": [1, "b c"] }     {"a":[1,"b c"]}          without the blanks between parts
//!                         "{\"a\":[1,\"b c\"]}"    as a string
//! ```

use std::borrow::Cow;

/// Returns a value without the blanks between its parts.
pub(super) fn minified(value: &str) -> Cow<'_, str> {
    let is_blank = |b: u8| matches!(b, b' ' | b'\n' | b'\r' | b'\t');
    if !value.bytes().any(is_blank) {
        return Cow::Borrowed(value);
    }
    let (mut kept, mut in_string, mut is_escaped) = (Vec::with_capacity(value.len()), false, false);
    for b in value.bytes() {
        if in_string {
            in_string = b != b'"' || is_escaped;
            is_escaped = b == b'\\' && !is_escaped;
        } else if is_blank(b) {
            continue;
        } else {
            in_string = b == b'"';
        }
        kept.push(b);
    }
    // Only ASCII was left out.
    String::from_utf8(kept).map_or(Cow::Borrowed(value), Cow::Owned)
}

/// A JSON string, with its quotes and escapes.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_in_strings_are_kept() {
        for (value, expected) in [
            ("1", "1"),
            ("{ \"a b\" : [ 1 ,\n2 ] }", "{\"a b\":[1,2]}"),
            ("[\"\\\" \\\\\" , \" \"]", "[\"\\\" \\\\\",\" \"]"),
            ("\" é \"", "\" é \""),
        ] {
            assert_eq!(minified(value), expected);
        }
        assert_eq!(quoted("a\"\n"), "\"a\\\"\\n\"");
    }
}
