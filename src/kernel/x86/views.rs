//! Builds string views without a branch on their length.
//!
//! ```text
//! 16 bytes from the start ──► to 12 of them after the length ┐
//! length, 4 bytes, buffer, offset                             ┴► one of the two, by the length
//! ```
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use crate::kernel::portable::{self, INLINE};

/// The first `n` bytes of sixteen, for each `n` to 12.
static FIRST: [[u8; 16]; INLINE + 1] = {
    let (mut masks, mut n) = ([[0; 16]; INLINE + 1], 0);
    while n <= INLINE {
        let mut i = 0;
        while i < n {
            #[allow(clippy::indexing_slicing)] // By the compiler.
            {
                masks[n][i] = 0xff;
            }
            i += 1;
        }
        n += 1;
    }
    masks
};

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn offsets_to_views(offsets: &[i32], data: &[u8], buffer: u32, out: &mut Vec<u128>) {
    let n = offsets.len().saturating_sub(1);
    out.reserve(n);
    let start = out.len();
    let to = out.as_mut_ptr();
    for i in 0..n {
        // SAFETY: `i + 1` is less than the number of offsets, and there is room for `n` views after `start`. 16 bytes
        // are loaded only where they lie in the data; a mask is one of the 13 that there are.
        unsafe {
            let (from, end) = (*offsets.get_unchecked(i), *offsets.get_unchecked(i + 1));
            let (from, len) = (from.cast_unsigned(), end.wrapping_sub(from).cast_unsigned());
            let slot = to.add(start + i);
            if from as usize + 16 > data.len() {
                slot.write(portable::view(from, len, data, buffer));
                continue;
            }
            let bytes = _mm_loadu_si128(data.as_ptr().add(from as usize).cast());
            let mask = FIRST.get_unchecked((len as usize).min(INLINE)).as_ptr();
            let inline = _mm_and_si128(bytes, _mm_loadu_si128(mask.cast()));
            let length = _mm_cvtsi32_si128(len.cast_signed());
            let short = _mm_or_si128(_mm_slli_si128::<4>(inline), length);
            let place = u64::from(from) << 32 | u64::from(buffer);
            let place = _mm_cvtsi64_si128(place.cast_signed());
            let head = _mm_unpacklo_epi32(length, inline);
            let long = _mm_unpacklo_epi64(head, place);
            let is_short = _mm_set1_epi32(-i32::from(len as usize <= INLINE));
            _mm_storeu_si128(slot.cast(), _mm_blendv_epi8(long, short, is_short));
        }
    }
    // SAFETY: `n` views have been written after `start`.
    unsafe { out.set_len(start + n) };
}
