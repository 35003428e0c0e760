//! Bit packing with a fixed width, in an interleaved layout that decodes with SIMD.
//!
//! ```text
//! chunk     1,024 numbers of w bits: w rows of 128 bytes
//! row       64 words of 16 bits (w to 16), 32 of 32 (w to 32), or 16 of 64
//! lane l    word l of every row, end to end, low bit first:  number l │ l + L │ l + 2L │ ...    (L words a row)
//! ```
//! Consecutive numbers are in adjacent lanes at the same bits, so a plain loop over a row shifts all of them alike,
//! and the results are in order.

use crate::buffer_reuse::Scratched;

/// How many numbers a chunk has.
pub const CHUNK: usize = 1024;

/// The bytes of a row.
pub(crate) const ROW: usize = 128;

/// A number that is taken modulo its width.
///
/// Compilers put no numbers of 128 bits into a register side by side: as two parts each they do.
pub trait Modular: Copy + Default + Send + Sync + Scratched {
    /// Its bytes as numbers of at most 64 bits, the lowest first.
    type Parts: Copy;
    /// Creates the low bits.
    fn wrap(bits: u64) -> Self;
    /// Its low 64 bits, or all and its sign.
    fn low(self) -> u64;
    /// Creates the parts of `wrap(bits)`.
    fn parts(bits: u64) -> Self::Parts;
    /// Returns what `low` is of the number of these parts.
    fn low_of(parts: Self::Parts) -> u64;
    /// Returns the sum, modulo the width.
    fn plus(self, other: Self) -> Self;
    /// Returns the product, modulo the width.
    fn times(self, other: Self) -> Self;
}

macro_rules! number {
    ($($t:ty),*) => {$(
        impl Modular for $t {
            type Parts = Self;

            #[inline(always)]
            #[allow(clippy::cast_sign_loss, clippy::cast_lossless)] // Modulo 2^64.
            fn low(self) -> u64 {
                self as u64
            }

            #[inline(always)]
            fn parts(bits: u64) -> Self {
                Self::wrap(bits)
            }

            #[inline(always)]
            fn low_of(parts: Self) -> u64 {
                parts.low()
            }

            #[inline(always)]
            #[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap)] // Modulo the width.
            fn wrap(bits: u64) -> Self {
                bits as $t
            }

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
        }
    )*};
}

number!(i32, i64, u8, u16, u32, u64);

/// An `i64`, in twice its width.
impl Modular for i128 {
    type Parts = [i64; 2];

    #[inline(always)]
    fn wrap(bits: u64) -> Self {
        i128::from(bits.cast_signed())
    }

    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Modulo 2^64.
    fn low(self) -> u64 {
        self as u64
    }

    #[inline(always)]
    fn parts(bits: u64) -> [i64; 2] {
        let low = bits.cast_signed();
        [low, low >> 63]
    }

    #[inline(always)]
    fn low_of([low, _]: [i64; 2]) -> u64 {
        low.cast_unsigned()
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Self::wrap(self.low().wrapping_add(other.low()))
    }

    #[inline(always)]
    fn times(self, other: Self) -> Self {
        Self::wrap(self.low().wrapping_mul(other.low()))
    }
}

