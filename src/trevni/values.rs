//! Many values of one type, in the plain buffers that Arrow takes without copying.
//!
//! Decoders append to [`Values`]; writers borrow [`ValuesRef`]. Neither knows rows: those are in
//! [`ColumnData`](super::ColumnData).

use std::borrow::Cow;

use super::value::{Value, ValueType};
use crate::error::{Error, Result};

/// Owned values, in row order. Two are equal if they are so bit for bit: NaN equals itself, 0.0 is not -0.0.
#[derive(Debug, Clone)]
pub enum Values {
    /// So many nulls.
    Null(usize),
    /// Of a boolean column.
    Boolean(Bits),
    /// Of an int or fixed32 column.
    Int(Vec<i32>),
    /// Of a long or fixed64 column.
    Long(Vec<i64>),
    /// Of a float column.
    Float(Vec<f32>),
    /// Of a double column.
    Double(Vec<f64>),
    /// Of a string or bytes column.
    Bytes(Strings),
}

/// Borrowed values, in row order.
#[derive(Debug, Clone, Copy)]
pub enum ValuesRef<'a> {
    /// So many nulls.
    Null(usize),
    /// `len` bits from bit `offset`, low bit first.
    Boolean {
        /// The bytes that hold the bits.
        bits: &'a [u8],
        /// The first bit.
        offset: usize,
        /// How many bits.
        len: usize,
    },
    /// For an int or fixed32 column.
    Int(&'a [i32]),
    /// For a long or fixed64 column.
    Long(&'a [i64]),
    /// For a float column.
    Float(&'a [f32]),
    /// For a double column.
    Double(&'a [f64]),
    /// For a string or bytes column: value `i` is `data[offsets[i]..offsets[i + 1]]`.
    Bytes {
        /// One more than there are values; never decreasing.
        offsets: Offsets<'a>,
        /// What the offsets point into.
        data: &'a [u8],
    },
}

/// Where each string starts and ends, in either of Arrow's widths.
#[derive(Debug, Clone, Copy)]
pub enum Offsets<'a> {
    /// 32 bits.
    Small(&'a [i32]),
    /// 64 bits.
    Large(&'a [i64]),
}

/// Bits, low bit of each byte first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bits {
    bytes: Vec<u8>,
    len: usize,
}

/// Strings end to end, with the offsets between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Strings {
    /// One more than there are strings, from 0.
    pub offsets: Vec<i32>,
    /// All bytes.
    pub data: Vec<u8>,
}

impl Values {
    /// No values, for a column of this type.
    pub fn new(value_type: ValueType) -> Self {
        match value_type {
            ValueType::Null => Values::Null(0),
            ValueType::Boolean => Values::Boolean(Bits::default()),
            ValueType::Int | ValueType::Fixed32 => Values::Int(Vec::new()),
            ValueType::Long | ValueType::Fixed64 => Values::Long(Vec::new()),
            ValueType::Float => Values::Float(Vec::new()),
            ValueType::Double => Values::Double(Vec::new()),
            ValueType::String | ValueType::Bytes => Values::Bytes(Strings::default()),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.as_slice().len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Lends them.
    pub fn as_slice(&self) -> ValuesRef<'_> {
        match self {
            Values::Null(n) => ValuesRef::Null(*n),
            Values::Boolean(b) => ValuesRef::Boolean { bits: &b.bytes, offset: 0, len: b.len },
            Values::Int(v) => ValuesRef::Int(v),
            Values::Long(v) => ValuesRef::Long(v),
            Values::Float(v) => ValuesRef::Float(v),
            Values::Double(v) => ValuesRef::Double(v),
            Values::Bytes(s) => ValuesRef::strings(&s.offsets, &s.data),
        }
    }

    /// Appends one value; its type must be of the same kind.
    pub fn push(&mut self, value: &Value<'_>) -> Result<()> {
        match (self, value) {
            (Values::Null(n), Value::Null) => *n += 1,
            (Values::Boolean(b), Value::Boolean(v)) => b.push(*v),
            (Values::Int(vec), Value::Int(v)) => vec.push(*v),
            (Values::Long(vec), Value::Long(v)) => vec.push(*v),
            (Values::Float(vec), Value::Float(v)) => vec.push(*v),
            (Values::Double(vec), Value::Double(v)) => vec.push(*v),
            (Values::Bytes(s), Value::Bytes(v)) => s.push(v)?,
            (_, value) => {
                return Err(Error::invalid(format!("{value:?} is not of the column's type")));
            }
        }
        Ok(())
    }

    /// Forgets all but the first `n`.
    pub fn truncate(&mut self, n: usize) {
        match self {
            Values::Null(len) => *len = n.min(*len),
            Values::Boolean(b) => b.truncate(n),
            Values::Int(v) => v.truncate(n),
            Values::Long(v) => v.truncate(n),
            Values::Float(v) => v.truncate(n),
            Values::Double(v) => v.truncate(n),
            Values::Bytes(s) => s.truncate(n),
        }
    }
}

impl PartialEq for Values {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Values::Null(a), Values::Null(b)) => a == b,
            (Values::Boolean(a), Values::Boolean(b)) => a == b,
            (Values::Int(a), Values::Int(b)) => a == b,
            (Values::Long(a), Values::Long(b)) => a == b,
            (Values::Float(a), Values::Float(b)) => {
                a.iter().map(|v| v.to_bits()).eq(b.iter().map(|v| v.to_bits()))
            }
            (Values::Double(a), Values::Double(b)) => {
                a.iter().map(|v| v.to_bits()).eq(b.iter().map(|v| v.to_bits()))
            }
            (Values::Bytes(a), Values::Bytes(b)) => a == b,
            _ => false,
        }
    }
}

