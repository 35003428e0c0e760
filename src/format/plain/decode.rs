//! Decodes plain values and lengths; the inverse of [`encode`](super::encode).
//!
//! Every call takes `n` values at once and appends them to the caller's buffers; none crosses a block. What a
//! block claims is compared with the bytes it has before anything is allocated.

mod arrays;

use crate::error::{Error, Result};
use crate::format::lengths::LengthsDecoder;
use crate::format::string_values::Strings;
use crate::format::value::ValueType;
use crate::format::values::Values;
use crate::format::varint;
use crate::kernel::{self, Level};
use crate::wire::Cursor;

/// Where in a block the next value is.
#[derive(Debug, Clone, Default)]
pub(crate) struct Decoder {
    position: usize,
    /// Bits used of the byte before `position`, if booleans end within it; else 0.
    bits: usize,
    lengths: LengthsDecoder,
}

impl Decoder {
    /// Fails unless the block ends here.
    pub(crate) fn finish(&self, block: &[u8]) -> Result<()> {
        match block.len() - self.position {
            0 if self.lengths.is_done() => Ok(()),
            0 => Err(Error::malformed("a run of lengths exceeds the block")),
            left => {
                Err(Error::malformed(format!("{left} bytes are left over after the last value")))
            }
        }
    }

    /// Appends `n` values.
    pub(crate) fn values(
        &mut self,
        block: &[u8],
        value_type: ValueType,
        n: usize,
        out: &mut Values,
    ) -> Result<()> {
        let mut cursor = self.cursor(block);
        match (value_type, out) {
            (ValueType::Null, Values::Null(count)) => *count = add(*count, n)?,
            (ValueType::Boolean, Values::Boolean(out)) => {
                let bits = self.take_bits(block, n)?;
                out.extend(block, bits, n);
                return Ok(());
            }
            (ValueType::Int, Values::Int(out)) => {
                check_claim(n, cursor.remaining())?;
                varint::ints(&mut cursor, n, out)?;
            }
            (ValueType::Long, Values::Long(out)) => {
                check_claim(n, cursor.remaining())?;
                varint::longs(&mut cursor, n, out)?;
            }
            (ValueType::Fixed32, Values::Int(out)) => {
                fixed(&mut cursor, n, out, i32::from_le_bytes)?
            }
            (ValueType::Fixed64, Values::Long(out)) => {
                fixed(&mut cursor, n, out, i64::from_le_bytes)?
            }
            (ValueType::Float, Values::Float(out)) => {
                fixed(&mut cursor, n, out, f32::from_le_bytes)?
            }
            (ValueType::Double, Values::Double(out)) => {
                fixed(&mut cursor, n, out, f64::from_le_bytes)?
            }
            (ValueType::String | ValueType::Bytes, Values::Bytes(out)) => {
                strings(&mut cursor, n, out, value_type == ValueType::String)?;
            }
            (value_type, _) => return Err(Error::invalid(format!("no buffer for {value_type}"))),
        }
        self.position = block.len() - cursor.remaining();
        Ok(())
    }

    /// Passes over `n` values.
    pub(crate) fn skip_values(
        &mut self,
        block: &[u8],
        value_type: ValueType,
        n: usize,
    ) -> Result<()> {
        let mut cursor = self.cursor(block);
        match value_type {
            ValueType::Null => {}
            ValueType::Boolean => {
                self.take_bits(block, n)?;
                return Ok(());
            }
            ValueType::Int | ValueType::Long => varint::skip(&mut cursor, n)?,
            ValueType::Fixed32 | ValueType::Float => {
                cursor.take(size(n, 4)?, VALUE)?;
            }
            ValueType::Fixed64 | ValueType::Double => {
                cursor.take(size(n, 8)?, VALUE)?;
            }
            ValueType::String | ValueType::Bytes => {
                skip_strings(&mut cursor, n)?;
            }
        }
        self.position = block.len() - cursor.remaining();
        Ok(())
    }

    fn cursor<'b>(&self, block: &'b [u8]) -> Cursor<'b> {
        Cursor::new(block.get(self.position..).unwrap_or_default())
    }

    /// Passes over `n` bits. Returns the first.
    fn take_bits(&mut self, block: &[u8], n: usize) -> Result<usize> {
        // `bits` of the byte before `position` are used, so the first free bit is in that byte.
        let first = self.position * 8 - (8 - self.bits) % 8;
        let end = add(first, n)?;
        if end.div_ceil(8) > block.len() {
            // The error of the cursor has the number of missing bytes.
            let missing = end.div_ceil(8) - self.position;
            return self.cursor(block).take(missing, VALUE).map(|_| first);
        }
        (self.position, self.bits) = (end.div_ceil(8), end % 8);
        Ok(first)
    }
}

const VALUE: &str = "value";

fn add(a: usize, b: usize) -> Result<usize> {
    a.checked_add(b).ok_or_else(|| Error::malformed("more values than can be counted"))
}

