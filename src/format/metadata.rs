//! Metadata: ordered pairs of a string and bytes.
//!
//! ```text
//! metadata = long pairs, then of each pair: string key, bytes value
//! file     trevni.codec, trevni.checksum
//! column   trevni.name, trevni.type, trevni.codec, trevni.checksum, trevni.values, trevni.array, trevni.parent
//!          arrow.statistics, arrow.bloom: written by every writer
//! ```
//! Keys that start with `trevni.` are reserved. Pairs keep the order in which they were set, as in the reference.
//! Setting a key again keeps its position, and if a file repeats a key, its last value counts. (Specification:
//! "Metadata", "File Metadata", "Column Metadata".)

use std::borrow::Cow;

use bytes::Bytes;

use crate::checksum::Checksum;
use crate::codec::Codec;
use crate::error::{Error, Result};
use crate::keys::{self, CHECKSUM, CODEC, RESERVED};
use crate::wire::{self, Cursor};

/// A key, borrowed if it is one of [`keys`](crate::keys), and its value.
type Pair = (Cow<'static, str>, Bytes);

/// An iterator over the pairs of [`Metadata`], in order.
#[derive(Debug, Clone)]
pub struct MetadataIter<'a>(std::slice::Iter<'a, Pair>);

impl<'a> Iterator for MetadataIter<'a> {
    type Item = (&'a str, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(key, value)| (&**key, &**value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<'a> IntoIterator for &'a Metadata {
    type Item = (&'a str, &'a [u8]);
    type IntoIter = MetadataIter<'a>;

    fn into_iter(self) -> MetadataIter<'a> {
        self.iter()
    }
}

/// Pairs of a key and a value, in the order in which they were set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Metadata {
    pairs: Vec<Pair>,
}

impl Metadata {
    /// No pairs.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a key of the caller's own; keys that start `trevni.` are refused.
    pub fn set(&mut self, key: impl Into<String>, value: impl Into<Vec<u8>>) -> Result<()> {
        let key = key.into();
        if key.starts_with(RESERVED) {
            return Err(Error::invalid(format!("metadata key {key:?} is reserved")));
        }
        self.put(key, value.into());
        Ok(())
    }

    pub(crate) fn put(&mut self, key: impl Into<Cow<'static, str>>, value: impl Into<Bytes>) {
        let (key, value) = (key.into(), value.into());
        match self.pairs.iter_mut().find(|(k, _)| *k == key) {
            Some((_, old)) => *old = value,
            None => self.pairs.push((key, value)),
        }
    }

    /// Takes a key of the caller's own away; keys that start `trevni.` are refused.
    pub fn unset(&mut self, key: &str) -> Result<()> {
        if key.starts_with(RESERVED) {
            return Err(Error::invalid(format!("metadata key {key:?} is reserved")));
        }
        self.remove(key);
        Ok(())
    }

    pub(crate) fn remove(&mut self, key: &str) {
        self.pairs.retain(|(k, _)| k != key);
    }

    /// Returns the value of a key.
    pub fn get(&self, key: &str) -> Option<&[u8]> {
        self.pairs.iter().find(|(k, _)| k == key).map(|(_, value)| &**value)
    }

    /// Returns the value of a key as text, if it is UTF-8.
    pub fn get_str(&self, key: &str) -> Option<&str> {
        std::str::from_utf8(self.get(key)?).ok()
    }

