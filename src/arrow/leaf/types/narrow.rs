//! Casts integers to narrower types, many at a time.

use arrow::datatypes::ArrowNativeType;

use crate::arrow::array::buffer_pool::BufferPool;

/// Casts integers to a narrower type; `None` if one is out of its range. The loop has no branch, so that it is compiled to
/// vector instructions.
pub(super) fn narrow<W, N>(values: Vec<W>, pool: &mut BufferPool) -> Option<Vec<N>>
where
    W: ArrowNativeType + Narrow<N>,
    N: ArrowNativeType,
{
    let mut out = pool.take();
    let mut lost = W::default();
    out.extend(values.iter().map(|value| {
        let (narrow, bits) = value.narrow();
        lost = lost.or(bits);
        narrow
    }));
    pool.give(values);
    (lost == W::default()).then_some(out)
}

/// A cast to a narrower integer type.
pub(super) trait Narrow<N>: Sized {
    /// Returns the low bits, and bits that are not zero if the value is out of the range of the type.
    fn narrow(self) -> (N, Self);

    fn or(self, other: Self) -> Self;
}

macro_rules! narrow {
    ($($wide:ty => $narrow:ty, $lost:expr;)*) => {
        $(impl Narrow<$narrow> for $wide {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the bits that are lost are returned")]
            fn narrow(self) -> ($narrow, Self) {
                let narrow = self as $narrow;
                let lost: fn(Self, $narrow) -> Self = $lost;
                (narrow, lost(self, narrow))
            }

            fn or(self, other: Self) -> Self {
                self | other
            }
        })*
    };
}

narrow! {
    i32 => i8, |wide, narrow| wide ^ i32::from(narrow);
    i32 => i16, |wide, narrow| wide ^ i32::from(narrow);
    i32 => u8, |wide, narrow| wide ^ i32::from(narrow);
    i32 => u16, |wide, narrow| wide ^ i32::from(narrow);
    i32 => u32, |wide, _| wide & i32::MIN;
    i64 => i32, |wide, narrow| wide ^ i64::from(narrow);
    i64 => u32, |wide, narrow| wide ^ i64::from(narrow);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_lost_where_try_from_fails() {
        let values = [0, 1, -1, 127, 128, -128, -129, 255, 256, 32767, 32768, -32768, 65535, 65536];
        let values = values.into_iter().chain([i32::MIN, i32::MAX]);
        for value in values {
            let mut pool = BufferPool::default();
            macro_rules! check {
                ($($narrow:ty)*) => {
                    $(
                        let cast = narrow::<i32, $narrow>(vec![0, value], &mut pool);
                        let expected = <$narrow>::try_from(value).ok();
                        assert_eq!(cast.map(|cast| cast[1]), expected, "{value}");
                    )*
                };
            }
            check! { i8 i16 u8 u16 u32 }
        }
        for value in [0, -1, i64::from(u32::MAX), 1 << 32, i64::MIN, i64::MAX] {
            let mut pool = BufferPool::default();
            let cast = narrow::<i64, u32>(vec![value], &mut pool);
            assert_eq!(cast.map(|cast| cast[0]), u32::try_from(value).ok(), "{value}");
            let cast = narrow::<i64, i32>(vec![value], &mut pool);
            assert_eq!(cast.map(|cast| cast[0]), i32::try_from(value).ok(), "{value}");
        }
    }
}
