//! Expands compacted values with AVX2.
//!
//! ```text
//! validity   1 0 1 1 0 0 1 0          8 bits: a table has the permutation of the next values
//! slots      0 · 1 2 · · 3 ·          vpermd of the next 8 values by these, and nothing where there are none
//! ```
//! Numbers of 64 bits are moved by fours, as pairs of halves.
#![allow(unsafe_code)]
// Truncation to the low bits of a word is intended; the tables are constants.
#![allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::indexing_slicing)]

use std::arch::x86_64::*;

use super::avx512_expand::is_number;
use crate::kernel::portable::{self, ones, word};

/// For each eight bits, which of the next values each slot takes.
static FOURS: [[u32; 8]; 256] = {
    let (mut slots, mut bits) = ([[0; 8]; 256], 0);
    while bits < 256 {
        let (mut i, mut next) = (0, 0);
        while i < 8 {
            slots[bits][i] = next;
            next += (bits >> i & 1) as u32;
            i += 1;
        }
        bits += 1;
    }
    slots
};

/// For each four bits, which halves of the next values each slot takes.
static EIGHTS: [[u32; 8]; 16] = {
    let (mut slots, mut bits) = ([[0; 8]; 16], 0);
    while bits < 16 {
        let (mut i, mut next) = (0, 0);
        while i < 4 {
            slots[bits][2 * i] = 2 * next;
            slots[bits][2 * i + 1] = 2 * next + 1;
            next += (bits >> i & 1) as u32;
            i += 1;
        }
        bits += 1;
    }
    slots
};

#[target_feature(enable = "avx2,bmi2,popcnt")]
pub(super) fn expand<T: Copy + 'static>(
    dense: &[T],
    validity: &[u8],
    offset: usize,
    n: usize,
    nothing: T,
    out: &mut Vec<T>,
) {
    let (four, eight) = (is_number::<T>(4), is_number::<T>(8));
    let (mut taken, mut rows) = (0, 0);
    out.reserve(n.saturating_add(64));
    while rows < n && (four || eight) {
        // A group is loaded completely: 72 values are enough for the last.
        let Some(next) = dense.get(taken..).filter(|next| next.len() >= 72) else { break };
        let word = word(validity, offset.saturating_add(rows)) & ones(n - rows);
        // SAFETY: so many values are there, and room for 64 after the `n`; the type is a number of that size.
        unsafe {
            let to = out.as_mut_ptr().add(out.len() + rows);
            match four {
                true => fours(next.as_ptr(), word, nothing, to),
                false => eights(next.as_ptr(), word, nothing, to),
            }
        }
        taken += word.count_ones() as usize;
        rows += 64;
    }
    let rows = rows.min(n);
    // SAFETY: so many have been stored.
    unsafe { out.set_len(out.len() + rows) };
    let rest = dense.get(taken..).unwrap_or_default();
    portable::expand(rest, validity, offset.saturating_add(rows), n - rows, nothing, out);
}

/// Stores 64 numbers of 32 bits.
///
/// # Safety
/// 72 such are at `from`, and room for 64 at `to`.
#[inline]
#[target_feature(enable = "avx2,bmi2,popcnt")]
unsafe fn fours<T>(from: *const T, word: u64, nothing: T, to: *mut T) {
    // SAFETY: it is a number of 32 bits.
    let nothing = _mm256_set1_epi32(unsafe { std::mem::transmute_copy::<T, i32>(&nothing) });
    let each = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    let mut from = from;
    for (i, bits) in word.to_le_bytes().into_iter().enumerate() {
        // SAFETY: at most 8 a group have been passed, so 8 are there; and there is room.
        unsafe {
            let slots = _mm256_loadu_si256(FOURS[usize::from(bits)].as_ptr().cast());
            let next = _mm256_loadu_si256(from.cast());
            let set = _mm256_and_si256(_mm256_set1_epi32(i32::from(bits)), each);
            let mask = _mm256_cmpeq_epi32(set, each);
            let values = _mm256_permutevar8x32_epi32(next, slots);
            let values = _mm256_blendv_epi8(nothing, values, mask);
            _mm256_storeu_si256(to.add(8 * i).cast(), values);
        }
        from = from.wrapping_add(bits.count_ones() as usize);
    }
}

/// Stores 64 numbers of 64 bits.
///
/// # Safety
/// 72 such are at `from`, and room for 64 at `to`.
#[inline]
#[target_feature(enable = "avx2,bmi2,popcnt")]
unsafe fn eights<T>(from: *const T, word: u64, nothing: T, to: *mut T) {
    // SAFETY: it is a number of 64 bits.
    let nothing = _mm256_set1_epi64x(unsafe { std::mem::transmute_copy::<T, i64>(&nothing) });
    let each = _mm256_setr_epi64x(1, 2, 4, 8);
    let (mut from, mut word) = (from, word);
    for i in (0..64).step_by(4) {
        let bits = word & 15;
        // SAFETY: at most 4 a group have been passed, so 4 are there; and there is room.
        unsafe {
            let slots = _mm256_loadu_si256(EIGHTS[bits as usize].as_ptr().cast());
            let next = _mm256_loadu_si256(from.cast());
            let set = _mm256_and_si256(_mm256_set1_epi64x(bits as i64), each);
            let mask = _mm256_cmpeq_epi64(set, each);
            let values = _mm256_permutevar8x32_epi32(next, slots);
            let values = _mm256_blendv_epi8(nothing, values, mask);
            _mm256_storeu_si256(to.add(i).cast(), values);
        }
        from = from.wrapping_add(bits.count_ones() as usize);
        word >>= 4;
    }
}
