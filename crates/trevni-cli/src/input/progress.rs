//! Shows how far rows are read, on stderr if that is a terminal.
//!
//! ```text
//! bytes of a stream     ━━━━━━╌╌╌╌ 61%, 61 MiB of 100 MiB, 300 MiB/s, 2s left, 610000 rows
//! rows of a file        ━━━━━━╌╌╌╌ 61%, 610,000 of 1,000,000 rows, 3000000 rows/s, 2s left
//! neither is known      610,000 rows, 3000000 rows/s
//! ```

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressState, ProgressStyle};

/// How much there is to read, as far as that is known.
#[derive(Debug, Clone, Default)]
pub(crate) struct InputSize {
    /// How many bytes there are, and how many of them have been read.
    pub(crate) bytes: Option<(u64, Arc<AtomicU64>)>,
    pub(crate) rows: Option<u64>,
}

/// The progress of reading rows. The bar is removed when this is dropped.
#[derive(Debug)]
pub(crate) struct RowProgress {
    bar: ProgressBar,
    /// Bytes read so far, if the bar is of bytes.
    taken: Option<Arc<AtomicU64>>,
    rows: u64,
}

impl RowProgress {
    pub(crate) fn new(size: &InputSize) -> Self {
        // Formats that are read at any position count all bytes at once.
        let bytes =
            size.bytes.as_ref().filter(|(size, taken)| taken.load(Ordering::Relaxed) < *size);
        let (bar, template) = match (bytes, size.rows) {
            (Some((size, _)), _) => {
                let template = "{bar:30} {percent}%, {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left, {msg}";
                (ProgressBar::new(*size), template)
            }
            (None, Some(rows)) => {
                let template = "{bar:30} {percent}%, {human_pos} of {human_len} rows, {rate}, {eta} left {msg}";
                (ProgressBar::new(rows), template)
            }
            (None, None) => {
                (ProgressBar::new_spinner(), "{spinner} {human_pos} rows, {rate} {msg}")
            }
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            let rate = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                // A broken terminal is no reason to stop converting.
                let _ = write!(out, "{:.0} rows/s", state.per_sec());
            };
            bar.set_style(style.with_key("rate", rate));
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Self { bar, taken: bytes.map(|(_, taken)| taken.clone()), rows: 0 }
    }

    /// Adds rows that were read.
    pub(crate) fn add(&mut self, rows: usize) {
        self.rows += rows as u64;
        match &self.taken {
            Some(taken) => {
                self.bar.set_position(taken.load(Ordering::Relaxed));
                self.bar.set_message(format!("{} rows", self.rows));
            }
            None => self.bar.set_position(self.rows),
        }
    }

    pub(crate) fn set_message(&self, text: &'static str) {
        self.bar.set_message(text);
    }

    /// Returns how many rows were read.
    pub(crate) fn rows(&self) -> u64 {
        self.rows
    }
}

impl Drop for RowProgress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
