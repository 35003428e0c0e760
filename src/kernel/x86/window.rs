//! Finds the varints in 64 bytes from the sign bits of the bytes.
//!
//! ```text
//! bytes     82 81 05 │ 07 │ 90 01 │ a0 ...
//! more      1  1  0  │ 0  │ 1  0  │ 1  ...     the continuation bits
//! ends      0  0  1  │ 1  │ 0  1  │ 0  ...     its last byte
//! twos      1  0  0  │ 0  │ 0  0  │ ?  ...     two bytes in a row go on: a value of three or more
//! ```
// Counts of bits are small.
#![allow(clippy::cast_possible_truncation)]

use std::arch::x86_64::*;

/// The number of bytes that are processed at once.
pub(super) const WINDOW: usize = 64;

/// The complete values of a window of up to 64 bytes.
#[derive(Clone, Copy)]
pub(super) struct Window {
    /// The last byte of each.
    pub(super) ends: u64,
    /// Continuation bytes whose next byte is one too.
    twos: u64,
    /// Those after which three do.
    fours: u64,
    /// Those after which seven do.
    eights: u64,
}

impl Window {
    /// Creates the first `left` values that are complete and have at most ten bytes. `more` has the continuation
    /// bits of 64 bytes; bytes past the end have a bit neither in `more` nor in `loaded`.
    #[inline]
    #[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn new(more: u64, loaded: u64, left: usize) -> Self {
        let twos = more & more >> 1;
        let fours = twos & twos >> 2;
        let eights = fours & fours >> 4;
        let mut ends = !more & loaded;
        if eights & twos >> 8 != 0 {
            // A value is too long: take those before it.
            ends = _bzhi_u64(ends, (eights & twos >> 8).trailing_zeros());
        }
        if (ends.count_ones() as usize) > left {
            ends = _pdep_u64(_bzhi_u64(u64::MAX, left as u32), ends);
        }
        Self { ends, twos, fours, eights }
    }

    /// Returns how many values.
    #[inline]
    #[target_feature(enable = "popcnt")]
    pub(super) fn count(self) -> usize {
        self.ends.count_ones() as usize
    }

    /// Returns how many bytes they take.
    #[inline]
    #[target_feature(enable = "lzcnt")]
    pub(super) fn len(self) -> usize {
        WINDOW - self.ends.leading_zeros() as usize
    }

    /// Returns how many bytes the first `values` take.
    #[inline]
    #[target_feature(enable = "bmi2,lzcnt")]
    pub(super) fn len_of(self, values: usize) -> usize {
        let ends = _pdep_u64(_bzhi_u64(u64::MAX, values as u32), self.ends);
        WINDOW - ends.leading_zeros() as usize
    }

    /// Returns whether a value takes three bytes or more.
    #[inline]
    #[target_feature(enable = "bmi2,lzcnt")]
    pub(super) fn has_three(self) -> bool {
        _bzhi_u64(self.twos, self.len() as u32) != 0
    }

    /// Returns whether a value takes five bytes or more.
    #[inline]
    #[target_feature(enable = "bmi2,lzcnt")]
    pub(super) fn has_five(self) -> bool {
        _bzhi_u64(self.fours, self.len() as u32) != 0
    }

    /// Returns whether a value takes nine bytes or more.
    #[inline]
    #[target_feature(enable = "bmi2,lzcnt")]
    pub(super) fn has_nine(self) -> bool {
        _bzhi_u64(self.eights, self.len() as u32) != 0
    }
}
