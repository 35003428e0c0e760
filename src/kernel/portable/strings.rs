//! Converts length-prefixed strings to offsets and bytes, and back.
//!
//! ```text
//! block     06 f o o │ 02 x │ 00 │ ...       each length a zig-zag varint
//! data      f o o x                          offsets   0 3 4 4
//! ```
//! The start of a string depends on the length of the one before, so the copy must not add latency: a short string
//! is copied as a complete piece, whose excess is overwritten.

use super::varints::{MOST, Number, first, put_one};

/// The size of a copy; most strings are shorter.
const PIECE: usize = 16;

/// Appends up to `n` strings. Returns the bytes they took.
pub(crate) fn decode_strings(
    bytes: &[u8],
    n: usize,
    offsets: &mut Vec<i32>,
    data: &mut Vec<u8>,
) -> usize {
    offsets.reserve(n.min(bytes.len()));
    let mut rest = bytes;
    for _ in 0..n {
        let Some((len, from)) = length(rest) else { break };
        let Some((value, behind)) = from.split_at_checked(len) else { break };
        let end = data.len() + len;
        let Ok(offset) = i32::try_from(end) else { break };
        match from.first_chunk::<PIECE>() {
            Some(piece) if len <= PIECE => {
                data.extend_from_slice(piece);
                data.truncate(end);
            }
            _ => data.extend_from_slice(value),
        }
        offsets.push(offset);
        rest = behind;
    }
    bytes.len() - rest.len()
}

/// Passes over up to `n` strings. Returns how many, and their bytes.
pub(crate) fn skip_strings(bytes: &[u8], n: usize) -> (usize, usize) {
    let (mut rest, mut left) = (bytes, n);
    while left > 0 {
        let Some((len, from)) = length(rest) else { break };
        let Some(behind) = from.get(len..) else { break };
        (rest, left) = (behind, left - 1);
    }
    (n - left, bytes.len() - rest.len())
}

/// Returns the length at the start and the bytes after it; `None` if it is truncated or negative.
#[inline(always)]
fn length(bytes: &[u8]) -> Option<(usize, &[u8])> {
    match bytes.split_first() {
        Some((byte, behind)) if byte & 0x81 == 0 => Some((usize::from(byte >> 1), behind)),
        _ => {
            let (bits, behind) = first(bytes)?;
            // No length has a bit past the 64th.
            if bytes.len() - behind.len() == MOST
                && bytes.get(MOST - 1).is_some_and(|last| *last > 1)
            {
                return None;
            }
            Some((usize::try_from(i64::from_low_bits(bits)).ok()?, behind))
        }
    }
}

/// Encodes the strings between offsets, each after its length. A string outside of `data` is encoded as empty.
pub(crate) fn encode_strings<O: Copy + TryInto<usize>>(
    offsets: &[O],
    data: &[u8],
    out: &mut Vec<u8>,
) {
    let place = |offset: &O| (*offset).try_into().unwrap_or(usize::MAX);
    let Some((start, ends)) = offsets.split_first() else { return };
    let mut start = place(start);
    for end in ends {
        let end = place(end);
        let from = data.get(start..).unwrap_or_default();
        let value = data.get(start..end).unwrap_or_default();
        put_one(value.len() as u64 * 2, out);
        match from.first_chunk::<PIECE>() {
            Some(piece) if value.len() <= PIECE => {
                let end = out.len() + value.len();
                out.extend_from_slice(piece);
                out.truncate(end);
            }
            _ => out.extend_from_slice(value),
        }
        start = end;
    }
}
