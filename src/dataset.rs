//! Data sets: a folder of files, or the objects below a prefix, as one table.
//!
//! ```text
//! table/ _commits/ 00000000000000000000.trv     the visible files: those that commits name
//!                  00000000000000000001.trv
//!        year=2025/part-….trv                   the year is in no column of the file
//!        year=2026/part-….trv
//!
//! writing   batches ──► files under names that no other writer has ──► one commit: all are visible
//! reading   commits ──► files ──► pruned by paths and bounds ──► read side by side ──► batches in order
//! ```
//! A folder without commits is a data set too: of all `.trv` files in it, and in folders below, whose names begin
//! neither with `_` nor with `.`. The first writer adopts them.
//!
//! Files may differ in their schemas: a column that a file lacks is null, and numbers are widened. Where the values of
//! files are known, those without rows that a predicate wants are never opened. The layout is restated in
//! `spec/dataset.md`.
//!
//! The file system and object stores have one module each; the other modules are used by both.

#[cfg(feature = "object_store")]
mod async_writer;
mod commit;
mod file_names;
mod file_scan;
mod file_statistics;
mod folder;
mod merge;
mod merged_schema;
mod partition;
mod pending;
mod properties;
mod reader;
mod rolling_writer;
mod scan;
mod schema_adapter;
mod snapshot;
#[cfg(feature = "object_store")]
mod store;
#[cfg(feature = "object_store")]
mod stream;
#[cfg(feature = "object_store")]
mod uncommitted_files;
mod vacuum;
mod verify;
#[cfg(feature = "object_store")]
mod write_id;
mod writer;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use arrow::array::ArrayRef;
use arrow::datatypes::{FieldRef, SchemaRef};

pub use crate::dataset::schema_adapter::adapt_batch;
#[cfg(feature = "object_store")]
pub use async_writer::AsyncDatasetWriter;
pub use commit::{CommitSummary, DataFile};
pub use folder::Folder;
pub use merged_schema::{FileSchema, MergedSchema};
pub use properties::{DatasetMode, DatasetProperties, DatasetPropertiesBuilder};
pub use reader::DatasetReader;
pub use scan::DatasetScan;
pub use snapshot::FileStatistics;
#[cfg(feature = "object_store")]
pub use store::Prefix;
#[cfg(feature = "object_store")]
pub use stream::DatasetStream;
#[cfg(feature = "object_store")]
pub use uncommitted_files::UncommittedFiles;
pub use vacuum::VacuumReport;
#[cfg(feature = "object_store")]
pub use write_id::WriteId;
pub use writer::{DatasetSummary, DatasetWriter};

use self::commit::Commit;
use self::merge::Merger;
use self::snapshot::Snapshot;
use crate::error::{Error, Result};

/// A snapshot of a data set at the time it was opened. Later commits are not visible.
///
/// ```
/// use std::sync::Arc;
/// use arrow::array::{ArrayRef, Int64Array, RecordBatch};
/// use trevni::arrow::Predicate;
/// use trevni::dataset::{Dataset, DatasetProperties, DatasetWriter};
///
/// let folder = tempfile::tempdir()?;
/// for first in [0, 10, 20] {
///     let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(first..first + 10));
///     let batch = RecordBatch::try_from_iter([("id", ids)])?;
///     let properties = DatasetProperties::default();
///     let mut writer = DatasetWriter::try_new(folder.path(), batch.schema(), properties)?;
///     writer.write(&batch)?;
///     writer.finish()?;
/// }
/// let table = Dataset::open(folder.path())?;
/// assert_eq!((table.files().count(), table.rows()), (3, 30));
/// // Of the three files two are never opened.
/// let scan = table.scan().with_predicate(Predicate::parse("id = 15")?);
/// assert_eq!(scan.files()?.len(), 1);
/// let rows: usize = scan.build()?.map(|batch| batch.map(|b| b.num_rows())).sum::<Result<_, _>>()?;
/// assert_eq!(rows, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Dataset<P = Folder> {
    place: P,
    snapshot: Arc<Snapshot>,
}

