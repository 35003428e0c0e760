//! Decodes array columns: lengths, and the values after each; the inverse of `Encoder::arrays` and
//! `Encoder::presence`.
//!
//! ```text
//! null array     length length length ...          runs of zeros and of ones are one number
//! other arrays   length value ... length value ...
//! ```

use super::{Decoder, VALUE, add, check_claim, check_text, size, strings};
use crate::error::{Error, Result};
use crate::format::bitmap::Bits;
use crate::format::budget::{check_items, check_lengths};
use crate::format::value::ValueType;
use crate::format::values::Values;
use crate::format::varint;
use crate::wire::Cursor;

/// How many lengths are passed over at once.
const AT_ONCE: usize = 4096;

impl Decoder {
    /// Passes over `n` arrays. Returns how many values they have.
    pub(crate) fn skip_arrays(
        &mut self,
        block: &[u8],
        value_type: ValueType,
        n: usize,
    ) -> Result<usize> {
        if value_type != ValueType::Null {
            return self.skip_valued(block, value_type, n);
        }
        let (mut cursor, mut lengths) = (self.cursor(block), Vec::new());
        let (mut sum, mut left) = (0, n);
        while left > 0 {
            if self.lengths.goes_on(AT_ONCE) {
                let (length, count) = self.lengths.run(&mut cursor, left)?;
                sum = add(sum, size(count, length as usize)?)?;
                left -= count;
                continue;
            }
            lengths.clear();
            let most = left.min(AT_ONCE);
            sum = add(sum, self.lengths.many(&mut cursor, most, &mut lengths)?)?;
            left -= lengths.len();
        }
        self.position = block.len() - cursor.remaining();
        Ok(sum)
    }

    /// Returns the same of arrays whose values follow their lengths.
    fn skip_valued(&mut self, block: &[u8], value_type: ValueType, n: usize) -> Result<usize> {
        let mut sum = 0;
        for _ in 0..n {
            let length = self.next_length(block)?;
            if length > 0 {
                self.skip_values(block, value_type, length)?;
                sum = add(sum, length)?;
            }
        }
        Ok(sum)
    }

    /// Returns the next length; its values start after it, at a byte boundary.
    fn next_length(&mut self, block: &[u8]) -> Result<usize> {
        let mut cursor = self.cursor(block);
        let length = self.lengths.next(&mut cursor)?;
        self.position = block.len() - cursor.remaining();
        self.bits = 0;
        Ok(length as usize)
    }

    /// Appends a bit for each of `n` lengths that may only be 0 or 1. Returns how many are 1.
    pub(crate) fn presence(
        &mut self,
        block: &[u8],
        n: usize,
        out: &mut Bits,
        most: usize,
    ) -> Result<usize> {
        affordable(block, n, most)?;
        let mut cursor = self.cursor(block);
        let (rows, mut ones) = self.lengths.presence(&mut cursor, n, out)?;
        for _ in rows..n {
            let length = self.lengths.next(&mut cursor)?;
            if length > 1 {
                let what = format!("a count of {length} where only 0 or 1 can be");
                return Err(Error::malformed(what));
            }
            ones += length as usize;
            out.push(length == 1);
        }
        self.position = block.len() - cursor.remaining();
        Ok(ones)
    }

