//! Temporary files and folders of outputs that are being written.
//!
//! ```text
//! create    name in the list of this process ──► advisory lock ──► bytes
//! signal    remove_temporary_files: listed files are deleted
//! KILL      the system releases the lock ──► the next output in that folder deletes the file
//! ```
//! Their names begin with `.trevni-`. They are in the folder of the output, so that committing is a rename. The
//! lock is advisory: on a file system whose locks are not shared between hosts, a file that another host is writing
//! looks unused.

use std::collections::{BTreeSet, HashMap};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tempfile::{Builder, NamedTempFile};

/// How the names of temporary files and folders begin.
pub(crate) const PREFIX: &str = ".trevni-";

/// Characters after the prefix, which the crate `tempfile` chooses at random.
const RANDOM: usize = 6;

/// How often a folder is searched for unused temporary files.
const INTERVAL: Duration = Duration::from_secs(60);

/// Folders whose last search is remembered.
const SEARCHED: usize = 1024;

/// The number of attempts to create a file while other processes delete each of them.
const ATTEMPTS: usize = 16;

/// Temporary files and folders of this process, and files that are not committed yet.
static IN_USE: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

pub(super) fn in_use() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    IN_USE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Deletes all temporary files and folders of this process, and the files of data sets that are not yet committed.
///
/// Call this in a program that is about to exit, for example on a signal. Afterwards no new ones can be created: a
/// thread that tries blocks forever.
///
/// ```no_run
/// // In the thread that waits for signals:
/// trevni::io::remove_temporary_files();
/// std::process::exit(130);
/// ```
pub fn remove_temporary_files() {
    let in_use = in_use();
    in_use.iter().for_each(|path| remove_all(path));
    // The list stays locked.
    std::mem::forget(in_use);
}

/// Deletes a file or a folder. Another thread may still be creating files in the folder.
fn remove_all(path: &Path) {
    for _ in 0..ATTEMPTS {
        let done = match path.symlink_metadata() {
            Ok(about) if about.is_dir() => fs::remove_dir_all(path),
            Ok(_) => fs::remove_file(path),
            Err(_) => return,
        };
        if done.is_ok() {
            return;
        }
    }
}

/// A path in the list of this process, until it is dropped.
#[derive(Debug)]
pub(crate) struct Listed(PathBuf);

#[cfg(feature = "arrow")]
impl Listed {
    /// Adds a path that is about to be created.
    pub(crate) fn new(path: PathBuf) -> Self {
        in_use().insert(path.clone());
        Self(path)
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        in_use().remove(&self.0);
    }
}

/// Removes paths from the list, which is already locked.
fn forget(mut in_use: MutexGuard<'_, BTreeSet<PathBuf>>, listed: Vec<Listed>) {
    for listed in &listed {
        in_use.remove(&listed.0);
    }
    // Each of them locks the list when it is dropped.
    drop(in_use);
    drop(listed);
}

/// A temporary file that is listed and locked. It is deleted when it is dropped.
#[derive(Debug)]
pub(crate) struct TemporaryFile {
    file: NamedTempFile,
    _listed: Listed,
}

impl TemporaryFile {
    /// Creates a file in a folder, with these permissions minus the umask.
    pub(crate) fn create(folder: &Path, prefix: &str, mode: u32) -> io::Result<Self> {
        for _ in 0..ATTEMPTS {
            let (file, listed) = {
                let mut in_use = in_use();
                let mut builder = Builder::new();
                permissions(builder.prefix(prefix), mode);
                let file = builder.tempfile_in(folder)?;
                in_use.insert(file.path().to_owned());
                let listed = Listed(file.path().to_owned());
                (file, listed)
            };
            if lock(file.as_file(), file.path()) {
                return Ok(Self { file, _listed: listed });
            }
        }
        Err(io::Error::other("temporary files are deleted as soon as they are created"))
    }

    pub(crate) fn file(&self) -> &File {
        self.file.as_file()
    }

    pub(crate) fn file_mut(&mut self) -> &mut File {
        self.file.as_file_mut()
    }

    /// Renames the file. Without `replace`, an existing path is an error. The files that it commits are removed
    /// from the list at the same time, with respect to signals.
    pub(crate) fn persist(
        self,
        path: &Path,
        replace: bool,
        commits: &mut Vec<Listed>,
    ) -> io::Result<()> {
        let in_use = in_use();
        let persisted = match replace {
            true => self.file.persist(path),
            false => self.file.persist_noclobber(path),
        };
        let persisted = persisted.map(|_| ()).map_err(|e| e.error);
        let committed = if persisted.is_ok() { std::mem::take(commits) } else { Vec::new() };
        forget(in_use, committed);
        persisted
    }
}

/// A temporary folder that is listed and locked. It is deleted when it is dropped.
#[derive(Debug)]
pub struct TemporaryFolder {
    folder: TempDir,
    lock: Option<File>,
    listed: Listed,
}

