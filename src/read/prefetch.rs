//! Prefetches the rows of several records on a thread pool, at most [`DEPTH`] batches ahead.
//!
//! ```text
//! caller   queue task n + 2 ──► take the result of task n of each record: read here if no thread has begun it
//! pool     task n + 1 of any record, task n + 2 ...          a record is read by one thread at a time
//! ```
//! A thread that has read a record twice in a row is preferred for its next task, since its memory is in that
//! core's cache. The caller reads the stored bytes when it queues a task, so the source need not outlive the pool.
//! The buffers of the caller travel with the task that it queues, and come back with the result of an earlier one.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use rayon::ThreadPool;

use super::block_fetch::{BlockFetcher, StoredBlocks};
use super::file_reader::FileReader;
use super::record_reader::RecordReader;
use crate::error::{Error, Result};
use crate::format::block::BlockDescriptor;
use crate::format::budget::ReadBudget;
use crate::format::column_data::ColumnData;
use crate::format::value::ValueType;
use crate::io::ReadAt;
use crate::parallelism::threads::{LOOKS, lock};

/// The index of the caller's thread. Those of the pool follow.
const CALLER: usize = 0;

/// The number of tasks of each record that are queued before the first result is taken.
const DEPTH: usize = 2;

/// The rows that a record reads next, the stored bytes for each of its cursors, and a buffer for each projected column.
pub(crate) struct PrefetchTask {
    rows: Range<u64>,
    pub(crate) stored: Vec<StoredBlocks>,
    buffers: Vec<ColumnData>,
    /// The budget of all records of the batch.
    budget: Arc<ReadBudget>,
}

/// The number of rows that a record has read, and their values.
struct PrefetchResult {
    read: Result<usize>,
    buffers: Vec<ColumnData>,
}

/// A record and its tasks.
struct RecordWorker {
    state: Mutex<WorkerState>,
    done: Condvar,
    /// The thread that read last, and the preferred one.
    last: AtomicUsize,
    preferred: AtomicUsize,
}

struct WorkerState {
    /// `None` while a thread reads.
    record: Option<RecordReader>,
    queued: VecDeque<PrefetchTask>,
    done: VecDeque<PrefetchResult>,
    /// Whether the caller sleeps until a result arrives. A notification without a waiter would cost as much as many
    /// tasks.
    sleeps: bool,
}

impl RecordWorker {
    /// Runs the next task on this thread. Returns false if there is none, or another thread reads this record.
    fn run(&self, me: usize) -> bool {
        let mut state = lock(&self.state);
        let WorkerState { record: slot, queued, .. } = &mut *state;
        let Some(mut record) = slot.take() else { return false };
        let Some(mut task) = queued.pop_front() else {
            *slot = Some(record);
            return false;
        };
        drop(state);
        if self.last.swap(me, Ordering::Relaxed) == me {
            self.preferred.store(me, Ordering::Relaxed);
        }
        record.take_stored(&mut task.stored);
        record.exchange_all(&mut task.buffers);
        let missing = |_: &BlockDescriptor, _| Err(Error::invalid("a block that was not read"));
        // A block that is closed here could not be opened again, so too many are an error.
        let read = record.read_checked(&missing, std::slice::from_ref(&task.rows), &task.budget);
        record.exchange_all(&mut task.buffers);
        let mut state = lock(&self.state);
        state.record = Some(record);
        state.done.push_back(PrefetchResult { read, buffers: task.buffers });
        if std::mem::take(&mut state.sleeps) {
            self.done.notify_one();
        }
        true
    }

    fn prefers(&self, thread: usize) -> bool {
        self.preferred.load(Ordering::Relaxed) == thread
    }

    fn is_done(&self) -> bool {
        !lock(&self.state).done.is_empty()
    }

