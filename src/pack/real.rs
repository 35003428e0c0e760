//! What the floating-point codecs share: the two widths of floats as one trait, the list of
//! exceptions of a block, and a strided sample.
//!
//! An exception is a value that a codec cannot rebuild. It is kept beside the block:
//!
//! ```text
//! positions  u32, ascending, counted from the first value of the block
//! bits       what is missing: the whole value's bits, or its left part
//! ```

use std::fmt::Debug;
use std::ops::{BitAnd, BitOr, BitOrAssign, BitXor, Shl, Shr, Sub};

use crate::kernel::Modular;

/// Adding this (1.5 * 2^52) rounds a small double to an integer, which then stands in its low bits.
const MAGIC: f64 = 6_755_399_441_055_744.0;
const MAGIC_BITS: i64 = 0x4338_0000_0000_0000;

/// The bits of a float.
pub(crate) trait Bits:
    Copy
    + Debug
    + Default
    + PartialEq
    + From<u16>
    + Into<u64>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitOrAssign
    + BitXor<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
    + Sub<Output = Self>
    + Modular
    + std::hash::Hash
    + Eq
{
    /// The lowest sixteen bits.
    fn low(self) -> u16;
}

impl Bits for u64 {
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "the low bits are what is asked for")]
    fn low(self) -> u16 {
        self as u16
    }
}

impl Bits for u32 {
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "the low bits are what is asked for")]
    fn low(self) -> u16 {
        self as u16
    }
}

/// A float: `f64` or `f32`.
pub(crate) trait Real: Copy + Debug + Default + Send + Sync + 'static {
    /// Its bits: `u64` or `u32`.
    type Bits: Bits;
    /// Decimal digits as an integer: `i64` or `i32`.
    type Digit: Copy + Debug + Default + PartialEq + Into<i64> + Modular;
    /// How many bits a value has.
    const WIDTH: u32;
    /// How many bytes.
    const SIZE: usize = Self::WIDTH as usize / 8;

    fn to_bits(self) -> Self::Bits;
    fn from_bits(bits: Self::Bits) -> Self;
    /// The value as a double, exactly.
    fn widen(self) -> f64;
    /// The nearest value of this type.
    fn narrow(value: f64) -> Self;
    /// The integer nearest to `scaled`, or any integer if that is out of range.
    fn digit(scaled: f64) -> Self::Digit;
    /// The integer as a double; exact for those that `strange` passes.
    fn undigit(digit: Self::Digit) -> f64;
    /// Not zero if the integer lies outside the range that `undigit` converts.
    fn strange(digit: Self::Digit) -> Self::Bits;
}

impl Real for f64 {
    type Bits = u64;
    type Digit = i64;
    const WIDTH: u32 = 64;

    #[inline(always)]
    fn to_bits(self) -> u64 {
        self.to_bits()
    }

    #[inline(always)]
    fn from_bits(bits: u64) -> Self {
        f64::from_bits(bits)
    }

    #[inline(always)]
    fn widen(self) -> f64 {
        self
    }

    #[inline(always)]
    fn narrow(value: f64) -> Self {
        value
    }

    #[inline(always)]
    fn digit(scaled: f64) -> i64 {
        (scaled + MAGIC).to_bits().cast_signed().wrapping_sub(MAGIC_BITS)
    }

    // The processor's own conversion of i64 has no vector form before AVX-512; this one has.
    #[inline(always)]
    fn undigit(digit: i64) -> f64 {
        f64::from_bits(digit.wrapping_add(MAGIC_BITS).cast_unsigned()) - MAGIC
    }

    // Zero for -2^51 <= digit < 2^51.
    #[inline(always)]
    fn strange(digit: i64) -> u64 {
        digit.wrapping_add(1 << 51).cast_unsigned() >> 52
    }
}

impl Real for f32 {
    type Bits = u32;
    type Digit = i32;
    const WIDTH: u32 = 32;

    #[inline(always)]
    fn to_bits(self) -> u32 {
        self.to_bits()
    }

    #[inline(always)]
    fn from_bits(bits: u32) -> Self {
        f32::from_bits(bits)
    }

