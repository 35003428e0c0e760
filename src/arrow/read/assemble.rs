//! Assembles the values of columns into arrays, following the layout of each field.
//!
//! ```text
//! Leaf        values                                     Record    each field
//! Optional    0 or 1 a row: validity                     Union     0 or 1 a row of each branch: type ids
//! List, Map   items a row: offsets
//! ```
//! The inverse of [`shred`](crate::arrow::write::shred). Counts and values are moved out of the columns, each once.
//! They come from a file, so they are checked against each other.

use std::sync::Arc;

use arrow::array::*;
use arrow::buffer::{BooleanBuffer, Buffer, NullBuffer, ScalarBuffer};
use arrow::datatypes::{DataType, Field, UnionFields, UnionMode};

use crate::arrow::array::branch::expand_branch;
use crate::arrow::array::buffer_pool::BufferPool;
use crate::arrow::array::expand_nulls::within;
use crate::arrow::array::map_rows::expand;
use crate::arrow::array::nested;
use crate::arrow::field_path::FieldPath;
use crate::arrow::layout::field_layout::FieldLayout;
use crate::arrow::leaf::types;
use crate::error::{Error, Result};
use crate::format::column_data::ColumnData;
use crate::format::values::Values;

/// The columns of a batch, and memory to make its arrays in.
#[derive(Debug, Default)]
pub(crate) struct Decoded {
    pub(crate) columns: Vec<ColumnData>,
    pub(crate) pool: BufferPool,
}

/// Assembles `n` rows of a field.
pub(crate) fn assemble(
    shape: &FieldLayout,
    field: &Field,
    n: usize,
    data: &mut Decoded,
    path: &FieldPath<'_>,
) -> Result<ArrayRef> {
    match shape {
        FieldLayout::Leaf { column } => {
            let values = take_values(*column, field, n, data, path)?;
            types::to_arrow(values, field.data_type(), None, &mut data.pool)
        }
        FieldLayout::Optional { counts, inner } => {
            let slots = data.columns.get_mut(*counts).and_then(|column| column.validity.take());
            if let Some(slots) = slots {
                let (bytes, len) = slots.into_parts();
                let validity = BooleanBuffer::new(Buffer::from_vec(bytes), 0, len);
                let values = take_values(*counts, field, n, data, path)?;
                let nulls = Some(NullBuffer::new(validity));
                return types::to_arrow(values, field.data_type(), nulls, &mut data.pool);
            }
            let validity = take_presence(data, *counts, n, path)?;
            let (n, nulls) = (validity.count_set_bits(), NullBuffer::new(validity));
            if let FieldLayout::Leaf { column } = inner.as_ref() {
                let values = take_values(*column, field, n, data, path)?;
                return types::to_arrow_optional(values, field.data_type(), nulls, &mut data.pool);
            }
            expand(&assemble(inner, field, n, data, path)?, &nulls)
        }
        FieldLayout::List { counts, inner } => {
            let lengths = take_lengths(data, *counts, n, path)?;
            let item = nested::item(field.data_type()).ok_or_else(|| unfit(field, path))?;
            let items = assemble(inner, item, total(&lengths), data, &path.then(item.name()))?;
            nested::list(field.data_type(), &lengths, items, path)
        }
        FieldLayout::Map { counts, key, value } => {
            let lengths = take_lengths(data, *counts, n, path)?;
            let DataType::Map(entry, ordered) = field.data_type() else {
                return Err(unfit(field, path));
            };
            let shapes = [key.as_ref(), value.as_ref()];
            let entries = record(shapes, entry, total(&lengths), data, path)?;
            let (offsets, entries) =
                (nested::small_offsets(&lengths)?, entries.as_struct().clone());
            Ok(Arc::new(MapArray::try_new(entry.clone(), offsets, entries, None, *ordered)?))
        }
        FieldLayout::Record(shapes) => record(shapes, field, n, data, path),
        FieldLayout::Union(branches) => union(branches, field, n, data, path),
        FieldLayout::Nothing => Ok(Arc::new(NullArray::new(n))),
    }
}

fn take_values(
    column: usize,
    field: &Field,
    n: usize,
    data: &mut Decoded,
    path: &FieldPath<'_>,
) -> Result<Values> {
    let slot = data.columns.get_mut(column).ok_or_else(|| unfit(field, path))?;
    let values = std::mem::replace(&mut slot.values, Values::Null(0));
    if values.len() != n {
        let what = format!("field {path}: {} values for {n} rows", values.len());
        return Err(Error::malformed(what));
    }
    Ok(values)
}

fn record<'s>(
    shapes: impl IntoIterator<Item = &'s FieldLayout>,
    field: &Field,
    n: usize,
    data: &mut Decoded,
    path: &FieldPath<'_>,
) -> Result<ArrayRef> {
    let DataType::Struct(fields) = field.data_type() else { return Err(unfit(field, path)) };
    let child = |(shape, field): (&FieldLayout, &Arc<Field>)| {
        assemble(shape, field, n, data, &path.then(field.name()))
    };
    let children = shapes.into_iter().zip(fields).map(child).collect::<Result<_>>()?;
    nested::record(fields, children, None, n)
}

