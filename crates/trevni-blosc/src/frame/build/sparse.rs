//! Writes a sparse frame: a file for each chunk, and the index last.

use std::path::{Path, PathBuf};

use super::Draft;
use crate::array::{Attributes, Build};
use crate::frame::sparse::{INDEX_KEY, sync_directory, write_chunk};
use trevni::io::AtomicFolder;
use trevni::{Error, Result};

#[derive(Debug)]
pub(super) struct Builder {
    folder: AtomicFolder,
    /// The number of the next chunk that is stored.
    next: u64,
    draft: Draft,
}

impl Builder {
    pub(super) fn new(directory: PathBuf, replace: bool, draft: Draft) -> Result<Self> {
        let folder = match replace {
            true => AtomicFolder::create(&directory)?,
            false => AtomicFolder::create_new(&directory)?,
        };
        Ok(Self { folder, next: 0, draft })
    }

    fn store(&mut self, bytes: &[u8]) -> Result<u64> {
        let id = self.next;
        write_chunk(self.folder.path(), id, bytes)?;
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
        let path = self.folder.path();
        std::fs::write(path.join(INDEX_KEY), index)?;
        std::fs::File::open(path.join(INDEX_KEY))?.sync_all()?;
        sync_directory(path)?;
        check_replaced(self.folder.target())?;
        Ok(self.folder.commit()?)
    }
}

/// Refuses to replace a directory that is something else.
fn check_replaced(directory: &Path) -> Result<()> {
    if directory.symlink_metadata().is_err() || directory.join(INDEX_KEY).is_file() {
        return Ok(());
    }
    let text = format!("{} is no sparse frame, and is not replaced", directory.display());
    Err(Error::invalid(text))
}
