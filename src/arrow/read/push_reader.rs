//! A reader that decodes ranges of rows whose bytes its caller has fetched.
//!
//! ```text
//! builder   columns_needed ──► block tables are fetched ──► build
//! asked     sift: rows whose predicate columns were fetched ──► matching rows
//! output    give_rows, batch, batch, none │ give_rows, batch, none │ ...       rows whose other columns were fetched
//! ```
//! The reader keeps its position between portions: a block that contains the end of a portion is not opened again.
//! Without predicates all rows are output.

use arrow::array::RecordBatch;

use super::super::predicate::Bound;
use super::arrow_reader::{ArrowReader, ReadMode};
use super::batch_reader::{BatchReader, RowSource};
use super::builder::ArrowReaderBuilder;
use crate::arrow::projection::ProjectionMask;
use crate::arrow::selection::RowSelection;
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

    /// Returns the columns that predicates look at, in file order; `None` if there are no predicates.
    pub(in crate::arrow) fn columns_asked(&self) -> Option<Vec<usize>> {
        let RowSource::Sifted(filter_reader) = &self.serial()?.source else { return None };
        let mut columns: Vec<_> = filter_reader.columns().collect();
        columns.sort_unstable();
        columns.dedup();
        Some(columns)
    }

    /// Removes and returns the rows that are to be read or evaluated.
    pub(in crate::arrow) fn take_rows(&mut self) -> RowSelection {
        match &mut self.mode {
            ReadMode::Serial(reader) => match &mut reader.source {
                RowSource::Straight(remaining) => std::mem::take(remaining),
                RowSource::Sifted(filter_reader) => {
                    reader.portion = Some(0);
                    filter_reader.take_ahead()
                }
            },
            ReadMode::Parallel(reader) => reader.take_rows(),
            ReadMode::Ended => RowSelection::default(),
        }
    }

    /// Evaluates the predicates on the next rows. Returns whether more should be evaluated.
    pub(in crate::arrow) fn sift(&mut self, rows: RowSelection) -> Result<bool> {
        match &mut self.mode {
            ReadMode::Serial(reader) => match &mut reader.source {
                RowSource::Straight(_) => Ok(false),
                RowSource::Sifted(filter_reader) => filter_reader.sift_all(rows),
            },
            _ => Ok(false),
        }
    }

    /// Returns the matching rows that have not been returned: all if these are the last, or as many as form full
    /// batches.
    pub(in crate::arrow) fn passed(&self, last: bool) -> RowSelection {
        let Some(reader) = self.serial() else { return RowSelection::default() };
        let RowSource::Sifted(filter_reader) = &reader.source else {
            return RowSelection::default();
        };
        let passed = filter_reader.passed();
        let part = if last { 0 } else { passed.row_count() % reader.batch_size as u64 };
        let whole = passed.row_count() - part;
        passed.limit(whole)
    }

    /// Sets the next rows to read; with predicates, the first of the matching rows.
    pub(in crate::arrow) fn give_rows(&mut self, rows: RowSelection) {
        match &mut self.mode {
            ReadMode::Serial(reader) => match &mut reader.source {
                RowSource::Straight(remaining) => *remaining = rows,
                RowSource::Sifted(_) => reader.portion = Some(rows.row_count()),
            },
            ReadMode::Parallel(reader) => reader.give_rows(rows),
            ReadMode::Ended => {}
        }
    }

    /// Returns the next batch of these rows.
    pub(in crate::arrow) fn next_of_portion(&mut self) -> Result<Option<RecordBatch>> {
        self.next_batch()
    }

    fn serial(&self) -> Option<&BatchReader<R>> {
        match &self.mode {
            ReadMode::Serial(reader) => Some(reader),
            _ => None,
        }
    }
}
