//! Expands compacted values to their row positions.
//!
//! ```text
//! dense     a b c                 lists     same items, offsets repeated
//! nulls     1 0 1 1               structs   each field spread, validity on top
//! spread    a - b c               others    taken
//! ```

use std::sync::Arc;

use arrow::array::*;
use arrow::buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow::datatypes::*;

use super::nested;
use super::take::take;
use crate::error::{Error, Result};
use crate::kernel::{self, Level};

/// Puts the rows of a branch of a sparse union where the rows of the union are of that branch. A branch without nulls
/// stays without: elsewhere it has any value, so that the union can be the item of a list that has no nulls.
pub(crate) fn spread_among(dense: &ArrayRef, rows: &NullBuffer) -> Result<ArrayRef> {
    if rows.null_count() == 0 || dense.is_nullable() {
        return spread(dense, rows);
    }
    let source = match dense.is_empty() {
        true => one_value(dense.data_type())?,
        false => dense.clone(),
    };
    if let DataType::FixedSizeBinary(size) | DataType::FixedSizeList(_, size) = dense.data_type() {
        affordable(rows.len(), *size)?;
    }
    let mut last = 0;
    let places = rows.iter().map(|is_row| {
        let place = last;
        last += u64::from(is_row);
        // The rows after the last of the branch repeat it.
        place.min(source.len().saturating_sub(1) as u64)
    });
    take(&source, &UInt64Array::from_iter_values(places))
}

/// Returns an array of one value that is not null.
fn one_value(data_type: &DataType) -> Result<ArrayRef> {
    use DataType::*;
    Ok(match data_type {
        Null => Arc::new(NullArray::new(1)),
        Struct(fields) => {
            let children = fields.iter().map(|field| one_value(field.data_type()));
            nested::record(fields, children.collect::<Result<_>>()?, None, 1)?
        }
        Union(fields, mode) => {
            let first = fields.iter().next().map_or(0, |(id, _)| id);
            let dense = *mode == UnionMode::Dense;
            let child = |(id, field): (i8, &FieldRef)| match dense && id != first {
                true => Ok(new_empty_array(field.data_type())),
                false => one_value(field.data_type()),
            };
            let children = fields.iter().map(child).collect::<Result<_>>()?;
            let offsets = dense.then(|| vec![0].into());
            Arc::new(UnionArray::try_new(fields.clone(), vec![first].into(), offsets, children)?)
        }
        FixedSizeList(field, size) => {
            affordable(1, *size)?;
            let items = usize::try_from(*size).unwrap_or(0);
            let items = take(&one_value(field.data_type())?, &vec![0u64; items].into())?;
            let field = field.clone();
            Arc::new(FixedSizeListArray::try_new_with_length(field, *size, items, None, 1)?)
        }
        FixedSizeBinary(size @ 1..) => {
            affordable(1, *size)?;
            let bytes = vec![0u8; usize::try_from(*size).unwrap_or(0)];
            Arc::new(FixedSizeBinaryArray::try_new(*size, bytes.into(), None)?)
        }
        FixedSizeBinary(_) => {
            Arc::new(FixedSizeBinaryArray::try_new_with_len(0, Buffer::default(), None, 1)?)
        }
        // A null of any other type is a value of no bytes, or of zeros.
        other => make_array(new_null_array(other, 1).to_data().into_builder().nulls(None).build()?),
    })
}

/// Puts the rows of a dense array where `nulls` is valid.
pub(crate) fn spread(dense: &ArrayRef, nulls: &NullBuffer) -> Result<ArrayRef> {
    use DataType::*;
    if nulls.null_count() == 0 {
        return Ok(dense.clone());
    }
    let valid = validity(dense.nulls(), nulls);
    let n = nulls.len();
    Ok(match dense.data_type() {
        Null => Arc::new(NullArray::new(n)),
        Struct(fields) => {
            let children = dense.as_struct().columns().iter().map(|child| spread(child, nulls));
            nested::record(fields, children.collect::<Result<_>>()?, Some(valid), n)?
        }
        Union(..) | FixedSizeBinary(0) => take(dense, &places(nulls))?,
        FixedSizeList(f, size) => {
            affordable(n, *size)?;
            let items = spread(dense.as_fixed_size_list().values(), &repeated(nulls, *size))?;
            let f = f.clone();
            Arc::new(FixedSizeListArray::try_new_with_length(f, *size, items, Some(valid), n)?)
        }
        List(f) => {
            let list = dense.as_list::<i32>();
            let (f, items) = (f.clone(), list.values().clone());
            Arc::new(ListArray::try_new(f, offsets(list.offsets(), nulls), items, Some(valid))?)
        }
        LargeList(f) => {
            let list = dense.as_list::<i64>();
            let (f, items) = (f.clone(), list.values().clone());
            let offsets = offsets(list.offsets(), nulls);
            Arc::new(LargeListArray::try_new(f, offsets, items, Some(valid))?)
        }
        ListView(f) => {
            let (starts, sizes, items) = views(dense.as_list_view::<i32>(), nulls);
            Arc::new(ListViewArray::try_new(f.clone(), starts, sizes, items, Some(valid))?)
        }
        LargeListView(f) => {
            let (starts, sizes, items) = views(dense.as_list_view::<i64>(), nulls);
            Arc::new(LargeListViewArray::try_new(f.clone(), starts, sizes, items, Some(valid))?)
        }
        Map(f, ordered) => {
            let map = dense.as_map();
            let (f, entries) = (f.clone(), map.entries().clone());
            let offsets = offsets(map.offsets(), nulls);
            Arc::new(MapArray::try_new(f, offsets, entries, Some(valid), *ordered)?)
        }
        data_type => {
            if let FixedSizeBinary(size) = data_type {
                affordable(n, *size)?;
            }
            leaf(dense, nulls, valid)?
        }
    })
}

