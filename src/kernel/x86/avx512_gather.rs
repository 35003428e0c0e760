//! Gathers values from a small table that one or two registers hold.
//!
//! ```text
//! table    16 numbers of 32 bits a register, or 8 of 64, or 4 views, or 64 strings of one byte
//! codes    16, 8 or 4 at a time ── vpermi2d, vpermi2q, vpermb ──► their numbers, their bytes
//! ```
#![allow(unsafe_code)]

use std::any::TypeId;
use std::arch::x86_64::*;

use super::avx512_expand::is_number;
use super::gather::{gather as from_memory, gather_strings as strings_from_memory};
use crate::kernel::portable::{StringSlots, all_below, ones};

/// How many numbers of 32 bits two registers hold, how many of 64, how many views, and how many bytes one.
const FOURS: usize = 32;
const EIGHTS: usize = 16;
const VIEWS: usize = 8;
const BYTES: usize = 64;

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512vl,avx512dq")]
pub(super) fn gather<T: Copy + Default + 'static>(
    codes: &[u32],
    table: &[T],
    out: &mut Vec<T>,
) -> bool {
    let four = is_number::<T>(4) && table.len() <= FOURS;
    let eight = is_number::<T>(8) && table.len() <= EIGHTS;
    let view = TypeId::of::<T>() == TypeId::of::<u128>() && table.len() <= VIEWS;
    if !four && !eight && !view {
        return from_memory(codes, table, out);
    }
    if !all_below(codes, table.len()) {
        return false;
    }
    out.reserve(codes.len());
    let to = out.spare_capacity_mut().as_mut_ptr().cast::<T>();
    // SAFETY: there is room for a number each; they are of that size, and no more than two registers hold.
    unsafe {
        match (four, eight) {
            (true, _) => fours(codes, table, to),
            (_, true) => eights(codes, table, to),
            _ => offsets_to_views(codes, table, to),
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
            let mask = lanes(some.len());
            let which = _mm512_maskz_loadu_epi32(mask, some.as_ptr().cast());
            let values = _mm512_permutex2var_epi32(low, which, high);
            _mm512_mask_storeu_epi32(to.add(16 * i).cast(), mask, values);
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
            let mask = half_lanes(some.len());
            let which = _mm256_maskz_loadu_epi32(mask, some.as_ptr().cast());
            let values = _mm512_permutex2var_epi64(low, _mm512_cvtepu32_epi64(which), high);
            _mm512_mask_storeu_epi64(to.add(8 * i).cast(), mask, values);
        }
    }
}

/// Stores a view for each code.
///
/// # Safety
/// They are 128 bits each, and no more than [`VIEWS`]; there is room for one each.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,bmi2")]
unsafe fn offsets_to_views<T>(codes: &[u32], table: &[T], to: *mut T) {
    // SAFETY: what the masks leave out is not touched.
    unsafe {
        let (from, n) = (table.as_ptr().cast::<i64>(), 2 * table.len());
        let low = _mm512_maskz_loadu_epi64(half_lanes(n), from);
        let high = _mm512_maskz_loadu_epi64(half_lanes(n.saturating_sub(8)), from.wrapping_add(8));
        // Of each code twice itself, and one more: its halves.
        let twice = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
        let second = _mm512_setr_epi64(0, 1, 0, 1, 0, 1, 0, 1);
        for (i, some) in codes.chunks(4).enumerate() {
            let which = _mm_maskz_loadu_epi32(half_lanes(some.len()), some.as_ptr().cast());
            let which = _mm512_zextsi128_si512(which);
            let which = _mm512_maskz_permutexvar_epi32(0x5555, twice, which);
            let which = _mm512_or_si512(_mm512_slli_epi64::<1>(which), second);
            let values = _mm512_permutex2var_epi64(low, which, high);
            let mask = half_lanes(2 * some.len());
            _mm512_mask_storeu_epi64(to.add(4 * i).cast(), mask, values);
        }
    }
}

#[target_feature(
    enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi"
)]
pub(super) fn gather_strings(
    codes: &[u32],
    slots: &StringSlots,
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
    // The caller has checked that it fits.
    let start = data.len() as i32;
    let to = data.spare_capacity_mut().as_mut_ptr().cast::<u8>();
    // SAFETY: there is room for a byte each; what the masks leave out is not touched.
    unsafe {
        let table = _mm512_loadu_epi8(table.as_ptr().cast());
        for (i, some) in codes.chunks(16).enumerate() {
            let mask = lanes(some.len());
            let which = _mm512_maskz_loadu_epi32(mask, some.as_ptr().cast());
            let which = _mm512_zextsi128_si512(_mm512_cvtepi32_epi8(which));
            let bytes = _mm512_castsi512_si128(_mm512_permutexvar_epi8(which, table));
            _mm_mask_storeu_epi8(to.add(16 * i).cast(), mask, bytes);
        }
        data.set_len(data.len() + codes.len());
    }
    offsets.extend((1..).zip(codes).map(|(i, _)| start.wrapping_add(i)));
    true
}

/// Returns a mask of the first `n` of 16 lanes.
#[inline(always)]
#[allow(clippy::cast_possible_truncation)] // The low bits are meant.
fn lanes(n: usize) -> u16 {
    ones(n) as u16
}

/// Returns a mask of the first `n` of 8 lanes.
#[inline(always)]
#[allow(clippy::cast_possible_truncation)] // The low bits are meant.
fn half_lanes(n: usize) -> u8 {
    ones(n) as u8
}
