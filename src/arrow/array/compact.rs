//! Removes null slots from arrays before writing.
//!
//! ```text
//! rows      a  -  b  c          lists     [a b] - [c]        a null list with items in its slot: they go too
//! kept      a     b  c          lengths    2      1
//! ```

use std::sync::Arc;

use arrow::array::*;
use arrow::buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow::compute;
use arrow::datatypes::{DataType, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type};

use super::nested;
use super::take::take;
use crate::error::{Error, Result};

/// Returns the rows that the mask has.
pub(crate) fn keep(array: &ArrayRef, mask: &BooleanBuffer) -> Result<ArrayRef> {
    if mask.count_set_bits() == mask.len() {
        return Ok(array.clone());
    }
    if let DataType::Struct(fields) = array.data_type() {
        let children = array.as_struct().columns().iter().map(|child| keep(child, mask));
        let children = children.collect::<Result<Vec<_>>>()?;
        let nulls = kept_nulls(array, mask);
        return nested::record(fields, children, nulls, mask.count_set_bits());
    }
    if let Some(list) = keep_list(array, mask)? {
        return Ok(list);
    }
    if let DataType::FixedSizeList(field, size) = array.data_type() {
        let (n, nulls) = (mask.count_set_bits(), kept_nulls(array, mask));
        let items = usize::try_from(*size).unwrap_or(0);
        let items = mask.iter().flat_map(|validity| std::iter::repeat_n(validity, items)).collect();
        let items = keep(array.as_fixed_size_list().values(), &items)?;
        let field = field.clone();
        let list = FixedSizeListArray::try_new_with_length(field, *size, items, nulls, n)?;
        return Ok(Arc::new(list));
    }
    if let DataType::Union(..) = array.data_type() {
        let rows = UInt64Array::from_iter_values(mask.set_indices().map(|row| row as u64));
        return take(array, &rows);
    }
    if let DataType::FixedSizeBinary(0) = array.data_type() {
        let (nulls, n) = (kept_nulls(array, mask), mask.count_set_bits());
        return Ok(Arc::new(FixedSizeBinaryArray::try_new_with_len(
            0,
            Buffer::default(),
            nulls,
            n,
        )?));
    }
    Ok(compute::filter(array, &BooleanArray::new(mask.clone(), None))?)
}

fn kept_nulls(array: &ArrayRef, mask: &BooleanBuffer) -> Option<NullBuffer> {
    let nulls = array.nulls()?;
    let bits: BooleanBuffer = mask.set_indices().map(|row| nulls.is_valid(row)).collect();
    Some(NullBuffer::new(bits))
}

/// Returns the rows of an array, without its nulls.
pub(crate) fn present(array: &ArrayRef) -> Result<ArrayRef> {
    match array.nulls() {
        Some(nulls) if nulls.null_count() > 0 => keep(&without_nulls(array)?, nulls.inner()),
        _ => Ok(array.clone()),
    }
}

/// Returns the same array without its validity; the caller has removed the null slots.
fn without_nulls(array: &ArrayRef) -> Result<ArrayRef> {
    if !array.data_type().is_primitive() {
        return Ok(array.clone());
    }
    Ok(make_array(array.to_data().into_builder().nulls(None).build()?))
}

/// Returns the same array with values in its null slots that any value's checks pass.
pub(crate) fn without_garbage(array: &ArrayRef) -> Result<ArrayRef> {
    macro_rules! zeroed {
        ($t:ty) => {{
            let decimals = array.as_primitive::<$t>();
            let values = decimals.iter().map(Option::unwrap_or_default).collect::<Vec<_>>();
            let zeroed = PrimitiveArray::<$t>::try_new(values.into(), array.nulls().cloned())?;
            Ok(Arc::new(zeroed.with_data_type(array.data_type().clone())))
        }};
    }
    match array.data_type() {
        _ if array.null_count() == 0 => Ok(array.clone()),
        DataType::Decimal32(..) => zeroed!(Decimal32Type),
        DataType::Decimal64(..) => zeroed!(Decimal64Type),
        DataType::Decimal128(..) => zeroed!(Decimal128Type),
        DataType::Decimal256(..) => zeroed!(Decimal256Type),
        _ => Ok(array.clone()),
    }
}

/// Lists whose other slots are empty keep their items where they are.
fn keep_list(array: &ArrayRef, mask: &BooleanBuffer) -> Result<Option<ArrayRef>> {
    let nulls = || kept_nulls(array, mask);
    Ok(match array.data_type() {
        DataType::List(field) => {
            let list = array.as_list::<i32>();
            let Some(offsets) = keep_offsets(list.offsets(), mask) else { return Ok(None) };
            let (field, items) = (field.clone(), list.values().clone());
            Some(Arc::new(ListArray::try_new(field, offsets, items, nulls())?))
        }
        DataType::LargeList(field) => {
            let list = array.as_list::<i64>();
            let Some(offsets) = keep_offsets(list.offsets(), mask) else { return Ok(None) };
            let (field, items) = (field.clone(), list.values().clone());
            Some(Arc::new(LargeListArray::try_new(field, offsets, items, nulls())?))
        }
        DataType::Map(field, ordered) => {
            let map = array.as_map();
            let Some(offsets) = keep_offsets(map.offsets(), mask) else { return Ok(None) };
            let (field, entries) = (field.clone(), map.entries().clone());
            Some(Arc::new(MapArray::try_new(field, offsets, entries, nulls(), *ordered)?))
        }
        _ => None,
    })
}

