//! Expands slices of values without nulls to their row positions.
//!
//! ```text
//! nulls      1 0 1 1
//! values     a b c     ──►  a 0 b c
//! offsets    0 1 3 4   ──►  0 1 1 3 4        a null row is empty
//! ```

use arrow::buffer::NullBuffer;
use arrow::datatypes::ArrowNativeType;

use crate::error::{Error, Result};
use crate::kernel::{self, Level};

/// Expands values to their row positions, in reused memory.
pub(crate) fn scatter<N: ArrowNativeType>(
    dense: &[N],
    nulls: &NullBuffer,
    mut memory: Vec<N>,
) -> Vec<N> {
    let (bits, offset) = (nulls.validity(), nulls.offset());
    kernel::gather::expand(
        Level::in_use(),
        dense,
        bits,
        offset,
        nulls.len(),
        N::default(),
        &mut memory,
    );
    memory
}

/// Expands offsets so that null rows are empty, in reused memory.
pub(crate) fn repeat_ends<O: ArrowNativeType>(
    dense: &[O],
    nulls: &NullBuffer,
    mut memory: Vec<O>,
) -> Vec<O> {
    let (bits, offset) = (nulls.validity(), nulls.offset());
    kernel::gather::expand_offsets(Level::in_use(), dense, bits, offset, nulls.len(), &mut memory);
    memory
}

/// Null slots of a fixed size cost nothing in a file, but in memory they do.
pub(crate) fn affordable(n: usize, size: i32) -> Result<()> {
    let padded = n.saturating_mul(usize::try_from(size).unwrap_or(0));
    within("slots of fixed size in one batch", padded)
}

/// What most can be made in one batch of things that a file may claim at no cost.
const MOST: usize = 1 << 28;

/// Refuses more of them.
pub(crate) fn within(what: &'static str, n: usize) -> Result<()> {
    if n > MOST { Err(Error::too_large(what, n as u64, MOST as u64)) } else { Ok(()) }
}