    /// Waits until `is_so` returns a value. It spins first, since sleeping takes longer than most tasks.
    fn wait<T>(&self, is_so: impl Fn(&mut WorkerState) -> Option<T>) -> T {
        for _ in 0..LOOKS {
            if let Some(found) = is_so(&mut lock(&self.state)) {
                return found;
            }
            std::hint::spin_loop();
        }
        let mut state = lock(&self.state);
        loop {
            if let Some(found) = is_so(&mut state) {
                return found;
            }
            state.sleeps = true;
            state = self.done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// All records, shared by the threads.
struct SharedWorkers {
    workers: Vec<RecordWorker>,
    /// The number of tasks that were queued for each record.
    queued: AtomicUsize,
    /// The number of threads of the pool that look for tasks.
    looking: AtomicUsize,
}

impl SharedWorkers {
    /// Runs tasks until none has been queued for a while. To sleep and be woken would take as long as several tasks.
    fn work(&self) {
        let me = rayon::current_thread_index().map_or(CALLER, |i| i + 1);
        loop {
            let seen = self.queued.load(Ordering::SeqCst);
            let mine = self.workers.iter().filter(|worker| worker.prefers(me));
            if mine.fold(false, |some, worker| some | worker.run(me))
                || self.workers.iter().any(|worker| worker.run(me))
            {
                continue;
            }
            let more = || self.queued.load(Ordering::SeqCst) != seen;
            let wait = || {
                std::hint::spin_loop();
                more()
            };
            if (0..LOOKS).any(|_| wait()) {
                continue;
            }
            self.looking.fetch_sub(1, Ordering::SeqCst);
            if !more() {
                return;
            }
            self.looking.fetch_add(1, Ordering::SeqCst);
        }
    }
}

/// The caller's state of a record.
struct CallerState {
    targets: Vec<usize>,
    cursors: Vec<BlockFetcher>,
}

/// Prefetches the rows of several records.
pub(crate) struct Prefetcher {
    pool: Arc<ThreadPool>,
    shared: Arc<SharedWorkers>,
    callers: Vec<CallerState>,
    /// The rows of tasks that are queued and not taken.
    queued: VecDeque<Range<u64>>,
    /// The first row of the next task, the rows of a task, and the end of all rows.
    next: u64,
    size: u64,
    end: u64,
}

impl Prefetcher {
    /// Queues the first tasks for records that have read the rows `last`, up to row `end`. `like` has the values
    /// that they read.
    pub(crate) fn begin<R: ReadAt>(
        pool: Arc<ThreadPool>,
        file: &FileReader<R>,
        records: Vec<RecordReader>,
        last: &Range<u64>,
        end: u64,
        like: &[ColumnData],
    ) -> Self {
        let caller = |record: &RecordReader| CallerState {
            targets: record.targets().collect(),
            cursors: record.fetchers().collect(),
        };
        let callers = records.iter().map(caller).collect();
        let worker = |record| RecordWorker {
            state: Mutex::new(WorkerState {
                record: Some(record),
                queued: VecDeque::new(),
                done: VecDeque::new(),
                sleeps: false,
            }),
            done: Condvar::new(),
            last: AtomicUsize::new(usize::MAX),
            preferred: AtomicUsize::new(usize::MAX),
        };
        let shared = Arc::new(SharedWorkers {
            workers: records.into_iter().map(worker).collect(),
            queued: AtomicUsize::new(0),
            looking: AtomicUsize::new(0),
        });
        let size = last.end - last.start;
        let mut prefetcher =
            Self { pool, shared, callers, queued: VecDeque::new(), next: last.end, size, end };
        for _ in 0..DEPTH {
            let mut buffers: Vec<_> = like.iter().map(ColumnData::empty_like).collect();
            prefetcher.queue(file, &mut buffers);
        }
        prefetcher
    }

    /// Returns whether these rows are those of the next task.
    pub(crate) fn is_next(&self, rows: &Range<u64>) -> bool {
        self.queued.front() == Some(rows)
    }

    /// Queues no tasks from this row on.
    pub(crate) fn until(&mut self, end: u64) {
        self.end = end;
    }

    /// Queues a task for each record, if rows are left. The buffers are empty and travel with it.
    fn queue<R: ReadAt>(&mut self, file: &FileReader<R>, into: &mut [ColumnData]) {
        let rows = self.next..self.next.saturating_add(self.size).min(self.end);
        if rows.is_empty() {
            return;
        }
        let cursors = |caller: &CallerState| {
            caller
                .cursors
                .iter()
                .map(|cursor| cursor.fetch(file, rows.end))
                .collect::<Result<Vec<_>>>()
        };
        // An error is reported when these rows are requested, if it persists.
        let Ok(stored) = self.callers.iter().map(cursors).collect::<Result<Vec<_>>>() else {
            self.end = self.next;
            return;
        };
        self.next = rows.end;
        let budget = Arc::new(ReadBudget::new(file.limits().batch_bytes));
        let callers = self.callers.iter_mut().zip(stored);
        for (worker, (CallerState { targets, cursors }, stored)) in
            self.shared.workers.iter().zip(callers)
        {
            for (cursor, stored) in cursors.iter_mut().zip(&stored) {
                cursor.next += stored.len();
            }
            let nothing = || ColumnData::new(ValueType::Null, false);
            let buffers = targets.iter().map(|target| match into.get_mut(*target) {
                Some(buffer) => std::mem::replace(buffer, nothing()),
                None => nothing(),
            });
            let (rows, buffers, budget) = (rows.clone(), buffers.collect(), budget.clone());
            let task = PrefetchTask { rows, stored, buffers, budget };
            lock(&worker.state).queued.push_back(task);
        }
        self.queued.push_back(rows);
        self.shared.queued.fetch_add(1, Ordering::SeqCst);
        while self.shared.looking.load(Ordering::SeqCst) < self.pool.current_num_threads() {
            self.shared.looking.fetch_add(1, Ordering::SeqCst);
            let shared = self.shared.clone();
            self.pool.spawn(move || shared.work());
        }
    }

    /// Takes the results of the next task: the number of rows that each record has read, and their values. The buffers
    /// that are passed are empty, and travel with another task.
    pub(crate) fn take<R: ReadAt>(
        &mut self,
        file: &FileReader<R>,
        into: &mut [ColumnData],
    ) -> Vec<Result<usize>> {
        self.queue(file, into);
        self.queued.pop_front();
        self.help();
        let mut read = Vec::with_capacity(self.shared.workers.len());
        for (worker, caller) in self.shared.workers.iter().zip(&self.callers) {
            let done = worker.wait(|state| state.done.pop_front());
            for (target, buffer) in caller.targets.iter().zip(done.buffers) {
                if let Some(into) = into.get_mut(*target) {
                    *into = buffer;
                }
            }
            read.push(done.read);
        }
        read
    }

    /// Runs tasks that no thread has begun until every record has read the next one.
    fn help(&self) {
        let workers = &self.shared.workers;
        loop {
            // The pool starts with the first record.
            let left = || workers.iter().rev().filter(|worker| !worker.is_done());
            let run = |worker: &RecordWorker| worker.run(CALLER);
            let is_done = left().next().is_none();
            if is_done
                || !(left().filter(|worker| worker.prefers(CALLER)).any(run)
                    || left().any(run)
                    || workers.iter().rev().any(run))
            {
                return;
            }
        }
    }

    /// Returns the records when no thread reads them any more. Results that were not taken are lost.
    pub(crate) fn end(self) -> Vec<RecordReader> {
        self.clear_queue();
        let records = self.shared.workers.iter().map(|worker| {
            let mut record = worker.wait(|state| state.record.take());
            record.take_stored(&mut []);
            record
        });
        records.collect()
    }

    /// Removes the tasks that no thread has begun.
    fn clear_queue(&self) {
        self.shared.workers.iter().for_each(|worker| lock(&worker.state).queued.clear());
    }
}

impl Drop for Prefetcher {
    fn drop(&mut self) {
        self.clear_queue();
    }
}
