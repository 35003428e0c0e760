//! The digits of decimal numbers, and whether floating-point numbers hold them.
//!
//! ```text
//! text                      float64 with as many digits
//! 0.1                       0.1                        held
//! 0.10000000000000001       0.10000000000000001        held: 17 digits of a float64
//! 0.12345678901234568901    0.12345678901234567737     not held
//! 9007199254740993          9007199254740992           not held
//! ```
//! What a program prints of a float64, rounded correctly to any number of digits, is held.

use std::io::Write;

use arrow::datatypes::{DECIMAL128_MAX_PRECISION, DataType};

/// Digits that every float64 of a usual size holds.
const SAFE_DIGITS: usize = 15;

/// The parts of a number such as `-12.50e3`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Literal<'a> {
    whole: &'a [u8],
    fraction: &'a [u8],
    exponent: Option<i64>,
}

impl<'a> Literal<'a> {
    /// Returns the parts of a number; `None` if it is a word.
    fn parse(text: &'a [u8]) -> Option<Self> {
        let text = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
        let (digits, exponent) = match text.iter().position(|b| matches!(b, b'e' | b'E')) {
            Some(at) => (text.get(..at)?, Some(text.get(at + 1..)?)),
            None => (text, None),
        };
        let (whole, fraction) = match digits.iter().position(|b| *b == b'.') {
            Some(at) => (digits.get(..at)?, digits.get(at + 1..)?),
            None => (digits, &[][..]),
        };
        let are_digits = whole.iter().chain(fraction).all(u8::is_ascii_digit);
        let exponent = match exponent {
            Some(text) => Some(std::str::from_utf8(text).ok()?.parse().ok()?),
            None => None,
        };
        (are_digits && whole.len() + fraction.len() > 0).then_some(Self {
            whole,
            fraction,
            exponent,
        })
    }
}

/// The digits of the numbers of a column.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Digits {
    /// The most before the point, and after it.
    whole: usize,
    fraction: usize,
    /// Whether there are numbers with an exponent, or words.
    has_others: bool,
    /// Whether a float64 does not hold one of the numbers.
    pub(crate) is_beyond_float: bool,
}

impl Digits {
    /// Adds a number, or a word such as `inf`; `value` is the nearest float64.
    pub(crate) fn add(&mut self, text: &str, value: f64) {
        self.is_beyond_float |= !is_held(value, text);
        match Literal::parse(text.as_bytes()) {
            Some(Literal { whole, fraction, exponent: None }) => {
                let zeros = whole.iter().take_while(|b| **b == b'0').count();
                self.whole = self.whole.max(whole.len() - zeros);
                self.fraction = self.fraction.max(fraction.len());
            }
            _ => self.has_others = true,
        }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.whole = self.whole.max(other.whole);
        self.fraction = self.fraction.max(other.fraction);
        self.has_others |= other.has_others;
        self.is_beyond_float |= other.is_beyond_float;
    }

    /// Returns the scale of decimals that hold all of the numbers, if there are any.
    pub(crate) fn scale(&self) -> Option<i8> {
        let most = usize::from(DECIMAL128_MAX_PRECISION);
        let fits = !self.has_others && self.whole + self.fraction <= most;
        fits.then(|| i8::try_from(self.fraction).ok()).flatten()
    }
}

/// Decimals of as many digits as 128 bits hold.
pub(crate) fn decimal_type(scale: i8) -> DataType {
    DataType::Decimal128(DECIMAL128_MAX_PRECISION, scale)
}

/// Returns the unscaled value of a number without an exponent; `None` if it has more digits than there are.
pub(crate) fn unscaled(text: &str, scale: i8) -> Option<i128> {
    let literal = Literal::parse(text.as_bytes()).filter(|literal| literal.exponent.is_none())?;
    let scale = usize::try_from(scale).ok()?;
    if literal.fraction.len() > scale {
        return None;
    }
    let zeros = std::iter::repeat_n(&b'0', scale - literal.fraction.len());
    let mut value = 0i128;
    for digit in literal.whole.iter().chain(literal.fraction).chain(zeros) {
        value = value.checked_mul(10)?.checked_add(i128::from(digit - b'0'))?;
    }
    let most = 10i128.checked_pow(u32::from(DECIMAL128_MAX_PRECISION))?;
    (value < most).then_some(if text.starts_with('-') { -value } else { value })
}

/// Returns whether a number, which is the nearest to a text, has all the digits of the text. Integers must be equal.
#[inline]
pub(crate) fn is_held(value: f64, text: &str) -> bool {
    // A point, a sign or an exponent leave room for fewer digits.
    let is_usual = (1e-15..1e15).contains(&value.abs());
    (text.len() <= SAFE_DIGITS && is_usual) || is_held_at_length(value, text)
}

