//! Bloscpack files: one file with the chunks of one array, or of bytes.
//!
//! ```text
//! header, 32 bytes │ metadata, with room to grow │ offsets, with spare slots │ chunk, checksum │ chunk, checksum │ ...
//! "header"           "metadata", "numpy"           "offsets"                   "chunk", "digest"
//! ```
//! Version 3 is what bloscpack 0.16 writes; files written here are equal to the byte. Versions 1 and 2 exist only
//! in documents, which the reader follows. The metadata of a NumPy array has its type and shape; without it a file
//! is an array of bytes.
//!
//! Rows can be appended and, where there is room, attributes replaced; nothing else changes. Each change rewrites
//! the file and renames it.
//!
//! ```
//! use trevni_blosc::bloscpack::{Bloscpack, BloscpackBuilder};
//! use trevni_blosc::{Build, Container, Dtype, Order};
//! use trevni_blosc::chunk::{Encoder, Generation, Params};
//!
//! let folder = tempfile::tempdir().unwrap();
//! let path = folder.path().join("a.blp");
//! let params = Params::new(Generation::Blosc1, 2);
//! let array = Some((Dtype::parse("<i2")?, Order::C));
//! let mut builder = BloscpackBuilder::create(&path, false, array, &params, Default::default())?;
//! let mut chunk = Vec::new();
//! Encoder::new(&params)?.encode(&[1, 0, 2, 0, 3, 0], &mut chunk)?;
//! builder.push(&chunk)?;
//! Box::new(builder).finish(&[3], &Default::default())?;
//!
//! let file = Bloscpack::open_path(&path)?;
//! assert_eq!(file.layout().shape, [3]);
//! assert_eq!(file.chunk(0)?, chunk);
//! # Ok::<(), trevni::Error>(())
//! ```

mod append;
mod builder;
pub(crate) mod digest;
mod file_start;
pub(crate) mod header;
mod metadata;
mod numpy;
pub(crate) mod offsets;
mod properties;

use std::fmt;
use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use serde_json::Value;

pub use self::builder::BloscpackBuilder;
pub use self::digest::Digest;
pub use self::properties::{BloscpackProperties, MetadataProperties, Room};

use self::header::Version;
use self::numpy::Described;
use super::array::{Chunking, Container, Edit, Layout, Order};
use super::buffers::Source;
use super::chunk::{self, Generation, Params};
use super::dtype::{Dtype, DtypeKind};
use crate::bloscpack::file_start::{Beginning, Sizes};
use trevni::io::{ReadAt, read_within};
use trevni::{Error, Result};

/// The chunk size of a file with a single chunk, which does not record one.
const ONE_CHUNK: u64 = 1 << 20;

/// A Bloscpack file that is open.
pub struct Bloscpack {
    source: Source,
    path: Option<PathBuf>,
    file_len: u64,
    beginning: Beginning,
    /// The array that the metadata tells of.
    described: Option<Described>,
    layout: Layout,
    params: Params,
}

impl Bloscpack {
    /// Opens a file from any source, for reading only.
    pub fn open(source: impl ReadAt + 'static) -> Result<Self> {
        Self::open_source(Source::Other(Box::new(source)), None)
    }

    /// Opens the file of a path, for reading and for changes.
    pub fn open_path(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref().canonicalize()?;
        let file = File::open(&path)?;
        Self::open_source(Source::file(file), Some(path))
    }

    fn open_source(source: Source, path: Option<PathBuf>) -> Result<Self> {
        let file_len = source.len()?;
        let beginning = Beginning::read(&source, file_len)?;
        let described = match &beginning.metadata {
            Some(value) => {
                let is_version_2 = matches!(beginning.header.version, Version::V2 { .. });
                Described::parse(value, is_version_2)?
            }
            None => None,
        };
        let layout = layout(&beginning, described.as_ref())?;
        let params = params(&source, file_len, &beginning);
        Ok(Self { source, path, file_len, beginning, described, layout, params })
    }

    /// Makes chunks that are appended with these parameters, whatever the others were made with.
    pub fn with_params(mut self, params: Params) -> Self {
        self.params = params;
        self
    }

    /// Returns whether the metadata has the type of the elements.
    pub fn is_typed(&self) -> bool {
        self.described.is_some()
    }

