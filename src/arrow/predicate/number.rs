//! Decimal numbers of any size, and how they compare with integers.
//!
//! ```text
//! -120.50     negative, digits 1205, exponent -1
//! position of 10.5 among integers          between 10 and 11
//! position of 10.5 among decimals of scale 2          1050
//! ```

use std::fmt;

use arrow::datatypes::i256;

use crate::error::{Error, Result};

/// A number as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Number {
    /// Digits, of which neither the first nor the last is 0, times a power of ten; zero has none.
    Finite {
        negative: bool,
        digits: String,
        exponent: i32,
    },
    Infinite {
        negative: bool,
    },
    Nan,
}

/// The position of a number among the integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NumberPosition {
    /// Below all that a type can hold.
    Below,
    At(i256),
    /// Above this one, and below the next.
    Behind(i256),
    /// Above all that a type can hold.
    Above,
}

/// No type has more digits than this.
const BEYOND: i64 = 76;

/// The largest exponent that is accepted.
const MOST_EXPONENT: i32 = 9999;

impl Number {
    /// Parses what `str::parse` takes for a floating-point number, exactly.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        if rest.eq_ignore_ascii_case("inf") {
            return Ok(Number::Infinite { negative });
        }
        if rest.eq_ignore_ascii_case("nan") {
            return Ok(Number::Nan);
        }
        let wrong = || Error::invalid(format!("{text} is no number"));
        let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all_digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
        if whole.is_empty() && fraction.is_empty() || !all_digits(whole) || !all_digits(fraction) {
            return Err(wrong());
        }
        let exponent: i32 = exponent.parse().map_err(|_| wrong())?;
        let places = i64::try_from(fraction.len()).map_err(|_| wrong())?;
        let exponent = i64::from(exponent) - places;
        Self::finite(negative, format!("{whole}{fraction}"), exponent).ok_or_else(wrong)
    }

    /// `None` if the exponent is too large. The exponent is that of the last non-zero digit.
    fn finite(negative: bool, digits: String, exponent: i64) -> Option<Self> {
        let kept = digits.trim_end_matches('0').len();
        let zeros = i64::try_from(digits.len() - kept).ok()?;
        let digits = digits.get(..kept).unwrap_or("").trim_start_matches('0').to_owned();
        let exponent = match digits.is_empty() {
            true => 0,
            false => i32::try_from(exponent.saturating_add(zeros)).ok()?,
        };
        let fits = (-MOST_EXPONENT..=MOST_EXPONENT).contains(&exponent);
        fits.then_some(Number::Finite { negative, digits, exponent })
    }

    /// Returns its position among integers scaled by this many decimal digits. NaN is above all.
    pub(crate) fn place(&self, scale: i8) -> NumberPosition {
        let (negative, digits, exponent) = match self {
            Number::Finite { negative, digits, exponent } => (*negative, digits, *exponent),
            Number::Infinite { negative: true } => return NumberPosition::Below,
            Number::Infinite { .. } | Number::Nan => return NumberPosition::Above,
        };
        if digits.is_empty() {
            return NumberPosition::At(i256::ZERO);
        }
        let shift = i64::from(exponent) + i64::from(scale);
        let before_point = i64::try_from(digits.len()).unwrap_or(i64::MAX).saturating_add(shift);
        if before_point > BEYOND {
            return if negative { NumberPosition::Below } else { NumberPosition::Above };
        }
        let kept = usize::try_from(before_point).unwrap_or(0);
        let mut whole = digits.get(..kept).unwrap_or(digits).to_owned();
        let is_whole = shift >= 0;
        whole.extend(std::iter::repeat_n('0', kept.saturating_sub(whole.len())));
        let whole = i256::from_string(if whole.is_empty() { "0" } else { &whole });
        let Some(whole) = whole else {
            return if negative { NumberPosition::Below } else { NumberPosition::Above };
        };
        let signed = if negative { whole.wrapping_neg() } else { whole };
        match (is_whole, negative) {
            (true, _) => NumberPosition::At(signed),
            (false, false) => NumberPosition::Behind(signed),
            (false, true) => NumberPosition::Behind(signed.wrapping_sub(i256::ONE)),
        }
    }

    /// Returns the nearest floating-point number, by its own parser.
    pub(crate) fn nearest<F: std::str::FromStr>(&self) -> Result<F> {
        let text = match self {
            Number::Finite { negative, digits, exponent } => {
                let sign = if *negative { "-" } else { "" };
                format!("{sign}{}e{exponent}", if digits.is_empty() { "0" } else { digits })
            }
            other => other.to_string(),
        };
        text.parse().map_err(|_| Error::invalid(format!("{text} is no number")))
    }

    /// Returns whether it is neither infinite nor NaN.
    pub(crate) fn is_finite(&self) -> bool {
        matches!(self, Number::Finite { .. })
    }
}

