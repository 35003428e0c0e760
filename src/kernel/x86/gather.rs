//! Gathers values by index without a bounds check for each.
//!
//! ```text
//! codes    the maximum is checked against the table once, then lookups are unchecked
//! strings  32 bytes stored for each, whatever its length: the next begins where it ends
//! runs     32 values stored for each run, and more if it is longer: most are not, and end where none looks
//! ```
#![allow(unsafe_code)]

use crate::kernel::portable::{self, Modular, SLOT, StringSlots, all_below};

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn gather<T: Copy + Default>(codes: &[u32], table: &[T], out: &mut Vec<T>) -> bool {
    if !all_below(codes, table.len()) {
        return false;
    }
    out.reserve(codes.len());
    let (start, from) = (out.len(), table.as_ptr());
    let to = out.as_mut_ptr();
    for (i, code) in codes.iter().enumerate() {
        // SAFETY: each code is less than the number of values, and there is room for one for each code.
        unsafe { to.add(start + i).write(*from.add(*code as usize)) };
    }
    // SAFETY: so many have been written.
    unsafe { out.set_len(start + codes.len()) };
    true
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn gather_strings(
    codes: &[u32],
    slots: &StringSlots,
    offsets: &mut Vec<i32>,
    data: &mut Vec<u8>,
) -> bool {
    let lengths = &slots.lengths;
    if !all_below(codes, slots.count()) {
        return false;
    }
    if lengths.iter().any(|length| *length as usize > SLOT) {
        return portable::gather_strings(codes, slots, offsets, data);
    }
    let first = lengths.first().copied().unwrap_or(0);
    let alike = lengths.iter().all(|length| *length == first);
    let most = lengths.iter().fold(0, |most, length| most.max(*length));
    // Where all are short, less is stored.
    match (alike, most) {
        (true, 1) => gather_alike::<1>(codes, slots, offsets, data),
        (true, 2) => gather_alike::<2>(codes, slots, offsets, data),
        (true, 3) => gather_alike::<3>(codes, slots, offsets, data),
        (true, 4) => gather_alike::<4>(codes, slots, offsets, data),
        (_, 0..=8) => gather_within::<8>(codes, slots, offsets, data),
        (_, 9..=16) => gather_within::<16>(codes, slots, offsets, data),
        _ => gather_within::<SLOT>(codes, slots, offsets, data),
    }
    true
}

/// The same of entries of `N` bytes each; each code has one.
#[inline(always)]
fn gather_alike<const N: usize>(
    codes: &[u32],
    slots: &StringSlots,
    offsets: &mut Vec<i32>,
    data: &mut Vec<u8>,
) {
    #[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap)]
    // The caller has checked that it fits.
    let (start, step) = (data.len() as i32, N as i32);
    data.reserve(codes.len() * N);
    let (from, to) = (slots.bytes.as_ptr(), data.len());
    // SAFETY: `codes.len() * N` bytes after the data are reserved; each code is less than the number of slots, which
    // have more than N bytes.
    unsafe {
        let to = data.as_mut_ptr().add(to);
        for (i, code) in codes.iter().enumerate() {
            let slot = from.add(*code as usize).cast::<[u8; N]>();
            to.add(i * N).cast::<[u8; N]>().write_unaligned(slot.read_unaligned());
        }
        data.set_len(data.len() + codes.len() * N);
    }
    let ends = (1..).map(|i| start.wrapping_add(step.wrapping_mul(i)));
    offsets.extend(ends.zip(codes).map(|(end, _)| end));
}

/// The same of entries that are no longer than `N`; each code has one.
#[inline(always)]
fn gather_within<const N: usize>(
    codes: &[u32],
    slots: &StringSlots,
    offsets: &mut Vec<i32>,
    data: &mut Vec<u8>,
) {
    offsets.reserve(codes.len());
    data.reserve((codes.len() + 1).saturating_mul(N));
    let mut at = data.len();
    let (from, lengths) = (slots.bytes.as_ptr(), slots.lengths.as_ptr());
    let (bytes, first) = (data.as_mut_ptr(), offsets.len());
    let ends = offsets.as_mut_ptr();
    for (i, code) in codes.iter().enumerate() {
        // SAFETY: each code is less than the number of slots and of lengths, and no length is above N, which is
        // no more than the size of a slot; so `at` has grown by at most N for each code before, and N bytes
        // from it lie within what is reserved. There is room for an offset for each code.
        unsafe {
            let slot = from.add(*code as usize).cast::<u8>();
            std::ptr::copy_nonoverlapping(slot, bytes.add(at), N);
            at += *lengths.add(*code as usize) as usize;
            #[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap)]
            // The caller has checked that it fits.
            ends.add(first + i).write(at as i32);
        }
    }
    // SAFETY: every byte before `at` has been written, those of each entry by its own store; and every offset.
    unsafe {
        data.set_len(at);
        offsets.set_len(first + codes.len());
    }
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn repeat<T: Modular>(values: &[i64], ends: &[usize], start: usize, out: &mut Vec<T>) {
    const PIECE: usize = 8;
    const AT_ONCE: usize = 4 * PIECE;
    let last = ends.last().copied().unwrap_or(start).max(start);
    let (mut ascend, mut before) = (true, start);
    for end in ends {
        ascend &= before <= *end;
        before = *end;
    }
    if !ascend || values.len() != ends.len() {
        return portable::repeat(values, ends, start, out);
    }
    let total = last - start;
    out.reserve(total.saturating_add(AT_ONCE));
    let mut at = out.len();
    let base = at;
    let to = out.as_mut_ptr();
    for (value, end) in values.iter().zip(ends) {
        let value = T::wrap(value.cast_unsigned());
        let end = base + (end - start);
        // SAFETY: ends ascend from `start` to the last, so `at` and `end` are within the `total` values behind
        // `base`, for which, and for 32 more, there is room.
        unsafe {
            let put = |at: usize| to.add(at).cast::<[T; PIECE]>().write_unaligned([value; PIECE]);
            (0..AT_ONCE).step_by(PIECE).for_each(|i| put(at + i));
            at += AT_ONCE;
            while at < end {
                put(at);
                at += PIECE;
            }
        }
        at = end;
    }
    // SAFETY: runs without a gap have written all values before `at`, which is `base` and `total`.
    unsafe { out.set_len(at) };
}
