//! Reads the record batches of a file on several threads.
//!
//! ```text
//! rows         unit 0 │ unit 1 │ unit 2 │ ...      of some batches each
//! threads         ██      ██       █▒              each has a batch reader, which keeps its buffers
//! batches      ◄── in order; the next unit starts when one is returned
//! ```
//! The threads share the limits of the reader. A unit ends early where its batches take more memory than its share,
//! and is continued when they are returned. A unit that fails is read again on one thread, under the limits of the
//! whole reader, and so are the rows after it: what fails is then the same as with one thread.

use std::sync::{Arc, Mutex};

use arrow::array::RecordBatch;
use arrow::compute::BatchCoalescer;
use arrow::datatypes::{DataType, Schema};
use rayon::ThreadPool;

use super::batch_reader::BatchReader;
use super::read_plan::ReadPlan;
use crate::arrow::selection::RowSelection;
use crate::error::Result;
use crate::io::{Limits, ReadAt};
use crate::parallelism::ordered::Ordered;
use crate::parallelism::threads::lock;

/// A unit has as many batches as fit into this many rows, those of a block of `pack`: at least one, at most
/// [`MOST_BATCHES`].
const UNIT: usize = 32_768;

const MOST_BATCHES: usize = 4;

/// Reads rows as one unit.
type ReadUnit = Arc<dyn Fn(RowSelection) -> Unit + Send + Sync>;

/// Reads rows on the caller's thread.
type Batches = Box<dyn Iterator<Item = Result<RecordBatch>> + Send>;

/// The batches of a unit that have been read.
struct Unit {
    batches: std::vec::IntoIter<RecordBatch>,
    end: UnitEnd,
}

enum UnitEnd {
    /// All are there.
    Complete,
    /// Their memory is used up: this reads the others.
    Partial(Box<dyn FnOnce() -> Unit + Send>),
    Failed,
}

/// Reads rows in units.
pub(super) struct ParallelReader {
    read_unit: ReadUnit,
    read_here: Box<dyn Fn(RowSelection) -> Result<Batches> + Send>,
    /// Rows that are not in a unit yet.
    rows: RowSelection,
    unit_rows: u64,
    units: Ordered<RowSelection, Unit>,
    current: Unit,
    current_rows: RowSelection,
    /// The rows of the unit that have been returned.
    returned: u64,
    /// What is read on the caller's thread, and how many rows of it have been returned before.
    here: Option<Batches>,
    skip: u64,
    coalescer: Option<BatchCoalescer>,
}

/// Returns the rows of a unit.
pub(super) fn unit_rows(batch_size: usize) -> u64 {
    batch_size.saturating_mul((UNIT / batch_size.max(1)).clamp(1, MOST_BATCHES)) as u64
}

impl ParallelReader {
    /// Starts to read rows on the threads of a pool.
    pub(super) fn new<R: ReadAt + 'static>(
        plan: &ReadPlan<R>,
        rows: RowSelection,
        pool: Arc<ThreadPool>,
    ) -> Result<Self> {
        let (batch_size, schema) = (plan.batch_size, plan.schema.clone());
        let coalesces = plan.predicate.is_some() && can_coalesce(&schema);
        let coalescer = coalesces.then(|| {
            let most = Some(batch_size / 2);
            BatchCoalescer::new(schema, batch_size).with_biggest_coalesce_batch_size(most)
        });
        let unit_rows = unit_rows(batch_size);
        let workers = Arc::new(Workers::new(plan.clone(), &pool, unit_rows)?);
        let whole = workers.clone();
        Ok(Self {
            read_unit: Arc::new(move |rows| Workers::read(&workers, rows)),
            read_here: Box::new(move |rows| whole.read_here(rows)),
            rows,
            unit_rows,
            units: Ordered::new(pool),
            current: Unit::empty(),
            current_rows: RowSelection::default(),
            returned: 0,
            here: None,
            skip: 0,
            coalescer,
        })
    }

    /// Sets the rows to read, after all others.
    #[cfg(feature = "object_store")]
    pub(super) fn set_rows(&mut self, rows: RowSelection) {
        self.rows = rows;
    }

    /// Removes and returns the rows that are to be read.
    #[cfg(feature = "object_store")]
    pub(super) fn take_rows(&mut self) -> RowSelection {
        std::mem::take(&mut self.rows)
    }

    /// Returns the next batch; `None` at the end.
    pub(super) fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            let Some(coalescer) = &mut self.coalescer else { return self.next_read() };
            if let Some(batch) = coalescer.next_completed_batch() {
                return Ok(Some(batch));
            }
            let batch = self.next_read()?;
            let Some(coalescer) = &mut self.coalescer else { return Ok(batch) };
            match batch {
                Some(batch) => coalescer.push_batch(batch)?,
                None => {
                    coalescer.finish_buffered_batch()?;
                    return Ok(coalescer.next_completed_batch());
                }
            }
        }
    }

    /// Returns the next batch as it was read.
    fn next_read(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(batches) = &mut self.here {
                let Some(batch) = batches.next().transpose()? else {
                    self.here = None;
                    return Ok(None);
                };
                let skip = usize::try_from(self.skip).unwrap_or(usize::MAX).min(batch.num_rows());
                self.skip -= skip as u64;
                if skip < batch.num_rows() {
                    return Ok(Some(batch.slice(skip, batch.num_rows() - skip)));
                }
            } else if let Some(batch) = self.current.batches.next() {
                self.returned += batch.num_rows() as u64;
                return Ok(Some(batch));
            } else if !self.next_unit()? {
                return Ok(None);
            }
        }
    }

    /// Continues the unit, or takes the next one. Returns whether there is one.
    fn next_unit(&mut self) -> Result<bool> {
        match std::mem::replace(&mut self.current.end, UnitEnd::Complete) {
            UnitEnd::Complete => {}
            UnitEnd::Partial(read) => {
                self.current = read();
                return Ok(true);
            }
            UnitEnd::Failed => {
                let mut rows = std::mem::take(&mut self.current_rows);
                self.units.clear().for_each(|unit| rows.append(unit));
                rows.append(std::mem::take(&mut self.rows));
                (self.here, self.skip) = (Some((self.read_here)(rows)?), self.returned);
                return Ok(true);
            }
        }
        while self.units.has_room() && self.rows.selects_any() {
            let (rows, read) = (self.rows.split_off_first(self.unit_rows), self.read_unit.clone());
            let task = rows.clone();
            self.units.push(rows, move || read(task));
        }
        let Some(unit) = self.units.pop().transpose()? else { return Ok(false) };
        (self.current_rows, self.current) = unit;
        self.returned = 0;
        Ok(true)
    }
}

