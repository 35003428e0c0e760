//! The data of a column: array lengths and values.
//!
//! ```text
//! rows       [a b] []  [c]            an array column: one length a row (of a child: a parent's value)
//! lengths     2    0    1
//! values      a b       c             all values end to end
//! ```
//! Or slots, of a value codec:
//!
//! ```text
//! validity    1    0    1             a bit each: lengths of 0 and 1
//! values      a    ?    c             a value each
//! ```
//! An array column of nulls whose lengths are 0 or 1 may have a bit for each length, as booleans without lengths. A
//! plain column has one value for each row and no lengths. A child that is not an array column has one value for
//! each value of its parent and no lengths. The number of rows is known to the reader or writer.

use super::bitmap::Bits;
use super::column_metadata::ColumnMetadata;
use super::value::ValueType;
use super::values::Values;
use super::values_ref::ValuesRef;

/// The decoded rows of one column.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnData {
    /// Of array columns: the length of each array.
    pub lengths: Option<Vec<u32>>,
    /// Of array columns of a value codec, read slot by slot: which slots have a value. The values are one each, and
    /// where there is none, anything.
    pub validity: Option<Bits>,
    /// The values, end to end.
    pub values: Values,
}

/// Rows of one column, borrowed by a writer.
#[derive(Debug, Clone, Copy)]
pub struct ColumnSlice<'a> {
    /// Of array columns: the length of each array.
    pub lengths: Option<&'a [u32]>,
    /// The bits, the first that counts, of array columns of a value codec: which slots have a value.
    pub validity: Option<(&'a [u8], usize)>,
    /// The values, end to end.
    pub values: ValuesRef<'a>,
}

impl ColumnData {
    /// No rows of a column of this type.
    pub fn new(value_type: ValueType, array: bool) -> Self {
        Self { lengths: array.then(Vec::new), validity: None, values: Values::new(value_type) }
    }

    /// No rows of this column.
    pub fn of(column: &ColumnMetadata) -> Self {
        Self::new(column.value_type(), column.is_array())
    }

    /// No rows of an array column of nulls whose lengths are only 0 and 1: readers put a bit for each length
    /// among the values.
    pub fn presence() -> Self {
        Self::new(ValueType::Boolean, false)
    }

    /// No slots of an array column of a value codec whose lengths are only 0 and 1: readers put a bit and a value
    /// for each.
    pub fn slots(value_type: ValueType) -> Self {
        let validity = Some(Bits::default());
        Self { lengths: None, validity, values: Values::new(value_type) }
    }

    /// Forgets the rows, which have no slots, and keeps the memory.
    pub fn clear(&mut self) {
        self.values.truncate(0);
        if let Some(lengths) = &mut self.lengths {
            lengths.clear();
        }
    }

    /// Lends the data.
    pub fn as_slice(&self) -> ColumnSlice<'_> {
        let validity = self.validity.as_ref().map(|validity| (validity.as_bytes(), 0));
        ColumnSlice { lengths: self.lengths.as_deref(), validity, values: self.values.as_slice() }
    }
}

impl<'a> ColumnSlice<'a> {
    /// Values without lengths.
    pub fn plain(values: ValuesRef<'a>) -> Self {
        Self { lengths: None, validity: None, values }
    }

    /// Arrays of nulls whose lengths are only 0 and 1: `len` bits from bit `offset`, low bit first.
    pub fn presence(bits: &'a [u8], offset: usize, len: usize) -> Self {
        Self::plain(ValuesRef::Boolean { bits, offset, len })
    }

    /// Arrays: their lengths, and the values of all.
    pub fn array(lengths: &'a [u32], values: ValuesRef<'a>) -> Self {
        Self { lengths: Some(lengths), validity: None, values }
    }

    /// Creates a slice of slots, for an array column of a value codec: a bit from bit `offset` and a value for
    /// each. Where the bit is 0 there is no value, and the content of the slot is ignored.
    pub fn slots(bits: &'a [u8], offset: usize, values: ValuesRef<'a>) -> Self {
        Self { lengths: None, validity: Some((bits, offset)), values }
    }

    /// Returns whether lengths are bits.
    pub(crate) fn has_presence(&self, value_type: ValueType) -> bool {
        self.bits(value_type).is_some()
    }

    /// Returns the bits that are lengths of 0 and 1, and the first.
    pub(crate) fn bits(&self, value_type: ValueType) -> Option<(&'a [u8], usize)> {
        match self.values {
            ValuesRef::Boolean { bits, offset, .. } if value_type == ValueType::Null => {
                Some((bits, offset))
            }
            _ => self.validity,
        }
    }
}
