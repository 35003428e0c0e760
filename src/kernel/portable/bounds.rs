//! Minimum and maximum of vectors.
//!
//! ```text
//! values   3  -0.0  NaN  -7        as numbers that compare as the values do, in IEEE's total order
//! least, greatest                  -7, NaN
//! ```
//! With a bitmap, only the values whose bit is set are compared.

/// A value with a number that compares as it does.
pub trait Ordered: Copy {
    /// Returns the number.
    fn rank(self) -> i64;

    /// Returns the ranks of the minimum and maximum.
    fn min_max(values: &[Self]) -> Option<(i64, i64)>;

    /// Returns the ranks of the minimum and maximum of the values whose bit is set.
    fn min_max_valid(values: &[Self], validity: &[u8]) -> Option<(i64, i64)>;
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

    #[inline(always)]
    fn min_max_valid(values: &[Self], validity: &[u8]) -> Option<(i64, i64)> {
        by_rank_valid(values, validity, |value| value, (i64::MIN, i64::MAX))
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

    #[inline(always)]
    fn min_max_valid(values: &[Self], validity: &[u8]) -> Option<(i64, i64)> {
        let ends = (i32::MIN, i32::MAX);
        let (least, greatest) = by_rank_valid(values, validity, |value| value, ends)?;
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

    #[inline(always)]
    fn min_max_valid(values: &[Self], validity: &[u8]) -> Option<(i64, i64)> {
        let ends = (i32::MIN, i32::MAX);
        let (least, greatest) = by_rank_valid(values, validity, rank32, ends)?;
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

    #[inline(always)]
    fn min_max_valid(values: &[Self], validity: &[u8]) -> Option<(i64, i64)> {
        by_rank_valid(values, validity, f64::rank, (i64::MIN, i64::MAX))
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

/// Eight minima and maxima are kept, one for each bit of a byte, so that no value waits for the one before it.
#[inline(always)]
fn by_rank_valid<T: Copy, R: Copy + Ord>(
    values: &[T],
    validity: &[u8],
    rank: impl Fn(T) -> R,
    (lowest, highest): (R, R),
) -> Option<(R, R)> {
    let (mut least, mut greatest, mut any) = ([highest; 8], [lowest; 8], false);
    for (chunk, byte) in values.chunks(8).zip(validity) {
        let bits: [bool; 8] = std::array::from_fn(|i| byte >> i & 1 == 1);
        let ends = least.iter_mut().zip(&mut greatest);
        for ((value, valid), (least, greatest)) in chunk.iter().zip(bits).zip(ends) {
            let rank = rank(*value);
            *least = if valid { rank.min(*least) } else { *least };
            *greatest = if valid { rank.max(*greatest) } else { *greatest };
            any |= valid;
        }
    }
    any.then(|| least.into_iter().min().zip(greatest.into_iter().max())).flatten()
}

/// Returns the ranks of the minimum and maximum.
#[inline(always)]
pub(crate) fn min_max<T: Ordered>(values: &[T]) -> Option<(i64, i64)> {
    T::min_max(values)
}

/// Returns the ranks of the minimum and maximum of the values whose bit is set.
#[inline(always)]
pub(crate) fn min_max_valid<T: Ordered>(values: &[T], validity: &[u8]) -> Option<(i64, i64)> {
    T::min_max_valid(values, validity)
}
