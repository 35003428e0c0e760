//! Fetched byte ranges of an object, as a source of positioned reads.
//!
//! ```text
//! object    |──────────────────────────────────────────────|
//! pieces    [head]      [piece ][piece]            [piece]       apart or touching, never over each other
//! read_at      ✓            ✓ (joined)      ✗ an error that names the bytes
//! ```
//! Nothing is fetched here: a read of missing bytes is an error, so that a wrong plan is detected.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use bytes::{Bytes, BytesMut};

use super::ReadAt;

type Pieces = BTreeMap<u64, Bytes>;

/// Pieces of an object of known length. They can be added and dropped while readers share it.
///
/// ```
/// use trevni::io::{Ranges, ReadAt};
///
/// let object = Ranges::new(100);
/// object.insert(10, "abcdef".into())?;
/// assert_eq!(object.read_at(12, 3)?, "cde");
/// assert_eq!(object.missing(8..12), [8..10]);
/// assert!(object.read_at(8, 3).is_err());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Ranges {
    len: u64,
    pieces: RwLock<Pieces>,
}

impl Ranges {
    /// Creates an object of this length without any bytes.
    pub fn new(len: u64) -> Self {
        Self { len, pieces: RwLock::default() }
    }

    /// Adds bytes that begin at `offset`. Bytes that exist already are not replaced.
    pub fn insert(&self, offset: u64, bytes: Bytes) -> io::Result<()> {
        let end = offset.checked_add(bytes.len() as u64).filter(|end| *end <= self.len);
        let Some(end) = end else {
            let (n, len) = (bytes.len(), self.len);
            let what = format!("{n} bytes at {offset} of an object of {len}");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        };
        let mut pieces = self.write();
        for hole in holes(&pieces, offset..end) {
            let part = part_of(&bytes, offset, &hole);
            pieces.insert(hole.start, part);
        }
        Ok(())
    }

    /// Returns the missing parts of a range, which is cut at the end of the object.
    pub fn missing(&self, range: Range<u64>) -> Vec<Range<u64>> {
        holes(&self.read(), range.start..range.end.min(self.len))
    }

    /// Returns the first bytes of a range, up to the first missing one.
    pub fn available(&self, range: Range<u64>) -> io::Result<Bytes> {
        let end = range.end.min(self.len);
        let end = self.missing(range.start..end).first().map_or(end, |hole| hole.start);
        let n = usize::try_from(end.saturating_sub(range.start)).map_err(io::Error::other)?;
        self.read_at(range.start, n)
    }

    /// Drops the bytes outside these ranges, which may be in any order. The rest of a piece that is mostly dropped
    /// is copied, so that its memory is freed.
    pub fn keep(&self, ranges: &[Range<u64>]) {
        let ranges = joined(ranges);
        let mut pieces = self.write();
        let before = std::mem::take(&mut *pieces);
        for (offset, piece) in before {
            let end = offset + piece.len() as u64;
            let parts = ranges.iter().map(|range| range.start.max(offset)..range.end.min(end));
            let parts: Vec<_> = parts.filter(|part| !part.is_empty()).collect();
            let kept: u64 = parts.iter().map(|part| part.end - part.start).sum();
            if kept >= (end - offset).div_ceil(2) {
                pieces.insert(offset, piece);
                continue;
            }
            for part in parts {
                let bytes = Bytes::copy_from_slice(&part_of(&piece, offset, &part));
                pieces.insert(part.start, bytes);
            }
        }
    }

    /// Returns the number of bytes in memory.
    pub fn held(&self) -> u64 {
        self.read().values().map(|piece| piece.len() as u64).sum()
    }