fn keep_offsets<O: OffsetSizeTrait>(
    offsets: &OffsetBuffer<O>,
    mask: &BooleanBuffer,
) -> Option<OffsetBuffer<O>> {
    let mut kept = Vec::with_capacity(mask.count_set_bits() + 1);
    kept.extend(offsets.first());
    for (pair, validity) in offsets.windows(2).zip(mask) {
        let [start, end] = pair else { return None };
        if validity {
            kept.push(*end);
        } else if start != end {
            return None;
        }
    }
    Some(OffsetBuffer::new(ScalarBuffer::from(kept)))
}

/// Lengths of the rows of any kind of list, and the items of these rows end to end.
pub(crate) fn items(array: &ArrayRef) -> Result<(Vec<u32>, ArrayRef)> {
    Ok(match array.data_type() {
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            between(list.offsets(), list.values())?
        }
        DataType::LargeList(_) => {
            let list = array.as_list::<i64>();
            between(list.offsets(), list.values())?
        }
        DataType::ListView(_) => viewed(array.as_list_view::<i32>())?,
        DataType::LargeListView(_) => viewed(array.as_list_view::<i64>())?,
        DataType::FixedSizeList(_, size) => {
            let lengths = vec![length(usize::try_from(*size).ok())?; array.len()];
            (lengths, array.as_fixed_size_list().values().clone())
        }
        DataType::Map(..) => {
            let map = array.as_map();
            let entries: ArrayRef = Arc::new(map.entries().clone());
            between(map.offsets(), &entries)?
        }
        other => return Err(Error::invalid(format!("{other} is no list"))),
    })
}

fn length(length: Option<usize>) -> Result<u32> {
    length
        .and_then(|n| u32::try_from(n).ok())
        .filter(|n| i32::try_from(*n).is_ok())
        .ok_or_else(|| Error::too_large("items of one list", u64::MAX, i32::MAX as u64))
}

fn between<O: OffsetSizeTrait>(
    offsets: &OffsetBuffer<O>,
    values: &ArrayRef,
) -> Result<(Vec<u32>, ArrayRef)> {
    let lengths = offsets.lengths().map(|n| length(Some(n))).collect::<Result<Vec<_>>>()?;
    let start = offsets.first().map_or(0, |o| o.as_usize());
    let end = offsets.last().map_or(0, |o| o.as_usize());
    Ok((lengths, values.slice(start, end - start)))
}

fn viewed<O: OffsetSizeTrait>(list: &GenericListViewArray<O>) -> Result<(Vec<u32>, ArrayRef)> {
    let lengths =
        list.sizes().iter().map(|n| length(n.to_usize())).collect::<Result<Vec<u32>>>()?;
    let starts = || list.offsets().iter().map(|o| o.as_usize());
    let first = starts().zip(&lengths).find(|(_, n)| **n > 0).map_or(0, |(start, _)| start);
    let mut end = first;
    let gapless = starts().zip(&lengths).all(|(start, n)| {
        let follows = *n == 0 || start == end;
        end += *n as usize;
        follows
    });
    if gapless {
        return Ok((lengths, list.values().slice(first, end - first)));
    }
    let places: UInt64Array = starts()
        .zip(&lengths)
        .flat_map(|(start, n)| (start as u64)..(start as u64 + u64::from(*n)))
        .collect::<Vec<u64>>()
        .into();
    Ok((lengths, take(list.values(), &places)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::datatypes::{Field, Int32Type};

    #[test]
    fn null_lists_take_their_items_along() {
        let items: ArrayRef = Arc::new(Int32Array::from(vec![1, 2, 3, 4, 5]));
        let field = Arc::new(Field::new_list_field(DataType::Int32, true));
        for (ends, expected) in [([2, 4, 4, 5], vec![1, 2, 5]), ([2, 2, 4, 5], vec![1, 2, 3, 4, 5])]
        {
            let offsets = OffsetBuffer::from_lengths([
                ends[0],
                ends[1] - ends[0],
                ends[2] - ends[1],
                ends[3] - ends[2],
            ]);
            let nulls = vec![true, false, true, true].into();
            let list = ListArray::new(field.clone(), offsets, items.clone(), Some(nulls));
            let (lengths, items) = super::items(&present(&(Arc::new(list) as _)).unwrap()).unwrap();
            assert_eq!(lengths.len(), 3);
            assert_eq!(items.as_primitive::<Int32Type>().values(), expected.as_slice());
        }
    }

    #[test]
    fn views_in_any_order() {
        let items: ArrayRef = Arc::new(Int32Array::from(vec![1, 2, 3]));
        let field = Arc::new(Field::new_list_field(DataType::Int32, true));
        let view = ListViewArray::new(
            field,
            vec![1, 0, 9, 0].into_iter().map(|o: i32| o.min(3)).collect(),
            vec![2, 1, 0, 3].into(),
            items,
            None,
        );
        let (lengths, items) = super::items(&(Arc::new(view) as _)).unwrap();
        assert_eq!(lengths, [2, 1, 0, 3]);
        assert_eq!(items.as_primitive::<Int32Type>().values(), &[2, 3, 1, 1, 2, 3]);
    }
}
