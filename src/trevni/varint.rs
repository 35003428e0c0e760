//! Many varints at a time: the hot loops of int and long columns.
//!
//! [`Cursor`] reads one number and knows its place, for headers and lengths; here a block's
//! values are read in one loop that looks at its bounds once for ten bytes.

use crate::error::{Error, Result};
use crate::wire::Cursor;

/// The most bytes of a varint of 64 bits.
const MOST: usize = 10;

/// The bits that say of eight bytes that another follows.
const CONTINUED: u64 = 0x8080_8080_8080_8080;

/// Appends `n` longs to `out`.
pub(super) fn longs(cursor: &mut Cursor<'_>, n: usize, out: &mut Vec<i64>) -> Result<()> {
    each(cursor, n, |bits| {
        out.push(zig_zag(bits));
        true
    })
}

/// Appends `n` ints to `out`; one that does not fit 32 bits is an error.
pub(super) fn ints(cursor: &mut Cursor<'_>, n: usize, out: &mut Vec<i32>) -> Result<()> {
    each(cursor, n, |bits| {
        let value = i32::try_from(zig_zag(bits));
        value.map(|value| out.push(value)).is_ok()
    })
}

/// Passes over `n` varints.
pub(super) fn skip(cursor: &mut Cursor<'_>, n: usize) -> Result<()> {
    each(cursor, n, |_| true)
}

#[inline(always)]
fn each(cursor: &mut Cursor<'_>, n: usize, mut take: impl FnMut(u64) -> bool) -> Result<()> {
    let all = cursor.rest();
    let mut rest = all;
    let mut left = n;
    while left > 0 {
        // Eight values of one byte each, as small numbers mostly are, are seen at a glance.
        if left >= 8
            && let Some(eight) = rest.first_chunk::<8>()
            && u64::from_le_bytes(*eight) & CONTINUED == 0
        {
            // A value of one byte fits every type.
            for byte in eight {
                let _ = take(u64::from(*byte));
            }
            rest = rest.get(8..).unwrap_or_default();
            left -= 8;
            continue;
        }
        left -= 1;
        let (bits, len) = match rest.first_chunk::<MOST>() {
            Some(window) => first(window),
            None => last(rest),
        };
        // A length of 0 stands for no varint here; the cursor says what is wrong with it.
        if len == 0 || !take(bits) {
            cursor.take(all.len() - rest.len(), "value")?;
            cursor.int("value")?;
            return Err(Error::malformed("value is longer than ten bytes"));
        }
        rest = rest.get(len..).unwrap_or_default();
    }
    cursor.take(all.len() - rest.len(), "value").map(|_| ())
}

/// The varint at the start of a window, and its length.
#[inline(always)]
fn first(window: &[u8; MOST]) -> (u64, usize) {
    let mut bits = 0;
    for (i, byte) in window.iter().enumerate() {
        bits |= u64::from(byte & 0x7f) << (7 * i);
        if *byte < 0x80 {
            return (bits, i + 1);
        }
    }
    (0, 0)
}

/// The same near the end of the block.
#[cold]
fn last(rest: &[u8]) -> (u64, usize) {
    let mut window = [0xff; MOST];
    window.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
    first(&window)
}

#[inline(always)]
fn zig_zag(bits: u64) -> i64 {
    (bits >> 1).cast_signed() ^ -(bits & 1).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire;

    #[test]
    fn values_of_one_byte_are_taken_by_eight_and_by_one() {
        for n in 0..40 {
            let mut values: Vec<i64> = (0..n).map(|i| i % 100 - 50).collect();
            values.extend([1000, 1, 2, 3]);
            let mut bytes = Vec::new();
            values.iter().for_each(|v| wire::put_long(&mut bytes, *v));
            let (mut longs_out, mut ints_out) = (Vec::new(), Vec::new());
            longs(&mut Cursor::new(&bytes), values.len(), &mut longs_out).unwrap();
            ints(&mut Cursor::new(&bytes), values.len(), &mut ints_out).unwrap();
            assert_eq!(longs_out, values);
            assert!(ints_out.iter().map(|v| i64::from(*v)).eq(values));
        }
    }

    #[test]
    fn reads_like_the_cursor() {
        let values: Vec<i64> = (0..64)
            .flat_map(|shift| {
                [1i64 << shift, (1i64 << shift).wrapping_neg(), (1i64 << shift).wrapping_sub(1)]
            })
            .collect();
        let mut bytes = Vec::new();
        values.iter().for_each(|v| wire::put_long(&mut bytes, *v));
        let mut out = Vec::new();
        let mut cursor = Cursor::new(&bytes);
        longs(&mut cursor, values.len(), &mut out).unwrap();
        assert_eq!((out, cursor.remaining()), (values.clone(), 0));
        let mut cursor = Cursor::new(&bytes);
        skip(&mut cursor, values.len()).unwrap();
        assert_eq!(cursor.remaining(), 0);
        for cut in 0..bytes.len() {
            let e = longs(&mut Cursor::new(&bytes[..cut]), values.len(), &mut Vec::new());
            assert!(e.unwrap_err().is_truncated());
        }
        let e = ints(&mut Cursor::new(&bytes), values.len(), &mut Vec::new()).unwrap_err();
        assert!(e.to_string().contains("does not fit 32 bits"), "{e}");
        let e = longs(&mut Cursor::new(&[0xff; 30]), 1, &mut Vec::new()).unwrap_err();
        assert!(e.to_string().contains("longer than ten bytes"), "{e}");
    }
}
