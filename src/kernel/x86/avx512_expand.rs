//! Expands compacted values with AVX-512.
//!
//! ```text
//! validity   1 0 1 1 0 ...                16 bits
//! expand     a - b c - ...                vpexpand of the next 16 values, 8 of 64 bits, among copies of nothing
//! counts     1 1 2 3 3 ...                how many are set up to here: a byte each, summed by a multiplication
//! ends       vpermd of the next 16 by these
//! ```
#![allow(unsafe_code)]
// Truncation to the low bits of a word is intended.
#![allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap)]

use std::any::TypeId;
use std::arch::x86_64::*;

use crate::kernel::portable::{self, ones, word};

/// Returns whether a type is a number of this many bytes, any bits of which are valid.
pub(super) fn is_number<T: 'static>(bytes: usize) -> bool {
    let numbers = [
        TypeId::of::<i32>(),
        TypeId::of::<u32>(),
        TypeId::of::<f32>(),
        TypeId::of::<i64>(),
        TypeId::of::<u64>(),
        TypeId::of::<f64>(),
    ];
    size_of::<T>() == bytes && numbers.contains(&TypeId::of::<T>())
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,bmi2,popcnt")]
pub(super) fn expand<T: Copy + 'static>(
    dense: &[T],
    validity: &[u8],
    offset: usize,
    n: usize,
    nothing: T,
    out: &mut Vec<T>,
) {
    let (four, eight) = (is_number::<T>(4), is_number::<T>(8));
    if !four && !eight {
        return portable::expand(dense, validity, offset, n, nothing, out);
    }
    out.reserve(n.saturating_add(64));
    let (mut taken, mut rows) = (0, 0);
    while rows < n {
        let word = word(validity, offset.saturating_add(rows)) & ones(n - rows);
        // SAFETY: there is room for 64 values after the `n`; the type is a number of that size.
        unsafe {
            let to = out.as_mut_ptr().add(out.len() + rows);
            let rest = dense.get(taken..).unwrap_or_default();
            match four {
                true => expand_fours(rest, word, nothing, to),
                false => expand_eights(rest, word, nothing, to),
            }
        }
        taken += word.count_ones() as usize;
        rows += 64;
    }
    // SAFETY: so many have been stored.
    unsafe { out.set_len(out.len() + n) };
}

/// Stores 64 numbers of 32 bits.
///
/// # Safety
/// They are such, and there is room for them.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,bmi2,popcnt")]
unsafe fn expand_fours<T>(dense: &[T], word: u64, nothing: T, to: *mut T) {
    // SAFETY: it is a number of 32 bits.
    let nothing = _mm512_set1_epi32(unsafe { std::mem::transmute_copy::<T, i32>(&nothing) });
    let (mut from, mut left, mut word) = (dense.as_ptr(), dense.len(), word);
    for i in (0..64).step_by(16) {
        // SAFETY: what the mask leaves out is not touched; there is room.
        unsafe {
            let next = _mm512_mask_loadu_epi32(nothing, ones(left) as u16, from.cast());
            let values = _mm512_mask_expand_epi32(nothing, word as u16, next);
            _mm512_storeu_epi32(to.add(i).cast(), values);
        }
        let set = (word as u16).count_ones() as usize;
        from = from.wrapping_add(set);
        left = left.saturating_sub(set);
        word >>= 16;
    }
}

/// Stores 64 numbers of 64 bits.
///
/// # Safety
/// They are such, and there is room for them.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,bmi2,popcnt")]
unsafe fn expand_eights<T>(dense: &[T], word: u64, nothing: T, to: *mut T) {
    // SAFETY: it is a number of 64 bits.
    let nothing = _mm512_set1_epi64(unsafe { std::mem::transmute_copy::<T, i64>(&nothing) });
    let (mut from, mut left, mut word) = (dense.as_ptr(), dense.len(), word);
    for i in (0..64).step_by(8) {
        // SAFETY: what the mask leaves out is not touched; there is room.
        unsafe {
            let next = _mm512_mask_loadu_epi64(nothing, ones(left) as u8, from.cast());
            let values = _mm512_mask_expand_epi64(nothing, word as u8, next);
            _mm512_storeu_epi64(to.add(i).cast(), values);
        }
        let set = (word as u8).count_ones() as usize;
        from = from.wrapping_add(set);
        left = left.saturating_sub(set);
        word >>= 8;
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,bmi2,popcnt")]
pub(super) fn expand_offsets<O: Copy + Default + 'static>(
    dense: &[O],
    validity: &[u8],
    offset: usize,
    n: usize,
    out: &mut Vec<O>,
) {
    if !is_number::<O>(4) {
        return portable::expand_offsets(dense, validity, offset, n, out);
    }
    let first = dense.first().copied().unwrap_or_default();
    out.reserve(n.saturating_add(65));
    out.push(first);
    let (mut taken, mut rows) = (0, 0);
    while rows < n {
        let word = word(validity, offset.saturating_add(rows)) & ones(n - rows);
        let Some(next) = dense.get(taken..).filter(|next| next.len() > 64) else { break };
        // SAFETY: 65 numbers of 32 bits are there, and room for 64 after the `n`.
        unsafe { repeat_fours(next.as_ptr(), word, out.as_mut_ptr().add(out.len() + rows)) };
        taken += word.count_ones() as usize;
        rows += 64;
    }
    let rows = rows.min(n);
    // SAFETY: so many have been stored.
    unsafe { out.set_len(out.len() + rows) };
    // The last end is stored again.
    if rows < n {
        let rest = dense.get(taken..).unwrap_or_default();
        out.pop();
        portable::expand_offsets(rest, validity, offset.saturating_add(rows), n - rows, out);
    }
}

/// Stores 64 ends of 32 bits: of the 65 at `from`, the first is the one before them.
///
/// # Safety
/// The 65 are there, and room for 64.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,bmi2,popcnt")]
unsafe fn repeat_fours<O>(from: *const O, word: u64, to: *mut O) {
    const BYTES: u64 = 0x0101_0101_0101_0101;
    let (mut from, mut word) = (from, word);
    for i in (0..64).step_by(16) {
        let [low, high] = [word, word >> 8].map(|bits| _pdep_u64(bits, BYTES).wrapping_mul(BYTES));
        let half = u64::from((word as u8).count_ones());
        let counts = _mm_set_epi64x((high + half * BYTES) as i64, low as i64);
        let counts = _mm512_cvtepu8_epi32(counts);
        // SAFETY: before this, at most `i` have been passed, so 17 are there; and there is room.
        unsafe {
            let before = _mm512_set1_epi32(from.cast::<i32>().read_unaligned());
            let next = _mm512_loadu_epi32(from.add(1).cast());
            let some = _mm512_test_epi32_mask(counts, counts);
            let at = _mm512_sub_epi32(counts, _mm512_set1_epi32(1));
            let ends = _mm512_mask_permutexvar_epi32(before, some, at, next);
            _mm512_storeu_epi32(to.add(i).cast(), ends);
        }
        from = from.wrapping_add((word as u16).count_ones() as usize);
        word >>= 16;
    }
}