impl<'a> ValuesRef<'a> {
    /// Strings or bytes with 32-bit offsets.
    pub fn strings(offsets: &'a [i32], data: &'a [u8]) -> Self {
        ValuesRef::Bytes { offsets: Offsets::Small(offsets), data }
    }

    /// Strings or bytes with 64-bit offsets.
    pub fn large_strings(offsets: &'a [i64], data: &'a [u8]) -> Self {
        ValuesRef::Bytes { offsets: Offsets::Large(offsets), data }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            ValuesRef::Null(n) => *n,
            ValuesRef::Boolean { len, .. } => *len,
            ValuesRef::Int(v) => v.len(),
            ValuesRef::Long(v) => v.len(),
            ValuesRef::Float(v) => v.len(),
            ValuesRef::Double(v) => v.len(),
            ValuesRef::Bytes { offsets, .. } => offsets.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value at `i`, if there is one.
    pub fn get(&self, i: usize) -> Option<Value<'a>> {
        Some(match *self {
            ValuesRef::Null(n) => (i < n).then_some(Value::Null)?,
            ValuesRef::Boolean { bits, offset, len } => {
                let bit = (i < len).then_some(offset + i)?;
                Value::Boolean(bits.get(bit / 8)? >> (bit % 8) & 1 == 1)
            }
            ValuesRef::Int(v) => Value::Int(*v.get(i)?),
            ValuesRef::Long(v) => Value::Long(*v.get(i)?),
            ValuesRef::Float(v) => Value::Float(*v.get(i)?),
            ValuesRef::Double(v) => Value::Double(*v.get(i)?),
            ValuesRef::Bytes { offsets, data } => {
                Value::Bytes(Cow::Borrowed(offsets.value(i, data)?))
            }
        })
    }

    /// Whether a column of this type can hold them.
    pub fn are_of(&self, value_type: ValueType) -> bool {
        matches!(
            (self, value_type),
            (ValuesRef::Null(_), ValueType::Null)
                | (ValuesRef::Boolean { .. }, ValueType::Boolean)
                | (ValuesRef::Int(_), ValueType::Int | ValueType::Fixed32)
                | (ValuesRef::Long(_), ValueType::Long | ValueType::Fixed64)
                | (ValuesRef::Float(_), ValueType::Float)
                | (ValuesRef::Double(_), ValueType::Double)
                | (ValuesRef::Bytes { .. }, ValueType::String | ValueType::Bytes)
        )
    }

