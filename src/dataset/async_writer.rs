//! Writes record batches to a data set in a store.
//!
//! ```text
//! write    rolling ──► finished files, sent under their final names; not visible yet
//! finish   the rest ──► one commit names all: now they are visible        dropped before that: removed
//! ```

use std::sync::Arc;

use ::object_store::ObjectStore;
use ::object_store::path::Path;
use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use tokio::runtime::Handle;

use super::commit::{Commit, DataFile};
use super::properties::DatasetProperties;
use super::rolling_writer::{Finished, Rolling};
use super::store::Prefix;
use super::uncommitted_files::UncommittedFiles;
use super::writer::{DatasetSummary, Written, begin};
use crate::error::{Error, Result};

/// Writes record batches of one schema to a data set below a prefix, as [`DatasetWriter`](super::DatasetWriter) does to
/// one in a folder. What a writer that is dropped has sent is removed where a tokio runtime is at hand;
/// [`abort`](Self::abort) does it anyway.
#[derive(Debug)]
pub struct AsyncDatasetWriter {
    place: Prefix,
    rolling: Rolling,
    /// Without files.
    commit: Commit,
    begun: bool,
    ended: bool,
    /// The file that is being sent.
    sending: Option<String>,
    written: Written,
}

impl AsyncDatasetWriter {
    /// Starts to write below a prefix.
    pub async fn try_new(
        store: Arc<dyn ObjectStore>,
        prefix: impl Into<Path>,
        schema: SchemaRef,
        mut properties: DatasetProperties,
    ) -> Result<Self> {
        let place = Prefix::new(store, prefix.into());
        let last = if properties.replaces() { place.last_commit().await? } else { None };
        let commit = begin(last, place.snapshot().await, &schema, &mut properties)?;
        let rolling = Rolling::new(schema, &commit.partitions, properties)?;
        let written = Written::default();
        let (begun, ended, sending) = (false, false, None);
        Ok(Self { place, rolling, commit, begun, ended, sending, written })
    }

    /// Returns the schema of the batches.
    pub fn schema(&self) -> &SchemaRef {
        self.rolling.schema()
    }

    /// Appends a batch. Files that get full are sent.
    pub async fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        self.check()?;
        self.rolling.push(batch)?;
        while let Some(finished) = self.rolling.step()? {
            self.put(finished).await?;
        }
        Ok(())
    }

    async fn put(&mut self, finished: Finished) -> Result<()> {
        if !self.begun {
            self.place.begin().await?;
            self.begun = true;
        }
        let Finished { path, chunks, bounds } = finished;
        let (rows, bytes) = (chunks.summary().rows, chunks.summary().bytes);
        self.sending = Some(path.clone());
        self.place.write_file(&path, chunks).await.map_err(|e| e.in_file(&path))?;
        self.sending = None;
        self.written.push(DataFile { path, rows, bytes }, bounds);
        Ok(())
    }

    /// Commits all rows at once. Returns a summary. A second call is an error.
    pub async fn finish(&mut self) -> Result<DatasetSummary> {
        let commit = self.end().await?;
        if !self.begun {
            self.place.begin().await?;
        }
        let (mut named, files) = (false, std::mem::take(&mut self.written.files));
        let number = self.place.publish(&commit, &mut named).await;
        if !named {
            self.written.files = files;
        }
        let (number, _) = number?;
        Ok(Written::summary(commit.files, number))
    }

    /// Sends the rest of the rows, and returns the files without a commit. They are not visible, and nothing removes
    /// them but [`UncommittedFiles::remove`] and a vacuum.
    pub async fn finish_files(&mut self) -> Result<UncommittedFiles> {
        let commit = self.end().await?;
        self.written = Written::default();
        Ok(UncommittedFiles::new(commit))
    }

    /// Sends the rest of the rows. Returns the commit that names all files.
    async fn end(&mut self) -> Result<Commit> {
        self.check()?;
        self.ended = true;
        while let Some(finished) = self.rolling.end_any()? {
            self.put(finished).await?;
        }
        self.written.commit(self.commit.clone())
    }

    /// Aborts the write and removes the files that were sent.
    pub async fn abort(&mut self) -> Result<()> {
        self.ended = true;
        let paths = self.left();
        remove(&self.place, paths).await
    }

    /// Returns the files that exist and are not committed.
    fn left(&mut self) -> Vec<String> {
        let files = std::mem::take(&mut self.written.files);
        files.into_iter().map(|file| file.path).chain(self.sending.take()).collect()
    }

    fn check(&self) -> Result<()> {
        match self.ended {
            true => Err(Error::invalid("the data set has been written")),
            false => Ok(()),
        }
    }
}

async fn remove(place: &Prefix, paths: Vec<String>) -> Result<()> {
    for path in paths {
        place.remove(&path).await?;
    }
    Ok(())
}

impl Drop for AsyncDatasetWriter {
    fn drop(&mut self) {
        let (paths, place) = (self.left(), self.place.clone());
        if let (Ok(runtime), false) = (Handle::try_current(), paths.is_empty()) {
            runtime.spawn(async move { remove(&place, paths).await });
        }
    }
}
