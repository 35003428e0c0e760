//! Late materialization: evaluates predicates window by window and reads other columns only for matching rows.
//!
//! ```text
//! window          xxxxxxxxxxxxxxxx        rows not yet looked at, some thousand at a time
//! 1st predicate   x..xx....x.....x        evaluated on all; its columns are read for all
//! 2nd             x...x..........x        evaluated on the rest; its columns are read for these
//! passed          x...x..........x        collected until they are a batch; other columns are read for that batch
//! kept            the values of predicate columns that are needed later, too
//! ```
//! Comparisons of numbers are evaluated on all rows of a window as long as at least one in eight passes: leaving the
//! others out takes more time. A column is read once, by the first that needs it. (What several need of a struct is
//! distinguished; of a list, a map or a union two different parts are read apart.)

use std::collections::VecDeque;

use arrow::datatypes::Fields;

use super::evaluated_window::EvaluatedWindow;
use super::filter_stage::{Stage, parts};
use super::remaining_rows::RemainingRows;
use super::stored::StoredBatch;
use crate::arrow::projection::ProjectedPart;
use crate::arrow::selection::RowSelection;
use crate::arrow::selection::masked::MaskedSelection;
use crate::error::Result;
use crate::io::ReadAt;

/// Rows of a window, if a batch has no more.
const WINDOW: usize = 8192;

/// Rows that passed, of which some columns have been read.
struct Kept {
    rows: usize,
    /// Of each stage.
    parts: Vec<StoredBatch>,
}

impl Kept {
    fn slice(&self, from: usize, rows: usize) -> Self {
        Self { rows, parts: self.parts.iter().map(|part| part.slice(from, rows)).collect() }
    }
}

/// Finds the rows that pass all predicates.
pub(crate) struct FilterReader<R> {
    fields: Fields,
    stages: Vec<Stage<R>>,
    /// Rows that are not evaluated yet.
    remaining: RemainingRows,
    end: u64,
    /// Matching rows that have not been returned, and the columns kept of them.
    passed: MaskedSelection,
    kept: VecDeque<Kept>,
    window: u64,
    /// The number of matching rows to skip, and then to return.
    offset: u64,
    limit: u64,
}

impl<R: ReadAt> FilterReader<R> {
    /// Creates a reader of the matching rows among those that remain.
    pub(crate) fn new(
        fields: Fields,
        stages: Vec<Stage<R>>,
        remaining: RemainingRows,
        batch_size: usize,
    ) -> Self {
        Self {
            fields,
            stages,
            remaining,
            end: 0,
            passed: MaskedSelection::default(),
            kept: VecDeque::new(),
            window: batch_size.max(WINDOW) as u64,
            offset: 0,
            limit: u64::MAX,
        }
    }

    /// Forgets all rows, and sets those to evaluate: `limit` of the matching rows are returned after the first `offset`.
    pub(crate) fn restart(&mut self, rows: RowSelection, offset: u64, limit: u64) {
        (self.passed, self.offset, self.limit) = (MaskedSelection::default(), offset, limit);
        self.kept.clear();
        self.set_rows(rows);
    }

    /// Returns how many of the matching rows it has still to skip.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the next rows that pass, `most` at most; fewer at the end.
    pub(crate) fn next(&mut self, most: u64) -> Result<MaskedSelection> {
        let most = self.limit.min(most);
        while self.passed.row_count() < most && self.evaluate_window()? {}
        Ok(self.passed.split_off_first(most))
    }

    /// Sets the rows to evaluate, after all others.
    pub(crate) fn set_rows(&mut self, rows: RowSelection) {
        self.end = rows.ranges().last().map_or(0, |last| last.end);
        self.remaining.set(rows);
    }

