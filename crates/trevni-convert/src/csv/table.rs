//! The fields of a chunk by column, as spans of its text.
//!
//! ```text
//! id,name⏎1,"a ""b"""⏎2,⏎     id     1..2   3..4        text    the chunk, then the unescaped values
//!                              name   →a "b"  empty
//! ```
//! Values of unselected columns are counted, not kept. Records that are not UTF-8, or have another number of
//! fields, are bad and in no column. An empty line is a null where there is one column; nothing between quotes is a text.

use memchr::{memchr, memchr_iter};

use super::chunk::{self, Chunk};
use super::record::{self, Dialect, Fault, is_end};

/// Which values are kept of a record.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    pub(super) dialect: Dialect,
    /// For each column of the file, which of those that are kept it is.
    slots: Vec<Option<usize>>,
    kept: usize,
    /// The index after the last selected column.
    last: usize,
    /// Whether columns that a record lacks are null.
    pad: bool,
}

impl Layout {
    /// Selects columns of a file, in its order.
    pub(super) fn new(dialect: Dialect, columns: usize, kept: &[usize], pad: bool) -> Self {
        let mut slots = vec![None; columns];
        for (slot, column) in kept.iter().enumerate() {
            if let Some(of_column) = slots.get_mut(*column) {
                *of_column = Some(slot);
            }
        }
        let last = kept.iter().max().map_or(0, |last| last + 1);
        Self { dialect, slots, kept: kept.len(), last, pad }
    }

    /// Returns how many columns are kept.
    pub(super) fn kept(&self) -> usize {
        self.kept
    }
}

/// Where a value is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    start: u32,
    end: u32,
}

impl Span {
    fn new(start: usize, end: usize) -> Self {
        let place = |at| u32::try_from(at).unwrap_or(u32::MAX);
        Self { start: place(start), end: place(end) }
    }

    /// The text of a field that is empty between quotes, which is no null.
    const EMPTY_TEXT: Self = Self { start: 1, end: 0 };

    /// Returns whether nothing is between quotes.
    pub(super) fn is_empty_text(self) -> bool {
        self.start > self.end
    }

    pub(super) fn len(self) -> usize {
        (self.end as usize).saturating_sub(self.start as usize)
    }

    pub(super) fn of(self, text: &str) -> &str {
        text.get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}

/// A record that is in no column.
#[derive(Debug)]
pub(super) struct BadRecord {
    /// How many records are before it that are in the columns.
    pub(super) row: usize,
    pub(super) start: usize,
    pub(super) what: String,
}

/// The records of a chunk.
#[derive(Debug, Default)]
pub(super) struct Table {
    text: Vec<u8>,
    pub(super) columns: Vec<Vec<Span>>,
    /// Where each record starts; none if no columns are kept.
    pub(super) starts: Vec<u32>,
    pub(super) rows: usize,
    pub(super) bad: Vec<BadRecord>,
    /// How many lines end in the chunk.
    pub(super) lines: u64,
}

impl Table {
    /// Finds the values of a chunk, and at most `most_bad` bad records.
    pub(super) fn new(chunk: Chunk, layout: &Layout, most_bad: usize) -> Self {
        let is_valid = simdutf8::basic::from_utf8(&chunk.text).is_ok();
        let mut split = Split {
            text: &chunk.text,
            layout,
            most_bad,
            is_valid,
            table: Self { columns: vec![Vec::new(); layout.kept], ..Self::default() },
            unescaped: Vec::new(),
        };
        split.run(chunk.skip);
        let Split { mut table, unescaped, .. } = split;
        table.lines = chunk::lines(&chunk.text);
        table.text = chunk.text;
        if !is_valid {
            // Bytes that are no text are in no column.
            blank(&mut table.text);
        }
        table.text.extend_from_slice(&unescaped);
        table
    }

    /// Returns what the spans are of.
    pub(super) fn text(&self) -> &str {
        simdutf8::basic::from_utf8(&self.text).unwrap_or_default()
    }

    /// Returns the number of lines that end before a position.
    pub(super) fn lines_before(&self, place: usize) -> u64 {
        chunk::lines(self.text.get(..place).unwrap_or_default())
    }
}

/// Makes blanks of bytes that are not UTF-8.
fn blank(text: &mut [u8]) {
    let mut at = 0;
    while let Some(rest) = text.get(at..) {
        let Err(e) = std::str::from_utf8(rest) else { return };
        let from = at + e.valid_up_to();
        let to = e.error_len().map_or(text.len(), |n| from + n);
        text.get_mut(from..to).unwrap_or_default().fill(b' ');
        at = to;
    }
}

struct Split<'a> {
    text: &'a [u8],
    layout: &'a Layout,
    most_bad: usize,
    is_valid: bool,
    table: Table,
    /// The values of unescaped fields, whose spans are after the text.
    unescaped: Vec<u8>,
}

