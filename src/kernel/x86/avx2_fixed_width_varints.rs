//! Varints of a fixed width of two, three or four bytes, eight at a time with AVX2.
//!
//! ```text
//! bytes     82 81 05 │ 83 90 01 │ a0 82 02 │ ...      all of three bytes
//! lanes     82 81 05 00 │ 83 90 01 00 │ ...           moved to four bytes each
//! fold      2×7 bits, 2×7 bits → 28 bits              a shift, a multiplication
//! ```
//! Keys that ascend, and numbers of one range, have values of one length for long; then where each starts is known
//! without looking for the ends.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use crate::kernel::portable::Number;

/// The ends of values of two, of three and of four bytes.
const ENDS: [u64; 3] = [0xaaaa_aaaa_aaaa_aaaa, 0x4924_9249_2492_4924, 0x8888_8888_8888_8888];

/// How many values are decoded together.
const TOGETHER: usize = 8;

/// Returns how many values a window begins with that are of one length, and this length; none if eight values would
/// not do.
#[inline]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn even_values(ends: u64) -> Option<(usize, usize)> {
    let len = ends.trailing_zeros() as usize + 1;
    let even = ENDS.get(len.wrapping_sub(2))?;
    let count = (ends ^ even).trailing_zeros() as usize / len;
    (count >= TOGETHER).then_some((count, len))
}

/// Stores values of one length.
///
/// # Safety
/// The values, of `len` bytes, two to four, are in the 64 bytes at `from`, and 16 more are after these; at `to` there
/// is room for as many values, rounded up to eights.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn store_even<T: Number>(from: *const u8, count: usize, len: usize, to: *mut T) {
    let spread = _mm256_broadcastsi128_si256(_mm_setr_epi8(
        0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1,
    ));
    for i in (0..count).step_by(TOGETHER) {
        // SAFETY: the caller's promise; the last values that begin within the 64 bytes are loaded with up to 12 more.
        unsafe {
            let at = from.add(i * len);
            let lanes = match len {
                2 => _mm256_cvtepu16_epi32(at.cast::<__m128i>().read_unaligned()),
                3 => {
                    let low = at.cast::<__m128i>().read_unaligned();
                    let high = at.add(12).cast::<__m128i>().read_unaligned();
                    _mm256_shuffle_epi8(_mm256_set_m128i(high, low), spread)
                }
                _ => at.cast::<__m256i>().read_unaligned(),
            };
            store(fold(lanes), to.add(i));
        }
    }
}

/// Returns the values of varints of up to four bytes, one per lane.
#[inline]
#[target_feature(enable = "avx2")]
fn fold(lanes: __m256i) -> __m256i {
    let low = _mm256_and_si256(lanes, _mm256_set1_epi16(0x007f));
    let high = _mm256_srli_epi16::<1>(_mm256_and_si256(lanes, _mm256_set1_epi16(0x7f00)));
    let bits = _mm256_madd_epi16(_mm256_or_si256(low, high), _mm256_set1_epi32(1 | 1 << 30));
    let sign = _mm256_and_si256(bits, _mm256_set1_epi32(1));
    let sign = _mm256_sub_epi32(_mm256_setzero_si256(), sign);
    _mm256_xor_si256(_mm256_srli_epi32::<1>(bits), sign)
}

/// Stores eight values as ints or longs.
///
/// # Safety
/// At `to` there is room for eight.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn store<T: Number>(values: __m256i, to: *mut T) {
    let to = to.cast::<__m256i>();
    // SAFETY: the caller's promise; eight ints are 32 bytes, eight longs 64.
    unsafe {
        if size_of::<T>() == 4 {
            to.write_unaligned(values);
        } else {
            let (low, high) =
                (_mm256_castsi256_si128(values), _mm256_extracti128_si256::<1>(values));
            to.write_unaligned(_mm256_cvtepi32_epi64(low));
            to.add(1).write_unaligned(_mm256_cvtepi32_epi64(high));
        }
    }
}
