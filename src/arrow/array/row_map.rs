//! Which rows of an array another array has: some of them, all of them with nulls between, or rows by index.
//!
//! ```text
//!              Kept 1 0 1      Expanded 1 0 1 1      Taken 2 - 0 0
//! a b c        a   c           a - b c               c - a a
//! offsets      only the rows left out are empty      not mapped: items move
//!   0 2 5 5    0 2 5           0 2 2 5 5
//! ```

use arrow::array::{Array, ArrayRef, OffsetSizeTrait, UInt64Array};
use arrow::buffer::{BooleanBuffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow::compute;
use arrow::datatypes::ArrowNativeType;

use super::expand_nulls;
use crate::error::Result;

/// The rows of a new array, in terms of those of a given one.
pub(crate) enum RowMap {
    /// The rows where this is set.
    Kept(BooleanBuffer),
    /// All rows in order, where this is valid, and nulls where it is not.
    Expanded(NullBuffer),
    /// The rows at these indices, and nulls where the index is null.
    Taken(UInt64Array),
}

impl RowMap {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Kept(mask) => mask.count_set_bits(),
            Self::Expanded(nulls) => nulls.len(),
            Self::Taken(rows) => rows.len(),
        }
    }

    /// Returns whether the new array is the given one. False for indices, which are not looked at.
    pub(super) fn is_identity(&self) -> bool {
        match self {
            Self::Kept(mask) => mask.count_set_bits() == mask.len(),
            Self::Expanded(nulls) => nulls.null_count() == 0,
            Self::Taken(_) => false,
        }
    }

    /// The validity of the new array, from that of the given one.
    pub(super) fn nulls(&self, nulls: Option<&NullBuffer>) -> Option<NullBuffer> {
        match (self, nulls) {
            (Self::Kept(_), None) => None,
            (Self::Expanded(added), None) => Some(added.clone()),
            (Self::Taken(rows), None) => rows.nulls().cloned(),
            (Self::Kept(mask), Some(nulls)) => {
                Some(NullBuffer::new(mask.set_indices().map(|row| nulls.is_valid(row)).collect()))
            }
            (Self::Expanded(added), Some(nulls)) => {
                let mut rows = nulls.iter();
                let valid = added.iter().map(|valid| valid && rows.next().unwrap_or(false));
                Some(NullBuffer::new(valid.collect()))
            }
            (Self::Taken(rows), Some(nulls)) => {
                let valid = |row: Option<u64>| {
                    let row = row.and_then(|row| usize::try_from(row).ok());
                    row.is_some_and(|row| row < nulls.len() && nulls.is_valid(row))
                };
                Some(NullBuffer::new(rows.iter().map(valid).collect()))
            }
        }
    }

    /// The same map for the items of lists of this size.
    pub(super) fn of_items(&self, size: i32) -> Self {
        let size = usize::try_from(size).unwrap_or(0);
        let repeated = |bits: &BooleanBuffer| -> BooleanBuffer {
            bits.iter().flat_map(|bit| std::iter::repeat_n(bit, size)).collect()
        };
        match self {
            Self::Kept(mask) => Self::Kept(repeated(mask)),
            Self::Expanded(nulls) => Self::Expanded(NullBuffer::new(repeated(nulls.inner()))),
            Self::Taken(rows) => {
                let size = size as u64;
                let items = |row: Option<u64>| {
                    (0..size).map(move |item| row.map(|row| row.saturating_mul(size) + item))
                };
                Self::Taken(rows.iter().flat_map(items).collect())
            }
        }
    }

    /// Returns the offsets of the new lists into the same items; `None` if items that no list has would lie between
    /// them, or if they would not be in order.
    pub(super) fn offsets<O: OffsetSizeTrait>(
        &self,
        offsets: &OffsetBuffer<O>,
    ) -> Option<OffsetBuffer<O>> {
        match self {
            Self::Kept(mask) => kept_offsets(offsets, mask),
            Self::Expanded(nulls) => {
                let offsets = expand_nulls::repeat_ends(offsets, nulls, Vec::new());
                Some(OffsetBuffer::new(offsets.into()))
            }
            Self::Taken(_) => None,
        }
    }

    /// Maps numbers, such as offsets of list views; zero where a row is null.
    pub(super) fn numbers<N: ArrowNativeType>(&self, numbers: &[N]) -> ScalarBuffer<N> {
        let at = |row: usize| numbers.get(row).copied().unwrap_or_default();
        match self {
            Self::Kept(mask) => mask.set_indices().map(at).collect(),
            Self::Expanded(nulls) => expand_nulls::scatter(numbers, nulls, Vec::new()).into(),
            Self::Taken(rows) => {
                let index = |row: Option<u64>| row.and_then(|row| usize::try_from(row).ok());
                rows.iter().map(|row| index(row).map(at).unwrap_or_default()).collect()
            }
        }
    }

    /// Returns the index of each row, null where it is null.
    pub(super) fn indices(&self) -> UInt64Array {
        match self {
            Self::Kept(mask) => {
                UInt64Array::from_iter_values(mask.set_indices().map(|row| row as u64))
            }
            Self::Expanded(nulls) => {
                let mut next = 0u64;
                let rows = nulls.iter().map(|valid| {
                    let row = next;
                    next += u64::from(valid);
                    row
                });
                UInt64Array::new(rows.collect(), Some(nulls.clone()))
            }
            Self::Taken(rows) => rows.clone(),
        }
    }

    /// Maps by Arrow's kernels, which copy the values.
    pub(super) fn by_arrow(&self, array: &ArrayRef) -> Result<ArrayRef> {
        Ok(match self {
            Self::Kept(mask) => compute::filter(array, &mask.clone().into())?,
            Self::Expanded(_) => compute::take(array, &self.indices(), None)?,
            Self::Taken(rows) => compute::take(array, rows, None)?,
        })
    }
}

fn kept_offsets<O: OffsetSizeTrait>(
    offsets: &OffsetBuffer<O>,
    mask: &BooleanBuffer,
) -> Option<OffsetBuffer<O>> {
    let mut kept = Vec::with_capacity(mask.count_set_bits() + 1);
    kept.extend(offsets.first());
    for (pair, is_kept) in offsets.windows(2).zip(mask) {
        let [start, end] = pair else { return None };
        if is_kept {
            kept.push(*end);
        } else if start != end {
            return None;
        }
    }
    Some(OffsetBuffer::new(ScalarBuffer::from(kept)))
}