/// Null slots of a fixed size cost nothing in a file, but in memory they do.
fn affordable(n: usize, size: i32) -> Result<()> {
    let padded = n.saturating_mul(usize::try_from(size).unwrap_or(0));
    within("slots of fixed size in one batch", padded)
}

/// What most can be made in one batch of things that a file may claim at no cost.
const MOST: usize = 1 << 28;

/// Refuses more of them.
pub(crate) fn within(what: &'static str, n: usize) -> Result<()> {
    if n > MOST { Err(Error::too_large(what, n as u64, MOST as u64)) } else { Ok(()) }
}

fn leaf(dense: &ArrayRef, nulls: &NullBuffer, valid: NullBuffer) -> Result<ArrayRef> {
    macro_rules! primitive {
        ($t:ty) => {{
            let array = dense.as_primitive::<$t>();
            let values = scatter(array.values(), nulls, Vec::new()).into();
            let spread = PrimitiveArray::<$t>::try_new(values, Some(valid))?;
            Arc::new(spread.with_data_type(array.data_type().clone())) as ArrayRef
        }};
    }
    macro_rules! bytes {
        ($t:ty) => {{
            let array = dense.as_bytes::<$t>();
            let offsets = offsets(array.offsets(), nulls);
            let values = array.values().clone();
            // Offsets only repeat, so the text needs no second look; Arrow takes one all the same.
            Arc::new(GenericByteArray::<$t>::try_new(offsets, values, Some(valid))?) as ArrayRef
        }};
    }
    Ok(downcast_primitive! {
        dense.data_type() => (primitive),
        DataType::Utf8 => bytes!(Utf8Type),
        DataType::LargeUtf8 => bytes!(LargeUtf8Type),
        DataType::Binary => bytes!(BinaryType),
        DataType::LargeBinary => bytes!(LargeBinaryType),
        _ => take(dense, &places(nulls))?
    })
}

/// Returns which spread rows are valid: those whose dense row is.
fn validity(dense: Option<&NullBuffer>, nulls: &NullBuffer) -> NullBuffer {
    let Some(dense) = dense else { return nulls.clone() };
    let mut rows = dense.iter();
    let bits = nulls.iter().map(|validity| validity && rows.next().unwrap_or(false));
    NullBuffer::new(bits.collect::<BooleanBuffer>())
}

/// Expands values to their row positions, in reused memory.
pub(crate) fn scatter<N: ArrowNativeType>(
    dense: &[N],
    nulls: &NullBuffer,
    mut memory: Vec<N>,
) -> Vec<N> {
    let (bits, offset) = (nulls.validity(), nulls.offset());
    kernel::gather::expand(
        Level::in_use(),
        dense,
        bits,
        offset,
        nulls.len(),
        N::default(),
        &mut memory,
    );
    memory
}

fn offsets<O: OffsetSizeTrait>(dense: &OffsetBuffer<O>, nulls: &NullBuffer) -> OffsetBuffer<O> {
    OffsetBuffer::new(repeat_ends(dense, nulls, Vec::new()).into())
}

/// Expands offsets so that null rows are empty, in reused memory.
pub(crate) fn repeat_ends<O: ArrowNativeType>(
    dense: &[O],
    nulls: &NullBuffer,
    mut memory: Vec<O>,
) -> Vec<O> {
    let (bits, offset) = (nulls.validity(), nulls.offset());
    kernel::gather::expand_offsets(Level::in_use(), dense, bits, offset, nulls.len(), &mut memory);
    memory
}

type Views<O> = (ScalarBuffer<O>, ScalarBuffer<O>, ArrayRef);

fn views<O: OffsetSizeTrait>(dense: &GenericListViewArray<O>, nulls: &NullBuffer) -> Views<O> {
    let starts = scatter(dense.offsets(), nulls, Vec::new()).into();
    let sizes = scatter(dense.sizes(), nulls, Vec::new()).into();
    (starts, sizes, dense.values().clone())
}

fn repeated(nulls: &NullBuffer, size: i32) -> NullBuffer {
    let size = usize::try_from(size).unwrap_or(0);
    let bits = nulls.iter().flat_map(|validity| std::iter::repeat_n(validity, size));
    NullBuffer::new(bits.collect::<BooleanBuffer>())
}

/// Returns the dense row of each spread row.
fn places(nulls: &NullBuffer) -> UInt64Array {
    let mut next = 0u64;
    let rows = nulls.iter().map(|validity| {
        let row = next;
        next += u64::from(validity);
        row
    });
    UInt64Array::new(rows.collect::<Vec<_>>().into(), Some(nulls.clone()))
}