    /// Appends `n` lengths, and the values of all, at most `most`. Returns how many values they are.
    pub(crate) fn arrays(
        &mut self,
        block: &[u8],
        value_type: ValueType,
        n: usize,
        lengths: &mut Vec<u32>,
        out: &mut Values,
        most: usize,
    ) -> Result<usize> {
        affordable(block, n, most)?;
        match (value_type, out) {
            (ValueType::Null, out) => self.null_arrays(block, n, lengths, out, most),
            (ValueType::String | ValueType::Bytes, Values::Bytes(out)) => {
                let (first, start) = (out.offsets.len(), out.data.len());
                let sum =
                    self.each_array(block, n, most, lengths, |cursor, length| match length {
                        1 => out.append(cursor.bytes(VALUE)?),
                        _ => strings(cursor, length, out, false),
                    })?;
                if value_type == ValueType::String {
                    check_text(out, first, start)?;
                }
                Ok(sum)
            }
            (ValueType::Int, Values::Int(out)) => {
                self.each_array(block, n, most, lengths, |cursor, length| match length {
                    1 => {
                        out.push(cursor.int(VALUE)?);
                        Ok(())
                    }
                    _ => {
                        check_claim(length, cursor.remaining())?;
                        varint::ints(cursor, length, out)
                    }
                })
            }
            (ValueType::Long, Values::Long(out)) => {
                self.each_array(block, n, most, lengths, |cursor, length| match length {
                    1 => {
                        out.push(cursor.long(VALUE)?);
                        Ok(())
                    }
                    _ => {
                        check_claim(length, cursor.remaining())?;
                        varint::longs(cursor, length, out)
                    }
                })
            }
            (value_type, out) => self.any_arrays(block, value_type, n, lengths, out, most),
        }
    }

    /// Takes `n` lengths, and after each that is not 0 its values by `take`.
    #[inline]
    fn each_array(
        &mut self,
        block: &[u8],
        n: usize,
        most: usize,
        lengths: &mut Vec<u32>,
        mut take: impl FnMut(&mut Cursor<'_>, usize) -> Result<()>,
    ) -> Result<usize> {
        let mut cursor = self.cursor(block);
        let mut sum = 0usize;
        for _ in 0..n {
            let length = self.lengths.next(&mut cursor)?;
            lengths.push(length);
            if length > 0 {
                sum = add(sum, length as usize)?;
                check_items(sum, most)?;
                take(&mut cursor, length as usize)?;
            }
        }
        self.position = block.len() - cursor.remaining();
        self.bits = 0;
        Ok(sum)
    }

    /// Arrays of any type.
    fn any_arrays(
        &mut self,
        block: &[u8],
        value_type: ValueType,
        n: usize,
        lengths: &mut Vec<u32>,
        out: &mut Values,
        most: usize,
    ) -> Result<usize> {
        let mut sum = 0usize;
        for _ in 0..n {
            let length = self.next_length(block)?;
            // No length is longer than an int.
            lengths.push(u32::try_from(length).unwrap_or(u32::MAX));
            if length > 0 {
                sum = add(sum, length)?;
                check_items(sum, most)?;
                self.values(block, value_type, length, out)?;
            }
        }
        Ok(sum)
    }

    /// Lengths alone, a run at a time.
    fn null_arrays(
        &mut self,
        block: &[u8],
        n: usize,
        lengths: &mut Vec<u32>,
        out: &mut Values,
        most: usize,
    ) -> Result<usize> {
        let (mut cursor, end) = (self.cursor(block), lengths.len() + n);
        let mut sum = 0;
        while lengths.len() < end {
            sum = add(sum, self.lengths.many(&mut cursor, end - lengths.len(), lengths)?)?;
        }
        self.position = block.len() - cursor.remaining();
        if let Values::Null(count) = out {
            check_items(sum, most)?;
            *count = add(*count, sum)?;
        }
        Ok(sum)
    }
}

/// Fails if a block has more lengths than its runs may represent.
fn affordable(block: &[u8], n: usize, most: usize) -> Result<()> {
    if n / 8 > block.len() { check_lengths(n, most) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_ones_in_a_valued_array() {
        // -4: three arrays of one value each.
        let block = [0x07, 0x02, 0x04, 0x06];
        let (mut d, mut lengths, mut out) =
            (Decoder::default(), Vec::new(), Values::new(ValueType::Int));
        let n = d.arrays(&block, ValueType::Int, 3, &mut lengths, &mut out, 3);
        assert_eq!((n.unwrap(), lengths, out), (3, vec![1, 1, 1], Values::Int(vec![1, 2, 3])));
        d.finish(&block).unwrap();
    }
}
