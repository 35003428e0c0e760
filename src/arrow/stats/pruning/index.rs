//! Searches the first values of the blocks of a sorted column.
//!
//! ```text
//! first values   3      3      7      9         = 3   blocks 0 and 1           < 7   blocks 0 and 1
//! blocks         3 3 3  3 4 5  7 7 8  9         = 8   block 2                  > 5   blocks 1 to 3
//! ```
//! Only first values whose writer has compared all rows are searched: those of the first column of `arrow.sorting`.
//! `trevni.values` alone says nothing about the order of the values, which no other writer checks.

use std::cmp::Ordering;

use arrow::array::{Array, ArrayRef, make_comparator};
use arrow::compute::SortOptions;
use arrow::datatypes::DataType;

use super::super::statistics;
use crate::arrow::predicate::Operator;
use crate::error::Result;
use crate::format::value::Value;
use crate::io::ReadAt;
use crate::read::file_reader::FileReader;
use crate::stats::sort_order::Order;

/// First values.
pub(super) struct Index {
    first: ArrayRef,
}

impl Index {
    /// That of a column by which all rows are sorted, if its blocks have first values.
    pub(super) fn of<R: ReadAt>(
        file: &FileReader<R>,
        column: usize,
        data_type: &DataType,
    ) -> Result<Option<Self>> {
        let meta = file.column(column)?;
        let value_type = meta.value_type();
        if !meta.is_indexed() || statistics::order(data_type, value_type) != Order::Natural {
            return Ok(None);
        }
        let blocks = file.blocks(column)?;
        let first: Option<Vec<Value<'static>>> =
            blocks.iter().map(|block| block.first_value.clone()).collect();
        let Some(first) = first.filter(|first| statistics::ascend(first)) else { return Ok(None) };
        let first = statistics::bounds_to_array(first.iter().map(Some), value_type, data_type);
        // An invalid value is reported when its block is read.
        Ok(first.ok().map(|first| Self { first }))
    }

    /// Clears the blocks in which no comparison of a value with this one is true.
    pub(super) fn narrow(
        &self,
        operator: Operator,
        value: &ArrayRef,
        may: &mut [bool],
    ) -> Result<()> {
        if value.data_type() != self.first.data_type() {
            return Ok(());
        }
        let compare = make_comparator(&self.first, value, SortOptions::default())?;
        // Blocks that begin below the value, and those that do not begin above it.
        let blocks = 0..self.first.len();
        let below = search(blocks.end, |block| compare(block, 0) == Ordering::Less);
        let to = search(blocks.end, |block| compare(block, 0) != Ordering::Greater);
        let chosen = match operator {
            Operator::Lt => 0..below,
            Operator::Le => 0..to,
            Operator::Eq => below.saturating_sub(1)..to,
            Operator::Gt => to.saturating_sub(1)..blocks.end,
            Operator::Ge => below.saturating_sub(1)..blocks.end,
            // Between two that begin with the value there is no other.
            Operator::Ne => {
                let same = may.iter_mut().take(to.saturating_sub(1)).skip(below);
                same.for_each(|may| *may = false);
                return Ok(());
            }
        };
        may.iter_mut().enumerate().for_each(|(block, may)| *may &= chosen.contains(&block));
        Ok(())
    }
}

/// Returns how many blocks of `n` there are before the first that is not `before`.
fn search(n: usize, before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, n);
    while low < high {
        let middle = low + (high - low) / 2;
        if before(middle) { low = middle + 1 } else { high = middle }
    }
    low
}
