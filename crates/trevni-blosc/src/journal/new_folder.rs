//! Creates a folder that appears complete or not at all.
//!
//! ```text
//! parent/.trevni-Xy3kQz/...   while it is made, next to where it will be
//! parent/name/...             when it is done
//! ```

use std::fs;
use std::path::{Path, PathBuf};

use super::{Sink, plain, step, sync_all, sync_folder, write_new};
use trevni::Result;
use trevni::io::AtomicFolder;

/// A folder that is being written. If it is dropped before [`commit`](Self::commit), nothing is left.
#[derive(Debug)]
pub(crate) struct NewFolder {
    folder: AtomicFolder,
    folders: Vec<PathBuf>,
    files: Vec<PathBuf>,
}

impl NewFolder {
    /// Starts a folder that will be `path`. Unless `replace`, a path that exists is an error, now and at the end.
    pub(crate) fn create(path: &Path, replace: bool) -> Result<Self> {
        let folder = match replace {
            true => AtomicFolder::create(path)?,
            false => AtomicFolder::create_new(path)?,
        };
        let folders = vec![folder.path().to_owned()];
        Ok(Self { folder, folders, files: Vec::new() })
    }

    /// Makes all files durable, then renames the folder into place.
    pub(crate) fn commit(self) -> Result<()> {
        sync_all(&self.files)?;
        self.folders.iter().rev().try_for_each(|folder| sync_folder(folder))?;
        step();
        self.folder.commit()?;
        step();
        Ok(())
    }
}

impl Sink for NewFolder {
    fn put(&mut self, relative: &str, parts: &[&[u8]]) -> Result<()> {
        if let Some((folders, _)) = relative.rsplit_once('/') {
            self.folder(folders)?;
        }
        let path = self.folder.path().join(plain(relative)?);
        write_new(&path, parts)?;
        self.files.push(path);
        Ok(())
    }

    fn folder(&mut self, relative: &str) -> Result<()> {
        let mut path = self.folder.path().to_owned();
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
