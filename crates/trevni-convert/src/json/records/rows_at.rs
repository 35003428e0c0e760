//! Finds the array of the rows within a document.
//!
//! ```text
//! {"type":"FeatureCollection","features":[{…},{…}],"bbox":[…]}      --rows-at features
//!                              ^ enter            ^ leave
//! ```
//! Other documents may follow, each with such an array.

use std::io::{BufRead, Read};

use memchr::memchr_iter;

use super::super::layout::Scan;
use super::Records;
use trevni::Result;

/// The longest name, in bytes.
const LONGEST_NAME: usize = 1 << 16;

impl<R: Read> Records<R> {
    /// Moves to the array of the next document. Returns whether there is one.
    pub(super) fn enter(&mut self) -> Result<bool> {
        if self.skip_blanks()?.is_none() {
            return Ok(false);
        }
        let path = self.rows_at.clone();
        for name in &path {
            self.expect(b'{', "an object")?;
            self.find_member(name)?;
        }
        match self.skip_blanks()? {
            Some(b'[') => Ok(true),
            _ => Err(self.fault(&format!("{:?} is no array", path.join(".")))),
        }
    }

    /// Moves behind the document whose array has ended.
    pub(super) fn leave(&mut self) -> Result<()> {
        let levels = self.rows_at.len();
        if levels > 0 {
            self.skip_value(Scan::within(levels))?;
        }
        Ok(())
    }

    /// Moves to the value of a member of the object that has been opened.
    fn find_member(&mut self, name: &str) -> Result<()> {
        loop {
            match self.skip_blanks()? {
                Some(b'"') => {}
                Some(b',') => {
                    self.input.consume(1);
                    continue;
                }
                _ => return Err(self.fault(&format!("no member {name:?}, where the rows are"))),
            }
            let found = self.name()?;
            self.expect(b':', "a colon after a name")?;
            if found.as_deref() == Some(name) {
                return Ok(());
            }
            self.skip_blanks()?;
            self.skip_value(Scan::default())?;
        }
    }

    /// Takes a name. `None` if it is not a string.
    fn name(&mut self) -> Result<Option<String>> {
        let (mut quoted, mut scan) = (Vec::new(), Scan::default());
        loop {
            let piece = self.input.fill_buf()?;
            let end = scan.end(piece);
            let used = end.unwrap_or(piece.len());
            let is_at_end = piece.is_empty();
            quoted.extend_from_slice(piece.get(..used).unwrap_or_default());
            self.input.consume(used);
            if end.is_some() {
                return Ok(serde_json::from_slice(&quoted).ok());
            }
            if is_at_end || quoted.len() > LONGEST_NAME {
                return Err(self.fault("a name does not end"));
            }
        }
    }

    /// Moves behind a value, or behind the levels that a scan is in.
    fn skip_value(&mut self, mut scan: Scan) -> Result<()> {
        loop {
            let piece = self.input.fill_buf()?;
            let end = scan.end(piece);
            let used = end.unwrap_or(piece.len());
            let is_at_end = piece.is_empty();
            self.line += memchr_iter(b'\n', piece.get(..used).unwrap_or_default()).count() as u64;
            self.input.consume(used);
            if end == Some(0) || is_at_end {
                return Err(self.fault("a value does not end"));
            }
            if end.is_some() {
                return Ok(());
            }
        }
    }

    fn expect(&mut self, byte: u8, what: &str) -> Result<()> {
        if self.skip_blanks()? != Some(byte) {
            return Err(self.fault(&format!("{what} is expected")));
        }
        self.input.consume(1);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::*;

    fn rows(text: &str, at: &[&str]) -> Result<Vec<String>> {
        let at: Vec<String> = at.iter().map(|name| (*name).to_owned()).collect();
        let mut records = Records::new(text.as_bytes(), 1000, &at)?;
        let mut rows = Vec::new();
        while let Some(chunk) = records.chunk(1)? {
            let text = chunk.records().map(|(_, text)| String::from_utf8_lossy(text.trim_ascii()));
            rows.extend(text.map(|text| text.into_owned()));
        }
        Ok(rows)
    }

    #[test]
    fn rows_are_found_within_documents() {
        let text = r#"{"x":"}]\"","a\u0062":{"n":[{"ab":0}],"rows":[{"i":1},{"i":2}],"z":[[{}]]},"y":{}}
            {"ab":{"rows":[{"i":3}]}} {"ab":{"rows":[]}}"#;
        assert_eq!(rows(text, &["ab", "rows"]).unwrap(), ["{\"i\":1}", "{\"i\":2}", "{\"i\":3}"]);
        assert_eq!(rows("{\"a\":[1]}", &["a"]).unwrap(), ["{\"json\":1}"]);
        assert_eq!(rows("", &["a"]).unwrap(), Vec::<String>::new());
        for (text, fault) in [
            ("{\"b\":[1]}", "line 1: not JSON: no member \"a\", where the rows are"),
            ("{\"a\":\n{}}", "line 2: not JSON: \"a\" is no array"),
            ("[1]", "line 1: not JSON: an object is expected"),
            ("{\"a\":[1],\"b", "line 1: not JSON: a value does not end"),
            ("{\"b\":}", "line 1: not JSON: a value does not end"),
            ("{\"b", "line 1: not JSON: a name does not end"),
        ] {
            assert!(rows(text, &["a"]).unwrap_err().to_string().ends_with(fault), "{text}");
        }
    }
}
