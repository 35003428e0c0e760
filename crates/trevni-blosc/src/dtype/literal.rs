//! Parses the Python literals that dtypes are written in.
//!
//! ```text
//! 'text'  "text"  u'text'   12  4L   (a, b)  (a,)   [a, b]   {k: v, k: v}   True  False  None
//! ```
//! JSON of the same shape is taken for the same: lists for tuples, too.

use serde_json::Value;

use trevni::{Error, Result};

/// The maximum nesting depth of tuples, lists and dicts.
const MAX_DEPTH: u32 = 32;

/// A value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Literal {
    /// A string, of either kind.
    Text(String),
    /// An integer.
    Number(i64),
    /// `True`, `False`.
    Truth(bool),
    /// `None`.
    None,
    /// A tuple or a list; which of the two, where NumPy cares.
    Row {
        /// The values in it.
        items: Vec<Literal>,
        /// Whether it is a tuple.
        is_tuple: bool,
    },
    /// A dict.
    Dict(Vec<(Literal, Literal)>),
}

impl Literal {
    /// Returns whether a text begins as a literal does, and not as the bare text of a type.
    pub(super) fn is_at(text: &str) -> bool {
        text.starts_with(['\'', '"', '[', '(', '{']) || string_prefix(text).is_some()
    }

    /// Returns the literal of a text.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let mut reader = Reader { rest: text };
        let literal = reader.literal(MAX_DEPTH)?;
        reader.skip_blanks();
        if reader.rest.is_empty() { Ok(literal) } else { Err(reader.unexpected("the end")) }
    }

    /// Returns the literal of a JSON value.
    pub(super) fn from_json(value: &Value) -> Result<Self> {
        Self::from_json_within(value, MAX_DEPTH)
    }

    fn from_json_within(value: &Value, depth: u32) -> Result<Self> {
        let depth = deeper(depth)?;
        let within = |value: &Value| Self::from_json_within(value, depth);
        Ok(match value {
            Value::Null => Literal::None,
            Value::Bool(truth) => Literal::Truth(*truth),
            Value::Number(number) => Literal::Number(
                number
                    .as_i64()
                    .ok_or_else(|| Error::malformed(format!("number {number} in a dtype")))?,
            ),
            Value::String(text) => Literal::Text(text.clone()),
            Value::Array(values) => Literal::Row {
                items: values.iter().map(within).collect::<Result<_>>()?,
                is_tuple: false,
            },
            Value::Object(pairs) => {
                let pair = |(key, value): (&String, &Value)| {
                    Ok((Literal::Text(key.clone()), within(value)?))
                };
                Literal::Dict(pairs.iter().map(pair).collect::<Result<_>>()?)
            }
        })
    }
}

/// Appends a string as `repr` has it.
pub(super) fn put_text(text: &str, out: &mut String) {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    out.push(quote);
    for character in text.chars() {
        match character {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            _ if character == quote => out.extend(['\\', quote]),
            _ if character.is_control() => {
                out.push_str(&format!("\\x{:02x}", u32::from(character)))
            }
            _ => out.push(character),
        }
    }
    out.push(quote);
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn literal(&mut self, depth: u32) -> Result<Literal> {
        let depth = deeper(depth)?;
        self.skip_blanks();
        if let Some(rest) = string_prefix(self.rest) {
            self.rest = rest;
        }
        for (word, value) in [
            ("True", Literal::Truth(true)),
            ("False", Literal::Truth(false)),
            ("None", Literal::None),
        ] {
            if self.take(word) {
                return Ok(value);
            }
        }
        match self.next() {
            Some(quote @ ('\'' | '"')) => self.text(quote).map(Literal::Text),
            Some('(') => self.row(')', depth),
            Some('[') => self.row(']', depth),
            Some('{') => self.dict(depth),
            Some(first @ ('0'..='9' | '-' | '+')) => self.number(first),
            _ => Err(self.unexpected("a value")),
        }
    }

    fn row(&mut self, end: char, depth: u32) -> Result<Literal> {
        let (mut items, mut is_tuple) = (Vec::new(), end == ')');
        loop {
            self.skip_blanks();
            if self.take_char(end) {
                break;
            }
            items.push(self.literal(depth)?);
            self.skip_blanks();
            if !self.take_char(',') {
                // A value in parentheses is the value.
                is_tuple = is_tuple && items.len() > 1;
                if !self.take_char(end) {
                    return Err(self.unexpected("a comma or the end of a list"));
                }
                if end == ')' && !is_tuple {
                    return items.pop().ok_or_else(|| self.unexpected("a value"));
                }
                break;
            }
        }
        Ok(Literal::Row { items, is_tuple })
    }

    fn dict(&mut self, depth: u32) -> Result<Literal> {
        let mut pairs = Vec::new();
        loop {
            self.skip_blanks();
            if self.take_char('}') {
                return Ok(Literal::Dict(pairs));
            }
            let key = self.literal(depth)?;
            self.skip_blanks();
            if !self.take_char(':') {
                return Err(self.unexpected("a colon"));
            }
            pairs.push((key, self.literal(depth)?));
            self.skip_blanks();
            if !self.take_char(',') && !self.rest.starts_with('}') {
                return Err(self.unexpected("a comma or the end of a dict"));
            }
        }
    }

    fn number(&mut self, first: char) -> Result<Literal> {
        let digits: String = self.rest.chars().take_while(char::is_ascii_digit).collect();
        self.take(&digits);
        // Python 2 marks long ones.
        self.take_char('L');
        let number = format!("{first}{digits}");
        number
            .parse()
            .map(Literal::Number)
            .map_err(|_| Error::malformed(format!("number {:.30} in a dtype", number)))
    }

    fn text(&mut self, quote: char) -> Result<String> {
        let mut text = String::new();
        loop {
            match self.next() {
                Some('\\') => self.escape(&mut text)?,
                Some(character) if character == quote => return Ok(text),
                Some(character) => text.push(character),
                None => return Err(self.unexpected("the end of a string")),
            }
        }
    }

    fn escape(&mut self, text: &mut String) -> Result<()> {
        let character = match self.next() {
            Some(c @ ('\\' | '\'' | '"' | '/')) => c,
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('0') => '\0',
            Some('x') => self.code(2)?,
            Some('u') => self.code(4)?,
            Some('U') => self.code(8)?,
            _ => return Err(self.unexpected("an escape that is known")),
        };
        text.push(character);
        Ok(())
    }

    fn code(&mut self, digits: usize) -> Result<char> {
        let code: String = self.rest.chars().take(digits).collect();
        let character = u32::from_str_radix(&code, 16).ok().and_then(char::from_u32);
        if code.len() == digits && !code.starts_with('+') && self.take(&code) {
            character.ok_or_else(|| self.unexpected("the number of a character"))
        } else {
            Err(self.unexpected("the number of a character"))
        }
    }

    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn next(&mut self) -> Option<char> {
        let mut characters = self.rest.chars();
        let first = characters.next();
        self.rest = characters.as_str();
        first
    }

    fn take(&mut self, word: &str) -> bool {
        self.rest.strip_prefix(word).map(|rest| self.rest = rest).is_some()
    }

    fn take_char(&mut self, character: char) -> bool {
        self.rest.strip_prefix(character).map(|rest| self.rest = rest).is_some()
    }

    fn unexpected(&self, wanted: &str) -> Error {
        let found: String = self.rest.chars().take(20).collect();
        Error::malformed(format!("a dtype has not {wanted} before {found:?}"))
    }
}

