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

/// What is known of doubles side by side.
struct Doubles {
    least: [f64; LANES],
    greatest: [f64; LANES],
    /// The bits that one has, and those that all have.
    any: [u64; LANES],
    all: [u64; LANES],
    nans: [u64; LANES],
}

impl Doubles {
    #[inline(always)]
    fn look(&mut self, chunk: &[f64; LANES]) {
        for (low, value) in self.least.iter_mut().zip(chunk) {
            *low = if *value < *low { *value } else { *low };
        }
        for (high, value) in self.greatest.iter_mut().zip(chunk) {
            *high = if *value > *high { *value } else { *high };
        }
        for (any, value) in self.any.iter_mut().zip(chunk) {
            *any |= value.to_bits();
        }
        for (all, value) in self.all.iter_mut().zip(chunk) {
            *all &= value.to_bits();
        }
        for (nan, value) in self.nans.iter_mut().zip(chunk) {
            *nan |= u64::from(value.is_nan());
        }
    }
}

/// Of doubles: sooner found by the machine's own comparison, which knows no NaN, nor the signs of zeros. `None` if one
/// is NaN, or there are none.
#[inline(always)]
fn without_nan(values: &[f64]) -> Option<(f64, f64)> {
    let first = *values.first()?;
    let mut doubles = Doubles {
        least: [first; LANES],
        greatest: [first; LANES],
        any: [0; LANES],
        all: [u64::MAX; LANES],
        nans: [0; LANES],
    };
    let (chunks, rest) = values.as_chunks::<LANES>();
    for chunk in chunks {
        doubles.look(chunk);
    }
    let mut last = [first; LANES];
    last.iter_mut().zip(rest).for_each(|(to, value)| *to = *value);
    doubles.look(&last);
    if doubles.nans != [0; LANES] {
        return None;
    }
    let least = doubles.least.iter().fold(first, |a, b| if *b < a { *b } else { a });
    let greatest = doubles.greatest.iter().fold(first, |a, b| if *b > a { *b } else { a });
    // Where zero is the end of all, a sign that one has, or that one lacks, is a zero's.
    let any_negative = doubles.any.iter().any(|bits| bits >> 63 == 1);
    let all_negative = doubles.all.iter().all(|bits| bits >> 63 == 1);
    let zero = |negative| if negative { -0.0 } else { 0.0 };
    let least = if least == 0.0 { zero(any_negative) } else { least };
    let greatest = if greatest == 0.0 { zero(all_negative) } else { greatest };
    Some((least, greatest))
}

/// The ranks of the least and the greatest value.
#[inline(always)]
pub(crate) fn bounds<T: Ordered>(values: &[T]) -> Option<(i64, i64)> {
    T::bounds(values)
}
