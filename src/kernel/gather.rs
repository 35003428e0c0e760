//! Gathers, repeats and expands values.

use super::Level;
use super::portable::{self, Modular, StringSlots, StringTuples};

/// Appends `n` values to `out`: the next of `dense` where the bit of `validity`, from bit `offset`, is set, else
/// `null`. Missing bits count as 0, missing values as `null`.
pub fn expand<T: Copy + 'static>(
    level: Level,
    dense: &[T],
    validity: &[u8],
    offset: usize,
    n: usize,
    null: T,
    out: &mut Vec<T>,
) {
    at_level!(level, expand(dense, validity, offset, n, null, out));
}

/// Appends `n + 1` offsets to `out`: the first of `dense`, then for each bit of `validity`, from bit `offset`, the next
/// offset if it is set, else the same offset again, so that null rows are empty. Missing bits count as 0; past the last
/// offset it repeats.
pub fn expand_offsets<O: Copy + Default + 'static>(
    level: Level,
    dense: &[O],
    validity: &[u8],
    offset: usize,
    n: usize,
    out: &mut Vec<O>,
) {
    at_avx512!(level, expand_offsets(dense, validity, offset, n, out));
}

/// Appends the entry of `table` for each code. Returns false, and appends nothing, if a code has no entry.
pub fn gather<T: Copy + Default + 'static>(
    level: Level,
    codes: &[u32],
    table: &[T],
    out: &mut Vec<T>,
) -> bool {
    at_level!(level, gather(codes, table, out))
}

/// Appends the string of each code to `data` and its end to `offsets`. Returns false, and appends nothing, if a
/// code has no string. The caller has checked that no length exceeds [`SLOT`](super::SLOT) and that the total fits
/// an offset.
pub fn gather_strings(
    level: Level,
    codes: &[u32],
    slots: &StringSlots,
    offsets: &mut Vec<i32>,
    data: &mut Vec<u8>,
) -> bool {
    at_level!(level, gather_strings(codes, slots, offsets, data))
}

/// Appends the string of each code to `data` and its end to `offsets`, several codes per lookup. Returns false, and
/// appends nothing, if a code has no string. The caller has checked that the total fits an offset.
pub fn gather_string_tuples(
    level: Level,
    codes: &[u32],
    tuples: &StringTuples,
    offsets: &mut Vec<i32>,
    data: &mut Vec<u8>,
) -> bool {
    at_level!(level, gather_string_tuples(codes, tuples, offsets, data))
}

/// Expands runs: appends each value once for every row from the end of the previous run, at first `start`, to its own
/// end. `ends` ascend.
pub fn repeat<T: Modular>(
    level: Level,
    values: &[i64],
    ends: &[usize],
    start: usize,
    out: &mut Vec<T>,
) {
    at_level!(level, repeat(values, ends, start, out));
}
