//! Rows in their stored form, with dictionaries and run ends expanded.
//!
//! ```text
//! arrays   utf8  int64  ...      rows     raise   dictionary<utf8>  int64  ...
//! ```

use arrow::array::{Array, ArrayRef, RecordBatch, RecordBatchOptions};
use arrow::compute::concat;
use arrow::datatypes::SchemaRef;

use crate::arrow::encoded;
use crate::error::{Error, Result};

/// Rows of some fields.
#[derive(Debug)]
pub(crate) struct StoredBatch {
    pub(crate) rows: usize,
    pub(crate) arrays: Vec<ArrayRef>,
}

impl StoredBatch {
    /// Converts the rows to their output types; `None` if they have more distinct values than keys can represent.
    pub(crate) fn to_batch(&self, schema: &SchemaRef) -> Result<Option<RecordBatch>> {
        let mut arrays = Vec::with_capacity(self.arrays.len());
        for (array, field) in self.arrays.iter().zip(schema.fields()) {
            match encoded::from_stored(array, field)? {
                Some(array) => arrays.push(array),
                None => return Ok(None),
            }
        }
        let options = RecordBatchOptions::new().with_row_count(Some(self.rows));
        Ok(Some(RecordBatch::try_new_with_options(schema.clone(), arrays, &options)?))
    }

    /// Returns the first half of the rows, and the others. Those that keys cannot count are fewer then.
    pub(crate) fn halves(&self) -> Result<(Self, Self)> {
        if self.rows < 2 {
            let what = "distinct values of a dictionary in one row";
            return Err(Error::too_large(what, u64::MAX, 0));
        }
        let half = self.rows / 2;
        Ok((self.slice(0, half), self.slice(half, self.rows - half)))
    }

    pub(crate) fn slice(&self, from: usize, rows: usize) -> Self {
        let arrays = self.arrays.iter().map(|array| array.slice(from, rows)).collect();
        Self { rows, arrays }
    }

    /// Returns the rows of the same fields, end to end.
    pub(crate) fn concat(parts: Vec<Self>) -> Result<Self> {
        let rows = parts.iter().map(|part| part.rows).sum();
        let arrays = match parts.as_slice() {
            [] => Vec::new(),
            [only] => only.arrays.clone(),
            [first, ..] => {
                let array = |i| {
                    let all = parts.iter().filter_map(|part| part.arrays.get(i));
                    concat(&all.map(|array| array as &dyn Array).collect::<Vec<_>>())
                };
                (0..first.arrays.len()).map(array).collect::<Result<_, _>>()?
            }
        };
        Ok(Self { rows, arrays })
    }
}
