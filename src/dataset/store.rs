//! Data sets in an object store: all access to the store.
//!
//! ```text
//! prefix/_commits/00000000000000000001.trv     one request, which fails if somebody else has that number
//! prefix/year=2026/part-….trv                  one request, or parts; before the commit that names it
//! ```
//! In a store without conditional requests, a commit number is checked before it is used: of two concurrent writers
//! one may lose its commit.

mod vacuum;

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use ::object_store::path::Path;
use ::object_store::{ObjectMeta, ObjectStore, ObjectStoreExt};
use futures_util::{StreamExt, TryStreamExt};

use super::Dataset;
use super::commit::{Commit, CommitSummary, DataFile};
use super::file_names;
use super::snapshot::{History, PlainFile, Snapshot};
use super::vacuum::FoundFiles;
use crate::arrow::{ArrowReaderOptions, ArrowStreamBuilder, FileSettings};
use crate::error::{Error, ErrorKind, Result};
use crate::object_store::{FetchOptions, Object, ObjectWriter};
use crate::write::file_chunks::FileChunks;

/// A data set below a prefix of an object store.
#[derive(Debug, Clone)]
pub struct Prefix {
    store: Arc<dyn ObjectStore>,
    path: Path,
    fetch: FetchOptions,
}

impl Dataset<Prefix> {
    /// Opens a data set below a prefix: lists its commits and reads them. Where there is none, the error is an
    /// [`Io`](ErrorKind::Io) one of the kind [`NotFound`](std::io::ErrorKind::NotFound).
    ///
    /// ```
    /// use std::sync::Arc;
    /// use arrow::array::{ArrayRef, Int64Array, RecordBatch};
    /// use futures_util::TryStreamExt;
    /// use object_store::memory::InMemory;
    /// use trevni::dataset::{AsyncDatasetWriter, Dataset, DatasetProperties};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let ids: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
    /// let batch = RecordBatch::try_from_iter([("id", ids)])?;
    /// let store = Arc::new(InMemory::new());
    /// let properties = DatasetProperties::default();
    /// let writer = AsyncDatasetWriter::try_new(store.clone(), "table", batch.schema(), properties);
    /// let mut writer = writer.await?;
    /// writer.write(&batch).await?;
    /// writer.finish().await?;
    ///
    /// let table = Dataset::open_in(store, "table").await?;
    /// let batches: Vec<_> = table.scan().stream()?.try_collect().await?;
    /// assert_eq!(batches, [batch]);
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    pub async fn open_in(store: Arc<dyn ObjectStore>, prefix: impl Into<Path>) -> Result<Self> {
        Self::open_with(store, prefix, FetchOptions::default()).await
    }

    /// Opens a data set whose files are fetched so.
    pub async fn open_with(
        store: Arc<dyn ObjectStore>,
        prefix: impl Into<Path>,
        fetch: FetchOptions,
    ) -> Result<Self> {
        let place = Prefix { store, path: prefix.into(), fetch };
        let found = place.snapshot().await?.map(Arc::new);
        let snapshot = found.ok_or_else(|| super::none(place.path.as_ref()))?;
        Ok(Self { place, snapshot })
    }

    /// Opens files as one table, as [`Dataset::open_files`] does. Paths are below the prefix.
    pub async fn open_files_in<N: Into<String>>(
        store: Arc<dyn ObjectStore>,
        prefix: impl Into<Path>,
        paths: impl IntoIterator<Item = N>,
    ) -> Result<Self> {
        let place = Prefix::new(store, prefix.into());
        let files = super::checked(paths)?.into_iter().map(|path| (path, None)).collect();
        let found = place.snapshot_of(files).await?.map(Arc::new);
        let snapshot = found.ok_or_else(|| super::none(place.path.as_ref()))?;
        Ok(Self { place, snapshot })
    }

