//! Strings as keys into views of the distinct ones, straight from the codes of a block.
//!
//! ```text
//! keys     0 1 0 0 │ 2 3 2      values   a b │ c a      the entries of a block, then those of the next
//! blocks   0 1 0 0 │ 0 1 0               a b │ c a
//! ```
//! Strings of a block without a dictionary get a value each.

use std::borrow::Cow;
use std::ops::Range;

use bytes::Bytes;

use super::dictionary::Entries;
use super::views::Views;
use super::{PackedStrings, StringEncoding};
use crate::error::{Error, Result};
use crate::kernel::{self, Level};
use crate::pack::integer::{Numbers, no_such_code};

/// Keys, each of a view. Several values may be the same string, and some may have no key.
#[derive(Debug, Clone, Default)]
pub struct ViewDictionary {
    keys: Vec<i32>,
    values: Views,
    /// The bytes of the entries that were added last, and the key of the first.
    last: Option<(Bytes, i32)>,
}

impl ViewDictionary {
    /// Creates an empty dictionary in reused memory.
    #[cfg(feature = "arrow")]
    pub(crate) fn within(mut keys: Vec<i32>, values: Views) -> Self {
        keys.clear();
        Self { keys, values, last: None }
    }

    /// Returns how many keys there are.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns whether there are no keys.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Returns the values.
    pub fn values(&self) -> &Views {
        &self.values
    }

    /// Lends the values to a caller that sets the memory they may take.
    pub(crate) fn values_mut(&mut self) -> &mut Views {
        &mut self.values
    }

    /// Returns the string of the `i`th key.
    pub fn get(&self, i: usize) -> Option<Cow<'_, [u8]>> {
        self.values.get(usize::try_from(*self.keys.get(i)?).ok()?)
    }

    /// Returns the keys and the values.
    pub fn into_parts(self) -> (Vec<i32>, Views) {
        (self.keys, self.values)
    }

    /// Appends the codes that `read` appends, of these entries. The entries become values, unless they were the last
    /// to become so.
    pub(crate) fn extend_codes(
        &mut self,
        entries: &Entries,
        read: impl FnOnce(&mut Vec<i32>) -> Result<()>,
    ) -> Result<()> {
        let first = self.add_entries(entries)?;
        let start = self.keys.len();
        read(&mut self.keys)?;
        let added = self.keys.get_mut(start..).unwrap_or_default();
        let largest = added.iter().fold(0, |largest, code| code.cast_unsigned().max(largest));
        if !added.is_empty() && largest as usize >= entries.len() {
            return Err(no_such_code());
        }
        // The sum is at most the key of the last value.
        added.iter_mut().for_each(|code| *code = code.wrapping_add(first));
        Ok(())
    }

    /// Returns whether these entries were the last that became values.
    pub(crate) fn has(&self, entries: &Entries) -> bool {
        self.last.as_ref().is_some_and(|(data, _)| entries.are_in(data))
    }

    /// Returns the key of the first of these entries.
    fn add_entries(&mut self, entries: &Entries) -> Result<i32> {
        match &self.last {
            Some((data, first)) if entries.are_in(data) => Ok(*first),
            _ => {
                let first = self.next_key()?;
                let mut views = entries.views(&mut self.values)?;
                self.values.views.append(&mut views);
                self.next_key()?;
                self.last = Some((entries.data().clone(), first));
                Ok(first)
            }
        }
    }

    /// Appends a key for each of the views that `read` appends.
    pub(crate) fn extend_views(
        &mut self,
        read: impl FnOnce(&mut Views) -> Result<()>,
    ) -> Result<()> {
        let first = self.next_key()?;
        read(&mut self.values)?;
        let keys = first..self.next_key()?;
        self.keys.extend(keys);
        Ok(())
    }

    /// Returns the key of the next value.
    fn next_key(&self) -> Result<i32> {
        let n = self.values.len();
        let too_many = |_| Error::too_large("values of a dictionary", n as u64, i32::MAX as u64);
        i32::try_from(n).map_err(too_many)
    }

    /// Moves the keys from `start` on to where bits are set, from bit `at` on; where they are not, keys are 0.
    pub(crate) fn spread(&mut self, start: usize, bits: &[u8], at: usize, n: usize) {
        let dense = self.keys.split_off(start);
        kernel::gather::expand(Level::in_use(), &dense, bits, at, n, 0, &mut self.keys);
    }

    /// Forgets all keys but the first `n`. Their values remain.
    pub(crate) fn truncate(&mut self, n: usize) {
        self.keys.truncate(n);
    }

    /// Forgets all buffers but the first `n`, and the values that no key is left for.
    pub(crate) fn truncate_buffers(&mut self, n: usize) {
        let used = self.keys.iter().filter_map(|key| usize::try_from(*key).ok());
        self.values.truncate(used.max().map_or(0, |last| last + 1));
        self.values.truncate_buffers(n);
        self.last = None;
    }
}

impl PackedStrings {
    /// Appends a key for each string of a range.
    pub(crate) fn read_keys(&self, range: Range<usize>, out: &mut ViewDictionary) -> Result<()> {
        self.check(&range)?;
        let n = range.len();
        self.keys(n, out, |codes, keys| codes.read(range.clone(), keys))
            .unwrap_or_else(|| out.extend_views(|views| self.read_views(range.clone(), views)))
    }

    /// Appends a key for each string at positions, which ascend.
    pub(crate) fn pick_keys(&self, places: &[u32], out: &mut ViewDictionary) -> Result<()> {
        let n = places.len();
        self.keys(n, out, |codes, keys| codes.pick(places, keys))
            .unwrap_or_else(|| out.extend_views(|views| self.pick_views(places, views)))
    }

    /// Appends the `n` codes that `read` appends; `None` if the strings have none, or there would be more values than
    /// keys.
    fn keys(
        &self,
        n: usize,
        out: &mut ViewDictionary,
        read: impl FnOnce(&Numbers, &mut Vec<i32>) -> Result<()>,
    ) -> Option<Result<()>> {
        let StringEncoding::Dictionary { entries, codes } = &self.kind else { return None };
        if n < entries.len() && !out.has(entries) {
            return None;
        }
        out.values_mut().bytes |= !self.text;
        Some(out.extend_codes(entries, |keys| read(codes, keys)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_key_goes_with_its_buffer() {
        let long = |of: &str| of.repeat(20);
        let mut dictionary = ViewDictionary::default();
        dictionary.extend_views(|views| views.push(long("a").as_bytes())).unwrap();
        dictionary.extend_views(|views| views.push(long("b").as_bytes())).unwrap();
        dictionary.extend_views(|views| views.push(b"c")).unwrap();
        dictionary.spread(2, &[0b10], 0, 2);
        assert_eq!(dictionary.keys, [0, 1, 0, 2]);
        assert_eq!(dictionary.get(3).as_deref(), Some(&b"c"[..]));
        dictionary.truncate(1);
        dictionary.truncate_buffers(1);
        assert_eq!((dictionary.len(), dictionary.values().len()), (1, 1));
        assert_eq!(dictionary.get(0).as_deref(), Some(long("a").as_bytes()));
        assert!(dictionary.get(1).is_none());
    }
}
