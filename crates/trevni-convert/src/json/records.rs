//! Splits JSON text into records.
//!
//! ```text
//! text ──► layout ──► lines, or objects ──► chunks of records, each with its location in the file
//! ```
//! Records are found by ends of lines, or by brackets and strings. Whether they are JSON is found out when they are
//! decoded. Values that are not objects are made objects of one member, `json`, as DuckDB calls the column.

use std::io::{self, BufRead, BufReader, Read};
use std::ops::Range;

use memchr::memchr_iter;

use super::layout::{Layout, Scan, detect};
use super::line_chunks::{LineChunks, Lines};
use super::record_location::RecordLocation;
use trevni::{Error, Result};

mod rows_at;

/// What is before and after a value that is a row of one column.
const COLUMN: (&[u8], &[u8]) = (b"{\"json\":", b"}");

/// Bytes of a chunk of objects, unless one is longer.
const CHUNK: usize = 1 << 20;

/// Some records.
#[derive(Debug)]
pub(super) enum Chunk {
    Lines(Lines),
    Objects(Objects),
}

impl Chunk {
    pub(super) fn text(&self) -> &[u8] {
        match self {
            Chunk::Lines(lines) => &lines.text,
            Chunk::Objects(objects) => &objects.text,
        }
    }

    /// Returns whether an object may begin on one line and end on another, which makes two bad records of lines. If
    /// not, an end of a line within an object is in a string, and the text is not JSON.
    pub(super) fn may_have_cut_lines(&self) -> bool {
        let is_whole = |line: &[u8]| line.starts_with(b"{") && line.ends_with(b"}");
        matches!(self, Chunk::Lines(_))
            && self.records().any(|(_, line)| !is_whole(line.trim_ascii()))
    }

    pub(super) fn records(&self) -> impl Iterator<Item = (RecordLocation, &[u8])> {
        let text = self.text();
        self.ranges().map(|(place, range)| (place, text.get(range).unwrap_or_default()))
    }

    /// Returns where each record is in the text.
    pub(super) fn ranges(&self) -> impl Iterator<Item = (RecordLocation, Range<usize>)> {
        let (lines, objects) = match self {
            Chunk::Lines(lines) => (Some(lines.ranges()), None),
            Chunk::Objects(objects) => (None, Some(objects.ranges())),
        };
        lines.into_iter().flatten().chain(objects.into_iter().flatten())
    }
}

/// Records that take any number of lines, or are elements of arrays.
#[derive(Debug, Default)]
pub(super) struct Objects {
    text: Vec<u8>,
    /// Where each record begins in the text, and in the file.
    starts: Vec<(usize, RecordLocation)>,
}

impl Objects {
    fn ranges(&self) -> impl Iterator<Item = (RecordLocation, Range<usize>)> {
        let ends = self.starts.iter().skip(1).map(|(start, _)| *start).chain([self.text.len()]);
        self.starts.iter().zip(ends).map(|((start, place), end)| (*place, *start..end))
    }
}

/// What may come next in an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Array,
    ElementOrEnd,
    CommaOrEnd,
    Element,
}

/// Cuts text into records.
pub(super) struct Records<R> {
    input: BufReader<io::Chain<io::Cursor<Vec<u8>>, R>>,
    layout: Layout,
    lines: LineChunks,
    next: Next,
    line: u64,
    object: u64,
    max_row_size: usize,
    /// The bytes and the records of the last chunk.
    last_size: (usize, usize),
    /// The error after the last chunk.
    error: Option<Error>,
    is_at_end: bool,
    /// The names that lead to the array of the rows, which is within an object.
    rows_at: Vec<String>,
    /// Whether every value is a row of one column; `None` until the first is seen.
    is_column: Option<bool>,
}

impl<R: Read> Records<R> {
    /// Creates records of up to some bytes. `rows_at` names the array that has them, if it is within an object.
    pub(super) fn new(mut input: R, max_row_size: usize, rows_at: &[String]) -> Result<Self> {
        let (layout, head) = detect(&mut input)?;
        let layout = if rows_at.is_empty() { layout } else { Layout::Array };
        let input = BufReader::with_capacity(1 << 18, io::Cursor::new(head).chain(input));
        Ok(Self {
            input,
            layout,
            lines: LineChunks::new(max_row_size),
            next: Next::Array,
            line: 1,
            object: 1,
            max_row_size,
            last_size: (0, 0),
            error: None,
            is_at_end: false,
            rows_at: rows_at.to_vec(),
            is_column: None,
        })
    }

    /// Makes every element a row of one column, though the first is an object.
    pub(super) fn in_one_column(mut self) -> Self {
        self.is_column = Some(true);
        self
    }