macro_rules! lanes {
    ($unpack:ident, $pack:ident, $word:ty) => {
        /// Calls `put` with the index and the value of each number of a chunk.
        #[inline(always)]
        fn $unpack<S>(
            rows: &[[u8; ROW]],
            width: u32,
            to: &mut [S; CHUNK],
            put: impl Fn(&mut S, $word),
        ) {
            const BITS: u32 = <$word>::BITS;
            const LANES: usize = ROW / size_of::<$word>();
            let mask = <$word>::MAX >> (BITS - width);
            // A copy in registers, which stores cannot alias, so that the loop vectorizes.
            let words = |row: u32| {
                let row = rows.get(row as usize).unwrap_or(&[0; ROW]);
                let mut words: [$word; LANES] = [0; LANES];
                for (word, bytes) in words.iter_mut().zip(row.as_chunks().0) {
                    *word = <$word>::from_le_bytes(*bytes);
                }
                words
            };
            let bits = (0..BITS).map(|number| number * width);
            for (bit, to) in bits.zip(to.as_chunks_mut::<LANES>().0) {
                let (row, shift) = (bit / BITS, bit % BITS);
                let mut numbers = words(row);
                numbers.iter_mut().for_each(|low| *low >>= shift);
                if shift + width > BITS {
                    let highs = words(row + 1);
                    let pairs = numbers.iter_mut().zip(highs);
                    pairs.for_each(|(low, high)| *low |= high << (BITS - shift));
                }
                to.iter_mut().zip(numbers).for_each(|(slot, number)| put(slot, number & mask));
            }
        }

        /// Appends the rows of a chunk of numbers, each `offset` of a value.
        #[inline(always)]
        fn $pack(
            values: &[i64; CHUNK],
            width: u32,
            out: &mut Vec<u8>,
            offset: impl Fn(i64) -> $word + Copy,
        ) {
            const BITS: u32 = <$word>::BITS;
            const BYTES: usize = size_of::<$word>();
            const LANES: usize = ROW / BYTES;
            let mut row: [$word; LANES] = [0; LANES];
            let mut emit = |row: &[$word; LANES]| {
                let mut bytes = [[0; BYTES]; LANES];
                bytes.iter_mut().zip(row).for_each(|(to, word)| *to = word.to_le_bytes());
                out.extend_from_slice(bytes.as_flattened());
            };
            let mut shift = 0;
            for numbers in values.as_chunks::<LANES>().0 {
                row.iter_mut().zip(numbers).for_each(|(word, v)| *word |= offset(*v) << shift);
                shift += width;
                if shift >= BITS {
                    emit(&row);
                    shift -= BITS;
                    // What did not fit begins the next row.
                    let rest = width - shift;
                    row.iter_mut().zip(numbers).for_each(|(word, v)| {
                        *word = if shift == 0 { 0 } else { offset(*v) >> (rest % BITS) };
                    });
                }
            }
        }
    };
}

lanes!(unpack16, pack16, u16);
lanes!(unpack32, pack32, u32);
lanes!(unpack64, pack64, u64);

/// Decodes the 1,024 numbers of a chunk and adds `base` to each. Missing bytes count as 0.
pub(crate) fn unpack<T: Modular>(bytes: &[u8], width: u32, base: u64, out: &mut Vec<T>) {
    let mut numbers = [T::default(); CHUNK];
    unpack_to(bytes, width, base, &mut numbers, |slot, bits| *slot = T::wrap(bits));
    out.extend_from_slice(&numbers);
}

/// Calls `put` with the index and the bits of each number.
#[inline(always)]
pub(crate) fn unpack_to<S>(
    bytes: &[u8],
    width: u32,
    base: u64,
    to: &mut [S; CHUNK],
    put: impl Fn(&mut S, u64),
) {
    let rows = bytes.as_chunks::<ROW>().0;
    let put = |slot: &mut S, n: u64| put(slot, base.wrapping_add(n));
    match width {
        0 | 65.. => to.iter_mut().for_each(|slot| put(slot, 0)),
        1..=16 => unpack16(rows, width, to, |slot, n| put(slot, u64::from(n))),
        17..=32 => unpack32(rows, width, to, |slot, n| put(slot, u64::from(n))),
        33..=64 => unpack64(rows, width, to, put),
    }
}

/// Makes each number `number * factor + shift`.
pub(crate) fn scale<T: Modular>(numbers: &mut [T], factor: T, shift: T) {
    numbers.iter_mut().for_each(|number| *number = number.times(factor).plus(shift));
}

/// Appends each number in twice its width.
pub(crate) fn widen<N: Copy + Into<i64>>(numbers: &[N], out: &mut Vec<i128>) {
    out.extend(numbers.iter().map(|number| i128::from((*number).into())));
}

/// Makes each number the sum of `before` and those up to it.
#[inline(always)]
pub(crate) fn prefix_sum<T: Modular>(numbers: &mut [T], before: T) {
    let mut sum = before;
    for number in numbers {
        sum = sum.plus(*number);
        *number = sum;
    }
}

/// Encodes a chunk of numbers minus `base`; bits above `width` must be 0.
#[inline(always)]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // What is above the width is 0.
pub(crate) fn pack(values: &[i64; CHUNK], width: u32, base: i64, out: &mut Vec<u8>) {
    out.reserve(width as usize * ROW);
    match width {
        0 => {}
        1..=16 => pack16(values, width, out, |v| v.wrapping_sub(base) as u16),
        17..=32 => pack32(values, width, out, |v| v.wrapping_sub(base) as u32),
        _ => pack64(values, width.min(64), out, |v| v.wrapping_sub(base) as u64),
    }
}

/// The number of 16-bit lanes in a row.
pub const LANES: usize = ROW / 2;