    /// Returns the version of the format: 1, 2 or 3.
    pub fn version(&self) -> u8 {
        match self.beginning.header.version {
            Version::V1 { .. } => 1,
            Version::V2 { .. } => 2,
            Version::V3 { .. } => 3,
        }
    }

    /// Returns the checksum of chunks.
    pub fn checksum(&self) -> Digest {
        self.beginning.header.checksum
    }

    /// Returns the size of an element in the header, whatever the metadata says; 0 if unknown.
    pub fn typesize(&self) -> u8 {
        self.beginning.header.typesize
    }

    /// Returns the metadata as it is stored.
    pub fn metadata(&self) -> Option<&Value> {
        self.beginning.metadata.as_ref()
    }

    /// Returns the settings with which the file could be written again.
    pub fn properties(&self) -> BloscpackProperties {
        let header = &self.beginning.header;
        let spare = header.slots().unwrap_or(0).saturating_sub(self.layout.chunks);
        let section = self.beginning.section.as_ref();
        BloscpackProperties {
            checksum: header.checksum,
            offsets: header.has_offsets,
            max_app_chunks: Room::Exactly(spare),
            metadata: section.map_or_else(Default::default, |section| MetadataProperties {
                zlib: section.zlib,
                ..section.properties()
            }),
            ..Default::default()
        }
    }

    /// Returns the bytes of a chunk followed by its checksum; the header of the chunk has its length.
    fn stored(&self, start: u64, most: u64) -> Result<(chunk::Header, Bytes)> {
        let digest_len = self.checksum().size() as u64;
        let there = self.file_len.saturating_sub(start);
        let bytes = read_within(&self.source, self.file_len, start, most.min(there), "chunk")?;
        let header = chunk::Header::parse(&bytes)?;
        let len = u64::from(header.cbytes) + digest_len;
        if len <= bytes.len() as u64 {
            return Ok((header, bytes));
        }
        Ok((header, read_within(&self.source, self.file_len, start, len, "chunk")?))
    }

    /// Returns the maximum size of a chunk and its checksum, by the start of the next one and its uncompressed
    /// size.
    fn most(&self, number: usize, start: u64, nbytes: u64) -> u64 {
        let next = self.beginning.starts.get(number + 1).filter(|next| **next > start);
        let until_next = next.map_or(u64::MAX, |next| next - start);
        let incompressible = nbytes.saturating_add(32 + self.checksum().size() as u64);
        until_next.min(incompressible).max(32)
    }

    /// Returns the start of a chunk, its uncompressed size, and its maximum stored size.
    fn place(&self, number: u64) -> Result<(u64, u64, u64)> {
        let starts = &self.beginning.starts;
        let there = usize::try_from(number).ok().and_then(|n| Some((n, *starts.get(n)?)));
        let Some((number, start)) = there else {
            return Err(Error::invalid(format!("chunk {number} of {}", starts.len())));
        };
        let nbytes = self.beginning.sizes.get(number, starts.len());
        Ok((start, nbytes, self.most(number, start, nbytes)))
    }

    fn open_chunk(&self, number: u64) -> Result<Bytes> {
        let (start, nbytes, most) = self.place(number)?;
        let (header, mut bytes) = self.stored(start, most).map_err(|e| e.at(start))?;
        check_size(number, &header, nbytes).map_err(|e| e.at(start))?;
        let cbytes = usize::try_from(header.cbytes).unwrap_or(usize::MAX).min(bytes.len());
        let chunk = bytes.split_to(cbytes);
        let digest = bytes.split_to(self.checksum().size().min(bytes.len()));
        self.checksum().check(&chunk, &digest).map_err(|e| e.at(start))?;
        Ok(chunk)
    }
}

impl Container for Bloscpack {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn params(&self) -> &Params {
        &self.params
    }

    fn chunk(&self, number: u64) -> Result<Bytes> {
        self.open_chunk(number)
    }

    fn chunk_part(&self, number: u64, range: Range<u64>) -> Result<Bytes> {
        if self.checksum() != Digest::None {
            let start = usize::try_from(range.start).unwrap_or(usize::MAX);
            // A checksum needs the complete chunk.
            return self.open_chunk(number).map(|chunk| chunk.slice(start.min(chunk.len())..));
        }
        let (start, nbytes, most) = self.place(number)?;
        let most = most.min(self.file_len.saturating_sub(start));
        let (from, to) = (range.start.min(most), range.end.min(most));
        let len = to.saturating_sub(from);
        let bytes = read_within(&self.source, self.file_len, start + from, len, "chunk")?;
        if from == 0 {
            let header = chunk::Header::parse(&bytes).map_err(|e| e.at(start))?;
            check_size(number, &header, nbytes).map_err(|e| e.at(start))?;
        }
        Ok(bytes)
    }

