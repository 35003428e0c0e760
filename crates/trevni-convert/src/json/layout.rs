//! The layout of rows in JSON text, and the ends of values.
//!
//! ```text
//! {"a":1}⏎{"a":2}⏎        lines      every line is a row
//! {⏎  "a":1⏎}⏎{⏎ …        values     rows take any number of lines
//! [{"a":1},⏎{"a":2}]      array      every element is a row; arrays may follow one another
//! "x"⏎[1]⏎                values     values that are no objects are rows of one column
//! ```

use std::io::{self, Read};

use memchr::{memchr, memchr2};
use serde::de::IgnoredAny;

/// The layout of rows in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    Lines,
    Values,
    Array,
}

/// The maximum number of bytes that are inspected to find the layout.
const MOST_HEAD: usize = 1 << 20;

/// Bytes that are read first to find the layout.
const PIECE: usize = 1 << 12;

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Returns whether text that begins so may be rows of JSON.
pub(super) fn is_json(head: &[u8]) -> bool {
    match without_mark(head).trim_ascii_start() {
        [b'{', ..] => true,
        [b'[', rest @ ..] => matches!(rest.trim_ascii_start().first(), Some(b'{' | b'[' | b']')),
        _ => false,
    }
}

fn without_mark(head: &[u8]) -> &[u8] {
    head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head)
}

/// Returns the layout of a text, and the bytes that were read to find it, without a byte-order mark.
pub(super) fn detect(input: &mut impl Read) -> io::Result<(Layout, Vec<u8>)> {
    let mut head = Vec::new();
    loop {
        // Doubled each time, since all of it is inspected again.
        let piece = head.len().max(PIECE);
        let read = input.by_ref().take(piece as u64).read_to_end(&mut head)?;
        let is_all = read < piece || head.len() >= MOST_HEAD;
        if let Some(layout) = layout_of(without_mark(&head), is_all) {
            return Ok((layout, without_mark(&head).to_vec()));
        }
    }
}

/// Returns the layout of a text with this start; `None` if more is needed.
fn layout_of(head: &[u8], is_all: bool) -> Option<Layout> {
    let mut rest = head.trim_ascii_start();
    match rest.first() {
        Some(b'[') if are_arrays(rest) => return Some(Layout::Values),
        Some(b'[') => return Some(Layout::Array),
        Some(b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n') => {
            let first = Scan::default().end(rest).and_then(|end| rest.get(..end));
            if check(first.unwrap_or(rest)).is_ok() {
                return Some(Layout::Values);
            }
        }
        _ => {}
    }
    loop {
        let end = match memchr(b'\n', rest) {
            Some(end) => end,
            None if is_all => rest.len(),
            None => return None,
        };
        let line = rest.get(..end).unwrap_or_default();
        rest = rest.get(end..).unwrap_or_default().trim_ascii_start();
        // An object without members is a line also where others take many.
        let is_empty = line.iter().filter(|b| !b.is_ascii_whitespace()).eq(b"{}");
        if !is_empty || (rest.is_empty() && is_all) {
            return if is_whole(line) {
                Some(Layout::Lines)
            } else {
                broken_line(head, rest, is_all)
            };
        }
        if rest.is_empty() {
            return None;
        }
    }
}

/// Returns whether a text is an array without objects that another one follows: each is a row.
fn are_arrays(text: &[u8]) -> bool {
    let first = text.get(1..).unwrap_or_default().trim_ascii_start().first();
    let behind = Scan::default().end(text).and_then(|end| text.get(end..));
    !matches!(first, Some(b'{' | b']'))
        && behind.is_some_and(|behind| behind.trim_ascii_start().first() == Some(&b'['))
}

/// Returns the layout of a text whose first line is incomplete: either objects span lines, or the line is
/// truncated. It is truncated if the next line is an object, and both together are not a value.
fn broken_line(head: &[u8], rest: &[u8], is_all: bool) -> Option<Layout> {
    let next = match memchr(b'\n', rest) {
        Some(end) => rest.get(..end).unwrap_or_default(),
        None if is_all => rest,
        None => return None,
    };
    if !next.starts_with(b"{") || check(next).is_err() {
        return Some(Layout::Values);
    }
    let first = head.trim_ascii_start();
    match Scan::default().end(first) {
        Some(end) => {
            let is_value = check(first.get(..end).unwrap_or_default()).is_ok();
            Some(if is_value { Layout::Values } else { Layout::Lines })
        }
        None => is_all.then_some(Layout::Lines),
    }
}

/// Returns whether no bracket or string is open at the end of a text.
fn is_whole(text: &[u8]) -> bool {
    let (mut scan, mut at) = (Scan::default(), 0);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.trim_ascii_start().is_empty()) {
        let blank = rest.len() - rest.trim_ascii_start().len();
        match scan.end(rest.trim_ascii_start()) {
            // Invalid JSON has no end.
            Some(0) => return true,
            Some(end) => at += blank + end,
            // A number or a word ends with the text.
            None => return scan.levels == 0 && !scan.in_string,
        }
        scan = Scan::default();
    }
    true
}

/// Fails if a text is no JSON.
pub(super) fn check(text: &[u8]) -> Result<(), serde_json::Error> {
    serde_json::Deserializer::from_slice(text)
        .into_iter::<IgnoredAny>()
        .try_for_each(|value| value.map(drop))
}

