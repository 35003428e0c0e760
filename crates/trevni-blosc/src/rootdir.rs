//! Directories of chunks: the containers of carray, bcolz and Blaze.
//!
//! ```text
//! root                                       an array
//! ├── meta
//! │   ├── sizes                              how many rows: {"shape": [807], "nbytes": 6456, "cbytes": 3022}
//! │   └── storage                            type and compression: {"dtype": "int64", "cparams": {..}, "chunklen": 128, ..}
//! ├── data
//! │   ├── __0.blp                            rows 0 to 127, a chunk
//! │   ├── __1.blp                            rows 128 to 255
//! │   └── ..
//! └── __attrs__                              {"temperature": 11.4}
//!
//! root                                       a table
//! ├── __rootdirs__                           {"names": ["a", "b"]}
//! ├── __attrs__
//! ├── a                                      an array
//! └── b                                      an array
//! ```
//! This is the format of bcolz, [`DirectoryFormat::Bcolz`]. The other, [`DirectoryFormat::Superchunk`], is that of
//! the proposals before it, which no released program has written: a file `data/__1__.bin` holds several chunks.
//! Both are read and written.
//!
//! [`Rootdir::open`] opens a directory. An array is a [`Container`](super::Container): it returns chunks and
//! applies [`Edit`](super::Edit)s. A table applies one edit for each column. A change is applied completely or not
//! at all (`journal`). [`CarrayBuilder`] and [`CtableBuilder`] create directories. (Specification:
//! `spec/rootdir.md`.)
//!
//! ```
//! use trevni_blosc::{Attributes, Build, Container};
//! use trevni_blosc::chunk::Encoder;
//! use trevni_blosc::rootdir::{Carray, CarrayBuilder, DirectoryFormat, Storage};
//! use trevni_blosc::Dtype;
//!
//! let home = tempfile::tempdir()?;
//! let path = home.path().join("squares");
//! let storage = Storage::new(Dtype::parse("int64")?, &[], 1000)?;
//! let mut encoder = Encoder::new(&storage.params)?;
//! let mut builder = CarrayBuilder::create(&path, storage, DirectoryFormat::Bcolz, false)?;
//! let mut chunk = Vec::new();
//! let data: Vec<u8> = (0..1000).flat_map(|i: i64| (i * i).to_le_bytes()).collect();
//! encoder.encode(&data, &mut chunk)?;
//! builder.push(&chunk)?;
//! Box::new(builder).finish(&[1000], &Attributes::new())?;
//!
//! let array = Carray::open(&path)?;
//! assert_eq!(array.layout().shape, [1000]);
//! assert_eq!(array.chunk(0)?, chunk);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod attributes;
mod blp;
mod build;
mod carray;
mod chunk_splitter;
mod chunklen;
mod column_names;
mod column_writer;
mod ctable;
mod data;
mod directory;
mod directory_format;
mod edit;
mod excerpt;
mod fill_value;
mod meta;
mod sizes;
mod storage;
mod superchunk;
mod yaml;

pub use crate::rootdir::directory_format::{DirectoryFormat, Slack, Superchunks};
pub use build::{CarrayBuilder, CtableBuilder};
pub use carray::Carray;
pub use ctable::Ctable;
pub use storage::Storage;

use std::path::Path;
use std::sync::Arc;

use super::journal::{Files, Folder};
use trevni::Result;

/// What a directory is.
#[derive(Debug)]
pub enum Rootdir {
    /// An array.
    Carray(Box<Carray>),
    /// A table.
    Ctable(Box<Ctable>),
}

impl Rootdir {
    /// Opens a directory, whatever it is, in either form.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_in(Folder::open(path.as_ref())?)
    }

    /// Opens a directory whose files are elsewhere. It cannot be changed.
    pub fn open_files(files: impl Files + 'static) -> Result<Self> {
        Self::open_in(Folder::of_files(Arc::new(files))?)
    }

    fn open_in(folder: Folder) -> Result<Self> {
        if folder.exists(column_names::ROOTDIRS)? || is_shared(&folder)? {
            return Ok(Rootdir::Ctable(Box::new(Ctable::open_in(folder)?)));
        }
        Ok(Rootdir::Carray(Box::new(Carray::open_in(folder)?)))
    }

    /// Returns whether a path is a directory that can be opened here, as far as the names of its files tell.
    pub fn is_at(path: impl AsRef<Path>) -> bool {
        let exists = |file: &str| path.as_ref().join(file).is_file();
        exists(column_names::ROOTDIRS) || exists(storage::STORAGE)
    }

    /// Returns whether files are those of a directory that can be opened here, as far as their names tell.
    pub(crate) fn is_of(files: &impl Files) -> Result<bool> {
        Ok(files.open(column_names::ROOTDIRS)?.is_some() || files.open(storage::STORAGE)?.is_some())
    }
}

/// Returns whether the columns of a table share the files in `meta`.
fn is_shared(folder: &Folder) -> Result<bool> {
    let sized = directory::Sized::read(folder)?;
    Ok(directory::read_storage(folder, &sized.sizes.shape)?.0.is_table())
}

#[cfg(test)]
mod tests;
