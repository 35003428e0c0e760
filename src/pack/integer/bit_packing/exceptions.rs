//! Exceptions of bit packing: the bits of values above the bit width of their chunk.

use super::super::Numbers;
use super::sizes;
use crate::error::{Error, Result};
use crate::kernel::CHUNK;
use crate::pack::payload_reader::Input;

/// The most exceptions of a chunk.
pub(crate) const MOST_EXCEPTIONS: usize = 64;

#[derive(Debug)]
pub(super) struct Exceptions {
    /// The start of each chunk, and the end of the last.
    starts: Vec<usize>,
    places: Vec<usize>,
    above: Vec<i64>,
}

impl Exceptions {
    /// Returns how many there are.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    pub(super) fn take(input: &mut Input, n: usize, depth: u32) -> Result<Option<Self>> {
        let chunks = n.div_ceil(CHUNK);
        let count = input.count(chunks.saturating_mul(MOST_EXCEPTIONS), "exceptions")?;
        if count == 0 {
            return Ok(None);
        }
        let counts = input.take(chunks, "counts of exceptions")?;
        let mut starts = vec![0];
        starts.extend(counts.iter().scan(0, |end, count| {
            *end += usize::from(*count);
            Some(*end)
        }));
        if starts.last() != Some(&count) {
            return Err(Error::malformed("counts of exceptions are not those of all"));
        }
        let places = input.take(count * 2, "places of exceptions")?;
        let place = |bytes: &[u8; 2]| usize::from(u16::from_le_bytes(*bytes));
        let places: Vec<usize> = places.as_chunks().0.iter().map(place).collect();
        let sound = |(ends, size): (&[usize], usize)| match ends {
            [start, end] => places.get(*start..*end).is_some_and(|places| {
                places.is_sorted_by(|a, b| a < b) && places.last().is_none_or(|last| *last < size)
            }),
            _ => false,
        };
        if !starts.windows(2).zip(sizes(n)).all(sound) {
            return Err(Error::malformed("places of exceptions do not ascend in their chunk"));
        }
        let above = Numbers::take_all(input, count, depth)?;
        Ok(Some(Self { starts, places, above }))
    }

    /// Returns the index and the bits above the width of each exception of a chunk.
    pub(super) fn of(&self, c: usize) -> impl Iterator<Item = (usize, i64)> {
        let (places, above) = self.chunk(c);
        places.iter().copied().zip(above.iter().copied())
    }

    pub(super) fn chunk(&self, c: usize) -> (&[usize], &[i64]) {
        let at = |c: usize| self.starts.get(c).copied().unwrap_or(0);
        let range = at(c)..at(c + 1);
        let places = self.places.get(range.clone()).unwrap_or_default();
        (places, self.above.get(range).unwrap_or_default())
    }

    /// Returns the bits above the width of a value of a chunk.
    pub(super) fn above(&self, c: usize, place: usize) -> i64 {
        let (places, above) = self.chunk(c);
        let found = places.binary_search(&place).ok().and_then(|i| above.get(i));
        found.copied().unwrap_or(0)
    }
}
