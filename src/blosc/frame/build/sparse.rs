//! A directory: a file for each chunk as it comes, and last the one that names them.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::Draft;
use crate::blosc::array::{Attributes, Build};
use crate::blosc::frame::sparse::{INDEX_KEY, sync_directory, write_chunk};
use crate::error::{Error, Result};

/// The name of a frame that is being replaced, in a directory of its own.
const OLD: &str = "old";

#[derive(Debug)]
pub(super) struct Builder {
    /// A sibling of the directory, until it gets its name.
    temporary: TempDir,
    directory: PathBuf,
    replace: bool,
    /// The number of the next chunk that is stored.
    next: u64,
    draft: Draft,
}

impl Builder {
    pub(super) fn new(directory: PathBuf, replace: bool, draft: Draft) -> Result<Self> {
        if !replace {
            refuse_what_exists(&directory)?;
        }
        let temporary = new_directory_builder().tempdir_in(parent_of(&directory))?;
        Ok(Self { temporary, directory, replace, next: 0, draft })
    }

    fn store(&mut self, bytes: &[u8]) -> Result<u64> {
        let id = self.next;
        write_chunk(self.temporary.path(), id, bytes)?;
        self.next += 1;
        Ok(id)
    }
}

impl Build for Builder {
    fn push(&mut self, chunk: &[u8]) -> Result<()> {
        if u32::try_from(self.next).is_err() {
            return Err(Error::invalid("a sparse frame has no more numbers for chunks"));
        }
        match self.draft.push(chunk, self.next)? {
            Some(bytes) => self.store(bytes).map(|_| ()),
            None => Ok(()),
        }
    }

    fn finish(mut self: Box<Self>, shape: &[u64], attributes: &Attributes) -> Result<()> {
        for (number, bytes) in self.draft.spelled_out()? {
            let id = self.store(&bytes)?;
            self.draft.store(number, id, &bytes);
        }
        let (mut index, tail) = self.draft.finish(shape, attributes)?;
        index.extend(tail);
        let path = self.temporary.path();
        std::fs::write(path.join(INDEX_KEY), index)?;
        std::fs::File::open(path.join(INDEX_KEY))?.sync_all()?;
        sync_directory(path)?;
        let old = match self.replace && self.directory.symlink_metadata().is_ok() {
            true => Some(move_away(&self.directory)?),
            false => refuse_what_exists(&self.directory).map(|()| None)?,
        };
        if let Err(e) = std::fs::rename(path, &self.directory) {
            if let Some(old) = old {
                std::fs::rename(old.path().join(OLD), &self.directory)?;
            }
            return Err(e.into());
        }
        let _ = self.temporary.keep();
        sync_directory(parent_of(&self.directory))
    }
}

/// Gives an old frame another name, and removes it when the result is dropped. Directories cannot change places in one step:
/// for a moment there is neither the old one nor the new.
fn move_away(directory: &Path) -> Result<TempDir> {
    if !directory.join(INDEX_KEY).is_file() {
        let text = format!("{} is no sparse frame, and is not replaced", directory.display());
        return Err(Error::invalid(text));
    }
    let aside = new_directory_builder().tempdir_in(parent_of(directory))?;
    std::fs::rename(directory, aside.path().join(OLD))?;
    Ok(aside)
}

fn refuse_what_exists(directory: &Path) -> Result<()> {
    match directory.symlink_metadata() {
        Err(_) => Ok(()),
        Ok(_) => {
            let text = format!("{} exists", directory.display());
            Err(std::io::Error::new(std::io::ErrorKind::AlreadyExists, text).into())
        }
    }
}

fn parent_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// With the permissions of any new directory, not the private ones of a temporary one.
#[cfg(unix)]
fn new_directory_builder() -> tempfile::Builder<'static, 'static> {
    use std::os::unix::fs::PermissionsExt;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".trevni-").permissions(std::fs::Permissions::from_mode(0o777));
    builder
}

#[cfg(not(unix))]
fn new_directory_builder() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".trevni-");
    builder
}
