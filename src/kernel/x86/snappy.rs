//! Decompresses snappy without a branch on the kind of element.
//!
//! ```text
//! llllll00 │ bytes             a literal of l + 1 bytes; from l = 60 on, l is in the l - 59 bytes after the tag
//! ooolll01 │ oooooooo          a copy of l + 4 bytes from o bytes back
//! llllll10 │ oooooooo × 2      a copy of l + 1 bytes
//! llllll11 │ oooooooo × 4      the same
//!
//! far    ─── 16 bytes ───► to                  a literal, or a copy from more than 16 back
//! near   last: . . . . . a b c │ to            a copy from up to 16 back: a b c a b c a b c ...
//! ```
//! The kind of the next element is unpredictable, and its position depends on this element's tag. So a table has
//! the meaning of each tag, 16 bytes are stored whatever the length, the next element overwrites the excess, and
//! the source is selected without a branch. A near copy would wait for several small stores to complete, so the
//! last 16 bytes are also kept in a register, from which it is permuted. The only branch is whether an element
//! exceeds 16 bytes.
//!
//! Literals of more than 60 bytes, and copies with an offset of four bytes, are rare and done in safe Rust. Loads
//! touch [`AHEAD`] bytes after a tag, so the last elements are copied to a buffer with that many; stores touch
//! [`OVER`] bytes after the block, so the vector has room for them.
#![allow(unsafe_code)]
// A tag is a byte and the table has 256 entries; tables are made by the compiler, and all they hold is small.
#![allow(clippy::cast_possible_truncation, clippy::indexing_slicing)]

use std::arch::x86_64::*;
use std::hint::select_unpredictable;

/// The longest copy, and the maximum that is stored for an element.
const LONGEST: usize = 64;

/// The number of bytes after a tag that are loaded.
const AHEAD: usize = LONGEST;

/// The number of bytes after the block that may be stored to.
const OVER: usize = LONGEST;

/// Copies from up to so far back are near: what the register holds.
const NEAR: usize = 16;

/// The largest offset in two bytes.
const MOST_BACK: usize = u16::MAX as usize;

/// What a tag means.
#[derive(Clone, Copy)]
#[repr(C)]
struct Tag {
    /// The high bits of a copy's offset; any that is far for a literal.
    back: u32,
    /// The number of bits of the rest of the offset.
    bits: u8,
    /// How many bytes the element makes; [`RARE`] if that is to be found out one by one.
    len: u8,
}

const RARE: u8 = u8::MAX;

static TAGS: [Tag; 256] = {
    let literal = Tag { back: NEAR as u32 + 1, bits: 0, len: RARE };
    let (mut tags, mut i) = ([literal; 256], 0);
    while i < 256 {
        let len = (i >> 2) as u8 + 1;
        match i & 3 {
            0 if len <= 60 => tags[i].len = len,
            1 => {
                let back = (i as u32 >> 5) << 8;
                tags[i] = Tag { back, bits: 8, len: ((i >> 2) & 7) as u8 + 4 };
            }
            2 => tags[i] = Tag { back: 0, bits: 16, len },
            _ => {}
        }
        i += 1;
    }
    tags
};

/// For each near offset, which of the last 16 bytes the next 64 are; none for a far one.
#[repr(align(64))]
struct Patterns([[u8; LONGEST]; NEAR + 2]);

static PATTERNS: Patterns = {
    let (mut patterns, mut offset) = ([[0x80; LONGEST]; NEAR + 2], 1);
    while offset <= NEAR {
        let mut i = 0;
        while i < LONGEST {
            patterns[offset][i] = (NEAR - offset + i % offset) as u8;
            i += 1;
        }
        offset += 1;
    }
    Patterns(patterns)
};

/// The 16 bytes of a register, between zeros.
#[repr(align(64))]
struct Slide([u8; 48]);

static SLIDE: Slide = {
    let (mut slide, mut i) = ([0x80; 48], 0);
    while i < 16 {
        slide[16 + i] = i as u8;
        i += 1;
    }
    Slide(slide)
};