    fn read(&self) -> RwLockReadGuard<'_, Pieces> {
        self.pieces.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Pieces> {
        self.pieces.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ReadAt for Ranges {
    fn len(&self) -> io::Result<u64> {
        Ok(self.len)
    }

    fn read_at(&self, offset: u64, len: usize) -> io::Result<Bytes> {
        let end = offset.checked_add(len as u64);
        let pieces = self.read();
        let range = match end.map(|end| offset..end) {
            Some(range) if holes(&pieces, range.clone()).is_empty() => range,
            _ => {
                let what = format!("{len} bytes at {offset} have not been fetched");
                return Err(io::Error::other(what));
            }
        };
        let mut parts = touching(&pieces, &range).map(|(start, piece)| {
            let piece_end = start + piece.len() as u64;
            part_of(piece, *start, &(range.start.max(*start)..range.end.min(piece_end)))
        });
        let first = parts.next().unwrap_or_default();
        if first.len() == len {
            return Ok(first);
        }
        let mut joined = BytesMut::with_capacity(len);
        joined.extend_from_slice(&first);
        parts.for_each(|part| joined.extend_from_slice(&part));
        Ok(joined.freeze())
    }
}

/// Merges ranges that overlap or touch.
fn joined(ranges: &[Range<u64>]) -> Vec<Range<u64>> {
    let mut sorted = ranges.to_vec();
    sorted.sort_unstable_by_key(|range| range.start);
    let mut joined: Vec<Range<u64>> = Vec::with_capacity(sorted.len());
    for range in sorted {
        match joined.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}

/// Returns the pieces that have bytes of a range, in order.
fn touching<'a>(
    pieces: &'a Pieces,
    range: &Range<u64>,
) -> impl Iterator<Item = (&'a u64, &'a Bytes)> + use<'a> {
    let Range { start, end } = *range;
    let before = pieces.range(..=start).next_back().map_or(start, |(first, _)| *first);
    let touches = move |(at, piece): &(&u64, &Bytes)| **at + piece.len() as u64 > start;
    pieces.range(before..end.max(before)).filter(touches)
}

/// Returns the missing parts of a range.
fn holes(pieces: &Pieces, range: Range<u64>) -> Vec<Range<u64>> {
    let existing =
        touching(pieces, &range).map(|(start, piece)| *start..*start + piece.len() as u64);
    without(range, existing)
}

/// Subtracts ascending ranges from a range.
pub(crate) fn without(
    range: Range<u64>,
    others: impl IntoIterator<Item = Range<u64>>,
) -> Vec<Range<u64>> {
    let (mut left, mut at) = (Vec::new(), range.start);
    for other in others {
        let hole = at..other.start.min(range.end);
        if !hole.is_empty() {
            left.push(hole);
        }
        at = at.max(other.end);
    }
    if at < range.end {
        left.push(at..range.end);
    }
    left
}

/// Returns the bytes of a range within a piece.
fn part_of(piece: &Bytes, offset: u64, range: &Range<u64>) -> Bytes {
    let place = |at: u64| usize::try_from(at - offset).unwrap_or(usize::MAX).min(piece.len());
    piece.slice(place(range.start)..place(range.end))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares reads of every range over every choice of pieces with a plain copy.
    #[test]
    fn gives_what_is_there_and_nothing_else() {
        let object: Vec<u8> = (0..12).collect();
        let mut seed = 7u64;
        for _ in 0..300 {
            let (ranges, mut existing) = (Ranges::new(12), [false; 12]);
            for _ in 0..4 {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let start = (seed >> 40) as usize % 12;
                let end = (start + (seed >> 50) as usize % 5).min(12);
                ranges.insert(start as u64, Bytes::copy_from_slice(&object[start..end])).unwrap();
                existing[start..end].fill(true);
            }
            check(&ranges, &object, &existing);
            let (from, to) = ((seed >> 20) as usize % 12, 12);
            ranges.keep(&[0..1, from as u64..to]);
            let kept: Vec<_> = (0..12).map(|i| existing[i] && (i == 0 || i >= from)).collect();
            let held = ranges.held();
            assert!(held >= kept.iter().filter(|kept| **kept).count() as u64);
            assert!(held <= existing.iter().filter(|existing| **existing).count() as u64);
            for (i, kept) in kept.iter().enumerate().filter(|(_, kept)| **kept) {
                assert!(*kept && ranges.read_at(i as u64, 1).unwrap() == object[i..=i]);
            }
        }
    }

    fn check(ranges: &Ranges, object: &[u8], existing: &[bool]) {
        for start in 0..12 {
            for end in start..=12 {
                let whole = existing[start..end].iter().all(|existing| *existing);
                let read = ranges.read_at(start as u64, end - start);
                assert_eq!(read.ok(), whole.then(|| object[start..end].to_vec().into()));
                let range = start as u64..end as u64;
                let missing: Vec<_> = ranges.missing(range.clone()).into_iter().flatten().collect();
                let expected = (start..end).filter(|i| !existing[*i]).map(|i| i as u64);
                assert_eq!(missing, expected.collect::<Vec<_>>());
                let n = existing[start..end].iter().take_while(|existing| **existing).count();
                assert_eq!(ranges.available(range).unwrap(), object[start..start + n]);
            }
        }
    }

    #[test]
    fn names_what_is_not_there() {
        let ranges = Ranges::new(100);
        let e = ranges.read_at(40, 2).unwrap_err();
        assert_eq!(e.to_string(), "2 bytes at 40 have not been fetched");
        assert!(ranges.read_at(u64::MAX, 1).is_err() && ranges.insert(99, "ab".into()).is_err());
        assert!(ranges.read_at(40, 0).unwrap().is_empty());
    }

    #[test]
    fn a_piece_that_is_mostly_dropped_goes() {
        let ranges = Ranges::new(1000);
        ranges.insert(0, vec![1; 1000].into()).unwrap();
        ranges.keep(&[0..400, 500..600]);
        assert_eq!(ranges.held(), 1000);
        ranges.keep(&[0..400, 500..599]);
        assert_eq!(ranges.held(), 499);
    }
}
