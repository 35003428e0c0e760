//! Decodes and encodes vectors of varints: int and long columns.
//!
//! ```text
//! block   fe 01 │ 02 │ 80 08 │ 80        kernel   3 values of 5 bytes
//!                              └ cut      cursor   the error and its location
//! ```
//! [`kernel`] decodes the complete values. [`Cursor`] reads one number and knows its position, so it reports the
//! error of the first incomplete one.

use crate::error::{Error, Result};
use crate::kernel::{self, Level};
use crate::wire::Cursor;

/// Appends `n` longs to `out`.
pub(crate) fn longs(cursor: &mut Cursor<'_>, n: usize, out: &mut Vec<i64>) -> Result<()> {
    let before = out.len();
    let len = kernel::varint::decode_longs(Level::in_use(), cursor.rest(), n, out);
    pass(cursor, len, out.len() - before == n)
}

/// Appends `n` ints to `out`; one that does not fit 32 bits is an error.
pub(crate) fn ints(cursor: &mut Cursor<'_>, n: usize, out: &mut Vec<i32>) -> Result<()> {
    let before = out.len();
    let len = kernel::varint::decode_ints(Level::in_use(), cursor.rest(), n, out);
    pass(cursor, len, out.len() - before == n)
}

/// Passes over `n` varints.
pub(crate) fn skip(cursor: &mut Cursor<'_>, n: usize) -> Result<()> {
    let (passed, len) = kernel::varint::skip_varints(Level::in_use(), cursor.rest(), n);
    pass(cursor, len, passed == n)
}

/// Skips the bytes of the complete values. If not all were complete, returns the error of the next one.
fn pass(cursor: &mut Cursor<'_>, len: usize, all: bool) -> Result<()> {
    cursor.take(len, "value")?;
    if all {
        return Ok(());
    }
    cursor.int("value")?;
    Err(Error::malformed("value is longer than ten bytes"))
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
