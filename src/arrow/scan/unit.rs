//! A unit of a scan: some rows of one file, which one thread reads.
//!
//! ```text
//! rows          of a file that is open: selected rows         of one that is not: a range of all its rows
//! read ahead    batches, until all rows are read │ their memory is used up │ it fails │ the scan is dropped
//! ```
//! Where batches are missing, the caller reads on.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use arrow::array::RecordBatch;

use super::file_plan::{FilePlan, Hooks};
use super::part::Part;
use super::shares::Shares;
use super::trim::Trim;
use crate::arrow::read::batch_reader::BatchReader;
use crate::arrow::selection::RowSelection;
use crate::error::Result;
use crate::io::{Limits, ReadAt};
use crate::parallelism::threads::lock;

/// Rows of one file.
pub(super) struct Unit<R> {
    pub(super) part: Arc<Part<R>>,
    pub(super) rows: UnitRows,
}

/// Which rows of a file.
#[derive(Clone)]
pub(super) enum UnitRows {
    /// Those that are read.
    Selected(RowSelection),
    /// Those of a range, of which some may be left out when the file is open.
    Within(Range<u64>),
}

impl<R> Unit<R> {
    /// Rows of a file that is open.
    pub(super) fn of_file(plan: &Arc<FilePlan<R>>, rows: RowSelection) -> Self {
        Self { part: Arc::new(Part::opened(plan.clone())), rows: UnitRows::Selected(rows) }
    }
}

impl<R> Clone for Unit<R> {
    fn clone(&self) -> Self {
        Self { part: self.part.clone(), rows: self.rows.clone() }
    }
}

impl UnitRows {
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Selected(rows) => !rows.selects_any(),
            Self::Within(range) => range.is_empty(),
        }
    }

    /// Removes and returns the first rows.
    pub(super) fn split_off_first(&mut self, most: u64) -> Self {
        match self {
            Self::Selected(rows) => Self::Selected(rows.split_off_first(most)),
            Self::Within(range) => {
                let end = range.start.saturating_add(most).min(range.end);
                let first = range.start..end;
                range.start = end;
                Self::Within(first)
            }
        }
    }

    /// Returns the rows that are read of an open file.
    fn of_file<R>(self, plan: &FilePlan<R>) -> RowSelection {
        match self {
            Self::Selected(rows) => rows,
            Self::Within(range) => {
                let range = RowSelection::from_consecutive_ranges([range].into_iter(), u64::MAX);
                plan.rows.intersection(&range)
            }
        }
    }
}

/// A reader, and the file that it reads.
type FileAndReader<R> = (Arc<FilePlan<R>>, BatchReader<R>);

/// The batch readers of a scan, at most one for each unit that is in progress.
pub(super) struct Readers<R> {
    shares: Shares,
    /// The batches of one reader that are in use at the same time.
    batches_in_use: usize,
    /// Readers that no unit uses, each with its file.
    idle: Mutex<Vec<FileAndReader<R>>>,
    stopped: AtomicBool,
}

impl<R> Readers<R> {
    /// Makes all units end within a batch.
    pub(super) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        lock(&self.idle).clear();
    }
}

impl<R: ReadAt> Readers<R> {
    pub(super) fn new(shares: Shares, batches_in_use: usize) -> Self {
        let (idle, stopped) = (Mutex::default(), AtomicBool::new(false));
        Self { shares, batches_in_use, idle, stopped }
    }

    /// Returns a reader of a file: one that has read other rows of it, or a new one in place of one of another file.
    fn take(&self, plan: &Arc<FilePlan<R>>, batches_in_use: usize) -> Result<BatchReader<R>> {
        let taken = {
            let mut idle = lock(&self.idle);
            let same = idle.iter().position(|(of, _)| Arc::ptr_eq(of, plan));
            same.or(idle.len().checked_sub(1)).map(|at| idle.swap_remove(at))
        };
        let mut reader = match taken.filter(|(of, _)| Arc::ptr_eq(of, plan)) {
            Some((_, reader)) => reader,
            None => plan.batch_reader(self.shares.reader, Hooks::default())?,
        };
        reader.output.reader.set_batches_in_use(batches_in_use, self.shares.unit_bytes);
        Ok(reader)
    }

    fn give(&self, plan: Arc<FilePlan<R>>, reader: BatchReader<R>) {
        if !self.stopped.load(Ordering::Relaxed) {
            lock(&self.idle).push((plan, reader));
        }
    }

    /// Opens a reader of a file, for its first unit.
    pub(super) fn open(&self, plan: &Arc<FilePlan<R>>) -> Result<()> {
        let reader = self.take(plan, 1)?;
        self.give(plan.clone(), reader);
        Ok(())
    }
}

/// Reads the rows of a unit.
pub(super) struct UnitReader<R> {
    /// `None` if no row of the file can match.
    open: Option<FileAndReader<R>>,
    /// Where the reader is put when all is read.
    readers: Option<Arc<Readers<R>>>,
    /// The rows that are still to be skipped, if the reader skips those of an offset.
    offset: Option<u64>,
}

