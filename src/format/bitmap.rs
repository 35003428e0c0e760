//! Bitmaps, with the low bit of each byte first, as in Arrow.

use std::ops::Range;

use crate::kernel;

/// Bits, low bit of each byte first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bits {
    bytes: Vec<u8>,
    len: usize,
}

impl Bits {
    /// Creates an empty bitmap in reused memory.
    #[cfg(feature = "arrow")]
    pub(crate) fn within(mut memory: Vec<u8>) -> Self {
        memory.clear();
        Self { bytes: memory, len: 0 }
    }

    /// Returns how many bits.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the bitmap is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the bytes; bits past the last are 0.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the bytes and the number of bits.
    pub fn into_parts(self) -> (Vec<u8>, usize) {
        (self.bytes, self.len)
    }

    /// Appends a bit.
    pub fn push(&mut self, bit: bool) {
        let shift = self.len % 8;
        match self.bytes.last_mut() {
            Some(last) if shift > 0 => *last |= u8::from(bit) << shift,
            _ => self.bytes.push(u8::from(bit)),
        }
        self.len += 1;
    }

    /// Appends the bits that `append` writes. It receives the bytes and the number of bits, and returns the number
    /// of bits it appended and another value.
    pub(crate) fn extend_with<T>(
        &mut self,
        append: impl FnOnce(&mut Vec<u8>, usize) -> (usize, T),
    ) -> T {
        let (added, other) = append(&mut self.bytes, self.len);
        self.len += added;
        other
    }

    /// Appends `n` bits of `source` from bit `offset`. Bits past its end count as 0.
    pub fn extend(&mut self, source: &[u8], offset: usize, n: usize) {
        kernel::bitmap::copy_bits(source, offset, n, &mut self.bytes, self.len);
        self.len += n;
    }

    /// Sets to 0 each bit whose bit of `mask` is 0.
    pub(crate) fn mask(&mut self, mask: &Bits) {
        self.bytes.iter_mut().zip(&mask.bytes).for_each(|(byte, mask)| *byte &= mask);
    }

    /// Calls `each` with the runs of equal bits. A run may come in parts, 64 bits and less.
    pub(crate) fn each_run(&self, mut each: impl FnMut(bool, Range<usize>)) {
        let mut at = 0;
        kernel::bitmap::for_each_run(&self.bytes, 0, self.len, |bit, count| {
            each(bit, at..at + count);
            at += count;
        });
    }

    pub(crate) fn truncate(&mut self, n: usize) {
        if n < self.len {
            self.len = n;
            self.bytes.truncate(n.div_ceil(8));
            if let Some(last) = self.bytes.last_mut().filter(|_| !n.is_multiple_of(8)) {
                *last &= mask(n % 8);
            }
        }
    }
}

impl FromIterator<bool> for Bits {
    fn from_iter<I: IntoIterator<Item = bool>>(bits: I) -> Self {
        let mut all = Bits::default();
        bits.into_iter().for_each(|bit| all.push(bit));
        all
    }
}

/// Returns the low `n` bits of a byte.
fn mask(n: usize) -> u8 {
    if n >= 8 { 0xff } else { !(0xff << n) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_extend_like_push() {
        let source: Vec<u8> = (0..40u8).map(|i| i.wrapping_mul(73) ^ 0x5a).collect();
        for before in 0..10 {
            for offset in 0..17 {
                for n in [0, 1, 5, 8, 9, 16, 23, 64, 100] {
                    let mut fast: Bits = (0..before).map(|i| i % 3 == 0).collect();
                    let mut slow = fast.clone();
                    fast.extend(&source, offset, n);
                    for bit in offset..offset + n {
                        slow.push(source[bit / 8] >> (bit % 8) & 1 == 1);
                    }
                    assert_eq!(fast, slow, "{before} {offset} {n}");
                }
            }
        }
    }

    #[test]
    fn truncate_forgets() {
        let mut bits: Bits = [true; 20].into_iter().collect();
        bits.truncate(9);
        assert_eq!(bits.as_bytes(), [0xff, 0x01]);
    }
}
