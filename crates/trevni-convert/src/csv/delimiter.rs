//! Detects the delimiter of CSV.
//!
//! ```text
//! a;b;c          `;` has 3 fields in every record, `,` has 1 or 2
//! 1,5;x;y   ──►  the delimiter under which most records have as many fields as the first,
//! 2,5;x;y        and of these the one with the most fields
//! ```

use super::record::{self, Dialect, Record};

/// The delimiters that are found out; of those that fit equally well the first is taken.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// The number of inspected records.
const RECORDS: usize = 100;

/// Returns the delimiter of a text of complete records; a comma if there is none.
pub(super) fn find(text: &[u8], quote: Option<u8>) -> u8 {
    let mut best = (b',', (0, 1));
    for delimiter in DELIMITERS {
        let score = score(text, Dialect { delimiter, quote });
        if score > best.1 {
            best = (delimiter, score);
        }
    }
    best.0
}

/// In how many of a thousand records there are as many fields as in the first, and how many these are.
fn score(text: &[u8], dialect: Dialect) -> (usize, usize) {
    let (mut at, mut first, mut alike, mut records) = (0, 0, 0, 0);
    while records < RECORDS {
        let Some(Record { start, fields, end, .. }) = record::next(text, at, dialect) else {
            break;
        };
        debug_assert!(end > start);
        if records == 0 {
            first = fields;
        }
        alike += usize::from(fields == first);
        records += 1;
        at = end;
    }
    match first {
        0 | 1 => (0, 0),
        // A delimiter that few records agree about is part of their text.
        _ if alike * 2 < records => (0, 0),
        _ => (alike * 1000 / records.max(1), first),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            ("one\n1|2\n2\n", b','),
            ("a,b\n\n1,2\n", b','),
            ("", b','),
        ] {
            assert_eq!(find(text.as_bytes(), Some(b'"')) as char, expected as char, "{text}");
        }
        assert_eq!(find(b"'a,b';c\n'd,e';f\n", Some(b'\'')), b';');
        assert_eq!(find(b"\"a,b\n\"c,d\n", None), b',');
    }
}
