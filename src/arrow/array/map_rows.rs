//! Builds the array of other rows of an array.
//!
//! ```text
//! struct             each field by the same map
//! list, map          new offsets where the items can stay as they are, else Arrow's kernels
//! list view          new starts and sizes; the items stay
//! fixed-size list    its items by the map of the items
//! union              by index: a null row is any row, since a union has no nulls of its own
//! no bytes           values are counted, which Arrow's kernels forget
//! numbers, text      expanded here, else Arrow's kernels
//! ```

use std::sync::Arc;

use arrow::array::*;
use arrow::buffer::{BooleanBuffer, Buffer, NullBuffer, ScalarBuffer};
use arrow::datatypes::*;

use super::expand_nulls::{affordable, repeat_ends, scatter};
use super::nested;
use super::row_map::RowMap;
use crate::error::Result;

/// Keeps the rows where the mask is set.
pub(crate) fn keep(array: &ArrayRef, mask: &BooleanBuffer) -> Result<ArrayRef> {
    map_rows(array, &RowMap::Kept(mask.clone()))
}

/// Puts the rows where `nulls` is valid, and nulls elsewhere.
pub(crate) fn expand(dense: &ArrayRef, nulls: &NullBuffer) -> Result<ArrayRef> {
    map_rows(dense, &RowMap::Expanded(nulls.clone()))
}

/// Takes the rows at these indices; null where the index is null.
pub(crate) fn take(array: &ArrayRef, rows: &UInt64Array) -> Result<ArrayRef> {
    map_rows(array, &RowMap::Taken(rows.clone()))
}

/// Builds the array of the rows that a map names. Its nulls become nulls of the array, or any rows of a union.
pub(crate) fn map_rows(array: &ArrayRef, rows: &RowMap) -> Result<ArrayRef> {
    use DataType::*;
    if rows.is_identity() {
        return Ok(array.clone());
    }
    let (n, nulls) = (rows.len(), || rows.nulls(array.nulls()));
    if let (FixedSizeList(_, size) | FixedSizeBinary(size), RowMap::Expanded(_)) =
        (array.data_type(), rows)
    {
        affordable(n, *size)?;
    }
    Ok(match array.data_type() {
        Null => Arc::new(NullArray::new(n)),
        Struct(fields) => {
            let children = array.as_struct().columns().iter().map(|child| map_rows(child, rows));
            nested::record(fields, children.collect::<Result<_>>()?, nulls(), n)?
        }
        List(field) => list(array.as_list::<i32>(), field, rows)?,
        LargeList(field) => list(array.as_list::<i64>(), field, rows)?,
        ListView(field) => list_view(array.as_list_view::<i32>(), field, rows)?,
        LargeListView(field) => list_view(array.as_list_view::<i64>(), field, rows)?,
        FixedSizeList(field, size) => {
            let items = map_rows(array.as_fixed_size_list().values(), &rows.of_items(*size))?;
            let field = field.clone();
            Arc::new(FixedSizeListArray::try_new_with_length(field, *size, items, nulls(), n)?)
        }
        Map(field, ordered) => {
            let map = array.as_map();
            let Some(offsets) = rows.offsets(map.offsets()) else { return rows.by_arrow(array) };
            let (field, entries) = (field.clone(), map.entries().clone());
            Arc::new(MapArray::try_new(field, offsets, entries, nulls(), *ordered)?)
        }
        Union(..) if array.is_empty() => new_null_array(array.data_type(), n),
        Union(fields, _) => union(array.as_union(), fields, &without_nulls(&rows.indices()))?,
        FixedSizeBinary(0) => {
            let no_bytes = Buffer::default();
            Arc::new(FixedSizeBinaryArray::try_new_with_len(0, no_bytes, nulls(), n)?)
        }
        _ => match rows {
            RowMap::Expanded(added) => expand_leaf(array, added, rows)?,
            RowMap::Kept(_) | RowMap::Taken(_) => rows.by_arrow(array)?,
        },
    })
}

