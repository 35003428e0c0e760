//! Filters arrays by a boolean mask.
//!
//! ```text
//! array    a b c d      most types                    Arrow's own kernel
//! mask     1 0 0 1      unions, values of no bytes    taken: that kernel forgets to count the latter
//! kept     a     d
//! ```

use std::cell::OnceCell;

use arrow::array::{Array, ArrayRef, BooleanArray, UInt64Array};
use arrow::compute::{FilterBuilder, FilterPredicate, prep_null_mask_filter};
use arrow::datatypes::DataType;

use super::map_rows::take;
use super::nested;
use super::row_map::RowMap;
use crate::error::Result;

/// A mask, made ready for many arrays.
pub(crate) struct Filter {
    mask: BooleanArray,
    kernel: FilterPredicate,
    /// The rows that are kept, once a type is taken.
    rows: OnceCell<UInt64Array>,
}

impl Filter {
    /// Keeps the rows where the mask is true; null is not.
    pub(crate) fn new(mask: &BooleanArray) -> Self {
        let mask = known(mask);
        let kernel = FilterBuilder::new(&mask).optimize().build();
        Self { mask, kernel, rows: OnceCell::new() }
    }

    /// Returns how many rows are kept.
    pub(crate) fn count(&self) -> usize {
        self.kernel.count()
    }

    /// Returns the rows of an array that are kept.
    pub(crate) fn filter(&self, array: &ArrayRef) -> Result<ArrayRef> {
        match is_taken(array.data_type()) {
            true => {
                let indices = || RowMap::Kept(self.mask.values().clone()).indices();
                take(array, self.rows.get_or_init(indices))
            }
            false => Ok(self.kernel.filter(array)?),
        }
    }
}

/// Returns the mask with false for null.
pub(crate) fn known(mask: &BooleanArray) -> BooleanArray {
    // Arrow's own function panics where there are no nulls.
    if mask.null_count() == 0 { mask.clone() } else { prep_null_mask_filter(mask) }
}

fn is_taken(data_type: &DataType) -> bool {
    match data_type {
        DataType::FixedSizeBinary(0) | DataType::Union(..) => true,
        other => nested::fields(other).iter().any(|field| is_taken(field.data_type())),
    }
}
