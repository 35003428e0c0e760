//! Splits text into records and fields.
//!
//! ```text
//! a,"b ""x"",
//! c",d\r\n       fields  a | b "x",\nc | d
//! ```
//! A quote opens only at the start of a field; elsewhere it is literal. Text after a closing quote, up to the
//! delimiter, belongs to the field. A record ends at `\n`, `\r` or `\r\n` outside of quotes; empty lines are
//! skipped.

use memchr::{memchr, memchr3};

/// What separates and encloses fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dialect {
    pub(super) delimiter: u8,
    /// The quote around fields with delimiters or ends of lines; doubled, it is literal.
    pub(super) quote: Option<u8>,
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
    /// Whether every quote that opens closes.
    pub(super) is_closed: bool,
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
    let start = at + text.get(at..)?.iter().position(|b| !is_end(*b))?;
    let (mut at, mut fields, mut is_closed) = (start, 0, true);
    loop {
        let (found, stop) = match dialect.quote {
            Some(quote) if text.get(at) == Some(&quote) => {
                let (found, stop, closed) = quoted(text, at, quote, dialect.delimiter);
                is_closed &= closed;
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
                return Some(Record { start, stop, end: stop + 2, fields, is_closed });
            }
            Some(_) => return Some(Record { start, stop, end: stop + 1, fields, is_closed }),
            None => return Some(Record { start, stop, end: stop, fields, is_closed }),
        }
    }
}

/// The value of a raw field.
pub(super) fn unescape(raw: &[u8], quote: u8, into: &mut Vec<u8>) {
    let mut rest = raw.get(1..).unwrap_or_default();
    while let Some((value, behind)) = memchr(quote, rest).and_then(|at| rest.split_at_checked(at)) {
        into.extend_from_slice(value);
        match behind {
            [_, second, behind @ ..] if *second == quote => {
                into.push(quote);
                rest = behind;
            }
            [_, behind @ ..] => {
                into.extend_from_slice(behind);
                return;
            }
            [] => break,
        }
    }
    into.extend_from_slice(rest);
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

/// Returns the field that begins with a quote, where it ends, and whether the quote closes.
fn quoted(text: &[u8], start: usize, quote: u8, delimiter: u8) -> (Field, usize, bool) {
    let (mut at, mut is_raw) = (start + 1, false);
    loop {
        let rest = text.get(at..).unwrap_or_default();
        let Some(n) = memchr(quote, rest) else {
            let field = Field { start, end: text.len(), is_raw: true };
            return (field, text.len(), false);
        };
        let close = at + n;
        match text.get(close + 1) {
            Some(b) if *b == quote => {
                is_raw = true;
                at = close + 2;
            }
            Some(b) if *b != delimiter && !is_end(*b) => {
                let stop = plain_end(text, close + 1, delimiter);
                return (Field { start, end: stop, is_raw: true }, stop, true);
            }
            _ if is_raw => return (Field { start, end: close + 1, is_raw }, close + 1, true),
            _ => return (Field { start: start + 1, end: close, is_raw }, close + 1, true),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(text: &str, quote: Option<u8>) -> Vec<Vec<String>> {
        let (mut at, mut all) = (0, Vec::new());
        let dialect = Dialect { delimiter: b',', quote };
        loop {
            let mut values = Vec::new();
            let record = walk(text.as_bytes(), at, dialect, |_, field| {
                let raw = &text.as_bytes()[field.start..field.end];
                let mut value = Vec::new();
                if field.is_raw {
                    unescape(raw, quote.unwrap(), &mut value);
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
                assert_eq!(records(text, quoting.then_some(b'"')), expected, "{text:?}");
            }
        }
    }
}
