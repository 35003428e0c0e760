//! Reads the rows of a scan in their order, on one thread or several.
//!
//! ```text
//! parts        file 0            │ file 1 │ file 2 ...      each is opened when its first rows are read
//! units        0 │ 1 │ 2 │ 3 │ 4 │ 5      │ 6 ...
//! threads          ██  █▒                                   read ahead, within their shares of the memory
//! caller       █▒  batch by batch: the first unit, unless a thread has begun it
//! batches  ◄── in order ──► offset, limit ──► small ones of a file are joined
//! ```
//! With one thread, a unit is all rows of a file, and the reader has the whole memory. A unit that fails within its share is
//! read again on the caller's thread with the whole memory, and so is all after it: what fails is then the same as with
//! one thread.

use std::collections::VecDeque;
use std::sync::Arc;
#[cfg(feature = "object_store")]
use std::task::{Context, Poll, ready};

use arrow::array::RecordBatch;
use arrow::compute::BatchCoalescer;
use arrow::datatypes::{DataType, Schema, SchemaRef};
use rayon::ThreadPool;

use super::file_plan::{FilePlan, Hooks};
use super::part::Part;
use super::shares::Shares;
use super::trim::Trim;
use super::unit::{Readers, Unit, UnitBatches, UnitEnd, UnitReader, UnitRows};
#[cfg(feature = "object_store")]
use crate::arrow::selection::RowSelection;
use crate::error::{Error, Result};
use crate::io::{Limits, ReadAt};
use crate::parallelism::ordered::{Ordered, Popped};
use crate::parallelism::threads;

/// A unit has as many batches as fit into this many rows, those of a block of `pack`: at least one, at most
/// [`MOST_BATCHES`].
const UNIT: usize = 32_768;

const MOST_BATCHES: usize = 4;

/// The rows of a unit: those of its batches if all are full.
fn unit_rows(batch_size: usize) -> u64 {
    batch_size.saturating_mul((UNIT / batch_size.max(1)).clamp(1, MOST_BATCHES)) as u64
}

/// Returns the threads that read some rows of some files beside the caller; `None` if they are not worth it.
pub(crate) fn pool(
    threads: usize,
    files: usize,
    rows: u64,
    batch_size: usize,
) -> Result<Option<Arc<ThreadPool>>> {
    let several = files > 1 || rows > unit_rows(batch_size);
    if several { threads::pool(threads) } else { Ok(None) }
}

/// A scan of files.
pub(crate) struct OrderedScan<R> {
    /// Rows that no unit in progress has.
    rest: VecDeque<Unit<R>>,
    head: Option<Head<R>>,
    /// `None`: one thread.
    ahead: Option<Ahead<R>>,
    limits: Limits,
    trim: Trim,
    joined: Option<Joined<R>>,
    /// What follows the rows that are joined.
    error: Option<Error>,
}

/// Units that are read by other threads.
struct Ahead<R> {
    units: Ordered<Unit<R>, UnitBatches<R>>,
    readers: Arc<Readers<R>>,
    unit_rows: u64,
}

/// The unit whose batches are returned.
struct Head<R> {
    unit: Unit<R>,
    batches: std::vec::IntoIter<RecordBatch>,
    end: UnitEnd<R>,
    /// The rows that have been returned, and those that are to be passed over: they have been returned before.
    returned: u64,
    again: u64,
}

/// Joins the small batches of a file.
struct Joined<R> {
    coalescer: BatchCoalescer,
    part: Option<Arc<Part<R>>>,
}

/// How rows are read.
#[derive(Clone)]
pub(crate) struct ScanOptions {
    pub(crate) limits: Limits,
    pub(crate) trim: Trim,
    /// The threads besides the caller's.
    pub(crate) pool: Option<Arc<ThreadPool>>,
    /// Whether small batches of a file are joined.
    pub(crate) joins: bool,
}

