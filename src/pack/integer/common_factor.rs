//! Common factor: numbers whose differences have a common divisor, such as seconds stored as microseconds.
//!
//! ```text
//! numbers     7000 10000 16000        least 7000, factor 3000        quotients   0 1 3
//! distance    odd * 2^z * quotient ── times the inverse of odd, modulo 2^64 ──► 2^z * quotient
//! ```
//! A difference that is not a multiple gives a quotient that is out of range, so one multiplication each computes
//! the quotients and shows that they are exact.

/// Returns the greatest common divisor of the differences to the minimum, if it saves at least a bit.
pub(crate) fn of(values: &[i64], least: i64) -> Option<u64> {
    let mut factor = 0;
    for value in values {
        factor = gcd(factor, value.wrapping_sub(least).cast_unsigned());
        if factor == 1 {
            return None;
        }
    }
    (factor > 1).then_some(factor)
}

/// Returns the quotient of each difference and the factor; `None` if it does not divide all of them.
pub(crate) fn quotients(values: &[i64], factor: u64, least: i64) -> Option<Vec<i64>> {
    let zeros = factor.trailing_zeros();
    let inverse = inverse(factor.checked_shr(zeros)?);
    let most = u64::MAX.checked_div(factor)?;
    let mut exact = true;
    let quotient = |value: &i64| {
        let distance = value.wrapping_sub(least).cast_unsigned();
        let quotient = distance.wrapping_mul(inverse).rotate_right(zeros);
        exact &= quotient <= most;
        quotient.cast_signed()
    };
    let quotients = values.iter().map(quotient).collect();
    exact.then_some(quotients)
}

/// Returns the inverse of an odd number modulo 2^64: each step of Newton's method doubles the number of correct
/// bits, of which there are three at first.
fn inverse(odd: u64) -> u64 {
    (0..5).fold(odd, |x, _| x.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(x))))
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn quotients_are_those_of_division(
            factor in prop_oneof![1u64..5000, any::<u64>().prop_map(|f| f.max(1)), (0u32..64).prop_map(|z| 1 << z)],
            times in prop::collection::vec(any::<u64>(), 1..40),
            least: i64,
            spoil in prop::option::of(any::<u64>()),
        ) {
            let times: Vec<u64> = times.iter().map(|t| t % (u64::MAX / factor).saturating_add(1).max(1)).collect();
            let number = |t: &u64| least.wrapping_add((t * factor).cast_signed());
            let mut numbers: Vec<i64> = times.iter().map(number).collect();
            numbers[0] = numbers[0].wrapping_add(spoil.unwrap_or(0).cast_signed());
            let distance = |v: &i64| v.wrapping_sub(least).cast_unsigned();
            let exact = numbers.iter().all(|v| distance(v) % factor == 0);
            let expected: Vec<i64> = numbers.iter().map(|v| (distance(v) / factor).cast_signed()).collect();
            prop_assert_eq!(quotients(&numbers, factor, least), exact.then_some(expected));
        }
    }

    #[test]
    fn factors_are_found() {
        assert_eq!(of(&[10, 40, 25], 10), Some(15));
        assert_eq!(of(&[10, 11], 10), None);
        assert_eq!(of(&[10, 10], 10), None);
        assert_eq!(of(&[i64::MIN, i64::MAX - 1], i64::MIN), Some(u64::MAX - 1));
        assert_eq!(quotients(&[1], 0, 1), None);
    }
}