/// Returns the text after the prefix letter of a string of the other kind.
fn string_prefix(text: &str) -> Option<&str> {
    text.strip_prefix(['u', 'b']).filter(|rest| rest.starts_with(['\'', '"']))
}

fn deeper(depth: u32) -> Result<u32> {
    depth.checked_sub(1).ok_or_else(|| Error::malformed("a dtype of too many lists in lists"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(items: &[Literal], is_tuple: bool) -> Literal {
        Literal::Row { items: items.to_vec(), is_tuple }
    }

    #[test]
    fn reads_what_python_writes() {
        use Literal::*;
        let text = |text: &str| Text(text.to_owned());
        for (python, expected) in [
            ("'a'", text("a")),
            (r#"u"a'\"\n\x41\u00b5\U0001f600""#, text("a'\"\nAµ😀")),
            ("b'x'", text("x")),
            ("-12", Number(-12)),
            ("4L", Number(4)),
            ("()", row(&[], true)),
            ("( 1 , )", row(&[Number(1)], true)),
            ("(1)", Number(1)),
            ("(1, 2)", row(&[Number(1), Number(2)], true)),
            ("[1, 2,]", row(&[Number(1), Number(2)], false)),
            ("{'a': True, 'b': None,}", Dict(vec![(text("a"), Truth(true)), (text("b"), None)])),
        ] {
            assert_eq!(Literal::parse(python).unwrap(), expected, "{python}");
        }
        let json = serde_json::json!(["a", [1, null], {"b": false}]);
        let expected = row(
            &[text("a"), row(&[Number(1), None], false), Dict(vec![(text("b"), Truth(false))])],
            false,
        );
        assert_eq!(Literal::from_json(&json).unwrap(), expected);
    }

    #[test]
    fn refuses_what_is_none() {
        for bad in [
            "",
            "'a",
            "[1",
            "(1",
            "(,)",
            "[1 2]",
            "{1}",
            "{1:2",
            "{1:}",
            "'\\q'",
            "'\\ud800'",
            "'\\x4",
            "1 2",
            "99999999999999999999",
            "1.5",
            "Nope",
            "-",
            "lambda",
            "[,]",
            "'\\x+4'",
        ] {
            assert!(Literal::parse(bad).is_err(), "{bad}");
        }
        for open in ["[", "(", "{1:", "[("] {
            assert!(
                Literal::parse(&open.repeat(100_000)).unwrap_err().to_string().contains("lists")
            );
        }
    }

    #[test]
    fn strings_are_written_as_repr_does() {
        for (text, expected) in [
            ("a", "'a'"),
            ("it's", "\"it's\""),
            ("'\"", "'\\'\"'"),
            ("\\\n\u{1}µ", "'\\\\\\n\\x01µ'"),
        ] {
            let mut out = String::new();
            put_text(text, &mut out);
            assert_eq!(out, expected);
            assert_eq!(Literal::parse(&out).unwrap(), Literal::Text(text.to_owned()));
        }
    }
}
