//! Splits nested arrays into their children and builds them again.
//!
//! ```text
//! list, large, view, fixed-size    lengths + items           struct    fields + validity
//! map                              lengths + entries         union     type ids (+ offsets) + branches
//! ```

use std::sync::Arc;

use arrow::array::*;
use arrow::buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow::datatypes::{DataType, FieldRef, Fields, UnionFields};

use super::utf8;
use crate::arrow::field_path::FieldPath;
use crate::error::{Error, Result};
use crate::kernel;

/// Returns the fields directly within a type, each changed by `change`.
pub(crate) fn map_fields(
    data_type: &DataType,
    mut change: impl FnMut(&FieldRef) -> FieldRef,
) -> DataType {
    use DataType::*;
    match data_type {
        List(f) => List(change(f)),
        LargeList(f) => LargeList(change(f)),
        ListView(f) => ListView(change(f)),
        LargeListView(f) => LargeListView(change(f)),
        FixedSizeList(f, size) => FixedSizeList(change(f), *size),
        Map(f, ordered) => Map(change(f), *ordered),
        Struct(fields) => Struct(fields.iter().map(change).collect()),
        Union(fields, mode) => {
            Union(fields.iter().map(|(id, f)| (id, change(f))).collect::<UnionFields>(), *mode)
        }
        other => other.clone(),
    }
}

/// Returns the fields directly within a type.
pub(crate) fn fields(data_type: &DataType) -> Vec<FieldRef> {
    use DataType::*;
    match data_type {
        List(f) | LargeList(f) | ListView(f) | LargeListView(f) => vec![f.clone()],
        FixedSizeList(f, _) | Map(f, _) => vec![f.clone()],
        Struct(fields) => fields.iter().cloned().collect(),
        Union(fields, _) => fields.iter().map(|(_, f)| f.clone()).collect(),
        _ => Vec::new(),
    }
}

/// The item of any kind of list; `None` for other types.
pub(crate) fn item(data_type: &DataType) -> Option<&FieldRef> {
    match data_type {
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _) => Some(item),
        _ => None,
    }
}