fn list<O: OffsetSizeTrait>(
    list: &GenericListArray<O>,
    field: &FieldRef,
    rows: &RowMap,
) -> Result<ArrayRef> {
    let Some(offsets) = rows.offsets(list.offsets()) else {
        return rows.by_arrow(&(Arc::new(list.clone()) as ArrayRef));
    };
    let (items, nulls) = (list.values().clone(), rows.nulls(list.nulls()));
    Ok(Arc::new(GenericListArray::try_new(field.clone(), offsets, items, nulls)?))
}

fn list_view<O: OffsetSizeTrait>(
    list: &GenericListViewArray<O>,
    field: &FieldRef,
    rows: &RowMap,
) -> Result<ArrayRef> {
    let (starts, sizes) = (rows.numbers(list.offsets()), rows.numbers(list.sizes()));
    let (items, nulls) = (list.values().clone(), rows.nulls(list.nulls()));
    Ok(Arc::new(GenericListViewArray::try_new(field.clone(), starts, sizes, items, nulls)?))
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

/// Puts nulls between values without children. `rows` is the map that adds them.
fn expand_leaf(dense: &ArrayRef, added: &NullBuffer, rows: &RowMap) -> Result<ArrayRef> {
    macro_rules! primitive {
        ($t:ty) => {{
            let array = dense.as_primitive::<$t>();
            let values = scatter(array.values(), added, Vec::new()).into();
            let expanded = PrimitiveArray::<$t>::try_new(values, rows.nulls(dense.nulls()))?;
            Arc::new(expanded.with_data_type(array.data_type().clone())) as ArrayRef
        }};
    }
    macro_rules! bytes {
        ($t:ty) => {{
            let array = dense.as_bytes::<$t>();
            let offsets = repeat_ends(array.offsets(), added, Vec::new());
            let offsets = arrow::buffer::OffsetBuffer::new(offsets.into());
            let (values, nulls) = (array.values().clone(), rows.nulls(dense.nulls()));
            // Offsets only repeat, so the text needs no second look; Arrow takes one all the same.
            Arc::new(GenericByteArray::<$t>::try_new(offsets, values, nulls)?) as ArrayRef
        }};
    }
    Ok(downcast_primitive! {
        dense.data_type() => (primitive),
        DataType::Utf8 => bytes!(Utf8Type),
        DataType::LargeUtf8 => bytes!(LargeUtf8Type),
        DataType::Binary => bytes!(BinaryType),
        DataType::LargeBinary => bytes!(LargeBinaryType),
        _ => rows.by_arrow(dense)?
    })
}

#[cfg(test)]
#[allow(clippy::cast_possible_truncation)]
mod tests {
    use super::*;
    use arrow::buffer::OffsetBuffer;

    /// Returns five rows of each nested type, and of types that are mapped in their own way.
    fn arrays() -> Vec<(&'static str, ArrayRef)> {
        let numbers: ArrayRef =
            Arc::new(Int32Array::from_iter([Some(1), None, Some(3), Some(4), Some(5)]));
        let texts: ArrayRef =
            Arc::new(StringArray::from_iter([Some("a"), Some("b"), None, Some("d"), Some("e")]));
        let no_bytes =
            FixedSizeBinaryArray::try_new_with_len(0, Buffer::default(), None, 5).unwrap();
        let nulls = || Some(NullBuffer::from(vec![true, true, false, true, true]));
        let item = || Arc::new(Field::new_list_field(DataType::Int32, true));
        let starts = OffsetBuffer::from_lengths([2, 0, 0, 1, 2]);
        let fields = Fields::from(vec![
            Field::new("n", DataType::Int32, true),
            Field::new("t", DataType::Utf8, true),
        ]);
        let columns = || vec![numbers.clone(), texts.clone()];
        let record = StructArray::new(fields.clone(), columns(), nulls());
        let keys: ArrayRef = Arc::new(StringArray::from(vec!["a", "b", "c", "d", "e"]));
        let entries = Fields::from(vec![
            Field::new("keys", DataType::Utf8, false),
            Field::new("values", DataType::Int32, true),
        ]);
        let entries = StructArray::new(entries, vec![keys, numbers.clone()], None);
        let entry = Arc::new(Field::new("entries", entries.data_type().clone(), false));
        let branches: UnionFields =
            fields.iter().cloned().enumerate().map(|(id, f)| (id as i8, f)).collect();
        let ids = || ScalarBuffer::from(vec![0i8, 1, 1, 0, 1]);
        let places = Some(ScalarBuffer::from(vec![0, 0, 1, 3, 4]));
        let ten: ArrayRef = Arc::new(Int32Array::from_iter_values(0..10));
        let sizes = vec![2, 1, 0, 1, 3];
        let (no_items, list) = (
            no_bytes.clone(),
            Arc::new(Field::new_list_field(DataType::FixedSizeBinary(0), false)),
        );
        vec![
            ("null", Arc::new(NullArray::new(5))),
            ("number", numbers.clone()),
            ("text", texts.clone()),
            ("text view", Arc::new(StringViewArray::from_iter(texts.as_string::<i32>()))),
            ("no bytes", Arc::new(no_bytes)),
            ("struct", Arc::new(record)),
            ("list", Arc::new(ListArray::new(item(), starts.clone(), numbers.clone(), nulls()))),
            (
                "list of no bytes",
                Arc::new(ListArray::new(list, starts.clone(), Arc::new(no_items), nulls())),
            ),
            (
                "list view",
                Arc::new(ListViewArray::new(
                    item(),
                    vec![3, 0, 9, 1, 2].into(),
                    sizes
                        .into_iter()
                        .map(|n| if n > 3 { 3 } else { n })
                        .collect::<Vec<i32>>()
                        .into(),
                    ten.clone(),
                    nulls(),
                )),
            ),
            ("fixed-size list", Arc::new(FixedSizeListArray::new(item(), 2, ten, nulls()))),
            ("map", Arc::new(MapArray::new(entry, starts, entries, nulls(), false))),
            (
                "sparse union",
                Arc::new(UnionArray::try_new(branches.clone(), ids(), None, columns()).unwrap()),
            ),
            (
                "dense union",
                Arc::new(UnionArray::try_new(branches, ids(), places, columns()).unwrap()),
            ),
        ]
    }

    #[test]
    fn each_row_is_the_row_that_the_map_says() {
        let five = |bits: [bool; 7]| bits.into_iter().collect::<BooleanBuffer>();
        let maps = [
            RowMap::Kept(five([true; 7]).slice(0, 5)),
            RowMap::Kept([true, false, false, true, true].into_iter().collect()),
            RowMap::Kept([true, true, false, true, true].into_iter().collect()),
            RowMap::Kept([false; 5].into_iter().collect()),
            RowMap::Expanded(NullBuffer::new(five([true, false, true, true, false, true, true]))),
            RowMap::Expanded(NullBuffer::new(five([true; 7]).slice(0, 5))),
            RowMap::Taken(UInt64Array::from(vec![Some(4), None, Some(0), Some(0), Some(2)])),
            RowMap::Taken(UInt64Array::from(Vec::<u64>::new())),
        ];
        for (name, array) in arrays() {
            for (i, map) in maps.iter().enumerate() {
                let mapped = map_rows(&array, map).unwrap();
                assert_eq!(
                    (mapped.len(), mapped.data_type()),
                    (map.len(), array.data_type()),
                    "{name} by {i}"
                );
                mapped.to_data().validate_full().unwrap();
                for (row, index) in map.indices().iter().enumerate() {
                    match index {
                        Some(index) => {
                            let expected = array.slice(index as usize, 1);
                            assert_eq!(
                                &mapped.slice(row, 1),
                                &expected,
                                "{name}, row {row} by {i}"
                            );
                        }
                        None if matches!(array.data_type(), DataType::Union(..)) => {}
                        None => assert!(
                            mapped.is_null(row) || name == "null",
                            "{name}, row {row} by {i}"
                        ),
                    }
                }
            }
        }
    }
}
