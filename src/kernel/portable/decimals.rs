//! Converts floats to decimal digits and back: the arithmetic of ALP (`spec/pack.md`).
//!
//! ```text
//! digits    1234 1250 7         up 1, down 1/100, ten 100
//! decimals  12.34 12.5 0.07     (digits * up) * down
//! wrong     0 where digits convert back exactly
//! ```

use std::fmt::Debug;
use std::ops::{BitAnd, BitOr, BitOrAssign, BitXor, Shl, Shr, Sub};

use super::Modular;
use crate::buffer_reuse::Scratched;

/// How many values have their digits found at a time.
pub const DIGITS: usize = 256;

/// The multipliers of a decimal scale.
#[derive(Debug, Clone, Copy)]
pub struct Multipliers {
    /// What makes digits of a value.
    pub ten: f64,
    /// The first multiplier of digits, which keeps them integers.
    pub up: f64,
    /// And then.
    pub down: f64,
}

/// The digits of values that have some.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DigitRange {
    /// The minimum and maximum; `None` if there are no digits.
    pub range: Option<(i64, i64)>,
    /// How many values have none.
    pub exceptions: u32,
}

/// Adding this (1.5 * 2^52) rounds a small double to an integer in its low bits.
const MAGIC: f64 = 6_755_399_441_055_744.0;
const MAGIC_BITS: i64 = 0x4338_0000_0000_0000;

/// The bits of a float.
pub trait Bits:
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
    /// Returns the lowest sixteen bits.
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
pub trait FloatBits: Copy + Debug + Default + Send + Sync + Scratched {
    /// Its bits: `u64` or `u32`.
    type Bits: Bits;
    /// Decimal digits as an integer: `i64` or `i32`.
    type Digit: Copy + Debug + Default + PartialEq + Into<i64> + Modular;
    /// How many bits a value has.
    const WIDTH: u32;
    /// How many bytes.
    const SIZE: usize = Self::WIDTH as usize / 8;

    /// Returns the bits of the value.
    fn to_bits(self) -> Self::Bits;
    /// Creates the value of these bits.
    fn from_bits(bits: Self::Bits) -> Self;
    /// Returns the value as a double, exactly.
    fn widen(self) -> f64;
    /// Creates the nearest value of this type.
    fn narrow(value: f64) -> Self;
    /// Creates the integer nearest to `scaled`, or any integer if that is out of range.
    fn digit(scaled: f64) -> Self::Digit;
    /// Returns the integer as a double; exact for those that `strange` passes.
    fn undigit(digit: Self::Digit) -> f64;
    /// Not zero if the integer is outside the range that `undigit` converts.
    fn strange(digit: Self::Digit) -> Self::Bits;
}

impl FloatBits for f64 {
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

impl FloatBits for f32 {
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

impl Multipliers {
    #[inline(always)]
    fn digit<R: FloatBits>(self, value: R) -> R::Digit {
        R::digit(value.widen() * self.ten)
    }

    #[inline(always)]
    fn value<R: FloatBits>(self, digit: R::Digit) -> R {
        R::narrow(R::undigit(digit) * self.up * self.down)
    }

    /// Zero if the digits convert back to exactly this value.
    #[inline(always)]
    fn wrong<R: FloatBits>(self, digit: R::Digit, value: R) -> R::Bits {
        (self.value::<R>(digit).to_bits() ^ value.to_bits()) | R::strange(digit)
    }
}

/// Appends the value of each digit.
#[inline(always)]
pub(crate) fn digits_to_floats<R: FloatBits>(
    digits: &[R::Digit],
    by: Multipliers,
    out: &mut Vec<R>,
) {
    out.extend(digits.iter().map(|digit| by.value::<R>(*digit)));
}

/// Converts up to [`DIGITS`] floats to digits, and marks those that do not convert back exactly. Returns whether
/// there are any.
#[inline(always)]
pub(crate) fn floats_to_digits<R: FloatBits>(
    values: &[R],
    by: Multipliers,
    out: &mut Vec<R::Digit>,
    wrong: &mut [R::Bits; DIGITS],
) -> bool {
    let start = out.len();
    out.extend(values.iter().map(|value| by.digit(*value)));
    let made = out.get(start..).unwrap_or_default();
    let mut any = R::Bits::default();
    for ((mark, value), digit) in wrong.iter_mut().zip(values).zip(made) {
        *mark = by.wrong(*digit, *value);
        any |= *mark;
    }
    any != R::Bits::default()
}

/// Returns what the digits of values are, and how many have none.
#[inline(always)]
pub(crate) fn digit_range<R: FloatBits>(values: &[R], by: Multipliers) -> DigitRange {
    let (mut low, mut high, mut exceptions) = (i64::MAX, i64::MIN, 0u32);
    for &value in values {
        let digit = by.digit(value);
        let good = by.wrong(digit, value) == R::Bits::default();
        let digit: i64 = digit.into();
        low = low.min(if good { digit } else { i64::MAX });
        high = high.max(if good { digit } else { i64::MIN });
        exceptions += u32::from(!good);
    }
    DigitRange { range: (low <= high).then_some((low, high)), exceptions }
}

#[cfg(test)]
mod tests {
    use super::*;

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
