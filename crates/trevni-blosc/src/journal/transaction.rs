//! A transaction: writes new contents, then the journal, then renames.
//!
//! ```text
//! put, put, ...      .trevni/N-0, .trevni/N-1, ...
//! commit    1        each of them made durable
//!           2        .trevni/new written, made durable, renamed to .trevni/journal, folders made durable   ◄── here
//!           3        renames and removals, folders made durable
//!           4        .trevni/journal removed, then .trevni
//! ```

use std::collections::{BTreeSet, HashSet};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::thread::sleep;
#[cfg(unix)]
use std::time::Duration;
use std::time::{SystemTime, UNIX_EPOCH};

use super::folder::pending;
use super::record::Record;
use super::{
    JOURNAL, STAGE, Sink, is_missing, plain, remove, step, sync, sync_all, sync_folder,
    with_parents, write_new,
};
use trevni::{Error, Result};

/// A change of a folder that is being written. If it is dropped before [`commit`](Self::commit), nothing is left.
#[derive(Debug)]
pub(crate) struct Transaction {
    root: PathBuf,
    /// Unique, since a reader may still use an older journal.
    nonce: String,
    record: Record,
    /// Locked so that writers exclude each other; the system unlocks it when a process ends.
    lock: Option<File>,
}

impl Transaction {
    /// Starts a change. An interrupted change is completed first if its journal is complete, and discarded
    /// otherwise. `Invalid` if another writer holds the lock.
    pub(crate) fn new(root: &Path) -> Result<Self> {
        let lock = lock(root)?;
        match pending(root)? {
            Some(record) => finish(root, &record)?,
            None => discard(root)?,
        }
        step();
        fs::create_dir(root.join(STAGE))?;
        Ok(Self { root: root.to_owned(), nonce: nonce(), record: Record::default(), lock })
    }

    /// Removes a file, or a folder with its content. It may be missing.
    pub(crate) fn remove(&mut self, relative: &str) -> Result<()> {
        self.record.remove.push(plain(relative)?.to_owned());
        Ok(())
    }

    /// Commits the change. An error leaves the old state. Once the journal is in place the change is valid: if a
    /// rename fails then, readers use the new files through the journal, and the next writer repeats it.
    pub(crate) fn commit(self) -> Result<()> {
        self.check_disjoint()?;
        let stage = self.root.join(STAGE);
        let staged: Vec<_> = self.record.rename.iter().map(|(from, _)| stage.join(from)).collect();
        sync_all(&staged)?;
        let new = stage.join("new");
        write_new(&new, &[&self.record.to_bytes()])?;
        sync(&new)?;
        // The temporary folder must not be removed while the journal refers to it.
        sync_folder(&self.root)?;
        step();
        fs::rename(new, stage.join(JOURNAL))?;
        if let Err(e) = sync_folder(&stage) {
            fs::remove_file(stage.join(JOURNAL))?;
            return Err(e.into());
        }
        let _ = finish(&self.root, &self.record);
        Ok(())
    }

    /// Renames and removals can be repeated in any order only if none touches what another does.
    fn check_disjoint(&self) -> Result<()> {
        let gone: HashSet<_> = self.record.remove.iter().map(String::as_str).collect();
        let mut put = HashSet::new();
        let folders = self.record.folders.iter();
        for to in self.record.rename.iter().map(|(_, to)| to).chain(folders) {
            if !put.insert(to) || with_parents(to).any(|path| gone.contains(path)) {
                return Err(Error::invalid(format!("{to:?} is changed twice in one change")));
            }
        }
        Ok(())
    }
}

impl Sink for Transaction {
    fn put(&mut self, relative: &str, parts: &[&[u8]]) -> Result<()> {
        let name = format!("{}-{:x}", self.nonce, self.record.rename.len());
        write_new(&self.root.join(STAGE).join(&name), parts)?;
        self.record.rename.push((name, plain(relative)?.to_owned()));
        Ok(())
    }

    fn folder(&mut self, relative: &str) -> Result<()> {
        self.record.folders.push(plain(relative)?.to_owned());
        Ok(())
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        // With a journal, the stage is the next writer's.
        if !self.root.join(STAGE).join(JOURNAL).exists() {
            let _ = discard(&self.root);
        }
        // Unlocked explicitly, since a forked process holds the lock too.
        let _ = self.lock.as_ref().map(File::unlock);
    }
}

/// Executes a journal, or the rest of it, and removes it.
fn finish(root: &Path, record: &Record) -> Result<()> {
    let stage = root.join(STAGE);
    let mut touched = BTreeSet::from([root.to_owned()]);
    for folder in &record.folders {
        make_folder(root, folder, &mut touched)?;
    }
    for (from, to) in &record.rename {
        let target = root.join(to);
        if let Some((folder, _)) = to.rsplit_once('/') {
            make_folder(root, folder, &mut touched)?;
        }
        step();
        match fs::rename(stage.join(from), &target) {
            Err(e) if is_missing(&e) && target.exists() => {}
            other => other?,
        }
    }
    for gone in &record.remove {
        remove(&root.join(gone))?;
        touched
            .extend(root.join(gone).parent().filter(|folder| folder.exists()).map(Path::to_owned));
    }
    touched.iter().try_for_each(|folder| sync_folder(folder))?;
    step();
    fs::remove_file(stage.join(JOURNAL))?;
    discard(root)
}

/// Creates a folder and those above it; records all of them, since their names must be durable too.
fn make_folder(root: &Path, relative: &str, touched: &mut BTreeSet<PathBuf>) -> io::Result<()> {
    let mut folder = root.to_owned();
    for name in relative.split('/') {
        folder.push(name);
        if touched.insert(folder.clone()) && !folder.is_dir() {
            step();
            fs::create_dir(&folder)?;
        }
    }
    Ok(())
}

/// Removes the stage.
fn discard(root: &Path) -> Result<()> {
    remove(&root.join(STAGE))?;
    Ok(sync_folder(root)?)
}

/// Unlike that of any other change of the folder.
fn nonce() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{:x}-{:x}", since.as_nanos(), std::process::id())
}

/// Attempts to lock a folder. A process that this one starts holds the lock, too, until its program begins: one
/// that was just released may seem to be held for a moment.
#[cfg(unix)]
const ATTEMPTS: u32 = 20;

#[cfg(unix)]
fn lock(root: &Path) -> Result<Option<File>> {
    let folder = File::open(root)?;
    for attempt in 1.. {
        match folder.try_lock() {
            Ok(()) => break,
            // Some file systems know no locks.
            Err(fs::TryLockError::Error(_)) => return Ok(None),
            Err(fs::TryLockError::WouldBlock) if attempt < ATTEMPTS => {
                sleep(Duration::from_millis(5))
            }
            Err(fs::TryLockError::WouldBlock) => {
                let root = root.display();
                return Err(Error::invalid(format!("{root} is being changed by another writer")));
            }
        }
    }
    Ok(Some(folder))
}

#[cfg(not(unix))]
fn lock(_: &Path) -> Result<Option<File>> {
    Ok(None)
}
