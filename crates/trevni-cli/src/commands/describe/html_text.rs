//! Escapes and shortens text for HTML, and groups digits.

use std::fmt::{self, Display, Write};

use crate::output::row_table::escaped;

/// Characters of names and types.
pub(super) const NAME: usize = 200;

/// Text of a page, escaped, since the file is not trusted.
pub(super) struct Html<'a>(pub(super) &'a str);

impl Display for Html<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                other => f.write_char(other)?,
            }
        }
        Ok(())
    }
}

/// Returns a text of the file, truncated to `most` characters, without control characters.
pub(super) fn text(text: &str, most: usize) -> String {
    Html(&escaped(text, most)).to_string()
}

/// Returns a number with a space between groups of three digits.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_harmless() {
        let found = text("<script>alert('1')</script> & \"x\"\u{202e}\n", 100);
        let expected =
            "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt; &amp; &quot;x&quot;\\u{202e}\\n";
        assert_eq!(found, expected);
    }

    #[test]
    fn digits_are_grouped() {
        for (number, text) in
            [(0, "0"), (999, "999"), (1000, "1\u{202f}000"), (1_234_567, "1\u{202f}234\u{202f}567")]
        {
            assert_eq!(grouped(number), text);
        }
    }
}
