//! Roots that several threads read, a few turns before the caller asks for their rows.
//!
//! ```text
//! caller    give turn n + 2 ──► take turn n, of each root: done, or read here if nobody has begun
//! pool                turn n + 1 of any root, turn n + 2 ...        a root is read by one thread at a time
//! ```
//! Who has read a root two times reads it next, if there is time: its memory is near then.
//! Stored bytes are read by the caller, when it gives a turn, so that a source need not outlive it. The caller's buffers
//! are those of the turn that it gives, and get what the turn that it takes has read.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use rayon::ThreadPool;

use super::block_fetch::{Fetcher, Stored};
use super::file_reader::FileReader;
use super::record_reader::RootReader;
use crate::error::{Error, Result};
use crate::format::block::BlockDescriptor;
use crate::format::budget::ReadBudget;
use crate::format::column_data::ColumnData;
use crate::format::value::ValueType;
use crate::io::ReadAt;
use crate::parallelism::threads::{LOOKS, lock};

/// The caller's thread; those of the pool come behind it.
const CALLER: usize = 0;

/// How many turns are given before they are taken.
const DEPTH: usize = 2;

/// Rows that a root is to read next, the stored bytes for each of its lanes, and buffers for those with a target.
pub(crate) struct Turn {
    rows: Range<u64>,
    pub(crate) stored: Vec<Stored>,
    buffers: Vec<ColumnData>,
    /// That of all roots together.
    budget: Arc<ReadBudget>,
}

/// How many rows a root has read, and what.
struct Done {
    read: Result<usize>,
    buffers: Vec<ColumnData>,
}

/// A root and its turns.
struct Runner {
    state: Mutex<State>,
    done: Condvar,
    /// The thread that has read last, and the one that should.
    last: AtomicUsize,
    home: AtomicUsize,
}

struct State {
    /// Here unless a thread reads.
    root: Option<RootReader>,
    given: VecDeque<Turn>,
    done: VecDeque<Done>,
    /// Whether the caller sleeps until one is done: to wake nobody takes as long as many turns.
    sleeps: bool,
}

impl Runner {
    /// Reads the next turn on this thread, if there is one and no other reads this root.
    fn run(&self, me: usize) -> bool {
        let mut state = lock(&self.state);
        let State { root: place, given, .. } = &mut *state;
        let Some(mut root) = place.take() else { return false };
        let Some(mut turn) = given.pop_front() else {
            *place = Some(root);
            return false;
        };
        drop(state);
        if self.last.swap(me, Ordering::Relaxed) == me {
            self.home.store(me, Ordering::Relaxed);
        }
        root.take_stored(&mut turn.stored);
        root.exchange_all(&mut turn.buffers);
        let missing = |_: &BlockDescriptor, _| Err(Error::invalid("a block that was not read"));
        // A block that is closed here could not be opened again, so too many are an error.
        let read = root.read_checked(&missing, std::slice::from_ref(&turn.rows), &turn.budget);
        root.exchange_all(&mut turn.buffers);
        let mut state = lock(&self.state);
        state.root = Some(root);
        state.done.push_back(Done { read, buffers: turn.buffers });
        if std::mem::take(&mut state.sleeps) {
            self.done.notify_one();
        }
        true
    }

    fn is_at(&self, thread: usize) -> bool {
        self.home.load(Ordering::Relaxed) == thread
    }

    fn is_done(&self) -> bool {
        !lock(&self.state).done.is_empty()
    }

