//! Takes rows of an array by index; a null index produces a null.
//!
//! ```text
//! values  a b c        struct               each field
//! rows    2 - 0 0      union                a null row is any row: a union has no nulls of its own
//! taken   c - a a      values of no bytes   are counted, which Arrow's own kernel forgets
//! ```

use std::sync::Arc;

use arrow::array::*;
use arrow::buffer::{Buffer, NullBuffer, ScalarBuffer};
use arrow::compute;
use arrow::datatypes::*;

use super::nested;
use crate::error::Result;

/// Takes the rows of `values` at these indices; null where the index is null.
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
        DataType::Union(..) if values.is_empty() => new_null_array(values.data_type(), n),
        DataType::Union(fields, _) => union(values.as_union(), fields, &without_nulls(rows))?,
        _ => compute::take(values, rows, None)?,
    })
}

/// Returns which rows taken are null.
fn nulls(values: &ArrayRef, rows: &UInt64Array) -> Option<NullBuffer> {
    let Some(nulls) = values.nulls() else { return rows.nulls().cloned() };
    let valid = |row: Option<u64>| {
        let row = row.and_then(|row| usize::try_from(row).ok()).filter(|row| *row < nulls.len());
        row.is_some_and(|row| nulls.is_valid(row))
    };
    Some(rows.iter().map(valid).collect::<Vec<bool>>().into())
}

/// Null rows repeat the row before them.
fn without_nulls(rows: &UInt64Array) -> UInt64Array {
    let mut last = rows.iter().flatten().next().unwrap_or(0);
    let repeated = rows.iter().map(|row| {
        last = row.unwrap_or(last);
        last
    });
    UInt64Array::from_iter_values(repeated)
}

fn union(union: &UnionArray, fields: &UnionFields, rows: &UInt64Array) -> Result<ArrayRef> {
    let places = || rows.values().iter().filter_map(|row| usize::try_from(*row).ok());
    let ids: ScalarBuffer<i8> =
        places().filter_map(|row| union.type_ids().get(row).copied()).collect();
    let Some(offsets) = union.offsets() else {
        let children = fields.iter().map(|(id, _)| take(union.child(id), rows));
        let children = children.collect::<Result<_>>()?;
        return Ok(Arc::new(UnionArray::try_new(fields.clone(), ids, None, children)?));
    };
    let chosen: Vec<i32> = places().filter_map(|row| offsets.get(row).copied()).collect();
    let mut offsets = vec![0; chosen.len()];
    let mut children = Vec::with_capacity(fields.len());
    for (id, _) in fields.iter() {
        let mut taken = Vec::new();
        for ((slot, row_id), place) in offsets.iter_mut().zip(&ids).zip(&chosen) {
            if *row_id == id {
                *slot = i32::try_from(taken.len()).unwrap_or(i32::MAX);
                taken.push(u64::try_from(*place).unwrap_or(0));
            }
        }
        children.push(take(union.child(id), &taken.into())?);
    }
    let (fields, offsets) = (fields.clone(), Some(offsets.into()));
    Ok(Arc::new(UnionArray::try_new(fields, ids, offsets, children)?))
}

/// Returns the indices of the items of fixed-size lists.
fn repeated(rows: &UInt64Array, size: i32) -> UInt64Array {
    let size = u64::try_from(size).unwrap_or(0);
    let items = rows
        .iter()
        .flat_map(|row| (0..size).map(move |item| row.map(|row| row.saturating_mul(size) + item)));
    items.collect()
}
