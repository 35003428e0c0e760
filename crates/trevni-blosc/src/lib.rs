//! The Blosc family of containers: Bloscpack files, directories of carray, bcolz and Blaze, Blosc2 frames.
//!
//! ```text
//! chunk       header │ block │ block │ ...            up to 2 GiB of an array, shuffled and compressed
//! bloscpack   one file:    "blpk" │ metadata │ offsets │ chunk, checksum │ chunk, checksum │ ...
//! rootdir     a folder:    meta/ │ __attrs__ │ data/__0.blp, __1.blp, ...         a ctable: a folder of such folders
//! frame       one file:    "b2frame" │ chunk │ chunk │ ... │ index │ trailer
//!             or a folder: chunks.b2frame │ 00000000.chunk │ 00000001.chunk │ ...
//! ```
//! All of them hold arrays of NumPy's types, divided into chunks. A [`Container`] stores and returns chunks; a
//! [`ChunkedArray`] reads and changes rows of any container. [`open`] opens any file or folder:
//!
//! ```
//! use trevni_blosc::rootdir::{CarrayBuilder, DirectoryFormat, Storage};
//! use trevni_blosc::{ArrayWriter, Attributes, ChunkedArray, Chunking, Dtype, Layout, Order};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("prices");
//! let storage = Storage::new(Dtype::parse("<i4")?, &[], 1000)?;
//! let layout = Layout::of_rows(storage.dtype.clone(), &[], Chunking::Flat { chunk_bytes: 400 });
//! let build = CarrayBuilder::create(
//!     &path,
//!     Storage { chunk_shape: vec![100], ..storage.clone() },
//!     DirectoryFormat::Bcolz,
//!     false,
//! )?;
//! let mut writer = ArrayWriter::try_new(Box::new(build), &storage.params, &layout)?;
//! let rows: Vec<u8> = (0..250i32).flat_map(i32::to_le_bytes).collect();
//! writer.write(&rows)?;
//! writer.finish(&Attributes::new())?;
//!
//! let mut contents = trevni_blosc::open(&path)?;
//! let (_, mut array) = contents.arrays.remove(0);
//! assert_eq!(array.read(100..102)?, [100, 0, 0, 0, 101, 0, 0, 0]);
//! array.write(100, &7i32.to_le_bytes())?;
//! array.append(&250i32.to_le_bytes())?;
//! array.truncate(102)?;
//! assert_eq!(array.read(99..102)?, [99, 0, 0, 0, 7, 0, 0, 0, 101, 0, 0, 0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//! The formats are restated in `spec/blosc-chunk.md`, `spec/bloscpack.md`, `spec/rootdir.md` and
//! `spec/blosc2-frame.md`.
//!
//! The modules, from the lowest layer to the highest:
//!
//! ```text layers
//! buffers dtype json msgpack repeated_byte shuffle
//! compressor filter journal
//! chunk
//! array
//! bloscpack chunked_array
//! frame numpy rootdir
//! chunked_table open
//! ```

mod array;
pub mod bloscpack;
mod buffers;
pub mod chunk;
mod chunked_array;
mod chunked_table;
mod compressor;
mod dtype;
mod filter;
pub mod frame;
mod journal;
mod json;
mod msgpack;
pub mod numpy;
mod open;
mod repeated_byte;
pub mod rootdir;
pub mod shuffle;

pub use array::{Attributes, Build, Chunking, Container, Edit, Layout, Order};
pub use chunked_array::{ArrayWriter, ChunkedArray};
pub use chunked_table::ChunkedTable;
pub use compressor::Compressor;
pub use dtype::{ByteOrder, Dtype, DtypeKind, Field, Unit};
pub use filter::{Filter, Filters};
pub use journal::Files;
pub use open::{
    ContainerKind, Contents, is_container, is_container_of, kind_of, open, open_files, open_keys,
    open_source,
};

/// The example of the README compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
