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
    /// The columns of a table that cannot be read, and why.
    pub unreadable: Vec<(String, Error)>,
    /// The attributes of the container.
    pub attributes: Attributes,
}

impl Contents {
    fn of_one(kind: ContainerKind, typed: bool, container: impl Container + 'static) -> Self {
        let attributes = container.layout().attributes.clone();
        let name = if typed { VALUES } else { BYTES };
        let arrays = vec![(name.into(), ChunkedArray::new(container))];
        Self { kind, arrays, unreadable: Vec::new(), attributes }
    }

    fn of_bloscpack(file: Bloscpack) -> Self {
        Self::of_one(ContainerKind::Bloscpack, file.is_typed(), file)
    }

    fn of_contiguous(frame: ContiguousFrame) -> Result<Self> {
        Self::of_frame(ContainerKind::ContiguousFrame, frame.stored_object(), frame)
    }

    fn of_sparse(frame: SparseFrame) -> Result<Self> {
        let object = frame.stored_object();
        Self::of_frame(ContainerKind::SparseFrame, object, frame)
    }

    /// Of frames, only b2nd arrays have the type of their elements.
    fn of_frame(
        kind: ContainerKind,
        object: Option<String>,
        frame: impl Container + 'static,
    ) -> Result<Self> {
        if let Some(object) = object {
            return Err(Error::unsupported(format!("a frame that holds {object}")));
        }
        let typed = matches!(frame.layout().chunking, Chunking::Grid { .. });
        Ok(Self::of_one(kind, typed, frame))
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
            Some(_) => Contents::of_contiguous(ContiguousFrame::open(path)?),
            None => Err(Error::malformed("no file of the Blosc family")),
        };
    }
    if path.join(INDEX_KEY).is_file() {
        return Contents::of_sparse(SparseFrame::open(path)?);
    }
    if let Some(name) = other_container(path) {
        return Err(Error::unsupported(format!("a folder that is {name}")));
    }
    of_rootdir(Rootdir::open(path)?)
}

/// Opens a folder whose files are elsewhere. It cannot be changed.
pub fn open_files(files: impl Files + 'static) -> Result<Contents> {
    if files.names("")?.contains(INDEX_KEY) {
        return open_keys(FileKeys(files));
    }
    if let Some(name) = other_container_of(&files)? {
        return Err(Error::unsupported(format!("a folder that is {name}")));
    }
    of_rootdir(Rootdir::open_files(files)?)
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

fn of_rootdir(directory: Rootdir) -> Result<Contents> {
    match directory {
        Rootdir::Carray(carray) => Ok(Contents::of_one(ContainerKind::Carray, true, *carray)),
        Rootdir::Ctable(mut table) => {
            let (attributes, mut unreadable) =
                (table.attributes().clone(), table.take_unreadable());
            if table.columns().is_empty() && !unreadable.is_empty() {
                return Err(unreadable.swap_remove(0).1);
            }
            let columns = table.into_columns().into_iter();
            let arrays = columns.map(|(name, column)| (name, ChunkedArray::new(column))).collect();
            Ok(Contents { kind: ContainerKind::Ctable, arrays, unreadable, attributes })
        }
    }
}

/// Opens what has the bytes of a file: a Bloscpack file or a contiguous frame. It cannot be changed.
pub fn open_source(source: impl ReadAt + 'static) -> Result<Contents> {
    let len = usize::try_from(source.len()?.min(16)).unwrap_or(0);
    match kind_of(&source.read_at(0, len)?) {
        Some(ContainerKind::Bloscpack) => Ok(Contents::of_bloscpack(Bloscpack::open(source)?)),
        Some(_) => Contents::of_contiguous(ContiguousFrame::from_source(source)?),
        None => Err(Error::malformed("no file of the Blosc family")),
    }
}

/// Opens the sparse frame of a store of bytes by key. It cannot be changed.
pub fn open_keys(keys: impl Keys + 'static) -> Result<Contents> {
    Contents::of_sparse(SparseFrame::from_keys(keys)?)
}

/// Returns the kind of container of a file that begins so.
pub fn kind_of(head: &[u8]) -> Option<ContainerKind> {
    if head.starts_with(b"blpk") {
        return Some(ContainerKind::Bloscpack);
    }
    let frame = head.get(1..10).is_some_and(|magic| magic == b"\xa8b2frame\0");
    frame.then_some(ContainerKind::ContiguousFrame)
}

/// The file of a store of python-blosc2 that holds its small members, and the store by its metalayer.
const STORE: &str = "embed.b2e";
const STORES: [(&str, &str); 2] =
    [("b2dict", "a DictStore of python-blosc2"), ("b2tree", "a TreeStore of python-blosc2")];

/// Files of folders that are containers of others, and what those are called.
const OTHER_CONTAINERS: [(&str, &str); 3] =
    [(".zarray", "a Zarr array"), (".zgroup", "a Zarr group"), ("zarr.json", "a Zarr container")];

/// Returns what a folder is, if it is a container of others.
fn other_container(folder: &Path) -> Option<&'static str> {
    let (store, has) = (folder.join(STORE), |file: &str| folder.join(file).is_file());
    let store = store.is_file().then(|| ContiguousFrame::open(store).ok()).flatten();
    store.and_then(|frame| store_of(&frame)).or_else(|| named(has))
}

/// Returns what a folder is whose files are elsewhere.
fn other_container_of(files: &impl Files) -> Result<Option<&'static str>> {
    let names = files.names("")?;
    let file = if names.contains(STORE) { files.open(STORE)? } else { None };
    let store = file.and_then(|file| ContiguousFrame::from_source(file).ok());
    let store = store.and_then(|frame| store_of(&frame));
    Ok(store.or_else(|| named(|file| names.contains(file))))
}

fn store_of(frame: &ContiguousFrame) -> Option<&'static str> {
    let has = |name: &str| frame.metalayers().iter().any(|layer| layer.name == name);
    STORES.iter().find(|(layer, _)| has(layer)).map(|(_, name)| *name)
}

fn named(has: impl Fn(&str) -> bool) -> Option<&'static str> {
    OTHER_CONTAINERS.iter().find(|(file, _)| has(file)).map(|(_, name)| *name)
}

/// Returns whether a folder is a container: one that [`open`] opens, or refuses by its name because its files are not
/// tables of their own.
pub fn is_container(folder: &Path) -> bool {
    let has = |file: &str| folder.join(file).is_file();
    has(INDEX_KEY) || Rootdir::is_at(folder) || other_container(folder).is_some()
}

/// Returns whether files that are elsewhere are a container.
pub fn is_container_of(files: &impl Files) -> Result<bool> {
    let is_own = files.names("")?.contains(INDEX_KEY) || Rootdir::is_of(files)?;
    Ok(is_own || other_container_of(files)?.is_some())
}
