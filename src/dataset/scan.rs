//! Configures a scan of a data set.
//!
//! ```text
//! rows      range ──► predicate ──► offset ──► limit
//! files     ├── 0 ──┤├── 1 ──┤├── 2 ──┤        left out: those after or before the rows, and those that cannot pass
//! ```

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::datatypes::{FieldRef, SchemaRef};

use super::commit::DataFile;
use super::file_scan::{FileScan, ScanPredicate};
use super::snapshot::Snapshot;
use crate::arrow::{ArrowReaderBuilder, Predicate, check_settings};
use crate::defaults::BATCH_SIZE;
use crate::error::{Error, Result};
use crate::io::{Limits, ReadAt};
use crate::parallelism;

/// Configures what is read of a data set.
#[derive(Debug, Clone)]
pub struct DatasetScan<P> {
    pub(super) place: P,
    snapshot: Arc<Snapshot>,
    names: Option<Vec<String>>,
    predicate: Option<Predicate>,
    rows: Range<u64>,
    offset: u64,
    limit: u64,
    pub(super) batch_size: usize,
    limits: Limits,
    pub(super) parallelism: usize,
}

/// The files to read, and how.
#[derive(Debug)]
pub(super) struct ScanPlan {
    pub(super) settings: FileSettings,
    pub(super) parts: Vec<ScanPart>,
    pub(super) trim: Trim,
}

/// What is read of each file.
#[derive(Debug)]
pub(super) struct FileSettings {
    pub(super) predicate: Arc<ScanPredicate>,
    pub(super) batch_size: usize,
    pub(super) limits: Limits,
    /// Rows that are needed of all files.
    most: u64,
}

/// Rows of one file.
#[derive(Debug, Clone)]
pub(super) struct ScanPart {
    pub(super) file: DataFile,
    pub(super) rows: Range<u64>,
    /// The values in its path.
    pub(super) constants: Vec<(FieldRef, ArrayRef)>,
}

/// The remaining offset and limit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Trim {
    offset: u64,
    limit: u64,
}

impl<P> DatasetScan<P> {
    pub(super) fn new(place: P, snapshot: Arc<Snapshot>) -> Self {
        Self {
            place,
            snapshot,
            names: None,
            predicate: None,
            rows: 0..u64::MAX,
            offset: 0,
            limit: u64::MAX,
            batch_size: BATCH_SIZE,
            limits: Limits::default(),
            parallelism: 1,
        }
    }

    /// Sets the columns to read, in the order of the schema; parts of nested ones with dots. Default: all.
    pub fn with_projection<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.names = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the rows of which it is true. Its columns need not be among those that are read. Files in which
    /// there can be none are not opened. Default: all.
    pub fn with_predicate(mut self, predicate: Predicate) -> Self {
        self.predicate = Some(predicate);
        self
    }

    /// Sets the range of rows to read, counted over all files before the predicate. Default: all.
    pub fn with_row_range(mut self, rows: Range<u64>) -> Self {
        self.rows = rows;
        self
    }

    /// Sets the number of rows to skip, of those that would be read. Default: 0.
    pub fn with_offset(mut self, rows: u64) -> Self {
        self.offset = rows;
        self
    }

    /// Sets the maximum number of rows to read, after predicate and offset. Default: no limit.
    pub fn with_limit(mut self, rows: u64) -> Self {
        self.limit = rows;
        self
    }

    /// Sets the maximum number of rows of a batch. No batch has rows of two files. Default: 8192.
    pub fn with_batch_size(mut self, rows: usize) -> Self {
        self.batch_size = rows;
        self
    }

    /// Limits on the memory that reading one file may take.
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the number of threads that read and decode several files, or several parts of one. The rows are the
    /// same, in the same order. Each thread reads some batches ahead. Default: 1, the caller's.
    pub fn with_parallelism(mut self, threads: usize) -> Self {
        self.parallelism = threads.min(parallelism::limit_threads(threads));
        self
    }

    /// Returns the schema of the batches.
    pub fn schema(&self) -> Result<SchemaRef> {
        Ok(self.scan_predicate()?.output)
    }