/// Numbers with more zeros than this at an end are shown with an exponent.
const ZEROS: i64 = 20;

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (negative, digits, exponent) = match self {
            Number::Finite { negative, digits, exponent } => (*negative, digits, *exponent),
            Number::Infinite { negative } => {
                return f.write_str(if *negative { "-inf" } else { "inf" });
            }
            Number::Nan => return f.write_str("nan"),
        };
        if negative {
            f.write_str("-")?;
        }
        if digits.is_empty() {
            return f.write_str("0");
        }
        let (exponent, len) = (i64::from(exponent), i64::try_from(digits.len()).unwrap_or(0));
        let before_point = len + exponent;
        if exponent > ZEROS || before_point < -ZEROS {
            return write!(f, "{digits}e{exponent}");
        }
        let zeros = |n: i64| "0".repeat(usize::try_from(n).unwrap_or(0));
        if exponent >= 0 {
            return write!(f, "{digits}{}", zeros(exponent));
        }
        let (whole, fraction) = digits.split_at(usize::try_from(before_point).unwrap_or(0));
        let whole = if whole.is_empty() { "0" } else { whole };
        write!(f, "{whole}.{}{fraction}", zeros(-before_point))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Number {
        Number::parse(text).unwrap()
    }

    #[test]
    fn are_shown_as_they_are() {
        for (text, shown) in [
            ("0", "0"),
            ("-0", "-0"),
            ("000.000", "0"),
            ("10", "10"),
            ("+10.50", "10.5"),
            ("-0.05", "-0.05"),
            ("1e3", "1000"),
            ("12.5E-3", "0.0125"),
            ("1e30", "1e30"),
            ("123e-40", "123e-40"),
            ("inf", "inf"),
            ("-INF", "-inf"),
            ("NaN", "nan"),
            ("9007199254740993.000000001", "9007199254740993.000000001"),
            ("10e9998", "1e9999"),
            ("0.1e10000", "1e9999"),
            ("0e99999", "0"),
            ("1.5e-9998", "15e-9999"),
        ] {
            assert_eq!(number(text).to_string(), shown);
            assert_eq!(number(shown), number(text), "{text}");
        }
        for bad in [
            "",
            ".",
            "-",
            "1e",
            "1.2.3",
            "e5",
            "1e10000",
            "10e9999",
            "1e-10000",
            "1.5e-9999",
            "0x1",
            "1_000",
            "in",
        ] {
            assert!(Number::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn have_their_place_among_whole_numbers() {
        let at = |n: i128| NumberPosition::At(i256::from_i128(n));
        let behind = |n: i128| NumberPosition::Behind(i256::from_i128(n));
        for (text, scale, place) in [
            ("0", 0, at(0)),
            ("0.0", 9, at(0)),
            ("10.5", 0, behind(10)),
            ("-10.5", 0, behind(-11)),
            ("10.5", 2, at(1050)),
            ("10.555", 2, behind(1055)),
            ("-0.001", 2, behind(-1)),
            ("1200", -2, at(12)),
            ("1250", -2, behind(12)),
            ("1e-300", 0, behind(0)),
            ("-1e-300", 0, behind(-1)),
            ("1e77", 0, NumberPosition::Above),
            ("-1e77", 0, NumberPosition::Below),
            ("1e9999", 127, NumberPosition::Above),
            ("inf", 0, NumberPosition::Above),
            ("-inf", 0, NumberPosition::Below),
            ("18446744073709551616", 0, at(1 << 64)),
        ] {
            assert_eq!(number(text).place(scale), place, "{text} {scale}");
        }
        assert_eq!(number("-0.1").nearest::<f64>().unwrap(), -0.1);
        assert_eq!(number("1e400").nearest::<f64>().unwrap(), f64::INFINITY);
        assert!(number("nan").nearest::<f32>().unwrap().is_nan());
    }
}
