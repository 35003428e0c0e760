//! An object in a store as bytes that can be read at any position.
//!
//! ```text
//! open       the last bytes                                       one request: footers are there
//! plan       window 0 │ window 1 │ ...                            what will be read, in order
//! read_at    fetched ──► those bytes
//!            in a window ──► all ranges of the window together    the next window is requested meanwhile
//!            elsewhere ──► the bytes, and some after them
//! ```
//! Up to three windows are in memory, or one if they are large.

use std::io;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::task::JoinHandle;
use trevni::Result;
use trevni::io::{Ranges, ReadAt};
use trevni::object_store::{FetchOptions, Fetched, Object};

use super::object::{StoredObject, is_unsupported};
use super::planned_read::{PlannedRead, Window};

/// The bytes that are read first, from the end. A smaller object is read completely.
const TAIL: u64 = 1 << 20;

/// The bytes that are read where nothing is planned, at least.
const UNPLANNED: u64 = 256 << 10;

/// Windows of more bytes are fetched one at a time.
const LARGE: u64 = 32 << 20;

/// An object that is open.
pub(super) struct StoredBytes {
    object: Object,
    of: StoredObject,
    pieces: Ranges,
    /// The last bytes, which are kept.
    tail: Range<u64>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    windows: Vec<Window>,
    /// The window that was fetched last.
    current: usize,
    ahead: Option<(usize, JoinHandle<Result<Fetched>>)>,
}

impl StoredBytes {
    /// Opens an object; `None` if its store does not support ranges.
    pub(super) fn open(of: StoredObject) -> Result<Option<Self>> {
        let (store, options) = (of.store.clone(), FetchOptions::default());
        let open_tail = Object::open_tail(store.clone(), of.path.clone(), options.clone(), TAIL);
        let mut opened = of.wait(open_tail);
        // Some stores know no ranges from the end. The first bytes say how long an object is.
        if opened.as_ref().is_err_and(is_unsupported) {
            opened = of.wait(Object::open(store, of.path.clone(), options));
        }
        let (object, pieces) = match opened {
            Err(e) if is_unsupported(&e) => return Ok(None),
            opened => opened?,
        };
        let tail = object.size().saturating_sub(TAIL)..object.size();
        Ok(Some(Self { object, of, pieces, tail, state: Mutex::default() }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Fetches what is missing of a range, with the rest of the window in which it begins. It may be of two windows, or of
    /// one that was dropped.
    fn fetch(&self, range: Range<u64>) -> Result<()> {
        let mut state = self.state();
        let State { windows, current, ahead } = &mut *state;
        let is_of = |window: &Window| {
            window.iter().any(|part| part.start <= range.start && range.start < part.end)
        };
        // A window that was left behind is not fetched again as a whole.
        let next = windows.iter().skip(*current).position(is_of).map(|at| at + *current);
        if let Some(at) = next
            && let Some(window) = windows.get(at)
        {
            *current = at;
            self.drop_before(windows, at);
            match ahead.take() {
                Some((of, fetched)) if of == at => {
                    let joined = self.of.runtime.block_on(fetched);
                    self.insert(joined.map_err(io::Error::other)??)?;
                }
                _ => self.fetch_now(window)?,
            }
            if let Some(next) = windows.get(at + 1).filter(|next| bytes(next) <= LARGE) {
                let (object, missing) = (self.object.clone(), self.missing(next));
                let fetched = async move { object.fetch(&missing).await };
                *ahead = Some((at + 1, self.of.runtime.spawn(fetched)));
            }
        }
        drop(state);
        if self.pieces.missing(range.clone()).is_empty() {
            return Ok(());
        }
        let least = range.start.saturating_add(UNPLANNED).min(self.object.size());
        self.fetch_now(std::slice::from_ref(&(range.start..range.end.max(least))))
    }

    fn fetch_now(&self, ranges: &[Range<u64>]) -> Result<()> {
        let missing = self.missing(ranges);
        self.insert(self.of.wait(self.object.fetch(&missing))?)
    }

    fn missing(&self, ranges: &[Range<u64>]) -> Vec<Range<u64>> {
        ranges.iter().flat_map(|range| self.pieces.missing(range.clone())).collect()
    }

    fn insert(&self, fetched: Fetched) -> Result<()> {
        fetched.into_iter().try_for_each(|(at, bytes)| Ok(self.pieces.insert(at, bytes)?))
    }

    /// Drops all but the tail and the windows from the one before this. Columns are not read at quite the same pace.
    fn drop_before(&self, windows: &[Window], at: usize) {
        let near = windows.iter().enumerate().skip(at.saturating_sub(1)).take(3);
        let kept = near.filter(|(place, window)| *place == at || bytes(window) <= LARGE);
        let kept = kept.flat_map(|(_, window)| window).cloned();
        self.pieces.keep(&kept.chain([self.tail.clone()]).collect::<Vec<_>>());
    }
}

fn bytes(window: &Window) -> u64 {
    window.iter().map(|range| range.end.saturating_sub(range.start)).fold(0, u64::saturating_add)
}

impl ReadAt for StoredBytes {
    fn len(&self) -> io::Result<u64> {
        Ok(self.object.size())
    }

    fn read_at(&self, offset: u64, len: usize) -> io::Result<Bytes> {
        let end = offset.checked_add(len as u64).filter(|end| *end <= self.object.size());
        let end = end.ok_or(io::ErrorKind::UnexpectedEof)?;
        if !self.pieces.missing(offset..end).is_empty() {
            self.fetch(offset..end).map_err(io::Error::from)?;
        }
        self.pieces.read_at(offset, len)
    }
}

impl PlannedRead for StoredBytes {
    fn set_plan(&self, windows: Vec<Window>) {
        *self.state() = State { windows, ..State::default() };
    }
}

impl Drop for StoredBytes {
    fn drop(&mut self) {
        if let Some((_, fetched)) = self.state().ahead.take() {
            fetched.abort();
        }
    }
}
