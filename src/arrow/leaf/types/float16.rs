//! Converts half-precision floats to single precision and back, bit for bit.
//!
//! ```text
//! half     s eeeee mmmmmmmmmm                      single   s eeeeeeee mmmmmmmmmm0000000000000
//! ```
//! The crate `half` converts numbers. It quiets signaling NaNs, as the instructions of processors do, so the bits of
//! NaNs are moved here: each half comes back as it was.

use half::f16;

/// Returns the single of a half's bits.
pub(super) fn widen(half: u16) -> f32 {
    let value = f16::from_bits(half);
    match value.is_nan() {
        true => {
            let (sign, fraction) = (u32::from(half >> 15), u32::from(half & 0x3ff));
            f32::from_bits(sign << 31 | 0xff << 23 | fraction << 13)
        }
        false => value.to_f32(),
    }
}

/// Returns the half whose single this is, if there is one.
pub(super) fn narrow(single: f32) -> Option<u16> {
    let bits = single.to_bits();
    let half = match single.is_nan() {
        true => u16::try_from(bits >> 31 << 15 | 0x7c00 | bits >> 13 & 0x3ff).ok()?,
        false => f16::from_f32(single).to_bits(),
    };
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
            let known = f16::from_bits(half).to_f32();
            assert!(single == known || (single.is_nan() && known.is_nan()), "{half:04x}");
        }
    }

    #[test]
    fn half_2_7_quiets_signaling_nans() {
        let signaling = 0x7d00;
        assert_eq!(widen(signaling).to_bits(), 0x7fa0_0000);
        assert_eq!(f16::from_bits(signaling).to_f32().to_bits(), 0x7fe0_0000);
    }

    #[test]
    fn other_singles_have_none() {
        for single in [0.1, 65536.0, 1e-10, f32::MIN_POSITIVE, f32::from_bits(1)] {
            assert_eq!(narrow(single), None, "{single}");
        }
        assert_eq!(narrow(f32::from_bits(0x7f80_0001)), None);
    }
}
