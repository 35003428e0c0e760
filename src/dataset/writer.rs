//! Writes record batches to a data set in a folder.
//!
//! ```text
//! write    rolling ──► finished files, under their final names; not visible yet
//! finish   the rest ──► one commit names all: now they are visible        dropped before that: removed
//! ```

use std::path::Path;

use arrow::array::{RecordBatch, RecordBatchWriter};
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;

use super::commit::{Commit, DataFile};
use super::file_statistics::FileBounds;
use super::folder::Folder;
use super::pending::Pending;
use super::properties::DatasetProperties;
use super::rolling_writer::{Finished, Rolling};
use super::snapshot::Snapshot;
use crate::error::{Error, ErrorKind, Result};
use crate::io::Unsynced;

/// The files of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatasetSummary {
    /// Rows of all files.
    pub rows: u64,
    /// Bytes of all files.
    pub bytes: u64,
    /// The files.
    pub files: Vec<DataFile>,
    /// The number of the commit that names them.
    pub commit: u64,
}

/// Files that are written, and not committed.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub(super) files: Vec<DataFile>,
    bounds: Vec<FileBounds>,
}

impl Written {
    pub(super) fn push(&mut self, file: DataFile, bounds: FileBounds) {
        self.files.push(file);
        self.bounds.push(bounds);
    }

    /// Adds them to a commit.
    pub(super) fn commit(&self, begun: Commit) -> Result<Commit> {
        Ok(Commit { files: self.files.clone(), bounds: FileBounds::join(&self.bounds)?, ..begun })
    }

    /// Returns the summary of these files.
    pub(super) fn summary(files: Vec<DataFile>, commit: u64) -> DatasetSummary {
        let sum = |of: fn(&DataFile) -> u64| files.iter().map(of).fold(0, u64::saturating_add);
        DatasetSummary { rows: sum(DataFile::rows), bytes: sum(DataFile::bytes), commit, files }
    }
}

/// Begins a write: returns its commit without files, and sets what is not set as the data set has it. A commit that replaces
/// all rows comes after `last`. What cannot be read can be replaced, by a writer that needs nothing of it.
pub(super) fn begin(
    last: Option<u64>,
    existing: Result<Option<Snapshot>>,
    schema: &SchemaRef,
    properties: &mut DatasetProperties,
) -> Result<Commit> {
    let replaces = properties.replaces();
    let existing = match existing {
        Err(e)
            if replaces
                && properties.partitions.is_some()
                && !matches!(e.kind(), ErrorKind::Io(_)) =>
        {
            None
        }
        existing => existing?,
    };
    if let Some(existing) = &existing {
        let file = std::mem::take(&mut properties.file);
        properties.file = file.with_settings_unless_set(&existing.settings);
    }
    let commit = Commit {
        schema: Some(schema.clone()),
        partitions: partitions(existing.as_ref(), schema, properties)?,
        replaces,
        known: replaces.then_some(last.unwrap_or(0)),
        settings: properties.file.file_settings(),
        ..Commit::default()
    };
    let existing = existing.filter(|_| !replaces);
    existing.map_or(Ok(()), |existing| super::check_fits(&existing, &commit))?;
    Ok(commit)
}

/// Returns the names of the columns whose values are in paths.
fn partitions(
    existing: Option<&Snapshot>,
    schema: &SchemaRef,
    properties: &DatasetProperties,
) -> Result<Vec<String>> {
    if let Some(asked) = &properties.partitions {
        return Ok(asked.clone());
    }
    let existing = existing.into_iter().flat_map(|existing| &existing.partitions);
    let names: Vec<_> = existing.map(|field| field.name().clone()).collect();
    let missing = names.iter().find(|name| schema.index_of(name).is_err());
    match missing.filter(|_| properties.replaces()) {
        Some(name) => Err(Error::invalid(format!(
            "the data set is partitioned by {name:?}, which the new rows lack: choose other columns to partition by, or none"
        ))),
        None => Ok(names),
    }
}