impl Dataset<Folder> {
    /// Opens a data set in a folder. Where there is none, the error is an [`Io`](crate::ErrorKind::Io) one of the kind
    /// [`NotFound`](std::io::ErrorKind::NotFound).
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let place = Folder::new(path.as_ref());
        let found = place.snapshot()?.map(Arc::new);
        let snapshot = found.ok_or_else(|| none(&path.as_ref().display().to_string()))?;
        Ok(Self { place, snapshot })
    }

    /// Returns the path of a file in the file system.
    pub fn path_of(&self, file: &DataFile) -> PathBuf {
        self.place.at(file.path())
    }

    /// Opens files as one table, in this order. They are named by their paths below a folder, with `/` between names; folders
    /// called `key=value` in them are partition columns. Schemas are merged as those of a data set are.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use arrow::array::{ArrayRef, Int32Array, Int64Array, RecordBatch};
    /// use trevni::arrow::ArrowWriter;
    /// use trevni::dataset::Dataset;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let columns: [ArrayRef; 2] = [Arc::new(Int32Array::from(vec![1])), Arc::new(Int64Array::from(vec![2]))];
    /// for (name, column) in ["b.trv", "a.trv"].into_iter().zip(columns) {
    ///     let batch = RecordBatch::try_from_iter([("id", column)])?;
    ///     let mut writer = ArrowWriter::try_new(std::fs::File::create(folder.path().join(name))?, batch.schema(), None)?;
    ///     writer.write(&batch)?;
    ///     writer.close()?;
    /// }
    /// let reader = Dataset::open_files(folder.path(), ["b.trv", "a.trv"])?.scan().build()?;
    /// let batches = reader.collect::<Result<Vec<_>, _>>()?;
    /// let ids: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    /// assert_eq!(batches[0].column(0), &ids);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn open_files<N: Into<String>>(
        folder: impl AsRef<Path>,
        paths: impl IntoIterator<Item = N>,
    ) -> Result<Self> {
        let place = Folder::new(folder.as_ref());
        let found = place.snapshot_of_paths(checked(paths)?)?.map(Arc::new);
        let snapshot = found.ok_or_else(|| none(&folder.as_ref().display().to_string()))?;
        Ok(Self { place, snapshot })
    }

    /// Opens a data set as it was after a commit, one of [`commits`](Self::commits). Its files are there until a
    /// [vacuum](Self::vacuum) removes those that were replaced.
    pub fn open_at(path: impl AsRef<Path>, commit: u64) -> Result<Self> {
        let place = Folder::new(path.as_ref());
        let found = place.snapshot_at(commit)?.map(Arc::new);
        let name = path.as_ref().display().to_string();
        let snapshot = found.ok_or_else(|| no_commit(&name, commit))?;
        Ok(Self { place, snapshot })
    }

    /// Returns the commits of a data set, from the first that is there to the last.
    pub fn commits(path: impl AsRef<Path>) -> Result<Vec<CommitSummary>> {
        Folder::new(path.as_ref()).commit_list()
    }

    /// Returns whether a folder has commits, or files of rows at its top or below folders of partitions.
    pub fn is_one(path: impl AsRef<Path>) -> bool {
        Folder::new(path.as_ref()).is_data_set()
    }

    /// Removes files that no commit names and that are older than `older`: those of killed writers. Commits that
    /// such an old commit replaced are removed too, with their files.
    ///
    /// A writer that takes longer than that, or a reader, loses files that it needs. Clocks are those of this
    /// machine and of the file system. A data set without commits is an error.
    pub fn vacuum(path: impl AsRef<Path>, older: Duration) -> Result<VacuumReport> {
        Folder::new(path.as_ref()).vacuum(older)
    }

    /// Returns the paths that [`vacuum`](Self::vacuum) would remove, and their total size.
    pub fn vacuumable(
        path: impl AsRef<Path>,
        older: Duration,
    ) -> Result<(Vec<String>, VacuumReport)> {
        let plan = Folder::new(path.as_ref()).vacuum_plan(older)?;
        Ok((plan.paths, plan.vacuumed))
    }

    /// Removes the commits that another has replaced, of whatever age, and the files that only they name.
    ///
    /// A reader that opened the data set before it was replaced fails at the next file that it opens. Files of writers
    /// that have not committed stay. Where nothing was replaced, nothing is removed.
    pub fn remove_replaced(path: impl AsRef<Path>) -> Result<VacuumReport> {
        Folder::new(path.as_ref()).remove_replaced()
    }
}