    /// Opens a data set as it was after a commit, as [`Dataset::open_at`] does.
    pub async fn open_at_in(
        store: Arc<dyn ObjectStore>,
        prefix: impl Into<Path>,
        commit: u64,
    ) -> Result<Self> {
        let place = Prefix::new(store, prefix.into());
        let found = place.snapshot_at(commit).await?.map(Arc::new);
        let snapshot = found.ok_or_else(|| super::no_commit(place.path.as_ref(), commit))?;
        Ok(Self { place, snapshot })
    }

    /// Returns the commits of a data set, from the first that is there to the last.
    pub async fn commits_in(
        store: Arc<dyn ObjectStore>,
        prefix: impl Into<Path>,
    ) -> Result<Vec<CommitSummary>> {
        Prefix::new(store, prefix.into()).commit_list().await
    }

    /// Returns the store.
    pub fn store(&self) -> &Arc<dyn ObjectStore> {
        &self.place.store
    }

    /// Returns the path of a file in the store.
    pub fn location(&self, file: &DataFile) -> Result<Path> {
        self.place.key(file.path())
    }
}

impl Prefix {
    pub(super) fn new(store: Arc<dyn ObjectStore>, path: Path) -> Self {
        Self { store, path, fetch: FetchOptions::default() }
    }

    /// Returns the key of a path, whose characters are literal.
    fn key(&self, path: &str) -> Result<Path> {
        let whole = match self.path.as_ref() {
            "" => path.to_owned(),
            prefix => format!("{prefix}/{path}"),
        };
        Path::parse(whole).map_err(|e| Error::malformed(e.to_string()))
    }

