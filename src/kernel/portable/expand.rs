//! Expands compacted values to their row positions.
//!
//! ```text
//! validity   1 0 1 1 0        dense   a b c         ends    0  1     3  4
//!                             out     a - b c -     out     0  1  1  3  4  4
//! ```
//! The validity of 64 rows is tested at once: without nulls they are copied, with few non-null values these are
//! stored one by one, and otherwise each row is selected without a branch, since nulls are not predictable.

use super::bits::{ones, word};

/// So few of 64 are put one by one.
const FEW: u32 = 8;

/// Appends `n` values: the next of `dense` where the bit of `validity`, from bit `offset`, is set, else `nothing`.
/// Missing bits count as 0, missing values as `nothing`.
pub(crate) fn expand<T: Copy>(
    dense: &[T],
    validity: &[u8],
    offset: usize,
    n: usize,
    nothing: T,
    out: &mut Vec<T>,
) {
    out.reserve(n);
    let mut rest = dense;
    for at in (0..n).step_by(64) {
        let rows = (n - at).min(64);
        let word = word(validity, offset.saturating_add(at)) & ones(rows);
        let mut slots = [nothing; 64];
        match rest.first_chunk::<64>() {
            _ if word.count_ones() <= FEW => put_few(word, &mut slots, rest),
            Some(next) if word == u64::MAX => {
                out.extend_from_slice(next);
                rest = rest.get(64..).unwrap_or_default();
                continue;
            }
            Some(next) => choose(word, &mut slots, |i| next.get(i & 63)),
            None => choose(word, &mut slots, |i| rest.get(i)),
        }
        rest = rest.get(word.count_ones() as usize..).unwrap_or_default();
        out.extend_from_slice(slots.get(..rows).unwrap_or_default());
    }
}

/// Sets the slots whose bits are set, one by one, as long as there are values.
#[inline(always)]
fn put_few<T: Copy>(word: u64, slots: &mut [T; 64], values: &[T]) {
    let mut word = word;
    for value in values {
        if word == 0 {
            break;
        }
        if let Some(slot) = slots.get_mut(word.trailing_zeros() as usize) {
            *slot = *value;
        }
        word &= word - 1;
    }
}

/// Sets the slots whose bits are set to one value after the other, as long as there are any.
#[inline(always)]
fn choose<'a, T: Copy + 'a>(
    word: u64,
    slots: &mut [T; 64],
    value: impl Fn(usize) -> Option<&'a T>,
) {
    let (mut word, mut i) = (word, 0);
    for slot in slots {
        let next = value(i).copied().unwrap_or(*slot);
        *slot = if word & 1 == 1 { next } else { *slot };
        i += usize::from(word & 1 == 1);
        word >>= 1;
    }
}

/// Appends `n + 1` offsets: the first of `dense`, then for each bit of `validity`, from bit `offset`, the next
/// offset if it is set, else the same again. Missing bits count as 0; past the last offset it repeats.
pub(crate) fn expand_offsets<O: Copy + Default>(
    dense: &[O],
    validity: &[u8],
    offset: usize,
    n: usize,
    out: &mut Vec<O>,
) {
    out.reserve(n.saturating_add(1));
    let (mut end, mut rest) = match dense.split_first() {
        Some((end, rest)) => (*end, rest),
        None => (O::default(), dense),
    };
    out.push(end);
    for at in (0..n).step_by(64) {
        let rows = (n - at).min(64);
        let word = word(validity, offset.saturating_add(at)) & ones(rows);
        let mut slots = [end; 64];
        match rest.first_chunk::<64>() {
            Some(next) if word == u64::MAX => slots = *next,
            Some(next) => repeat(word, end, &mut slots, |i| next.get(i & 63)),
            None => repeat(word, end, &mut slots, |i| rest.get(i)),
        }
        rest = rest.get(word.count_ones() as usize..).unwrap_or_default();
        let slots = slots.get(..rows).unwrap_or_default();
        end = slots.last().copied().unwrap_or(end);
        out.extend_from_slice(slots);
    }
}

/// Sets each slot to the next end if its bit is set, as long as there are any, else to the one before.
#[inline(always)]
fn repeat<'a, O: Copy + 'a>(
    word: u64,
    first: O,
    slots: &mut [O; 64],
    end: impl Fn(usize) -> Option<&'a O>,
) {
    let (mut word, mut i, mut last) = (word, 0, first);
    for slot in slots {
        let next = end(i).copied().unwrap_or(last);
        last = if word & 1 == 1 { next } else { last };
        i += usize::from(word & 1 == 1);
        word >>= 1;
        *slot = last;
    }
}
