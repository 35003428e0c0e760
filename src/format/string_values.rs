//! Strings as one buffer of bytes with offsets, as in Arrow.
//!
//! ```text
//! offsets   0  3  3  6        one more than there are strings
//! data      f  o  o  b  a  r  string i is data[offsets[i]..offsets[i + 1]]
//! ```

use crate::error::{Error, Result};
use crate::kernel;

/// Strings end to end, with the offsets between them.
#[derive(Debug, Clone)]
pub struct Strings {
    /// One more than there are strings, from 0.
    pub offsets: Vec<i32>,
    /// All bytes.
    pub data: Vec<u8>,
    /// Whether each is known to be UTF-8: of a string column, where only decoders that look have appended.
    pub(crate) text: bool,
    /// How many bytes `data` may have when a decoder has appended.
    pub(crate) limit: usize,
}

/// Where each string starts and ends, in either of Arrow's widths.
#[derive(Debug, Clone, Copy)]
pub enum Offsets<'a> {
    /// 32 bits.
    Small(&'a [i32]),
    /// 64 bits.
    Large(&'a [i64]),
}

impl Offsets<'_> {
    /// Returns the number of values.
    pub fn len(&self) -> usize {
        match self {
            Offsets::Small(o) => o.len().saturating_sub(1),
            Offsets::Large(o) => o.len().saturating_sub(1),
        }
    }

    /// Returns whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns where the `i`th value starts.
    pub(crate) fn start(&self, i: usize) -> usize {
        self.at(i).unwrap_or(0)
    }

    fn at(&self, i: usize) -> Option<usize> {
        match self {
            Offsets::Small(o) => usize::try_from(*o.get(i)?).ok(),
            Offsets::Large(o) => usize::try_from(*o.get(i)?).ok(),
        }
    }

    /// Returns the `i`th value in `data`.
    pub fn value<'d>(&self, i: usize, data: &'d [u8]) -> Option<&'d [u8]> {
        data.get(self.at(i)?..self.at(i + 1)?)
    }

    /// Returns the bytes of a range of values together.
    pub(crate) fn bytes_between(&self, values: std::ops::Range<usize>) -> usize {
        let at = |i| self.at(i).unwrap_or(0);
        at(values.end).saturating_sub(at(values.start))
    }

    pub(crate) fn check(&self, data: &[u8], text: bool) -> Result<()> {
        let sorted = match self {
            Offsets::Small(o) => o.first().is_none_or(|first| *first >= 0) && o.is_sorted(),
            Offsets::Large(o) => o.first().is_none_or(|first| *first >= 0) && o.is_sorted(),
        };
        let n = self.len();
        let (start, end) = (self.at(0).unwrap_or(0), self.at(n).unwrap_or(0));
        let Some(used) = data.get(start..end).filter(|_| sorted) else {
            return Err(Error::invalid("string offsets go back, or past the data"));
        };
        if text && !kernel::string::is_utf8(used, (0..n).map(|i| self.start(i) - start)) {
            return Err(Error::invalid(match std::str::from_utf8(used) {
                Ok(_) => "string offset within a character",
                Err(_) => "string is not UTF-8",
            }));
        }
        Ok(())
    }
}

impl Default for Strings {
    fn default() -> Self {
        Self { offsets: vec![0], data: Vec::new(), text: false, limit: usize::MAX }
    }
}

impl PartialEq for Strings {
    fn eq(&self, other: &Self) -> bool {
        self.offsets == other.offsets && self.data == other.data
    }
}

impl Eq for Strings {}

impl Strings {
    /// Creates an empty vector of strings (`text`) or of bytes in reused memory.
    #[cfg(feature = "arrow")]
    pub(crate) fn within(mut offsets: Vec<i32>, mut data: Vec<u8>, text: bool) -> Self {
        offsets.clear();
        offsets.push(0);
        data.clear();
        Self { offsets, data, text, limit: usize::MAX }
    }

    /// Limits the bytes that decoders append to `more` than there are.
    pub(crate) fn set_room(&mut self, more: usize) {
        self.limit = self.data.len().saturating_add(more);
    }

    /// Creates an empty vector that appends to `data`, with the same limit.
    pub(crate) fn behind(&self, data: Vec<u8>) -> Self {
        let end = self.offsets.last().copied().unwrap_or(0);
        Self { offsets: vec![end], data, text: false, limit: self.limit }
    }

    /// Returns how many strings.
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Returns whether there are no strings.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the `i`th string.
    pub fn get(&self, i: usize) -> Option<&[u8]> {
        Offsets::Small(&self.offsets).value(i, &self.data)
    }

    /// Appends a string; fails when all together pass 2 GiB.
    pub fn push(&mut self, value: &[u8]) -> Result<()> {
        self.text = self.text && std::str::from_utf8(value).is_ok();
        self.append(value)
    }

    /// The same for decoders, which look at many at once.
    pub(crate) fn append(&mut self, value: &[u8]) -> Result<()> {
        let end = self.data.len() + value.len();
        let Ok(offset) = i32::try_from(end) else {
            return Err(Error::too_large("strings of one read", end as u64, i32::MAX as u64));
        };
        self.data.extend_from_slice(value);
        self.offsets.push(offset);
        Ok(())
    }

    pub(crate) fn truncate(&mut self, n: usize) {
        self.offsets.truncate(n + 1);
        let end = self.offsets.last().and_then(|end| usize::try_from(*end).ok()).unwrap_or(0);
        self.data.truncate(end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truncate_forgets() {
        let mut strings = Strings::default();
        for s in ["a", "", "bcd"] {
            strings.push(s.as_bytes()).unwrap();
        }
        strings.truncate(2);
        assert_eq!((strings.len(), strings.data.as_slice(), strings.get(2)), (2, &b"a"[..], None));
    }
}