    /// Returns the files that would be opened.
    pub fn files(&self) -> Result<Vec<DataFile>> {
        Ok(self.plan()?.parts.into_iter().map(|part| part.file).collect())
    }

    fn scan_predicate(&self) -> Result<ScanPredicate> {
        let schema = self.snapshot.schema.clone();
        ScanPredicate::new(schema, self.names.clone(), self.predicate.clone())
    }

    pub(super) fn plan(&self) -> Result<ScanPlan> {
        check_settings(self.batch_size, self.parallelism)?;
        let predicate = self.scan_predicate()?;
        let (mut rows, mut trim) =
            (self.rows.clone(), Trim { offset: self.offset, limit: self.limit });
        if predicate.steps.is_empty() {
            // Which rows these are is known before any is read.
            rows.start = rows.start.saturating_add(trim.offset);
            rows.end = rows.end.min(rows.start.saturating_add(trim.limit));
            trim = Trim { offset: 0, limit: u64::MAX };
        }
        let (mut parts, mut at) = (Vec::new(), 0u64);
        for group in &self.snapshot.groups {
            let passing = self.snapshot.may_pass(group, &predicate.steps)?;
            for (place, (file, passes)) in group.files.iter().zip(passing).enumerate() {
                let end = at.saturating_add(file.rows);
                let wanted = rows.start.clamp(at, end) - at..rows.end.clamp(at, end) - at;
                at = end;
                if !passes || wanted.is_empty() || trim.limit == 0 {
                    continue;
                }
                let values = group.values.iter().map(|values| values.slice(place, 1));
                let constants = self.snapshot.partitions.iter().cloned().zip(values).collect();
                parts.push(ScanPart { file: file.clone(), rows: wanted, constants });
            }
        }
        let settings = FileSettings {
            predicate: Arc::new(predicate),
            batch_size: self.batch_size,
            limits: self.limits,
            most: trim.most(),
        };
        Ok(ScanPlan { settings, parts, trim })
    }
}

impl FileSettings {
    /// Configures the reader of some rows of a file; `None` if none of its rows can match.
    ///
    /// Fails if the file does not have as many rows as the commit says: then it is another file.
    pub(super) fn configure<R: ReadAt, F>(
        &self,
        builder: ArrowReaderBuilder<R, F>,
        part: &ScanPart,
        rows: Range<u64>,
    ) -> Result<Option<(ArrowReaderBuilder<R, F>, FileScan)>> {
        if builder.rows() != part.file.rows() {
            let (rows, said) = (builder.rows(), part.file.rows());
            return Err(Error::malformed(format!("{rows} rows, but the commit says {said}")));
        }
        let scan = self.predicate.of_file(builder.schema(), part.constants.clone())?;
        let Some(scan) = scan else { return Ok(None) };
        let mut builder = builder
            .with_batch_size(self.batch_size)
            .with_limits(self.limits)
            .with_projection(scan.mask.clone())
            .with_row_range(rows);
        if let Some(predicate) = &scan.predicate {
            builder = builder.with_predicate(predicate.clone());
        }
        if scan.evaluates_all() {
            builder = builder.with_limit(self.most);
        }
        Ok(Some((builder, scan)))
    }
}

impl Trim {
    /// Returns how many rows may still be needed.
    pub(super) fn most(&self) -> u64 {
        self.offset.saturating_add(self.limit)
    }

    pub(super) fn is_done(&self) -> bool {
        self.limit == 0
    }

    /// Returns the rows of a batch that are within offset and limit.
    pub(super) fn trim(&mut self, batch: &RecordBatch) -> RecordBatch {
        let fitting = |n: u64, rows: usize| usize::try_from(n).map_or(rows, |n| n.min(rows));
        let rows = batch.num_rows();
        let skipped = fitting(self.offset, rows);
        let taken = fitting(self.limit, rows - skipped);
        self.offset -= skipped as u64;
        if self.limit != u64::MAX {
            self.limit -= taken as u64;
        }
        batch.slice(skipped, taken)
    }
}
