//! How many rows are read, and how many are skipped before them.

use arrow::array::{RecordBatch, RecordBatchReader};
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use trevni_convert::Rows;

use crate::input::rows::ReadArgs;

/// How many rows are read.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct LimitArgs {
    /// At most N rows, of those that pass --where.
    #[arg(short = 'n', long, value_name = "N")]
    pub(crate) limit: Option<u64>,
    /// Skip the first N rows of those that pass --where.
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: u64,
}

impl LimitArgs {
    pub(crate) fn apply(&self, read: &mut ReadArgs) {
        match (&read.predicate, self.offset) {
            (_, 0) => {}
            (Some(_), offset) => read.offset = offset,
            // Rows that need no test are not read.
            (None, offset) => {
                let range = read.rows.take().unwrap_or(0..u64::MAX);
                let start = range.start.saturating_add(offset).min(range.end);
                read.rows = Some(start..range.end);
            }
        }
        if let Some(limit) = self.limit {
            read.limit_to(limit);
        }
    }
}

/// Rows without the first of them.
pub(crate) struct Skip {
    rows: Rows,
    /// Rows that are still to be skipped.
    left: u64,
}

impl Skip {
    pub(crate) fn new(rows: Rows, offset: u64) -> Self {
        Self { rows, left: offset }
    }
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