impl TemporaryFolder {
    /// Creates a folder in another, with these permissions minus the umask. Unused temporary files in the other are
    /// deleted.
    pub fn create(parent: &Path, mode: u32) -> io::Result<Self> {
        remove_unused(parent);
        for _ in 0..ATTEMPTS {
            let (folder, listed) = {
                let mut in_use = in_use();
                let mut builder = Builder::new();
                permissions(builder.prefix(PREFIX), mode);
                let folder = builder.tempdir_in(parent)?;
                in_use.insert(folder.path().to_owned());
                let listed = Listed(folder.path().to_owned());
                (folder, listed)
            };
            // Only Unix opens folders.
            let opened = File::open(folder.path()).ok();
            if opened.as_ref().is_none_or(|opened| lock(opened, folder.path())) {
                return Ok(Self { folder, lock: opened, listed });
            }
        }
        Err(io::Error::other("temporary folders are deleted as soon as they are created"))
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the path, the lock and the list entry; the folder is not deleted any more.
    pub(super) fn keep(self) -> (PathBuf, Option<File>, Listed) {
        (self.folder.keep(), self.lock, self.listed)
    }
}

/// Locks a new file. Returns whether it still exists: a search between its creation and its lock deletes it.
fn lock(file: &File, path: &Path) -> bool {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => false,
        // Without locks, no process deletes it either.
        Err(TryLockError::Error(_)) => true,
        Ok(()) => is_same(file, path),
    }
}

/// Returns whether a path is that of this open file.
#[cfg(unix)]
fn is_same(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let (Ok(open), Ok(named)) = (file.metadata(), path.symlink_metadata()) else { return false };
    (open.dev(), open.ino()) == (named.dev(), named.ino())
}

#[cfg(not(unix))]
fn is_same(_: &File, path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Sets the permissions of a new file, minus the umask. Temporary files are private otherwise.
#[cfg(unix)]
fn permissions(builder: &mut Builder<'_, '_>, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    builder.permissions(fs::Permissions::from_mode(mode));
}

#[cfg(not(unix))]
fn permissions(_: &mut Builder<'_, '_>, _: u32) {}

/// Deletes the temporary files and folders in a folder that no process has locked. Errors are ignored, since the
/// next output tries again.
pub(crate) fn remove_unused(folder: &Path) {
    if is_due(folder) {
        search(folder);
    }
}

fn search(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_name().to_str().is_some_and(|name| is_temporary(name, PREFIX))
            && let Some(unused) = Unused::take(&path)
        {
            unused.remove();
        }
    }
}

/// Returns whether a file name is that of a temporary file.
pub(crate) fn is_temporary(name: &str, prefix: &str) -> bool {
    let random = name.strip_prefix(prefix);
    random.is_some_and(|random| {
        random.len() == RANDOM && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// Returns whether a folder has not been searched recently. Data sets have many folders, and folders many files.
fn is_due(folder: &Path) -> bool {
    static LAST: LazyLock<Mutex<HashMap<PathBuf, Instant>>> = LazyLock::new(Mutex::default);
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if last.get(folder).is_some_and(|last| last.elapsed() < INTERVAL) {
        return false;
    }
    if last.len() >= SEARCHED {
        last.clear();
    }
    last.insert(folder.to_owned(), Instant::now());
    true
}

/// A temporary file or folder that a process left, locked by this process.
#[derive(Debug)]
pub(crate) struct Unused {
    path: PathBuf,
    #[cfg_attr(not(feature = "arrow"), allow(dead_code, reason = "it holds the lock"))]
    file: File,
}

impl Unused {
    /// Locks a temporary file or folder; `None` if another process holds it.
    pub(crate) fn take(path: &Path) -> Option<Self> {
        let about = path.symlink_metadata().ok()?;
        if !about.is_file() && !about.is_dir() || in_use().contains(path) {
            return None;
        }
        // Some file systems lock only files that are open for writing.
        let open = OpenOptions::new().read(true).write(true).open(path);
        let file = open.or_else(|_| File::open(path)).ok()?;
        (file.try_lock().is_ok() && is_same(&file, path))
            .then(|| Self { path: path.to_owned(), file })
    }

    #[cfg(feature = "arrow")]
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    pub(crate) fn remove(self) {
        remove_all(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_unused_files_are_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let held = TemporaryFile::create(folder.path(), PREFIX, 0o666).unwrap();
        let held_folder = TemporaryFolder::create(folder.path(), 0o777).unwrap();
        for name in [".trevni-abcdef", ".trevni-notes.txt", ".trevni-a", "other"] {
            fs::write(at(name), "x").unwrap();
        }
        fs::create_dir_all(at(".trevni-folder/below")).unwrap();
        fs::write(at(".trevni-folder/below/file"), "x").unwrap();
        search(folder.path());
        let mut left: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().path()).collect();
        left.sort();
        let mut expected = vec![
            at(".trevni-notes.txt"),
            at(".trevni-a"),
            at("other"),
            held.file.path().to_owned(),
            held_folder.path().to_owned(),
        ];
        expected.sort();
        assert_eq!(left, expected);
        drop((held, held_folder));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
    }

    /// One thread creates files while others search the folder: no file is lost.
    #[test]
    fn a_file_that_is_being_created_is_never_taken() {
        let folder = tempfile::tempdir().unwrap();
        let done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !done.load(std::sync::atomic::Ordering::Relaxed) {
                        for entry in fs::read_dir(folder.path()).unwrap().flatten() {
                            if let Some(unused) = Unused::take(&entry.path()) {
                                unused.remove();
                            }
                        }
                    }
                });
            }
            for _ in 0..200 {
                let file = TemporaryFile::create(folder.path(), PREFIX, 0o666);
                if let Ok(file) = file {
                    assert!(is_same(file.file(), file.file.path()));
                }
            }
            done.store(true, std::sync::atomic::Ordering::Relaxed);
        });
    }
}
