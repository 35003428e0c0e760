//! Cuts text into chunks of complete lines.
//!
//! ```text
//! text    {"a":1}⏎{"a":2}⏎{"a":3}⏎{"a":4}⏎…
//! chunks  {"a":1}⏎{"a":2}⏎ │ {"a":3}⏎ …      each ends with a line, and has at most so many of them
//! ```

use std::io::Read;
use std::ops::Range;

use memchr::{memchr, memchr_iter, memrchr};

use super::record_location::RecordLocation;
use trevni::{Error, Result};

/// Bytes of the first chunk; each next is twice as long until they are full-sized. So that little is waited for where
/// little is wanted.
const FIRST: usize = 64 << 10;

/// Bytes of a full-sized chunk, unless a line is longer.
const FULL: usize = 1 << 20;

/// Cuts lines.
#[derive(Debug)]
pub(super) struct LineChunks {
    /// Bytes of the next chunk.
    size: usize,
    /// Bytes that have been read and not returned.
    rest: Vec<u8>,
    /// The number of the line that is next.
    line: u64,
    /// About as many lines as the last chunk had.
    last_lines: usize,
    max_row_size: usize,
}

/// Complete lines.
#[derive(Debug)]
pub(super) struct Lines {
    pub(super) text: Vec<u8>,
    /// The end of each.
    ends: Vec<usize>,
    /// The number of the first.
    line: u64,
}

impl LineChunks {
    pub(super) fn new(max_row_size: usize) -> Self {
        Self { size: FIRST, rest: Vec::new(), line: 1, last_lines: 0, max_row_size }
    }

    /// Returns the next lines, at most `most`; `None` at the end. The error comes with the lines before it.
    pub(super) fn next(
        &mut self,
        input: &mut impl Read,
        most: usize,
    ) -> (Option<Lines>, Result<()>) {
        // No line of a text that is no longer than the limit is longer.
        let mut size = self.size.min(self.max_row_size).max(1);
        let mut text = std::mem::take(&mut self.rest);
        loop {
            let missing = size.saturating_sub(text.len());
            text.reserve(missing);
            let read = input.by_ref().take(missing as u64).read_to_end(&mut text);
            let is_at_end = read.as_ref().is_ok_and(|read| *read < missing);
            if self.is_too_long(&text) {
                return (None, Err(self.too_long()));
            }
            // The incomplete line before an error is dropped.
            let end = match is_at_end {
                true => Some(text.len()),
                false => memrchr(b'\n', &text).map(|end| end + 1),
            };
            if let Some(end) = end.filter(|end| *end > 0) {
                return (Some(self.cut(text, end, most)), read.map(drop).map_err(Error::from));
            }
            if is_at_end || read.is_err() {
                return (None, read.map(drop).map_err(Error::from));
            }
            size = text.len().saturating_mul(2).min(self.max_row_size.saturating_add(1));
        }
    }

    /// Returns the lines before `end`, at most `most` of them, and keeps the others.
    fn cut(&mut self, mut text: Vec<u8>, end: usize, most: usize) -> Lines {
        let lines = text.get(..end).unwrap_or_default();
        let mut ends = Vec::with_capacity(self.last_lines);
        ends.extend(memchr_iter(b'\n', lines).take(most.max(1)).map(|at| at + 1));
        let cut = match ends.last() {
            Some(last) if ends.len() >= most => *last,
            _ => end,
        };
        self.size = match cut < end {
            true => (cut + cut / 8).max(FIRST),
            false => self.size.saturating_mul(2).min(FULL),
        };
        let behind = text.get(cut..).unwrap_or_default();
        self.rest.reserve(behind.len().max(self.size));
        self.rest.extend_from_slice(behind);
        text.truncate(cut);
        let line = self.line;
        self.line += ends.len() as u64;
        self.last_lines = ends.len() + ends.len() / 16;
        if ends.last() != Some(&cut) {
            ends.push(cut);
        }
        Lines { text, ends, line }
    }

    /// Returns whether the first line of a text is longer than the limit.
    fn is_too_long(&self, text: &[u8]) -> bool {
        let most = text.get(..self.max_row_size).filter(|most| most.len() < text.len());
        most.is_some_and(|most| memchr(b'\n', most).is_none())
    }

    fn too_long(&self) -> Error {
        let (place, most) = (RecordLocation::of_line(self.line), self.max_row_size);
        Error::malformed(format!(
            "{place}: a row is longer than {most} bytes; --max-row-size sets the limit"
        ))
    }
}

impl Lines {
    /// Returns the lines that are not blank: their bytes in the text.
    pub(super) fn ranges(&self) -> impl Iterator<Item = (RecordLocation, Range<usize>)> {
        let (mut start, mut number) = (0, self.line);
        self.ends.iter().filter_map(move |&end| {
            let (range, place) = (start..end, RecordLocation::of_line(number));
            (start, number) = (end, number + 1);
            let line = self.text.get(range.clone())?;
            (!line.trim_ascii_start().is_empty()).then_some((place, range))
        })
    }
}
