//! Filters, which transform the bytes of a block before compression.
//!
//! ```text
//! code  filter       effect on n elements of w bytes
//!    0  none
//!    1  shuffle      a0 a1 a2 .. b0 b1 b2 ..   becomes   a0 b0 .. a1 b1 .. a2 b2 ..
//!    2  bitshuffle   the same with bits
//!    3  delta        each element XOR the one before (first block) or the same of the first block
//!    4  trunc_prec   low bits of floats cleared; nothing is undone
//! ```
//! A chunk of the second generation has six slots, applied from the first to the last when it is written, each with a
//! byte of meta data. One of the first generation has at most one shuffle, which here is in the last slot.

mod delta;
mod pipeline;
mod trunc_prec;

pub(super) use pipeline::{Pipeline, Scratch, room};

use trevni::{Error, Result};

/// One step of a pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Filter {
    /// Nothing.
    #[default]
    None,
    /// Bytes of equal weight together. `group` bytes count as one element; 0: the chunk's typesize.
    Shuffle {
        /// Width of an element in bytes, if it is not the typesize.
        group: u8,
    },
    /// Bits of equal weight together.
    BitShuffle,
    /// Each element XOR a reference.
    Delta,
    /// Mantissas truncated to this many bits (negative: by this many).
    TruncPrec {
        /// The filter's meta byte.
        bits: i8,
    },
}

/// The six steps, in the order in which they are done when writing.
pub type Filters = [Filter; 6];

impl Filter {
    /// Returns the code and the meta byte.
    pub(super) fn to_bytes(self) -> [u8; 2] {
        match self {
            Filter::None => [0, 0],
            Filter::Shuffle { group } => [1, group],
            Filter::BitShuffle => [2, 0],
            Filter::Delta => [3, 0],
            Filter::TruncPrec { bits } => [4, bits.cast_unsigned()],
        }
    }

    /// Returns the filter of a code and its meta byte.
    pub(super) fn from_bytes([code, meta]: [u8; 2]) -> Result<Self> {
        match code {
            0 => Ok(Filter::None),
            1 => Ok(Filter::Shuffle { group: meta }),
            2 => Ok(Filter::BitShuffle),
            3 => Ok(Filter::Delta),
            4 => Ok(Filter::TruncPrec { bits: meta.cast_signed() }),
            _ => Err(Error::unsupported(format!("filter number {code}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_go_both_ways() {
        for code in 0..=4 {
            let meta = if matches!(code, 1 | 4) { 200 } else { 0 };
            assert_eq!(Filter::from_bytes([code, meta]).unwrap().to_bytes(), [code, meta]);
        }
        let e = Filter::from_bytes([35, 0]).unwrap_err();
        assert_eq!(e.to_string(), "unsupported: filter number 35");
    }
}
