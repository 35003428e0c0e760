//! The values of one column to be written: owned counts, and values that mostly borrow Arrow's buffers.
//!
//! ```text
//! BorrowedValues        values      Arrow's buffer, shared, or ours         -> ValuesRef
//! ShreddedColumn    lengths?  + values?                                 -> ColumnSlice
//! ```
//! Arrow's buffers are counted, so a value that is dense already is passed on without a copy.

use arrow::buffer::{BooleanBuffer, Buffer, OffsetBuffer, ScalarBuffer};

use crate::error::{Error, Result};
use crate::format::column_data::ColumnSlice;
use crate::format::values_ref::ValuesRef;

/// Values that live in Arrow's buffers.
#[derive(Debug, Clone)]
pub(crate) enum BorrowedValues {
    Null(usize),
    Boolean(BooleanBuffer),
    Int(ScalarBuffer<i32>),
    Long(ScalarBuffer<i64>),
    Float(ScalarBuffer<f32>),
    Double(ScalarBuffer<f64>),
    Bytes(OffsetBuffer<i32>, Buffer),
    LargeBytes(OffsetBuffer<i64>, Buffer),
}

impl BorrowedValues {
    pub(crate) fn as_slice(&self) -> ValuesRef<'_> {
        match self {
            BorrowedValues::Null(n) => ValuesRef::Null(*n),
            BorrowedValues::Boolean(b) => {
                ValuesRef::Boolean { bits: b.values(), offset: b.offset(), len: b.len() }
            }
            BorrowedValues::Int(v) => ValuesRef::Int(v),
            BorrowedValues::Long(v) => ValuesRef::Long(v),
            BorrowedValues::Float(v) => ValuesRef::Float(v),
            BorrowedValues::Double(v) => ValuesRef::Double(v),
            BorrowedValues::Bytes(offsets, data) => ValuesRef::strings(offsets, data),
            BorrowedValues::LargeBytes(offsets, data) => ValuesRef::large_strings(offsets, data),
        }
    }
}

/// One column of a batch.
#[derive(Debug, Clone, Default)]
pub(crate) struct ShreddedColumn {
    pub(crate) lengths: Option<Vec<u32>>,
    /// Which slots have a value, if the values are one for each.
    pub(crate) validity: Option<BooleanBuffer>,
    pub(crate) values: Option<BorrowedValues>,
}

impl ShreddedColumn {
    /// Borrows the column. A column without values has as many nulls as its counts sum to.
    pub(crate) fn as_slice(&self) -> ColumnSlice<'_> {
        let values = match &self.values {
            Some(values) => values.as_slice(),
            None => ValuesRef::Null(self.lengths.iter().flatten().map(|n| *n as usize).sum()),
        };
        let validity =
            self.validity.as_ref().map(|validity| (validity.values(), validity.offset()));
        ColumnSlice { lengths: self.lengths.as_deref(), validity, values }
    }
}

/// Sets the counts of a column.
pub(crate) fn set_lengths(
    out: &mut [ShreddedColumn],
    column: usize,
    lengths: Vec<u32>,
) -> Result<()> {
    slot(out, column)?.lengths = Some(lengths);
    Ok(())
}

/// Sets which slots of a column have a value.
pub(crate) fn set_validity(
    out: &mut [ShreddedColumn],
    column: usize,
    validity: BooleanBuffer,
) -> Result<()> {
    slot(out, column)?.validity = Some(validity);
    Ok(())
}

/// Sets the values of a column.
pub(crate) fn set_values(
    out: &mut [ShreddedColumn],
    column: usize,
    values: BorrowedValues,
) -> Result<()> {
    slot(out, column)?.values = Some(values);
    Ok(())
}

fn slot(out: &mut [ShreddedColumn], column: usize) -> Result<&mut ShreddedColumn> {
    out.get_mut(column).ok_or_else(|| Error::invalid(format!("no column {column}")))
}