    /// Returns the path of a key.
    fn path_of<'a>(&self, key: &'a Path) -> Option<&'a str> {
        match self.path.as_ref() {
            "" => Some(key.as_ref()),
            prefix => key.as_ref().strip_prefix(prefix)?.strip_prefix('/'),
        }
    }

    /// Opens a file.
    pub(super) async fn open(&self, path: &str) -> Result<ArrowStreamBuilder> {
        self.open_with(path, 0).await
    }

    /// Opens a file, whose header probably has so many bytes; 0 if that is not known.
    pub(super) async fn open_with(&self, path: &str, header: u64) -> Result<ArrowStreamBuilder> {
        let (options, mut fetch) = (ArrowReaderOptions::default(), self.fetch.clone());
        if header > 0 {
            // A little more: numbers of rows and names of files have more digits or fewer.
            fetch = fetch.with_first_read(header + header / 8 + 256);
        }
        ArrowStreamBuilder::new_with_options(self.store.clone(), self.key(path)?, options, fetch)
            .await
    }

    pub(super) fn concurrency(&self) -> usize {
        self.fetch.concurrency()
    }

    async fn list(&self, below: &str) -> Result<Vec<ObjectMeta>> {
        let path = match below {
            "" => self.path.clone(),
            below => self.key(below)?,
        };
        let prefix = (!path.is_root()).then_some(&path);
        Ok(self.store.list(prefix).try_collect().await?)
    }

    async fn commits(&self) -> Result<Vec<(u64, Duration)>> {
        let listed = self.list(file_names::COMMITS).await?;
        let number = |meta: &ObjectMeta| {
            let name = meta.location.filename()?;
            Some((file_names::commit_number(name)?, age(meta)))
        };
        Ok(listed.iter().filter_map(number).collect())
    }

    /// Returns the numbers of all commits, ascending.
    async fn commit_numbers(&self) -> Result<Vec<u64>> {
        let mut numbers: Vec<_> =
            self.commits().await?.into_iter().map(|(number, _)| number).collect();
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// Returns all files of rows, commits left out.
    async fn files(&self) -> Result<Vec<FoundFiles>> {
        let listed = self.list("").await?;
        let found = |meta: &ObjectMeta| {
            let path = self.path_of(&meta.location)?.to_owned();
            file_names::is_visible(&path).then(|| FoundFiles {
                path,
                bytes: meta.size,
                age: age(meta),
            })
        };
        Ok(listed.iter().filter_map(found).collect())
    }

    async fn read(&self, path: String) -> Result<Vec<u8>> {
        // The largest commit is fetched by as many requests as its size needs.
        let (object, pieces) =
            Object::open(self.store.clone(), self.key(&path)?, self.fetch.clone()).await?;
        let size = object.size();
        for (offset, bytes) in object.fetch(&pieces.missing(0..size)).await? {
            pieces.insert(offset, bytes)?;
        }
        Ok(pieces.available(0..size)?.to_vec())
    }

    /// Some commits, in their order.
    async fn read_commits(&self, numbers: Vec<u64>) -> Result<Vec<(u64, Vec<u8>)>> {
        let read = |number| {
            let place = self.clone();
            async move {
                let path = file_names::commit(number);
                let bytes = place.read(path.clone()).await.map_err(|e| e.in_file(&path))?;
                Ok((number, bytes))
            }
        };
        let reads = futures_util::stream::iter(numbers.into_iter().map(read));
        reads.buffered(self.fetch.concurrency()).try_collect().await
    }

    pub(super) async fn snapshot(&self) -> Result<Option<Snapshot>> {
        Ok(self.state().await?.1)
    }

    /// Returns the number of the last commit.
    pub(super) async fn last_commit(&self) -> Result<Option<u64>> {
        Ok(self.commit_numbers().await?.pop())
    }

    /// Returns the snapshot after a commit; `None` if there is no such commit.
    async fn snapshot_at(&self, commit: u64) -> Result<Option<Snapshot>> {
        let mut numbers = self.commit_numbers().await?;
        numbers.retain(|number| *number <= commit);
        match numbers.contains(&commit) {
            true => self.history(numbers).await,
            false => Ok(None),
        }
    }

    /// Returns what each commit that is there has added.
    async fn commit_list(&self) -> Result<Vec<CommitSummary>> {
        let numbers = self.commit_numbers().await?;
        let mut list = Vec::with_capacity(numbers.len());
        for numbers in numbers.chunks(self.fetch.concurrency().max(1)) {
            for (number, bytes) in self.read_commits(numbers.to_vec()).await? {
                let commit = Commit::decode_numbered(number, bytes)?;
                list.push(CommitSummary::of(number, &commit));
            }
        }
        Ok(list)
    }

    /// Returns the snapshot after commits of these numbers.
    async fn history(&self, numbers: Vec<u64>) -> Result<Option<Snapshot>> {
        let mut history = History::new(numbers);
        loop {
            let next = history.next(self.fetch.concurrency());
            if next.is_empty() {
                return history.finish();
            }
            for (number, bytes) in self.read_commits(next).await? {
                history.push(number, bytes)?;
            }
        }
    }

    /// Returns the number of the last commit, and the current snapshot.
    async fn state(&self) -> Result<(Option<u64>, Option<Snapshot>)> {
        let commits = self.commit_numbers().await?;
        let Some(last) = commits.last().copied() else {
            let files = self.files().await?.into_iter();
            let mut files: Vec<_> = files.map(|found| (found.path, Some(found.bytes))).collect();
            files.sort();
            return Ok((None, self.snapshot_of(files).await?));
        };
        Ok((Some(last), self.history(commits).await?))
    }

    /// Returns the snapshot of files of these paths and sizes, which no commit names.
    async fn snapshot_of(&self, files: Vec<(String, Option<u64>)>) -> Result<Option<Snapshot>> {
        let plain = |found| {
            let place = self.clone();
            async move { place.plain(found).await }
        };
        let plain = futures_util::stream::iter(files.into_iter().map(plain));
        Snapshot::of_files(plain.buffered(self.fetch.concurrency()).try_collect().await?)
    }

    async fn plain(&self, (path, bytes): (String, Option<u64>)) -> Result<PlainFile> {
        let builder = self.open(&path).await.map_err(|e| e.in_file(&path))?;
        let (rows, schema) = (builder.rows(), builder.schema().clone());
        let bytes = bytes.unwrap_or_else(|| builder.file().file_len());
        let settings = FileSettings::of_file(&builder.file().header().metadata)?;
        Ok(PlainFile { file: DataFile { path, rows, bytes }, schema, settings })
    }

    /// Makes sure that there is a commit, so that files show only when one names them.
    pub(super) async fn begin(&self) -> Result<()> {
        if !self.commits().await?.is_empty() {
            return Ok(());
        }
        let base = self.snapshot().await?.map(Snapshot::into_commit).unwrap_or_default();
        self.write_commit(0, &base.encode()?).await.map(|_| ())
    }

    /// Writes a commit. Returns whether its number was free.
    async fn write_commit(&self, number: u64, bytes: &[u8]) -> Result<bool> {
        let path = file_names::commit(number);
        let mut object =
            ObjectWriter::new(self.store.clone(), self.key(&path)?).with_refuse_existing(true);
        // One request, however large.
        object = object.with_part_size(bytes.len().max(1));
        object.put(bytes.to_vec().into()).await?;
        match object.finish().await {
            Ok(_) => Ok(true),
            // A request that was made twice finds its own object.
            Err(e) if exists(&e) => Ok(self.read(path).await? == bytes),
            Err(e) => Err(e),
        }
    }

    /// Publishes a commit under the next free number, unless one of the same write exists. One that replaces the others
    /// fails if there is one that it did not know of. Returns its number, and the one that exists. Once `named` is true,
    /// readers may know its files, even after an error.
    pub(super) async fn publish(
        &self,
        commit: &Commit,
        named: &mut bool,
    ) -> Result<(u64, Option<Commit>)> {
        let bytes = commit.encode()?;
        loop {
            // Every commit below this number is compared, and the number itself is only taken if it is free: of two
            // that publish one write at the same time, the second finds the commit of the first.
            let number = self.next_number(commit).await;
            if let Some(write) = &commit.write
                && let Some((number, earlier)) = self.commit_of(write).await?
            {
                return Ok((number, Some(earlier)));
            }
            let number = number?;
            *named = true;
            if self.write_commit(number, &bytes).await? {
                return Ok((number, None));
            }
            *named = false;
        }
    }

    /// Returns the commit of a write.
    async fn commit_of(&self, write: &str) -> Result<Option<(u64, Commit)>> {
        let numbers = self.commit_numbers().await?;
        for numbers in numbers.rchunks(self.fetch.concurrency().max(1)) {
            for (number, bytes) in self.read_commits(numbers.to_vec()).await? {
                let commit = Commit::decode_numbered(number, bytes)?;
                if commit.write.as_deref() == Some(write) {
                    return Ok(Some((number, commit)));
                }
            }
        }
        Ok(None)
    }

    /// Returns the next free number, for a commit that fits the rows before it.
    async fn next_number(&self, commit: &Commit) -> Result<u64> {
        let last = match commit.replaces {
            true => {
                let last = self.last_commit().await?;
                super::check_replaced(last, commit)?;
                last
            }
            false => {
                let (last, now) = self.state().await?;
                now.map_or(Ok(()), |now| super::check_fits(&now, commit))?;
                last
            }
        };
        let number = last.map_or(Some(0), |last| last.checked_add(1));
        number.ok_or_else(|| Error::malformed("there are no more numbers for commits"))
    }

    /// Writes a new file.
    pub(super) async fn write_file(&self, path: &str, chunks: FileChunks) -> Result<()> {
        let mut object = ObjectWriter::new(self.store.clone(), self.key(path)?);
        object.expect(chunks.summary().bytes);
        for chunk in chunks {
            object.put(chunk?).await?;
        }
        object.finish().await.map(|_| ())
    }

    pub(super) async fn remove(&self, path: &str) -> Result<()> {
        match self.store.delete(&self.key(path)?).await {
            Err(::object_store::Error::NotFound { .. }) => Ok(()),
            done => Ok(done?),
        }
    }
}

fn age(meta: &ObjectMeta) -> Duration {
    let modified = SystemTime::from(meta.last_modified);
    modified.elapsed().unwrap_or_default()
}

fn exists(e: &Error) -> bool {
    matches!(e.kind(), ErrorKind::Io(e) if e.kind() == std::io::ErrorKind::AlreadyExists)
}
