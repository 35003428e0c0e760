//! Transposes tiles of 32 elements to columns of bytes and back with AVX2. Each half of a register has 16 elements.
//!
//! ```text
//! elements   a0 a1 b0 b1 c0 c1 d0 d1 ...       16 / T of them in a half, T registers
//! pshufb     a0 b0 c0 d0 ... a1 b1 c1 d1 ...   T pieces, one of each column
//! punpck     a0 b0 c0 d0 e0 f0 g0 h0 ...       log T times, piece by piece: a column in a register
//!
//! columns    a0 b0 c0 d0 e0 ...                the inverse
//! punpck     a0 a1 b0 b1 ...                   log T times, byte by byte
//! ```
//! T is the width rounded up to a power of two, or 16: wider elements are processed in parts of 16 bytes. If the
//! width is less than T, elements are packed, and each store overlaps the next.
#![allow(unsafe_code)]
// Registers are distinguished by numbers below T, which the compiler sees; all that tables hold is small.
#![allow(clippy::indexing_slicing, clippy::cast_possible_truncation)]

use std::arch::x86_64::*;

/// The elements of a tile.
pub(super) const TILE: usize = 32;

/// Returns the number of elements after a tile that are accessed.
pub(super) const fn spare<const T: usize>(width: usize) -> usize {
    16usize.saturating_sub(16 / T * width).div_ceil(width)
}

/// For each width, where the bytes of pieces come from among elements.
static PIECES: [[u8; 16]; 17] = {
    let (mut tables, mut width) = ([[0; 16]; 17], 1usize);
    while width <= 16 {
        let count = 16 / width.next_power_of_two();
        let mut i = 0;
        while i < count * width {
            tables[width][i % width * count + i / width] = i as u8;
            i += 1;
        }
        width += 1;
    }
    tables
};

/// For each width, the byte permutation that spaces elements T bytes apart.
static TOGETHER: [[u8; 16]; 17] = {
    let (mut tables, mut width) = ([[0; 16]; 17], 1usize);
    while width <= 16 {
        let room = width.next_power_of_two();
        let mut i = 0;
        while i < 16 / room * width {
            tables[width][i] = (i / width * room + i % width) as u8;
            i += 1;
        }
        width += 1;
    }
    tables
};

/// Returns the table of a width, in both halves.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn table(tables: &'static [[u8; 16]; 17], width: usize) -> __m256i {
    // SAFETY: 16 bytes; the load needs no alignment.
    let table = unsafe { tables[width.min(16)].as_ptr().cast::<__m128i>().read_unaligned() };
    _mm256_broadcastsi128_si256(table)
}

/// Interleaves pieces of `len` bytes of two registers.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn zip_two(len: usize, a: __m256i, b: __m256i) -> [__m256i; 2] {
    match len {
        1 => [_mm256_unpacklo_epi8(a, b), _mm256_unpackhi_epi8(a, b)],
        2 => [_mm256_unpacklo_epi16(a, b), _mm256_unpackhi_epi16(a, b)],
        4 => [_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b)],
        _ => [_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b)],
    }
}

/// Interleaves the pieces of the first half of the registers with those of the second, log T times.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn zip<const T: usize>(len: usize, mut registers: [__m256i; T]) -> [__m256i; T] {
    for _ in 0..T.ilog2() {
        let before = registers;
        for i in 0..T / 2 {
            let [low, high] = zip_two(len, before[i], before[i + T / 2]);
            registers[2 * i] = low;
            registers[2 * i + 1] = high;
        }
    }
    registers
}

/// Bit `i` of byte `j` of each 8 bytes becomes bit `j` of byte `i`.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn swap_bits(x: __m256i) -> __m256i {
    macro_rules! step {
        ($x:expr, $by:literal, $mask:literal) => {{
            let (x, mask) = ($x, _mm256_set1_epi64x($mask));
            let differ = _mm256_xor_si256(x, _mm256_srli_epi64::<$by>(x));
            let differ = _mm256_and_si256(differ, mask);
            _mm256_xor_si256(x, _mm256_xor_si256(differ, _mm256_slli_epi64::<$by>(differ)))
        }};
    }
    let x = step!(x, 7, 0x00aa_00aa_00aa_00aa);
    let x = step!(x, 14, 0x0000_cccc_0000_cccc);
    step!(x, 28, 0x0000_0000_f0f0_f0f0)
}

/// Stores the first T bytes of each element of a tile, or as many as it has, as columns that are `apart` bytes from
/// each other; `BITS`: with the bits of eight elements swapped before.
///
/// # Safety
/// Elements of `width` bytes are at `from`, and [`spare`] more; for the columns there is room at `to`.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn to_columns<const T: usize, const BITS: bool>(
    from: *const u8,
    width: usize,
    to: *mut u8,
    apart: usize,
) {
    let mut registers = [_mm256_setzero_si256(); T];
    let pieces = table(&PIECES, width);
    for (k, register) in registers.iter_mut().enumerate() {
        // SAFETY: the caller's promise; 16 bytes are the half's own elements, or these and spare ones.
        let elements = unsafe {
            let low = from.add(k * (16 / T) * width);
            let high = low.add(16 * width).cast::<__m128i>().read_unaligned();
            _mm256_set_m128i(high, low.cast::<__m128i>().read_unaligned())
        };
        let elements = if BITS { swap_bits(elements) } else { elements };
        // All 16 pieces are in place.
        *register = if T < 16 { _mm256_shuffle_epi8(elements, pieces) } else { elements };
    }
    let columns = zip(16 / T, registers);
    for (b, column) in columns.into_iter().enumerate() {
        if b < width {
            // SAFETY: the caller's promise.
            unsafe { to.add(b * apart).cast::<__m256i>().write_unaligned(column) };
        }
    }
}

/// The inverse of [`to_columns`]; the bits are swapped afterwards.
///
/// # Safety
/// The columns are at `from`; for elements of `width` bytes there is room at `to`, and for [`spare`] more, whose
/// bytes are lost.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn to_elements<const T: usize, const BITS: bool>(
    from: *const u8,
    apart: usize,
    to: *mut u8,
    width: usize,
) {
    let mut columns = [_mm256_setzero_si256(); T];
    for (b, column) in columns.iter_mut().enumerate() {
        if b < width {
            // SAFETY: the caller's promise.
            *column = unsafe { from.add(b * apart).cast::<__m256i>().read_unaligned() };
        }
    }
    let mut registers = zip(1, columns);
    let together = table(&TOGETHER, width);
    for (k, register) in registers.iter_mut().enumerate() {
        if width < T && T < 16 {
            *register = _mm256_shuffle_epi8(*register, together);
        }
        if BITS {
            *register = swap_bits(*register);
        }
        // SAFETY: the caller's promise; what is stored after the half's own elements goes before what they are.
        unsafe {
            let to = to.add(k * (16 / T) * width).cast::<__m128i>();
            to.write_unaligned(_mm256_castsi256_si128(*register));
        }
    }
    for (k, register) in registers.into_iter().enumerate() {
        // SAFETY: as above.
        unsafe {
            let to = to.add((k * (16 / T) + 16) * width).cast::<__m128i>();
            to.write_unaligned(_mm256_extracti128_si256::<1>(register));
        }
    }
}
