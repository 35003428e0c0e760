//! The kernels for x86-64, one file for each instruction set.
//!
//! ```text
//! 64 bytes → window of ends ┬ bmi2      a load, pext and store for each value; pdep back
//!                           ├ avx2_even 8 values of one length moved and folded together
//!                           └ avx512    8, 16 or 32 values moved and folded together
//! strings                               64 bytes copied for each
//! gather                                codes compared with their table once, then looked up: a small one in registers
//! tuples                                strings of two or four codes at a time
//! figures                               eight numbers: fours, twos and ones of each
//! views                                 four at a time: their bytes and their numbers, each where they belong
//! sums                                  within each register, then plus the sum before it
//! words                                 8 bytes of each string, then many at a time
//! snappy                                tag → table entry → 16 bytes stored, source selected without a branch
//! ```
//! The tokens [`Avx2`] and [`Avx512`] exist only if the machine has the instructions. The kernels are their
//! methods.
#![allow(unsafe_code)]

mod avx2_expand;
mod avx2_fixed_width_varints;
mod avx512_expand;
mod avx512_gather;
mod avx512_prefix_sum;
mod avx512_varints;
mod avx512_varints_encode;
mod avx512_views;
mod bitpack;
mod bmi2_varints;
mod digits;
mod fsst;
mod gather;
mod permutation_tables;
mod prefixes;
#[cfg(feature = "snappy")]
mod snappy;
mod string_gather;
mod strings;
mod strings_encode;
mod views;
mod window;

use crate::kernel::x86::bitpack::{avx2 as lanes_avx2, avx512 as lanes_avx512};
use crate::kernel::x86::prefixes::{avx2 as words_avx2, avx512 as words_avx512};

use crate::simd::{Avx2, Avx512};

use super::portable::{
    CHUNK, ChunkStats, DIGITS, DigitRange, FloatBits, Modular, Multipliers, Offset, Ordered,
    PREFIXES, PrefixMatches, PrefixRange, StringSlots, StringTuples, SymbolTable,
};

/// Makes the kernels of a token callable.
macro_rules! kernels {
    ($token:ident: $(
        $module:ident::$name:ident $([$($generics:tt)*])?
        ($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)?;
    )*) => {
        impl $token {
            $(pub(super) fn $name $(<$($generics)*>)? (self, $($argument: $type),*) $(-> $result)? {
                // SAFETY: there is a token only where the machine has all that the kernel is compiled for.
                unsafe { $module::$name($($argument),*) }
            })*
        }
    };
}

kernels! {
    Avx2:
    bmi2_varints::decode_longs(bytes: &[u8], n: usize, out: &mut Vec<i64>) -> usize;
    bmi2_varints::decode_ints(bytes: &[u8], n: usize, out: &mut Vec<i32>) -> usize;
    bmi2_varints::skip_varints(bytes: &[u8], n: usize) -> (usize, usize);
    bmi2_varints::encode_longs(values: &[i64], out: &mut Vec<u8>);
    bmi2_varints::encode_ints(values: &[i32], out: &mut Vec<u8>);
    strings::decode_strings(bytes: &[u8], n: usize, offsets: &mut Vec<i32>, data: &mut Vec<u8>) -> usize;
    strings_encode::encode_strings[O: Copy + TryInto<usize>](offsets: &[O], data: &[u8], out: &mut Vec<u8>);
    views::offsets_to_views(offsets: &[i32], data: &[u8], buffer: u32, out: &mut Vec<u128>);
    gather::gather[T: Copy + Default](codes: &[u32], table: &[T], out: &mut Vec<T>) -> bool;
    gather::gather_strings(codes: &[u32], slots: &StringSlots, offsets: &mut Vec<i32>, data: &mut Vec<u8>) -> bool;
    string_gather::gather_string_tuples(codes: &[u32], tuples: &StringTuples, offsets: &mut Vec<i32>, data: &mut Vec<u8>) -> bool;
    gather::repeat[T: Modular](values: &[i64], ends: &[usize], start: usize, out: &mut Vec<T>);
    lanes_avx2::unpack[T: Modular](bytes: &[u8], width: u32, base: u64, out: &mut Vec<T>);
    lanes_avx2::scale[T: Modular](numbers: &mut [T], factor: T, shift: T);
    lanes_avx2::widen[N: Copy + Into<i64>](numbers: &[N], out: &mut Vec<i128>);
    lanes_avx2::digits_to_floats[R: FloatBits](digits: &[R::Digit], by: Multipliers, out: &mut Vec<R>);
    lanes_avx2::floats_to_digits[R: FloatBits](
        values: &[R], by: Multipliers, out: &mut Vec<R::Digit>, wrong: &mut [R::Bits; DIGITS],
    ) -> bool;
    lanes_avx2::digit_range[R: FloatBits](values: &[R], by: Multipliers) -> DigitRange;
    digits::format_digits(numbers: &[i64], skip: u32, out: &mut Vec<u64>);
    lanes_avx2::pack(values: &[i64; CHUNK], width: u32, base: i64, out: &mut Vec<u8>);
    lanes_avx2::chunk_stats(values: &[i64]) -> ChunkStats;
    lanes_avx2::min_max[T: Ordered](values: &[T]) -> Option<(i64, i64)>;
    lanes_avx2::min_max_valid[T: Ordered](values: &[T], validity: &[u8]) -> Option<(i64, i64)>;
    lanes_avx2::count_above(values: &[i64], base: i64, width: u32) -> usize;
    lanes_avx2::count_ones(source: &[u8], offset: usize, n: usize) -> usize;
    lanes_avx2::rank(source: &[u8], places: &[u32], out: &mut Vec<u32>);
    lanes_avx2::varint_size(values: &[i64]) -> u64;
    words_avx2::prefixes[O: Offset](ends: &[O], data: &[u8], behind: usize, out: &mut [u64; PREFIXES]) -> PrefixRange;
    lanes_avx2::find_prefix(words: &[u64; PREFIXES], word: u64) -> PrefixMatches;
    lanes_avx2::min_max_among(words: &[u64; PREFIXES], places: &PrefixMatches) -> (u64, u64);
    avx2_expand::expand[T: Copy + 'static](
        dense: &[T], validity: &[u8], offset: usize, n: usize, nothing: T, out: &mut Vec<T>,
    );
}

