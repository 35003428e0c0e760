//! Splits text into chunks of complete records.
//!
//! ```text
//! stream   a,b⏎1,"x⏎y"⏎2,z⏎3,…
//! chunks   a,b⏎ 1,"x⏎y"⏎ │ 2,z⏎ 3,… ⏎ │ …      each ends after a record; a record longer than a chunk is a chunk
//! ```
//! Only quotes are inspected to find the ends of records; fields are found later, by several threads.

use std::io::{self, Read};

use memchr::{memchr, memrchr};

use super::record::{self, Dialect, is_end};
use trevni::{Error, Result};

/// Complete records.
#[derive(Debug, Default, Clone)]
pub(super) struct Chunk {
    pub(super) text: Vec<u8>,
    /// How many bytes at the start belong to no row: the names of the columns.
    pub(super) skip: usize,
}

impl Chunk {
    /// Returns whether there are no records.
    pub(super) fn is_blank(&self, dialect: Dialect) -> bool {
        record::next(&self.text, 0, dialect).is_none()
    }
}

/// Bytes of the first chunk; each is twice as long as the one before until they are full-sized. So that little is
/// waited for where little is wanted.
const FIRST: usize = 64 << 10;

/// Cuts a stream.
pub(super) struct Chunks<R> {
    input: R,
    dialect: Dialect,
    /// Bytes of a chunk, and of the next.
    size: usize,
    next_size: usize,
    /// Bytes that have been read and not returned.
    rest: Vec<u8>,
    /// The maximum length of a record: a longer one most likely lacks a closing quote.
    max_record: usize,
    is_at_end: bool,
    has_failed: bool,
}

impl<R: Read> Chunks<R> {
    /// Cuts a stream into chunks of about `size` bytes. `dialect` is called with the first bytes.
    pub(super) fn new(
        input: R,
        size: usize,
        max_record: usize,
        dialect: impl FnOnce(&[u8]) -> Dialect,
    ) -> io::Result<Self> {
        let size = size.max(1);
        let mut chunks = Self {
            input,
            dialect: Dialect { delimiter: b',', quote: None, escape: None, comment: None },
            size,
            next_size: size.min(FIRST),
            rest: Vec::new(),
            max_record,
            is_at_end: false,
            has_failed: false,
        };
        chunks.fill(FIRST)?;
        chunks.dialect = dialect(&chunks.rest);
        Ok(chunks)
    }

    pub(super) fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Reads until `size` bytes are at hand, or all.
    fn fill(&mut self, size: usize) -> io::Result<()> {
        let mut filled = self.rest.len();
        if filled < size {
            self.rest.resize(size, 0);
        }
        while filled < size && !self.is_at_end {
            match self.input.read(self.rest.get_mut(filled..).unwrap_or_default()) {
                Ok(0) => self.is_at_end = true,
                Ok(n) => filled += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => {
                    self.rest.truncate(filled);
                    return Err(e);
                }
            }
        }
        self.rest.truncate(filled);
        Ok(())
    }

    fn cut(&mut self) -> Result<Option<Chunk>> {
        let mut size = self.next_size;
        self.next_size = self.next_size.saturating_mul(2).min(self.size);
        loop {
            self.fill(size)?;
            if self.is_at_end && self.rest.len() <= size {
                let text = std::mem::take(&mut self.rest);
                return Ok((!text.is_empty()).then_some(Chunk { text, skip: 0 }));
            }
            let looked_at = self.rest.get(..size).unwrap_or(&self.rest);
            if let Some(end) = last_end(looked_at, self.dialect) {
                let behind = self.rest.get(end..).unwrap_or_default();
                let mut rest = Vec::with_capacity(self.size.max(behind.len()));
                rest.extend_from_slice(behind);
                let mut text = std::mem::replace(&mut self.rest, rest);
                text.truncate(end);
                return Ok(Some(Chunk { text, skip: 0 }));
            }
            if size >= self.max_record {
                return Err(Error::too_large("a record", size as u64, self.max_record as u64));
            }
            size = size.saturating_mul(2);
        }
    }
}

impl<R: Read> Iterator for Chunks<R> {
    type Item = Result<Chunk>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.has_failed {
            return None;
        }
        let chunk = self.cut();
        self.has_failed = chunk.is_err();
        chunk.transpose()
    }
}

