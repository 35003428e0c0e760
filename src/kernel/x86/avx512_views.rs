//! Builds string views with AVX-512, four at a time.
//!
//! ```text
//! string     ···· b y t e s ...          16 bytes from four before it: its first 12 are at their position in a view
//! numbers    length  ·  buffer  offset   of four strings, in the lanes of four views
//! view       length │ bytes, as many as it has                 to 12 bytes
//!            length │ 4 bytes │ buffer │ offset                longer
//! ```
//! Two masks, computed from the lengths, select the bytes and the numbers of a view.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use crate::kernel::portable::{self, INLINE};

/// Strings at a time.
const FOUR: usize = 4;

/// The bytes of a view before those of its string.
const HEAD: usize = 4;

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512vl,avx512dq")]
pub(super) fn offsets_to_views(offsets: &[i32], data: &[u8], buffer: u32, out: &mut Vec<u128>) {
    let n = offsets.len().saturating_sub(1);
    out.reserve(n);
    // The bytes that are loaded for a string: from four before its start to twelve after it.
    let Some(last) =
        data.len().checked_sub(HEAD + INLINE).map(|last| u32::try_from(last).unwrap_or(u32::MAX))
    else {
        return portable::offsets_to_views(offsets, data, buffer, out);
    };
    let mut done = 0;
    while let Some(five) = offsets.get(done..).and_then(<[i32]>::first_chunk) {
        // SAFETY: there is room for `n` views, of which `done` have been written.
        let made = unsafe { four_views(five, data, last, buffer, out.as_mut_ptr().add(out.len())) };
        if made {
            // SAFETY: four more have been.
            unsafe { out.set_len(out.len() + FOUR) };
        } else {
            portable::offsets_to_views(five, data, buffer, out);
        }
        done += FOUR;
    }
    portable::offsets_to_views(offsets.get(done..).unwrap_or_default(), data, buffer, out);
}

/// Stores four views, unless bytes of one are missing. Returns whether it did.
///
/// # Safety
/// There is room for four views at `to`. The data is of 16 bytes at least, and `last` no more than its length less
/// these.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512vl,avx512dq")]
unsafe fn four_views(
    five: &[i32; FOUR + 1],
    data: &[u8],
    last: u32,
    buffer: u32,
    to: *mut u128,
) -> bool {
    let [a, b, c, d, _] = *five;
    // SAFETY: five offsets are there; and 16 bytes from four before each start, as has been seen.
    unsafe {
        let starts = _mm_loadu_si128(five.as_ptr().cast());
        let ends = _mm_loadu_si128(five.as_ptr().add(1).cast());
        let lengths = _mm_sub_epi32(ends, starts);
        let before = _mm_sub_epi32(starts, _mm_set1_epi32(4));
        if _mm_cmple_epu32_mask(before, _mm_set1_epi32(last.cast_signed())) != 0xf {
            return false;
        }
        let load = |start: i32| {
            _mm_loadu_si128(data.as_ptr().add(start.cast_unsigned() as usize - HEAD).cast())
        };
        let bytes = _mm512_castsi128_si512(load(a));
        let bytes = _mm512_inserti32x4::<1>(bytes, load(b));
        let bytes = _mm512_inserti32x4::<2>(bytes, load(c));
        let bytes = _mm512_inserti32x4::<3>(bytes, load(d));
        // The numbers of each, and which of them a view has: its length, and of a long one buffer and offset.
        let which = _mm512_setr_epi32(0, 0, 0, 16, 1, 0, 0, 17, 2, 0, 0, 18, 3, 0, 0, 19);
        let (long, starts) = (_mm512_castsi128_si512(lengths), _mm512_castsi128_si512(starts));
        let numbers = _mm512_permutex2var_epi32(long, which, starts);
        let numbers = _mm512_mask_set1_epi32(numbers, 0x4444, buffer.cast_signed());
        let view = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
        let each = _mm512_permutexvar_epi32(view, long);
        let inline = _mm512_set1_epi32(12);
        let of_numbers = _mm512_mask_cmpgt_epu32_mask(0xcccc, each, inline) | 0x1111;
        // Where its bytes end.
        let is_long = _mm_cmpgt_epu32_mask(lengths, _mm_set1_epi32(12));
        let ends = _mm_add_epi32(lengths, _mm_set1_epi32(4));
        let ends = _mm_mask_set1_epi32(ends, is_long, 8);
        let ends = _mm512_permutexvar_epi32(view, _mm512_castsi128_si512(ends));
        let ends = _mm512_shuffle_epi8(ends, _mm512_setzero_si512());
        let places = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        let places = _mm512_broadcast_i32x4(places);
        let of_bytes = _mm512_mask_cmplt_epu8_mask(0xfff0_fff0_fff0_fff0, places, ends);
        let views = _mm512_maskz_mov_epi32(of_numbers, numbers);
        let views = _mm512_mask_mov_epi8(views, of_bytes, bytes);
        _mm512_storeu_epi8(to.cast(), views);
    }
    true
}
