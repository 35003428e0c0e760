//! Rows of an array in another order, some of them null.
//!
//! ```text
//! values  a b c        struct               each field
//! rows    2 - 0 0      union                a null row is any row: a union has no nulls of its own
//! taken   c - a a      values of no bytes   are counted, which Arrow's own kernel forgets
//! ```

use std::sync::Arc;

use arrow::array::*;
use arrow::buffer::{Buffer, NullBuffer};
use arrow::compute;
use arrow::datatypes::*;

use super::nested;
use crate::error::Result;

/// The rows of `values` at these places, null where the place is.
pub(crate) fn take(values: &ArrayRef, rows: &UInt64Array) -> Result<ArrayRef> {
    let n = rows.len();
    Ok(match values.data_type() {
        DataType::Struct(fields) => {
            let children = values.as_struct().columns().iter().map(|child| take(child, rows));
            nested::record(fields, children.collect::<Result<_>>()?, nulls(values, rows), n)?
        }
        DataType::FixedSizeList(field, size) => {
            let items = take(values.as_fixed_size_list().values(), &repeated(rows, *size))?;
            let (field, nulls) = (field.clone(), nulls(values, rows));
            Arc::new(FixedSizeListArray::try_new_with_length(field, *size, items, nulls, n)?)
        }
        DataType::FixedSizeBinary(0) => {
            let nulls = nulls(values, rows);
            Arc::new(FixedSizeBinaryArray::try_new_with_len(0, Buffer::default(), nulls, n)?)
        }
        DataType::Union(..) if rows.null_count() > 0 => {
            if values.is_empty() {
                return Ok(new_null_array(values.data_type(), n));
            }
            let any = rows.iter().map(|row| row.unwrap_or(0));
            compute::take(values, &UInt64Array::from_iter_values(any), None)?
        }
        _ => compute::take(values, rows, None)?,
    })
}

/// Which rows taken are null.
fn nulls(values: &ArrayRef, rows: &UInt64Array) -> Option<NullBuffer> {
    let Some(nulls) = values.nulls() else { return rows.nulls().cloned() };
    let valid = |row: Option<u64>| {
        let row = row.and_then(|row| usize::try_from(row).ok()).filter(|row| *row < nulls.len());
        row.is_some_and(|row| nulls.is_valid(row))
    };
    Some(rows.iter().map(valid).collect::<Vec<bool>>().into())
}

/// The places of the items of lists of one size.
fn repeated(rows: &UInt64Array, size: i32) -> UInt64Array {
    let size = u64::try_from(size).unwrap_or(0);
    let items = rows
        .iter()
        .flat_map(|row| (0..size).map(move |item| row.map(|row| row.saturating_mul(size) + item)));
    items.collect()
}