    #[inline(always)]
    fn widen(self) -> f64 {
        f64::from(self)
    }

    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "rounding to the nearest f32 is meant")]
    fn narrow(value: f64) -> Self {
        value as f32
    }

    // The low half is right for every i32; other values come back different and are noticed.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "the low half is meant")]
    fn digit(scaled: f64) -> i32 {
        (scaled + MAGIC).to_bits() as i32
    }

    #[inline(always)]
    fn undigit(digit: i32) -> f64 {
        f64::from(digit)
    }

    #[inline(always)]
    fn strange(_: i32) -> u32 {
        0
    }
}

/// The values of a block that a codec cannot rebuild.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Exceptions<B> {
    /// Where they stand, ascending.
    pub positions: Vec<u32>,
    /// What is missing there.
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

/// At most `limit` of the values, evenly spread: one of each stretch, at a place that changes from
/// stretch to stretch, so as not to fall in with rows that repeat.
pub(crate) fn sample<R: Copy>(values: &[R], limit: usize) -> Vec<R> {
    let stretch = values.len().div_ceil(limit.max(1)).max(1);
    let places = (0_u32..).map(|i| (i.wrapping_mul(0x9E37_79B9) >> 12) as usize);
    let pick = |(group, place): (&[R], usize)| group.get(place % group.len()).copied();
    values.chunks(stretch).zip(places).filter_map(pick).collect()
}

/// Values for the tests of the codecs.
#[cfg(test)]
pub(crate) mod testing {
    use super::Real;

    /// Random bits, the same on every run (splitmix64).
    pub(crate) fn noise(seed: u64) -> impl Iterator<Item = u64> {
        (1..).map(move |i: u64| {
            let z = (seed << 32).wrapping_add(i).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        })
    }

    /// Zeros, infinities, NaNs, subnormals, limits, and numbers about the limits of digits.
    pub(crate) fn odd_f64() -> Vec<f64> {
        let two = |n: i32| 2_f64.powi(n);
        let mut all =
            vec![0.0, 1.0, 0.1, 0.3, 12.34, 99.995, 1e15, 1e16, 1e18, 1e22, 1e300, 1e-300];
        all.extend([f64::MAX, f64::MIN_POSITIVE, f64::EPSILON, f64::INFINITY, f64::NAN]);
        all.extend([1, 2, 0xf_ffff_ffff_ffff].map(f64::from_bits));
        all.extend([0x7ff0_0000_0000_0001, 0x7ff8_0000_0000_1234].map(f64::from_bits));
        all.extend([
            two(51),
            two(51) - 1.0,
            two(51) + 1.0,
            two(51) - 0.5,
            two(52),
            two(53),
            two(63),
        ]);
        all.extend([two(31), two(31) - 1.0, two(31) + 1.0, two(51) * 1.5, two(52) * 1.5]);
        let negative: Vec<f64> = all.iter().map(|&value| -value).collect();
        all.extend(negative);
        all
    }

    /// The same for `f32`.
    pub(crate) fn odd_f32() -> Vec<f32> {
        let mut all: Vec<f32> = odd_f64().iter().map(|&value| f32::narrow(value)).collect();
        all.extend([1, 2, 0x7f_ffff, 0x7f80_0001, 0xffc1_2345].map(f32::from_bits));
        all.extend([f32::MAX, f32::MIN, f32::MIN_POSITIVE, f32::EPSILON, -0.0]);
        all
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

    #[test]
    fn samples_are_spread() {
        for count in [0, 1, 2, 63, 64, 65, 1000, 8192] {
            let values: Vec<usize> = (0..count).collect();
            let found = sample(&values, 64);
            assert!(found.len() <= 64 && found.len() >= count.min(33));
            assert!(found.is_sorted_by(|a, b| a < b));
        }
        assert_eq!(sample(&[1, 2, 3], 0).len(), 1);
    }

    #[test]
    fn integers_within_range_survive() {
        for digit in [-(1 << 51), -(1 << 51) + 1, -1, 0, 1, (1 << 51) - 1] {
            assert_eq!(f64::strange(digit), 0);
            assert_eq!(f64::undigit(digit), digit as f64);
            assert_eq!(f64::digit(digit as f64), digit);
        }
        assert!([1 << 51, i64::MAX, i64::MIN].iter().all(|&digit| f64::strange(digit) != 0));
        for digit in [i32::MIN, -1, 0, 1, i32::MAX] {
            assert_eq!(f32::digit(f64::from(digit)), digit);
        }
    }
}
