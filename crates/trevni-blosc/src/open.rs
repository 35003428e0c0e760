//! Opens a file or folder of the family, and detects its kind.
//!
//! ```text
//! "blpk"                            Bloscpack              folder with  chunks.b2frame     sparse frame
//! 9e a8 "b2frame\0"                 contiguous frame                    __rootdirs__       ctable
//!                                                                       meta/              carray, or superchunks
//! ```

use std::fs::File;
use std::path::Path;

use bytes::Bytes;

use super::array::{Attributes, Chunking, Container};
use super::bloscpack::Bloscpack;
use super::chunked_array::ChunkedArray;
use super::frame::{ContiguousFrame, INDEX_KEY, Keys, SparseFrame};
use super::journal::Files;
use super::rootdir::Rootdir;
use trevni::io::ReadAt;
use trevni::{Error, Result};

/// The name of an array that is alone and has none.
const VALUES: &str = "values";

/// The name of an array without the type of its elements.
const BYTES: &str = "bytes";

/// What kind of container it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ContainerKind {
    /// A Bloscpack file.
    Bloscpack,
    /// A directory of one array.
    Carray,
    /// A directory of columns.
    Ctable,
    /// A Blosc2 frame in one file.
    ContiguousFrame,
    /// A Blosc2 frame in a directory.
    SparseFrame,
}

impl ContainerKind {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            ContainerKind::Bloscpack => "bloscpack",
            ContainerKind::Carray => "carray",
            ContainerKind::Ctable => "ctable",
            ContainerKind::ContiguousFrame => "contiguous frame",
            ContainerKind::SparseFrame => "sparse frame",
        }
    }
}

/// What a file or a folder holds: one array or, of a ctable, several of equal length.
#[derive(Debug)]
pub struct Contents {
    /// What kind of container it is.
    pub kind: ContainerKind,
    /// The arrays with their names. An unnamed one is "values", or "bytes" if its element type is unknown.
    pub arrays: Vec<(String, ChunkedArray)>,
    /// The attributes of the container.
    pub attributes: Attributes,
}

impl Contents {
    fn of_one(kind: ContainerKind, typed: bool, container: impl Container + 'static) -> Self {
        let attributes = container.layout().attributes.clone();
        let name = if typed { VALUES } else { BYTES };
        Self { kind, arrays: vec![(name.into(), ChunkedArray::new(container))], attributes }
    }

    fn of_bloscpack(file: Bloscpack) -> Self {
        Self::of_one(ContainerKind::Bloscpack, file.is_typed(), file)
    }

    /// Of frames, only b2nd arrays have the type of their elements.
    fn of_frame(kind: ContainerKind, frame: impl Container + 'static) -> Self {
        let typed = matches!(frame.layout().chunking, Chunking::Grid { .. });
        Self::of_one(kind, typed, frame)
    }
}

/// Opens a file or a folder. Only its metadata is read.
pub fn open(path: impl AsRef<Path>) -> Result<Contents> {
    let path = path.as_ref();
    if !path.is_dir() {
        let mut head = [0; 16];
        let file = File::open(path)?;
        let len = file.metadata()?.len().min(head.len() as u64);
        let head = head.get_mut(..usize::try_from(len).unwrap_or(0)).unwrap_or_default();
        head.copy_from_slice(&file.read_at(0, head.len())?);
        return match kind_of(head) {
            Some(ContainerKind::Bloscpack) => {
                Ok(Contents::of_bloscpack(Bloscpack::open_path(path)?))
            }
            Some(kind) => Ok(Contents::of_frame(kind, ContiguousFrame::open(path)?)),
            None => Err(Error::malformed("no file of the Blosc family")),
        };
    }
    if path.join(INDEX_KEY).is_file() {
        return Ok(Contents::of_frame(ContainerKind::SparseFrame, SparseFrame::open(path)?));
    }
    Ok(of_rootdir(Rootdir::open(path)?))
}

/// Opens a folder whose files are elsewhere. It cannot be changed.
pub fn open_files(files: impl Files + 'static) -> Result<Contents> {
    if files.names("")?.contains(INDEX_KEY) {
        return open_keys(FileKeys(files));
    }
    Ok(of_rootdir(Rootdir::open_files(files)?))
}

/// The files of a sparse frame, by their names.
#[derive(Debug)]
struct FileKeys<F>(F);

impl<F: Files> Keys for FileKeys<F> {
    fn get(&self, key: &str) -> Result<Bytes> {
        let missing = || std::io::Error::new(std::io::ErrorKind::NotFound, key.to_owned());
        let file = self.0.open(key)?.ok_or_else(missing)?;
        let len = usize::try_from(file.len()?).map_err(std::io::Error::other)?;
        Ok(file.read_at(0, len)?)
    }
}

fn of_rootdir(directory: Rootdir) -> Contents {
    match directory {
        Rootdir::Carray(carray) => Contents::of_one(ContainerKind::Carray, true, *carray),
        Rootdir::Ctable(table) => {
            let attributes = table.attributes().clone();
            let columns = table.into_columns().into_iter();
            let arrays = columns.map(|(name, column)| (name, ChunkedArray::new(column))).collect();
            Contents { kind: ContainerKind::Ctable, arrays, attributes }
        }
    }
}

/// Opens what has the bytes of a file: a Bloscpack file or a contiguous frame. It cannot be changed.
pub fn open_source(source: impl ReadAt + 'static) -> Result<Contents> {
    let len = usize::try_from(source.len()?.min(16)).unwrap_or(0);
    match kind_of(&source.read_at(0, len)?) {
        Some(ContainerKind::Bloscpack) => Ok(Contents::of_bloscpack(Bloscpack::open(source)?)),
        Some(kind) => Ok(Contents::of_frame(kind, ContiguousFrame::from_source(source)?)),
        None => Err(Error::malformed("no file of the Blosc family")),
    }
}

/// Opens the sparse frame of a store of bytes by key. It cannot be changed.
pub fn open_keys(keys: impl Keys + 'static) -> Result<Contents> {
    Ok(Contents::of_frame(ContainerKind::SparseFrame, SparseFrame::from_keys(keys)?))
}

/// Returns the kind of container of a file that begins so.
pub fn kind_of(head: &[u8]) -> Option<ContainerKind> {
    if head.starts_with(b"blpk") {
        return Some(ContainerKind::Bloscpack);
    }
    let frame = head.get(1..10).is_some_and(|magic| magic == b"\xa8b2frame\0");
    frame.then_some(ContainerKind::ContiguousFrame)
}

/// Returns whether a folder is a container.
pub fn is_container(folder: &Path) -> bool {
    folder.join(INDEX_KEY).is_file() || Rootdir::is_at(folder)
}

/// Returns whether files that are elsewhere are a container.
pub fn is_container_of(files: &impl Files) -> Result<bool> {
    Ok(files.names("")?.contains(INDEX_KEY) || Rootdir::is_of(files)?)
}