/// Returns the numbers of a chunk that are in adjacent lanes.
#[inline]
pub(crate) fn unpack_group(bytes: &[u8], width: u32, group: usize) -> Option<[u16; LANES]> {
    let mut numbers = [0; LANES];
    if width == 0 {
        return Some(numbers);
    }
    let mask = u16::MAX.checked_shr(16u32.checked_sub(width)?)?;
    let bit = group * width as usize;
    let (row, shift) = (bit / 16, bit % 16);
    let rows = bytes.as_chunks::<ROW>().0;
    let low = rows.get(row)?.as_chunks().0;
    for (number, low) in numbers.iter_mut().zip(low) {
        *number = u16::from_le_bytes(*low) >> shift & mask;
    }
    if shift + width as usize > 16 {
        let high = rows.get(row + 1)?.as_chunks().0;
        for (number, high) in numbers.iter_mut().zip(high) {
            *number |= u16::from_le_bytes(*high) << (16 - shift) & mask;
        }
    }
    Some(numbers)
}

/// Returns the `i`th number of a chunk; 0 if it is missing.
#[inline]
pub(crate) fn unpack_one(bytes: &[u8], width: u32, i: usize) -> u64 {
    match width {
        _ if i >= CHUNK => 0,
        1..=16 => one_of::<2>(bytes, width, i),
        17..=32 => one_of::<4>(bytes, width, i),
        33..=64 => one_of::<8>(bytes, width, i),
        _ => 0,
    }
}

/// Returns the `i`th number for lanes of `SIZE` bytes.
#[inline(always)]
fn one_of<const SIZE: usize>(bytes: &[u8], width: u32, i: usize) -> u64 {
    let (bits, lanes) = (8 * SIZE, ROW / SIZE);
    let word = |row: usize| {
        let rest = bytes.get(row * ROW + i % lanes * SIZE..).unwrap_or_default();
        let mut word = [0; 8];
        if let (Some(to), Some(from)) = (word.first_chunk_mut(), rest.first_chunk::<SIZE>()) {
            *to = *from;
        }
        u64::from_le_bytes(word)
    };
    let bit = i / lanes * width as usize;
    let (row, shift) = (bit / bits, bit % bits);
    let low = word(row) >> shift;
    let high = match shift + width as usize > bits {
        true => word(row + 1) << (bits - shift),
        false => 0,
    };
    (low | high) & (u64::MAX >> (64 - width))
}

/// What there is to know of a chunk before it is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkStats {
    /// The minimum.
    pub min: i64,
    /// The maximum.
    pub max: i64,
    /// The minimum difference of adjacent values, modulo 2^64.
    pub min_delta: i64,
    /// The maximum difference.
    pub max_delta: i64,
    /// How many values differ from the one before.
    pub changes: usize,
}

/// Computes the statistics of up to a chunk of values. They are 0 for no values, and the deltas for fewer than two.
#[inline(always)]
pub(crate) fn chunk_stats(values: &[i64]) -> ChunkStats {
    let (Some(first), rest) = (values.first(), values.get(1..).unwrap_or_default()) else {
        return ChunkStats { min: 0, max: 0, min_delta: 0, max_delta: 0, changes: 0 };
    };
    let (mut min, mut max) = (*first, *first);
    let (mut min_delta, mut max_delta, mut changes) = (i64::MAX, i64::MIN, 0u64);
    for (value, before) in rest.iter().zip(values) {
        let delta = value.wrapping_sub(*before);
        min = min.min(*value);
        max = max.max(*value);
        min_delta = min_delta.min(delta);
        max_delta = max_delta.max(delta);
        changes += u64::from(delta != 0);
    }
    if rest.is_empty() {
        (min_delta, max_delta) = (0, 0);
    }
    let changes = usize::try_from(changes).unwrap_or(usize::MAX);
    ChunkStats { min, max, min_delta, max_delta, changes }
}

/// Returns the number of values whose difference to `base` does not fit `width` bits.
#[inline(always)]
pub(crate) fn count_above(values: &[i64], base: i64, width: u32) -> usize {
    let most = if width == 0 { 0 } else { u64::MAX >> (64 - width.min(64)) };
    let above = |v: &i64| u64::from(v.wrapping_sub(base).cast_unsigned() > most);
    usize::try_from(values.iter().map(above).sum::<u64>()).unwrap_or(usize::MAX)
}

/// Returns how many bytes the values take as varints.
#[inline(always)]
pub(crate) fn varint_size(values: &[i64]) -> u64 {
    let size = |v: &i64| {
        let bits = ((v << 1) ^ (v >> 63)).cast_unsigned();
        u64::from((70 - (bits | 1).leading_zeros()) / 7)
    };
    values.iter().map(size).sum()
}
