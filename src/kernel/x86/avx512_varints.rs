//! Decodes varints with AVX-512, 64 bytes at a time.
//!
//! ```text
//! data       b0 b1 c0 d0 d1 d2 ...                  64 bytes
//! ends       0  1  1  0  0  1  ...                  bytes whose sign is clear
//! last       1  2  5 ...                            vpcompressb: where each value ends
//! aligned    .. .. b0 b1 │ .. .. .. c0 │ .. d0 d1 d2    vpermb: the bytes up to each end
//! shifted    b0 b1 00 00 │ c0 00 00 00 │ d0 d1 d2 00    vpsrlv: others fall off, zeros come
//! folded     7+7 7+7 → 14+14 → 28+28                    maddubs, madd, shift
//! ```
//! Values of up to 2, 4 and 8 bytes are decoded in lanes of 16, 32 and 64 bits, so 32, 16 or 8 at once. The ninth
//! and tenth byte of longer ones are decoded in a second register.
#![allow(unsafe_code)]
// Truncation to the low bits of a word is intended.
#![allow(clippy::cast_possible_truncation)]

use std::arch::x86_64::*;

use super::permutation_tables::{IOTA, before, places, table};
use super::window::Window;
use crate::kernel::portable::Number;

/// Room for the values that are stored past the last one.
const OVER: usize = 64;

