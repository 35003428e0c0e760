//! Detects the delimiter of CSV, and whether a backslash escapes quotes.
//!
//! ```text
//! a;b;c          `;` has 3 fields in every record, `,` has 1 or 2
//! 1,5;x;y   ──►  the delimiter under which most records have as many fields as the first,
//! 2,5;x;y        and of these the one with the most fields
//!
//! "x \"y\" z"    text after a closing quote, unless the backslash escapes
//!
//! sep=;          Excel's line before the names
//! ```

use super::options::CsvReadOptions;
use super::record::{self, Dialect, Fault, Record};

/// The delimiters that are found out; of those that fit equally well the first is taken.
pub(super) const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// The number of inspected records.
const RECORDS: usize = 100;

/// What a text shows of its dialect.
#[derive(Debug, Clone, Copy)]
pub(super) struct Detected {
    pub(super) dialect: Dialect,
    /// Another delimiter that fits as well.
    pub(super) other: Option<u8>,
}

/// Returns the dialect of a text of complete records: what options say, and else what fits.
pub(super) fn detect(text: &[u8], options: &CsvReadOptions) -> Detected {
    let (said, text) = match separator_line(text) {
        Some((delimiter, len)) => (Some(delimiter), text.get(len..).unwrap_or_default()),
        None => (None, text),
    };
    let comment = options.comment;
    let with = |escape| {
        let (quote, given) = (options.quote, options.delimiter.or(said));
        let (delimiter, other) = match given {
            Some(given) => (given, None),
            None => find(text, Dialect { delimiter: b',', quote, escape, comment }),
        };
        Detected { dialect: Dialect { delimiter, quote, escape, comment }, other }
    };
    let plain = with(options.escape);
    if options.escape.is_some() || options.quote.is_none() || !has_faults(text, plain.dialect) {
        return plain;
    }
    let escaped = with(Some(b'\\'));
    if has_faults(text, escaped.dialect) { plain } else { escaped }
}

/// Returns the delimiter of Excel's line `sep=;`, and the length of the line.
pub(super) fn separator_line(text: &[u8]) -> Option<(u8, usize)> {
    let (start, rest) = text.split_at_checked(4)?;
    if !start.eq_ignore_ascii_case(b"sep=") {
        return None;
    }
    match rest {
        [delimiter, b'\r', b'\n', ..] => Some((*delimiter, 7)),
        [delimiter, b'\n' | b'\r', ..] => Some((*delimiter, 6)),
        _ => None,
    }
}

/// Returns whether text follows a closing quote in one of the first records. That the last quote is open says nothing: the
/// text may be cut within it.
fn has_faults(text: &[u8], dialect: Dialect) -> bool {
    let mut at = 0;
    while let Some(record) = record::next(text, at, dialect) {
        if record.fault == Some(Fault::TextAfterQuote) {
            return true;
        }
        at = record.end;
    }
    false
}

/// Returns the delimiter of a text of complete records, a comma if there is none; and another that fits as well.
fn find(text: &[u8], dialect: Dialect) -> (u8, Option<u8>) {
    let (mut best, mut other) = ((b',', (0, 1)), None);
    for delimiter in DELIMITERS {
        let score = score(text, Dialect { delimiter, ..dialect });
        if score > best.1 {
            (best, other) = ((delimiter, score), None);
        } else if score == best.1 && score.0 > 0 {
            other = other.or(Some(delimiter));
        }
    }
    (best.0, other)
}

/// In how many of a thousand records there are as many fields as in the first, and how many these are.
fn score(text: &[u8], dialect: Dialect) -> (usize, usize) {
    let (mut at, mut fields) = (0, Vec::new());
    while fields.len() < RECORDS
        && let Some(Record { start, fields: found, end, .. }) = record::next(text, at, dialect)
    {
        debug_assert!(end > start);
        fields.push(found);
        at = end;
    }
    let (Some(first), records) = (fields.first().copied(), fields.len()) else { return (0, 0) };
    let alike = fields.iter().filter(|found| **found == first).count();
    // The first record may be no names of the others, which then agree.
    let rest = fields.get(1..).unwrap_or_default();
    if let [second, _, ..] = rest
        && *second > first
        && rest.iter().all(|found| found == second)
    {
        return (rest.len() * 1000 / records, *second);
    }
    match first {
        0 | 1 => (0, 0),
        // A delimiter that few records agree about is part of their text.
        _ if alike * 2 < records => (0, 0),
        _ => (alike * 1000 / records, first),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dialect(quote: Option<u8>) -> Dialect {
        Dialect { delimiter: b',', quote, escape: None, comment: None }
    }

    #[test]
    fn delimiters_are_found() {
        for (text, expected) in [
            ("a,b\n1,2\n", b','),
            ("a;b\n1;2\n", b';'),
            ("a\tb\n1\t2\n", b'\t'),
            ("a|b\n1|2\n", b'|'),
            ("a;b\n1,5;2,5\n3,5;4,5\n", b';'),
            ("name;price, EUR;x\nu;1,5;2\nv;2,5;3\n", b';'),
            ("\"a,b,c\";\"d\"\n\"1,2,3\";4\n", b';'),
            ("a,\"x;y\"\n1,\"x;y\"\n", b','),
            ("a\tb, or c\n1\t2\n3\t4\n", b'\t'),
            ("one\n1\n2\n", b','),
            ("a;b\nx;1,5;2\ny;2,5;3\n", b';'),
            ("one\n1|2\n2\n", b','),
            ("a,b\n\n1,2\n", b','),
            ("", b','),
        ] {
            let (found, _) = find(text.as_bytes(), dialect(Some(b'"')));
            assert_eq!(found as char, expected as char, "{text}");
        }
        assert_eq!(find(b"'a,b';c\n'd,e';f\n", dialect(Some(b'\''))).0, b';');
        assert_eq!(find(b"\"a,b\n\"c,d\n", dialect(None)).0, b',');
    }

    #[test]
    fn dialects_are_found() {
        let detect = |text: &str| detect(text.as_bytes(), &CsvReadOptions::default());
        for (text, delimiter, escape, other) in [
            ("a,b\n1,\"x \\\"y\\\" z\"\n2,q\n", b',', Some(b'\\'), None),
            ("a;b\n1;\"x, \\\"y\\\" z\"\n2;q\n", b';', Some(b'\\'), None),
            ("a,b\n1,\"C:\\x\\\"\n2,q\n", b',', None, None),
            ("a,b\n1,\"x\"y\n2,q\n", b',', None, None),
            // The text is cut within the last record.
            ("a,b\n1,\"x \\\"y\\\" z\"\n2,\"q\n", b',', Some(b'\\'), None),
            ("sep=;\na;b\n1;2\n", b';', None, None),
            ("SEP=|\r\na,b|c\r\n", b'|', None, None),
            ("Preis, EUR;Menge\n3,50;4\n2,25;1\n", b',', None, Some(b';')),
        ] {
            let found = detect(text);
            let Dialect { delimiter: d, escape: e, .. } = found.dialect;
            assert_eq!((d, e, found.other), (delimiter, escape, other), "{text}");
        }
        assert_eq!(separator_line(b"sep=;"), None);
        assert_eq!(separator_line(b"sep=ab\n"), None);
    }
}
