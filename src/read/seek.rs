//! Finds a row by its value in a sorted column whose descriptors hold first values.
//!
//! ```text
//! first values   3      3      7      9
//! blocks         3 3 3  3 4 5  7 7 8  9
//! first >= 3  ─► row 0          the search looks after every block that starts below the value,
//! first >= 6  ─► row 6          so equal values over several blocks, and values between two blocks, are right
//! ```
//! The column must be sorted in the order that is searched. Like the reference, writers do not check that. The
//! reference compares bytes as signed numbers and strings by UTF-16 code units; such a column is searched with
//! [`seek_by`](FileReader::seek_by). (Specification: `trevni.values`.)

use super::file_reader::FileReader;
use crate::error::{Error, Result};
use crate::format::column_data::ColumnData;
use crate::format::value::Value;
use crate::io::ReadAt;

/// Rows decoded at a time.
const ROWS: usize = 8192;

impl<R: ReadAt> FileReader<R> {
    /// Returns the first row of an indexed column whose value is at least `value`, in [`Value::order`]; `None` if
    /// all values are less.
    pub fn seek_value(&self, column: usize, value: &Value<'_>) -> Result<Option<u64>> {
        let meta = self.column(column)?;
        if !value.is_of(meta.value_type()) {
            let what = format!("{value:?} is not of type {}", meta.value_type());
            return Err(Error::invalid(what).in_column(meta.name()));
        }
        self.seek_by(column, |v| v.order(value).is_some_and(|order| order.is_lt()))
    }

    /// Returns the first row of an indexed column for which `is_before` is false. It must be true for the rows
    /// before that and false for all others.
    pub fn seek_by(
        &self,
        column: usize,
        is_before: impl Fn(&Value<'_>) -> bool,
    ) -> Result<Option<u64>> {
        let meta = self.column(column)?;
        if !meta.is_indexed() {
            return Err(Error::invalid("the column has no first values").in_column(meta.name()));
        }
        let blocks = self.blocks(column)?;
        let found =
            blocks.partition_point(|block| block.first_value.as_ref().is_some_and(&is_before));
        let behind = blocks.get(found).map(|block| block.first_row);
        let Some(block) = found.checked_sub(1).and_then(|i| blocks.get(i)) else {
            return Ok(behind);
        };
        let within = self.scan(column, block.first_row, block.end_row(), is_before)?;
        Ok(within.or(behind))
    }

    fn scan(
        &self,
        column: usize,
        first: u64,
        end: u64,
        is_before: impl Fn(&Value<'_>) -> bool,
    ) -> Result<Option<u64>> {
        let mut reader = self.projected_reader(&[column])?;
        reader.seek(first);
        while reader.row() < end {
            let start = reader.row();
            let mut data = [ColumnData::of(self.column(column)?)];
            let n = usize::try_from(end - start).unwrap_or(ROWS).min(ROWS);
            let n = reader.read(n, &mut data)?;
            let values = data[0].values.as_slice();
            let found = (0..n).find(|i| values.get(*i).is_some_and(|v| !is_before(&v)));
            if let Some(i) = found {
                return Ok(Some(start + i as u64));
            }
        }
        Ok(None)
    }
}