/// Instead of what a near copy would load.
static ZEROS: [u8; 16] = [0; 16];

/// Replaces `out` by the `raw_len` bytes of the elements. Returns whether they produce exactly this many.
#[target_feature(enable = "avx2,bmi2")]
pub(super) fn decompress_snappy(elements: &[u8], raw_len: usize, out: &mut Vec<u8>) -> bool {
    out.clear();
    out.reserve(raw_len.saturating_add(OVER));
    all(elements, raw_len, out).is_some()
}

/// `None` if an element cannot be, or the length is another.
#[target_feature(enable = "avx2,bmi2")]
fn all(elements: &[u8], raw_len: usize, out: &mut Vec<u8>) -> Option<()> {
    let mut at = 0;
    while at < elements.len() && out.len() <= NEAR {
        at = unpack_one(elements, at, raw_len, out)?;
    }
    at = most(elements, at, raw_len, out)?;
    let rest = elements.get(at..)?;
    let mut end = [0; 2 * AHEAD];
    end.get_mut(..rest.len())?.copy_from_slice(rest);
    at = most(end.get(..rest.len() + AHEAD)?, 0, raw_len, out)?;
    (at == rest.len() && out.len() == raw_len).then_some(())
}

/// Makes the element that starts there. Returns where the next one does.
fn unpack_one(elements: &[u8], at: usize, raw_len: usize, out: &mut Vec<u8>) -> Option<usize> {
    let (tag, rest) = elements.get(at..)?.split_first()?;
    let l = usize::from(tag >> 2);
    let more = match tag & 3 {
        0 => l.saturating_sub(59),
        3 => 4,
        kind => usize::from(kind),
    };
    let (more, rest) = rest.split_at_checked(more)?;
    let number = more.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte));
    let room = raw_len.checked_sub(out.len())?;
    let (offset, len) = match tag & 3 {
        0 => {
            let len = if l < 60 { l + 1 } else { number + 1 };
            out.extend_from_slice(rest.get(..len).filter(|_| len <= room)?);
            return Some(elements.len() - rest.len() + len);
        }
        1 => ((l >> 3) << 8 | number, (l & 7) + 4),
        _ => (number, l + 1),
    };
    let from = out.len().checked_sub(offset).filter(|from| *from < out.len() && len <= room)?;
    for i in from..from + len {
        out.push(*out.get(i)?);
    }
    Some(elements.len() - rest.len())
}

/// Decodes elements while AHEAD bytes follow their tags and the block is not full. Returns the position of the
/// next.
#[target_feature(enable = "avx2,bmi2")]
fn most(elements: &[u8], mut at: usize, raw_len: usize, out: &mut Vec<u8>) -> Option<usize> {
    let limit = elements.len().saturating_sub(AHEAD);
    while at < limit && (NEAR + 1..raw_len).contains(&out.len()) {
        // At so low an address, an offset could wrap past zero.
        if out.capacity() - OVER < raw_len || out.as_ptr().addr() <= MOST_BACK {
            return None;
        }
        // SAFETY: there is as much in the elements, in the block, and room after it, as is asked for.
        at = unsafe { run(elements, at, raw_len, out) }?;
        if at < limit && out.len() < raw_len {
            at = unpack_one(elements, at, raw_len, out)?;
        }
    }
    Some(at)
}