/// Loads up to 64 bytes from the start, padded with zeros, and returns a mask of the existing ones.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
fn load(bytes: &[u8]) -> (__m512i, u64) {
    if bytes.len() >= 64 {
        // SAFETY: 64 bytes are there; the load needs no alignment.
        (unsafe { _mm512_loadu_epi8(bytes.as_ptr().cast()) }, u64::MAX)
    } else {
        let loaded = _bzhi_u64(u64::MAX, bytes.len() as u32);
        // SAFETY: what the mask leaves out is not touched.
        (unsafe { _mm512_maskz_loadu_epi8(loaded, bytes.as_ptr().cast()) }, loaded)
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn decode_longs(bytes: &[u8], n: usize, out: &mut Vec<i64>) -> usize {
    numbers(bytes, n, out)
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn decode_ints(bytes: &[u8], n: usize, out: &mut Vec<i32>) -> usize {
    numbers(bytes, n, out)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
fn numbers<T: Number>(bytes: &[u8], n: usize, out: &mut Vec<T>) -> usize {
    out.reserve(n.min(bytes.len()) + OVER);
    let (mut at, mut done) = (0, 0);
    while done < n {
        // SAFETY: windows end within the bytes.
        let (data, loaded) = load(unsafe { bytes.get_unchecked(at..) });
        let more = _mm512_movepi8_mask(data);
        if more == 0 && loaded == u64::MAX && n - done >= 64 {
            // SAFETY: there is room for OVER values.
            unsafe { of_one_byte(data, out.as_mut_ptr().add(out.len() + done)) };
            done += 64;
            at += 64;
            continue;
        }
        let window = Window::new(more, loaded, n - done);
        let (mut count, mut len) = (window.count(), window.len());
        if count == 0 {
            break;
        }
        // SAFETY: `done` values are there, and room for OVER more than there can be; of the at most 64 of a
        // window, whole groups are stored.
        unsafe {
            let to = out.as_mut_ptr().add(out.len() + done);
            if count == len {
                of_one_byte(data, to);
            } else if !window.has_three() {
                of_two_bytes(data, window, to);
            } else if !window.has_five() {
                of_four_bytes(data, window, to);
            } else if !window.has_nine() {
                (count, len) = of_eight_bytes(data, window, to);
            } else {
                (count, len) = of_ten_bytes(data, window, to);
            }
        }
        if count == 0 {
            break;
        }
        done += count;
        at += len;
    }
    // SAFETY: so many values have been stored, one after the other.
    unsafe { out.set_len(out.len() + done) };
    at
}

/// Returns where the values of a window end, and how long they are, a byte for each value.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
fn ends_and_lengths(window: Window) -> (__m512i, __m512i) {
    let iota = table(&IOTA);
    let ends = _mm512_maskz_compress_epi8(window.ends, iota);
    // The first value starts at 0, the others after the end of the one before.
    let before = _mm512_permutexvar_epi8(_mm512_sub_epi8(iota, _mm512_set1_epi8(1)), ends);
    let first = _mm512_zextsi128_si512(_mm_cvtsi32_si128(1));
    (ends, _mm512_add_epi8(_mm512_sub_epi8(ends, before), first))
}

/// By how many bits a value of each length is shifted down, when `bits` end with it.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
fn shifts(bits: i8, lengths: __m512i) -> __m512i {
    // No length passes ten, so no bits pass from one byte to the next.
    _mm512_sub_epi8(_mm512_set1_epi8(bits), _mm512_slli_epi16::<3>(lengths))
}

/// Sevens of bytes to 14 bits of each 16.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
fn fold_16(bytes: __m512i) -> __m512i {
    let sevens = _mm512_and_si512(bytes, _mm512_set1_epi8(0x7f));
    _mm512_maddubs_epi16(_mm512_set1_epi16(0x8001u16.cast_signed()), sevens)
}

/// Sevens of bytes to 28 bits of each 32.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
fn fold_32(bytes: __m512i) -> __m512i {
    _mm512_madd_epi16(fold_16(bytes), _mm512_set1_epi32(0x4000_0001))
}

/// Sevens of bytes to 56 bits of each 64.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
fn fold_64(bytes: __m512i) -> __m512i {
    let twice_28 = fold_32(bytes);
    let low = _mm512_set1_epi64(0x0fff_ffff);
    _mm512_ternarylogic_epi64::<0xca>(low, twice_28, _mm512_srli_epi64::<4>(twice_28))
}

/// Stores 64 values, of which each byte is one.
///
/// # Safety
/// There is room for 64.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
unsafe fn of_one_byte<T: Number>(data: __m512i, to: *mut T) {
    let one = _mm512_set1_epi8(1);
    let half = _mm512_and_si512(_mm512_srli_epi16::<1>(data), _mm512_set1_epi8(0x7f));
    let sign = _mm512_sub_epi8(_mm512_setzero_si512(), _mm512_and_si512(data, one));
    let values = _mm512_xor_si512(half, sign);
    // SAFETY: twice 32 are 64.
    unsafe {
        let low = _mm512_castsi512_si256(values);
        store_32(to, _mm512_cvtepi8_epi16(low));
        let high = _mm512_extracti64x4_epi64::<1>(values);
        store_32(to.add(32), _mm512_cvtepi8_epi16(high));
    }
}

/// Stores values of up to two bytes.
///
/// # Safety
/// There is room for so many, rounded up to 32.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
unsafe fn of_two_bytes<T: Number>(data: __m512i, window: Window, to: *mut T) {
    let (ends, lengths) = ends_and_lengths(window);
    let shifts = shifts(16, lengths);
    let mut place = table(const { &places(2) });
    for i in (0..window.count()).step_by(32) {
        let at = _mm512_add_epi8(_mm512_permutexvar_epi8(place, ends), table(const { &before(2) }));
        let shift = _mm512_permutexvar_epi8(place, shifts);
        let shift = _mm512_and_si512(shift, _mm512_set1_epi16(15));
        let bits = fold_16(_mm512_srlv_epi16(_mm512_permutexvar_epi8(at, data), shift));
        let sign = _mm512_and_si512(bits, _mm512_set1_epi16(1));
        let sign = _mm512_sub_epi16(_mm512_setzero_si512(), sign);
        // SAFETY: the caller's promise.
        unsafe { store_32(to.add(i), _mm512_xor_si512(_mm512_srli_epi16::<1>(bits), sign)) };
        place = _mm512_add_epi8(place, _mm512_set1_epi8(32));
    }
}

/// Stores values of up to four bytes.
///
/// # Safety
/// There is room for so many, rounded up to 16.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
unsafe fn of_four_bytes<T: Number>(data: __m512i, window: Window, to: *mut T) {
    let (ends, lengths) = ends_and_lengths(window);
    let shifts = shifts(32, lengths);
    let mut place = table(const { &places(4) });
    for i in (0..window.count()).step_by(16) {
        let at = _mm512_add_epi8(_mm512_permutexvar_epi8(place, ends), table(const { &before(4) }));
        let shift = _mm512_permutexvar_epi8(place, shifts);
        let shift = _mm512_and_si512(shift, _mm512_set1_epi32(31));
        let bits = fold_32(_mm512_srlv_epi32(_mm512_permutexvar_epi8(at, data), shift));
        // SAFETY: the caller's promise.
        unsafe { store_16(to.add(i), zig_zag_32(bits)) };
        place = _mm512_add_epi8(place, _mm512_set1_epi8(16));
    }
}

/// Stores values of up to eight bytes, as long as they fit. Returns how many, and their bytes.
///
/// # Safety
/// There is room for so many, rounded up to 8.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
unsafe fn of_eight_bytes<T: Number>(data: __m512i, window: Window, to: *mut T) -> (usize, usize) {
    let (ends, lengths) = ends_and_lengths(window);
    let shifts = shifts(64, lengths);
    let mut place = table(const { &places(8) });
    for i in (0..window.count()).step_by(8) {
        let at = _mm512_add_epi8(_mm512_permutexvar_epi8(place, ends), table(const { &before(8) }));
        let shift = _mm512_permutexvar_epi8(place, shifts);
        let shift = _mm512_and_si512(shift, _mm512_set1_epi64(63));
        let bits = fold_64(_mm512_srlv_epi64(_mm512_permutexvar_epi8(at, data), shift));
        // SAFETY: the caller's promise.
        let fit = unsafe { store_8(to.add(i), bits) };
        if i + fit < window.count() && fit < 8 {
            return (i + fit, window.len_of(i + fit));
        }
        place = _mm512_add_epi8(place, _mm512_set1_epi8(8));
    }
    (window.count(), window.len())
}

/// Stores values of up to ten bytes, as long as they fit. Returns how many, and their bytes.
///
/// # Safety
/// There is room for so many, rounded up to 8.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
unsafe fn of_ten_bytes<T: Number>(data: __m512i, window: Window, to: *mut T) -> (usize, usize) {
    let (ends, lengths) = ends_and_lengths(window);
    // The first eight bytes of each, and how many there are.
    let eight = _mm512_min_epu8(lengths, _mm512_set1_epi8(8));
    let ends_of_eight = _mm512_add_epi8(_mm512_sub_epi8(ends, lengths), eight);
    let (shifts, shifts_of_eight) = (shifts(80, lengths), shifts(64, eight));
    let mut place = table(const { &places(8) });
    for i in (0..window.count()).step_by(8) {
        let at = _mm512_permutexvar_epi8(place, ends_of_eight);
        let at = _mm512_add_epi8(at, table(const { &before(8) }));
        let shift = _mm512_permutexvar_epi8(place, shifts_of_eight);
        let shift = _mm512_and_si512(shift, _mm512_set1_epi64(63));
        let low = fold_64(_mm512_srlv_epi64(_mm512_permutexvar_epi8(at, data), shift));
        // The last two bytes; those that are of the eight are shifted out, as are bits past the 64th.
        let at = _mm512_permutexvar_epi8(place, ends);
        let at = _mm512_add_epi8(at, table(const { &before(2) }));
        let shift = _mm512_maskz_permutexvar_epi8(FIRST_OF_EIGHT, place, shifts);
        let two = _mm512_maskz_permutexvar_epi8(FIRST_OF_EIGHT * 3, at, data);
        let high = _mm512_slli_epi64::<56>(fold_16(_mm512_srlv_epi64(two, shift)));
        // SAFETY: the caller's promise.
        let fit = unsafe { store_8(to.add(i), _mm512_or_si512(low, high)) };
        if i + fit < window.count() && fit < 8 {
            return (i + fit, window.len_of(i + fit));
        }
        place = _mm512_add_epi8(place, _mm512_set1_epi8(8));
    }
    (window.count(), window.len())
}

/// The first of each eight bytes.
const FIRST_OF_EIGHT: u64 = 0x0101_0101_0101_0101;

/// Bits of varints to values.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
fn zig_zag_32(bits: __m512i) -> __m512i {
    let sign = _mm512_and_si512(bits, _mm512_set1_epi32(1));
    let sign = _mm512_sub_epi32(_mm512_setzero_si512(), sign);
    _mm512_xor_si512(_mm512_srli_epi32::<1>(bits), sign)
}

/// Stores 32 values of 16 bits.
///
/// # Safety
/// There is room for 32.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
unsafe fn store_32<T: Number>(to: *mut T, values: __m512i) {
    let low = _mm512_cvtepi16_epi32(_mm512_castsi512_si256(values));
    let high = _mm512_cvtepi16_epi32(_mm512_extracti64x4_epi64::<1>(values));
    // SAFETY: twice 16 are 32.
    unsafe {
        store_16(to, low);
        store_16(to.add(16), high);
    }
}

/// Stores 16 values of 32 bits.
///
/// # Safety
/// There is room for 16.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
unsafe fn store_16<T: Number>(to: *mut T, values: __m512i) {
    // SAFETY: 64 bytes for ints, 128 for longs; the stores need no alignment.
    unsafe {
        if size_of::<T>() == 4 {
            _mm512_storeu_epi32(to.cast(), values);
        } else {
            let high = _mm512_extracti64x4_epi64::<1>(values);
            let low = _mm512_castsi512_si256(values);
            _mm512_storeu_epi64(to.cast(), _mm512_cvtepi32_epi64(low));
            _mm512_storeu_epi64(to.add(8).cast(), _mm512_cvtepi32_epi64(high));
        }
    }
}

/// Stores 8 values, given as bits. Returns the number before the first that does not fit.
///
/// # Safety
/// There is room for 8.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
unsafe fn store_8<T: Number>(to: *mut T, bits: __m512i) -> usize {
    // SAFETY: 32 bytes for ints, 64 for longs; the stores need no alignment.
    unsafe {
        if size_of::<T>() == 4 {
            let values = zig_zag_32(_mm512_castsi256_si512(_mm512_cvtepi64_epi32(bits)));
            _mm256_storeu_epi32(to.cast(), _mm512_castsi512_si256(values));
            let large = _mm512_cmpgt_epu64_mask(bits, _mm512_set1_epi64(0xffff_ffff));
            large.trailing_zeros() as usize
        } else {
            let sign = _mm512_and_si512(bits, _mm512_set1_epi64(1));
            let sign = _mm512_sub_epi64(_mm512_setzero_si512(), sign);
            let values = _mm512_xor_si512(_mm512_srli_epi64::<1>(bits), sign);
            _mm512_storeu_epi64(to.cast(), values);
            8
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn skip_varints(bytes: &[u8], n: usize) -> (usize, usize) {
    let (mut at, mut done) = (0, 0);
    while done < n {
        // SAFETY: windows end within the bytes.
        let (data, loaded) = load(unsafe { bytes.get_unchecked(at..) });
        let window = Window::new(_mm512_movepi8_mask(data), loaded, n - done);
        if window.ends == 0 {
            break;
        }
        done += window.count();
        at += window.len();
    }
    (done, at)
}
