//! Sparse encoding: one frequent value, and the positions and values of the others.
//!
//! ```text
//! values   7 7 9 7 8 7        frequent 7        bitmap  0 0 1 0 1 0        others  9 8
//! ```

use std::ops::Range;

use super::bitmap::PackedBits;
use crate::buffer_reuse::{Scratch, Scratched};
use crate::error::Result;
use crate::kernel::{self, Level};

/// Values whose marks are made bits at once.
const GROUP: usize = 64;

/// If at most one value in this many differs, the exceptions are stored one by one.
const RARE: usize = 8;

/// Returns a bit for each value, low bit of each byte first, set where it is another; and those that are.
pub(crate) fn others<T: Copy>(values: &[T], is_other: impl Fn(T) -> bool) -> (Vec<u8>, Vec<T>) {
    let (mut bitmap, mut others) = (Vec::with_capacity(values.len() / 8 + 8), Vec::new());
    for group in values.chunks(GROUP) {
        let mut marks = [0u8; GROUP];
        marks.iter_mut().zip(group).for_each(|(mark, value)| *mark = u8::from(is_other(*value)));
        let mut word = word(&marks);
        bitmap.extend(word.to_le_bytes());
        while word != 0 {
            others.extend(group.get(word.trailing_zeros() as usize));
            word &= word - 1;
        }
    }
    bitmap.truncate(values.len().div_ceil(8));
    (bitmap, others)
}

/// Marks of 0 and 1 as the bits of a word.
#[inline(always)]
fn word(marks: &[u8; GROUP]) -> u64 {
    // Bit 8 i is moved to bit 56 + i; no two partial products overlap.
    const TO_TOP: u64 = 0x0102_0408_1020_4080;
    let byte = |eight: &[u8; 8]| u64::from_le_bytes(*eight).wrapping_mul(TO_TOP) >> 56;
    marks.as_chunks().0.iter().rev().fold(0, |word, eight| word << 8 | byte(eight))
}

/// Appends `value`, or where a bit is set the next of the values that `read` returns for a range of set bits.
pub(crate) fn scatter<T: Copy + Scratched>(
    value: T,
    bits: &PackedBits,
    range: Range<usize>,
    read: impl FnOnce(Range<usize>, &mut Vec<T>) -> Result<()>,
    out: &mut Vec<T>,
) -> Result<()> {
    let mut mask = Scratch::new();
    bits.read(range.clone(), &mut mask, 0);
    let ones = kernel::bitmap::count_ones(&mask, 0, range.len());
    if ones == 0 {
        out.extend(std::iter::repeat_n(value, range.len()));
        return Ok(());
    }
    let before = bits.ones(range.start);
    let mut dense = Scratch::new();
    read(before..before + ones, &mut dense)?;
    if ones > range.len() / RARE {
        kernel::gather::expand(Level::in_use(), &dense, &mask, 0, range.len(), value, out);
        return Ok(());
    }
    let start = out.len();
    out.extend(std::iter::repeat_n(value, range.len()));
    mask.resize(range.len().div_ceil(GROUP) * size_of::<u64>(), 0);
    put_others(&dense, &mask, out.get_mut(start..).unwrap_or_default());
    Ok(())
}

/// Stores the exceptions where bits of complete words are set.
fn put_others<T: Copy>(others: &[T], mask: &[u8], values: &mut [T]) {
    let mut others = others.iter();
    for (values, bytes) in values.chunks_mut(GROUP).zip(mask.as_chunks().0) {
        let mut word = u64::from_le_bytes(*bytes);
        while word != 0 {
            let slot = values.get_mut(word.trailing_zeros() as usize);
            if let (Some(slot), Some(other)) = (slot, others.next()) {
                *slot = *other;
            }
            word &= word - 1;
        }
    }
}

/// Appends for each position `value` or, if its bit is set, the exception at its rank.
pub(crate) fn pick<T: Copy + Scratched>(
    value: T,
    bits: &PackedBits,
    places: &[u32],
    pick: impl FnOnce(&[u32], &mut Vec<T>) -> Result<()>,
    out: &mut Vec<T>,
) -> Result<()> {
    let (mut ranks, mut slots) = (Scratch::new(), Scratch::<usize>::new());
    let mut slot = out.len();
    bits.each(places, |set, rank| {
        if set {
            ranks.push(rank);
            slots.push(slot);
        }
        slot += 1;
    });
    out.extend(std::iter::repeat_n(value, places.len()));
    let mut dense = Scratch::new();
    pick(&ranks, &mut dense)?;
    for (slot, value) in slots.iter().zip(dense.iter()) {
        if let Some(slot) = out.get_mut(*slot) {
            *slot = *value;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_are_marked_and_kept_in_order() {
        for n in [0usize, 1, 7, 8, 63, 64, 65, 1000] {
            let values: Vec<usize> = (0..n).map(|i| i * i % 7).collect();
            let (bitmap, others) = others(&values, |value| value != 2);
            assert_eq!(bitmap.len(), n.div_ceil(8));
            let marked = (0..n).filter(|i| bitmap[i / 8] >> (i % 8) & 1 == 1);
            assert_eq!(marked.map(|i| values[i]).collect::<Vec<_>>(), others);
            let expected: Vec<usize> = values.iter().copied().filter(|value| *value != 2).collect();
            assert_eq!(others, expected);
        }
    }
}