/// Returns the end of the last complete record of a text that begins with a record, if there is one.
fn last_end(text: &[u8], dialect: Dialect) -> Option<usize> {
    if dialect.comment.is_some() {
        return last_record(text, dialect);
    }
    let Some(quote) = dialect.quote else { return end_of_line(text, 0) };
    let (mut at, mut last) = (0, None);
    loop {
        let rest = text.get(at..).unwrap_or_default();
        let Some(n) = memchr(quote, rest) else { return end_of_line(rest, at).or(last) };
        let before = rest.get(..n).unwrap_or_default();
        last = end_of_line(before, at).or(last);
        at += n + 1;
        let opens = match n.checked_sub(1).and_then(|n| rest.get(n)) {
            Some(b) => *b == dialect.delimiter || is_end(*b),
            // After a closing quote it is literal.
            None => at == 1,
        };
        if opens {
            match closing(text, at, quote, dialect.escape) {
                Some(close) => at = close + 1,
                None => return last,
            }
        }
    }
}

/// Returns the end of the last complete record of a text with comments, whose quotes open nothing.
fn last_record(text: &[u8], dialect: Dialect) -> Option<usize> {
    let (mut at, mut last) = (0, None);
    while let Some(record) = record::next(text, at, dialect) {
        at = record.end;
        // What ends with the text may go on.
        if at < text.len() {
            last = Some(at);
        }
    }
    last
}

/// Returns the position of the closing quote. One at the end of the text may be the first of two.
fn closing(text: &[u8], at: usize, quote: u8, escape: Option<u8>) -> Option<usize> {
    let (close, _) = record::closing(text, at, quote, escape)?;
    (close + 1 < text.len()).then_some(close)
}

/// Returns the position after the last end of line outside of quotes. A single `\r` ends lines if there is no `\n`.
fn end_of_line(text: &[u8], at: usize) -> Option<usize> {
    let end = memrchr(b'\n', text).or_else(|| {
        // The last may be one half of an end of line.
        let text = text.get(..text.len().checked_sub(1)?)?;
        memrchr(b'\r', text)
    })?;
    Some(at + end + 1)
}

/// Returns how many lines end in a text.
pub(super) fn lines(text: &[u8]) -> u64 {
    let count = |byte| memchr::memchr_iter(byte, text).count();
    if memchr(b'\r', text).is_none() {
        return count(b'\n') as u64;
    }
    let pairs = memchr::memmem::find_iter(text, b"\r\n").count();
    (count(b'\n') + count(b'\r') - pairs) as u64
}

/// Returns the text up to the last end of a line, in quotes or not; all of it if no line ends.
pub(super) fn whole_lines(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|b| is_end(*b)).map_or(text.len(), |at| at + 1);
    text.get(..end).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIALECT: Dialect =
        Dialect { delimiter: b',', quote: Some(b'"'), escape: None, comment: None };

    fn chunks(text: &str, size: usize) -> Vec<String> {
        let chunks = Chunks::new(text.as_bytes(), size, 1 << 20, |_| DIALECT).unwrap();
        chunks.map(|chunk| String::from_utf8(chunk.unwrap().text).unwrap()).collect()
    }

    #[test]
    fn chunks_end_behind_records() {
        for text in [
            "a,b\n1,2\n3,4\n",
            "a,b\r\n1,2\r\n3,4",
            "a\rb\rc\r",
            "\"a\nb\",c\n\"d\"\"\n\",e\n\"\n\"\n",
            "5\" x\n6\" y\nz\"\n\"a\"b\"\nc\n",
            "\"a\" \"\nb\n\"c\n\n\"\n",
            "\"open\n\n\n",
            "",
        ] {
            let dialect = DIALECT;
            let ends = |text: &str| -> Vec<usize> {
                let (mut at, mut ends) = (0, vec![0]);
                while let Some(record) = super::super::record::next(text.as_bytes(), at, dialect) {
                    at = record.end;
                    ends.push(at);
                }
                ends.push(text.len());
                ends
            };
            let ends = ends(text);
            for size in 1..=text.len() + 1 {
                let mut at = 0;
                for chunk in chunks(text, size) {
                    assert!(!chunk.is_empty());
                    at += chunk.len();
                    let between = text[at..].starts_with(['\n', '\r']);
                    assert!(ends.contains(&at) || between, "{text:?} by {size} at {at}");
                }
                assert_eq!(at, text.len(), "{text:?} by {size}");
            }
        }
    }

    #[test]
    fn lines_are_counted() {
        for (text, expected) in [("", 0), ("a", 0), ("a\nb\n", 2), ("a\r\nb\r\n", 2), ("a\rb\r", 2)]
        {
            assert_eq!(lines(text.as_bytes()), expected, "{text:?}");
        }
    }
}
