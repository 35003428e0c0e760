//! A folder that appears whole or not at all.
//!
//! ```text
//! parent/.trevni-Xy3kQz/...   while it is made, next to where it will be
//! parent/name/...             when it is done
//! ```

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::{Builder, TempDir};

use super::{Sink, plain, remove, step, sync_all, sync_folder, write_new};
use crate::error::{Error, Result};

/// A folder in the making. Dropped before [`commit`](Self::commit), it leaves nothing behind.
#[derive(Debug)]
pub(crate) struct NewFolder {
    temporary: TempDir,
    path: PathBuf,
    replace: bool,
    folders: Vec<PathBuf>,
    files: Vec<PathBuf>,
}

impl NewFolder {
    /// Starts a folder that will be `path`. Unless `replace`, a path that exists is an error, now and at the end.
    pub(crate) fn create(path: &Path, replace: bool) -> Result<Self> {
        refuse_existing(path, replace)?;
        let parent = parent_of(path);
        let temporary = new_folder_builder().tempdir_in(parent)?;
        let folders = vec![temporary.path().to_owned()];
        Ok(Self { temporary, path: path.to_owned(), replace, folders, files: Vec::new() })
    }

    /// Makes all of it durable, then gives the folder its name. A folder that is replaced is moved away first: between the two steps
    /// there is none of that name, but both are still there under temporary ones.
    pub(crate) fn commit(self) -> Result<()> {
        sync_all(&self.files)?;
        self.folders.iter().rev().try_for_each(|folder| sync_folder(folder))?;
        refuse_existing(&self.path, self.replace)?;
        let old = move_away(&self.path)?;
        let made = self.temporary.keep();
        step();
        if let Err(e) = fs::rename(&made, &self.path) {
            old.map_or(Ok(()), |old| fs::rename(old, &self.path))?;
            fs::remove_dir_all(made)?;
            return Err(e.into());
        }
        sync_folder(parent_of(&self.path))?;
        old.map_or(Ok(()), |old| remove(&old))?;
        Ok(())
    }
}

impl Sink for NewFolder {
    fn put(&mut self, relative: &str, parts: &[&[u8]]) -> Result<()> {
        if let Some((folders, _)) = relative.rsplit_once('/') {
            self.folder(folders)?;
        }
        let path = self.temporary.path().join(plain(relative)?);
        write_new(&path, parts)?;
        self.files.push(path);
        Ok(())
    }

    fn folder(&mut self, relative: &str) -> Result<()> {
        let mut path = self.temporary.path().to_owned();
        for name in plain(relative)?.split('/') {
            path.push(name);
            if !path.is_dir() {
                step();
                fs::create_dir(&path)?;
                self.folders.push(path.clone());
            }
        }
        Ok(())
    }
}

/// Moves what is to be replaced to a temporary name.
fn move_away(path: &Path) -> io::Result<Option<PathBuf>> {
    if path.symlink_metadata().is_err() {
        return Ok(None);
    }
    let old = new_folder_builder().tempdir_in(parent_of(path))?;
    step();
    // A folder takes the place of an empty one; a file needs the name to be free.
    let name = old.path().to_owned();
    old.close()?;
    fs::rename(path, &name)?;
    Ok(Some(name))
}

fn refuse_existing(path: &Path, replace: bool) -> Result<()> {
    if !replace && path.symlink_metadata().is_ok() {
        let exists = format!("{} exists", path.display());
        return Err(Error::from(io::Error::new(io::ErrorKind::AlreadyExists, exists)));
    }
    Ok(())
}

fn parent_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// With the permissions of any new folder, not the private ones of a temporary folder.
#[cfg(unix)]
fn new_folder_builder() -> Builder<'static, 'static> {
    use std::os::unix::fs::PermissionsExt;
    let mut builder = Builder::new();
    builder.prefix(".trevni-").permissions(fs::Permissions::from_mode(0o777));
    builder
}

#[cfg(not(unix))]
fn new_folder_builder() -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    builder.prefix(".trevni-");
    builder
}