kernels! {
    Avx512:
    avx512_varints::decode_longs(bytes: &[u8], n: usize, out: &mut Vec<i64>) -> usize;
    avx512_varints::decode_ints(bytes: &[u8], n: usize, out: &mut Vec<i32>) -> usize;
    avx512_varints::skip_varints(bytes: &[u8], n: usize) -> (usize, usize);
    avx512_varints_encode::encode_longs(values: &[i64], out: &mut Vec<u8>);
    avx512_varints_encode::encode_ints(values: &[i32], out: &mut Vec<u8>);
    strings::decode_strings(bytes: &[u8], n: usize, offsets: &mut Vec<i32>, data: &mut Vec<u8>) -> usize;
    strings_encode::encode_strings[O: Copy + TryInto<usize>](offsets: &[O], data: &[u8], out: &mut Vec<u8>);
    avx512_views::offsets_to_views(offsets: &[i32], data: &[u8], buffer: u32, out: &mut Vec<u128>);
    avx512_gather::gather[T: Copy + Default + 'static](codes: &[u32], table: &[T], out: &mut Vec<T>) -> bool;
    avx512_gather::gather_strings(codes: &[u32], slots: &StringSlots, offsets: &mut Vec<i32>, data: &mut Vec<u8>) -> bool;
    string_gather::gather_string_tuples(codes: &[u32], tuples: &StringTuples, offsets: &mut Vec<i32>, data: &mut Vec<u8>) -> bool;
    gather::repeat[T: Modular](values: &[i64], ends: &[usize], start: usize, out: &mut Vec<T>);
    avx512_prefix_sum::prefix_sum[T: Modular](numbers: &mut [T], before: T);
    lanes_avx512::unpack[T: Modular](bytes: &[u8], width: u32, base: u64, out: &mut Vec<T>);
    lanes_avx512::scale[T: Modular](numbers: &mut [T], factor: T, shift: T);
    lanes_avx512::widen[N: Copy + Into<i64>](numbers: &[N], out: &mut Vec<i128>);
    lanes_avx512::digits_to_floats[R: FloatBits](digits: &[R::Digit], by: Multipliers, out: &mut Vec<R>);
    lanes_avx512::floats_to_digits[R: FloatBits](
        values: &[R], by: Multipliers, out: &mut Vec<R::Digit>, wrong: &mut [R::Bits; DIGITS],
    ) -> bool;
    lanes_avx512::digit_range[R: FloatBits](values: &[R], by: Multipliers) -> DigitRange;
    digits::format_digits(numbers: &[i64], skip: u32, out: &mut Vec<u64>);
    lanes_avx512::pack(values: &[i64; CHUNK], width: u32, base: i64, out: &mut Vec<u8>);
    lanes_avx512::chunk_stats(values: &[i64]) -> ChunkStats;
    lanes_avx512::min_max[T: Ordered](values: &[T]) -> Option<(i64, i64)>;
    lanes_avx512::min_max_valid[T: Ordered](values: &[T], validity: &[u8]) -> Option<(i64, i64)>;
    lanes_avx512::count_above(values: &[i64], base: i64, width: u32) -> usize;
    lanes_avx512::count_ones(source: &[u8], offset: usize, n: usize) -> usize;
    lanes_avx512::rank(source: &[u8], places: &[u32], out: &mut Vec<u32>);
    lanes_avx512::varint_size(values: &[i64]) -> u64;
    words_avx512::prefixes[O: Offset](ends: &[O], data: &[u8], behind: usize, out: &mut [u64; PREFIXES]) -> PrefixRange;
    lanes_avx512::find_prefix(words: &[u64; PREFIXES], word: u64) -> PrefixMatches;
    lanes_avx512::min_max_among(words: &[u64; PREFIXES], places: &PrefixMatches) -> (u64, u64);
    fsst::expand_symbols(codes: &[u8], table: &SymbolTable, most: usize, out: &mut Vec<u8>) -> usize;
    avx512_expand::expand[T: Copy + 'static](
        dense: &[T], validity: &[u8], offset: usize, n: usize, nothing: T, out: &mut Vec<T>,
    );
    avx512_expand::expand_offsets[O: Copy + Default + 'static](
        dense: &[O], validity: &[u8], offset: usize, n: usize, out: &mut Vec<O>,
    );
}

#[cfg(feature = "snappy")]
kernels! {
    Avx2:
    snappy::decompress_snappy(elements: &[u8], raw_len: usize, out: &mut Vec<u8>) -> bool;
}

#[cfg(feature = "snappy")]
kernels! {
    Avx512:
    snappy::decompress_snappy(elements: &[u8], raw_len: usize, out: &mut Vec<u8>) -> bool;
}
