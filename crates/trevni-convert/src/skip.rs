//! Skips the first rows.

use arrow::array::{RecordBatch, RecordBatchReader};
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;

use crate::Rows;

/// Returns rows without the first of them.
pub fn skip_rows(rows: Rows, offset: u64) -> Rows {
    match offset {
        0 => rows,
        left => Box::new(Skip { rows, left }),
    }
}

struct Skip {
    rows: Rows,
    /// Rows that are still to be skipped.
    left: u64,
}

impl Iterator for Skip {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let batch = match self.rows.next()? {
                Ok(batch) => batch,
                Err(e) => return Some(Err(e)),
            };
            let rows = batch.num_rows();
            let skipped = usize::try_from(self.left).map_or(rows, |left| left.min(rows));
            self.left -= skipped as u64;
            if skipped < rows {
                return Some(Ok(batch.slice(skipped, rows - skipped)));
            }
        }
    }
}

impl RecordBatchReader for Skip {
    fn schema(&self) -> SchemaRef {
        self.rows.schema()
    }
}