impl<P: Clone> Dataset<P> {
    /// Returns the schema of the table: that of all files together.
    pub fn schema(&self) -> &SchemaRef {
        &self.snapshot.schema
    }

    /// Returns the columns whose values are in paths.
    pub fn partitions(&self) -> &[FieldRef] {
        &self.snapshot.partitions
    }

    /// Returns the number of the last commit; `None` if there are none.
    pub fn commit(&self) -> Option<u64> {
        self.snapshot.commit
    }

    /// Returns the files, in the order of their rows.
    pub fn files(&self) -> impl Iterator<Item = &DataFile> {
        self.snapshot.files()
    }

    /// Returns the values of the [`partitions`](Self::partitions), each an array with a value for each of the
    /// [`files`](Self::files). Those of a dictionary are of the type of its values.
    pub fn partition_values(&self) -> Result<Vec<ArrayRef>> {
        self.snapshot.partition_values()
    }

    /// Returns what commits say of the values of a column, for each of the [`files`](Self::files); `None` if they say
    /// nothing. Bounds of text may be unknown for some files.
    pub fn file_statistics(&self, column: &str) -> Result<Option<FileStatistics>> {
        self.snapshot.file_statistics(column)
    }

    /// Returns the rows of all files.
    pub fn rows(&self) -> u64 {
        self.files().map(DataFile::rows).fold(0, u64::saturating_add)
    }

    /// Returns the bytes of all files.
    pub fn bytes(&self) -> u64 {
        self.files().map(DataFile::bytes).fold(0, u64::saturating_add)
    }

    /// Configures a scan.
    pub fn scan(&self) -> DatasetScan<P> {
        DatasetScan::new(self.place.clone(), self.snapshot.clone())
    }
}

fn none(place: &str) -> Error {
    let what = format!("{place}: not a data set: neither commits nor .trv files");
    std::io::Error::new(std::io::ErrorKind::NotFound, what).into()
}

fn no_commit(place: &str, commit: u64) -> Error {
    let what = format!("{place}: no commit {commit} with rows");
    std::io::Error::new(std::io::ErrorKind::NotFound, what).into()
}

/// Returns paths that are below their folder, or an error.
fn checked<N: Into<String>>(paths: impl IntoIterator<Item = N>) -> Result<Vec<String>> {
    let check = |path: N| {
        let path = path.into();
        let refused = file_names::check(&path);
        refused.map(|()| path)
    };
    paths.into_iter().map(check).collect()
}

/// Fails if there is a commit that another would replace without knowing of it.
fn check_replaced(last: Option<u64>, commit: &Commit) -> Result<()> {
    match (last, commit.known) {
        (Some(last), Some(known)) if last > known => Err(Error::invalid(format!(
            "commit {last} was made since this write began, which would replace its rows"
        ))),
        _ => Ok(()),
    }
}

/// Fails if rows do not fit the existing ones.
fn check_fits(existing: &Snapshot, commit: &Commit) -> Result<()> {
    let Some(schema) = &commit.schema else { return Ok(()) };
    let mut merger = Merger::default();
    merger.add(&existing.schema, "the data set")?;
    merger.add(schema, "the rows that are added")?;
    let names: Vec<_> = existing.partitions.iter().map(|field| field.name().as_str()).collect();
    if names != commit.partitions {
        let list = |names: &[&str]| match names {
            [] => "nothing".to_owned(),
            names => names.join(", "),
        };
        let asked: Vec<_> = commit.partitions.iter().map(String::as_str).collect();
        let (names, asked) = (list(&names), list(&asked));
        let what =
            format!("the data set is partitioned by {names}, the rows that are added by {asked}");
        return Err(Error::invalid(what));
    }
    Ok(())
}
