//! The truncated-precision filter: clears low bits of mantissas.
//!
//! ```text
//! bits >= 0    this many of the 23 (4 bytes) or 52 (8 bytes) are kept
//! bits <  0    this many are cleared
//! ```
//! Truncation has no inverse. At least one bit is kept, so that a NaN stays one.

use trevni::{Error, Result};

/// Returns how many low bits are cleared.
pub(super) fn cleared(typesize: usize, bits: i8) -> Result<u32> {
    let mantissa = match typesize {
        4 => 23,
        8 => 52,
        _ => return Err(Error::invalid(format!("truncated floats of {typesize} bytes"))),
    };
    let given = u32::from(bits.unsigned_abs());
    let cleared = if bits < 0 { Some(given) } else { u32::checked_sub(mantissa, given) };
    cleared.filter(|cleared| *cleared < mantissa).ok_or_else(|| {
        Error::invalid(format!("floats of {typesize} bytes truncated to {bits} of {mantissa} bits"))
    })
}

/// Copies the floats of `block` to `out`, with this many low bits cleared.
pub(super) fn truncate(typesize: usize, cleared: u32, block: &[u8], out: &mut [u8]) {
    out.copy_from_slice(block);
    let mask = (!0_u64 << cleared).to_le_bytes();
    for float in out.chunks_exact_mut(typesize) {
        float.iter_mut().zip(mask).for_each(|(byte, mask)| *byte &= mask);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clears_low_bits() {
        let mut out = [0; 8];
        let bits = cleared(8, 10).unwrap();
        truncate(8, bits, &0x4009_21fb_5444_2d18_u64.to_le_bytes(), &mut out);
        assert_eq!(u64::from_le_bytes(out), 0x4009_2000_0000_0000);
        let mut out = [0; 5];
        let bits = cleared(4, -20).unwrap();
        truncate(4, bits, &[0xff; 5], &mut out);
        assert_eq!(out, [0, 0, 0xf0, 0xff, 0xff]);
        for (typesize, bits) in [(4, 0), (4, 24), (4, -23), (8, 0), (8, 53), (8, -52), (2, 5)] {
            assert!(cleared(typesize, bits).is_err(), "{typesize} {bits}");
        }
    }
}
