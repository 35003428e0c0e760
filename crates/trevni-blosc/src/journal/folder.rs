//! Reads a folder through its journal.
//!
//! ```text
//! journal    rename 17c3a9e0b2-0 → a, remove d
//! a   ──►    .trevni/17c3a9e0b2-0 if it exists, else a
//! d   ──►    missing
//! e   ──►    e
//! ```

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;

use super::record::Record;
use super::{JOURNAL, STAGE, is_missing, plain, with_parents};
use crate::buffers::Source;
use trevni::io::ReadAt;
use trevni::{Error, Result};

/// The largest journal that is read, in bytes.
const JOURNAL_BYTES: u64 = 1 << 28;

/// The files of a container that is a folder, wherever they are. Paths begin below the folder, with `/` between names.
pub trait Files: Send + Sync + std::fmt::Debug {
    /// Opens a file; `None` if it does not exist.
    ///
    /// # Errors
    /// `Io`.
    fn open(&self, path: &str) -> Result<Option<Arc<dyn ReadAt>>>;

    /// Returns the names of the files and folders in a folder; none if it does not exist.
    ///
    /// # Errors
    /// `Io`.
    fn names(&self, folder: &str) -> Result<BTreeSet<String>>;
}

impl<F: Files + ?Sized> Files for Arc<F> {
    fn open(&self, path: &str) -> Result<Option<Arc<dyn ReadAt>>> {
        (**self).open(path)
    }

    fn names(&self, folder: &str) -> Result<BTreeSet<String>> {
        (**self).names(folder)
    }
}

/// Where the outermost folder is.
#[derive(Debug, Clone)]
enum Root {
    Path(Arc<Path>),
    Files(Arc<dyn Files>),
}

impl Root {
    fn open(&self, path: &str) -> Result<Option<Source>> {
        match self {
            Root::Path(root) => Ok(open_file(&root.join(path), path)?.map(Source::file)),
            Root::Files(files) => Ok(files.open(path)?.map(|file| Source::Other(Box::new(file)))),
        }
    }

    /// Returns the journal in force, if there is one.
    fn pending(&self) -> Result<Option<Record>> {
        match self.open(&format!("{STAGE}/{JOURNAL}"))? {
            Some(journal) => Record::parse(&read_all(&journal, JOURNAL_BYTES)?),
            None => Ok(None),
        }
    }

    fn names(&self, folder: &str) -> Result<BTreeSet<String>> {
        match self {
            Root::Path(root) => names_on_disk(&root.join(folder)),
            Root::Files(files) => files.names(folder),
        }
    }

    fn exists(&self, path: &str) -> Result<bool> {
        match self {
            Root::Path(root) => Ok(root.join(path).exists()),
            Root::Files(files) => {
                let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
                Ok(files.names(parent)?.contains(name))
            }
        }
    }
}

/// A folder in the state of its last complete change. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Folder {
    root: Root,
    prefix: String,
    pending: Arc<Pending>,
}

#[derive(Debug, Default)]
struct Pending {
    removed: HashSet<String>,
    /// From the path to the name in the stage.
    waiting: HashMap<String, String>,
}

impl Pending {
    /// Returns whether a path, or a folder above it, is removed.
    fn removes(&self, path: &str) -> bool {
        with_parents(path).any(|path| self.removed.contains(path))
    }
}

impl Folder {
    /// Opens a folder for reading; nothing is written.
    pub(crate) fn open(root: &Path) -> Result<Self> {
        if !std::fs::metadata(root)?.is_dir() {
            return Err(Error::malformed(format!("{} is no folder", root.display())));
        }
        Self::of(Root::Path(root.into()))
    }

    /// Opens a folder of files that are elsewhere.
    pub(crate) fn of_files(files: Arc<dyn Files>) -> Result<Self> {
        Self::of(Root::Files(files))
    }

    fn of(root: Root) -> Result<Self> {
        let record = root.pending()?.unwrap_or_default();
        let waiting = record.rename.into_iter().map(|(from, to)| (to, from)).collect();
        let pending = Pending { removed: record.remove.into_iter().collect(), waiting };
        Ok(Self { root, prefix: String::new(), pending: Arc::new(pending) })
    }