    pub(super) fn are_elements(&self) -> bool {
        self.layout == Layout::Array
    }

    /// Returns the next records, at most `most`; `None` at the end.
    pub(super) fn chunk(&mut self, most: usize) -> Result<Option<Chunk>> {
        if self.error.is_none() && !self.is_at_end {
            let chunk = match self.layout {
                Layout::Lines => self.lines(most).map(Chunk::Lines),
                Layout::Values | Layout::Array => self.objects(most).map(Chunk::Objects),
            };
            if chunk.is_some() {
                return Ok(chunk);
            }
        }
        self.is_at_end = true;
        self.error.take().map_or(Ok(None), Err)
    }

    fn lines(&mut self, most: usize) -> Option<Lines> {
        // Lines are read into chunks at once.
        let (lines, result) = self.lines.next(self.input.get_mut(), most);
        self.error = result.err();
        lines
    }

    fn objects(&mut self, most: usize) -> Option<Objects> {
        let (text, starts) = self.last_size;
        let mut chunk =
            Objects { text: Vec::with_capacity(text), starts: Vec::with_capacity(starts) };
        while self.error.is_none()
            && !self.is_at_end
            && chunk.starts.len() < most
            && chunk.text.len() < CHUNK
        {
            let start = chunk.text.len();
            match self.record(&mut chunk) {
                Ok(true) => {}
                Ok(false) => self.is_at_end = true,
                Err(e) => {
                    // The incomplete record is dropped.
                    chunk.text.truncate(start);
                    chunk.starts.retain(|(at, _)| *at < start);
                    self.error = Some(e);
                }
            }
        }
        // The next is about as large.
        self.last_size = (chunk.text.len() + chunk.text.len() / 16, chunk.starts.len());
        (!chunk.starts.is_empty()).then_some(chunk)
    }

    /// Sets the error again.
    pub(super) fn fail_with(&mut self, e: Error) {
        self.error = Some(e);
    }

    /// Returns the error after the last chunk, if there is one.
    pub(super) fn take_error(&mut self) -> Option<Error> {
        self.error.take()
    }

    /// Appends a record to a chunk. Returns whether there was one.
    fn record(&mut self, chunk: &mut Objects) -> Result<bool> {
        let found = match self.layout {
            Layout::Array => self.skip_to_element()?,
            Layout::Lines | Layout::Values => self.skip_blanks()?,
        };
        let Some(first) = found else { return Ok(false) };
        let is_column = *self.is_column.get_or_insert(!matches!(first, b'{' | b'}'));
        let place = RecordLocation::of_object(self.line, self.object);
        chunk.starts.push((chunk.text.len(), place));
        if is_column {
            chunk.text.extend_from_slice(COLUMN.0);
        }
        self.value(&mut chunk.text)?;
        if is_column {
            chunk.text.extend_from_slice(COLUMN.1);
        }
        chunk.text.push(b'\n');
        self.object += 1;
        Ok(true)
    }

    /// Appends a value. One that is truncated by the end of the file is invalid.
    fn value(&mut self, text: &mut Vec<u8>) -> Result<()> {
        let (start, mut scan) = (text.len(), Scan::default());
        loop {
            let piece = self.input.fill_buf()?;
            let end = scan.end(piece);
            // Bytes that cannot begin a value are a record.
            let at_least = usize::from(text.len() == start && !piece.is_empty());
            let used = end.unwrap_or(piece.len()).max(at_least);
            let used_up = piece.is_empty();
            let taken = piece.get(..used).unwrap_or_default();
            text.extend_from_slice(taken);
            self.line += memchr_iter(b'\n', taken).count() as u64;
            self.input.consume(used);
            self.check_size(text.len() - start)?;
            if end.is_some() || used_up {
                return Ok(());
            }
        }
    }

    fn check_size(&self, size: usize) -> Result<()> {
        if size <= self.max_row_size {
            return Ok(());
        }
        let (place, most) = (RecordLocation::of_line(self.line), self.max_row_size);
        Err(Error::malformed(format!(
            "{place}: a row is longer than {most} bytes; --max-row-size sets the limit"
        )))
    }

    /// Returns the next byte that is not blank.
    fn skip_blanks(&mut self) -> Result<Option<u8>> {
        loop {
            let piece = self.input.fill_buf()?;
            let blanks = piece.len() - piece.trim_ascii_start().len();
            let next = piece.get(blanks).copied();
            let is_at_end = piece.is_empty();
            let lines = memchr_iter(b'\n', piece.get(..blanks).unwrap_or_default()).count();
            self.line += lines as u64;
            self.input.consume(blanks);
            if next.is_some() || is_at_end {
                return Ok(next);
            }
        }
    }

