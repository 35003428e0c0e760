//! Decodes length-prefixed strings, copying 64 bytes at a time.
//!
//! ```text
//! block     06 f o o │ 02 x │ 00 │ ...
//!              └────────── 64 bytes ──────────┐
//! data      ... f o o . . . . . . . . . . . . .      the next string overwrites the excess
//! ```
//! A one-byte length is below 64, so one copy moves the string, whatever its length. The loop then depends only on
//! the chain of lengths; after several equal lengths the next one is predicted.
#![allow(unsafe_code)]
// Every end fits an offset.
#![allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap)]

use std::arch::x86_64::*;
use std::hint::black_box;

use super::strings_encode::{PIECE, copy_piece};
use crate::kernel::portable;

/// After this many strings of one length, the next is predicted to have it too.
const ALIKE: u32 = 4;

/// The bits of a length that is negative or of more than a byte.
const NOT_SHORT: u32 = 0x81;

/// The number of bytes reserved at first for each string.
const USUAL: usize = 16;

#[target_feature(enable = "avx2")]
pub(super) fn decode_strings(
    bytes: &[u8],
    n: usize,
    offsets: &mut Vec<i32>,
    data: &mut Vec<u8>,
) -> usize {
    let (mut at, mut left) = (0, n);
    // If all bytes fit an offset, no single string needs a check.
    if i32::try_from(data.len().saturating_add(bytes.len())).is_ok() {
        offsets.reserve(n.min(bytes.len()));
        loop {
            let rest = bytes.get(at..).unwrap_or_default();
            data.reserve(left.saturating_mul(USUAL).min(rest.len()) + PIECE);
            // SAFETY: there is room for as many offsets as are left, or bytes for them.
            let (taken, len) = unsafe { most_strings(rest, left, offsets, data) };
            (at, left) = (at + len, left - taken);
            if left == 0 || bytes.len() - at <= PIECE {
                break;
            }
            // The end, a very long string, or too little room.
            let len =
                portable::decode_strings(bytes.get(at..).unwrap_or_default(), 1, offsets, data);
            if len == 0 {
                break;
            }
            (at, left) = (at + len, left - 1);
        }
    }
    at + portable::decode_strings(bytes.get(at..).unwrap_or_default(), left, offsets, data)
}

/// Decodes strings while both sides have room for a piece. Returns the number of strings and of bytes.
///
/// # Safety
/// There is room for an offset for each of the `n` strings or of the `bytes`, and `i32` can count these bytes and
/// the data.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn most_strings(
    bytes: &[u8],
    n: usize,
    offsets: &mut Vec<i32>,
    data: &mut Vec<u8>,
) -> (usize, usize) {
    let (first, before) = (data.len(), offsets.len());
    let Some(last_from) = bytes.len().checked_sub(1 + PIECE) else { return (0, 0) };
    let Some(last_to) = data.capacity().checked_sub(PIECE) else { return (0, 0) };
    let (from, to) = (bytes.as_ptr(), data.as_mut_ptr());
    let offset = offsets.as_mut_ptr().wrapping_add(before);
    let mut copier = Copier {
        from,
        last_from: from.wrapping_add(last_from),
        to: to.wrapping_add(first),
        last_to: to.wrapping_add(last_to),
        end: first as i32,
        offset,
        last_offset: offset.wrapping_add(n.min(bytes.len())),
    };
    // SAFETY: the copier takes from the bytes and stores to the room of data and offsets; so much is stored.
    unsafe {
        copier.run();
        let taken = copier.offset.offset_from_unsigned(offset);
        data.set_len(copier.to.offset_from_unsigned(to));
        offsets.set_len(before + taken);
        (taken, copier.from.offset_from_unsigned(from))
    }
}

/// The positions of the next string in source and destination.
#[derive(Clone, Copy)]
struct Copier {
    from: *const u8,
    /// The last position with a byte and a piece.
    last_from: *const u8,
    to: *mut u8,
    /// The last position with room for a piece.
    last_to: *mut u8,
    /// The end that comes before the next.
    end: i32,
    offset: *mut i32,
    /// The first position without room for an offset.
    last_offset: *mut i32,
}

