//! New files that become durable together.
//!
//! ```text
//! write a, rename ──► write b, rename ──► ...     sync: a, b, ... at once on several threads, then their folders
//! ```
//! A file system commits the changes of many files in about the time of those of one, if it is asked to at the same
//! time.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::atomic::{folder_of, sync_folder};

/// Files after which those before become durable, so that the last step is not long.
const MOST: usize = 256;

/// Threads that wait for the file system.
const THREADS: usize = 16;

/// Files and folders that may be lost if the machine stops.
#[derive(Debug, Default)]
pub(crate) struct Unsynced {
    files: Vec<PathBuf>,
    folders: BTreeSet<PathBuf>,
}

impl Unsynced {
    /// Adds a new file, and its folder. Many files are synced.
    pub(crate) fn add_file(&mut self, path: PathBuf) -> io::Result<()> {
        self.folders.insert(folder_of(&path).to_owned());
        self.files.push(path);
        if self.files.len() >= MOST { self.sync_files() } else { Ok(()) }
    }

    /// Adds folders with new entries.
    pub(crate) fn add_folders(&mut self, folders: impl IntoIterator<Item = PathBuf>) {
        self.folders.extend(folders);
    }

    /// Makes all durable.
    pub(crate) fn sync(&mut self) -> io::Result<()> {
        self.sync_files()?;
        let folders: Vec<_> = std::mem::take(&mut self.folders).into_iter().collect();
        at_once(&folders, sync_folder)
    }

    fn sync_files(&mut self) -> io::Result<()> {
        at_once(&std::mem::take(&mut self.files), |path| File::open(path)?.sync_all())
    }
}

/// Syncs paths on several threads. Returns the first error.
fn at_once(paths: &[PathBuf], sync: impl Fn(&Path) -> io::Result<()> + Sync) -> io::Result<()> {
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
            sync(path)?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (1..THREADS.min(paths.len())).map(|_| scope.spawn(work)).collect();
        let here = work();
        let others = threads.into_iter().map(|thread| thread.join());
        let others = others.map(|done| done.unwrap_or_else(|e| std::panic::resume_unwind(e)));
        others.fold(here, io::Result::and)
    })
}