    /// Moves to the next element of an array. Returns its first byte.
    fn skip_to_element(&mut self) -> Result<Option<u8>> {
        loop {
            if self.next == Next::Array && !self.rows_at.is_empty() && !self.enter()? {
                return Ok(None);
            }
            let next = self.skip_blanks()?;
            self.next = match (self.next, next) {
                (Next::Array, None) => return Ok(None),
                (_, None) => return Err(self.fault("the file ends within an array")),
                (Next::Array, Some(b'[')) => Next::ElementOrEnd,
                (Next::Array, _) => return Err(self.fault("text after an array")),
                (Next::ElementOrEnd | Next::CommaOrEnd, Some(b']')) => Next::Array,
                (Next::CommaOrEnd, Some(b',')) => Next::Element,
                (Next::CommaOrEnd, _) => {
                    return Err(self.fault("no comma between two elements of an array"));
                }
                (Next::Element | Next::ElementOrEnd, Some(b',' | b']')) => {
                    return Err(self.fault("an element of an array is missing"));
                }
                (Next::Element | Next::ElementOrEnd, Some(_)) => {
                    self.next = Next::CommaOrEnd;
                    return Ok(next);
                }
            };
            self.input.consume(1);
            if self.next == Next::Array {
                self.leave()?;
            }
        }
    }

    fn fault(&self, what: &str) -> Error {
        Error::malformed(format!("line {}: not JSON: {what}", self.line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str, most: usize) -> (Vec<String>, Option<String>) {
        let mut records = Records::new(text.as_bytes(), 50, &[]).unwrap();
        let mut found = Vec::new();
        loop {
            match records.chunk(most) {
                Ok(Some(chunk)) => found.extend(chunk.records().map(|(place, text)| {
                    format!("{place}: {}", String::from_utf8_lossy(text.trim_ascii()))
                })),
                Ok(None) => return (found, None),
                Err(e) => return (found, Some(e.to_string())),
            }
        }
    }

    #[test]
    fn records_have_their_places() {
        let cases: &[(&str, &[&str], Option<&str>)] = &[
            ("{\"a\":1}\n\n{\"b\n", &["line 1: {\"a\":1}", "line 3: {\"b"], None),
            (
                "{\n\"a\":1}\n{} 5",
                &["line 1, object 1: {\n\"a\":1}", "line 3, object 2: {}", "line 3, object 3: 5"],
                None,
            ),
            (
                "[\n{},\n{\"a\":[\n]}]\n",
                &["line 2, object 1: {}", "line 3, object 2: {\"a\":[\n]}"],
                None,
            ),
            (
                "[1,\"]\"]",
                &["line 1, object 1: {\"json\":1}", "line 1, object 2: {\"json\":\"]\"}"],
                None,
            ),
            (
                "[1,\"]\"]\n[][null]",
                &[
                    "line 1, object 1: {\"json\":[1,\"]\"]}",
                    "line 2, object 2: {\"json\":[]}",
                    "line 2, object 3: {\"json\":[null]}",
                ],
                None,
            ),
            ("[{}][][null]", &["line 1, object 1: {}", "line 1, object 2: null"], None),
            ("", &[], None),
            ("[]", &[], None),
            (
                "[{}",
                &["line 1, object 1: {}"],
                Some("malformed: line 1: not JSON: the file ends within an array"),
            ),
            (
                "[{},]",
                &["line 1, object 1: {}"],
                Some("malformed: line 1: not JSON: an element of an array is missing"),
            ),
            (
                "[{}{}]",
                &["line 1, object 1: {}"],
                Some("malformed: line 1: not JSON: no comma between two elements of an array"),
            ),
            ("[] x", &[], Some("malformed: line 1: not JSON: text after an array")),
            (
                "{\n}}x",
                &["line 1, object 1: {\n}", "line 2, object 2: }", "line 2, object 3: x"],
                None,
            ),
        ];
        for (text, records, error) in cases {
            for most in [1, 2, 100] {
                let (found, said) = cut(text, most);
                assert_eq!(
                    (found, said.as_deref()),
                    (records.iter().map(|r| r.to_string()).collect(), *error)
                );
            }
        }
        for text in [
            format!("{{}}\n{{\"a\":\"{}\"}}", "x".repeat(60)),
            format!("[{{}},[{}]]", "1,".repeat(60)),
        ] {
            let (found, said) = cut(&text, 10);
            assert_eq!(found.len(), 1);
            assert!(
                said.unwrap()
                    .contains("a row is longer than 50 bytes; --max-row-size sets the limit")
            );
        }
    }
}
