//! Offset and limit of the rows of a scan.

use arrow::array::RecordBatch;

/// The remaining offset and limit, of rows in their order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Trim {
    pub(super) offset: u64,
    pub(super) limit: u64,
}

impl Trim {
    pub(crate) fn new(offset: u64, limit: u64) -> Self {
        Self { offset, limit }
    }

    /// All rows.
    pub(crate) fn none() -> Self {
        Self { offset: 0, limit: u64::MAX }
    }

    /// Returns how many of the next rows may be needed.
    pub(crate) fn most(&self) -> u64 {
        self.offset.saturating_add(self.limit)
    }

    #[cfg(feature = "object_store")]
    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }

    pub(crate) fn is_done(&self) -> bool {
        self.limit == 0
    }

    /// Returns the rows of the next batch that are within offset and limit.
    pub(crate) fn trim(&mut self, batch: RecordBatch) -> RecordBatch {
        let fitting = |n: u64, rows: usize| usize::try_from(n).map_or(rows, |n| n.min(rows));
        let rows = batch.num_rows();
        let skipped = fitting(self.offset, rows);
        let taken = fitting(self.limit, rows - skipped);
        self.offset -= skipped as u64;
        if self.limit != u64::MAX {
            self.limit -= taken as u64;
        }
        if taken == rows { batch } else { batch.slice(skipped, taken) }
    }
}