    /// Fails unless every chunk matches its checksum and size and, in version 3, starts where the offsets and the
    /// chunk before it say. Chunks are not decompressed.
    fn verify(&self) -> Result<()> {
        let mut next = self.beginning.end;
        for (number, start) in self.beginning.starts.iter().enumerate() {
            if self.version() == 3 && *start != next {
                return Err(Error::malformed(format!(
                    "chunk {number} starts at {start} by its offset, but at {next} after the chunk before it"
                )));
            }
            next = start + (self.chunk(number as u64)?.len() + self.checksum().size()) as u64;
        }
        Ok(())
    }

    fn has_checksums(&self) -> bool {
        self.checksum() != Digest::None
    }

    fn commit(&mut self, edit: Edit) -> Result<()> {
        let Some(path) = self.path.clone() else {
            return Err(Error::unsupported(
                "a Bloscpack file can be changed only if it is opened by its path",
            ));
        };
        if let Some(plan) = append::FileEdit::new(self, edit)? {
            plan.write(self, &path)?;
            *self = Self::open_path(&path)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Bloscpack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bloscpack")
            .field("path", &self.path)
            .field("header", &self.beginning.header)
            .field("layout", &self.layout)
            .finish_non_exhaustive()
    }
}

/// Fails unless the uncompressed size of a chunk is `nbytes`.
fn check_size(number: u64, header: &chunk::Header, nbytes: u64) -> Result<()> {
    if u64::from(header.nbytes) == nbytes {
        return Ok(());
    }
    let found = format!("chunk {number} is of {} bytes, not of {nbytes}", header.nbytes);
    Err(Error::malformed(found))
}

fn layout(beginning: &Beginning, described: Option<&Described>) -> Result<Layout> {
    let count = beginning.starts.len();
    let total = beginning.sizes.ends(count).last().unwrap_or(0);
    let metadata = beginning.metadata.as_ref();
    let attributes =
        metadata.map_or_else(Default::default, |m| numpy::attributes(m, described.is_some()));
    let (dtype, shape, order) = match described {
        Some(Described { dtype, shape, order }) => (dtype.clone(), shape.clone(), *order),
        None => (Dtype::new(DtypeKind::UInt, 1), vec![total], Order::C),
    };
    let nbytes = described.map_or(Ok(total), Described::nbytes)?;
    if nbytes > total {
        return Err(Error::malformed(format!(
            "an array of {nbytes} bytes in chunks of {total} bytes together"
        )));
    }
    let chunking = match &beginning.sizes {
        Sizes::Uneven(_) => Chunking::Varied { ends: beginning.sizes.ends(count).collect() },
        Sizes::Even { chunk, .. } if count > 1 => Chunking::Flat { chunk_bytes: (*chunk).max(1) },
        Sizes::Even { chunk, .. } => {
            let size = dtype.size.max(1) as u64;
            Chunking::Flat { chunk_bytes: (ONE_CHUNK / size * size).max(size).max(*chunk) }
        }
    };
    Ok(Layout { dtype, shape, order, chunking, chunks: count as u64, fill: Vec::new(), attributes })
}

/// As the first chunk was written, as far as it shows that; how hard the compressor tried, it does not.
fn params(source: &impl ReadAt, file_len: u64, beginning: &Beginning) -> Params {
    let mut params = Params::new(Generation::Blosc1, beginning.header.typesize.max(1));
    let first = beginning.starts.first();
    let header = first.and_then(|first| offsets::chunk_header(source, file_len, *first).ok());
    if let Some(header) = header.filter(|header| header.generation() == Generation::Blosc1)
        && let (Ok(compressor), Ok(filters)) = (header.compressor(), header.filters())
    {
        params.compressor = compressor;
        params.filters = filters;
        // Version 1 has no typesize in its own header.
        params.typesize = match beginning.header.typesize {
            0 => header.typesize.max(1),
            typesize => typesize,
        };
    }
    params
}

#[cfg(test)]
mod tests;
