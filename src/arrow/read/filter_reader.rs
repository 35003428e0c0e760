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
use std::ops::Range;
use std::sync::Arc;

use arrow::array::BooleanArray;
use arrow::buffer::BooleanBuffer;
use arrow::datatypes::{Fields, Schema, SchemaRef};

use super::bound_filter::BoundFilter;
use super::field_reader::FieldsReader;
use super::remaining_rows::{RemainingRows, RowPruner};
use super::stored::StoredBatch;
use crate::arrow::array::filter::Filter;
use crate::arrow::projection::{Projected, ProjectedPart, ProjectionMask, join};
use crate::arrow::selection::RowSelection;
use crate::arrow::selection::masked::MaskedSelection;
use crate::error::Result;
use crate::io::ReadAt;

/// Rows of a window, if a batch has no more.
const WINDOW: usize = 8192;

/// Where at least one row in this many passes, a comparison of numbers is evaluated on all.
const DENSE: u64 = 8;

/// A predicate and the reader of its columns.
pub(crate) struct Stage<R> {
    filter: BoundFilter,
    /// The columns of the predicate, of the fields of the schema.
    wanted: ProjectionMask,
    schema: SchemaRef,
    stored: Fields,
    /// Those that no stage before it reads.
    pub(crate) read: ProjectionMask,
    reader: FieldsReader<R>,
    /// Of those, the ones that are wanted later, and which they are.
    kept: ProjectionMask,
    keeps: Vec<bool>,
    /// Whether it costs less than leaving out some of the rows.
    is_cheap: bool,
}

impl<R: ReadAt> Stage<R> {
    pub(crate) fn new(
        filter: BoundFilter,
        wanted: ProjectionMask,
        about: Projected,
        read: ProjectionMask,
        reader: FieldsReader<R>,
    ) -> Self {
        let schema = Arc::new(Schema::new(about.fields));
        let (stored, kept) = (Fields::from(about.stored), read.clone());
        let is_cheap = filter.is_cheap(&stored);
        Self { filter, wanted, schema, stored, read, reader, kept, keeps: Vec::new(), is_cheap }
    }

    /// Evaluates the predicate on rows that have been read; columns that earlier stages read are in `parts`.
    fn evaluate(
        &mut self,
        fields: &Fields,
        parts: Vec<ProjectedPart<'_>>,
        read: &StoredBatch,
    ) -> Result<BooleanArray> {
        let here = ProjectedPart { mask: &self.read, arrays: &read.arrays };
        let parts: Vec<_> = parts.into_iter().chain([here]).collect();
        let arrays = join(&self.wanted, fields, &self.stored, &parts)?;
        self.filter.evaluate(&StoredBatch { rows: read.rows, arrays }, &self.schema)
    }
}

/// Determines which columns of each stage are needed later, by another stage or in the output.
pub(crate) fn keep<R>(stages: &mut [Stage<R>], fields: &Fields, output: &ProjectionMask) {
    let mut later = vec![output.clone()];
    for stage in stages.iter_mut().rev() {
        let is_wanted = |root: usize| later.iter().any(|mask| mask.has_root(root));
        let roots = (0..fields.len()).filter(|root| stage.read.has_root(*root));
        stage.keeps = roots.map(is_wanted).collect();
        stage.kept = stage.read.roots_where(fields.len(), is_wanted);
        later.push(stage.wanted.clone());
    }
}

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

/// A window on which some predicates have been evaluated.
struct Evaluated {
    /// The rows that were read.
    chosen: MaskedSelection,
    /// Which of them pass; `None` if all do.
    answers: Option<BooleanBuffer>,
    /// The columns of these rows that are kept, of each stage.
    kept: Vec<StoredBatch>,
}

impl Evaluated {
    /// Leaves out the rows that do not pass, before the next predicate or the output. If the next predicate is cheap, with
    /// gaps of up to `gap` rows, only those before the first and after the last that passes are left out, as long as so
    /// many of the others pass that evaluating it on all costs less. The memory of filtered columns is reused.
    fn prepare<R: ReadAt>(&mut self, gap: Option<u64>, stages: &mut [Stage<R>]) -> Result<()> {
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

    /// Adds the answers of a predicate, of which none is null. Returns whether any row passes.
    fn and(&mut self, answers: BooleanArray) -> bool {
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
    fn split_off_behind(&mut self, rows: usize) -> Option<u64> {
        let done = self.chosen.split_off_first(rows as u64);
        let behind = std::mem::replace(&mut self.chosen, done);
        self.answers = self.answers.take().map(|answers| answers.slice(0, rows));
        self.kept.iter_mut().for_each(|part| *part = part.slice(0, rows));
        behind.first()
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
    /// Creates a reader of the matching rows of `rows`: at most `limit` after the first `offset`.
    pub(crate) fn new(
        fields: Fields,
        stages: Vec<Stage<R>>,
        rows: RowSelection,
        pruner: Option<RowPruner>,
        (offset, limit): (u64, u64),
        batch_size: usize,
    ) -> Self {
        let end = rows.ranges().last().map_or(0, |last| last.end);
        Self {
            fields,
            stages,
            remaining: RemainingRows::new(rows, pruner),
            end,
            passed: MaskedSelection::default(),
            kept: VecDeque::new(),
            window: batch_size.max(WINDOW) as u64,
            offset,
            limit,
        }
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
        let mut evaluated = Evaluated {
            chosen: MaskedSelection::from(&window),
            answers: None,
            kept: Vec::with_capacity(self.stages.len()),
        };
        for i in 0..self.stages.len() {
            let (before, stage) = self.stages.split_at_mut(i);
            let Some(stage) = stage.first_mut() else { break };
            evaluated.prepare(stage.is_cheap.then(|| stage.reader.gap()), before)?;
            let mut read = stage.reader.read(&evaluated.chosen)?;
            if (read.rows as u64) < evaluated.chosen.row_count() {
                // The rows that could not be read are the beginning of the next window.
                let next = evaluated.split_off_behind(read.rows).unwrap_or(self.end);
                self.remaining.put_back(&window.clone().split_at(next).1);
            }
            let answers = stage.evaluate(&self.fields, parts(before, &evaluated.kept), &read)?;
            stage.drop_unwanted(&mut read);
            evaluated.kept.push(read);
            if !evaluated.and(answers) {
                return Ok(true);
            }
        }
        evaluated.prepare(None, &mut self.stages)?;
        self.keep(evaluated.chosen, evaluated.kept);
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

impl<R> Stage<R> {
    /// Drops the arrays that are not needed later.
    fn drop_unwanted(&self, read: &mut StoredBatch) {
        let mut keeps = self.keeps.iter();
        read.arrays.retain(|_| keeps.next().copied().unwrap_or(true));
    }
}

fn parts<'a, R>(stages: &'a [Stage<R>], kept: &'a [StoredBatch]) -> Vec<ProjectedPart<'a>> {
    let both = stages.iter().zip(kept);
    both.map(|(stage, stored)| ProjectedPart { mask: &stage.kept, arrays: &stored.arrays })
        .collect()
}
