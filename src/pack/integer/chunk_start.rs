//! Reads numbers that are sums from the start of their chunk on, so that none is known without those before it.
//!
//! ```text
//! chunk     │ sum sum sum sum │ sum ...     `sums` appends the first of a chunk
//! wanted            sum sum
//! ```

use std::ops::Range;

use super::each_chunk;
use crate::buffer_reuse::{Scratch, Scratched};
use crate::error::Result;
use crate::kernel::CHUNK;

/// Appends the numbers of a range. `sums` appends as many of the numbers of a chunk as it is told, from the first on.
pub(crate) fn read<T: Copy + Scratched>(
    range: Range<usize>,
    mut sums: impl FnMut(usize, usize, &mut Vec<T>) -> Result<()>,
    out: &mut Vec<T>,
) -> Result<()> {
    let mut before = Scratch::new();
    each_chunk(range, |part| {
        let c = part.start / CHUNK;
        let start = c * CHUNK;
        if part.start == start {
            return sums(c, part.len(), out);
        }
        before.clear();
        sums(c, part.end - start, &mut before)?;
        out.extend_from_slice(before.get(part.start - start..).unwrap_or_default());
        Ok(())
    })
}

/// Appends the numbers at positions, which ascend, with the same `sums`.
pub(crate) fn pick<T: Copy + Scratched>(
    places: &[u32],
    mut sums: impl FnMut(usize, usize, &mut Vec<T>) -> Result<()>,
    out: &mut Vec<T>,
) -> Result<()> {
    let mut before = Scratch::<T>::new();
    for places in places.chunk_by(|a, b| *a as usize / CHUNK == *b as usize / CHUNK) {
        let at = |place: &u32| *place as usize % CHUNK;
        let c = places.first().map_or(0, |place| *place as usize / CHUNK);
        before.clear();
        sums(c, places.last().map_or(0, |last| at(last) + 1), &mut before)?;
        out.extend(places.iter().filter_map(|place| before.get(at(place)).copied()));
    }
    Ok(())
}
