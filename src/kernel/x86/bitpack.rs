//! The portable loops over lanes, compiled for wider registers.
//!
//! ```text
//! portable loop ──► avx2      32 bytes of a row at a time
//!               └─► avx512    64 bytes; least and greatest of 64-bit numbers in one instruction
//! ```
//! Numbers are stored to uninitialized memory, as their parts. Otherwise each row of lanes would check the
//! capacity, and numbers of 128 bits would not vectorize.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;

use crate::kernel::portable::{
    self, CHUNK, ChunkStats, DIGITS, DigitRange, FloatBits, Modular, Multipliers, Ordered,
    PREFIXES, PrefixMatches,
};

/// Returns whether numbers are no longer and no more aligned as parts.
const fn same_bytes<T: Modular>() -> bool {
    size_of::<T>() == size_of::<T::Parts>() && align_of::<T>() >= align_of::<T::Parts>()
}

/// Numbers as their parts.
#[inline(always)]
fn parts_in<T: Modular>(numbers: &mut [T]) -> &mut [T::Parts] {
    const { assert!(same_bytes::<T>()) };
    // SAFETY: they are as many bytes; on x86 the lowest part comes first, as `Modular` has it, and parts are numbers
    // of any bits.
    unsafe { &mut *(std::ptr::from_mut(numbers) as *mut [T::Parts]) }
}

/// The positions of numbers as positions of their parts.
#[inline(always)]
fn places_of<T: Modular>(places: &mut [MaybeUninit<T>]) -> &mut [MaybeUninit<T::Parts>] {
    const { assert!(same_bytes::<T>()) };
    // SAFETY: as above, but that nothing need be there.
    unsafe { &mut *(std::ptr::from_mut(places) as *mut [MaybeUninit<T::Parts>]) }
}

macro_rules! compiled_for {
    ($features:literal, $module:ident) => {
        pub(in super::super) mod $module {
            use super::*;

            #[target_feature(enable = $features)]
            pub(in super::super) fn unpack<T: Modular>(
                bytes: &[u8],
                width: u32,
                base: u64,
                out: &mut Vec<T>,
            ) {
                out.reserve(CHUNK);
                let to = places_of(out.spare_capacity_mut());
                let Some(to) = to.first_chunk_mut() else { return };
                portable::unpack_to(bytes, width, base, to, |slot, bits| {
                    slot.write(T::parts(bits));
                });
                // SAFETY: each of so many places after the others has been written.
                unsafe { out.set_len(out.len() + CHUNK) };
            }

            #[target_feature(enable = $features)]
            pub(in super::super) fn scale<T: Modular>(numbers: &mut [T], factor: T, shift: T) {
                let (factor, shift) = (factor.low(), shift.low());
                for parts in parts_in(numbers) {
                    let low = T::low_of(*parts).wrapping_mul(factor).wrapping_add(shift);
                    *parts = T::parts(low);
                }
            }

            #[target_feature(enable = $features)]
            pub(in super::super) fn widen<N: Copy + Into<i64>>(numbers: &[N], out: &mut Vec<i128>) {
                out.reserve(numbers.len());
                let to = places_of(out.spare_capacity_mut());
                for (slot, number) in to.iter_mut().zip(numbers) {
                    slot.write(i128::parts((*number).into().cast_unsigned()));
                }
                // SAFETY: there is room for each number after the others, and each has been written.
                unsafe { out.set_len(out.len() + numbers.len()) };
            }

            #[target_feature(enable = $features)]
            pub(in super::super) fn digits_to_floats<R: FloatBits>(
                digits: &[R::Digit],
                by: Multipliers,
                out: &mut Vec<R>,
            ) {
                portable::digits_to_floats(digits, by, out);
            }

            #[target_feature(enable = $features)]
            pub(in super::super) fn floats_to_digits<R: FloatBits>(
                values: &[R],
                by: Multipliers,
                out: &mut Vec<R::Digit>,
                wrong: &mut [R::Bits; DIGITS],
            ) -> bool {
                portable::floats_to_digits(values, by, out, wrong)
            }

            #[target_feature(enable = $features)]
            pub(in super::super) fn digit_range<R: FloatBits>(
                values: &[R],
                by: Multipliers,
            ) -> DigitRange {
                portable::digit_range(values, by)
            }

            #[target_feature(enable = $features)]
            pub(in super::super) fn pack(
                values: &[i64; CHUNK],
                width: u32,
                base: i64,
                out: &mut Vec<u8>,
            ) {
                portable::pack(values, width, base, out);
            }

            #[target_feature(enable = $features)]
            pub(in super::super) fn chunk_stats(values: &[i64]) -> ChunkStats {
                portable::chunk_stats(values)
            }

            #[target_feature(enable = $features)]
            pub(in super::super) fn min_max<T: Ordered>(values: &[T]) -> Option<(i64, i64)> {
                portable::min_max(values)
            }

            #[target_feature(enable = $features)]
            pub(in super::super) fn min_max_valid<T: Ordered>(
                values: &[T],
                validity: &[u8],
            ) -> Option<(i64, i64)> {
                portable::min_max_valid(values, validity)
            }

            #[target_feature(enable = $features)]
            pub(in super::super) fn count_above(values: &[i64], base: i64, width: u32) -> usize {
                portable::count_above(values, base, width)
            }

            #[target_feature(enable = $features)]
            pub(in super::super) fn rank(source: &[u8], places: &[u32], out: &mut Vec<u32>) {
                portable::rank(source, places, out);
            }

            #[target_feature(enable = $features)]
            pub(in super::super) fn count_ones(source: &[u8], offset: usize, n: usize) -> usize {
                portable::count_ones(source, offset, n)
            }

            #[target_feature(enable = $features)]
            pub(in super::super) fn varint_size(values: &[i64]) -> u64 {
                portable::varint_size(values)
            }

            #[target_feature(enable = $features)]
            pub(in super::super) fn find_prefix(
                words: &[u64; PREFIXES],
                word: u64,
            ) -> PrefixMatches {
                portable::find_prefix(words, word)
            }

            #[target_feature(enable = $features)]
            pub(in super::super) fn min_max_among(
                words: &[u64; PREFIXES],
                places: &PrefixMatches,
            ) -> (u64, u64) {
                portable::min_max_among(words, places)
            }
        }
    };
}

compiled_for!("avx2,bmi1,bmi2,lzcnt,popcnt", avx2);
compiled_for!("avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512vl,avx512dq,avx512cd", avx512);
