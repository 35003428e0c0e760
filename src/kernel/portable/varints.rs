//! Zig-zag varints, seven bits a byte.
//!
//! ```text
//! eight bytes   .c .c .c 0b .. .. .. ..     c = continuation byte, b = last byte
//!  & ends       .. .. .. 80 .. .. .. ..     the lowest one says how long the value is
//!  fold         7 7 7 7 → 14 14 → 28        three steps put the sevens side by side
//! ```

/// The continuation bits of eight bytes.
const MORE: u64 = 0x8080_8080_8080_8080;

/// The most bytes of a varint of 64 bits.
pub(super) const MOST: usize = 10;

/// How many values are decoded before they are appended.
const SLOTS: usize = 64;

/// The number of values for which memory is reserved at once, at most ten bytes each.
const PIECE: usize = 512;

/// A number as the format writes it.
pub(crate) trait Number: Copy {
    /// Returns the value of a varint's bits, if it fits.
    fn from_bits(bits: u64) -> Option<Self>;
    /// Creates the value of a varint's bits that is known to fit.
    fn from_low_bits(bits: u64) -> Self;
    /// Creates the value of a varint of one byte, which fits any type.
    fn from_byte(byte: u8) -> Self;
    /// Returns the bits of the value's varint.
    fn to_bits(self) -> u64;
}

impl Number for i64 {
    #[inline(always)]
    fn from_bits(bits: u64) -> Option<Self> {
        Some(Self::from_low_bits(bits))
    }

    #[inline(always)]
    fn from_low_bits(bits: u64) -> Self {
        (bits >> 1).cast_signed() ^ -(bits & 1).cast_signed()
    }

    #[inline(always)]
    fn from_byte(byte: u8) -> Self {
        i64::from((byte >> 1).cast_signed() ^ -(byte & 1).cast_signed())
    }

    #[inline(always)]
    fn to_bits(self) -> u64 {
        ((self << 1) ^ (self >> 63)).cast_unsigned()
    }
}

impl Number for i32 {
    #[inline(always)]
    fn from_bits(bits: u64) -> Option<Self> {
        u32::try_from(bits).ok().map(|_| Self::from_low_bits(bits))
    }

    #[inline(always)]
    #[allow(clippy::cast_possible_truncation)] // The caller knows that it fits.
    fn from_low_bits(bits: u64) -> Self {
        let bits = bits as u32;
        (bits >> 1).cast_signed() ^ -(bits & 1).cast_signed()
    }

    #[inline(always)]
    fn from_byte(byte: u8) -> Self {
        i32::from((byte >> 1).cast_signed() ^ -(byte & 1).cast_signed())
    }

    #[inline(always)]
    fn to_bits(self) -> u64 {
        u64::from(((self << 1) ^ (self >> 31)).cast_unsigned())
    }
}

pub(crate) fn decode_longs(bytes: &[u8], n: usize, out: &mut Vec<i64>) -> usize {
    numbers(bytes, n, out)
}

pub(crate) fn decode_ints(bytes: &[u8], n: usize, out: &mut Vec<i32>) -> usize {
    numbers(bytes, n, out)
}

pub(crate) fn encode_longs(values: &[i64], out: &mut Vec<u8>) {
    put_numbers(values, out);
}

pub(crate) fn encode_ints(values: &[i32], out: &mut Vec<u8>) {
    put_numbers(values, out);
}

/// Appends up to `n` numbers. Returns the bytes they took.
pub(crate) fn numbers<T: Number>(bytes: &[u8], n: usize, out: &mut Vec<T>) -> usize {
    out.reserve(n.min(bytes.len()));
    let (mut rest, mut left) = (bytes, n);
    let mut slots = [T::from_byte(0); SLOTS];
    let mut filled = 0;
    while left >= filled + 8
        && let Some((eight, behind)) = rest.split_first_chunk::<8>()
    {
        let word = u64::from_le_bytes(*eight);
        if word & MORE == 0
            && let Some(slots) = slots.get_mut(filled..).and_then(|slots| slots.first_chunk_mut())
        {
            *slots = eight.map(T::from_byte);
            (rest, filled) = (behind, filled + 8);
        } else {
            let (taken, len) = whole_values(word, slots.get_mut(filled..).unwrap_or_default());
            if taken == 0 {
                break;
            }
            (rest, filled) = (rest.get(len..).unwrap_or_default(), filled + taken);
        }
        if filled > SLOTS - 8 {
            out.extend_from_slice(slots.get(..filled).unwrap_or_default());
            (left, filled) = (left - filled, 0);
        }
    }
    out.extend_from_slice(slots.get(..filled).unwrap_or_default());
    for _ in filled..left {
        let Some((bits, behind)) = first(rest) else { break };
        let Some(value) = T::from_bits(bits) else { break };
        out.push(value);
        rest = behind;
    }
    bytes.len() - rest.len()
}

