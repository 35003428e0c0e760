//! The settings of a scan, and the methods that set them.
//!
//! ```text
//! rows      range ──► predicate ──► offset ──► limit
//! ```

use std::ops::Range;

use crate::arrow::predicate::Predicate;
use crate::defaults::BATCH_SIZE;
use crate::error::{Error, Result};
use crate::io::Limits;

/// What is read of a file or of the files of a data set, and how.
#[derive(Debug, Clone)]
pub(crate) struct ScanSettings {
    pub(crate) rows: Range<u64>,
    pub(crate) predicate: Option<Predicate>,
    pub(crate) offset: u64,
    pub(crate) limit: u64,
    pub(crate) pruning: bool,
    pub(crate) batch_size: usize,
    pub(crate) limits: Limits,
    pub(crate) parallelism: usize,
}

impl ScanSettings {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            rows: 0..u64::MAX,
            predicate: None,
            offset: 0,
            limit: u64::MAX,
            pruning: true,
            batch_size: BATCH_SIZE,
            limits,
            parallelism: 1,
        }
    }

    /// Fails if a setting is out of its range.
    pub(crate) fn check(&self) -> Result<()> {
        match (self.batch_size, self.parallelism) {
            (0, _) => Err(Error::invalid("a batch size of 0 rows")),
            (_, 0) => Err(Error::invalid("a parallelism of 0 threads")),
            _ => Ok(()),
        }
    }
}

/// The methods of a builder that has settings in a field.
macro_rules! scan_setters {
    ($($field:ident).+) => {
        /// Sets the maximum number of rows of a batch. A batch has fewer where its values would take more memory than the
        /// [`Limits`](crate::io::Limits) allow. No batch has rows of two files. Default: 8192.
        pub fn with_batch_size(mut self, rows: usize) -> Self {
            self.$($field).+.batch_size = rows;
            self
        }

        /// Sets the range of rows to read, counted before the predicate, over all files. Rows past the end are ignored.
        /// Default: all.
        pub fn with_row_range(mut self, rows: std::ops::Range<u64>) -> Self {
            self.$($field).+.rows = rows;
            self
        }

        /// Sets a predicate: rows for which it is true are read. Its columns need not be among those that are read. The
        /// conditions of a conjunction are evaluated in order, and each opens only the blocks with rows for which the
        /// conditions before it were true. Files without such rows are not opened, as far as that is known. Default: none.
        pub fn with_predicate(mut self, predicate: crate::arrow::Predicate) -> Self {
            self.$($field).+.predicate = Some(predicate);
            self
        }

        /// Sets the number of rows to skip, of those that would be read. Default: 0.
        pub fn with_offset(mut self, rows: u64) -> Self {
            self.$($field).+.offset = rows;
            self
        }

        /// Sets the maximum number of rows to read, after predicate and offset. Nothing is read after the last of them by
        /// one thread; several may have read ahead. Default: no limit.
        pub fn with_limit(mut self, rows: u64) -> Self {
            self.$($field).+.limit = rows;
            self
        }

        /// Sets whether blocks are left out of which it is known, by their statistics, filters and first values,
        /// that no row of them passes the [predicate](Self::with_predicate). The rows that are read are the same.
        /// Default: true.
        pub fn with_pruning(mut self, pruning: bool) -> Self {
            self.$($field).+.pruning = pruning;
            self
        }

        /// Sets the limits on the memory that the whole scan may use: its threads share it. Default: those of
        /// [`Limits`](crate::io::Limits), or of the options of opening a file.
        pub fn with_limits(mut self, limits: crate::io::Limits) -> Self {
            self.$($field).+.limits = limits;
            self
        }

        /// Sets the number of threads that decompress and decode, the caller's included: each reads some batches of one
        /// file or of several, and the caller receives them in order. The rows are the same; with a predicate, some
        /// batches may be smaller. One thread reads where there are only a few batches. Default: 1.
        ///
        /// Batches are made by one thread and dropped by another. Allocators that do not wait for that, such as mimalloc,
        /// make this up to 1.5 times as fast as that of glibc.
        pub fn with_parallelism(mut self, threads: usize) -> Self {
            self.$($field).+.parallelism = threads;
            self
        }
    };
}

pub(crate) use scan_setters;
