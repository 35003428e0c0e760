//! Floats that were written as decimals, turned into integers and back, bit for bit, after ALP
//! (Afroozeh, Kuffo, Boncz 2023: "Adaptive Lossless floating-Point compression").
//!
//! 12.34 becomes the digits 1234 with two decimals. A value that does not convert back to the same bits is an
//! exception, stored separately. All arithmetic is that of IEEE doubles, rounding to nearest even after each
//! operation, never fused:
//!
//! ```text
//! scale    exponent  u8   decimals, 0..=18
//!          factor    u16  1..=65535
//! digits   i64 (f64) in -2^51 .. 2^51, or i32 (f32)
//!
//! up    = factor
//! down  = 1 / (10^exponent * factor)
//! value = (digits * up) * down            an f32 is then rounded from this double
//! ```
//!
//! Why a factor: 1/100 is no double, and the error of `down` would make 1 value of 10 an exception.
//! With a well chosen factor (which cancels out) the error of `down` is some thousand times smaller,
//! and `digits * up` is still exact as long as it stays below 2^53.

use super::exceptions::{Exceptions, push_marked};
use super::width::{FloatBits, sample};
use crate::kernel::{self, DIGITS, Level, Multipliers};

/// 10^n, each an exact double.
const TENS: [f64; 19] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18,
];

/// For each exponent the factors below 2^14, 2^9, 2^5, 2^2 that leave `down` the smallest error:
/// the fewer bits in the factor, the more are left for the digits.
const FACTORS: [[u16; 4]; 19] = [
    [1, 1, 1, 1],
    [2113, 31, 31, 3],
    [11103, 503, 7, 1],
    [1833, 367, 27, 1],
    [14537, 149, 15, 1],
    [14537, 183, 3, 3],
    [3579, 393, 13, 1],
    [15085, 283, 19, 3],
    [3017, 483, 11, 1],
    [11183, 195, 19, 3],
    [4051, 39, 9, 1],
    [4053, 13, 13, 1],
    [9173, 207, 25, 1],
    [4597, 377, 5, 1],
    [8129, 223, 1, 1],
    [14801, 223, 21, 3],
    [16369, 377, 17, 1],
    [10151, 231, 3, 3],
    [7559, 345, 27, 3],
];

/// A float has to be rounded once more, to 24 bits; the error of `down` vanishes there.
const NO_FACTOR: [u16; 1] = [1];

/// How many scales are kept for a column.
const CANDIDATES: usize = 5;
/// How many values a column's scales are chosen from: one in `SHARE`, but from `LEAST_SAMPLE` to `COLUMN_SAMPLE`.
const LEAST_SAMPLE: usize = 32;
const COLUMN_SAMPLE: usize = 256;
const SHARE: usize = 16;
/// How many values a block's scale is chosen from.
const BLOCK_SAMPLE: usize = 128;
/// About the bits that the position of an exception takes.
const POSITION_WIDTH: u32 = 16;
/// The part of the plain size above which the digits do not pay.
const WORTH: f64 = 0.97;
/// How digits become values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scale {
    /// The number of decimals.
    pub exponent: u8,
    /// What the digits and the divisor are both multiplied by.
    pub factor: u16,
}

impl Scale {
    /// Returns the scale of a file, unless it is out of range.
    pub(crate) fn new(exponent: u8, factor: u16) -> Option<Self> {
        (usize::from(exponent) < TENS.len() && factor > 0).then_some(Self { exponent, factor })
    }

    fn multipliers(self) -> Multipliers {
        // A scale that `new` refuses produces infinities or NaN, which do no harm.
        let ten = TENS.get(usize::from(self.exponent)).copied().unwrap_or(f64::INFINITY);
        let up = f64::from(self.factor);
        Multipliers { ten, up, down: 1.0 / (ten * up) }
    }

    /// Returns the bits per value that this scale would take: the width of the digits' range, and the exceptions.
    fn cost<R: FloatBits>(self, values: &[R]) -> f64 {
        let found = kernel::decimal::digit_range(Level::in_use(), values, self.multipliers());
        let width = found.range.map_or(0, |(low, high)| 64 - high.abs_diff(low).leading_zeros());
        let count = u32::try_from(values.len()).unwrap_or(u32::MAX).max(1);
        let share = f64::from(found.exceptions) / f64::from(count);
        f64::from(width) + share * f64::from(R::WIDTH + POSITION_WIDTH)
    }
}

