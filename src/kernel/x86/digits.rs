//! Formats eight numbers at a time as decimal digits, two numbers of four digits in a word of 32 bits.
//!
//! ```text
//! numbers   a b c d   e f g h          64 bits each
//! fours     a e b f c g d h            32 bits each: the first four figures, and the last four
//! twos      of each four: the first two figures, and the last two
//! figures   of each two: the text of both, in 16 bits      interleaved: the text of a number in 64 bits
//! ```
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use crate::kernel::portable;

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn format_digits(numbers: &[i64], skip: u32, out: &mut Vec<u64>) {
    let (eights, rest) = numbers.as_chunks::<8>();
    out.reserve(numbers.len());
    let to = out.spare_capacity_mut().as_mut_ptr().cast::<__m256i>();
    let by = _mm_cvtsi32_si128(8 * skip.min(7).cast_signed());
    for (i, eight) in eights.iter().enumerate() {
        // SAFETY: eight numbers are there, and there is room for the text of each after the others.
        unsafe {
            let from = eight.as_ptr().cast::<__m256i>();
            let (first, second) = text(_mm256_loadu_si256(from), _mm256_loadu_si256(from.add(1)));
            _mm256_storeu_si256(to.add(2 * i), _mm256_srl_epi64(first, by));
            _mm256_storeu_si256(to.add(2 * i + 1), _mm256_srl_epi64(second, by));
        }
    }
    // SAFETY: so many have been written after the others.
    unsafe { out.set_len(out.len() + eights.len() * 8) };
    portable::format_digits(rest, skip, out);
}

/// Returns the text of four numbers and of four more.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn text(first: __m256i, second: __m256i) -> (__m256i, __m256i) {
    let fours = _mm256_or_si256(fours(first), _mm256_slli_epi64::<32>(fours(second)));
    // 5,243 / 2^19 is a hundredth of all that come here.
    let high = _mm256_srli_epi16::<3>(_mm256_mulhi_epu16(fours, _mm256_set1_epi16(5243)));
    let low = _mm256_sub_epi16(fours, _mm256_mullo_epi16(high, _mm256_set1_epi16(100)));
    let (high, low) = (figures_of_two(high), figures_of_two(low));
    let (even, odd) = (_mm256_unpacklo_epi16(high, low), _mm256_unpackhi_epi16(high, low));
    (_mm256_unpacklo_epi64(even, odd), _mm256_unpackhi_epi64(even, odd))
}

/// Returns the first four of eight figures as a number, and above it the last four.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn fours(numbers: __m256i) -> __m256i {
    // 3,518,437,209 / 2^45 is a ten-thousandth of all that come here.
    let by = _mm256_set1_epi64x(3_518_437_209);
    let high = _mm256_srli_epi64::<45>(_mm256_mul_epu32(numbers, by));
    let low = _mm256_sub_epi64(numbers, _mm256_mul_epu32(high, _mm256_set1_epi64x(10_000)));
    _mm256_or_si256(high, _mm256_slli_epi64::<16>(low))
}

/// Returns the text of numbers of two figures.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn figures_of_two(twos: __m256i) -> __m256i {
    // 6,554 / 2^16 is a tenth of all that come here. Tens less 2,560 tens are the tens, and the ones in the next byte.
    let tens = _mm256_mulhi_epu16(twos, _mm256_set1_epi16(6554));
    let moved = _mm256_slli_epi16::<8>(twos);
    let both = _mm256_sub_epi16(moved, _mm256_mullo_epi16(tens, _mm256_set1_epi16(2559)));
    _mm256_add_epi16(both, _mm256_set1_epi16(0x3030))
}
