//! Decimal digits: floats to digits and back, and digits as text.

use super::Level;
use super::portable::{self, DIGITS, DigitRange, FloatBits, Multipliers};

/// Appends the eight decimal digits of each number as ASCII in a word, the first digit in the lowest byte, without the
/// first `skip` digits. The result for numbers of more than eight digits is unspecified.
pub fn format_digits(level: Level, numbers: &[i64], skip: u32, out: &mut Vec<u64>) {
    at_level!(level, format_digits(numbers, skip, out));
}

/// Converts digits to floats.
pub fn digits_to_floats<R: FloatBits>(
    level: Level,
    digits: &[R::Digit],
    by: Multipliers,
    out: &mut Vec<R>,
) {
    at_level!(level, digits_to_floats(digits, by, out));
}

/// Converts up to [`DIGITS`] floats to digits, and marks in `wrong` those that do not convert back exactly. Returns
/// whether there are any.
pub fn floats_to_digits<R: FloatBits>(
    level: Level,
    values: &[R],
    by: Multipliers,
    out: &mut Vec<R::Digit>,
    wrong: &mut [R::Bits; DIGITS],
) -> bool {
    at_level!(level, floats_to_digits(values, by, out, wrong))
}

/// Returns the range of the digits of values, and how many values have no digits.
pub fn digit_range<R: FloatBits>(level: Level, values: &[R], by: Multipliers) -> DigitRange {
    at_level!(level, digit_range(values, by))
}
