//! Removes null slots from arrays before writing.
//!
//! ```text
//! rows      a  -  b  c          lists     [a b] - [c]        a null list with items in its slot: they go too
//! kept      a     b  c          lengths    2      1
//! ```

use std::sync::Arc;

use arrow::array::*;
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{DataType, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type};

use super::map_rows::{keep, take};
use crate::error::{Error, Result};

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
