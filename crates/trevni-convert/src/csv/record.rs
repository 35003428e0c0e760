//! Splits text into records and fields.
//!
//! ```text
//! a,"b ""x"",
//! c",d\r\n       fields  a | b "x",\nc | d
//! ```
//! A quote opens only at the start of a field; elsewhere it is literal. Within quotes, a quote is doubled, or follows an
//! escape character; that itself is doubled before a quote, and literal before anything else. Text between a closing
//! quote and the delimiter is a fault. A record ends at `\n`, `\r` or `\r\n` outside of quotes; empty lines and comments
//! are skipped.

use memchr::{memchr, memchr2, memchr3};

/// What separates and encloses fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dialect {
    pub(super) delimiter: u8,
    /// The quote around fields with delimiters or ends of lines; doubled, it is literal.
    pub(super) quote: Option<u8>,
    /// What makes a quote within quotes literal, besides doubling it.
    pub(super) escape: Option<u8>,
    /// What begins a line that is no record.
    pub(super) comment: Option<u8>,
}

/// What is wrong with the quotes of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// A quote opens, and does not close.
    OpenQuote,
    /// Text follows a closing quote.
    TextAfterQuote,
}

/// A record within a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) start: usize,
    /// Where its line ends, without what ends it.
    pub(super) stop: usize,
    /// The position after the end of line.
    pub(super) end: usize,
    pub(super) fields: usize,
    /// The first fault of its quotes.
    pub(super) fault: Option<Fault>,
}

/// A field within a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Whether it is the raw text, quotes and all, from which [`unescape`] makes the value.
    pub(super) is_raw: bool,
}

/// Returns the next record from a position, if there is one.
pub(super) fn next(text: &[u8], at: usize, dialect: Dialect) -> Option<Record> {
    walk(text, at, dialect, |_, _| {})
}

/// Returns the next record from a position, if there is one. Calls `field` for each of its fields with its index.
pub(super) fn walk(
    text: &[u8],
    at: usize,
    dialect: Dialect,
    mut field: impl FnMut(usize, Field),
) -> Option<Record> {
    let start = first(text, at, dialect)?;
    let (mut at, mut fields, mut fault) = (start, 0, None);
    loop {
        let (found, stop) = match dialect.quote {
            Some(quote) if text.get(at) == Some(&quote) => {
                let (found, stop, of_field) = quoted(text, at, quote, dialect);
                fault = fault.or(of_field);
                (found, stop)
            }
            _ => {
                let stop = plain_end(text, at, dialect.delimiter);
                (Field { start: at, end: stop, is_raw: false }, stop)
            }
        };
        field(fields, found);
        fields += 1;
        match text.get(stop) {
            Some(b) if *b == dialect.delimiter => at = stop + 1,
            Some(b'\r') if text.get(stop + 1) == Some(&b'\n') => {
                return Some(Record { start, stop, end: stop + 2, fields, fault });
            }
            Some(_) => return Some(Record { start, stop, end: stop + 1, fields, fault }),
            None => return Some(Record { start, stop, end: stop, fields, fault }),
        }
    }
}

/// Returns where the next record begins: behind empty lines and comments.
fn first(text: &[u8], mut at: usize, dialect: Dialect) -> Option<usize> {
    loop {
        at += text.get(at..)?.iter().position(|b| !is_end(*b))?;
        if dialect.comment.is_none() || text.get(at).copied() != dialect.comment {
            return Some(at);
        }
        at = end_of_line(text, at);
    }
}

/// Returns where the line ends that a position is in.
pub(super) fn end_of_line(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    memchr2(b'\n', b'\r', rest).map_or(text.len(), |n| at + n)
}

/// The value of a raw field.
pub(super) fn unescape(raw: &[u8], quote: u8, escape: Option<u8>, into: &mut Vec<u8>) {
    let mut rest = raw.get(1..).unwrap_or_default();
    while let Some((value, behind)) =
        next_mark(rest, quote, escape).and_then(|at| rest.split_at_checked(at))
    {
        into.extend_from_slice(value);
        rest = match behind {
            [first, second, behind @ ..] if *first != quote => {
                if *second != quote && *second != *first {
                    into.push(*first);
                }
                into.push(*second);
                behind
            }
            [_, second, behind @ ..] if *second == quote => {
                into.push(quote);
                behind
            }
            [first, behind @ ..] => {
                if *first != quote {
                    into.push(*first);
                }
                into.extend_from_slice(behind);
                return;
            }
            [] => break,
        };
    }
    into.extend_from_slice(rest);
}

/// Returns the position of the next quote or escape character.
fn next_mark(text: &[u8], quote: u8, escape: Option<u8>) -> Option<usize> {
    match escape {
        None => memchr(quote, text),
        Some(escape) => memchr2(quote, escape, text),
    }
}

/// Returns the position of the quote that closes a field whose text begins at a position, and whether the text has
/// others, or escape characters. `None` if it does not close.
pub(super) fn closing(
    text: &[u8],
    mut at: usize,
    quote: u8,
    escape: Option<u8>,
) -> Option<(usize, bool)> {
    let mut is_raw = false;
    loop {
        let mark = at + next_mark(text.get(at..)?, quote, escape)?;
        let next = text.get(mark + 1);
        match text.get(mark) {
            Some(b) if *b == quote && next != Some(&quote) => return Some((mark, is_raw)),
            // A doubled quote, or an escaped byte.
            Some(b) if *b == quote || next == Some(&quote) || next == Some(b) => {
                is_raw = true;
                at = mark + 2;
            }
            _ => at = mark + 1,
        }
    }
}

