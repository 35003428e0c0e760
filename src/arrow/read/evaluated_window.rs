//! A window of rows on which some predicates have been evaluated.
//!
//! ```text
//! chosen       rows  8  9 12 13 16        those that were read
//! answers            x  .  x  x  .        of the predicates since rows were left out last
//! prepared     rows  8 12 13              or 8 to 13, if the next predicate is cheap and few are left out
//! ```

use std::ops::Range;

use arrow::array::BooleanArray;
use arrow::buffer::BooleanBuffer;

use super::filter_stage::Stage;
use super::stored::StoredBatch;
use crate::arrow::array::filter::Filter;
use crate::arrow::selection::RowSelection;
use crate::arrow::selection::masked::MaskedSelection;
use crate::error::Result;
use crate::io::ReadAt;

/// Where at least one row in this many passes, a comparison of numbers is evaluated on all.
const DENSE: u64 = 8;

/// A window on which some predicates have been evaluated.
pub(super) struct EvaluatedWindow {
    /// The rows that were read.
    chosen: MaskedSelection,
    /// Which of them pass; `None` if all do.
    answers: Option<BooleanBuffer>,
    /// The columns of these rows that are kept, of each stage.
    kept: Vec<StoredBatch>,
}

impl EvaluatedWindow {
    /// Creates a window on which no predicate has been evaluated.
    pub(super) fn new(window: &RowSelection, predicates: usize) -> Self {
        Self { chosen: window.into(), answers: None, kept: Vec::with_capacity(predicates) }
    }

    /// Returns the rows to read for the next predicate.
    pub(super) fn chosen(&self) -> &MaskedSelection {
        &self.chosen
    }

    /// Returns the columns of these rows that are kept, of each stage.
    pub(super) fn kept(&self) -> &[StoredBatch] {
        &self.kept
    }

    /// Returns the rows, and the columns of them that are kept.
    pub(super) fn into_parts(self) -> (MaskedSelection, Vec<StoredBatch>) {
        (self.chosen, self.kept)
    }

    /// Leaves out the rows that do not pass, before the next predicate or the output. If the next predicate is cheap, with
    /// gaps of up to `gap` rows, only those before the first and after the last that passes are left out, as long as so
    /// many of the others pass that evaluating it on all costs less. The memory of filtered columns is reused.
    pub(super) fn prepare<R: ReadAt>(
        &mut self,
        gap: Option<u64>,
        stages: &mut [Stage<R>],
    ) -> Result<()> {
        let Some(answers) = self.answers.take() else { return Ok(()) };
        let passed = self.chosen.filter(&answers);
        let within = gap.and_then(|gap| self.dense_rows(&passed, gap));
        if let Some((wide, rows)) = within {
            self.answers = Some(answers.slice(rows.start, rows.len()));
            self.chosen = (&wide).into();
            self.kept.iter_mut().for_each(|part| *part = part.slice(rows.start, rows.len()));
            return Ok(());
        }
        self.chosen = passed;
        let filter = Filter::new(&BooleanArray::new(answers, None));
        for (part, stage) in self.kept.iter_mut().zip(stages) {
            let arrays = part.arrays.iter().map(|array| filter.filter(array));
            let filtered =
                StoredBatch { rows: filter.count(), arrays: arrays.collect::<Result<_>>()? };
            stage.reader.give(&part.arrays);
            *part = filtered;
        }
        Ok(())
    }

    /// Returns the range from the first to the last row that passes, and which of the chosen rows these are; `None` if
    /// the gaps between them are larger, or few of them pass.
    fn dense_rows(
        &self,
        passed: &MaskedSelection,
        gap: u64,
    ) -> Option<(RowSelection, Range<usize>)> {
        let range = self.chosen.as_range()?;
        let wide = passed.bridged(gap);
        let [inner] = wide.ranges() else { return None };
        if passed.row_count().saturating_mul(DENSE) < inner.end - inner.start {
            return None;
        }
        let start = usize::try_from(inner.start - range.start).ok()?;
        let end = usize::try_from(inner.end - range.start).ok()?;
        Some((wide, start..end))
    }

    /// Adds what a stage keeps, and the answers of its predicate, of which none is null. Returns whether any row passes.
    pub(super) fn add(&mut self, kept: StoredBatch, answers: BooleanArray) -> bool {
        self.kept.push(kept);
        if answers.has_false() {
            let (answers, _) = answers.into_parts();
            self.answers = Some(match self.answers.take() {
                Some(before) => &before & &answers,
                None => answers,
            });
        }
        self.answers.as_ref().is_none_or(|answers| answers.has_true())
    }

    /// Drops all but the first rows. Returns the first of those that were dropped.
    pub(super) fn split_off_behind(&mut self, rows: usize) -> Option<u64> {
        let done = self.chosen.split_off_first(rows as u64);
        let behind = std::mem::replace(&mut self.chosen, done);
        self.answers = self.answers.take().map(|answers| answers.slice(0, rows));
        self.kept.iter_mut().for_each(|part| *part = part.slice(0, rows));
        behind.first()
    }
}