    /// Returns a folder within; the journal stays that of the outermost.
    pub(crate) fn child(&self, name: &str) -> Result<Self> {
        let prefix = format!("{}{}/", self.prefix, plain(name)?);
        Ok(Self { prefix, ..self.clone() })
    }

    /// Returns the same within the outermost folder, whose state may have changed.
    pub(crate) fn reopen(&self) -> Result<Self> {
        Ok(Self { prefix: self.prefix.clone(), ..Self::of(self.root.clone())? })
    }

    /// Returns the outermost folder, which has the journal. Fails if it is elsewhere: then it cannot be changed.
    pub(crate) fn root(&self) -> Result<&Path> {
        match &self.root {
            Root::Path(root) => Ok(root),
            Root::Files(_) => Err(Error::unsupported("this folder can only be read")),
        }
    }

    /// Returns the path of a file from the outermost folder on.
    pub(crate) fn path(&self, relative: &str) -> String {
        format!("{}{relative}", self.prefix)
    }

    /// Opens a file; `None` if it does not exist.
    pub(crate) fn file(&self, relative: &str) -> Result<Option<Source>> {
        let path = self.path(relative);
        plain(&path)?;
        if let Some(name) = self.pending.waiting.get(&path) {
            // A writer has renamed it meanwhile.
            if let Some(file) = self.root.open(&format!("{STAGE}/{name}"))? {
                return Ok(Some(file));
            }
        } else if self.pending.removes(&path) {
            return Ok(None);
        }
        self.root.open(&path)
    }

    /// Returns the content of a file of at most `limit` bytes; `None` if it does not exist.
    pub(crate) fn read(&self, relative: &str, limit: u64) -> Result<Option<Bytes>> {
        self.file(relative)?.map(|file| read_all(&file, limit)).transpose()
    }

    /// Returns whether a file or folder exists.
    pub(crate) fn exists(&self, relative: &str) -> Result<bool> {
        let path = self.path(relative);
        plain(&path)?;
        Ok(self.pending.waiting.keys().any(|to| with_parents(to).any(|to| to == path))
            || (!self.pending.removes(&path) && self.root.exists(&path)?))
    }

    /// Returns the names in a subfolder, sorted; empty if it does not exist.
    pub(crate) fn names(&self, relative: &str) -> Result<BTreeSet<String>> {
        let path = self.path(relative);
        let within = format!("{}/", plain(&path)?);
        let mut names = self.root.names(&path)?;
        names.retain(|name| !self.pending.removes(&format!("{within}{name}")));
        let waiting = self.pending.waiting.keys().filter_map(|to| to.strip_prefix(&within));
        names.extend(waiting.filter_map(|rest| rest.split('/').next()).map(str::to_owned));
        Ok(names)
    }
}

/// Returns the journal in force, if there is one.
pub(super) fn pending(root: &Path) -> Result<Option<Record>> {
    Root::Path(root.into()).pending()
}

fn open_file(path: &Path, what: &str) -> Result<Option<File>> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(e) if is_missing(&e) => return Ok(None),
        Err(e) => return Err(e.into()),
    };
    if file.metadata()?.is_file() {
        return Ok(Some(file));
    }
    Err(Error::malformed(format!("{what} is no plain file")))
}

fn read_all(file: &Source, limit: u64) -> Result<Bytes> {
    let size = file.len()?;
    if size > limit {
        return Err(Error::too_large("file", size, limit));
    }
    Ok(file.read_at(0, usize::try_from(size).unwrap_or(usize::MAX))?)
}

fn names_on_disk(folder: &PathBuf) -> Result<BTreeSet<String>> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(e) if is_missing(&e) => return Ok(BTreeSet::new()),
        Err(e) => return Err(e.into()),
    };
    // A name that is no text is none of ours.
    let name = |entry: io::Result<std::fs::DirEntry>| entry.map(|e| e.file_name().into_string());
    let names = entries.map(name).collect::<io::Result<Vec<_>>>()?;
    Ok(names.into_iter().flatten().collect())
}