    /// Waits until `is_so`; to sleep at once would take longer than most turns do.
    fn wait<T>(&self, is_so: impl Fn(&mut State) -> Option<T>) -> T {
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

/// All roots, and who is there to read.
struct Side {
    runners: Vec<Runner>,
    /// How many turns have been given of each root.
    given: AtomicUsize,
    /// How many threads of the pool look for turns.
    looking: AtomicUsize,
}

impl Side {
    /// Reads turns until for a while none has been given. To sleep until the next, and be woken, takes as long as to
    /// read some.
    fn work(&self) {
        let me = rayon::current_thread_index().map_or(CALLER, |i| i + 1);
        loop {
            let seen = self.given.load(Ordering::SeqCst);
            let mine = self.runners.iter().filter(|runner| runner.is_at(me));
            if mine.fold(false, |some, runner| some | runner.run(me))
                || self.runners.iter().any(|runner| runner.run(me))
            {
                continue;
            }
            let more = || self.given.load(Ordering::SeqCst) != seen;
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

/// What the caller knows of a root.
struct Caller {
    targets: Vec<usize>,
    lanes: Vec<Fetcher>,
}

/// The turns of all roots.
pub(crate) struct Turns {
    pool: Arc<ThreadPool>,
    side: Arc<Side>,
    callers: Vec<Caller>,
    /// Those that are given and not taken.
    given: VecDeque<Range<u64>>,
    /// The first row of the next, their most rows, and behind the last of all.
    next: u64,
    size: u64,
    end: u64,
}

impl Turns {
    /// Gives the first turns of roots that have read `last`, up to row `end`. `like` is what they have read.
    pub(crate) fn begin<R: ReadAt>(
        pool: Arc<ThreadPool>,
        file: &FileReader<R>,
        roots: Vec<RootReader>,
        last: &Range<u64>,
        end: u64,
        like: &[ColumnData],
    ) -> Self {
        let caller = |root: &RootReader| Caller {
            targets: root.targets().collect(),
            lanes: root.fetchers().collect(),
        };
        let callers = roots.iter().map(caller).collect();
        let runner = |root| Runner {
            state: Mutex::new(State {
                root: Some(root),
                given: VecDeque::new(),
                done: VecDeque::new(),
                sleeps: false,
            }),
            done: Condvar::new(),
            last: AtomicUsize::new(usize::MAX),
            home: AtomicUsize::new(usize::MAX),
        };
        let side = Arc::new(Side {
            runners: roots.into_iter().map(runner).collect(),
            given: AtomicUsize::new(0),
            looking: AtomicUsize::new(0),
        });
        let size = last.end - last.start;
        let mut turns =
            Self { pool, side, callers, given: VecDeque::new(), next: last.end, size, end };
        for _ in 0..DEPTH {
            let mut buffers: Vec<_> = like.iter().map(ColumnData::empty_like).collect();
            turns.give(file, &mut buffers);
        }
        turns
    }

    /// Whether these rows are those of the next turn.
    pub(crate) fn is_next(&self, rows: &Range<u64>) -> bool {
        self.given.front() == Some(rows)
    }

    /// Gives no turns from this row on.
    pub(crate) fn until(&mut self, end: u64) {
        self.end = end;
    }

    /// Gives a turn of each root, if there are rows left; the buffers are empty, and go with it.
    fn give<R: ReadAt>(&mut self, file: &FileReader<R>, into: &mut [ColumnData]) {
        let rows = self.next..self.next.saturating_add(self.size).min(self.end);
        if rows.is_empty() {
            return;
        }
        let lanes = |caller: &Caller| {
            caller.lanes.iter().map(|lane| lane.fetch(file, rows.end)).collect::<Result<Vec<_>>>()
        };
        // What cannot be read yet says so, if it still cannot, when it is asked for.
        let Ok(stored) = self.callers.iter().map(lanes).collect::<Result<Vec<_>>>() else {
            self.end = self.next;
            return;
        };
        self.next = rows.end;
        let budget = Arc::new(ReadBudget::new(file.limits().batch_bytes));
        let callers = self.callers.iter_mut().zip(stored);
        for (runner, (Caller { targets, lanes }, stored)) in self.side.runners.iter().zip(callers) {
            for (lane, stored) in lanes.iter_mut().zip(&stored) {
                lane.next += stored.len();
            }
            let nothing = || ColumnData::new(ValueType::Null, false);
            let buffers = targets.iter().map(|target| match into.get_mut(*target) {
                Some(buffer) => std::mem::replace(buffer, nothing()),
                None => nothing(),
            });
            let (rows, buffers, budget) = (rows.clone(), buffers.collect(), budget.clone());
            let turn = Turn { rows, stored, buffers, budget };
            lock(&runner.state).given.push_back(turn);
        }
        self.given.push_back(rows);
        self.side.given.fetch_add(1, Ordering::SeqCst);
        while self.side.looking.load(Ordering::SeqCst) < self.pool.current_num_threads() {
            self.side.looking.fetch_add(1, Ordering::SeqCst);
            let side = self.side.clone();
            self.pool.spawn(move || side.work());
        }
    }

    /// Takes the next turn: how many rows each root has read, and what. The buffers are empty, and go with another.
    pub(crate) fn take<R: ReadAt>(
        &mut self,
        file: &FileReader<R>,
        into: &mut [ColumnData],
    ) -> Vec<Result<usize>> {
        self.give(file, into);
        self.given.pop_front();
        self.help();
        let mut read = Vec::with_capacity(self.side.runners.len());
        for (runner, caller) in self.side.runners.iter().zip(&self.callers) {
            let done = runner.wait(|state| state.done.pop_front());
            for (target, buffer) in caller.targets.iter().zip(done.buffers) {
                if let Some(into) = into.get_mut(*target) {
                    *into = buffer;
                }
            }
            read.push(done.read);
        }
        read
    }

    /// Reads what nobody has begun, and what comes after it, until all have read the next turn.
    fn help(&self) {
        let runners = &self.side.runners;
        loop {
            // The pool begins with the first.
            let left = || runners.iter().rev().filter(|runner| !runner.is_done());
            let run = |runner: &Runner| runner.run(CALLER);
            let is_done = left().next().is_none();
            if is_done
                || !(left().filter(|runner| runner.is_at(CALLER)).any(run)
                    || left().any(run)
                    || runners.iter().rev().any(run))
            {
                return;
            }
        }
    }

    /// The roots, when no thread reads any more. What they have read of turns that were not taken is lost.
    pub(crate) fn end(self) -> Vec<RootReader> {
        self.forget();
        let roots = self.side.runners.iter().map(|runner| {
            let mut root = runner.wait(|state| state.root.take());
            root.take_stored(&mut []);
            root
        });
        roots.collect()
    }

    /// Leaves nothing to be read that nobody has begun.
    fn forget(&self) {
        self.side.runners.iter().for_each(|runner| lock(&runner.state).given.clear());
    }
}

impl Drop for Turns {
    fn drop(&mut self) {
        self.forget();
    }
}
