//! A reader that decodes ranges of rows whose bytes its caller has fetched.
//!
//! ```text
//! filters   set_rows_to_evaluate, evaluate: rows whose predicate columns were fetched ──► matching rows
//! output    set_rows, batch, batch, none │ set_rows, batch, none │ ...       rows whose other columns were fetched
//! ```
//! The reader keeps its position between portions: a block that contains the end of a portion is not opened again.
//! Without predicates all rows are output, and several threads may read them. Predicates are evaluated on the caller's
//! thread: it fetches other columns only for the rows that pass.

use std::future::poll_fn;
use std::sync::Arc;

use arrow::array::RecordBatch;

use crate::arrow::read::batch_reader::{BatchReader, RowSource};
use crate::arrow::read::filter_reader::FilterReader;
use crate::arrow::scan::file_plan::{FilePlan, Hooks};
use crate::arrow::scan::ordered_scan::{OrderedScan, ScanOptions};
use crate::arrow::scan::trim::Trim;
use crate::arrow::selection::RowSelection;
use crate::arrow::selection::masked::MaskedSelection;
use crate::error::Result;
use crate::io::Ranges;

/// Decodes fetched rows.
pub(super) enum PushReader {
    One(Box<BatchReader<Arc<Ranges>>>),
    Several(Box<OrderedScan<Arc<Ranges>>>, Arc<FilePlan<Arc<Ranges>>>),
}

impl PushReader {
    /// A reader of no rows yet. `trim` has the offset and limit of the rows that match. The options have several threads only
    /// without predicates.
    pub(super) fn new(
        plan: FilePlan<Arc<Ranges>>,
        hooks: Hooks,
        trim: Trim,
        options: ScanOptions,
    ) -> Result<Self> {
        let plan = Arc::new(plan);
        if let Some(scan) = OrderedScan::ahead_of_file(&plan, options.clone()) {
            return Ok(Self::Several(Box::new(scan), plan));
        }
        let mut reader = plan.batch_reader(options.limits, hooks)?;
        reader.restart(RowSelection::default(), trim.offset, trim.limit);
        if let RowSource::Filtered(_) = &reader.source {
            reader.portion = Some(0);
        }
        Ok(Self::One(Box::new(reader)))
    }

    /// Returns the columns that are read for the output alone, in file order; `None` if they are all columns.
    pub(super) fn columns_of_output(&self) -> Option<&[usize]> {
        self.one().map(|reader| reader.output.reader.columns())
    }

    /// Returns the columns of the predicates, in file order; `None` if there are none.
    pub(super) fn predicate_columns(&self) -> Option<Vec<usize>> {
        let RowSource::Filtered(filter_reader) = &self.one()?.source else { return None };
        let mut columns: Vec<_> = filter_reader.columns().collect();
        columns.sort_unstable();
        columns.dedup();
        Some(columns)
    }

    /// Sets the rows to evaluate the predicates on.
    pub(super) fn set_rows_to_evaluate(&mut self, rows: RowSelection) {
        if let Some(filter_reader) = self.filter_reader() {
            filter_reader.set_rows(rows);
        }
    }

    /// Returns the first row that the predicates have not been evaluated on.
    pub(super) fn first_row_to_evaluate(&mut self) -> Option<u64> {
        self.filter_reader()?.remaining().first()
    }

    /// Evaluates the predicates on the next windows of some thousand rows. Returns whether more should be evaluated.
    pub(super) fn evaluate(&mut self, windows: usize) -> Result<bool> {
        self.filter_reader().map_or(Ok(false), |filter_reader| filter_reader.evaluate(windows))
    }

    fn filter_reader(&mut self) -> Option<&mut FilterReader<Arc<Ranges>>> {
        let Self::One(reader) = self else { return None };
        match &mut reader.source {
            RowSource::Selected(_) => None,
            RowSource::Filtered(filter_reader) => Some(filter_reader),
        }
    }

    /// Returns the matching rows that have not been returned: all if these are the last, or as many as form full
    /// batches.
    pub(super) fn passed(&self, last: bool) -> MaskedSelection {
        let Some(reader) = self.one() else { return MaskedSelection::default() };
        let RowSource::Filtered(filter_reader) = &reader.source else {
            return MaskedSelection::default();
        };
        let mut passed = filter_reader.passed();
        let part = if last { 0 } else { passed.row_count() % reader.batch_size as u64 };
        let whole = passed.row_count() - part;
        passed.split_off_first(whole)
    }

    /// Sets the next rows to read; with predicates, the first of the matching rows.
    pub(super) fn set_rows(&mut self, rows: &MaskedSelection) {
        match self {
            Self::One(reader) => match &mut reader.source {
                RowSource::Selected(remaining) => remaining.set(rows.to_selection()),
                RowSource::Filtered(_) => reader.portion = Some(rows.row_count()),
            },
            Self::Several(scan, plan) => scan.push_rows(plan, rows.to_selection()),
        }
    }

    /// Returns the next batch of these rows. While other threads decode it, the task waits.
    pub(super) async fn next_of_rows(&mut self) -> Result<Option<RecordBatch>> {
        match self {
            Self::One(reader) => reader.next_batch(),
            Self::Several(scan, _) => poll_fn(|cx| scan.poll_next(cx)).await,
        }
    }

    /// Returns the rows that are still needed, if a pruner has changed them since this number of its changes.
    pub(super) fn needed_since(&mut self, changes: &mut u64) -> Option<&RowSelection> {
        let Self::One(reader) = self else { return None };
        match &mut reader.source {
            RowSource::Selected(remaining) => remaining.needed_since(changes),
            RowSource::Filtered(filter_reader) => filter_reader.remaining().needed_since(changes),
        }
    }

    fn one(&self) -> Option<&BatchReader<Arc<Ranges>>> {
        match self {
            Self::One(reader) => Some(reader),
            Self::Several(..) => None,
        }
    }
}