impl Unit {
    fn empty() -> Self {
        Self { batches: Vec::new().into_iter(), end: UnitEnd::Complete }
    }
}

/// The batch readers of all threads.
struct Workers<R> {
    plan: ReadPlan<R>,
    /// The limits of one thread.
    limits: Limits,
    /// The memory of the batches of a unit.
    unit_bytes: usize,
    /// The batches that one reader has in use.
    batches_in_use: usize,
    idle: Mutex<Vec<BatchReader<R>>>,
}

impl<R: ReadAt + 'static> Workers<R> {
    fn new(plan: ReadPlan<R>, pool: &ThreadPool, unit_rows: u64) -> Result<Self> {
        let (threads, units) = (pool.current_num_threads() + 1, Ordered::<(), ()>::depth(pool));
        let whole = *plan.file.limits();
        let batches = usize::try_from(unit_rows).unwrap_or(usize::MAX) / plan.batch_size;
        let workers = Self {
            plan,
            limits: whole.divided_by(threads),
            unit_bytes: whole.batch_bytes / units,
            batches_in_use: batches.saturating_mul(units),
            idle: Mutex::default(),
        };
        let first = workers.open(workers.limits, workers.batches_in_use)?;
        lock(&workers.idle).push(first);
        Ok(workers)
    }

    fn open(&self, limits: Limits, batches_in_use: usize) -> Result<BatchReader<R>> {
        let plan = self.plan.clone().with_limits(limits);
        let mut reader = plan.batch_reader(plan.filters(None)?, RowSelection::default(), None)?;
        reader.output.reader.set_batches_in_use(batches_in_use);
        Ok(reader)
    }

    /// Reads the first batches of a unit.
    fn read(this: &Arc<Self>, rows: RowSelection) -> Unit {
        let idle = lock(&this.idle).pop();
        let reader = idle.map_or_else(|| this.open(this.limits, this.batches_in_use), Ok);
        let Ok(mut reader) = reader else {
            return Unit { end: UnitEnd::Failed, ..Unit::empty() };
        };
        reader.set_rows(rows);
        Self::read_on(this.clone(), reader)
    }

    /// Reads the next batches of a unit.
    fn read_on(this: Arc<Self>, mut reader: BatchReader<R>) -> Unit {
        let (mut batches, mut bytes) = (Vec::new(), 0usize);
        let end = loop {
            match reader.next_batch() {
                Ok(Some(batch)) => {
                    bytes = bytes.saturating_add(batch.get_array_memory_size());
                    batches.push(batch);
                    if bytes > this.unit_bytes {
                        break UnitEnd::Partial(Box::new(move || Self::read_on(this, reader)));
                    }
                }
                Ok(None) => {
                    lock(&this.idle).push(reader);
                    break UnitEnd::Complete;
                }
                Err(_) => break UnitEnd::Failed,
            }
        };
        Unit { batches: batches.into_iter(), end }
    }

    fn read_here(&self, rows: RowSelection) -> Result<Batches> {
        lock(&self.idle).clear();
        let mut reader = self.open(*self.plan.file.limits(), 1)?;
        reader.set_rows(rows);
        Ok(Box::new(std::iter::from_fn(move || reader.next_batch().transpose())))
    }
}

/// Returns whether batches can be appended to each other without new dictionaries.
fn can_coalesce(schema: &Schema) -> bool {
    schema.fields().iter().all(|field| {
        let data_type = field.data_type();
        !data_type.is_nested() && !matches!(data_type, DataType::Dictionary(..))
    })
}
