//! Configures a scan of a data set.
//!
//! ```text
//! rows      range ──► predicate ──► offset ──► limit
//! files     ├── 0 ──┤├── 1 ──┤├── 2 ──┤        left out: those after or before the rows, and those that cannot pass
//! ```

use std::ops::Range;
use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::datatypes::{FieldRef, SchemaRef};

use super::commit::DataFile;
use super::file_scan::{FileScan, ScanPredicate};
use super::snapshot::Snapshot;
use crate::arrow::{ArrowReaderBuilder, ScanSettings, Trim, scan_setters};
use crate::error::{Error, Result};
use crate::io::{Limits, ReadAt};

/// Configures what is read of a data set.
#[derive(Debug, Clone)]
pub struct DatasetScan<P> {
    pub(super) place: P,
    snapshot: Arc<Snapshot>,
    names: Option<Vec<String>>,
    pub(super) settings: ScanSettings,
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
    /// Those of the scan, but for its rows.
    pub(super) scan: ScanSettings,
}

/// Rows of one file.
#[derive(Debug, Clone)]
pub(super) struct ScanPart {
    pub(super) file: DataFile,
    pub(super) rows: Range<u64>,
    /// The values in its path.
    pub(super) constants: Vec<(FieldRef, ArrayRef)>,
}

impl<P> DatasetScan<P> {
    pub(super) fn new(place: P, snapshot: Arc<Snapshot>) -> Self {
        let settings = ScanSettings::new(Limits::default());
        Self { place, snapshot, names: None, settings }
    }

    /// Sets the columns to read, in the order of the schema; parts of nested ones with dots. Default: all.
    pub fn with_projection<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.names = Some(names.into_iter().map(Into::into).collect());
        self
    }

    scan_setters!(settings);

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
        ScanPredicate::new(schema, self.names.clone(), self.settings.predicate.clone())
    }

    pub(super) fn plan(&self) -> Result<ScanPlan> {
        let mut scan = self.settings.clone();
        scan.check()?;
        let predicate = self.scan_predicate()?;
        let mut rows = scan.rows.clone();
        let trim = match predicate.steps.is_empty() {
            // Which rows these are is known before any is read.
            true => {
                rows.start = rows.start.saturating_add(scan.offset);
                rows.end = rows.end.min(rows.start.saturating_add(scan.limit));
                Trim::none()
            }
            false => Trim::new(scan.offset, scan.limit),
        };
        (scan.offset, scan.limit) = (0, trim.most());
        let (mut parts, mut at) = (Vec::new(), 0u64);
        for group in &self.snapshot.groups {
            let passing = self.snapshot.may_pass(group, &predicate.steps)?;
            for (place, (file, passes)) in group.files.iter().zip(passing).enumerate() {
                let end = at.saturating_add(file.rows);
                let wanted = rows.start.clamp(at, end) - at..rows.end.clamp(at, end) - at;
                at = end;
                if !passes || wanted.is_empty() || trim.is_done() {
                    continue;
                }
                let values = group.values.iter().map(|values| values.slice(place, 1));
                let constants = self.snapshot.partitions.iter().cloned().zip(values).collect();
                parts.push(ScanPart { file: file.clone(), rows: wanted, constants });
            }
        }
        let settings = FileSettings { predicate: Arc::new(predicate), scan };
        Ok(ScanPlan { settings, parts, trim })
    }
}

impl FileSettings {
    /// Configures the reader of a file; `None` if none of its rows can match.
    ///
    /// Fails if the file does not have as many rows as the commit says: then it is another file.
    pub(super) fn configure<R: ReadAt + 'static>(
        &self,
        builder: ArrowReaderBuilder<R>,
        part: &ScanPart,
    ) -> Result<Option<(ArrowReaderBuilder<R>, FileScan)>> {
        if builder.rows() != part.file.rows() {
            let (rows, said) = (builder.rows(), part.file.rows());
            return Err(Error::malformed(format!("{rows} rows, but the commit says {said}")));
        }
        let scan = self.predicate.of_file(builder.schema(), part.constants.clone())?;
        let Some(scan) = scan else { return Ok(None) };
        let mut builder = builder.with_projection(scan.mask.clone());
        builder.settings = ScanSettings {
            rows: part.rows.clone(),
            predicate: scan.predicate.clone(),
            limit: if scan.evaluates_all() { self.scan.limit } else { u64::MAX },
            ..self.scan.clone()
        };
        Ok(Some((builder, scan)))
    }
}
