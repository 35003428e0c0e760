//! Builds Arrow string views, 16 bytes each.
//!
//! ```text
//! to 12 bytes   length u32 │ the bytes, then zeros
//! longer        length u32 │ first 4 bytes │ buffer u32 │ offset u32
//! ```

use std::hint::select_unpredictable;

/// The maximum length of an inline value.
pub const INLINE: usize = 12;

/// Masks of the first bytes of a view, for each inline length.
const FIRST: [[u64; 2]; INLINE + 1] = {
    let (mut first, mut len) = ([[0; 2]; INLINE + 1], 0);
    while len <= INLINE {
        let bits = (1u128 << (8 * len)) - 1;
        #[allow(clippy::cast_possible_truncation, clippy::indexing_slicing)] // By the compiler.
        {
            first[len] = [bits as u64, (bits >> 64) as u64];
        }
        len += 1;
    }
    first
};

/// Appends the views of the values between offsets into the data of a buffer.
pub(crate) fn offsets_to_views(offsets: &[i32], data: &[u8], buffer: u32, out: &mut Vec<u128>) {
    out.extend(offsets.windows(2).map(|ends| {
        let [start, end] = ends else { return 0 };
        view(start.cast_unsigned(), end.wrapping_sub(*start).cast_unsigned(), data, buffer)
    }));
}

/// Returns the view of the `len` bytes from `start`. Whether a value is short is not known before, so both views
/// are made and one is taken, without a branch.
#[inline(always)]
pub(crate) fn view(start: u32, len: u32, data: &[u8], buffer: u32) -> u128 {
    let from = data.get(start as usize..).unwrap_or_default();
    let bytes = match from.first_chunk::<16>() {
        Some(bytes) => u128::from_le_bytes(*bytes),
        None => last(from),
    };
    let [low, high] = FIRST.get((len as usize).min(INLINE)).copied().unwrap_or_default();
    let inline = bytes & (u128::from(high) << 64 | u128::from(low));
    let short = inline << 32;
    let place = u128::from(start) << 96 | u128::from(buffer) << 64;
    let long = place | (inline & u128::from(u32::MAX)) << 32;
    u128::from(len) | select_unpredictable(len as usize <= INLINE, short, long)
}

/// Fewer than 16 bytes, padded with zeros.
#[cold]
fn last(from: &[u8]) -> u128 {
    let mut bytes = [0; 16];
    bytes.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
    u128::from_le_bytes(bytes)
}