impl Copier {
    /// Takes what it can.
    ///
    /// # Safety
    /// The places are what they are said to be, and the ends of all strings fit an offset.
    #[target_feature(enable = "avx2")]
    unsafe fn run(&mut self) {
        // SAFETY: the caller's promise; where a head is looked at, there is room.
        unsafe {
            while self.has_room() {
                if u32::from(*self.from) & NOT_SHORT != 0 {
                    if !self.take_long() {
                        break;
                    }
                    continue;
                }
                match self.take_short() {
                    Some(usual) if usual > 64 => self.take_alike::<64>(usual),
                    Some(usual) => self.take_alike::<32>(usual),
                    None => {}
                }
            }
        }
    }

    #[inline(always)]
    fn has_room(&self) -> bool {
        self.offset < self.last_offset && self.from <= self.last_from && self.to <= self.last_to
    }

    /// Moves past a copied value and stores its end.
    ///
    /// # Safety
    /// There is room, and the value lies in the bytes.
    #[inline(always)]
    unsafe fn pass(&mut self, value: *const u8, len: usize) {
        // SAFETY: the caller's promise.
        unsafe {
            self.from = value.add(len);
            self.to = self.to.add(len);
            self.end += len as i32;
            self.offset.write(self.end);
            self.offset = self.offset.add(1);
        }
    }

    /// Decodes short strings until several have the same length, which is returned.
    ///
    /// # Safety
    /// As for [`run`](Copier::run).
    #[inline(never)] // Each of these loops needs all the registers.
    #[target_feature(enable = "avx2")]
    unsafe fn take_short(&mut self) -> Option<u32> {
        let mut here = *self;
        let (mut usual, mut alike) = (NOT_SHORT, 0);
        // If the compiler knew this 1, it would add it after the length, for which everything waits.
        let one = black_box(1);
        while here.has_room() && alike < ALIKE {
            // SAFETY: there is room.
            unsafe {
                let head = u32::from(*here.from);
                if head & NOT_SHORT != 0 {
                    break;
                }
                let value = here.from.add(one);
                copy_piece(value, here.to);
                here.pass(value, (head >> 1) as usize);
                alike = if head == usual { alike + 1 } else { 0 };
                usual = head;
            }
        }
        *self = here;
        (alike == ALIKE).then_some(usual)
    }

    /// Takes strings that all have the same head and are not longer than `COPIED`. The processor, which expects
    /// that they have, waits for none.
    ///
    /// # Safety
    /// As for [`run`](Copier::run).
    #[inline(never)]
    #[target_feature(enable = "avx2")]
    unsafe fn take_alike<const COPIED: usize>(&mut self, head: u32) {
        let mut here = *self;
        // SAFETY: there is room.
        unsafe {
            while here.has_room() && u32::from(*here.from) == head {
                let value = here.from.add(1);
                if COPIED == 32 {
                    _mm256_storeu_si256(here.to.cast(), _mm256_loadu_si256(value.cast()));
                } else {
                    copy_piece(value, here.to);
                }
                here.pass(value, (head >> 1) as usize);
            }
        }
        *self = here;
    }

    /// Decodes a string with a two-byte length, if it is one and there is room. Returns whether it did.
    ///
    /// # Safety
    /// As for [`run`](Copier::run), and there is room.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn take_long(&mut self) -> bool {
        // SAFETY: two bytes are there. All that is copied lies before the last places.
        unsafe {
            let head = u32::from(self.from.cast::<u16>().read_unaligned());
            let len = ((head & 0x7f) >> 1 | head >> 8 << 6) as usize;
            let fits = head & 0x8081 == 0x0080
                && len + 2 <= self.last_from.offset_from_unsigned(self.from)
                && len <= self.last_to.offset_from_unsigned(self.to);
            if !fits {
                return false;
            }
            let value = self.from.add(2);
            for done in (0..len).step_by(PIECE) {
                copy_piece(value.add(done), self.to.add(done));
            }
            self.pass(value, len);
        }
        true
    }
}