    /// Finds what a caller's buffers lack: bits or bytes that are not there, offsets that go back, text that
    /// is not UTF-8.
    pub(crate) fn check(&self, value_type: ValueType) -> Result<()> {
        if !self.are_of(value_type) {
            return Err(Error::invalid(format!(
                "values are not of the column's type {value_type}"
            )));
        }
        match *self {
            ValuesRef::Boolean { bits, offset, len } if bits.len() < (offset + len).div_ceil(8) => {
                Err(Error::invalid(format!(
                    "{} bytes of bits hold no {len} bits from {offset}",
                    bits.len()
                )))
            }
            ValuesRef::Bytes { offsets, data } => {
                offsets.check(data, value_type == ValueType::String)
            }
            _ => Ok(()),
        }
    }
}

impl Offsets<'_> {
    /// How many values lie between them.
    pub fn len(&self) -> usize {
        match self {
            Offsets::Small(o) => o.len().saturating_sub(1),
            Offsets::Large(o) => o.len().saturating_sub(1),
        }
    }

    /// Whether there is no value between them.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn at(&self, i: usize) -> Option<usize> {
        match self {
            Offsets::Small(o) => usize::try_from(*o.get(i)?).ok(),
            Offsets::Large(o) => usize::try_from(*o.get(i)?).ok(),
        }
    }

    /// The `i`th value in `data`.
    pub fn value<'d>(&self, i: usize, data: &'d [u8]) -> Option<&'d [u8]> {
        data.get(self.at(i)?..self.at(i + 1)?)
    }

    /// The bytes of a range of values together.
    pub(crate) fn bytes_between(&self, values: std::ops::Range<usize>) -> usize {
        let at = |i| self.at(i).unwrap_or(0);
        at(values.end).saturating_sub(at(values.start))
    }

    fn check(&self, data: &[u8], text: bool) -> Result<()> {
        let sorted = match self {
            Offsets::Small(o) => o.first().is_none_or(|first| *first >= 0) && o.is_sorted(),
            Offsets::Large(o) => o.first().is_none_or(|first| *first >= 0) && o.is_sorted(),
        };
        let n = self.len();
        let (start, end) = (self.at(0).unwrap_or(0), self.at(n).unwrap_or(0));
        let Some(used) = data.get(start..end).filter(|_| sorted) else {
            return Err(Error::invalid("string offsets go back, or past the data"));
        };
        if text && !used.is_ascii() {
            let text =
                std::str::from_utf8(used).map_err(|_| Error::invalid("string is not UTF-8"))?;
            let whole =
                (0..n).all(|i| self.at(i).is_some_and(|at| text.is_char_boundary(at - start)));
            if !whole {
                return Err(Error::invalid("string offset within a character"));
            }
        }
        Ok(())
    }
}

impl Bits {
    /// How many bits.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bytes; bits past the last are 0.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes and the number of bits.
    pub fn into_parts(self) -> (Vec<u8>, usize) {
        (self.bytes, self.len)
    }

    /// Appends a bit.
    pub fn push(&mut self, bit: bool) {
        let shift = self.len % 8;
        match self.bytes.last_mut() {
            Some(last) if shift > 0 => *last |= u8::from(bit) << shift,
            _ => self.bytes.push(u8::from(bit)),
        }
        self.len += 1;
    }

    /// Appends `n` bits of `source` from bit `offset`. Bits that are not there count as 0.
    pub fn extend(&mut self, source: &[u8], offset: usize, n: usize) {
        let into = self.len % 8;
        self.bytes.resize((self.len + n).div_ceil(8), 0);
        let start = self.len / 8;
        self.len += n;
        let mut done = 0;
        for (i, byte) in self.bytes.iter_mut().skip(start).enumerate() {
            let skip = if i == 0 { into } else { 0 };
            let take = (8 - skip).min(n - done);
            let bits = eight_bits(source, offset + done) & mask(take);
            *byte |= bits << skip;
            done += take;
        }
    }

