//! The least and the greatest of many values.
//!
//! ```text
//! values   3  -0.0  NaN  -7        as numbers that compare as the values do, in IEEE's total order
//! least, greatest                  -7, NaN
//! ```

/// A value with a number that compares as it does.
pub trait Ordered: Copy {
    /// The number.
    fn rank(self) -> i64;

    /// The numbers of the least and the greatest.
    fn bounds(values: &[Self]) -> Option<(i64, i64)>;
}

impl Ordered for i64 {
    #[inline(always)]
    fn rank(self) -> i64 {
        self
    }

    #[inline(always)]
    fn bounds(values: &[Self]) -> Option<(i64, i64)> {
        by_rank(values, |value| value)
    }
}

impl Ordered for i32 {
    #[inline(always)]
    fn rank(self) -> i64 {
        i64::from(self)
    }

    #[inline(always)]
    fn bounds(values: &[Self]) -> Option<(i64, i64)> {
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
    fn bounds(values: &[Self]) -> Option<(i64, i64)> {
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
    fn bounds(values: &[Self]) -> Option<(i64, i64)> {
        match without_nan(values) {
            Some((least, greatest)) => Some((least.rank(), greatest.rank())),
            None => by_rank(values, f64::rank),
        }
    }
}

/// Values that are compared side by side.
const LANES: usize = 16;

#[inline(always)]
fn by_rank<T: Copy, R: Copy + Ord>(values: &[T], rank: impl Fn(T) -> R) -> Option<(R, R)> {
    let first = rank(*values.first()?);
    let (mut least, mut greatest) = ([first; LANES], [first; LANES]);
    let (chunks, rest) = values.as_chunks::<LANES>();
    for chunk in chunks {
        for ((value, least), greatest) in chunk.iter().zip(&mut least).zip(&mut greatest) {
            let rank = rank(*value);
            *least = rank.min(*least);
            *greatest = rank.max(*greatest);
        }
    }
    let ranks = || rest.iter().map(|value| rank(*value));
    let least = ranks().chain(least).fold(first, R::min);
    Some((least, ranks().chain(greatest).fold(first, R::max)))
}

/// Of doubles: sooner found by the machine's own comparison, which knows no NaN, nor the signs of zeros. `None` if one
/// is NaN, or there are none.
#[inline(always)]
fn without_nan(values: &[f64]) -> Option<(f64, f64)> {
    let first = *values.first()?;
    let (mut least, mut greatest) = ([first; LANES], [first; LANES]);
    let (mut any_bits, mut all_bits, mut nans) = ([0u64; LANES], [u64::MAX; LANES], [0u64; LANES]);
    let mut look = |chunk: &[f64; LANES]| {
        for (low, value) in least.iter_mut().zip(chunk) {
            *low = if *value < *low { *value } else { *low };
        }
        for (high, value) in greatest.iter_mut().zip(chunk) {
            *high = if *value > *high { *value } else { *high };
        }
        any_bits.iter_mut().zip(chunk).for_each(|(any, value)| *any |= value.to_bits());
        all_bits.iter_mut().zip(chunk).for_each(|(all, value)| *all &= value.to_bits());
        nans.iter_mut().zip(chunk).for_each(|(nan, value)| *nan |= u64::from(value.is_nan()));
    };
    let (chunks, rest) = values.as_chunks::<LANES>();
    chunks.iter().for_each(&mut look);
    let mut last = [first; LANES];
    last.iter_mut().zip(rest).for_each(|(to, value)| *to = *value);
    look(&last);
    if nans != [0; LANES] {
        return None;
    }
    let least = least.iter().fold(first, |a, b| if *b < a { *b } else { a });
    let greatest = greatest.iter().fold(first, |a, b| if *b > a { *b } else { a });
    // Where zero is the end of all, a sign that one has, or that one lacks, is a zero's.
    let any_negative = any_bits.iter().any(|bits| bits >> 63 == 1);
    let all_negative = all_bits.iter().all(|bits| bits >> 63 == 1);
    let least = if least == 0.0 { if any_negative { -0.0 } else { 0.0 } } else { least };
    let greatest = if greatest == 0.0 { if all_negative { -0.0 } else { 0.0 } } else { greatest };
    Some((least, greatest))
}

/// The ranks of the least and the greatest value.
#[inline(always)]
pub(crate) fn bounds<T: Ordered>(values: &[T]) -> Option<(i64, i64)> {
    T::bounds(values)
}