/// [`is_held`] of any number of digits.
fn is_held_at_length(value: f64, text: &str) -> bool {
    if let Some(is_near) = is_near(value, text.as_bytes()) {
        return is_near;
    }
    let Some(literal) = Literal::parse(text.as_bytes()) else { return true };
    if !value.is_finite() {
        return false;
    }
    let is_integer = literal.fraction.is_empty() && literal.exponent.is_none();
    let (digits, exponent) = significant(&literal);
    if digits.is_empty() {
        return true;
    }
    match is_integer {
        true => is_same_integer(value, literal.whole),
        false => has_digits(value, &digits, exponent),
    }
}

/// Returns whether a number is the integer that a text is, if it is one: of narrow types other numbers may lose digits.
pub(crate) fn is_integer_held(value: f64, text: &str) -> bool {
    match Literal::parse(text.as_bytes()) {
        Some(_) if value.is_infinite() => false,
        Some(Literal { whole, fraction: [], exponent: None }) => is_same_integer(value, whole),
        _ => true,
    }
}

/// Returns the number of significant digits after the point.
pub(crate) fn fraction(text: &str) -> i64 {
    let Some(literal) = Literal::parse(text.as_bytes()) else { return 0 };
    let kept = literal.fraction.iter().rposition(|b| *b != b'0').map_or(0, |last| last + 1);
    let kept = i64::try_from(kept).unwrap_or(i64::MAX);
    kept.saturating_sub(literal.exponent.unwrap_or(0)).max(0)
}

fn is_same_integer(value: f64, digits: &[u8]) -> bool {
    const EXACT: f64 = 16_777_216.0;
    let zeros = digits.iter().take_while(|b| **b == b'0').count();
    let digits = digits.get(zeros..).unwrap_or_default();
    // A float64 that is an integer prints all its digits.
    (value.abs() < EXACT && digits.len() <= SAFE_DIGITS)
        || format!("{:.0}", value.abs()).as_bytes() == digits
        || (value == 0.0 && digits.is_empty())
}

/// Returns the digits without zeros at either end, and the power of ten of the first.
fn significant(literal: &Literal<'_>) -> (Vec<u8>, i64) {
    let all = literal.whole.iter().chain(literal.fraction);
    let zeros = all.clone().take_while(|b| **b == b'0').count();
    let mut digits: Vec<u8> = all.skip(zeros).copied().collect();
    let kept = digits.iter().rposition(|b| *b != b'0').map_or(0, |last| last + 1);
    digits.truncate(kept);
    let [whole, zeros] = [literal.whole.len(), zeros].map(|n| i64::try_from(n).unwrap_or(i64::MAX));
    (digits, literal.exponent.unwrap_or(0).saturating_add(whole - zeros - 1))
}

/// Returns whether a number that is rounded to as many digits has these, the first of which counts `10^exponent`.
fn has_digits(value: f64, digits: &[u8], exponent: i64) -> bool {
    let mut printed = Vec::with_capacity(digits.len() + 16);
    if write!(printed, "{:.*e}", digits.len() - 1, value.abs()).is_err() {
        return false;
    }
    let printed: Vec<u8> = printed.into_iter().filter(|b| *b != b'.').collect();
    let expected = [digits, format!("e{exponent}").as_bytes()].concat();
    printed == expected || is_rounded_up(value, digits, exponent)
}

/// Returns whether a number is in the middle between these digits and those before: programs round it to either.
fn is_rounded_up(value: f64, digits: &[u8], exponent: i64) -> bool {
    // Of the digits behind, all but the first are zeros.
    const BEHIND: usize = 40;
    let text = format!("{:.*e}", digits.len() - 1 + BEHIND, value.abs());
    let Some((printed, of_printed)) = text.split_once('e') else { return false };
    let printed = printed.replace('.', "");
    let Some((before, behind)) = printed.split_at_checked(digits.len()) else { return false };
    let is_middle = behind.strip_prefix('5').is_some_and(|rest| rest.bytes().all(|b| b == b'0'));
    let next = digits.split_last().map(|(last, start)| [start, &[last.wrapping_sub(1)]].concat());
    is_middle && of_printed.parse() == Ok(exponent) && next.as_deref() == Some(before.as_bytes())
}

/// Returns whether a number is at most half a unit of the last digit of a text away. `None` for texts that are not up to
/// 19 digits around a point, and numbers for which 128 bits are too few.
///
/// ```text
/// value = m * 2^-shift    text = n * 10^-k    |m * 10^k - n * 2^shift| <= 2^(shift - 1)
/// ```
fn is_near(value: f64, text: &[u8]) -> Option<bool> {
    let text = text.strip_prefix(b"-").unwrap_or(text);
    let point = text.iter().position(|byte| *byte == b'.')?;
    let (whole, fraction) = (text.get(..point)?, text.get(point + 1..)?);
    if text.len() > 20 {
        return None;
    }
    let mut n = number(0, whole).and_then(|n| number(n, fraction))?;
    let mut k = fraction.len();
    while k > 0 && n % 10 == 0 {
        (n, k) = (n / 10, k - 1);
    }
    let bits = value.abs().to_bits();
    let shift = 1075u64.checked_sub(bits >> 52).filter(|shift| (1..=100).contains(shift))?;
    // Of an integer the last digit may be a zero.
    if k == 0 {
        return None;
    }
    let m = (bits & ((1 << 52) - 1)) | (1 << 52);
    let power = 10u64.checked_pow(u32::try_from(k).ok()?)?;
    let scaled = u128::from(m) * u128::from(power);
    let text = u128::from(n).checked_shl(u32::try_from(shift).ok()?)?;
    (text >> shift == u128::from(n)).then(|| scaled.abs_diff(text) <= 1 << (shift - 1))
}