/// Writes record batches of one schema to a data set in a folder.
///
/// File names are unique, so that writers on several hosts do not conflict. Files are not visible before
/// [`finish`](Self::finish) commits all of them at once. A writer that is dropped removes its files. A writer that
/// is killed leaves files that are not visible, until [`Dataset::vacuum`](super::Dataset::vacuum) removes them.
///
/// ```
/// use std::sync::Arc;
/// use arrow::array::{ArrayRef, Int64Array, RecordBatch};
/// use trevni::dataset::{Dataset, DatasetProperties, DatasetWriter};
///
/// let folder = tempfile::tempdir()?;
/// let column = |values: Vec<i64>| Arc::new(Int64Array::from(values)) as ArrayRef;
/// let columns = [("year", column(vec![2025, 2026, 2026])), ("id", column(vec![1, 2, 3]))];
/// let batch = RecordBatch::try_from_iter(columns)?;
/// let properties = DatasetProperties::builder().set_partition_by(["year"]).build();
/// let mut writer = DatasetWriter::try_new(folder.path(), batch.schema(), properties)?;
/// writer.write(&batch)?;
/// let summary = writer.finish()?;
/// assert!(summary.files[0].path().starts_with("year=2025/part-"));
///
/// let reader = Dataset::open(folder.path())?.scan().build()?;
/// assert_eq!(reader.collect::<Result<Vec<_>, _>>()?, [batch.slice(0, 1), batch.slice(1, 2)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct DatasetWriter {
    folder: Folder,
    rolling: Rolling,
    /// Without files.
    commit: Commit,
    /// Files that are written, and not durable yet.
    unsynced: Unsynced,
    /// Once there is a commit to begin with.
    pending: Option<Pending>,
    written: Written,
}

impl DatasetWriter {
    /// Starts to write to a folder, which is created if it does not exist.
    pub fn try_new(
        path: impl AsRef<Path>,
        schema: SchemaRef,
        mut properties: DatasetProperties,
    ) -> Result<Self> {
        let folder = Folder::new(path.as_ref());
        let last = if properties.replaces() { folder.last_commit()? } else { None };
        let commit = begin(last, folder.snapshot(), &schema, &mut properties)?;
        let rolling = Rolling::new(schema, &commit.partitions, properties)?;
        let (pending, written, unsynced) = (None, Written::default(), Unsynced::default());
        Ok(Self { folder, rolling, commit, unsynced, pending, written })
    }

    /// Returns the schema of the batches.
    pub fn schema(&self) -> &SchemaRef {
        self.rolling.schema()
    }

    /// Appends a batch. Files that get full are written.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        self.rolling.push(batch)?;
        while let Some(finished) = self.rolling.step()? {
            self.put(finished)?;
        }
        Ok(())
    }

    /// Ends the files that are open: rows that follow are in others.
    pub fn end_files(&mut self) -> Result<()> {
        while let Some(finished) = self.rolling.end_any()? {
            self.put(finished)?;
        }
        Ok(())
    }

    fn put(&mut self, finished: Finished) -> Result<()> {
        let pending = match &mut self.pending {
            Some(pending) => pending,
            none => none.insert(self.folder.begin()?),
        };
        let Finished { path, chunks, bounds } = finished;
        let (rows, bytes) = (chunks.summary().rows, chunks.summary().bytes);
        pending.add(&path)?;
        let written = self.folder.write_file(&path, chunks, &mut self.unsynced);
        written.map_err(|e| e.in_file(&path))?;
        self.written.push(DataFile { path, rows, bytes }, bounds);
        Ok(())
    }

    /// Commits all rows at once. Returns a summary.
    pub fn finish(mut self) -> Result<DatasetSummary> {
        self.end_files()?;
        let mut pending = match self.pending.take() {
            Some(pending) => pending,
            None => self.folder.begin()?,
        };
        let commit = self.written.commit(std::mem::take(&mut self.commit))?;
        self.unsynced.sync()?;
        let mut named = false;
        let number = self.folder.publish(&commit, &mut pending, &mut named);
        if named {
            self.written.files.clear();
        }
        Ok(Written::summary(commit.files, number?))
    }
}

impl RecordBatchWriter for DatasetWriter {
    fn write(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        Ok(DatasetWriter::write(self, batch)?)
    }

    fn close(self) -> Result<(), ArrowError> {
        self.finish()?;
        Ok(())
    }
}

impl Drop for DatasetWriter {
    /// Removes the files that were not committed.
    fn drop(&mut self) {
        for file in &self.written.files {
            let _ = self.folder.remove(&file.path);
        }
    }
}