/// Up to five scales for a column, the best first, by a sample of its first block: each has another
/// number of decimals, so that later blocks find theirs. Empty if none would pay.
pub(crate) fn candidates<R: FloatBits>(values: &[R]) -> Vec<Scale> {
    let most = (values.len() / SHARE).clamp(LEAST_SAMPLE, COLUMN_SAMPLE);
    let values = sample(values, most);
    let mut found: Vec<(f64, Scale)> = Vec::with_capacity(TENS.len());
    for (exponent, factors) in (0_u8..).zip(&FACTORS) {
        let factors = if R::WIDTH == 32 { &NO_FACTOR[..] } else { factors };
        // The first of equals: it has the smallest error.
        let costs = factors.iter().map(|&factor| {
            let scale = Scale { exponent, factor };
            (scale.cost(&values), scale)
        });
        found.extend(costs.reduce(|best, next| if next.0 < best.0 { next } else { best }));
    }
    found.retain(|&(cost, _)| pays::<R>(cost));
    // The sort is stable: of equals, the one with fewer decimals comes first.
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found.iter().take(CANDIDATES).map(|&(_, scale)| scale).collect()
}

/// Returns the best of the candidates for this block, by a sample, and the bits that a value will take
/// about. None if ALP does not pay here.
pub(crate) fn best<R: FloatBits>(values: &[R], candidates: &[Scale]) -> Option<(Scale, f64)> {
    let values = sample(values, BLOCK_SAMPLE);
    candidates
        .iter()
        .map(|&scale| (scale, scale.cost(&values)))
        .reduce(|best, next| if next.1 < best.1 { next } else { best })
        .filter(|&(_, cost)| pays::<R>(cost))
}

fn pays<R: FloatBits>(cost: f64) -> bool {
    cost < WORTH * f64::from(R::WIDTH)
}

/// Appends the digits of the values, and the values without digits to the exceptions, with positions relative to
/// the first of `values`. In place of an exception the preceding digits are repeated.
pub(crate) fn encode<R: FloatBits>(
    values: &[R],
    scale: Scale,
    digits: &mut Vec<R::Digit>,
    exceptions: &mut Exceptions<R::Bits>,
) {
    let (by, level) = (scale.multipliers(), Level::in_use());
    let (start, known) = (digits.len(), exceptions.positions.len());
    for (values, base) in values.chunks(DIGITS).zip((0_u32..).step_by(DIGITS)) {
        let mut marks = [R::Bits::default(); DIGITS];
        if kernel::decimal::floats_to_digits(level, values, by, digits, &mut marks) {
            push_marked(&marks, base, &mut exceptions.positions);
        }
    }
    let positions = exceptions.positions.get(known..).unwrap_or_default();
    let places = positions.iter().map(|&position| position as usize);
    exceptions.bits.extend(places.filter_map(|place| values.get(place)).map(|v| v.to_bits()));
    fill(digits.get_mut(start..).unwrap_or_default(), positions);
}

/// Sets the digits of exceptions to those of a neighbor, which compress well.
fn fill<D: Copy + Default>(digits: &mut [D], positions: &[u32]) {
    // Exceptions at the very start take the first good digit.
    let leading = positions.iter().zip(0_u32..).take_while(|&(&p, i)| p == i).count();
    let mut before = digits.get(leading).copied().unwrap_or_default();
    let mut next = 0_usize;
    for place in positions.iter().map(|&position| position as usize) {
        if place > next {
            before = digits.get(place - 1).copied().unwrap_or(before);
        }
        if let Some(digit) = digits.get_mut(place) {
            *digit = before;
        }
        next = place + 1;
    }
}

/// Appends the values of the digits; those of exceptions are wrong until `patch`. Digits out of their range give
/// unspecified values.
pub(crate) fn decode<R: FloatBits>(digits: &[R::Digit], scale: Scale, out: &mut Vec<R>) {
    kernel::decimal::digits_to_floats(Level::in_use(), digits, scale.multipliers(), out);
}

