//! Encodes varints with AVX-512, 32 at a time.
//!
//! ```text
//! values     127          │ 1            │ ...      zig-zag, in as few bits as the largest needs
//! spread     7e 01 00 00  │ 02 00 00 00  │ ...      vpmultishiftqb: seven bits to a byte
//! used       1  1  0  0   │ 1  0  0  0   │ ...      up to the highest byte that is not zero
//! marked     fe 01 00 00  │ 02 00 00 00  │ ...      the sign where the next byte is used
//! bytes      fe 01 02 ...                           vpcompressb: the used ones side by side
//! ```
#![allow(unsafe_code)]
// Truncation to the low bits of a word is intended.
#![allow(clippy::cast_possible_truncation)]

use std::arch::x86_64::*;

use super::permutation_tables::{parts, sevens, table, with_behind};
use crate::kernel::portable::Number;

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn encode_longs(values: &[i64], out: &mut Vec<u8>) {
    put_numbers(values, out);
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn encode_ints(values: &[i32], out: &mut Vec<u8>) {
    put_numbers(values, out);
}

/// The number of values that are encoded at once.
const GROUP: usize = 32;

/// The number of values for which memory is reserved at once.
const PIECE: usize = 16 * GROUP;

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
fn put_numbers<T: Number>(values: &[T], out: &mut Vec<u8>) {
    for piece in values.chunks(PIECE) {
        // Ten bytes a value at most, a byte for each that only fills a group, and a last store.
        out.reserve(10 * piece.len() + GROUP + 64);
        // SAFETY: the room just made.
        let start = unsafe { out.as_mut_ptr().add(out.len()) };
        let mut to = start;
        for group in piece.chunks(GROUP) {
            // SAFETY: of the room there is left what these values may take, and 64 bytes.
            unsafe {
                to = if size_of::<T>() == 4 {
                    put_ints_32(group, to)
                } else {
                    put_longs_32(group, to)
                };
            }
        }
        // SAFETY: `to` is past what was stored, within the room.
        unsafe { out.set_len(out.len() + to.offset_from_unsigned(start)) };
    }
}

/// Stores up to 32 ints. Returns where they end.
///
/// # Safety
/// The values are ints; there is room for ten bytes for each, for 32, and for 64.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
unsafe fn put_ints_32<T: Number>(values: &[T], to: *mut u8) -> *mut u8 {
    let loaded = _bzhi_u32(u32::MAX, values.len() as u32);
    let bits = [0, 16].map(|i| {
        let from = values.as_ptr().wrapping_add(i).cast();
        // SAFETY: what the mask leaves out is not touched.
        let values = unsafe { _mm512_maskz_loadu_epi32((loaded >> i) as u16, from) };
        let sign = _mm512_srai_epi32::<31>(values);
        _mm512_xor_si512(_mm512_slli_epi32::<1>(values), sign)
    });
    let any = _mm512_or_si512(bits[0], bits[1]);
    let within = |most: i32| _mm512_test_epi32_mask(any, _mm512_set1_epi32(!most)) == 0;
    // SAFETY: the caller's promise.
    let end = unsafe {
        if within(0x3fff) {
            let [low, high] = bits.map(|bits| _mm512_cvtepi32_epi16(bits));
            put_words(_mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high), to)
        } else if within(0x0fff_ffff) {
            bits.into_iter().fold(to, |to, bits| put_lanes::<4>(bits, to))
        } else {
            bits.into_iter().fold(to, |to, bits| {
                let high = _mm512_extracti64x4_epi64::<1>(bits);
                let to = put_lanes::<8>(_mm512_cvtepu32_epi64(_mm512_castsi512_si256(bits)), to);
                put_lanes::<8>(_mm512_cvtepu32_epi64(high), to)
            })
        }
    };
    // Missing values were stored as zeros.
    end.wrapping_sub(GROUP - values.len())
}

