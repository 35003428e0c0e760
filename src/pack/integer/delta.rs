//! Decodes part of a delta-encoded chunk by prefix sums.
//!
//! ```text
//! offsets   0 3 1 4 │ 1 5 9 2 │ 6 ...      summed in groups
//! sums            8 │       17│            number i: the first, i times the base, and the offsets up to it,
//! ```                                      with the bits above the width of exceptions among them

use super::tail;
use crate::buffer_reuse::Scratch;
use crate::kernel::{self, CHUNK, LANES, Level, Modular};

/// The differences of a chunk.
pub(crate) struct DeltaSums<'a> {
    pub(crate) first: u64,
    pub(crate) base: u64,
    pub(crate) width: u32,
    pub(crate) bytes: &'a [u8],
    /// How many numbers there are.
    pub(crate) n: usize,
}

impl DeltaSums<'_> {
    /// Appends the values at positions, which ascend and are in range. Exceptions are the positions of some offsets,
    /// and what is added to them.
    pub(crate) fn pick<T: Modular>(
        &self,
        places: impl Iterator<Item = usize>,
        exceptions: impl Iterator<Item = (usize, u64)>,
        out: &mut Vec<T>,
    ) {
        let (mut exceptions, mut sum) = (exceptions.peekable(), self.first);
        let put = |at: usize, offsets: u64| {
            while let Some((_, more)) = exceptions.next_if(|(place, _)| *place <= at) {
                sum = sum.wrapping_add(more);
            }
            let bases = self.base.wrapping_mul(at as u64);
            out.push(T::wrap(sum.wrapping_add(bases).wrapping_add(offsets)));
        };
        match self.n == CHUNK && self.group(0).is_some() {
            true => self.by_groups(places, put),
            false => self.by_all(places, put),
        }
    }

    fn group(&self, group: usize) -> Option<[u16; LANES]> {
        kernel::bitpack::unpack_group(self.bytes, self.width, group)
    }

    /// Calls `put` with each position and the sum of the offsets up to it.
    fn by_groups(&self, places: impl Iterator<Item = usize>, mut put: impl FnMut(usize, u64)) {
        let sum = |some: &[u16]| u64::from(some.iter().map(|n| u32::from(*n)).sum::<u32>());
        let (mut next, mut before) = (0, 0);
        for place in places {
            while next < place / LANES {
                before += self.group(next).map_or(0, |group| sum(&group));
                next += 1;
            }
            let group = self.group(next).unwrap_or([0; LANES]);
            put(place, before + sum(group.get(..=place % LANES).unwrap_or_default()));
        }
    }

    /// The same, of offsets that are too wide for that, or not a chunk's.
    fn by_all(&self, places: impl Iterator<Item = usize>, mut put: impl FnMut(usize, u64)) {
        let mut offsets = Scratch::<u64>::new();
        match self.n {
            CHUNK => {
                kernel::bitpack::unpack(Level::in_use(), self.bytes, self.width, 0, &mut offsets)
            }
            n => tail::read(self.bytes, self.width, 0, n, &mut offsets),
        }
        let (mut next, mut before) = (0, 0u64);
        for place in places {
            let part = offsets.get(next..=place).unwrap_or_default();
            before = part.iter().fold(before, |sum, offset| sum.wrapping_add(*offset));
            next = place + 1;
            put(place, before);
        }
    }
}