/// Returns the arrays directly within an array, in the order of [`fields`].
pub(crate) fn children(array: &dyn Array) -> Vec<ArrayRef> {
    use DataType::*;
    match array.data_type() {
        List(_) => vec![array.as_list::<i32>().values().clone()],
        LargeList(_) => vec![array.as_list::<i64>().values().clone()],
        ListView(_) => vec![array.as_list_view::<i32>().values().clone()],
        LargeListView(_) => vec![array.as_list_view::<i64>().values().clone()],
        FixedSizeList(..) => vec![array.as_fixed_size_list().values().clone()],
        Map(..) => vec![Arc::new(array.as_map().entries().clone())],
        Struct(_) => array.as_struct().columns().to_vec(),
        Union(fields, _) => {
            let union = array.as_union();
            fields.iter().map(|(id, _)| union.child(id).clone()).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the same array around other children: of a type that differs only in what they are.
pub(crate) fn with_children(
    array: &dyn Array,
    to: &DataType,
    mut children: Vec<ArrayRef>,
) -> Result<ArrayRef> {
    use DataType::*;
    if let Struct(fields) = to {
        return record(fields, children, array.nulls().cloned(), array.len());
    }
    if let Union(fields, _) = to {
        let union = array.as_union();
        let (ids, offsets) = (union.type_ids().clone(), union.offsets().cloned());
        return Ok(Arc::new(UnionArray::try_new(fields.clone(), ids, offsets, children)?));
    }
    let (Some(child), nulls) = (children.pop(), array.nulls().cloned()) else {
        return Err(Error::invalid(format!("{to} has no children")));
    };
    Ok(match to {
        List(f) => {
            let offsets = array.as_list::<i32>().offsets().clone();
            Arc::new(ListArray::try_new(f.clone(), offsets, child, nulls)?)
        }
        LargeList(f) => {
            let offsets = array.as_list::<i64>().offsets().clone();
            Arc::new(LargeListArray::try_new(f.clone(), offsets, child, nulls)?)
        }
        ListView(f) => {
            let (offsets, sizes) = views(array.as_list_view::<i32>());
            Arc::new(ListViewArray::try_new(f.clone(), offsets, sizes, child, nulls)?)
        }
        LargeListView(f) => {
            let (offsets, sizes) = views(array.as_list_view::<i64>());
            Arc::new(LargeListViewArray::try_new(f.clone(), offsets, sizes, child, nulls)?)
        }
        FixedSizeList(f, size) => {
            let (f, len) = (f.clone(), array.len());
            Arc::new(FixedSizeListArray::try_new_with_length(f, *size, child, nulls, len)?)
        }
        Map(f, ordered) => {
            let (offsets, entries) = (array.as_map().offsets().clone(), child.as_struct().clone());
            Arc::new(MapArray::try_new(f.clone(), offsets, entries, nulls, *ordered)?)
        }
        other => return Err(Error::invalid(format!("{other} has no children"))),
    })
}

fn views<O: OffsetSizeTrait>(
    array: &GenericListViewArray<O>,
) -> (ScalarBuffer<O>, ScalarBuffer<O>) {
    (array.offsets().clone(), array.sizes().clone())
}

/// Returns a struct, also one without fields.
pub(crate) fn record(
    fields: &Fields,
    children: Vec<ArrayRef>,
    nulls: Option<NullBuffer>,
    len: usize,
) -> Result<ArrayRef> {
    Ok(Arc::new(StructArray::try_new_with_length(fields.clone(), children, nulls, len)?))
}

/// Any kind of list from its lengths and its items.
pub(crate) fn list(
    data_type: &DataType,
    lengths: &[u32],
    items: ArrayRef,
    path: &FieldPath<'_>,
) -> Result<ArrayRef> {
    use DataType::*;
    Ok(match data_type {
        List(f) => Arc::new(ListArray::try_new(f.clone(), small_offsets(lengths)?, items, None)?),
        LargeList(f) => {
            Arc::new(LargeListArray::try_new(f.clone(), offsets(lengths)?, items, None)?)
        }
        ListView(f) => {
            let (offsets, sizes) = starts_and_sizes(lengths)?;
            Arc::new(ListViewArray::try_new(f.clone(), offsets, sizes, items, None)?)
        }
        LargeListView(f) => {
            let (offsets, sizes) = starts_and_sizes(lengths)?;
            Arc::new(LargeListViewArray::try_new(f.clone(), offsets, sizes, items, None)?)
        }
        FixedSizeList(f, size) => {
            if !lengths.iter().all(|n| i64::from(*n) == i64::from(*size)) {
                let what = format!("field {path}: a list is not of {size} items");
                return Err(Error::malformed(what));
            }
            let (f, len) = (f.clone(), lengths.len());
            Arc::new(FixedSizeListArray::try_new_with_length(f, *size, items, None, len)?)
        }
        other => return Err(Error::malformed(format!("field {path}: {other} is no list"))),
    })
}

/// Returns the offsets of lists of these lengths, in 32 bits.
pub(crate) fn small_offsets(lengths: &[u32]) -> Result<OffsetBuffer<i32>> {
    let mut offsets = Vec::new();
    match kernel::string::lengths_to_offsets(lengths, &mut offsets) {
        Some(()) => utf8::offsets(offsets, usize::MAX),
        None => {
            let items = lengths.iter().map(|n| u64::from(*n)).sum();
            Err(Error::too_large("list items of one batch", items, i32::MAX as u64))
        }
    }
}

/// Offsets between rows of these lengths.
pub(crate) fn offsets<O: OffsetSizeTrait>(lengths: &[u32]) -> Result<OffsetBuffer<O>> {
    let mut offsets = Vec::with_capacity(lengths.len() + 1);
    let mut end = 0usize;
    offsets.push(O::usize_as(0));
    for length in lengths {
        end = end.saturating_add(*length as usize);
        offsets.push(O::usize_as(end));
    }
    // Checked once, after the loop: offsets that wrapped are thrown away.
    match O::from_usize(end) {
        Some(_) => Ok(OffsetBuffer::new(offsets.into())),
        None => Err(Error::too_large("list items of one batch", end as u64, i32::MAX as u64)),
    }
}

type StartsAndSizes<O> = (ScalarBuffer<O>, ScalarBuffer<O>);

fn starts_and_sizes<O: OffsetSizeTrait>(lengths: &[u32]) -> Result<StartsAndSizes<O>> {
    let starts = offsets::<O>(lengths)?.into_inner().slice(0, lengths.len());
    Ok((starts, lengths.iter().map(|n| O::usize_as(*n as usize)).collect()))
}