fn union(
    branches: &[(Option<usize>, FieldLayout)],
    field: &Field,
    n: usize,
    data: &mut Decoded,
    path: &FieldPath<'_>,
) -> Result<ArrayRef> {
    let DataType::Union(fields, mode) = field.data_type() else { return Err(unfit(field, path)) };
    within("rows of a union in one batch", n)?;
    let chosen = choose(branches, n, data, path)?;
    let mut children = Vec::with_capacity(branches.len());
    for (((_, shape), rows), (_, field)) in branches.iter().zip(&chosen).zip(fields.iter()) {
        let child = assemble(shape, field, rows.count_set_bits(), data, &path.then(field.name()))?;
        children.push(match mode {
            UnionMode::Dense => child,
            UnionMode::Sparse => expand_branch(&child, &NullBuffer::new(rows.clone()))?,
        });
    }
    let (ids, offsets) = ids_and_offsets(fields, &chosen, n);
    let offsets = (*mode == UnionMode::Dense).then_some(offsets);
    Ok(Arc::new(UnionArray::try_new(fields.clone(), ids, offsets, children)?))
}

/// Returns the rows of each branch; each row is of exactly one.
fn choose(
    branches: &[(Option<usize>, FieldLayout)],
    n: usize,
    data: &mut Decoded,
    path: &FieldPath<'_>,
) -> Result<Vec<BooleanBuffer>> {
    let mut taken = BooleanBuffer::new_unset(n);
    let mut rows = 0;
    let mut chosen = Vec::with_capacity(branches.len());
    for (counts, _) in branches {
        let branch = match counts {
            Some(counts) => take_presence(data, *counts, n, path)?,
            None => BooleanBuffer::new_unset(n),
        };
        rows += branch.count_set_bits();
        taken = &taken | &branch;
        chosen.push(branch);
    }
    // The branch without counts has the rows that no other has.
    let rest = branches.iter().zip(&mut chosen).find(|((counts, _), _)| counts.is_none());
    let complete = match rest {
        Some((_, rest)) => {
            *rest = !&taken;
            rows == taken.count_set_bits()
        }
        None => rows == n && taken.count_set_bits() == n,
    };
    if !complete {
        return Err(Error::malformed(format!("field {path}: a row is not of just one branch")));
    }
    Ok(chosen)
}

fn ids_and_offsets(
    fields: &UnionFields,
    chosen: &[BooleanBuffer],
    n: usize,
) -> (ScalarBuffer<i8>, ScalarBuffer<i32>) {
    let (mut ids, mut offsets) = (vec![0i8; n], vec![0i32; n]);
    for ((id, _), rows) in fields.iter().zip(chosen) {
        for (offset, row) in (0i32..).zip(rows.set_indices()) {
            if let (Some(i), Some(o)) = (ids.get_mut(row), offsets.get_mut(row)) {
                (*i, *o) = (id, offset);
            }
        }
    }
    (ids.into(), offsets.into())
}

fn take_lengths(
    data: &mut Decoded,
    column: usize,
    n: usize,
    path: &FieldPath<'_>,
) -> Result<Vec<u32>> {
    match data.columns.get_mut(column).and_then(|column| column.lengths.take()) {
        Some(lengths) if lengths.len() == n => Ok(lengths),
        Some(lengths) => {
            let what = format!("field {path}: {} counts for {n} rows", lengths.len());
            Err(Error::malformed(what))
        }
        None => Err(Error::malformed(format!("field {path}: no counts"))),
    }
}

/// Counts of 0 and 1 as bits; of columns of nothing but counts they are bits already.
fn take_presence(
    data: &mut Decoded,
    column: usize,
    n: usize,
    path: &FieldPath<'_>,
) -> Result<BooleanBuffer> {
    if let Some(ColumnData { lengths: None, validity: None, values: Values::Boolean(bits) }) =
        data.columns.get_mut(column)
    {
        let (bytes, len) = std::mem::take(bits).into_parts();
        if len != n {
            let what = format!("field {path}: {len} counts for {n} rows");
            return Err(Error::malformed(what));
        }
        return Ok(BooleanBuffer::new(Buffer::from_vec(bytes), 0, len));
    }
    let lengths = take_lengths(data, column, n, path)?;
    if let Some(count) = lengths.iter().find(|count| **count > 1) {
        let what = format!("field {path}: a count of {count} where only 0 or 1 can be");
        return Err(Error::malformed(what));
    }
    Ok(BooleanBuffer::collect_bool(n, |row| lengths.get(row).is_some_and(|count| *count == 1)))
}

fn total(lengths: &[u32]) -> usize {
    lengths.iter().map(|n| *n as usize).sum()
}

fn unfit(field: &Field, path: &FieldPath<'_>) -> Error {
    Error::malformed(format!("field {path}: {} does not fit its shape", field.data_type()))
}
