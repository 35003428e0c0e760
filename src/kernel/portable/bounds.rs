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
}

impl Ordered for i32 {
    #[inline(always)]
    fn rank(self) -> i64 {
        i64::from(self)
    }
}

impl Ordered for i64 {
    #[inline(always)]
    fn rank(self) -> i64 {
        self
    }
}

impl Ordered for f32 {
    #[inline(always)]
    fn rank(self) -> i64 {
        let bits = self.to_bits().cast_signed();
        i64::from(bits ^ ((bits >> 31).cast_unsigned() >> 1).cast_signed())
    }
}

impl Ordered for f64 {
    #[inline(always)]
    fn rank(self) -> i64 {
        let bits = self.to_bits().cast_signed();
        bits ^ ((bits >> 63).cast_unsigned() >> 1).cast_signed()
    }
}

/// Values that are compared side by side.
const LANES: usize = 16;

/// The ranks of the least and the greatest value.
#[inline(always)]
pub(crate) fn bounds<T: Ordered>(values: &[T]) -> Option<(i64, i64)> {
    let first = values.first()?.rank();
    let (mut least, mut greatest) = ([first; LANES], [first; LANES]);
    let (chunks, rest) = values.as_chunks::<LANES>();
    for chunk in chunks {
        for ((value, least), greatest) in chunk.iter().zip(&mut least).zip(&mut greatest) {
            let rank = value.rank();
            *least = rank.min(*least);
            *greatest = rank.max(*greatest);
        }
    }
    let ranks = || rest.iter().map(|value| value.rank());
    Some((
        ranks().chain(least).min().unwrap_or(first),
        ranks().chain(greatest).max().unwrap_or(first),
    ))
}