/// Returns the number that digits are, after those of another number: 19 of them at most.
fn number(before: u64, digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(before, |n, byte| {
        let digit = byte.wrapping_sub(b'0');
        (digit < 10).then(|| n.wrapping_mul(10).wrapping_add(digit.into()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_held_or_not() {
        for (text, held) in [
            ("0.1", true),
            ("0.10000000000000001", true),
            ("0.1000000000000000055511151231257827", true),
            ("0.30000000000000004", true),
            // In the middle between two numbers of 16 digits.
            ("7.006188907930043e14", true),
            ("7.006188907930042e14", true),
            ("700618890793004.3", true),
            ("0.1234567890123456789", false),
            ("0.12345678901234567890123", false),
            ("1.50000000000000000000", true),
            ("3.3333333333333333", false),
            ("9007199254740993", false),
            ("9007199254740993.0", false),
            ("9007199254740992.0", true),
            ("-9007199254740992", true),
            ("100000000000000000000000", false),
            ("18446744073709551616", true),
            ("1e23", true),
            ("1e-7", true),
            ("1.7976931348623157e308", true),
            ("2.2250738585072014E-308", true),
            ("5e-324", true),
            ("1e400", false),
            ("1e-400", false),
            ("0e400", true),
            ("0", true),
            ("-0.0", true),
            ("nan", true),
            ("-inf", true),
            ("123456789012345678901234567890.5", false),
        ] {
            assert_eq!(is_held(text.parse().unwrap(), text), held, "{text}");
        }
    }

    #[test]
    fn what_is_printed_of_a_number_is_held() {
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..100_000 {
            let value = match random.u8(..3) {
                0 => f64::from_bits(random.u64(..)),
                1 => random.f64() * 1000.0,
                _ => random.f64() * 10f64.powi(random.i32(-30..30)),
            };
            if !value.is_finite() {
                continue;
            }
            let digits = random.usize(..25);
            for text in [
                format!("{value}.0").replace(".0.0", ".0"),
                format!("{value:e}"),
                format!("{value:.digits$e}"),
            ] {
                let Ok(parsed) = text.parse::<f64>() else { continue };
                assert!(!parsed.is_finite() || is_held(parsed, &text), "{text}");
            }
        }
    }

    #[test]
    fn both_ways_to_compare_agree() {
        let (mut random, mut compared) = (fastrand::Rng::with_seed(8), 0);
        for _ in 0..50_000 {
            let (whole, digits) = (random.u32(..1000), random.usize(10..19));
            let text: String = (0..digits).map(|_| char::from(b'0' + random.u8(..10))).collect();
            let text = format!("{whole}.{text}");
            let value: f64 = text.parse().unwrap();
            let (digits, exponent) = significant(&Literal::parse(text.as_bytes()).unwrap());
            let Some(near) = is_near(value, text.as_bytes()) else { continue };
            assert_eq!(near, has_digits(value, &digits, exponent), "{text}");
            compared += 1;
        }
        assert!(compared > 20_000, "{compared}");
    }

    #[test]
    fn decimals_hold_as_many_digits() {
        let digits = |texts: &[&str]| {
            let mut digits = Digits::default();
            texts.iter().for_each(|text| digits.add(text, text.parse().unwrap()));
            digits
        };
        for (texts, beyond, scale) in [
            (&["1", "2.5"][..], false, Some(1)),
            (&["0.1234567890123456789", "-100"], true, Some(19)),
            (&["0.1234567890123456789", "1e5"], true, None),
            (&["123456789012345678901234567890.123456789"], true, None),
            (&["18446744073709551617", "-1"], true, Some(0)),
        ] {
            let found = digits(texts);
            assert_eq!((found.is_beyond_float, found.scale()), (beyond, scale), "{texts:?}");
        }
        assert_eq!(unscaled("-1.5", 3), Some(-1500));
        assert_eq!(unscaled(".5", 1), Some(5));
        assert_eq!(unscaled("1.55", 1), None);
        assert_eq!(unscaled("1e5", 1), None);
        assert_eq!(unscaled("99999999999999999999999999999999999999", 0), Some(10i128.pow(38) - 1));
        assert_eq!(unscaled("100000000000000000000000000000000000000", 0), None);
    }
}
