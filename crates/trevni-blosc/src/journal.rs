//! Changes several files of a folder atomically, with a journal.
//!
//! ```text
//! folder/
//! ├── .trevni/             exists only during a change
//! │   ├── 17c3a9e0b2-0     new contents, complete files
//! │   ├── 17c3a9e0b2-1
//! │   └── journal          {"journal":{"rename":[["17c3a9e0b2-0","a"],["17c3a9e0b2-1","b/c"]],"remove":["d"],"folders":[]},"crc32":1122334455}
//! ├── a, d
//! └── b/c
//! ```
//!
//! [`Transaction`] writes the new files, makes them durable, and then renames the journal into place. From then on
//! the change is valid: the remaining renames and removals are done at once or, after a crash, by the next writer.
//! [`Folder`] reads through an existing journal: a file is first opened under its temporary name. Without a
//! complete journal nothing has been renamed, and the content of `.trevni` is ignored.
//!
//! [`NewFolder`] does the same for a folder that does not exist yet.

mod folder;
mod new_folder;
mod record;
mod transaction;

pub use folder::Files;
pub(crate) use folder::Folder;
pub(crate) use new_folder::NewFolder;
pub(crate) use transaction::Transaction;

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use trevni::{Error, Result};

/// What holds a change while it is made.
const STAGE: &str = ".trevni";

/// The journal, in the stage.
const JOURNAL: &str = "journal";

/// Where new files are put: into a change, or into a folder in the making.
pub(crate) trait Sink {
    /// Writes a file and the folders above it. The path is relative, with `/` between names.
    fn put(&mut self, relative: &str, bytes: &[&[u8]]) -> Result<()>;

    /// Makes a folder, which may stay empty.
    fn folder(&mut self, relative: &str) -> Result<()>;
}

/// Fails unless a path is a plain path below a folder. Paths come from journals and lists of columns too.
fn plain(relative: &str) -> Result<&str> {
    let plain_name =
        |name: &str| !matches!(name, "" | "." | ".." | STAGE) && !name.contains(['\\', ':', '\0']);
    if relative.split('/').all(plain_name) {
        return Ok(relative);
    }
    Err(Error::malformed(format!("{relative:?} is no path within the folder")))
}

/// Returns a path and the folders above it.
fn with_parents(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| path.rsplit_once('/').map(|(parent, _)| parent))
}

/// Writes a new file from its parts.
fn write_new(path: &Path, parts: &[&[u8]]) -> io::Result<File> {
    step();
    let mut file = File::create_new(path)?;
    step();
    parts.iter().try_for_each(|part| file.write_all(part))?;
    Ok(file)
}

/// Makes the contents of a file durable.
fn sync(path: &Path) -> io::Result<()> {
    step();
    File::open(path)?.sync_all()
}

/// Makes the contents of files durable. Waiting for the disk takes no processor, and many who wait at once wait
/// hardly longer than one.
fn sync_all(paths: &[PathBuf]) -> io::Result<()> {
    const THREADS: usize = 16;
    let part = |paths: &[PathBuf]| paths.iter().try_for_each(|path| sync(path));
    if paths.len() < 2 {
        return part(paths);
    }
    std::thread::scope(|scope| {
        let parts = paths.chunks(paths.len().div_ceil(THREADS));
        let threads: Vec<_> = parts.map(|paths| scope.spawn(move || part(paths))).collect();
        let lost = |_| Err(io::Error::other("a thread was lost"));
        threads.into_iter().try_for_each(|thread| thread.join().unwrap_or_else(lost))
    })
}

/// Makes the names in a folder durable.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    sync(folder)
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Removes a file, or a folder with its content, if it exists.
fn remove(path: &Path) -> io::Result<()> {
    step();
    let removed = match path.symlink_metadata() {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(e) => Err(e),
    };
    match removed {
        Err(e) if is_missing(&e) => Ok(()),
        other => other,
    }
}

/// Returns whether an operation found nothing to work on.
fn is_missing(e: &io::Error) -> bool {
    matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Called before every change of the disk, so that tests can stop there.
#[cfg(not(test))]
#[inline(always)]
fn step() {}

#[cfg(test)]
use tests::step;

#[cfg(test)]
pub(crate) mod tests;