impl Split<'_> {
    fn run(&mut self, skip: usize) {
        let (mut at, len) = (skip, self.text.len());
        let comment = self.layout.dialect.comment;
        let (mut next_quote, mut next_return) = (self.find_quote(at), self.find(b'\r', at));
        while at < len {
            if self.text.get(at).is_some_and(|b| is_end(*b)) {
                at = self.empty_line(at);
                continue;
            }
            if comment.is_some() && self.text.get(at).copied() == comment {
                at = record::end_of_line(self.text, at);
                at += usize::from(self.text.get(at) == Some(&b'\r'));
                at += usize::from(self.text.get(at) == Some(&b'\n'));
                continue;
            }
            let stop = self.find(b'\n', at);
            if next_quote < at {
                next_quote = self.find_quote(at);
            }
            if next_return < at {
                next_return = self.find(b'\r', at);
            }
            if next_quote < stop || next_return + 1 < stop {
                match self.record(at) {
                    Some(end) => at = end,
                    None => return,
                }
                continue;
            }
            self.line(at, if next_return < stop { stop - 1 } else { stop });
            at = stop + 1;
        }
    }

    fn find(&self, byte: u8, at: usize) -> usize {
        let rest = self.text.get(at..).unwrap_or_default();
        memchr(byte, rest).map_or(self.text.len(), |n| at + n)
    }

    fn find_quote(&self, at: usize) -> usize {
        self.layout.dialect.quote.map_or(self.text.len(), |quote| self.find(quote, at))
    }

    /// An empty line: a null if there is one column, and nothing otherwise. Returns where it ends.
    fn empty_line(&mut self, at: usize) -> usize {
        let end = match self.text.get(at..) {
            Some([b'\r', b'\n', ..]) => at + 2,
            _ => at + 1,
        };
        if self.layout.slots.len() == 1 {
            self.keep(0, Span::new(at, at));
            self.end(at, at, 1);
        }
        end
    }

    /// A record that is a line without quotes.
    fn line(&mut self, start: usize, stop: usize) {
        let line = self.text.get(start..stop).unwrap_or_default();
        let delimiter = self.layout.dialect.delimiter;
        if self.layout.last == 0 {
            return self.end(start, stop, memchr_iter(delimiter, line).count() + 1);
        }
        let (mut fields, mut from) = (0, 0);
        let mut delimiters = memchr_iter(delimiter, line);
        while fields < self.layout.last {
            let next = delimiters.next();
            self.keep(fields, Span::new(start + from, next.map_or(stop, |at| start + at)));
            fields += 1;
            match next {
                Some(at) => from = at + 1,
                None => return self.end(start, stop, fields),
            }
        }
        // A delimiter follows the last selected field, and there is one field more than delimiters.
        self.end(start, stop, fields + 1 + delimiters.count());
    }

    /// Returns a record with quotes, or with ends of lines that are none of their own. Returns where it ends.
    fn record(&mut self, at: usize) -> Option<usize> {
        let (text, layout) = (self.text, self.layout);
        let record = record::walk(text, at, layout.dialect, |number, field| {
            if !matches!(layout.slots.get(number), Some(Some(_))) {
                return;
            }
            let span = match layout.dialect.quote {
                Some(quote) if field.is_raw => {
                    let raw = text.get(field.start..field.end).unwrap_or_default();
                    let from = text.len() + self.unescaped.len();
                    record::unescape(raw, quote, layout.dialect.escape, &mut self.unescaped);
                    Span::new(from, text.len() + self.unescaped.len())
                }
                // A quote is before it.
                Some(quote)
                    if field.start == field.end
                        && field.start.checked_sub(1).and_then(|at| text.get(at))
                            == Some(&quote) =>
                {
                    Span::EMPTY_TEXT
                }
                _ => Span::new(field.start, field.end),
            };
            self.keep(number, span);
        })?;
        let what = match record.fault {
            None => {
                self.end(record.start, record.stop, record.fields);
                return Some(record.end);
            }
            Some(Fault::OpenQuote) => "a quote is not closed",
            Some(Fault::TextAfterQuote) => {
                "text after a closing quote; --escape names a character before quotes that do not close, --quote none \
                 makes quotes text"
            }
        };
        self.bad(record.start, || what.to_owned());
        Some(record.end)
    }

    fn keep(&mut self, column: usize, span: Span) {
        if let Some(Some(slot)) = self.layout.slots.get(column)
            && let Some(spans) = self.table.columns.get_mut(*slot)
        {
            spans.push(span);
        }
    }

    /// Keeps the fields of a record, or drops them if it is bad.
    fn end(&mut self, start: usize, stop: usize, fields: usize) {
        let expected = self.layout.slots.len();
        if fields < expected && self.layout.pad {
            (fields..expected).for_each(|column| self.keep(column, Span::new(stop, stop)));
        } else if fields != expected {
            return self.bad(start, || {
                let s = if fields == 1 { "" } else { "s" };
                let remedy =
                    if fields < expected { "; --pad reads missing ones as null" } else { "" };
                format!("{fields} field{s} where {expected} are expected{remedy}")
            });
        }
        if !self.is_valid {
            let record = self.text.get(start..stop).unwrap_or_default();
            if let Err(e) = std::str::from_utf8(record) {
                let byte = record.get(e.valid_up_to()).copied().unwrap_or_default();
                return self.bad(start, || {
                    format!("byte 0x{byte:02x} is not UTF-8; --encoding names the encoding")
                });
            }
        }
        if self.layout.kept > 0 {
            self.table.starts.push(Span::new(start, start).start);
        }
        self.table.rows += 1;
    }

    fn bad(&mut self, start: usize, what: impl FnOnce() -> String) {
        let row = self.table.rows;
        self.table.columns.iter_mut().for_each(|spans| spans.truncate(row));
        if self.table.bad.len() < self.most_bad {
            self.table.bad.push(BadRecord { row, start, what: what() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIALECT: Dialect =
        Dialect { delimiter: b',', quote: Some(b'"'), escape: None, comment: None };

    fn table(text: &[u8], columns: usize, kept: &[usize]) -> Table {
        let layout = Layout::new(DIALECT, columns, kept, false);
        Table::new(Chunk { text: text.to_vec(), skip: 0 }, &layout, usize::MAX)
    }

    fn values(table: &Table) -> Vec<Vec<&str>> {
        let column = |spans: &Vec<Span>| spans.iter().map(|span| span.of(table.text())).collect();
        table.columns.iter().map(column).collect()
    }

    #[test]
    fn values_are_found_by_column() {
        let text = "1,a,x\n\n2,\"b \"\"c\"\"\",y\r\n3,\"d\ne\",z\r4,,\n5,f,\"w\"";
        let all = table(text.as_bytes(), 3, &[0, 1, 2]);
        let expected: [&[&str]; 3] = [
            &["1", "2", "3", "4", "5"],
            &["a", "b \"c\"", "d\ne", "", "f"],
            &["x", "y", "z", "", "w"],
        ];
        assert_eq!(values(&all), expected);
        for kept in [&[0][..], &[1], &[2], &[0, 2], &[]] {
            let some = table(text.as_bytes(), 3, kept);
            let expected: Vec<&[&str]> = kept.iter().map(|column| expected[*column]).collect();
            assert_eq!(values(&some), expected, "{kept:?}");
            assert_eq!((some.rows, some.bad.len(), some.lines), (5, 0, 6));
        }
    }

    #[test]
    fn bad_records_are_in_no_column() {
        let text = b"1,a\n2\n3,b,c\n4,\xff\n\"5,\xc3\"\n6,\"\xc3\xa9\"\"\"\n\"7,x\n8,y\n";
        for kept in [&[0, 1][..], &[1], &[]] {
            let table = table(text, 2, kept);
            let bad: Vec<_> = table
                .bad
                .iter()
                .map(|bad| (table.lines_before(bad.start), bad.row, bad.what.as_str()))
                .collect();
            let expected = [
                (1, 1, "1 field where 2 are expected; --pad reads missing ones as null"),
                (2, 1, "3 fields where 2 are expected"),
                (3, 1, "byte 0xff is not UTF-8; --encoding names the encoding"),
                (4, 1, "1 field where 2 are expected; --pad reads missing ones as null"),
                (6, 2, "a quote is not closed"),
            ];
            assert_eq!(bad, expected);
            assert_eq!(table.rows, 2);
            if kept.len() == 2 {
                assert_eq!(values(&table), [["1", "6"], ["a", "é\""]]);
            }
        }
    }
}