/// Makes elements like [`most`], but only up to a rare one. `None` if a copy is from before the block or of nothing.
///
/// # Safety
/// There are AHEAD bytes after the tag that `at` says. `out` holds more than NEAR bytes, fewer than the block, and
/// has room for OVER more than the block; it lies after MOST_BACK.
#[inline]
#[target_feature(enable = "avx2,bmi2")]
unsafe fn run(elements: &[u8], at: usize, raw_len: usize, out: &mut Vec<u8>) -> Option<usize> {
    let (start, to) = (elements.as_ptr(), out.as_mut_ptr());
    // SAFETY: before the limit, AHEAD bytes after the tag are there: all that an element loads, and more than the
    // bytes of a literal that is not rare. Before the block is full, there is room for LONGEST bytes. An offset is
    // neither 0 nor more than what is made, and that is more than NEAR, which is what `last` loads and how far back
    // a literal claims to be. A far copy loads only what is made or just stored.
    unsafe {
        let (mut tag_at, limit) = (start.add(at), start.add(elements.len() - AHEAD));
        let (mut end, full) = (to.add(out.len()), to.add(raw_len));
        let mut last = load(end.sub(NEAR));
        while tag_at < limit && end < full {
            let tag = usize::from(*tag_at);
            let Tag { back, bits, len } = TAGS[tag];
            let behind = tag_at.add(1);
            let number = behind.cast::<u32>().read_unaligned();
            let offset = (_bzhi_u32(number, u32::from(bits)) + back) as usize;
            let copied = end.wrapping_sub(offset);
            if offset == 0 || copied < to {
                return None;
            }
            let (kind, l) = (tag & 3, tag >> 2);
            let (is_literal, is_near) = (kind == 0, offset <= NEAR);
            let ends = (tag_at.wrapping_add(l + 2), tag_at.wrapping_add(kind + 1));
            let next = select_unpredictable(is_literal, ends.0, ends.1);
            let from = select_unpredictable(is_literal, behind, copied.cast_const());
            let from = select_unpredictable(is_near, ZEROS.as_ptr(), from);
            let row = select_unpredictable(is_near, offset, NEAR + 1);
            let pattern: *const u8 = PATTERNS.0.as_ptr().add(row).cast();
            let first = piece(last, pattern, from);
            store(end, first);
            if len <= 16 {
                last = slide(last, first, len);
            } else if len != RARE {
                let step = if is_near { 0 } else { 16 };
                let second = piece(last, pattern.add(16), from.add(step));
                store(end.add(16), second);
                last = if len <= 32 {
                    slide(first, second, len - 16)
                } else {
                    store(end.add(32), piece(last, pattern.add(32), from.add(2 * step)));
                    store(end.add(48), piece(last, pattern.add(48), from.add(3 * step)));
                    load(end.add(usize::from(len) - NEAR))
                };
            } else {
                break;
            }
            end = end.add(usize::from(len));
            tag_at = next;
        }
        out.set_len(end.offset_from_unsigned(to));
        Some(tag_at.offset_from_unsigned(start))
    }
}

/// 16 bytes of an element: the permuted or the loaded ones, of which the others are zeros.
///
/// # Safety
/// There are 16 bytes at both.
#[inline]
#[target_feature(enable = "avx2,bmi2")]
unsafe fn piece(last: __m128i, pattern: *const u8, from: *const u8) -> __m128i {
    // SAFETY: the caller's promise.
    let (pattern, far) = unsafe { (load(pattern), load(from)) };
    _mm_or_si128(_mm_shuffle_epi8(last, pattern), far)
}

/// Returns the last 16 bytes of `before` and the first up to 16 of `bytes`.
#[inline]
#[target_feature(enable = "avx2,bmi2")]
fn slide(before: __m128i, bytes: __m128i, len: u8) -> __m128i {
    let from = SLIDE.0.as_ptr().wrapping_add(usize::from(len.min(16)));
    // SAFETY: there are 16 before the 16, and 16 behind.
    let (kept, come) = unsafe { (load(from.add(16)), load(from)) };
    _mm_or_si128(_mm_shuffle_epi8(before, kept), _mm_shuffle_epi8(bytes, come))
}

#[inline]
#[target_feature(enable = "avx2")]
unsafe fn load(from: *const u8) -> __m128i {
    // SAFETY: the caller has 16 bytes there; no alignment is needed.
    unsafe { _mm_loadu_si128(from.cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
unsafe fn store(to: *mut u8, bytes: __m128i) {
    // SAFETY: the caller has room for 16 bytes there; no alignment is needed.
    unsafe { _mm_storeu_si128(to.cast(), bytes) }
}