    fn truncate(&mut self, n: usize) {
        if n < self.len {
            self.len = n;
            self.bytes.truncate(n.div_ceil(8));
            if let Some(last) = self.bytes.last_mut().filter(|_| !n.is_multiple_of(8)) {
                *last &= mask(n % 8);
            }
        }
    }
}

impl FromIterator<bool> for Bits {
    fn from_iter<I: IntoIterator<Item = bool>>(bits: I) -> Self {
        let mut all = Bits::default();
        bits.into_iter().for_each(|bit| all.push(bit));
        all
    }
}

/// The low `n` bits of a byte.
fn mask(n: usize) -> u8 {
    if n >= 8 { 0xff } else { !(0xff << n) }
}

/// Eight bits of `source` from bit `at`.
pub(crate) fn eight_bits(source: &[u8], at: usize) -> u8 {
    let low = source.get(at / 8).copied().unwrap_or(0);
    let high = source.get(at / 8 + 1).copied().unwrap_or(0);
    let [bits, _] = (u16::from_le_bytes([low, high]) >> (at % 8)).to_le_bytes();
    bits
}

impl Default for Strings {
    fn default() -> Self {
        Self { offsets: vec![0], data: Vec::new() }
    }
}

impl Strings {
    /// How many strings.
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The `i`th string.
    pub fn get(&self, i: usize) -> Option<&[u8]> {
        Offsets::Small(&self.offsets).value(i, &self.data)
    }

    /// Appends a string; fails when all together pass 2 GiB.
    pub fn push(&mut self, value: &[u8]) -> Result<()> {
        let end = self.data.len() + value.len();
        let Ok(offset) = i32::try_from(end) else {
            return Err(Error::too_large("strings of one read", end as u64, i32::MAX as u64));
        };
        self.data.extend_from_slice(value);
        self.offsets.push(offset);
        Ok(())
    }

    fn truncate(&mut self, n: usize) {
        self.offsets.truncate(n + 1);
        let end = self.offsets.last().and_then(|end| usize::try_from(*end).ok()).unwrap_or(0);
        self.data.truncate(end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_extend_like_push() {
        let source: Vec<u8> = (0..40u8).map(|i| i.wrapping_mul(73) ^ 0x5a).collect();
        for before in 0..10 {
            for offset in 0..17 {
                for n in [0, 1, 5, 8, 9, 16, 23, 64, 100] {
                    let mut fast: Bits = (0..before).map(|i| i % 3 == 0).collect();
                    let mut slow = fast.clone();
                    fast.extend(&source, offset, n);
                    for bit in offset..offset + n {
                        slow.push(source[bit / 8] >> (bit % 8) & 1 == 1);
                    }
                    assert_eq!(fast, slow, "{before} {offset} {n}");
                }
            }
        }
    }

    #[test]
    fn truncate_forgets() {
        let mut bits: Bits = [true; 20].into_iter().collect();
        bits.truncate(9);
        assert_eq!(bits.as_bytes(), [0xff, 0x01]);
        let mut strings = Strings::default();
        for s in ["a", "", "bcd"] {
            strings.push(s.as_bytes()).unwrap();
        }
        strings.truncate(2);
        assert_eq!((strings.len(), strings.data.as_slice(), strings.get(2)), (2, &b"a"[..], None));
    }

    #[test]
    fn checks_a_callers_buffers() {
        let text = "aé".as_bytes();
        assert!(ValuesRef::strings(&[0, 1, 3], text).check(ValueType::String).is_ok());
        assert!(ValuesRef::strings(&[0, 2, 3], text).check(ValueType::Bytes).is_ok());
        for (offsets, text) in [
            (&[0, 2, 3][..], text),
            (&[0, 4], text),
            (&[1, 0], text),
            (&[-1, 1], text),
            (&[0, 1], &[0xff]),
        ] {
            assert!(
                ValuesRef::strings(offsets, text).check(ValueType::String).is_err(),
                "{offsets:?}"
            );
        }
        assert!(
            ValuesRef::Boolean { bits: &[0], offset: 4, len: 5 }.check(ValueType::Boolean).is_err()
        );
        assert!(ValuesRef::Int(&[1]).check(ValueType::Long).is_err());
    }
}