/// Returns whether arrays and objects are nested in each other more than this many levels. The text need not be JSON.
pub(super) fn is_deeper(mut text: &[u8], most: usize) -> bool {
    while !text.is_empty() {
        let mut scan = Scan::default();
        let end = scan.end(text).unwrap_or(text.len()).max(1);
        if scan.deepest > most {
            return true;
        }
        text = text.get(end..).unwrap_or_default();
    }
    false
}

/// Finds the end of a value, by its brackets and strings.
#[derive(Debug, Default)]
pub(super) struct Scan {
    levels: usize,
    /// The maximum of the levels so far.
    deepest: usize,
    in_string: bool,
    is_escaped: bool,
}

impl Scan {
    /// Creates the scan of a text that is within some levels, which ends with the outermost.
    pub(super) fn within(levels: usize) -> Self {
        Self { levels, deepest: levels, ..Self::default() }
    }

    /// Returns how many bytes of the next piece of text belong to the value, if it ends in it.
    pub(super) fn end(&mut self, text: &[u8]) -> Option<usize> {
        let mut at = 0;
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            if self.in_string {
                at += self.string(rest);
                if !self.in_string && self.levels == 0 {
                    return Some(at);
                }
                continue;
            }
            let n = rest.iter().position(|b| self.is_mark(*b))?;
            at += n;
            match rest.get(n) {
                Some(b'"') => self.in_string = true,
                Some(b'{' | b'[') => {
                    self.levels += 1;
                    self.deepest = self.deepest.max(self.levels);
                }
                Some(b'}' | b']') if self.levels == 1 => return Some(at + 1),
                Some(b'}' | b']') if self.levels > 1 => self.levels -= 1,
                // After a number or a word.
                _ => return Some(at),
            }
            at += 1;
        }
        None
    }

    fn is_mark(&self, b: u8) -> bool {
        match b {
            b'"' | b'{' | b'[' | b'}' | b']' => true,
            b',' | b' ' | b'\t' | b'\r' | b'\n' => self.levels == 0,
            _ => false,
        }
    }

    /// Returns how many bytes of a text belong to the string that it is in.
    fn string(&mut self, text: &[u8]) -> usize {
        if self.is_escaped {
            self.is_escaped = false;
            return 1;
        }
        let Some(at) = memchr2(b'"', b'\\', text) else { return text.len() };
        if text.get(at) == Some(&b'"') {
            self.in_string = false;
        } else {
            self.is_escaped = true;
        }
        at + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bytes_say_the_layout() {
        use Layout::{Array, Lines, Values};
        for (text, layout) in [
            ("{\"a\":1}\n{\"a\":2}", Lines),
            ("\n\n {\"a\":1} {\"a\":2}\n", Lines),
            ("{\"a\":\"{\\\"\"}\n", Lines),
            ("{}\n{}\n", Lines),
            ("{}\n{\n\"a\":1}\n", Values),
            ("{\n}", Values),
            ("{\"a\":\n1}", Values),
            ("{\"a\":\"x\n", Values),
            // A line that is cut.
            ("{\"a\":1\n{\"a\":2}\n", Lines),
            ("{\"a\":\"x\n{\"a\":2}\n{\"a\":3}", Lines),
            ("{\"a\":\n{\"a\":2}\n}", Values),
            ("{\"a\":\n{\"a\":2}\n", Lines),
            (" \u{feff}[", Values),
            ("\u{feff} \n[", Array),
            ("[{}]", Array),
            ("", Lines),
            ("5", Values),
            ("\"a\"\n\"b\"", Values),
            ("[1]\n[2]", Values),
            ("[{}]\n[2]", Array),
            ("hello\n{}", Lines),
            ("\"x", Values),
            ("[] [{}] []", Array),
        ] {
            assert_eq!(detect(&mut text.as_bytes()).unwrap().0, layout, "{text:?}");
        }
        let long = format!("{{\"a\":\"{}\"}}\n", "x".repeat(100_000));
        let (layout, head) = detect(&mut format!("\u{feff}{long}").as_bytes()).unwrap();
        assert_eq!((layout, head.len() <= long.len()), (Lines, true));
    }

    #[test]
    fn depth_is_that_of_brackets_outside_of_strings() {
        for (text, depth) in [
            ("", 0),
            ("1", 0),
            ("[]", 1),
            ("[{}, [[1]]]", 3),
            (r#"["[[", "\"[[\\", {}]"#, 2),
            ("]]][", 1),
        ] {
            assert!(!is_deeper(text.as_bytes(), depth), "{text}");
            assert!(depth == 0 || is_deeper(text.as_bytes(), depth - 1), "{text}");
        }
    }

    #[test]
    fn values_end_in_any_pieces() {
        for (text, end) in [
            ("{\"a\":[1,{\"b\":\"}\\\"]\"}]} ", Some(22)),
            ("\"a\\\\\",", Some(5)),
            ("\"\\\"\"", Some(4)),
            ("12, ", Some(2)),
            ("null]", Some(4)),
            ("[[]", None),
            ("{\"a", None),
        ] {
            for piece in 1..=text.len() {
                let (mut scan, mut found, mut before) = (Scan::default(), None, 0);
                for piece in text.as_bytes().chunks(piece) {
                    if found.is_none() {
                        found = scan.end(piece).map(|end| before + end);
                    }
                    before += piece.len();
                }
                assert_eq!(found, end, "{text:?}");
            }
        }
    }
}
