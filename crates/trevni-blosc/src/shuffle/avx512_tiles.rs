//! Shuffles tiles of 64 elements with AVX-512.
//!
//! ```text
//! elements   a0 a1 b0 b1 c0 c1 d0 d1 ...       64 / T of them in a register, T registers
//! vpermb     a0 b0 c0 d0 ... a1 b1 c1 d1 ...   T pieces, one of each column
//! zips       a0 b0 c0 d0 e0 f0 g0 h0 ...       log T times, piece by piece: a column in a register
//! ```
//! T is the width rounded up to a power of two, or 16: wider elements are processed in parts of 16 bytes. The
//! inverse applies the same steps in reverse order.
#![allow(unsafe_code)]
// Registers are distinguished by numbers below T, which the compiler sees; all that tables hold is small.
#![allow(clippy::indexing_slicing, clippy::cast_possible_truncation)]

use std::arch::x86_64::*;

/// The elements of a tile.
pub(super) const TILE: usize = 64;

/// Returns the number of elements after a tile that are accessed: none, since loads and stores are masked.
pub(super) const fn spare<const T: usize>(_width: usize) -> usize {
    0
}

/// For each width, where the bytes of pieces come from among elements.
static PIECES: [[u8; 64]; 17] = tables(true);

/// For each width, where the bytes of elements come from among pieces.
static ELEMENTS: [[u8; 64]; 17] = tables(false);

const fn tables(of_pieces: bool) -> [[u8; 64]; 17] {
    let (mut tables, mut width) = ([[0; 64]; 17], 1usize);
    while width <= 16 {
        let count = 64 / width.next_power_of_two();
        let mut i = 0;
        while i < count * width {
            let (element, byte) = (i / width, i % width);
            let piece = byte * count + element;
            if of_pieces {
                tables[width][piece] = i as u8;
            } else {
                tables[width][i] = piece as u8;
            }
            i += 1;
        }
        width += 1;
    }
    tables
}

/// For each piece size, the word permutations that interleave two registers.
static ZIPS: [[[i32; 16]; 2]; 17] = {
    let (mut zips, mut words) = ([[[0; 16]; 2]; 17], 1);
    while words <= 16 {
        let mut i = 0;
        while i < 32 {
            let (piece, word) = (i / words, i % words);
            let from = piece % 2 * 16 + piece / 2 * words + word;
            zips[words][i / 16][i % 16] = from as i32;
            i += 1;
        }
        words *= 2;
    }
    zips
};

/// Interleaves the pieces of the first half of the registers with those of the second, log T times: piece `p` of
/// register `r` becomes piece `r` of register `p`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
fn zip<const T: usize>(mut registers: [__m512i; T]) -> [__m512i; T] {
    // SAFETY: 64 bytes; the load needs no alignment.
    let [low, high] = ZIPS[16 / T].map(|zip| unsafe { _mm512_loadu_epi32(zip.as_ptr()) });
    for _ in 0..T.ilog2() {
        let before = registers;
        for i in 0..T / 2 {
            let (a, b) = (before[i], before[i + T / 2]);
            registers[2 * i] = _mm512_permutex2var_epi32(a, low, b);
            registers[2 * i + 1] = _mm512_permutex2var_epi32(a, high, b);
        }
    }
    registers
}

/// Bit `i` of byte `j` of each 8 bytes becomes bit `j` of byte `i`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
fn swap_bits(x: __m512i) -> __m512i {
    const OR_ANDED: i32 = 0x28; // (x ^ y) & mask
    const XOR: i32 = 0x96;
    macro_rules! step {
        ($x:expr, $by:literal, $mask:literal) => {{
            let (x, mask) = ($x, _mm512_set1_epi64($mask));
            let moved = _mm512_srli_epi64::<$by>(x);
            let differ = _mm512_ternarylogic_epi64::<OR_ANDED>(x, moved, mask);
            _mm512_ternarylogic_epi64::<XOR>(x, differ, _mm512_slli_epi64::<$by>(differ))
        }};
    }
    let x = step!(x, 7, 0x00aa_00aa_00aa_00aa);
    let x = step!(x, 14, 0x0000_cccc_0000_cccc);
    step!(x, 28, 0x0000_0000_f0f0_f0f0)
}

