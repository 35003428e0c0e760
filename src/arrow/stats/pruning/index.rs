//! Searches the first values of the blocks of a sorted column.
//!
//! ```text
//! first values   3      3      7      9         = 3   blocks 0 and 1           < 7   blocks 0 and 1
//! blocks         3 3 3  3 4 5  7 7 8  9         = 8   block 2                  > 5   blocks 1 to 3
//! ```
//! For files written by this crate, the writer has checked that all rows are sorted. Other files are trusted, as
//! the format intends, if the first values ascend, and for types whose order all implementations share. The
//! reference sorts strings by UTF-16 code units, which agrees for strings below U+D800; it compares bytes as signed
//! and treats all NaNs as equal.

use std::cmp::Ordering;

use arrow::array::{Array, ArrayRef, AsArray, make_comparator};
use arrow::compute::{SortOptions, cast};
use arrow::datatypes::DataType;

use super::super::statistics;
use crate::arrow::predicate::Operator;
use crate::error::Result;
use crate::format::header::Version;
use crate::format::value::{Value, ValueType};
use crate::io::ReadAt;
use crate::read::file_reader::FileReader;
use crate::stats::sort_order::Order;

/// First values.
pub(super) struct Index {
    first: ArrayRef,
    /// Whether text may be in the order of UTF-16.
    utf16: bool,
}

impl Index {
    /// That of a column, if it has one that can be searched.
    pub(super) fn of<R: ReadAt>(
        file: &FileReader<R>,
        column: usize,
        data_type: &DataType,
        is_ours: bool,
    ) -> Result<Option<Self>> {
        use ValueType::{Fixed32, Fixed64, Int, Long};
        let meta = file.column(column)?;
        let value_type = meta.value_type();
        let believed = match value_type {
            Int | Long | Fixed32 | Fixed64 | ValueType::String => true,
            _ => is_ours,
        };
        // The reference of version 1 wrote first values that were none.
        let is_right = file.header().version >= Version::V2 || is_ours;
        let is_natural = statistics::order(data_type, value_type) == Order::Natural;
        if !(meta.is_indexed() && believed && is_right && is_natural) {
            return Ok(None);
        }
        let blocks = file.blocks(column)?;
        let first: Option<Vec<Value<'static>>> =
            blocks.iter().map(|block| block.first_value.clone()).collect();
        let Some(first) = first.filter(|first| statistics::ascend(first)) else { return Ok(None) };
        let first = statistics::bounds_to_array(first.iter().map(Some), value_type, data_type);
        let utf16 = value_type == ValueType::String && !is_ours;
        // An invalid value is reported when its block is read.
        Ok(first.ok().map(|first| Self { first, utf16 }))
    }

    /// Clears the blocks in which no comparison of a value with this one is true.
    pub(super) fn narrow(
        &self,
        operator: Operator,
        value: &ArrayRef,
        may: &mut [bool],
    ) -> Result<()> {
        if value.data_type() != self.first.data_type() || self.utf16 && !is_low(value)? {
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

/// Returns whether text compares in UTF-16 as it does in UTF-8, whatever it is compared with.
fn is_low(value: &ArrayRef) -> Result<bool> {
    let text = cast(value, &DataType::Utf8)?;
    Ok(text.as_string::<i32>().iter().flatten().all(|text| text.chars().all(|c| c <= '\u{d7ff}')))
}
