//! A reader that decodes ranges of rows whose bytes its caller has fetched.
//!
//! ```text
//! builder   columns_needed ──► block tables are fetched ──► build
//! filters   set_rows_to_evaluate, evaluate: rows whose predicate columns were fetched ──► matching rows
//! output    set_rows, batch, batch, none │ set_rows, batch, none │ ...       rows whose other columns were fetched
//! ```
//! The reader keeps its position between portions: a block that contains the end of a portion is not opened again.
//! Without predicates all rows are output.

use arrow::array::RecordBatch;

use super::super::predicate::Bound;
use super::arrow_reader::{ArrowReader, ReadMode};
use super::batch_reader::{BatchReader, RowSource};
use super::builder::ArrowReaderBuilder;
use super::filter_reader::FilterReader;
use crate::arrow::projection::ProjectionMask;
use crate::arrow::selection::RowSelection;
use crate::arrow::selection::masked::MaskedSelection;
use crate::error::Result;
use crate::io::ReadAt;

impl<R: ReadAt, F> ArrowReaderBuilder<R, F> {
    /// Returns all columns that are read, for the output and by predicates; in file order.
    pub(in crate::arrow) fn columns_needed(&self) -> Result<Vec<usize>> {
        let fields = self.planning.schema.fields();
        let mut masks = vec![self.projection.clone()];
        for node in self.predicate.iter().flat_map(|predicate| predicate.clone().into_steps()) {
            masks.push(ProjectionMask::of_bound(&Bound::new(&node, fields)?));
        }
        let predicates = self.filter.iter().flat_map(|filter| &filter.predicates);
        masks.extend(predicates.map(|predicate| predicate.projection().clone()));
        let mut columns = Vec::new();
        for mask in masks {
            let shapes = mask.project(&self.planning)?.shapes;
            shapes.iter().for_each(|shape| shape.columns(&mut columns));
        }
        columns.sort_unstable();
        columns.dedup();
        Ok(columns)
    }

    /// Evaluates predicates on the caller's thread: it fetches other columns only for the rows that pass.
    pub(in crate::arrow) fn on_one_thread_if_filtered(mut self) -> Self {
        if self.has_filters() {
            self.parallel = None;
        }
        self
    }

    /// Returns whether rows may be excluded while others are read.
    pub(in crate::arrow) fn has_pruner(&self) -> bool {
        self.pruner.is_some()
    }

    /// Returns whether every row is read, whatever is in it.
    pub(in crate::arrow) fn reads_all_rows(&self) -> bool {
        let asks = self.has_filters();
        let some = self.selection.is_some() || self.rows != (0..self.file.rows());
        !asks && !some && self.offset == 0 && self.limit >= self.file.rows()
    }
}

impl<R: ReadAt> ArrowReader<R> {
    /// Returns the columns that are read for the output alone, in file order; `None` if they are all columns.
    pub(in crate::arrow) fn columns_of_output(&self) -> Option<&[usize]> {
        self.serial().map(|reader| reader.output.reader.columns())
    }

    /// Returns the columns of the predicates, in file order; `None` if there are none.
    pub(in crate::arrow) fn predicate_columns(&self) -> Option<Vec<usize>> {
        let RowSource::Filtered(filter_reader) = &self.serial()?.source else { return None };
        let mut columns: Vec<_> = filter_reader.columns().collect();
        columns.sort_unstable();
        columns.dedup();
        Some(columns)
    }

    /// Removes and returns the rows that are to be read or evaluated.
    pub(in crate::arrow) fn take_rows(&mut self) -> RowSelection {
        match &mut self.mode {
            ReadMode::Serial(reader) => match &mut reader.source {
                RowSource::Selected(remaining) => remaining.take(),
                RowSource::Filtered(filter_reader) => {
                    reader.portion = Some(0);
                    filter_reader.remaining().take()
                }
            },
            ReadMode::Parallel(reader) => reader.take_rows(),
            ReadMode::Ended => RowSelection::default(),
        }
    }

    /// Sets the rows to evaluate the predicates on.
    pub(in crate::arrow) fn set_rows_to_evaluate(&mut self, rows: RowSelection) {
        if let Some(filter_reader) = self.filter_reader() {
            filter_reader.set_rows(rows);
        }
    }

    /// Returns the first row that the predicates have not been evaluated on.
    pub(in crate::arrow) fn first_row_to_evaluate(&mut self) -> Option<u64> {
        self.filter_reader()?.remaining().first()
    }

    /// Evaluates the predicates on the next windows of some thousand rows. Returns whether more should be evaluated.
    pub(in crate::arrow) fn evaluate(&mut self, windows: usize) -> Result<bool> {
        self.filter_reader().map_or(Ok(false), |filter_reader| filter_reader.evaluate(windows))
    }

    fn filter_reader(&mut self) -> Option<&mut FilterReader<R>> {
        let ReadMode::Serial(reader) = &mut self.mode else { return None };
        match &mut reader.source {
            RowSource::Selected(_) => None,
            RowSource::Filtered(filter_reader) => Some(filter_reader),
        }
    }

    /// Returns the matching rows that have not been returned: all if these are the last, or as many as form full
    /// batches.
    pub(in crate::arrow) fn passed(&self, last: bool) -> MaskedSelection {
        let Some(reader) = self.serial() else { return MaskedSelection::default() };
        let RowSource::Filtered(filter_reader) = &reader.source else {
            return MaskedSelection::default();
        };
        let mut passed = filter_reader.passed();
        let part = if last { 0 } else { passed.row_count() % reader.batch_size as u64 };
        let whole = passed.row_count() - part;
        passed.split_off_first(whole)
    }

    /// Sets the next rows to read; with predicates, the first of the matching rows.
    pub(in crate::arrow) fn set_rows(&mut self, rows: &MaskedSelection) {
        match &mut self.mode {
            ReadMode::Serial(reader) => match &mut reader.source {
                RowSource::Selected(remaining) => remaining.set(rows.to_selection()),
                RowSource::Filtered(_) => reader.portion = Some(rows.row_count()),
            },
            ReadMode::Parallel(reader) => reader.set_rows(rows.to_selection()),
            ReadMode::Ended => {}
        }
    }

    /// Returns the next batch of these rows.
    pub(in crate::arrow) fn next_of_rows(&mut self) -> Result<Option<RecordBatch>> {
        self.next_batch()
    }

    /// Returns the rows that are still needed, if a pruner has changed them since this number of its changes.
    pub(in crate::arrow) fn needed_since(&mut self, changes: &mut u64) -> Option<&RowSelection> {
        let ReadMode::Serial(reader) = &mut self.mode else { return None };
        match &mut reader.source {
            RowSource::Selected(remaining) => remaining.needed_since(changes),
            RowSource::Filtered(filter_reader) => filter_reader.remaining().needed_since(changes),
        }
    }

    fn serial(&self) -> Option<&BatchReader<R>> {
        match &self.mode {
            ReadMode::Serial(reader) => Some(reader),
            _ => None,
        }
    }
}