    /// Returns the pairs in order.
    pub fn iter(&self) -> MetadataIter<'_> {
        MetadataIter(self.pairs.iter())
    }

    /// Returns how many pairs.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Returns whether there are no pairs.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        wire::put_long(out, self.pairs.len() as i64);
        for (key, value) in &self.pairs {
            wire::put_string(out, key);
            wire::put_bytes(out, value);
        }
    }

    /// Reads pairs from a cursor over `source`, whose memory the values share.
    pub(crate) fn read(cursor: &mut Cursor<'_>, source: &Bytes) -> Result<Self> {
        let count = cursor.count("metadata pairs")?;
        let mut pairs = Vec::with_capacity(usize::try_from(count).unwrap_or(FEW).min(FEW / 2));
        for _ in 0..count {
            let key = cursor.string("metadata key")?;
            let value = cursor.bytes("metadata value")?;
            let end = usize::try_from(cursor.position()).unwrap_or(usize::MAX);
            let value = match end <= source.len() {
                true => source.slice(end - value.len()..end),
                false => Bytes::copy_from_slice(value),
            };
            pairs.push((known(key), value));
        }
        Ok(Self { pairs: keep_last(pairs) })
    }

    /// Passes over pairs.
    pub(crate) fn skip(cursor: &mut Cursor<'_>) -> Result<()> {
        for _ in 0..cursor.count("metadata pairs")? {
            cursor.bytes("metadata key")?;
            cursor.bytes("metadata value")?;
        }
        Ok(())
    }

    pub(crate) fn codec(&self) -> Result<Option<Codec>> {
        self.reserved(CODEC)?.map(Codec::from_name).transpose()
    }

    pub(crate) fn checksum(&self) -> Result<Option<Checksum>> {
        self.reserved(CHECKSUM)?.map(Checksum::from_name).transpose()
    }

    pub(super) fn reserved(&self, key: &str) -> Result<Option<&str>> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let text = std::str::from_utf8(value);
        text.map(Some).map_err(|_| Error::malformed(format!("{key} is not UTF-8")))
    }
}

/// Returns a key as it is kept.
fn known(key: &str) -> Cow<'static, str> {
    let known = keys::OF_COLUMNS.iter().find(|known| **known == key);
    known.map_or_else(|| Cow::Owned(key.to_owned()), |known| Cow::Borrowed(*known))
}

/// Pairs that are compared one by one.
const FEW: usize = 16;

/// Keeps the first position and the last value of repeated keys.
fn keep_last(pairs: Vec<Pair>) -> Vec<Pair> {
    let is_new = |(i, (key, _)): (usize, &Pair)| pairs.iter().take(i).all(|(k, _)| k != key);
    if pairs.len() <= FEW && pairs.iter().enumerate().all(is_new) {
        return pairs;
    }
    let mut places = std::collections::HashMap::with_capacity(pairs.len());
    let mut kept: Vec<Pair> = Vec::with_capacity(pairs.len());
    for (key, value) in pairs {
        match places.get(&key).and_then(|at: &usize| kept.get_mut(*at)) {
            Some((_, old)) => *old = value,
            None => {
                places.insert(key.clone(), kept.len());
                kept.push((key, value));
            }
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Metadata> {
        let bytes = Bytes::copy_from_slice(bytes);
        let mut skipped = Cursor::new(&bytes);
        let mut cursor = Cursor::new(&bytes);
        let read = Metadata::read(&mut cursor, &bytes);
        assert_eq!(Metadata::skip(&mut skipped).is_ok(), read.is_ok());
        assert_eq!(skipped.position(), cursor.position());
        read
    }

    #[test]
    fn pairs_keep_their_order_and_reserved_keys_are_refused() {
        let mut m = Metadata::new();
        m.set("b", [0xff]).unwrap();
        m.set("", "é").unwrap();
        m.set("b", [1]).unwrap();
        assert!(m.set("trevni.x", "").is_err());
        let mut out = Vec::new();
        m.write(&mut out);
        assert_eq!(out, [4, 2, b'b', 2, 1, 0, 4, 0xc3, 0xa9]);
        assert_eq!(read(&out).unwrap(), m);
        let repeated = [4, 2, b'k', 2, 1, 2, b'k', 2, 9];
        let m = read(&repeated).unwrap();
        assert_eq!((m.len(), m.get("k")), (1, Some(&[9][..])));
        // A count of two thousand million pairs fails at the first missing pair.
        assert!(read(&[0xfe, 0xff, 0xff, 0xff, 0x0f]).is_err());
    }
}
