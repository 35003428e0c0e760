//! Gathers strings by pairs or quadruples of codes: one store of bytes and one of ends for each.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use crate::kernel::portable::{self, CODES, StringTuples, TUPLE, all_below};

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn gather_string_tuples(
    codes: &[u32],
    tuples: &StringTuples,
    offsets: &mut Vec<i32>,
    data: &mut Vec<u8>,
) -> bool {
    if !all_below(codes, tuples.count) {
        return false;
    }
    let whole = codes.len() / tuples.codes * tuples.codes;
    let Some((whole, rest)) = codes.split_at_checked(whole) else { return false };
    match (tuples.codes, tuples.longest) {
        (4, 0..=16) => gather::<4, 16>(whole, tuples, offsets, data),
        (4, 17..=32) => gather::<4, 32>(whole, tuples, offsets, data),
        (4, _) => gather::<4, TUPLE>(whole, tuples, offsets, data),
        (2, 0..=16) => gather::<2, 16>(whole, tuples, offsets, data),
        (2, 17..=32) => gather::<2, 32>(whole, tuples, offsets, data),
        (2, _) => gather::<2, TUPLE>(whole, tuples, offsets, data),
        _ => return portable::gather_string_tuples(codes, tuples, offsets, data),
    }
    portable::gather_string_tuples(rest, tuples, offsets, data)
}

/// StringTuples of `K` codes and no more than `N` bytes each. The codes are a multiple of `K`, each of no more than
/// `tuples.bits`, and there is a tuple for any of them; none is longer than `tuples.longest`, which is at most `N`.
#[inline(always)]
fn gather<const K: usize, const N: usize>(
    codes: &[u32],
    tuples: &StringTuples,
    offsets: &mut Vec<i32>,
    data: &mut Vec<u8>,
) {
    const { assert!(N <= TUPLE && K <= CODES && (K == 2 || K == 4)) };
    let n = codes.len() / K;
    data.reserve(n * tuples.longest + N);
    offsets.reserve(codes.len());
    let (bits, bytes, ends) = (tuples.bits, tuples.bytes.as_ptr(), tuples.ends.as_ptr());
    let (to, to_ends) =
        (data.as_mut_ptr(), offsets.spare_capacity_mut().as_mut_ptr().cast::<i32>());
    let mut at = data.len();
    for (i, some) in codes.chunks_exact(K).enumerate() {
        let tuple = some.iter().rev().fold(0, |tuple, code| tuple << bits | *code as usize);
        // SAFETY: tuples of such codes are there. What is stored begins at most `n * longest` bytes after the start of
        // what is reserved, and is N bytes; there is room for an offset for each code.
        unsafe {
            let from = bytes.add(tuple).cast::<u8>();
            std::ptr::copy_nonoverlapping(from, to.add(at), N);
            let ends = ends.add(tuple);
            #[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap)]
            // The caller has checked that it fits.
            let before = _mm_set1_epi32(at as i32);
            let sums = _mm_add_epi32(before, _mm_loadu_si128(ends.cast()));
            match K {
                4 => _mm_storeu_si128(to_ends.add(i * K).cast(), sums),
                _ => _mm_storel_epi64(to_ends.add(i * K).cast(), sums),
            }
            at += (*ends)[CODES - 1].cast_unsigned() as usize;
        }
    }
    // SAFETY: every byte before `at` has been written, those of each tuple by its own store; and every offset.
    unsafe {
        data.set_len(at);
        offsets.set_len(offsets.len() + codes.len());
    }
}
