//! Reads record batches of a file on one thread.
//!
//! ```text
//! try_new    header -> schema, plan              build    projection -> shapes, columns -> readers of fields
//! next       rows of a selection ───────────────────────► read, assemble ──► join ──► raise
//!            matching rows ──► filter reader ──────────────────►      selected columns of the predicates ────────────┘
//! ```
//! A batch whose dictionaries cannot count their values is halved.

use std::collections::VecDeque;

use arrow::array::RecordBatch;
use arrow::datatypes::{Fields, SchemaRef};

use super::field_reader::FieldsReader;
use super::filter_reader::FilterReader;
use super::remaining_rows::RemainingRows;
use super::stored::StoredBatch;
use crate::arrow::projection::{ProjectedPart, ProjectionMask, join};
use crate::arrow::selection::RowSelection;
use crate::error::Result;
use crate::io::ReadAt;

/// A reader of record batches.
pub(crate) struct BatchReader<R> {
    pub(crate) schema: SchemaRef,
    pub(crate) output: Output<R>,
    pub(crate) source: RowSource<R>,
    pub(crate) batch_size: usize,
    /// The rows that a reader of selected rows could not skip, for there were fewer.
    pub(crate) unskipped: u64,
    /// How many of the rows that pass predicates may be read, if not all.
    pub(crate) portion: Option<u64>,
    /// Rows that are assembled, but not yet raised.
    pub(crate) pending: VecDeque<StoredBatch>,
}

/// The output columns of a reader.
pub(crate) struct Output<R> {
    /// The fields of the schema, the selected ones, and these as they are stored.
    pub(crate) fields: Fields,
    pub(crate) wanted: ProjectionMask,
    pub(crate) stored: Fields,
    /// Those that no predicate reads.
    pub(crate) read: ProjectionMask,
    pub(crate) reader: FieldsReader<R>,
}

/// How rows are found.
pub(crate) enum RowSource<R> {
    /// They are known.
    Selected(RemainingRows),
    /// By predicates.
    Filtered(Box<FilterReader<R>>),
}

impl<R: ReadAt> BatchReader<R> {
    /// Starts to read these rows: at most `limit` after the first `offset` of those that match. Columns keep their
    /// positions: a block with the last and the first rows stays open.
    pub(crate) fn restart(&mut self, rows: RowSelection, offset: u64, limit: u64) {
        self.pending.clear();
        match &mut self.source {
            RowSource::Selected(remaining) => {
                self.unskipped = offset.saturating_sub(rows.row_count());
                remaining.set(rows.offset(offset).limit(limit));
            }
            RowSource::Filtered(filter_reader) => filter_reader.restart(rows, offset, limit),
        }
    }

    /// Returns how many rows it has still to skip.
    pub(crate) fn offset(&self) -> u64 {
        match &self.source {
            RowSource::Selected(_) => self.unskipped,
            RowSource::Filtered(filter_reader) => filter_reader.offset(),
        }
    }

    /// Returns the next batch; `None` at the end. After an error the reader is of no use.
    pub(crate) fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            let Some(stored) = self.pending.pop_front() else {
                match self.read()? {
                    Some(stored) => self.pending.push_back(stored),
                    None => return Ok(None),
                }
                continue;
            };
            if let Some(batch) = stored.to_batch(&self.schema)? {
                self.output.reader.note(&batch);
                return Ok(Some(batch));
            }
            let (first, second) = stored.halves()?;
            self.pending.push_front(second);
            self.pending.push_front(first);
        }
    }

    fn read(&mut self) -> Result<Option<StoredBatch>> {
        let Output { reader, .. } = &mut self.output;
        match &mut self.source {
            RowSource::Selected(remaining) => {
                let mut rows = remaining.next(self.batch_size as u64);
                if !rows.selects_any() {
                    return Ok(None);
                }
                let read = reader.read(&(&rows).into())?;
                if (read.rows as u64) < rows.row_count() {
                    rows.split_off_first(read.rows as u64);
                    remaining.put_back(&rows);
                }
                Ok(Some(read))
            }
            RowSource::Filtered(filter_reader) => {
                let most = self.portion.unwrap_or(u64::MAX).min(self.batch_size as u64);
                let rows = filter_reader.next(most)?;
                if !rows.selects_any() {
                    return Ok(None);
                }
                let read = reader.read(&rows)?;
                let kept = filter_reader.take_kept(rows, read.rows)?;
                self.portion = self.portion.map(|left| left.saturating_sub(read.rows as u64));
                let Output { fields, wanted, stored, read: mask, .. } = &self.output;
                let mut parts = filter_reader.parts(&kept);
                parts.push(ProjectedPart { mask, arrays: &read.arrays });
                let arrays = join(wanted, fields, stored, &parts)?;
                Ok(Some(StoredBatch { rows: read.rows, arrays }))
            }
        }
    }
}