/// Stores the exceptions in a decoded block. Returns false if one is out of range.
#[inline(always)]
pub(crate) fn patch<R: FloatBits>(out: &mut [R], positions: &[u32], bits: &[R::Bits]) -> bool {
    let mut inside = positions.len() == bits.len();
    for (&position, &bits) in positions.iter().zip(bits) {
        match out.get_mut(position as usize) {
            Some(value) => *value = R::from_bits(bits),
            None => inside = false,
        }
    }
    inside
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::float::width::testing::{noise, odd_f32, odd_f64};

    fn check<R: FloatBits>(values: &[R], scale: Scale) -> (Vec<R::Digit>, Vec<u32>) {
        let (mut digits, mut exceptions) = (vec![], Exceptions::default());
        encode(values, scale, &mut digits, &mut exceptions);
        assert!(exceptions.positions.is_sorted_by(|a, b| a < b));
        assert!(digits.iter().all(|&digit| digit.into().unsigned_abs() <= 1 << 51));
        let mut out: Vec<R> = vec![];
        decode(&digits, scale, &mut out);
        assert!(patch(&mut out, &exceptions.positions, &exceptions.bits));
        let bits = |values: &[R]| -> Vec<u64> {
            values.iter().map(|value| value.to_bits().into()).collect()
        };
        assert_eq!(bits(&out), bits(values));
        (digits, exceptions.positions)
    }

    fn scales() -> impl Iterator<Item = Scale> {
        let factors =
            |exponent: u8| FACTORS[usize::from(exponent)].into_iter().chain([2, u16::MAX]);
        (0..19).flat_map(move |e| factors(e).map(move |factor| Scale::new(e, factor).unwrap()))
    }

    #[test]
    fn any_bits_round_trip() {
        let mut doubles = odd_f64();
        doubles.extend(noise(1).take(600).map(f64::from_bits));
        let mut singles = odd_f32();
        singles.extend(noise(2).take(600).map(|bits| f32::from_bits((bits >> 32) as u32)));
        for scale in scales() {
            check(&doubles, scale);
            check(&singles, scale);
        }
        check::<f64>(&[], Scale::new(0, 1).unwrap());
        check(&[f64::NAN; 300], Scale::new(3, 1).unwrap());
    }

    #[test]
    fn decimals_are_recognised() {
        for (exponent, ten) in (0..=13).zip(TENS) {
            let number = |bits: u64| (bits >> 22) as i64 - (1 << 41);
            let values: Vec<f64> = noise(3)
                .take(4000)
                .map(|bits| (number(bits) >> (u32::from(exponent) % 8)) as f64 / ten)
                .collect();
            let found = candidates(&values);
            let (scale, cost) = best(&values, &found).unwrap();
            assert_eq!((scale.exponent, found[0].exponent), (exponent, exponent));
            assert!(cost < 46.0, "{scale:?} {cost}");
            let exceptions = check(&values, scale).1.len();
            assert!(exceptions < 40, "{scale:?} {exceptions}");
        }
    }

    #[test]
    fn prices_have_no_exceptions() {
        let values: Vec<f64> = (0..500_000).map(|cents| f64::from(cents * 7) / 100.0).collect();
        let (scale, _) = best(&values, &candidates(&values)).unwrap();
        assert_eq!((scale.exponent, check(&values, scale).1.len()), (2, 0));
        let values: Vec<f32> = (0..500_000).map(|cents| cents as f32 / 100.0).collect();
        let (scale, _) = best(&values, &candidates(&values)).unwrap();
        assert_eq!((scale, check(&values, scale).1.len()), (Scale { exponent: 2, factor: 1 }, 0));
    }

    #[test]
    fn noise_does_not_pay() {
        let values: Vec<f64> = noise(4).take(5000).map(f64::from_bits).collect();
        assert_eq!(candidates(&values), []);
        assert_eq!(candidates(&[f64::NAN; 100]), []);
        let all: Vec<Scale> = scales().collect();
        assert_eq!(best(&values, &all), None);
        assert_eq!(best(&[1.0, 2.0], &[]), None);
        assert!(candidates::<f64>(&[]).len() <= CANDIDATES);
    }

    #[test]
    fn exceptions_repeat_their_neighbours() {
        let (nan, inf) = (f64::NAN, f64::INFINITY);
        let values = [nan, -0.0, 1.5, inf, nan, 2.5, 1e-9, 3.0, nan];
        let (digits, positions) = check(&values, Scale::new(1, 1).unwrap());
        assert_eq!(digits, [15, 15, 15, 15, 15, 25, 25, 30, 30]);
        assert_eq!(positions, [0, 1, 3, 4, 6, 8]);
        // Encoding appends, and counts positions from the new values.
        let (mut digits, mut exceptions) = (vec![7], Exceptions::default());
        encode(&[nan, 1.0], Scale::new(0, 1).unwrap(), &mut digits, &mut exceptions);
        assert_eq!((digits, exceptions.positions), (vec![7, 1, 1], vec![0]));
        assert_eq!(exceptions.bits, [nan.to_bits()]);
    }

    #[test]
    fn hostile_input_does_no_harm() {
        assert_eq!(Scale::new(19, 1), None);
        assert_eq!(Scale::new(0, 0), None);
        let digits = [i64::MIN, i64::MAX, -1, 0, 1 << 51, 1 << 52, 1 << 62];
        let broken = Scale { exponent: 255, factor: 0 };
        for scale in scales().chain([broken]) {
            let mut out: Vec<f64> = vec![];
            decode(&digits, scale, &mut out);
            decode::<f32>(&[i32::MIN, i32::MAX, 0], scale, &mut vec![]);
            assert_eq!(out.len(), digits.len());
            check(&odd_f64(), scale);
        }
        let mut out = [1.0_f64, 2.0];
        assert!(!patch(&mut out, &[1, 2], &[0, 0]));
        assert!(!patch(&mut out, &[u32::MAX], &[0]));
        assert!(!patch(&mut out, &[0, 1], &[0]));
        assert!(patch(&mut out, &[1], &[0x3ff0_0000_0000_0000]));
        assert_eq!(out, [0.0, 1.0]);
    }
}
