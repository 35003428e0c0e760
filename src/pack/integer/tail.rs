//! Bit packing of the last numbers, which do not fill a chunk.
//!
//! ```text
//! number i   bits i * w to i * w + w, low bit of each byte first; zeros to the end of the last byte
//! ```

use crate::kernel::Modular;

/// Returns how many bytes `n` numbers of `width` bits take.
pub(crate) fn size(n: usize, width: u32) -> usize {
    n.saturating_mul(width as usize).div_ceil(8)
}

/// Returns the `i`th number of `width` bits, at most 64; missing bits are 0.
#[inline]
pub(crate) fn one(bytes: &[u8], width: u32, i: usize) -> u64 {
    if width == 0 {
        return 0;
    }
    let bit = i.saturating_mul(width as usize);
    let rest = bytes.get(bit / 8..).unwrap_or_default();
    let word = match rest.first_chunk::<16>() {
        Some(bytes) => u128::from_le_bytes(*bytes),
        None => rest.iter().take(16).rev().fold(0, |word, byte| word << 8 | u128::from(*byte)),
    };
    let mask = u64::MAX >> (64 - width.min(64));
    #[allow(clippy::cast_possible_truncation)] // The low half is meant.
    let low = (word >> (bit % 8)) as u64;
    low & mask
}

/// Appends `n` numbers of `width` bits, each added to `base`.
pub(crate) fn read<T: Modular>(bytes: &[u8], width: u32, base: u64, n: usize, out: &mut Vec<T>) {
    let start = out.len();
    match width {
        1..=8 => groups::<8, T>(bytes, width, base, n, out),
        9..=16 => groups::<4, T>(bytes, width, base, n, out),
        17..=28 => groups::<2, T>(bytes, width, base, n, out),
        29..=57 => groups::<1, T>(bytes, width, base, n, out),
        _ => {}
    }
    let done = out.len() - start;
    out.extend((done..n).map(|i| T::wrap(base.wrapping_add(one(bytes, width, i)))));
}

/// Decodes as many numbers as form complete groups of `N` in complete words. A group has no more bits than a word,
/// counted from the byte in which it begins.
fn groups<const N: usize, T: Modular>(
    bytes: &[u8],
    width: u32,
    base: u64,
    n: usize,
    out: &mut Vec<T>,
) {
    let mask = (1u64 << width) - 1;
    let bits = N * width as usize;
    for group in 0..n / N {
        let bit = group * bits;
        let rest = bytes.get(bit / 8..).unwrap_or_default();
        let Some(word) = rest.first_chunk() else { return };
        let word = u64::from_le_bytes(*word) >> (bit % 8);
        let mut by = 0;
        let numbers: [T; N] = std::array::from_fn(|_| {
            let number = word >> by & mask;
            by += width;
            T::wrap(base.wrapping_add(number))
        });
        out.extend_from_slice(&numbers);
    }
}

/// Appends numbers, each of which `width` bits hold.
pub(crate) fn put(numbers: impl Iterator<Item = u64>, width: u32, out: &mut Vec<u8>) {
    let (mut word, mut bits) = (0u128, 0);
    for number in numbers {
        word |= u128::from(number) << bits;
        bits += width;
        while bits >= 8 {
            let [low, ..] = word.to_le_bytes();
            out.push(low);
            word >>= 8;
            bits -= 8;
        }
    }
    if bits > 0 {
        let [low, ..] = word.to_le_bytes();
        out.push(low);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_width_comes_back() {
        for width in 1..=64 {
            let numbers: Vec<u64> = (0..77u64)
                .map(|i| (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - width))
                .collect();
            let mut bytes = vec![];
            put(numbers.iter().copied(), width, &mut bytes);
            assert_eq!(bytes.len(), size(77, width));
            for (i, number) in numbers.iter().enumerate() {
                assert_eq!(one(&bytes, width, i), *number);
            }
            assert_eq!(one(&bytes, width, 1 << 40), 0);
            let mut all: Vec<u64> = vec![];
            read(&bytes, width, 3, 77, &mut all);
            assert!(all.iter().zip(&numbers).all(|(a, b)| *a == b.wrapping_add(3)));
        }
    }
}