fn size(n: usize, width: usize) -> Result<usize> {
    n.checked_mul(width).ok_or_else(|| Error::malformed("more values than can be counted"))
}

/// Fails unless `available` bytes can hold `n` values of at least one byte each.
fn check_claim(n: usize, available: usize) -> Result<()> {
    if n > available {
        return Err(Error::malformed(format!(
            "{n} values announced, but only {available} bytes left"
        )));
    }
    Ok(())
}

fn fixed<T, const N: usize>(
    cursor: &mut Cursor<'_>,
    n: usize,
    out: &mut Vec<T>,
    value: impl Fn([u8; N]) -> T,
) -> Result<()> {
    let (chunks, _) = cursor.take(size(n, N)?, VALUE)?.as_chunks::<N>();
    out.extend(chunks.iter().map(|chunk| value(*chunk)));
    Ok(())
}

fn strings(cursor: &mut Cursor<'_>, n: usize, out: &mut Strings, text: bool) -> Result<()> {
    check_claim(n, cursor.remaining())?;
    let (first, start) = (out.offsets.len(), out.data.len());
    let most = start.saturating_add(cursor.remaining());
    if i32::try_from(most).is_err() {
        return Err(Error::too_large("strings of one read", most as u64, i32::MAX as u64));
    }
    let Strings { offsets, data, .. } = &mut *out;
    let len = kernel::string::decode_strings(Level::in_use(), cursor.rest(), n, offsets, data);
    pass(cursor, len, offsets.len() - first == n)?;
    if text { check_text(out, first, start) } else { Ok(()) }
}

fn skip_strings(cursor: &mut Cursor<'_>, n: usize) -> Result<()> {
    let (passed, len) = kernel::string::skip_strings(cursor.rest(), n);
    pass(cursor, len, passed == n)
}

/// Skips the bytes of the complete strings. If not all were complete, returns the error of the next one.
fn pass(cursor: &mut Cursor<'_>, len: usize, all: bool) -> Result<()> {
    cursor.take(len, VALUE)?;
    if all {
        return Ok(());
    }
    cursor.bytes(VALUE)?;
    Err(Error::malformed("string exceeds the range of an offset"))
}

/// Fails unless the strings from the `first`th offset on, whose bytes begin at `start`, are each UTF-8.
fn check_text(out: &Strings, first: usize, start: usize) -> Result<()> {
    let new = out.data.get(start..).unwrap_or_default();
    let ends = out.offsets.get(first..).unwrap_or_default();
    let ends = ends.iter().map(|end| usize::try_from(*end).map_or(usize::MAX, |end| end - start));
    match kernel::string::is_utf8(new, ends) {
        true => Ok(()),
        false => Err(Error::malformed("string is not UTF-8")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::bitmap::Bits;

    #[test]
    fn booleans_in_pieces_and_past_the_end() {
        let block = [0b1010_0110, 0b01];
        let (mut d, mut out) = (Decoder::default(), Values::new(ValueType::Boolean));
        d.values(&block, ValueType::Boolean, 3, &mut out).unwrap();
        d.skip_values(&block, ValueType::Boolean, 2).unwrap();
        d.values(&block, ValueType::Boolean, 4, &mut out).unwrap();
        let expected: Bits = [false, true, true, true, false, true, true].into_iter().collect();
        assert_eq!(out, Values::Boolean(expected));
        d.finish(&block).unwrap();
        assert!(d.values(&block, ValueType::Boolean, 8, &mut out).unwrap_err().is_truncated());
    }

    #[test]
    fn claims_are_compared_with_the_bytes_that_are_there() {
        let mut strings = Values::new(ValueType::String);
        let mut d = Decoder::default();
        assert!(d.values(&[2, b'a'], ValueType::String, usize::MAX, &mut strings).is_err());
        assert!(
            d.values(&[0xfe, 0xff, 0xff, 0xff, 0xff, 1], ValueType::String, 1, &mut strings)
                .is_err()
        );
        // Two halves of a character are no strings, though together they are UTF-8.
        assert!(d.values(&[2, 0xc3, 2, 0xa9], ValueType::String, 2, &mut strings).is_err());
        let mut longs = Values::new(ValueType::Fixed64);
        assert!(d.values(&[0; 15], ValueType::Fixed64, 2, &mut longs).is_err());
        let mut lengths = Vec::new();
        let run = [0xff, 0xff, 0xff, 0xff, 0x0f];
        let (mut nulls, mut d) = (Values::new(ValueType::Null), Decoder::default());
        let n = d.arrays(&run, ValueType::Null, 1 << 30, &mut lengths, &mut nulls, 1000);
        assert!(matches!(n.unwrap_err().kind(), crate::ErrorKind::TooLarge { .. }));
        assert!(lengths.capacity() == 0);
    }
}
