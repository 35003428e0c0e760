//! Encodes length-prefixed strings, copying 64 bytes at a time.
//!
//! ```text
//! data      f o o x ...
//!           └────────── 64 bytes ──────────┐
//! block     06 f o o . . . . . . . . . . . .       the next length overwrites the excess
//! ```
#![allow(unsafe_code)]
// The low bits of a length make its bytes.
#![allow(clippy::cast_possible_truncation)]

use std::arch::x86_64::*;

use crate::kernel::portable;

/// The size of a copy.
pub(super) const PIECE: usize = 64;

/// The most bytes of a length that is not left to the portable kernel.
const HEAD: usize = 2;

/// Copies 64 bytes.
///
/// # Safety
/// 64 bytes are at `from`, and room for 64 at `to`; they do not overlap.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn copy_piece(from: *const u8, to: *mut u8) {
    // SAFETY: the caller's promise; the loads and stores need no alignment.
    unsafe {
        let low = _mm256_loadu_si256(from.cast());
        let high = _mm256_loadu_si256(from.add(32).cast());
        _mm256_storeu_si256(to.cast(), low);
        _mm256_storeu_si256(to.add(32).cast(), high);
    }
}

#[target_feature(enable = "avx2")]
pub(super) fn encode_strings<O: Copy + TryInto<usize>>(
    offsets: &[O],
    data: &[u8],
    out: &mut Vec<u8>,
) {
    let place = |offset: &O| (*offset).try_into().unwrap_or(usize::MAX);
    let mut rest = offsets;
    while let (Some(two), Some(start), Some(end)) = (rest.get(..2), rest.first(), rest.last()) {
        if place(start).saturating_add(PIECE) > data.len() {
            // The data ends with this string, and with those that follow.
            return portable::encode_strings(rest, data, out);
        }
        let span = place(end).min(data.len()).saturating_sub(place(start));
        out.reserve(span + HEAD * rest.len() + PIECE);
        let done = put_most_strings(rest, data, out);
        if done == 0 {
            // A very long string, or one that is not in the data.
            portable::encode_strings(two, data, out);
        }
        rest = rest.get(done.max(1)..).unwrap_or_default();
    }
}

/// Encodes strings while both sides have room for a piece. Returns the number of strings.
#[inline]
#[target_feature(enable = "avx2")]
fn put_most_strings<O: Copy + TryInto<usize>>(
    offsets: &[O],
    data: &[u8],
    out: &mut Vec<u8>,
) -> usize {
    let place = |offset: &O| (*offset).try_into().unwrap_or(usize::MAX);
    let Some((start, ends)) = offsets.split_first() else { return 0 };
    let Some(last_start) = data.len().checked_sub(PIECE) else { return 0 };
    let Some(last_at) = out.capacity().checked_sub(HEAD + PIECE) else { return 0 };
    let (mut start, mut at, mut done) = (place(start), out.len(), 0);
    for end in ends {
        let end = place(end);
        let len = end.wrapping_sub(start);
        if start > last_start || at > last_at {
            break;
        }
        // SAFETY: a piece is at `start`, and room for two bytes and a piece at `at`; of a longer string, the same
        // at its end.
        unsafe {
            let (from, to) = (data.as_ptr().add(start), out.as_mut_ptr().add(at));
            if len < PIECE {
                to.write(len as u8 * 2);
                copy_piece(from, to.add(1));
                at += 1 + len;
            } else if len < 1 << 13 && len <= last_start - start && len <= last_at - at {
                to.write((len << 1) as u8 | 0x80);
                to.add(1).write((len >> 6) as u8);
                for done in (0..len).step_by(PIECE) {
                    copy_piece(from.add(done), to.add(HEAD + done));
                }
                at += HEAD + len;
            } else {
                break;
            }
        }
        (start, done) = (end, done + 1);
    }
    // SAFETY: so much has been stored.
    unsafe { out.set_len(at) };
    done
}
