//! Counts the rows and values that were skipped while reading.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::ReadOptions;
use trevni::{Error, Result};

/// Warnings that are kept.
const MOST_WARNINGS: usize = 100;

/// Counts that are updated while rows are read.
#[derive(Debug, Default)]
pub struct Report {
    /// Rows that could not be read, and are left out.
    pub bad_rows: AtomicU64,
    /// Fields of rows that the schema does not know, and are left out.
    pub unknown_fields: AtomicU64,
    /// Set if reading failed at a value that does not have the type that was inferred from the first rows. Reading
    /// again without [`infer_rows`](super::ReadOptions::infer_rows) infers types from all rows.
    pub inference_failed: AtomicBool,
    /// How many rows are to be read, where the file says so and all are wanted; 0 otherwise.
    pub row_count: AtomicU64,
    warnings: Mutex<Vec<String>>,
}

impl Report {
    /// Adds what a person should know of a file, though its rows were read.
    pub fn warn(&self, text: String) {
        let mut warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        // An input may be opened several times.
        if warnings.len() < MOST_WARNINGS && !warnings.contains(&text) {
            warnings.push(text);
        }
    }

    /// Returns the warnings so far.
    pub fn warnings(&self) -> Vec<String> {
        self.warnings.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sets how many rows there are, unless not all of them are read.
    pub(crate) fn set_row_count(&self, rows: u64, options: &ReadOptions) {
        if options.rows.is_none() && options.predicate.is_none() && options.limit.is_none() {
            self.row_count.store(rows, Ordering::Relaxed);
        }
    }

    /// Counts a bad row. Returns its error back if there are more than `allowed`.
    pub fn pass_over(&self, allowed: u64, e: Error) -> Result<()> {
        self.pass_over_all(1, allowed, e)
    }

    /// Counts bad rows. Returns the error back if there are more than `allowed`.
    pub fn pass_over_all(&self, rows: u64, allowed: u64, e: Error) -> Result<()> {
        let before = self.bad_rows.load(Ordering::Relaxed);
        if before.saturating_add(rows) > allowed {
            return Err(e);
        }
        self.bad_rows.store(before + rows, Ordering::Relaxed);
        Ok(())
    }
}
