//! Tables for byte permutations of 64 bytes.
//!
//! ```text
//! four bytes to a value    a  a  a  a │ b  b  b  b │ ...
//! places                   0  0  0  0 │ 1  1  1  1 │ ...    value of each byte
//! before                  -3 -2 -1  0 │-3 -2 -1  0 │ ...    how far from the value's last
//! sevens                   0  7 14 21 │32 39 46 53 │ 0 ...  the bit of its eight bytes that it begins with
//! ```
#![allow(unsafe_code)]
// Tables are made by the compiler, which would see an index that is wrong, and all they hold is small.
#![allow(clippy::cast_possible_truncation, clippy::indexing_slicing)]

use std::arch::x86_64::*;

/// The bytes 0, 1, 2, ... 63.
pub(super) const IOTA: [u8; 64] = {
    let (mut iota, mut i) = ([0; 64], 0);
    while i < 64 {
        iota[i] = i as u8;
        i += 1;
    }
    iota
};

/// Returns the index of the value that each byte belongs to, for `width` bytes per value.
pub(super) const fn places(width: usize) -> [u8; 64] {
    let (mut places, mut i) = ([0; 64], 0);
    while i < 64 {
        places[i] = (i / width) as u8;
        i += 1;
    }
    places
}

/// Returns the negated distance of each byte to the end of its value: `width - 1` .. 0.
pub(super) const fn before(width: usize) -> [i8; 64] {
    let (mut before, mut i) = ([0; 64], 0);
    while i < 64 {
        before[i] = (i % width) as i8 - (width as i8 - 1);
        i += 1;
    }
    before
}

/// Returns the bytes of a table.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn table<T>(bytes: &'static [T; 64]) -> __m512i {
    const { assert!(size_of::<T>() == 1) };
    // SAFETY: 64 bytes; the load needs no alignment.
    unsafe { _mm512_loadu_epi8(bytes.as_ptr().cast()) }
}

/// Returns the bit position of the seven bits of each byte in its value, for `width` bytes per value. For sixteen,
/// the second eight bytes belong to the same value as the first.
pub(super) const fn sevens(width: usize) -> [u8; 64] {
    let (mut sevens, mut i) = ([0; 64], 0);
    while i < 64 {
        let lane = if width < 8 { i % 8 / width * width * 8 } else { 0 };
        sevens[i] = (lane + 7 * (i % width) % 64) as u8;
        i += 1;
    }
    sevens
}

/// Returns a mask of the value bits of each byte: a tenth byte has one, later ones none.
pub(super) const fn parts(width: usize) -> [u8; 64] {
    let (mut parts, mut i) = ([0x7f; 64], 0);
    while i < 64 {
        if i % width >= 9 {
            parts[i] = if i % width == 9 { 1 } else { 0 };
        }
        i += 1;
    }
    parts
}

/// Returns a mask of the bytes that are followed, `behind` bytes later, by one of the same value.
pub(super) const fn with_behind(behind: usize, width: usize) -> u64 {
    let (mut mask, mut i) = (0, 0);
    while i < 64 {
        if i % width + behind < width {
            mask |= 1 << i;
        }
        i += 1;
    }
    mask
}