impl<R> UnitReader<R> {
    /// Returns whether it reads within the share of a reader.
    pub(super) fn is_shared(&self) -> bool {
        self.readers.is_some()
    }
}

impl<R: ReadAt> UnitReader<R> {
    /// Starts to read a unit within the share of a reader, whose batches are returned one at a time.
    pub(super) fn shared(unit: Unit<R>, readers: &Arc<Readers<R>>, trim: Trim) -> Result<Self> {
        let Some(plan) = unit.part.open()? else { return Ok(Self::nothing()) };
        let reader = readers.take(&plan, 1)?;
        Ok(Self::start(plan, reader, unit.rows, Some(readers.clone()), Some(trim)))
    }

    /// Starts to read a unit within the share of a reader: `most` rows are needed.
    fn ahead(unit: Unit<R>, readers: &Arc<Readers<R>>, most: u64) -> Result<Self> {
        let Some(plan) = unit.part.open()? else { return Ok(Self::nothing()) };
        let reader = readers.take(&plan, readers.batches_in_use)?;
        let trim = Trim::new(0, most);
        let reader = Self::start(plan, reader, unit.rows, Some(readers.clone()), Some(trim));
        Ok(Self { offset: None, ..reader })
    }

    /// Starts to read a unit with these limits.
    pub(super) fn alone(unit: Unit<R>, limits: Limits, trim: Option<Trim>) -> Result<Self> {
        let Some(plan) = unit.part.open()? else { return Ok(Self::nothing()) };
        let reader = plan.batch_reader(limits, Hooks::default()).map_err(|e| plan.in_file(e))?;
        Ok(Self::start(plan, reader, unit.rows, None, trim))
    }

    fn nothing() -> Self {
        Self { open: None, readers: None, offset: None }
    }

    /// Starts to read rows with a reader, which skips and limits them itself if it can.
    pub(super) fn start(
        plan: Arc<FilePlan<R>>,
        mut reader: BatchReader<R>,
        rows: UnitRows,
        readers: Option<Arc<Readers<R>>>,
        trim: Option<Trim>,
    ) -> Self {
        let trim = trim.filter(|_| plan.trims());
        let Trim { offset, limit } = trim.unwrap_or(Trim::none());
        reader.restart(rows.of_file(&plan), offset, limit);
        Self { open: Some((plan, reader)), readers, offset: trim.map(|trim| trim.offset) }
    }

    /// Returns how many rows it has still to skip; `None` if its caller skips them.
    pub(super) fn offset(&self) -> Option<u64> {
        self.offset
    }

    /// The next batch. At the end the reader is given to the next unit.
    pub(super) fn next(&mut self) -> Result<Option<RecordBatch>> {
        let Some((plan, reader)) = &mut self.open else { return Ok(None) };
        let batch = reader.next_batch().map_err(|e| plan.in_file(e));
        self.offset = self.offset.map(|_| reader.offset());
        if let Some(batch) = batch? {
            return plan.finish(batch).map(Some);
        }
        if let Some((plan, reader)) = self.open.take()
            && let Some(readers) = self.readers.take()
        {
            readers.give(plan, reader);
        }
        Ok(None)
    }
}

/// The batches of a unit that were read ahead.
pub(super) struct UnitBatches<R> {
    pub(super) batches: Vec<RecordBatch>,
    pub(super) end: UnitEnd<R>,
}

/// What of a unit has not been read.
pub(super) enum UnitEnd<R> {
    Complete,
    /// This reads the rest.
    Partial(Box<UnitReader<R>>),
    /// It could not be read within the share of a reader.
    Failed,
}

impl<R: ReadAt> UnitBatches<R> {
    /// Reads a unit, or as much as fits into memory: `most` rows are needed.
    pub(super) fn read(unit: Unit<R>, readers: &Arc<Readers<R>>, most: u64) -> Self {
        let mut batches = Vec::new();
        let end = match UnitReader::ahead(unit, readers, most) {
            Ok(reader) => Self::read_ahead(reader, readers, &mut batches),
            Err(_) => UnitEnd::Failed,
        };
        Self { batches, end }
    }

    fn read_ahead(
        mut reader: UnitReader<R>,
        readers: &Readers<R>,
        batches: &mut Vec<RecordBatch>,
    ) -> UnitEnd<R> {
        let mut bytes = 0usize;
        while !readers.stopped.load(Ordering::Relaxed) {
            match reader.next() {
                Ok(Some(batch)) => {
                    bytes = bytes.saturating_add(batch.get_array_memory_size());
                    batches.push(batch);
                    if bytes > readers.shares.unit_bytes {
                        return UnitEnd::Partial(Box::new(reader));
                    }
                }
                Ok(None) => return UnitEnd::Complete,
                Err(_) => return UnitEnd::Failed,
            }
        }
        UnitEnd::Failed
    }
}
