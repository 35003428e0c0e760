//! Minimum and maximum of vectors.
//!
//! ```text
//! values   3  -0.0  NaN  -7        as numbers that compare as the values do, in IEEE's total order
//! least, greatest                  -7, NaN
//! ```

/// A value with a number that compares as it does.
pub trait Ordered: Copy {
    /// Returns the number.
    fn rank(self) -> i64;

    /// Returns the ranks of the minimum and maximum.
    fn min_max(values: &[Self]) -> Option<(i64, i64)>;
}

impl Ordered for i64 {
    #[inline(always)]
    fn rank(self) -> i64 {
        self
    }

    #[inline(always)]
    fn min_max(values: &[Self]) -> Option<(i64, i64)> {
        by_rank(values, |value| value)
    }
}

impl Ordered for i32 {
    #[inline(always)]
    fn rank(self) -> i64 {
        i64::from(self)
    }

    #[inline(always)]
    fn min_max(values: &[Self]) -> Option<(i64, i64)> {
        let (least, greatest) = by_rank(values, |value| value)?;
        Some((i64::from(least), i64::from(greatest)))
    }
}

#[inline(always)]
fn rank32(value: f32) -> i32 {
    let bits = value.to_bits().cast_signed();
    bits ^ ((bits >> 31).cast_unsigned() >> 1).cast_signed()
}

impl Ordered for f32 {
    #[inline(always)]
    fn rank(self) -> i64 {
        i64::from(rank32(self))
    }

    #[inline(always)]
    fn min_max(values: &[Self]) -> Option<(i64, i64)> {
        let (least, greatest) = by_rank(values, rank32)?;
        Some((i64::from(least), i64::from(greatest)))
    }
}

impl Ordered for f64 {
    #[inline(always)]
    fn rank(self) -> i64 {
        let bits = self.to_bits().cast_signed();
        bits ^ ((bits >> 63).cast_unsigned() >> 1).cast_signed()
    }

    #[inline(always)]
    fn min_max(values: &[Self]) -> Option<(i64, i64)> {
        by_rank(values, f64::rank)
    }
}

#[inline(always)]
fn by_rank<T: Copy, R: Copy + Ord>(values: &[T], rank: impl Fn(T) -> R) -> Option<(R, R)> {
    let first = rank(*values.first()?);
    let (mut least, mut greatest) = (first, first);
    // Two ends and nothing else: so the compiler compares as many at a time as registers hold.
    for value in values {
        let rank = rank(*value);
        least = least.min(rank);
        greatest = greatest.max(rank);
    }
    Some((least, greatest))
}

/// Returns the ranks of the minimum and maximum.
#[inline(always)]
pub(crate) fn min_max<T: Ordered>(values: &[T]) -> Option<(i64, i64)> {
    T::min_max(values)
}