/// Stores up to 32 longs. Returns where they end.
///
/// # Safety
/// As for [`put_ints_32`], with longs.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
unsafe fn put_longs_32<T: Number>(values: &[T], to: *mut u8) -> *mut u8 {
    let loaded = _bzhi_u32(u32::MAX, values.len() as u32);
    let bits = [0, 8, 16, 24].map(|i| {
        let from = values.as_ptr().wrapping_add(i).cast();
        // SAFETY: what the mask leaves out is not touched.
        let values = unsafe { _mm512_maskz_loadu_epi64((loaded >> i) as u8, from) };
        let sign = _mm512_srai_epi64::<63>(values);
        _mm512_xor_si512(_mm512_slli_epi64::<1>(values), sign)
    });
    let [a, b, c, d] = bits;
    let any = _mm512_or_si512(_mm512_or_si512(a, b), _mm512_or_si512(c, d));
    let within = |most: i64| _mm512_test_epi64_mask(any, _mm512_set1_epi64(!most)) == 0;
    // SAFETY: the caller's promise.
    let end = unsafe {
        if within(0x3fff) {
            let [low, high] = [[a, b], [c, d]].map(|[a, b]| _mm512_cvtepi32_epi16(halves(a, b)));
            put_words(_mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high), to)
        } else if within(0x0fff_ffff) {
            put_lanes::<4>(halves(c, d), put_lanes::<4>(halves(a, b), to))
        } else if within(0x00ff_ffff_ffff_ffff) {
            bits.into_iter().fold(to, |to, bits| put_lanes::<8>(bits, to))
        } else {
            bits.into_iter().fold(to, |to, bits| {
                let low = _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 0, 1, 1, 2, 2, 3, 3), bits);
                let high =
                    _mm512_permutexvar_epi64(_mm512_setr_epi64(4, 4, 5, 5, 6, 6, 7, 7), bits);
                put_lanes::<16>(high, put_lanes::<16>(low, to))
            })
        }
    };
    // Missing values were stored as zeros.
    end.wrapping_sub(GROUP - values.len())
}

/// Returns the low halves of sixteen numbers of 64 bits.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
fn halves(a: __m512i, b: __m512i) -> __m512i {
    let even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    _mm512_permutex2var_epi32(a, even, b)
}

/// Stores 32 varints of 14 bits at most. Returns where they end.
///
/// # Safety
/// There is room for 64 bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
unsafe fn put_words(bits: __m512i, to: *mut u8) -> *mut u8 {
    // SAFETY: the caller's promise; the store needs no alignment.
    unsafe {
        if _mm512_test_epi16_mask(bits, _mm512_set1_epi16(!0x7f)) == 0 {
            _mm256_storeu_epi8(to.cast(), _mm512_cvtepi16_epi8(bits));
            to.wrapping_add(32)
        } else {
            put_lanes::<2>(bits, to)
        }
    }
}

/// Stores varints in `WIDTH` bytes each. Returns their end.
///
/// # Safety
/// There is room for 64 bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
unsafe fn put_lanes<const WIDTH: usize>(bits: __m512i, to: *mut u8) -> *mut u8 {
    let spread = _mm512_multishift_epi64_epi8(table(const { &sevens(WIDTH) }), bits);
    let spread = _mm512_and_si512(spread, table(const { &parts(WIDTH) }));
    let mut used = _mm512_test_epi8_mask(spread, spread);
    used |= used >> 1 & const { with_behind(1, WIDTH) };
    used |= used >> 2 & const { with_behind(2, WIDTH) };
    used |= used >> 4 & const { with_behind(4, WIDTH) };
    used |= used >> 8 & const { with_behind(8, WIDTH) };
    // Zero takes a byte, too.
    used |= const { !with_behind(1, WIDTH) << 1 | 1 };
    let more = used >> 1 & const { with_behind(1, WIDTH) };
    let marked = _mm512_mask_add_epi8(spread, more, spread, _mm512_set1_epi8(i8::MIN));
    // SAFETY: the caller's promise; the store needs no alignment.
    unsafe { _mm512_storeu_epi8(to.cast(), _mm512_maskz_compress_epi8(used, marked)) };
    to.wrapping_add(used.count_ones() as usize)
}