/// Register `k` of the elements of a tile.
///
/// # Safety
/// At `from` is the part of the tile's elements that has their first 16 bytes, and `width` bytes further the next.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
unsafe fn load<const T: usize>(from: *const u8, width: usize, k: usize) -> __m512i {
    let len = 64 / T * width;
    // SAFETY: the caller's promise; the mask leaves out what is after the register's own elements.
    unsafe {
        let from = from.add(k * len);
        if width > 16 {
            let [a, b, c, d] =
                [0, 1, 2, 3].map(|i| from.add(i * width).cast::<__m128i>().read_unaligned());
            let low = _mm256_set_m128i(b, a);
            _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), _mm256_set_m128i(d, c))
        } else if width == T {
            _mm512_loadu_epi8(from.cast())
        } else {
            _mm512_maskz_loadu_epi8(_bzhi_u64(u64::MAX, len as u32), from.cast())
        }
    }
}

/// The inverse of [`load`].
///
/// # Safety
/// As with [`load`], but it is room.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
unsafe fn store<const T: usize>(to: *mut u8, width: usize, k: usize, register: __m512i) {
    let len = 64 / T * width;
    // SAFETY: the caller's promise; the mask leaves out what is after the register's own elements.
    unsafe {
        let to = to.add(k * len);
        if width > 16 {
            let to = |i| to.add(i * width).cast::<__m128i>();
            to(0).write_unaligned(_mm512_castsi512_si128(register));
            to(1).write_unaligned(_mm512_extracti64x2_epi64::<1>(register));
            to(2).write_unaligned(_mm512_extracti64x2_epi64::<2>(register));
            to(3).write_unaligned(_mm512_extracti64x2_epi64::<3>(register));
        } else if width == T {
            _mm512_storeu_epi8(to.cast(), register);
        } else {
            _mm512_mask_storeu_epi8(to.cast(), _bzhi_u64(u64::MAX, len as u32), register);
        }
    }
}

/// Stores the first T bytes of each element of a tile, or as many as it has, as columns that are `apart` bytes from
/// each other; `BITS`: with the bits of eight elements swapped before.
///
/// # Safety
/// Elements of `width` bytes are at `from`, for the columns there is room at `to`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn to_columns<const T: usize, const BITS: bool>(
    from: *const u8,
    width: usize,
    to: *mut u8,
    apart: usize,
) {
    let mut registers = [_mm512_setzero_si512(); T];
    // SAFETY: 64 bytes; the load needs no alignment.
    let pieces = unsafe { _mm512_loadu_epi8(PIECES[width.min(16)].as_ptr().cast()) };
    for (k, register) in registers.iter_mut().enumerate() {
        // SAFETY: the caller's promise.
        let elements = unsafe { load::<T>(from, width, k) };
        let elements = if BITS { swap_bits(elements) } else { elements };
        *register = _mm512_permutexvar_epi8(pieces, elements);
    }
    let columns = zip(registers);
    for (b, column) in columns.into_iter().enumerate() {
        if b < width {
            // SAFETY: the caller's promise.
            unsafe { _mm512_storeu_epi8(to.add(b * apart).cast(), column) };
        }
    }
}

/// The inverse of [`to_columns`]; the bits are swapped afterwards.
///
/// # Safety
/// The columns are at `from`, for elements of `width` bytes there is room at `to`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn to_elements<const T: usize, const BITS: bool>(
    from: *const u8,
    apart: usize,
    to: *mut u8,
    width: usize,
) {
    let mut columns = [_mm512_setzero_si512(); T];
    for (b, column) in columns.iter_mut().enumerate() {
        if b < width {
            // SAFETY: the caller's promise.
            *column = unsafe { _mm512_loadu_epi8(from.add(b * apart).cast()) };
        }
    }
    let registers = zip(columns);
    // SAFETY: 64 bytes; the load needs no alignment.
    let elements = unsafe { _mm512_loadu_epi8(ELEMENTS[width.min(16)].as_ptr().cast()) };
    for (k, register) in registers.into_iter().enumerate() {
        let register = _mm512_permutexvar_epi8(elements, register);
        let register = if BITS { swap_bits(register) } else { register };
        // SAFETY: the caller's promise.
        unsafe { store::<T>(to, width, k, register) };
    }
}
