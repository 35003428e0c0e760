//! The two float widths, and a strided sample.

pub(crate) use crate::kernel::{Bits, FloatBits};

/// Samples at most `limit` values: one of each stretch, at an offset that changes from stretch to stretch, so as
/// not to align with repeating rows.
pub(crate) fn sample<R: Copy>(values: &[R], limit: usize) -> Vec<R> {
    let stretch = values.len().div_ceil(limit.max(1)).max(1);
    let places = (0_u32..).map(|i| (i.wrapping_mul(0x9E37_79B9) >> 12) as usize);
    let pick = |(group, place): (&[R], usize)| group.get(place % group.len()).copied();
    values.chunks(stretch).zip(places).filter_map(pick).collect()
}

/// Appends the low `size` bytes of `bits`, low byte first.
pub(crate) fn put_low(bits: u64, size: usize, out: &mut Vec<u8>) {
    out.extend(bits.to_le_bytes().iter().take(size));
}

/// Values for the tests of the codecs.
#[cfg(test)]
pub(crate) mod testing {
    use super::FloatBits;

    /// Random bits, the same on every run (splitmix64).
    pub(crate) fn noise(seed: u64) -> impl Iterator<Item = u64> {
        (1..).map(move |i: u64| {
            let z = (seed << 32).wrapping_add(i).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        })
    }

    /// Zeros, infinities, NaNs, subnormals, limits, and numbers about the limits of digits.
    pub(crate) fn odd_f64() -> Vec<f64> {
        let two = |n: i32| 2_f64.powi(n);
        let mut all =
            vec![0.0, 1.0, 0.1, 0.3, 12.34, 99.995, 1e15, 1e16, 1e18, 1e22, 1e300, 1e-300];
        all.extend([f64::MAX, f64::MIN_POSITIVE, f64::EPSILON, f64::INFINITY, f64::NAN]);
        all.extend([1, 2, 0xf_ffff_ffff_ffff].map(f64::from_bits));
        all.extend([0x7ff0_0000_0000_0001, 0x7ff8_0000_0000_1234].map(f64::from_bits));
        all.extend([
            two(51),
            two(51) - 1.0,
            two(51) + 1.0,
            two(51) - 0.5,
            two(52),
            two(53),
            two(63),
        ]);
        all.extend([two(31), two(31) - 1.0, two(31) + 1.0, two(51) * 1.5, two(52) * 1.5]);
        let negative: Vec<f64> = all.iter().map(|&value| -value).collect();
        all.extend(negative);
        all
    }

    /// Returns the same for `f32`.
    pub(crate) fn odd_f32() -> Vec<f32> {
        let mut all: Vec<f32> = odd_f64().iter().map(|&value| f32::narrow(value)).collect();
        all.extend([1, 2, 0x7f_ffff, 0x7f80_0001, 0xffc1_2345].map(f32::from_bits));
        all.extend([f32::MAX, f32::MIN, f32::MIN_POSITIVE, f32::EPSILON, -0.0]);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_spread() {
        for count in [0, 1, 2, 63, 64, 65, 1000, 8192] {
            let values: Vec<usize> = (0..count).collect();
            let found = sample(&values, 64);
            assert!(found.len() <= 64 && found.len() >= count.min(33));
            assert!(found.is_sorted_by(|a, b| a < b));
        }
        assert_eq!(sample(&[1, 2, 3], 0).len(), 1);
    }
}
