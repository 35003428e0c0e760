//! Files of several writers that become visible by one commit.
//!
//! ```text
//! writer 0   finish_files ──► uncommitted files ──► encode ──┐
//! writer 1   finish_files ──► uncommitted files ──► encode ──┴─► concat ──► commit: all are visible
//! ```

use std::sync::Arc;

use ::object_store::ObjectStore;
use ::object_store::path::Path;
use arrow::array::Array;
use arrow::compute::concat;
use bytes::Bytes;

use super::commit::{Commit, DataFile};
use super::file_statistics::ColumnBounds;
use super::store::Prefix;
use super::write_id::WriteId;
use super::writer::{DatasetSummary, Written};
use crate::error::{Error, Result};

/// Files that a writer has sent and that no commit names. They are bytes on their way from the hosts that write to the
/// one that commits.
///
/// ```
/// use std::sync::Arc;
/// use arrow::array::{ArrayRef, Int64Array, RecordBatch};
/// use object_store::memory::InMemory;
/// use trevni::dataset::{AsyncDatasetWriter, Dataset, DatasetProperties, UncommittedFiles};
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let store = Arc::new(InMemory::new());
/// let mut parts = Vec::new();
/// for first in [0, 10] {
///     let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(first..first + 10));
///     let batch = RecordBatch::try_from_iter([("id", ids)])?;
///     let properties = DatasetProperties::default();
///     let writer = AsyncDatasetWriter::try_new(store.clone(), "ids", batch.schema(), properties);
///     let mut writer = writer.await?;
///     writer.write(&batch).await?;
///     parts.push(writer.finish_files().await?.encode()?);
/// }
/// let parts = parts.into_iter().map(UncommittedFiles::decode).collect::<Result<_, _>>()?;
/// let summary = UncommittedFiles::concat(parts)?.commit(store.clone(), "ids").await?;
/// assert_eq!((summary.files.len(), summary.commit), (2, 1));
/// assert_eq!(Dataset::open_in(store, "ids").await?.rows(), 20);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct UncommittedFiles(Commit);

impl UncommittedFiles {
    pub(super) fn new(commit: Commit) -> Self {
        Self(commit)
    }

    /// Returns the files.
    pub fn files(&self) -> &[DataFile] {
        &self.0.files
    }

    /// Sets the identifier of the write, of which there is at most one commit. A [`commit`](Self::commit) that finds
    /// one removes the files that it does not name, and returns the summary of that commit: a host may repeat a write
    /// of which it does not know whether it was committed. Default: none.
    pub fn with_write_id(mut self, id: &WriteId) -> Self {
        self.0.write = Some(id.as_str().to_owned());
        self
    }

    /// Returns the bytes of the commit that would name these files.
    pub fn encode(&self) -> Result<Vec<u8>> {
        self.0.encode()
    }

    /// Reads what [`encode`](Self::encode) returned.
    pub fn decode(bytes: impl Into<Bytes>) -> Result<Self> {
        Commit::decode(bytes.into()).map(Self)
    }

    /// Returns the files of several writers of one schema.
    pub fn concat(parts: Vec<Self>) -> Result<Self> {
        let mut parts = parts.into_iter().map(|part| part.0);
        let first = parts.next().ok_or_else(|| Error::invalid("the files of no writer"))?;
        parts.try_fold(first, join).map(Self)
    }

    /// Makes the files visible. Returns a summary. Files that replace the rows of a data set are refused if there is a
    /// commit since the first of their writers began. After an error before the commit they are removed, unless there is a
    /// [write ID](Self::with_write_id); after one that may have come later they stay, since readers may know them.
    pub async fn commit(
        self,
        store: Arc<dyn ObjectStore>,
        prefix: impl Into<Path>,
    ) -> Result<DatasetSummary> {
        let place = Prefix::new(store, prefix.into());
        let mut named = false;
        let committed = async {
            place.begin().await?;
            place.publish(&self.0, &mut named).await
        };
        match committed.await {
            Ok((number, None)) => Ok(Written::summary(self.0.files, number)),
            Ok((number, Some(earlier))) => {
                let mut others = self;
                others.0.files.retain(|file| !earlier.files.contains(file));
                others.remove_in(&place).await?;
                Ok(Written::summary(earlier.files, number))
            }
            Err(e) => {
                // Files of a write that may be repeated are those of the next try.
                if !named && self.0.write.is_none() {
                    self.remove_in(&place).await?;
                }
                Err(e)
            }
        }
    }

    /// Removes the files.
    pub async fn remove(self, store: Arc<dyn ObjectStore>, prefix: impl Into<Path>) -> Result<()> {
        self.remove_in(&Prefix::new(store, prefix.into())).await
    }

    async fn remove_in(&self, place: &Prefix) -> Result<()> {
        for file in &self.0.files {
            place.remove(&file.path).await?;
        }
        Ok(())
    }
}

/// Returns a commit of the files of two.
fn join(mut first: Commit, second: Commit) -> Result<Commit> {
    if first.schema != second.schema
        || first.partitions != second.partitions
        || first.replaces != second.replaces
    {
        return Err(Error::invalid("files of writers with different schemas, partitions or modes"));
    }
    first.bounds = match (first.files.is_empty(), second.files.is_empty()) {
        (true, _) => second.bounds,
        (_, true) => first.bounds,
        _ => join_bounds(&first.bounds, &second.bounds)?,
    };
    first.files.extend(second.files);
    // What any of the writers did not know of is not replaced.
    first.known = first.known.min(second.known);
    Ok(first)
}

/// Returns the bounds of the columns that both have.
fn join_bounds(first: &[ColumnBounds], second: &[ColumnBounds]) -> Result<Vec<ColumnBounds>> {
    let mut joined = Vec::with_capacity(first.len());
    for a in first {
        let same = |b: &&ColumnBounds| b.name == a.name && b.min.data_type() == a.min.data_type();
        let Some(b) = second.iter().find(same) else { continue };
        let nulls = a.nulls.iter().chain(b.nulls.iter()).collect();
        let (min, max) = (concat(&[&a.min, &b.min])?, concat(&[&a.max, &b.max])?);
        joined.push(ColumnBounds { name: a.name.clone(), min, max, nulls });
    }
    Ok(joined)
}
