//! The exceptions of a float encoding: values that it cannot represent.
//!
//! ```text
//! long count │ numbers: positions, ascending │ missing bits, end to end: of the value, or of its left part
//! ```

use std::ops::Range;

use super::width::put_low;
use crate::error::{Error, Result};
use crate::pack::integer;
use crate::pack::integer::{MOST_PARTS, Numbers, long};
use crate::pack::payload::Payload;
use crate::pack::payload_reader::Input;
use crate::wire;

/// The values of a block that a codec cannot rebuild.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Exceptions<B> {
    /// Their positions, ascending.
    pub positions: Vec<u32>,
    /// Their bits.
    pub bits: Vec<B>,
}

/// Appends `base + i` for each `marks[i]` that is not zero.
#[inline(always)]
pub(crate) fn push_marked<B: Copy + Default + PartialEq>(
    marks: &[B],
    base: u32,
    positions: &mut Vec<u32>,
) {
    // Without branches on the marks: each position is written, the next overwrites it unless kept.
    for (group, start) in marks.chunks(64).zip((base..).step_by(64)) {
        let mut found = [0_u32; 64];
        let mut count = 0_usize;
        for (&mark, position) in group.iter().zip(start..) {
            if let Some(slot) = found.get_mut(count & 63) {
                *slot = position;
            }
            count += usize::from(mark != B::default());
        }
        positions.extend(found.iter().take(count));
    }
}

impl<B: Copy> Exceptions<B> {
    /// Those of `n` values; `one` finds the `i`th of `size` bytes each.
    pub(crate) fn take(
        input: &mut Input,
        n: usize,
        depth: u32,
        size: usize,
        one: impl Fn(&[u8], usize) -> B,
    ) -> Result<Self> {
        let count = input.count(MOST_PARTS.min(n), "exceptions")?;
        if count == 0 {
            return Ok(Self { positions: Vec::new(), bits: Vec::new() });
        }
        let places = Numbers::take_all(input, count, depth)?;
        input.allocate(count, size_of::<u32>() + size_of::<B>())?;
        let positions: Option<Vec<u32>> =
            places.into_iter().map(|place| u32::try_from(place).ok()).collect();
        let ascend = |places: &Vec<u32>| {
            places.is_sorted_by(|a, b| a < b)
                && places.last().is_none_or(|last| (*last as usize) < n)
        };
        let wrong = || Error::malformed("places of exceptions do not ascend");
        let positions = positions.filter(ascend).ok_or_else(wrong)?;
        let bytes = input.take(count * size, "exceptions")?;
        Ok(Self { positions, bits: (0..count).map(|i| one(&bytes, i)).collect() })
    }

    /// Returns the exceptions of a range, with positions relative to its start.
    pub(crate) fn within(&self, range: &Range<usize>) -> (Vec<u32>, &[B]) {
        let Self { positions, bits } = self;
        let at = |i: usize| positions.partition_point(|place| (*place as usize) < i);
        let part = at(range.start)..at(range.end);
        let start = u32::try_from(range.start).unwrap_or(u32::MAX);
        let places = positions.get(part.clone()).unwrap_or_default();
        (places.iter().map(|place| place - start).collect(), bits.get(part).unwrap_or_default())
    }

    /// Returns the exceptions at positions, which ascend, with the indices of these positions.
    pub(crate) fn among(&self, places: &[u32]) -> (Vec<u32>, Vec<B>) {
        let (mut found, mut missing) = (Vec::new(), Vec::new());
        if self.positions.is_empty() {
            return (found, missing);
        }
        for (i, place) in (0..).zip(places) {
            let at = self.positions.binary_search(place);
            if let Some(bits) = at.ok().and_then(|at| self.bits.get(at)) {
                found.push(i);
                missing.push(*bits);
            }
        }
        (found, missing)
    }
}

impl<B: Copy + Into<u64>> Exceptions<B> {
    /// Appends them, `size` bytes of each.
    pub(crate) fn put(&self, size: usize, depth: u32, out: &mut Payload) {
        wire::put_long(out, long(self.positions.len()));
        if self.positions.is_empty() {
            return;
        }
        let places: Vec<i64> = self.positions.iter().map(|place| i64::from(*place)).collect();
        integer::put(&places, depth, out);
        self.bits.iter().for_each(|bits| put_low((*bits).into(), size, out));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marked_positions_are_found() {
        let marks: Vec<u32> = (0..300).map(|i| u32::from(i % 7 == 3 || i > 290)).collect();
        let mut positions = vec![9];
        push_marked(&marks, 1000, &mut positions);
        let wanted: Vec<u32> =
            (0..300).filter(|i| i % 7 == 3 || *i > 290).map(|i| i + 1000).collect();
        assert_eq!((positions[0], &positions[1..]), (9, &wanted[..]));
    }
}
