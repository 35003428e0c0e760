//! Decodes and encodes varints with AVX2 and BMI2.
//!
//! ```text
//! ends        0 0 1 │ 1 │ 0 1 │ 0 ...     of a window: values at 0..=2, 3, 4..=5, ...
//! a value     fe ff 01 .. .. .. .. ..     eight bytes from its first
//! pext        7e 7f 01                    the sevens of its own bytes, side by side
//! ```
//! The start of each value follows from the mask alone, so loads do not depend on each other. pdep is the inverse.
#![allow(unsafe_code)]
// Truncation to the low bits of a word is intended.
#![allow(clippy::cast_possible_truncation)]

use std::arch::x86_64::*;

use super::avx2_fixed_width_varints::{even_values, store_even};
use super::window::{WINDOW, Window};
use crate::kernel::portable::{self, Number};

/// The sevens of eight bytes.
const SEVENS: u64 = 0x7f7f_7f7f_7f7f_7f7f;

/// Bytes past a window that a load may touch: two words after the last byte, and one missing value.
const BEHIND: usize = 16;

/// Room for the values that are stored past the last one.
const OVER: usize = WINDOW;

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn decode_longs(bytes: &[u8], n: usize, out: &mut Vec<i64>) -> usize {
    numbers(bytes, n, out)
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn decode_ints(bytes: &[u8], n: usize, out: &mut Vec<i32>) -> usize {
    numbers(bytes, n, out)
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn numbers<T: Number>(bytes: &[u8], n: usize, out: &mut Vec<T>) -> usize {
    let most = n.min(bytes.len());
    out.reserve(most + OVER);
    let (mut at, mut done) = (0, 0);
    while done < n && bytes.len() - at >= WINDOW + BEHIND {
        // SAFETY: WINDOW + BEHIND bytes are there, and room for OVER values past the `most` that can be.
        let (from, to) =
            unsafe { (bytes.as_ptr().add(at), out.as_mut_ptr().add(out.len() + done)) };
        // SAFETY: as above.
        let more = unsafe { more(from) };
        let window = Window::new(more, u64::MAX, n - done);
        if window.ends == u64::MAX {
            // SAFETY: 64 bytes are there, and room for 64 values.
            (0..WINDOW).for_each(|i| unsafe { to.add(i).write(T::from_byte(*from.add(i))) });
        } else if let Some((count, len)) = even_values(window.ends) {
            // SAFETY: as above; up to eight more values than there are begin within BEHIND.
            unsafe { store_even(from, count, len, to) };
            (at, done) = (at + count * len, done + count);
            continue;
        } else if window.has_nine() || (window.has_five() && size_of::<T>() == 4) {
            // SAFETY: as above.
            let (taken, len) = unsafe { long_values(from, window, to) };
            (at, done) = (at + len, done + taken);
            if taken < window.count() || taken == 0 {
                break;
            }
            continue;
        } else {
            // SAFETY: as above.
            unsafe { short_values(from, window, to) };
        }
        if window.ends == 0 {
            break;
        }
        (at, done) = (at + window.len(), done + window.count());
    }
    // SAFETY: so many values have been stored, one after the other.
    unsafe { out.set_len(out.len() + done) };
    at + portable::numbers(bytes.get(at..).unwrap_or_default(), n - done, out)
}

/// Returns a mask of the continuation bits of 64 bytes.
///
/// # Safety
/// 64 bytes are at `from`.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn more(from: *const u8) -> u64 {
    // SAFETY: the caller's promise; the loads need no alignment.
    let [low, high] = unsafe {
        [from.cast::<__m256i>().read_unaligned(), from.add(32).cast::<__m256i>().read_unaligned()]
    };
    let [low, high] = [low, high].map(|part| _mm256_movemask_epi8(part).cast_unsigned());
    u64::from(low) | u64::from(high) << 32
}

/// Stores a window's values of up to eight bytes, which all fit.
///
/// # Safety
/// The window is of the 64 bytes at `from`, BEHIND more are there; at `to` there is room for 64 values.
#[inline]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
unsafe fn short_values<T: Number>(from: *const u8, window: Window, to: *mut T) {
    let (mut ends, mut start) = (window.ends, 0);
    for i in (0..window.count()).step_by(4) {
        for j in i..i + 4 {
            // Past the last value this is 64, and the next start 65.
            let end = ends.trailing_zeros();
            ends &= ends.wrapping_sub(1);
            // SAFETY: BEHIND covers the word at 65; of up to 64 values, rounded up to fours, there are 64.
            unsafe {
                let word = from.add(start as usize).cast::<u64>().read_unaligned();
                let bits = _pext_u64(word, _bzhi_u64(SEVENS, 8 * (end + 1).wrapping_sub(start)));
                to.add(j).write(T::from_low_bits(bits));
            }
            start = end + 1;
        }
    }
}

/// Stores a window's values of any length, as long as they fit. Returns how many, and their bytes.
///
/// # Safety
/// As for [`short_values`].
#[inline]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
unsafe fn long_values<T: Number>(from: *const u8, window: Window, to: *mut T) -> (usize, usize) {
    let (mut ends, mut start) = (window.ends, 0);
    for i in 0..window.count() {
        let end = ends.trailing_zeros();
        ends &= ends.wrapping_sub(1);
        let len = 8 * (end + 1 - start);
        // SAFETY: the value lies in the window, and two words from its start within BEHIND.
        let bits = unsafe {
            let word = from.add(start as usize).cast::<u64>().read_unaligned();
            let next = from.add(start as usize + 8).cast::<u64>().read_unaligned();
            // The bits past the 64th fall off.
            _pext_u64(word, _bzhi_u64(SEVENS, len))
                | _pext_u64(next, _bzhi_u64(SEVENS, len.saturating_sub(64))) << 56
        };
        let Some(value) = T::from_bits(bits) else { return (i, start as usize) };
        // SAFETY: there is room for 64 values, and a window has no more.
        unsafe { to.add(i).write(value) };
        start = end + 1;
    }
    (window.count(), start as usize)
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn skip_varints(bytes: &[u8], n: usize) -> (usize, usize) {
    let (mut at, mut done) = (0, 0);
    while done < n && bytes.len() - at >= WINDOW {
        // SAFETY: 64 bytes are there.
        let more = unsafe { more(bytes.as_ptr().add(at)) };
        let window = Window::new(more, u64::MAX, n - done);
        if window.ends == 0 {
            break;
        }
        (at, done) = (at + window.len(), done + window.count());
    }
    let (more, len) = portable::skip_varints(bytes.get(at..).unwrap_or_default(), n - done);
    (done + more, at + len)
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn encode_longs(values: &[i64], out: &mut Vec<u8>) {
    put_numbers(values, out);
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn encode_ints(values: &[i32], out: &mut Vec<u8>) {
    put_numbers(values, out);
}

/// The number of values for which memory is reserved at once.
const PIECE: usize = 512;

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn put_numbers<T: Number>(values: &[T], out: &mut Vec<u8>) {
    for piece in values.chunks(PIECE) {
        // Ten bytes a value at most, and what the last store writes past them.
        out.reserve(piece.len() * 10 + 8);
        // SAFETY: the room just made.
        let start = unsafe { out.as_mut_ptr().add(out.len()) };
        let mut to = start;
        let (eights, rest) = piece.as_chunks::<8>();
        for eight in eights {
            let bits = eight.map(T::to_bits);
            if bits.iter().fold(0, |all, bits| all | bits) < 0x80 {
                // SAFETY: eight of the bytes that eight values may take.
                unsafe {
                    to.cast::<[u8; 8]>().write(bits.map(|bits| bits as u8));
                    to = to.add(8);
                }
            } else {
                // SAFETY: ten bytes for each.
                bits.iter().for_each(|bits| unsafe { to = put(*bits, to) });
            }
        }
        // SAFETY: ten bytes for each.
        rest.iter().for_each(|value| unsafe { to = put(value.to_bits(), to) });
        // SAFETY: `to` is past what was stored, within the room.
        unsafe { out.set_len(out.len() + to.offset_from_unsigned(start)) };
    }
}

/// Stores one varint. Returns where it ends.
///
/// # Safety
/// There is room for ten bytes, and for eight after the varint's end.
#[inline]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
unsafe fn put(bits: u64, to: *mut u8) -> *mut u8 {
    const MORE: u64 = !SEVENS;
    let spread = _pdep_u64(bits, SEVENS);
    if bits < 1 << 56 {
        // The eighths of the bytes before the last.
        let last = (63 - (spread | 1).leading_zeros()) & !7;
        // SAFETY: the caller's promise.
        unsafe {
            to.cast::<u64>().write_unaligned(spread | _bzhi_u64(MORE, last));
            to.add(last as usize / 8 + 1)
        }
    } else {
        let [ninth, tenth] = [(bits >> 56) as u8, (bits >> 63) as u8];
        // SAFETY: the caller's promise.
        unsafe {
            to.cast::<u64>().write_unaligned(spread | MORE);
            to.add(8).write(ninth);
            to.add(9).write(tenth);
            to.add(9 + tenth as usize)
        }
    }
}
