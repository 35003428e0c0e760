//! Converts half-precision floats to single precision and back, bit for bit.
//!
//! ```text
//! half     s eeeee mmmmmmmmmm                      single   s eeeeeeee mmmmmmmmmm0000000000000
//! ```
//! The conversion instructions of processors quiet signaling NaNs; this one keeps every bit and is reversible.

/// Returns the single of a half's bits.
pub(super) fn widen(half: u16) -> f32 {
    let sign = u32::from(half & 0x8000) << 16;
    let exponent = u32::from(half >> 10 & 0x1f);
    let fraction = u32::from(half & 0x3ff);
    let magnitude = match (exponent, fraction) {
        (0, 0) => 0,
        (0, _) => {
            // A subnormal half is a normal single: shift the highest bit out, count how far.
            let shift = fraction.leading_zeros() - 21;
            (113 - shift) << 23 | (fraction << shift & 0x3ff) << 13
        }
        (0x1f, _) => 0xff << 23 | fraction << 13,
        _ => (exponent + 112) << 23 | fraction << 13,
    };
    f32::from_bits(sign | magnitude)
}

/// Returns the half whose single this is, if there is one.
pub(super) fn narrow(single: f32) -> Option<u16> {
    let bits = single.to_bits();
    let exponent = bits >> 23 & 0xff;
    let fraction = bits & 0x7f_ffff;
    let magnitude = match exponent {
        0 => 0,
        0xff => 0x7c00 | fraction >> 13,
        103..=112 => (0x80_0000 | fraction) >> (126 - exponent),
        113..=142 => (exponent - 112) << 10 | fraction >> 13,
        _ => return None,
    };
    let half = u16::try_from((bits >> 31) << 15 | magnitude).ok()?;
    (widen(half).to_bits() == bits).then_some(half)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_goes_both_ways() {
        for half in 0..=u16::MAX {
            let single = widen(half);
            assert_eq!(narrow(single), Some(half), "{half:04x}");
            let known = half::f16::from_bits(half).to_f32();
            assert!(single == known || (single.is_nan() && known.is_nan()), "{half:04x}");
        }
    }

    #[test]
    fn other_singles_have_none() {
        for single in [0.1, 65536.0, 1e-10, f32::MIN_POSITIVE, f32::from_bits(1)] {
            assert_eq!(narrow(single), None, "{single}");
        }
        assert_eq!(narrow(f32::from_bits(0x7f80_0001)), None);
    }
}