/// Stores the values that end within a word, as long as they fit. Returns how many, and their bytes.
#[inline(always)]
fn whole_values<T: Number>(word: u64, slots: &mut [T]) -> (usize, usize) {
    let (mut ends, mut start, mut taken) = (!word & MORE, 0, 0);
    for slot in slots {
        if ends == 0 {
            break;
        }
        // The bits up to the lowest end, from where the value starts.
        let bits = (word & (ends ^ (ends - 1))) >> start;
        let Some(value) = T::from_bits(fold(bits)) else { break };
        *slot = value;
        start = ends.trailing_zeros() + 1;
        ends &= ends - 1;
        taken += 1;
    }
    (taken, start as usize / 8)
}

/// Returns the sevens of eight bytes side by side.
#[inline(always)]
fn fold(bytes: u64) -> u64 {
    let sevens = bytes & !MORE;
    let twice = (sevens & 0x007f_007f_007f_007f) | (sevens & 0x7f00_7f00_7f00_7f00) >> 1;
    let four = (twice & 0x0000_3fff_0000_3fff) | (twice & 0x3fff_0000_3fff_0000) >> 2;
    (four & 0x0fff_ffff) | (four & 0x0fff_ffff_0000_0000) >> 4
}

/// Passes over up to `n` varints. Returns how many, and their bytes.
pub(crate) fn skip_varints(bytes: &[u8], n: usize) -> (usize, usize) {
    let (mut rest, mut left) = (bytes, n);
    while left > 0 {
        if left >= 8
            && let Some((eight, behind)) = rest.split_first_chunk::<8>()
            && let ends = !u64::from_le_bytes(*eight) & MORE
            && ends != 0
        {
            if ends == MORE {
                (rest, left) = (behind, left - 8);
                continue;
            }
            // The values that end within the word: the product's highest byte is the sum of all.
            left -= ((ends >> 7).wrapping_mul(0x0101_0101_0101_0101) >> 56) as usize;
            let len = 8 - ends.leading_zeros() as usize / 8;
            rest = rest.get(len..).unwrap_or_default();
            continue;
        }
        let Some((_, behind)) = first(rest) else { break };
        (rest, left) = (behind, left - 1);
    }
    (n - left, bytes.len() - rest.len())
}

/// Returns the bits of the varint at the start, and what follows it; none if it is cut off or too long.
#[inline(always)]
pub(crate) fn first(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut bits = 0;
    for (i, byte) in bytes.iter().take(MOST).enumerate() {
        // The tenth byte's bits past the 64th fall off.
        bits |= u64::from(byte & 0x7f) << (7 * i);
        if *byte < 0x80 {
            return Some((bits, bytes.get(i + 1..)?));
        }
    }
    None
}

/// Appends each number in its shortest form.
pub(crate) fn put_numbers<T: Number>(values: &[T], out: &mut Vec<u8>) {
    for piece in values.chunks(PIECE) {
        out.reserve(piece.len() * MOST);
        let (eights, rest) = piece.as_chunks::<8>();
        for eight in eights {
            let bits = eight.map(T::to_bits);
            if bits.iter().fold(0, |all, bits| all | bits) < 0x80 {
                out.extend_from_slice(&bits.map(|bits| bits.to_le_bytes()[0]));
            } else {
                bits.iter().for_each(|bits| put_one(*bits, out));
            }
        }
        rest.iter().for_each(|value| put_one(value.to_bits(), out));
    }
}

/// Appends one varint.
#[inline(always)]
pub(crate) fn put_one(mut bits: u64, out: &mut Vec<u8>) {
    while bits >= 0x80 {
        out.push(bits.to_le_bytes()[0] | 0x80);
        bits >>= 7;
    }
    out.push(bits.to_le_bytes()[0]);
}
