//! Prefix sums with AVX-512.
//!
//! ```text
//! numbers     a b c d ...
//! moved by 1  0 a b c          by 2, by 4 and by 8 likewise: the added distance doubles each time
//! sums        a a+b b+c c+d
//! before      the sum of all before, added to each; the only dependency between registers
//! ```
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::avx512_expand::is_number;
use crate::kernel::portable::{self, Modular};

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
pub(super) fn prefix_sum<T: Modular>(numbers: &mut [T], before: T) {
    let done = if is_number::<T>(8) {
        let whole = numbers.len() / 8 * 8;
        // SAFETY: they are numbers of 64 bits, and so is `before`; so many are there.
        unsafe { eights(numbers.as_mut_ptr().cast(), whole, std::mem::transmute_copy(&before)) };
        whole
    } else if is_number::<T>(4) {
        let whole = numbers.len() / 16 * 16;
        // SAFETY: they are numbers of 32 bits, and so is `before`; so many are there.
        unsafe { fours(numbers.as_mut_ptr().cast(), whole, std::mem::transmute_copy(&before)) };
        whole
    } else {
        0
    };
    let before = done.checked_sub(1).and_then(|last| numbers.get(last)).copied().unwrap_or(before);
    portable::prefix_sum(numbers.get_mut(done..).unwrap_or_default(), before);
}

/// Sums of `n` numbers, eight at a time.
///
/// # Safety
/// So many are there, and `n` is a multiple of eight.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
unsafe fn eights(numbers: *mut i64, n: usize, before: i64) {
    let (zero, last) = (_mm512_setzero_si512(), _mm512_set1_epi64(7));
    let mut before = _mm512_set1_epi64(before);
    for i in (0..n).step_by(8) {
        // SAFETY: eight are there.
        let mut sums = unsafe { _mm512_loadu_epi64(numbers.add(i)) };
        sums = _mm512_add_epi64(sums, _mm512_alignr_epi64::<7>(sums, zero));
        sums = _mm512_add_epi64(sums, _mm512_alignr_epi64::<6>(sums, zero));
        sums = _mm512_add_epi64(sums, _mm512_alignr_epi64::<4>(sums, zero));
        // SAFETY: likewise.
        unsafe { _mm512_storeu_epi64(numbers.add(i), _mm512_add_epi64(sums, before)) };
        before = _mm512_add_epi64(before, _mm512_permutexvar_epi64(last, sums));
    }
}

/// Sums of `n` numbers, sixteen at a time.
///
/// # Safety
/// So many are there, and `n` is a multiple of sixteen.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
unsafe fn fours(numbers: *mut i32, n: usize, before: i32) {
    let (zero, last) = (_mm512_setzero_si512(), _mm512_set1_epi32(15));
    let mut before = _mm512_set1_epi32(before);
    for i in (0..n).step_by(16) {
        // SAFETY: sixteen are there.
        let mut sums = unsafe { _mm512_loadu_epi32(numbers.add(i)) };
        sums = _mm512_add_epi32(sums, _mm512_alignr_epi32::<15>(sums, zero));
        sums = _mm512_add_epi32(sums, _mm512_alignr_epi32::<14>(sums, zero));
        sums = _mm512_add_epi32(sums, _mm512_alignr_epi32::<12>(sums, zero));
        sums = _mm512_add_epi32(sums, _mm512_alignr_epi32::<8>(sums, zero));
        // SAFETY: likewise.
        unsafe { _mm512_storeu_epi32(numbers.add(i), _mm512_add_epi32(sums, before)) };
        before = _mm512_add_epi32(before, _mm512_permutexvar_epi32(last, sums));
    }
}