/// Returns whether a byte ends a line.
pub(super) fn is_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Returns where a field ends that is not in quotes.
fn plain_end(text: &[u8], at: usize, delimiter: u8) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    memchr3(delimiter, b'\n', b'\r', rest).map_or(text.len(), |n| at + n)
}

/// Returns the field that begins with a quote, where it ends, and its fault.
fn quoted(text: &[u8], start: usize, quote: u8, dialect: Dialect) -> (Field, usize, Option<Fault>) {
    let Some((close, is_raw)) = closing(text, start + 1, quote, dialect.escape) else {
        let field = Field { start, end: text.len(), is_raw: true };
        return (field, text.len(), Some(Fault::OpenQuote));
    };
    match text.get(close + 1) {
        Some(b) if *b != dialect.delimiter && !is_end(*b) => {
            let stop = plain_end(text, close + 1, dialect.delimiter);
            (Field { start, end: stop, is_raw: true }, stop, Some(Fault::TextAfterQuote))
        }
        _ if is_raw => (Field { start, end: close + 1, is_raw }, close + 1, None),
        _ => (Field { start: start + 1, end: close, is_raw }, close + 1, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(text: &str, quote: Option<u8>, escape: Option<u8>) -> Vec<Vec<String>> {
        let (mut at, mut all) = (0, Vec::new());
        let dialect = Dialect { delimiter: b',', quote, escape, comment: None };
        loop {
            let mut values = Vec::new();
            let record = walk(text.as_bytes(), at, dialect, |_, field| {
                let raw = &text.as_bytes()[field.start..field.end];
                let mut value = Vec::new();
                if field.is_raw {
                    unescape(raw, quote.unwrap(), escape, &mut value);
                } else {
                    value.extend_from_slice(raw);
                }
                values.push(String::from_utf8(value).unwrap());
            });
            let Some(record) = record else { return all };
            assert_eq!(record.fields, values.len());
            assert!(record.end > at);
            at = record.end;
            all.push(values);
        }
    }

    #[test]
    fn fields_are_what_the_csv_crate_has() {
        for text in [
            "a,b\n1,2\n",
            "a,b\r\n1,2\r\n",
            "a,b\r1,2\r3,4",
            "\n\n a , b \n\n\r\n1,\n,2\n,\n",
            "\"a\",\"b,c\"\n\"1\n2\",\"3\r\n4\"\n",
            "\"a \"\"x\"\"\",\"\"\n\"\"\"\",\"\"\"\"\"\"\n",
            "5\" pipe,x\n\"closed\"tail \"y\",\"a\" \"b\"\n",
            "\"open,x\n1,2",
            "\"open \"\"x",
            "\"a\"\"",
            "é,\"ö\"\"\"\n",
            "",
            "\n",
        ] {
            for quoting in [true, false] {
                let mut reader = csv::ReaderBuilder::new()
                    .has_headers(false)
                    .flexible(true)
                    .quoting(quoting)
                    .from_reader(text.as_bytes());
                let expected: Vec<Vec<String>> = reader
                    .records()
                    .map(|record| record.unwrap().iter().map(str::to_owned).collect())
                    .collect();
                assert_eq!(records(text, quoting.then_some(b'"'), None), expected, "{text:?}");
            }
        }
    }

    #[test]
    fn escaped_quotes_are_literal() {
        for (text, expected) in [
            (r#"1,"x \"y\" z""#, &["1", "x \"y\" z"][..]),
            (r#""\"","a\\","b""#, &["\"", "a\\", "b"]),
            (r#""a\n\\\"b","c""d",\"e"#, &["a\\n\\\"b", "c\"d", "\\\"e"]),
            (r#""\\""#, &["\\"]),
            (r#""a\"#, &["a\\"]),
        ] {
            assert_eq!(records(text, Some(b'"'), Some(b'\\')), [expected], "{text}");
        }
    }

    #[test]
    fn faults_of_quotes_are_found() {
        let dialect =
            |escape| Dialect { delimiter: b',', quote: Some(b'"'), escape, comment: None };
        let escape = Some(b'\\');
        for (text, escape, fault) in [
            ("a,\"b\"", None, None),
            ("a,\"b\"c", None, Some(Fault::TextAfterQuote)),
            ("\"b\" ,c", None, Some(Fault::TextAfterQuote)),
            ("a,\"b", None, Some(Fault::OpenQuote)),
            (r#""x \"y\" z",1"#, None, Some(Fault::TextAfterQuote)),
            (r#""x \"y\" z",1"#, escape, None),
            (r#""x\",1"#, None, None),
            (r#""x\",1"#, escape, Some(Fault::OpenQuote)),
        ] {
            let record = next(text.as_bytes(), 0, dialect(escape)).unwrap();
            assert_eq!(record.fault, fault, "{text} {escape:?}");
        }
    }
}
