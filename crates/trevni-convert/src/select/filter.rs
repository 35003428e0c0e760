//! Filters rows by a predicate, up to a limit.
//!
//! ```text
//! batch     1 2 3 4 5      > 2      3 4 5      limit 2      3 4
//! ```

use arrow::array::{RecordBatch, RecordBatchReader};
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;

use super::Rows;
use trevni::Result;
use trevni::arrow::{BoundPredicate, Predicate};

/// The rows that pass.
pub(super) struct Passing {
    rows: Rows,
    bound: Option<BoundPredicate>,
    left: u64,
}

impl Passing {
    /// Fails if the rows lack columns of the predicate.
    pub(super) fn new(
        rows: Rows,
        predicate: Option<&Predicate>,
        limit: Option<u64>,
    ) -> Result<Self> {
        let schema = rows.schema();
        let bound = predicate.map(|predicate| predicate.bind(&schema)).transpose()?;
        Ok(Self { rows, bound, left: limit.unwrap_or(u64::MAX) })
    }

    fn pass(&self, batch: RecordBatch) -> Result<RecordBatch> {
        let batch = match &self.bound {
            Some(bound) => bound.filter(&batch)?,
            None => batch,
        };
        let left = usize::try_from(self.left).unwrap_or(usize::MAX);
        Ok(if batch.num_rows() > left { batch.slice(0, left) } else { batch })
    }
}

impl Iterator for Passing {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.left > 0 {
            let batch = self.rows.next()?.and_then(|batch| Ok(self.pass(batch)?));
            let rows = batch.as_ref().map_or(0, RecordBatch::num_rows);
            self.left -= rows as u64;
            if rows > 0 || batch.is_err() {
                return Some(batch);
            }
        }
        None
    }
}

impl RecordBatchReader for Passing {
    fn schema(&self) -> SchemaRef {
        self.rows.schema()
    }
}