impl<R: ReadAt + 'static> OrderedScan<R> {
    /// A scan of some rows of some files.
    pub(crate) fn new(
        parts: impl IntoIterator<Item = (Part<R>, std::ops::Range<u64>)>,
        schema: &SchemaRef,
        batch_size: usize,
        options: ScanOptions,
    ) -> Self {
        let units = parts
            .into_iter()
            .map(|(part, rows)| Unit { part: Arc::new(part), rows: UnitRows::Within(rows) });
        Self::of_units(units.collect(), schema, batch_size, options)
    }

    /// A scan of the rows of a file that is open.
    pub(super) fn of_file(plan: FilePlan<R>, hooks: Hooks, options: ScanOptions) -> Result<Self> {
        let plan = Arc::new(plan);
        let unit = Unit::of_file(&plan, plan.rows.clone());
        if let Some(mut scan) = Self::ahead_of_file(&plan, options.clone()) {
            scan.rest.push_back(unit);
            return Ok(scan);
        }
        // What cannot be read at all fails now.
        let reader = plan.batch_reader(options.limits, hooks)?;
        let rows = unit.rows.clone();
        let reader = UnitReader::start(plan.clone(), reader, rows, None, Some(options.trim));
        let options = ScanOptions { pool: None, ..options };
        let mut scan = Self::of_units(VecDeque::new(), &plan.schema, plan.batch_size, options);
        scan.head = Some(Head::reading(unit, reader));
        Ok(scan)
    }

    /// A scan of no rows yet on several threads; `None` if there are not several, or if the share of one is too little.
    pub(super) fn ahead_of_file(plan: &Arc<FilePlan<R>>, options: ScanOptions) -> Option<Self> {
        let scan = Self::of_units(VecDeque::new(), &plan.schema, plan.batch_size, options);
        let opens = |ahead: &Ahead<R>| ahead.readers.open(plan).is_ok();
        scan.ahead.as_ref().is_some_and(opens).then_some(scan)
    }

    /// Adds rows of a file, after all others.
    #[cfg(feature = "object_store")]
    pub(super) fn push_rows(&mut self, plan: &Arc<FilePlan<R>>, rows: RowSelection) {
        self.rest.push_back(Unit::of_file(plan, rows));
    }

    fn of_units(
        rest: VecDeque<Unit<R>>,
        schema: &SchemaRef,
        batch_size: usize,
        options: ScanOptions,
    ) -> Self {
        let ScanOptions { limits, trim, pool, joins } = options;
        let unit_rows = unit_rows(batch_size);
        let ahead = pool.map(|pool| {
            let units = Ordered::<(), ()>::depth(&pool) + 1;
            let batches = usize::try_from(unit_rows).unwrap_or(usize::MAX) / batch_size.max(1);
            let shares = Shares::new(&limits, units);
            let readers = Arc::new(Readers::new(shares, batches.saturating_mul(units)));
            Ahead { units: Ordered::new(pool), readers, unit_rows }
        });
        let joins = joins && ahead.is_some() && can_coalesce(schema);
        let joined = joins.then(|| {
            let most = Some(batch_size / 2);
            let coalescer = BatchCoalescer::new(schema.clone(), batch_size);
            let coalescer = coalescer.with_biggest_coalesce_batch_size(most);
            Joined { coalescer, part: None }
        });
        Self { rest, head: None, ahead, limits, trim, joined, error: None }
    }

    /// Returns the next batch; `None` at the end. After an error the scan is of no use.
    pub(crate) fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(joined) = &mut self.joined
                && let Some(batch) = joined.coalescer.next_completed_batch()
            {
                return Ok(Some(batch));
            }
            let Some(batch) = self.next_unless_failed()? else {
                let Some(joined) = &mut self.joined else { return Ok(None) };
                joined.coalescer.finish_buffered_batch()?;
                return match (joined.coalescer.next_completed_batch(), self.error.take()) {
                    (None, Some(e)) => Err(e),
                    (last, e) => {
                        self.error = e;
                        Ok(last)
                    }
                };
            };
            let part = self.head.as_ref().map(|head| &head.unit.part);
            let Some(joined) = &mut self.joined else { return Ok(Some(batch)) };
            // No batch has rows of two files.
            if let Some(part) = part
                && joined.part.as_ref().is_none_or(|last| !Arc::ptr_eq(last, part))
            {
                joined.coalescer.finish_buffered_batch()?;
                joined.part = Some(part.clone());
            }
            joined.coalescer.push_batch(batch)?;
        }
    }

    /// Returns the next batch. Rows that wait to be joined are returned before an error.
    fn next_unless_failed(&mut self) -> Result<Option<RecordBatch>> {
        if self.error.is_some() {
            return Ok(None);
        }
        let batch = self.next_trimmed();
        match (batch, &self.joined) {
            (Err(e), Some(_)) => {
                self.error = Some(e);
                Ok(None)
            }
            (batch, _) => batch,
        }
    }

    /// Returns the rows of the next batch that are within offset and limit, unless there is none.
    fn next_trimmed(&mut self) -> Result<Option<RecordBatch>> {
        while !self.trim.is_done() {
            let Some(batch) = self.next_read()? else { return Ok(None) };
            let batch = self.trim.trim(batch);
            if batch.num_rows() > 0 {
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }

    /// Returns the next batch as it was read.
    fn next_read(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(batch) = self.next_of_unit()? {
                return Ok(Some(batch));
            }
            self.read_ahead();
            let first = self.ahead.as_mut().and_then(|ahead| ahead.units.pop());
            if !self.next_unit(first.transpose()?)? {
                return Ok(None);
            }
        }
    }

    /// Returns the next batch as it was read, without waiting for another thread.
    #[cfg(feature = "object_store")]
    pub(super) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<RecordBatch>>> {
        loop {
            if let Some(batch) = self.next_of_unit()? {
                return Poll::Ready(Ok(Some(batch)));
            }
            self.read_ahead();
            let first = match &mut self.ahead {
                Some(ahead) => ready!(ahead.units.poll_pop(cx)),
                None => None,
            };
            if !self.next_unit(first.transpose()?)? {
                return Poll::Ready(Ok(None));
            }
        }
    }

    /// Returns the next batch of the unit; `None` at its end.
    fn next_of_unit(&mut self) -> Result<Option<RecordBatch>> {
        while let Some(head) = &mut self.head {
            match head.next(&mut self.trim) {
                Ok(Some(batch)) => return Ok(Some(batch)),
                Ok(None) => self.head = None,
                Err(e) if head.is_alone() => return Err(e),
                Err(_) => self.read_alone()?,
            }
        }
        Ok(None)
    }

    /// Gives units to other threads.
    fn read_ahead(&mut self) {
        let most = self.trim.most();
        let Some(ahead) = &mut self.ahead else { return };
        while ahead.units.has_room()
            && let Some(next) = self.rest.front_mut()
        {
            let rows = next.rows.split_off_first(ahead.unit_rows);
            let unit = Unit { part: next.part.clone(), rows };
            if next.rows.is_empty() {
                self.rest.pop_front();
            }
            if !unit.rows.is_empty() {
                let (task, readers) = (unit.clone(), ahead.readers.clone());
                ahead.units.push(unit, move || UnitBatches::read(task, &readers, most));
            }
        }
    }

    /// Starts to return the batches of the first unit of the other threads, or of the next one if there are none. Returns
    /// whether there is one.
    fn next_unit(&mut self, first: Option<(Unit<R>, Popped<UnitBatches<R>>)>) -> Result<bool> {
        self.head = Some(match (first, &self.ahead) {
            (Some((unit, Popped::Done(read))), _) => Head::read(unit, read),
            (Some((unit, Popped::NotBegun)), Some(ahead)) => {
                match UnitReader::shared(unit.clone(), &ahead.readers, self.trim) {
                    Ok(reader) => Head::reading(unit, reader),
                    Err(_) => Head::failed(unit),
                }
            }
            (None, Some(_)) => return Ok(false),
            (first, None) => {
                let unit = first.map(|(unit, _)| unit).or_else(|| self.rest.pop_front());
                let Some(unit) = unit else { return Ok(false) };
                let reader = UnitReader::alone(unit.clone(), self.limits, Some(self.trim))?;
                Head::reading(unit, reader)
            }
        });
        Ok(true)
    }

    /// Reads the unit again, and all after it, on the caller's thread with the whole memory.
    fn read_alone(&mut self) -> Result<()> {
        let Some(Head { unit, returned, .. }) = self.head.take() else { return Ok(()) };
        if let Some(mut ahead) = self.ahead.take() {
            ahead.readers.stop();
            let units: Vec<_> = ahead.units.clear().collect();
            units.into_iter().rev().for_each(|unit| self.rest.push_front(unit));
        }
        // What has been returned was within offset and limit.
        let reader = UnitReader::alone(unit.clone(), self.limits, None)?;
        self.head = Some(Head { again: returned, ..Head::reading(unit, reader) });
        Ok(())
    }
}

