//! Values by their codes from a small table, which one or two registers hold.
//!
//! ```text
//! table    16 numbers of 32 bits a register, or 8 of 64, or 64 strings of one byte
//! codes    16 or 8 at a time ── vpermi2d, vpermi2q, vpermb ──► their numbers, their bytes
//! ```
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::avx512_expand::is_number;
use super::gather::{gather as from_memory, gather_strings as strings_from_memory};
use crate::kernel::portable::{Slots, all_below, ones};

/// How many numbers of 32 bits two registers hold, how many of 64, and how many bytes one.
const FOURS: usize = 32;
const EIGHTS: usize = 16;
const BYTES: usize = 64;

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512vl,avx512dq")]
pub(super) fn gather<T: Copy + Default + 'static>(
    codes: &[u32],
    table: &[T],
    out: &mut Vec<T>,
) -> bool {
    let four = is_number::<T>(4) && table.len() <= FOURS;
    let eight = is_number::<T>(8) && table.len() <= EIGHTS;
    if !four && !eight {
        return from_memory(codes, table, out);
    }
    if !all_below(codes, table.len()) {
        return false;
    }
    out.reserve(codes.len());
    let to = out.spare_capacity_mut().as_mut_ptr().cast::<T>();
    // SAFETY: there is room for a number each; they are of that size, and no more than two registers hold.
    unsafe {
        match four {
            true => fours(codes, table, to),
            false => eights(codes, table, to),
        }
        out.set_len(out.len() + codes.len());
    }
    true
}

/// Stores a number of 32 bits for each code.
///
/// # Safety
/// They are such, and no more than [`FOURS`]; there is room for one each.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,bmi2")]
unsafe fn fours<T>(codes: &[u32], table: &[T], to: *mut T) {
    // SAFETY: what the masks leave out is not touched.
    unsafe {
        let (from, n) = (table.as_ptr(), table.len());
        let low = _mm512_maskz_loadu_epi32(lanes(n), from.cast());
        let high =
            _mm512_maskz_loadu_epi32(lanes(n.saturating_sub(16)), from.wrapping_add(16).cast());
        for (i, some) in codes.chunks(16).enumerate() {
            let there = lanes(some.len());
            let which = _mm512_maskz_loadu_epi32(there, some.as_ptr().cast());
            let values = _mm512_permutex2var_epi32(low, which, high);
            _mm512_mask_storeu_epi32(to.add(16 * i).cast(), there, values);
        }
    }
}

/// Stores a number of 64 bits for each code.
///
/// # Safety
/// They are such, and no more than [`EIGHTS`]; there is room for one each.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,bmi2")]
unsafe fn eights<T>(codes: &[u32], table: &[T], to: *mut T) {
    // SAFETY: what the masks leave out is not touched.
    unsafe {
        let (from, n) = (table.as_ptr(), table.len());
        let low = _mm512_maskz_loadu_epi64(half_lanes(n), from.cast());
        let high =
            _mm512_maskz_loadu_epi64(half_lanes(n.saturating_sub(8)), from.wrapping_add(8).cast());
        for (i, some) in codes.chunks(8).enumerate() {
            let there = half_lanes(some.len());
            let which = _mm256_maskz_loadu_epi32(there, some.as_ptr().cast());
            let values = _mm512_permutex2var_epi64(low, _mm512_cvtepu32_epi64(which), high);
            _mm512_mask_storeu_epi64(to.add(8 * i).cast(), there, values);
        }
    }
}

#[target_feature(
    enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi"
)]
pub(super) fn gather_strings(
    codes: &[u32],
    slots: &Slots,
    offsets: &mut Vec<i32>,
    data: &mut Vec<u8>,
) -> bool {
    if slots.count() > BYTES || slots.lengths.iter().any(|length| *length != 1) {
        return strings_from_memory(codes, slots, offsets, data);
    }
    if !all_below(codes, slots.count()) {
        return false;
    }
    let mut table = [0u8; BYTES];
    table.iter_mut().zip(&slots.bytes).for_each(|(byte, [first, ..])| *byte = *first);
    data.reserve(codes.len());
    #[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap)]
    // The caller has seen that it fits.
    let start = data.len() as i32;
    let to = data.spare_capacity_mut().as_mut_ptr().cast::<u8>();
    // SAFETY: there is room for a byte each; what the masks leave out is not touched.
    unsafe {
        let table = _mm512_loadu_epi8(table.as_ptr().cast());
        for (i, some) in codes.chunks(16).enumerate() {
            let there = lanes(some.len());
            let which = _mm512_maskz_loadu_epi32(there, some.as_ptr().cast());
            let which = _mm512_zextsi128_si512(_mm512_cvtepi32_epi8(which));
            let bytes = _mm512_castsi512_si128(_mm512_permutexvar_epi8(which, table));
            _mm_mask_storeu_epi8(to.add(16 * i).cast(), there, bytes);
        }
        data.set_len(data.len() + codes.len());
    }
    offsets.extend((1..).zip(codes).map(|(i, _)| start.wrapping_add(i)));
    true
}

/// The first `n` of 16 lanes, or all.
#[inline(always)]
#[allow(clippy::cast_possible_truncation)] // The low bits are meant.
fn lanes(n: usize) -> u16 {
    ones(n) as u16
}

/// The first `n` of 8 lanes, or all.
#[inline(always)]
#[allow(clippy::cast_possible_truncation)] // The low bits are meant.
fn half_lanes(n: usize) -> u8 {
    ones(n) as u8
}