    /// Removes the kept columns of the first of the rows that [`next`](Self::next) returned. The others are
    /// returned again.
    pub(crate) fn take_kept(
        &mut self,
        rows: MaskedSelection,
        read: usize,
    ) -> Result<Vec<StoredBatch>> {
        if (read as u64) < rows.row_count() {
            self.passed.put_back(rows, read as u64);
        }
        self.limit -= read as u64;
        let (mut left, mut first) = (read, Vec::new());
        while left > 0 {
            let Some(kept) = self.kept.pop_front() else { break };
            let n = kept.rows.min(left);
            if n < kept.rows {
                self.kept.push_front(kept.slice(n, kept.rows - n));
            }
            first.push(kept.slice(0, n));
            left -= n;
        }
        let mut parts: Vec<Vec<StoredBatch>> = self.stages.iter().map(|_| Vec::new()).collect();
        for kept in first {
            parts.iter_mut().zip(kept.parts).for_each(|(all, part)| all.push(part));
        }
        parts.into_iter().map(StoredBatch::concat).collect()
    }

    /// Returns the kept columns of each stage, as parts.
    pub(crate) fn parts<'a>(&'a self, kept: &'a [StoredBatch]) -> Vec<ProjectedPart<'a>> {
        parts(&self.stages, kept)
    }

    /// Evaluates all predicates on a window of rows. Returns whether there was one.
    fn evaluate_window(&mut self) -> Result<bool> {
        let window = self.remaining.next(self.window);
        if !window.selects_any() {
            return Ok(false);
        }
        let mut evaluated = EvaluatedWindow::new(&window, self.stages.len());
        for i in 0..self.stages.len() {
            let (before, stage) = self.stages.split_at_mut(i);
            let Some(stage) = stage.first_mut() else { break };
            evaluated.prepare(stage.is_cheap.then(|| stage.reader.gap()), before)?;
            let mut read = stage.reader.read(evaluated.chosen())?;
            if (read.rows as u64) < evaluated.chosen().row_count() {
                // The rows that could not be read are the beginning of the next window.
                let next = evaluated.split_off_behind(read.rows).unwrap_or(self.end);
                self.remaining.put_back(&window.clone().split_at(next).1);
            }
            let answers = stage.evaluate(&self.fields, parts(before, evaluated.kept()), &read)?;
            stage.drop_unwanted(&mut read);
            if !evaluated.add(read, answers) {
                return Ok(true);
            }
        }
        evaluated.prepare(None, &mut self.stages)?;
        let (chosen, kept) = evaluated.into_parts();
        self.keep(chosen, kept);
        Ok(true)
    }

    /// Appends rows that passed, but for those that are left out before the first.
    fn keep(&mut self, mut chosen: MaskedSelection, parts: Vec<StoredBatch>) {
        let rows = parts.last().map_or(0, |part| part.rows);
        let skipped = usize::try_from(self.offset).unwrap_or(usize::MAX).min(rows);
        self.offset -= skipped as u64;
        chosen.split_off_first(skipped as u64);
        let rows = rows - skipped;
        if rows > 0 {
            self.kept.push_back(Kept { rows: rows + skipped, parts }.slice(skipped, rows));
            self.passed.append(chosen);
        }
        if self.passed.row_count() >= self.limit {
            self.remaining.clear();
        }
    }
}

/// Methods for callers that fetch the bytes first.
#[cfg(feature = "object_store")]
impl<R: ReadAt> FilterReader<R> {
    /// Returns the columns of the predicates.
    pub(crate) fn columns(&self) -> impl Iterator<Item = usize> + '_ {
        self.stages.iter().flat_map(|stage| stage.reader.columns()).copied()
    }

    /// Returns the rows that are not evaluated yet.
    pub(crate) fn remaining(&mut self) -> &mut RemainingRows {
        &mut self.remaining
    }

    /// Evaluates all predicates on the next windows of rows. Returns whether more rows are needed.
    pub(crate) fn evaluate(&mut self, windows: usize) -> Result<bool> {
        for _ in 0..windows {
            if self.passed.row_count() >= self.limit || !self.evaluate_window()? {
                break;
            }
        }
        Ok(self.passed.row_count() < self.limit)
    }

    /// Returns the matching rows that have not been returned.
    pub(crate) fn passed(&self) -> MaskedSelection {
        self.passed.first_rows(self.limit)
    }
}
