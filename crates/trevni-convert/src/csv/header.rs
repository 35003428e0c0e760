//! The names of the columns.
//!
//! ```text
//! a,b          names
//! 1,2
//!
//! a,b          one name fewer than fields, as R writes row names: column_1, a, b
//! x,1,2
//!
//! 178,13       no names of these rows: left out, and the columns are column_1, column_2, column_3
//! 14.2,1.7,0
//! ```
//! Where the first record does not fit the others, that is a warning.

use super::chunk::Chunk;
use super::delimiter;
use super::record::{self, Dialect};
use crate::ReadOptions;
use trevni::{Error, Result};

/// Records that are inspected.
const RECORDS: usize = 100;

/// Returns the names of the columns, from the first record or by number.
pub(super) fn names(
    first: &mut Chunk,
    dialect: Dialect,
    options: &ReadOptions,
) -> Result<Vec<String>> {
    let (mut names, header) = (Vec::new(), options.csv.header);
    // Excel's line says the delimiter, and is no row.
    first.skip = delimiter::separator_line(&first.text).map_or(0, |(_, len)| len);
    let text = &first.text;
    let record = record::walk(text, first.skip, dialect, |number, field| {
        let raw = text.get(field.start..field.end).unwrap_or_default();
        let mut value = Vec::new();
        match (header, dialect.quote) {
            (false, _) => value = name(number).into_bytes(),
            (true, Some(quote)) if field.is_raw => {
                record::unescape(raw, quote, dialect.escape, &mut value)
            }
            (true, _) => value.extend_from_slice(raw),
        }
        names.push(value);
    });
    if let Some(record) = record.filter(|_| header) {
        first.skip = record.end;
    }
    let text = |name| {
        String::from_utf8(name).map_err(|_| {
            Error::malformed("line 1: a name is not UTF-8; --encoding names the encoding")
        })
    };
    let mut names: Vec<String> = names.into_iter().map(text).collect::<Result<_>>()?;
    let rows = Rows::of(first, dialect);
    if options.csv.pad {
        // Records with more fields than there are names have columns without.
        names.extend((names.len()..rows.most).map(name));
    } else if header && options.schema.is_none() {
        fit(&mut names, &rows, options);
    }
    Ok(names)
}

/// Columns without names are numbered from 1.
fn name(number: usize) -> String {
    format!("column_{}", number + 1)
}

/// The fields of the first records behind the names.
struct Rows {
    records: usize,
    fewest: usize,
    most: usize,
    /// Whether the last field of all of them is empty: a delimiter ends their lines.
    end_empty: bool,
}

impl Rows {
    fn of(chunk: &Chunk, dialect: Dialect) -> Self {
        let mut rows = Self { records: 0, fewest: usize::MAX, most: 0, end_empty: true };
        let mut at = chunk.skip;
        while let Some(record) = record::next(&chunk.text, at, dialect) {
            rows.most = rows.most.max(record.fields);
            if rows.records < RECORDS {
                rows.records += 1;
                rows.fewest = rows.fewest.min(record.fields);
                let last = record.stop.checked_sub(1).and_then(|at| chunk.text.get(at));
                rows.end_empty &= last == Some(&dialect.delimiter);
            }
            at = record.end;
        }
        rows
    }
}

/// Changes names that are fewer than the fields of every row.
fn fit(names: &mut Vec<String>, rows: &Rows, options: &ReadOptions) {
    let fields = rows.fewest;
    if rows.records < 2 || rows.fewest != rows.most || names.len() >= fields || names.len() < 2 {
        return;
    }
    let missing = fields - names.len();
    let what = if missing == 1 && rows.end_empty {
        names.push(name(fields - 1));
        format!("every row ends with a delimiter: its last column, column_{fields}, has no name")
    } else if missing == 1 {
        names.insert(0, name(0));
        "there is one name fewer than columns: the first is called column_1".to_owned()
    } else {
        let found = names.len();
        *names = (0..fields).map(name).collect();
        format!(
            "the first line has {found} fields and the rows have {fields}: it is left out, and columns are called column_1 \
             to column_{fields}"
        )
    };
    options.report.warn(what);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_the_rows() {
        let left_out = "the first line has 2 fields and the rows have 4: it is left out, and columns are called column_1 to \
                        column_4";
        for (text, expected, warning) in [
            ("a,b\n1,2\n3,4\n", "a b", ""),
            (
                "a,b\nx,1,2\ny,3,4\n",
                "column_1 a b",
                "there is one name fewer than columns: the first is called column_1",
            ),
            (
                "a,b\n1,2,\n3,4,\n",
                "a b column_3",
                "every row ends with a delimiter: its last column, column_3, has no name",
            ),
            ("178,13\n1,2,3,4\n5,6,7,8\n", "column_1 column_2 column_3 column_4", left_out),
            // Rows that differ are bad, not the names.
            ("a,b\n1,2,3\n4,5\n", "a b", ""),
            ("a,b\n1,2,3\n", "a b", ""),
            ("a,b,c\n1,2\n3,4\n", "a b c", ""),
            // One column of text with delimiters in it.
            ("a\nx, y\nz, w\n", "a", ""),
        ] {
            let dialect =
                Dialect { delimiter: b',', quote: Some(b'"'), escape: None, comment: None };
            let options = ReadOptions::default();
            let mut chunk = Chunk { text: text.as_bytes().to_vec(), skip: 0 };
            let names = names(&mut chunk, dialect, &options).unwrap();
            assert_eq!(names.join(" "), expected, "{text}");
            assert_eq!(options.report.warnings().join(""), warning, "{text}");
        }
    }
}