impl<R> Drop for OrderedScan<R> {
    fn drop(&mut self) {
        if let Some(ahead) = &self.ahead {
            ahead.readers.stop();
        }
    }
}

impl<R> Head<R> {
    fn reading(unit: Unit<R>, reader: UnitReader<R>) -> Self {
        let end = UnitEnd::Partial(Box::new(reader));
        Self { end, ..Self::failed(unit) }
    }

    fn read(unit: Unit<R>, read: UnitBatches<R>) -> Self {
        Self { batches: read.batches.into_iter(), end: read.end, ..Self::failed(unit) }
    }

    fn failed(unit: Unit<R>) -> Self {
        let batches = Vec::new().into_iter();
        Self { unit, batches, end: UnitEnd::Failed, returned: 0, again: 0 }
    }

    /// Returns whether it is read with the whole memory.
    fn is_alone(&self) -> bool {
        matches!(&self.end, UnitEnd::Partial(reader) if !reader.is_shared())
    }
}

impl<R: ReadAt> Head<R> {
    /// Returns the next batch; `None` at the end. A reader that skips the offset itself notes it in `trim`.
    fn next(&mut self, trim: &mut Trim) -> Result<Option<RecordBatch>> {
        loop {
            let batch = match (self.batches.next(), &mut self.end) {
                (Some(batch), _) => batch,
                (None, UnitEnd::Complete) => return Ok(None),
                (None, UnitEnd::Failed) => return Err(Error::invalid("rows that were not read")),
                (None, UnitEnd::Partial(reader)) => {
                    let batch = reader.next();
                    if let Some(offset) = reader.offset() {
                        self.returned += trim.offset.saturating_sub(offset);
                        trim.offset = offset;
                    }
                    match batch? {
                        Some(batch) => batch,
                        None => return Ok(None),
                    }
                }
            };
            let rows = batch.num_rows();
            let again = usize::try_from(self.again).map_or(rows, |again| again.min(rows));
            self.again -= again as u64;
            self.returned += rows as u64;
            match again {
                0 => return Ok(Some(batch)),
                _ if again == rows => {}
                _ => return Ok(Some(batch.slice(again, rows - again))),
            }
        }
    }
}

/// Returns whether batches can be appended to each other without new dictionaries.
fn can_coalesce(schema: &Schema) -> bool {
    schema.fields().iter().all(|field| {
        let data_type = field.data_type();
        !data_type.is_nested() && !matches!(data_type, DataType::Dictionary(..))
    })
}
