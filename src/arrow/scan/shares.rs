//! How the memory of a scan is divided between its threads.
//!
//! ```text
//! one thread     ├──────────────── the reader ────────────────┤
//! more           ├─ reader ─┼─ reader ─┼─ reader ─┼─ batches ahead ─┤
//! store          ├─ window ─┼─ window ─┼───────── readers ─────────┤
//! data set       ├─ file ─┼─ file ─┼─ .. ─┼────── readers ─────────┤      a file has two windows
//! ```
//! A thread that reads ahead stops at its part of the batches, and the caller continues where it stopped. Each unit that
//! is in progress has at most one reader.

#[cfg(feature = "object_store")]
use crate::defaults::WINDOW_BYTES;
use crate::io::Limits;

/// The part of the memory that batches which are read ahead may take, as a divisor.
const AHEAD: usize = 4;

/// The limits of each reader and of each unit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shares {
    /// Of one reader.
    pub(super) reader: Limits,
    /// The bytes of the batches of a unit that is read ahead.
    pub(super) unit_bytes: usize,
}

impl Shares {
    /// Divides limits between the units that are in progress, that of the caller included.
    pub(super) fn new(whole: &Limits, units: usize) -> Self {
        let ahead = whole.memory / AHEAD;
        Self {
            reader: whole.without_part(AHEAD).divided_by(units),
            unit_bytes: ahead / units.saturating_sub(1).max(1),
        }
    }
}

/// The memory of the limits for which another file of a data set is begun.
#[cfg(feature = "object_store")]
const MEMORY_PER_FILE: usize = 64 << 20;

/// Divides the memory of windows between the files of a data set that are read at the same time: returns how many are begun
/// before they are needed, from 1 to `most`, and the bytes of a window.
#[cfg(feature = "object_store")]
pub(crate) fn of_files(whole: &Limits, most: usize) -> (usize, u64) {
    let ahead = (whole.memory / MEMORY_PER_FILE).clamp(1, most.max(1));
    let window = (whole.memory / 4 / (ahead + 1)) as u64;
    (ahead, window.min(WINDOW_BYTES))
}

/// Divides limits between windows of fetched bytes and the reader that decodes them: returns the bytes of a window, and the
/// limits of the reader. A large block or row may still take the whole memory.
#[cfg(feature = "object_store")]
pub(super) fn of_windows(whole: &Limits, windows: usize) -> (u64, Limits) {
    let (batch_bytes, open_bytes) = (whole.batch_bytes / 2, whole.open_bytes / 2);
    let window = whole.memory / 2 / windows.max(1);
    (window as u64, Limits { batch_bytes, open_bytes, ..*whole })
}
