//! Data sets in a folder: all access to the file system.
//!
//! ```text
//! table/ _commits/ 00000000000000000000.trv    the files before the first writer
//!                  00000000000000000001.trv    temporary file, fsync, its name if that is free, fsync of the folder
//!        year=2026/part-….trv                  likewise, and before the commit that names it
//! ```

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::commit::{Commit, CommitSummary, DataFile};
use super::file_names;
use super::pending::{self, Pending};
use super::snapshot::{History, PlainFile, Snapshot};
use super::vacuum::{self, FoundFiles, Listing, VacuumPlan, VacuumReport};
use crate::arrow::{ArrowReaderBuilder, FileSettings};
use crate::error::{Error, Result};
use crate::io::{AtomicFile, Listed, TEMPORARY, Unsynced, sync_folder};
use crate::write::file_chunks::FileChunks;

/// How deep partitions are believed to be.
const DEPTH: usize = 16;

/// A data set in a local folder.
#[derive(Debug, Clone)]
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    pub(super) fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    pub(super) fn at(&self, path: &str) -> PathBuf {
        path.split('/').fold(self.path.clone(), |folder, name| folder.join(name))
    }

    pub(super) fn open(&self, path: &str) -> io::Result<File> {
        File::open(self.at(path))
    }

    /// Returns the current snapshot; `None` if there is no data set.
    pub(super) fn snapshot(&self) -> Result<Option<Snapshot>> {
        Ok(self.state()?.1)
    }

    /// Returns the number of the last commit.
    pub(super) fn last_commit(&self) -> Result<Option<u64>> {
        Ok(self.commits()?.into_iter().max())
    }

    /// Returns the snapshot after a commit; `None` if there is no such commit.
    pub(super) fn snapshot_at(&self, commit: u64) -> Result<Option<Snapshot>> {
        let mut numbers = self.commits()?;
        numbers.retain(|number| *number <= commit);
        match numbers.contains(&commit) {
            true => self.history(numbers),
            false => Ok(None),
        }
    }

    /// Returns what each commit that is there has added.
    pub(super) fn commit_list(&self) -> Result<Vec<CommitSummary>> {
        let mut numbers = self.commits()?;
        numbers.sort_unstable();
        let summary = |number| {
            let commit = Commit::decode_numbered(number, self.read_commit(number)?)?;
            Ok(CommitSummary::of(number, &commit))
        };
        numbers.into_iter().map(summary).collect()
    }

    /// Returns the snapshot after commits of these numbers.
    fn history(&self, numbers: Vec<u64>) -> Result<Option<Snapshot>> {
        let mut history = History::new(numbers);
        while let Some(number) = history.next(1).first().copied() {
            history.push(number, self.read_commit(number)?)?;
        }
        history.finish()
    }

    /// Returns the number of the last commit, and the current snapshot.
    fn state(&self) -> Result<(Option<u64>, Option<Snapshot>)> {
        let commits = self.commits()?;
        if commits.is_empty() {
            let files = self.files()?;
            let files = files.into_iter().filter(|found| file_names::is_visible(&found.path));
            let mut files: Vec<_> = files.map(|found| (found.path, found.bytes)).collect();
            files.sort();
            return Ok((None, self.snapshot_of(files)?));
        }
        let last = commits.iter().max().copied();
        Ok((last, self.history(commits)?))
    }

    /// Returns the snapshot of files of these paths and sizes, which no commit names.
    fn snapshot_of(&self, files: Vec<(String, u64)>) -> Result<Option<Snapshot>> {
        Snapshot::of_files(files.into_iter().map(|file| self.plain(file)).collect::<Result<_>>()?)
    }

    /// Returns the snapshot of the files of these paths.
    pub(super) fn snapshot_of_paths(&self, paths: Vec<String>) -> Result<Option<Snapshot>> {
        let sized = |path: String| {
            let bytes =
                fs::metadata(self.at(&path)).map_err(|e| Error::from(e).in_file(&path))?.len();
            Ok((path, bytes))
        };
        self.snapshot_of(paths.into_iter().map(sized).collect::<Result<_>>()?)
    }

    /// Returns whether there are commits or data files; stops at the first.
    pub(super) fn is_data_set(&self) -> bool {
        let commits = self.commits().is_ok_and(|commits| !commits.is_empty());
        commits || self.has_rows("", 0)
    }

    /// Returns whether there is a data file in a folder or in its first partition folders.
    fn has_rows(&self, folder: &str, depth: usize) -> bool {
        let path = if folder.is_empty() { self.path.clone() } else { self.at(folder) };
        let names = entries(&path).into_iter().flatten().flatten();
        let names = names.filter_map(|entry| entry.file_name().into_string().ok());
        names.filter(|name| !file_names::is_hidden(name)).any(|name| {
            let below =
                || if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            let partition = name.contains('=') && depth < DEPTH;
            name.ends_with(file_names::ENDING) || partition && self.has_rows(&below(), depth + 1)
        })
    }

    /// Returns the numbers of all commits.
    pub(super) fn commits(&self) -> io::Result<Vec<u64>> {
        let mut numbers = Vec::new();
        for entry in entries(&self.path.join(file_names::COMMITS))? {
            numbers.extend(entry?.file_name().to_str().and_then(file_names::commit_number));
        }
        Ok(numbers)
    }

    fn read_commit(&self, number: u64) -> io::Result<Vec<u8>> {
        fs::read(self.at(&file_names::commit(number)))
    }

    /// Returns all files of rows, commits left out; and temporary ones.
    fn files(&self) -> io::Result<Vec<FoundFiles>> {
        let mut files = Vec::new();
        let mut folders = vec![String::new()];
        while let Some(folder) = folders.pop() {
            let path = if folder.is_empty() { self.path.clone() } else { self.at(&folder) };
            for entry in entries(&path)? {
                let entry = entry?;
                // A name that is no text none of ours is.
                let name = entry.file_name();
                let Some(name) = name.to_str() else { continue };
                let temporary = name.starts_with(TEMPORARY);
                if file_names::is_hidden(name) && !temporary && name != file_names::COMMITS {
                    continue;
                }
                let path = if folder.is_empty() { name.into() } else { format!("{folder}/{name}") };
                let about = match entry.path().metadata() {
                    Err(e) if e.kind() == ErrorKind::NotFound => continue,
                    about => about?,
                };
                if about.is_dir() && !entry.file_type()?.is_symlink() {
                    folders.push(path);
                } else if about.is_file() && (temporary || file_names::is_visible(&path)) {
                    let age = about.modified()?.elapsed().unwrap_or_default();
                    files.push(FoundFiles { path, bytes: about.len(), age });
                }
            }
        }
        Ok(files)
    }

    fn plain(&self, (path, bytes): (String, u64)) -> Result<PlainFile> {
        let read = || ArrowReaderBuilder::try_new(self.open(&path)?);
        let builder = read().map_err(|e| e.in_file(&path))?;
        let (rows, schema) = (builder.rows(), builder.schema().clone());
        let settings = FileSettings::of_file(&builder.file().header().metadata)?;
        Ok(PlainFile { file: DataFile { path, rows, bytes }, schema, settings })
    }

    /// Makes sure that there is a commit, so that files show only when one names them. Returns the list of the
    /// files that are not committed.
    pub(super) fn begin(&self) -> Result<Pending> {
        fs::create_dir_all(&self.path)?;
        if self.commits()?.is_empty() {
            let base = self.snapshot()?.map(Snapshot::into_commit).unwrap_or_default();
            self.write_commit(0, &base.encode()?, &mut Vec::new())?;
        }
        pending::remove_unused(&self.path)?;
        Pending::start(&self.path)
    }

    /// Writes a commit of files that are pending. Returns whether its number was free.
    pub(super) fn write_commit(
        &self,
        number: u64,
        bytes: &[u8],
        files: &mut Vec<Listed>,
    ) -> Result<bool> {
        let path = self.at(&file_names::commit(number));
        self.create_folders(&path)?.iter().try_for_each(|folder| sync_folder(folder))?;
        step();
        let mut write = || {
            let mut file = AtomicFile::create_new(&path)?;
            file.write_all(bytes)?;
            step();
            file.commit_with(files)
        };
        match write() {
            Ok(()) => {
                step();
                Ok(true)
            }
            Err(e) if e.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(e) => Err(e.into()),
        }
    }

    /// Publishes a commit under the next free number. One that replaces the others fails if there is one that it
    /// did not know of. Once `named` is true, readers may know its files, even after an error.
    pub(super) fn publish(
        &self,
        commit: &Commit,
        pending: &mut Pending,
        named: &mut bool,
    ) -> Result<u64> {
        let bytes = commit.encode()?;
        loop {
            let last = match commit.replaces {
                true => {
                    let last = self.last_commit()?;
                    super::check_replaced(last, commit)?;
                    last
                }
                false => {
                    let (last, now) = self.state()?;
                    now.map_or(Ok(()), |now| super::check_fits(&now, commit))?;
                    last
                }
            };
            let number = last.map_or(Some(0), |last| last.checked_add(1));
            let number =
                number.ok_or_else(|| Error::malformed("there are no more numbers for commits"))?;
            *named = true;
            if self.write_commit(number, &bytes, pending.files())? {
                return Ok(number);
            }
            *named = false;
        }
    }

    /// Writes a new file. It is durable once `unsynced` is synced.
    pub(super) fn write_file(
        &self,
        path: &str,
        chunks: FileChunks,
        unsynced: &mut Unsynced,
    ) -> Result<()> {
        let path = self.at(path);
        unsynced.add_folders(self.create_folders(&path)?);
        step();
        let mut file = AtomicFile::create_new(&path)?;
        for chunk in chunks {
            file.write_all(&chunk?)?;
        }
        step();
        unsynced.add_file(file.commit_unsynced()?)?;
        step();
        Ok(())
    }

    /// Creates the folders that a file is in. Returns the folders that have others than before.
    fn create_folders(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        let mut changed = Vec::new();
        let Some(folder) = path.parent().filter(|folder| !folder.is_dir()) else {
            return Ok(changed);
        };
        fs::create_dir_all(folder)?;
        let mut above = folder;
        while above != self.path
            && let Some(next) = above.parent()
        {
            changed.push(next.to_owned());
            above = next;
        }
        Ok(changed)
    }

    pub(super) fn remove(&self, path: &str) -> io::Result<()> {
        fs::remove_file(self.at(path))
    }

    /// Removes old files that no commit names, and old commits that were replaced.
    pub(super) fn vacuum(&self, older: Duration) -> Result<VacuumReport> {
        pending::remove_unused(&self.path)?;
        let plan = self.vacuum_plan(older)?;
        self.remove_all(plan)
    }

    /// Returns what no commit names, and is older.
    pub(super) fn vacuum_plan(&self, older: Duration) -> Result<VacuumPlan> {
        let mut files = self.files()?;
        let held = pending::held(&self.path)?;
        files.retain(|found| !held.contains(&found.path));
        let mut commits = Vec::new();
        for number in self.commits()? {
            let about = self.at(&file_names::commit(number)).metadata()?;
            commits.push((number, about.modified()?.elapsed().unwrap_or_default()));
        }
        let mut listing = Listing::new(files, commits, older);
        while let Some(number) = listing.next(1).first().copied() {
            listing.push(number, self.read_commit(number)?)?;
        }
        listing.plan()
    }

    /// Removes the commits and files that were replaced.
    pub(super) fn remove_replaced(&self) -> Result<VacuumReport> {
        let mut commits = Vec::new();
        for number in self.commits()? {
            commits.push((number, Commit::decode_numbered(number, self.read_commit(number)?)?));
        }
        self.remove_all(vacuum::replaced(commits))
    }

    fn remove_all(&self, plan: VacuumPlan) -> Result<VacuumReport> {
        for path in &plan.paths {
            match self.remove(path) {
                Err(e) if e.kind() == ErrorKind::NotFound => {}
                done => done?,
            }
        }
        Ok(plan.vacuumed)
    }
}

/// Returns the entries of a folder; none if it does not exist.
fn entries(path: &Path) -> io::Result<impl Iterator<Item = io::Result<fs::DirEntry>>> {
    match fs::read_dir(path) {
        Ok(entries) => Ok(Some(entries).into_iter().flatten()),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(None.into_iter().flatten()),
        Err(e) => Err(e),
    }
}

/// Where a test may end the process.
#[cfg(test)]
use super::tests::crash::step;

#[cfg(not(test))]
fn step() {}
