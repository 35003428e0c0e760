//! Sparse frames: a directory with one file per chunk.
//!
//! ```text
//! chunks.b2frame    header | index | trailer       the index holds names of files, not offsets
//! 00000000.chunk    one chunk
//! 0000002E.chunk    one chunk: number 46, in upper case
//! ```
//! A commit writes new files only, under numbers that the old index does not name, then replaces `chunks.b2frame`,
//! and then removes the files that are no longer named. A crash before the last step leaves unnamed files, which
//! the next commit overwrites.

mod commit;

use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};

use bytes::Bytes;

pub(super) use commit::{sync_directory, write_chunk};

use super::edit::{Change, FrameEdit};
use super::header::FrameHeader;
use super::index::{Index, Slot};
use super::metalayer::Metalayer;
use super::special;
use super::stored_object;
use super::superchunk::{Parts, SuperChunk};
use crate::array::{Attributes, Container, Edit, Layout};
use crate::buffers::Buffers;
use crate::chunk::{Header, Params};
use trevni::{Error, Result};

/// The key of the header, index and trailer.
pub const INDEX_KEY: &str = "chunks.b2frame";

/// Returns the key of a chunk.
pub(super) fn chunk_key(id: u64) -> Option<String> {
    u32::try_from(id).ok().map(|id| format!("{id:08X}.chunk"))
}

/// Where the files of a sparse frame are: a directory, or any store of bytes by key.
pub trait Keys: Send + Sync + std::fmt::Debug {
    /// Returns all bytes of a key.
    ///
    /// # Errors
    /// `Io`, that there is no such key among others.
    fn get(&self, key: &str) -> Result<Bytes>;

    /// Returns the first bytes of a key, at least `len` unless it is shorter.
    ///
    /// # Errors
    /// Those of [`get`](Self::get).
    fn get_start(&self, key: &str, len: usize) -> Result<Bytes> {
        let bytes = self.get(key)?;
        Ok(bytes.slice(..len.min(bytes.len())))
    }

    /// Returns the bytes of a key in `range`, as far as they exist, and the bytes after them if they are as cheap.
    ///
    /// # Errors
    /// Those of [`get`](Self::get).
    fn get_part(&self, key: &str, range: Range<u64>) -> Result<Bytes> {
        let bytes = self.get(key)?;
        let start = usize::try_from(range.start).unwrap_or(usize::MAX);
        Ok(bytes.slice(start.min(bytes.len())..))
    }
}

/// The files of a directory.
#[derive(Debug)]
struct Directory {
    path: PathBuf,
    buffers: Buffers,
}

impl Directory {
    fn open(&self, key: &str) -> std::io::Result<File> {
        File::open(self.path.join(key))
    }
}

impl Keys for Directory {
    fn get(&self, key: &str) -> Result<Bytes> {
        Ok(self.buffers.read_part(&self.open(key)?, &(0..u64::MAX))?)
    }

    fn get_start(&self, key: &str, len: usize) -> Result<Bytes> {
        use std::io::Read;
        let mut start = Vec::new();
        self.open(key)?.take(len as u64).read_to_end(&mut start)?;
        Ok(start.into())
    }

    fn get_part(&self, key: &str, range: Range<u64>) -> Result<Bytes> {
        Ok(self.buffers.read_part(&self.open(key)?, &range)?)
    }
}

/// The content of `chunks.b2frame`: everything that is needed to fetch chunks by key. It does no IO.
#[derive(Debug)]
pub struct SparseIndex {
    parts: Parts,
}

impl SparseIndex {
    /// Returns the keys of which 32 bytes each must be fetched for [`with_heads`](Self::with_heads): none, unless
    /// chunks differ in size.
    ///
    /// # Errors
    /// `Malformed` if a chunk has no key then.
    pub fn heads(&self) -> Result<Vec<String>> {
        let text = "a special chunk in a frame whose chunks differ in size";
        let key = |number| match self.parts.index.slot(number) {
            Some(Slot::At(id)) => chunk_key(id).ok_or_else(|| no_key(id)),
            _ => Err(Error::malformed(text)),
        };
        (0..self.parts.heads()).map(key).collect()
    }

    /// Returns the frame, from the starts of its chunks.
    ///
    /// # Errors
    /// `Malformed`, or `Unsupported`; `Invalid` if there are not as many as [`heads`](Self::heads) asks for.
    pub fn with_heads(self, heads: &[Bytes]) -> Result<SparseLayout> {
        let size = |head: &Bytes| Header::parse(head).map(|header| header.nbytes);
        let sizes = heads.iter().map(size).collect::<Result<_>>()?;
        let frame = self.parts.with_sizes(sizes)?;
        let id = |slot| match slot {
            Slot::At(id) => Some(id).filter(|id| chunk_key(*id).is_none()),
            Slot::Special(_) => None,
        };
        let nameless = frame.index.slots().find_map(id);
        nameless.map_or(Ok(SparseLayout { frame }), |id| Err(no_key(id)))
    }
}

fn no_key(id: u64) -> Error {
    Error::malformed(format!("a chunk of number {id} in a sparse frame"))
}

/// A sparse frame without its chunks.
#[derive(Debug, Clone)]
pub struct SparseLayout {
    frame: SuperChunk,
}

impl SparseLayout {
    /// Returns the layout of the array.
    pub fn layout(&self) -> &Layout {
        &self.frame.layout
    }

    /// Returns how its chunks are written.
    pub fn params(&self) -> &Params {
        &self.frame.params
    }

    /// Returns the key of a chunk; none if its values are all alike, see [`special`](Self::special).
    ///
    /// # Errors
    /// `Invalid` if there is no chunk of that number.
    pub fn chunk_key(&self, number: u64) -> Result<Option<String>> {
        match self.frame.slot(number)? {
            (Slot::At(id), _) => Ok(chunk_key(id)),
            (Slot::Special(_), _) => Ok(None),
        }
    }

    /// Returns the header of a chunk without a key.
    ///
    /// # Errors
    /// `Invalid` if there is no chunk of that number.
    pub fn special(&self, number: u64) -> Result<Option<Bytes>> {
        match self.frame.slot(number)? {
            (Slot::At(_), _) => Ok(None),
            (Slot::Special(kind), nbytes) => Ok(Some(self.frame.special(kind, nbytes))),
        }
    }

    /// Checks the bytes of a key against the index.
    ///
    /// # Errors
    /// `Malformed` if they differ, `Invalid` if there is no chunk of that number.
    pub fn check(&self, number: u64, chunk: &[u8]) -> Result<()> {
        let (_, nbytes) = self.frame.slot(number)?;
        SuperChunk::check(number, nbytes, chunk)
    }
}

/// A frame in a directory, or in any store of bytes by key.
#[derive(Debug)]
pub struct SparseFrame {
    keys: Box<dyn Keys>,
    directory: Option<PathBuf>,
    index: SparseLayout,
}

impl SparseFrame {
    /// Opens the frame in a directory, which can then be changed.
    ///
    /// # Errors
    /// `Io`, `Malformed`, or `Unsupported` for plugins and versions that are not known here.
    pub fn open(directory: impl Into<PathBuf>) -> Result<Self> {
        let directory = directory.into();
        let mut frame =
            Self::from_keys(Directory { path: directory.clone(), buffers: Buffers::default() })?;
        frame.directory = Some(directory);
        Ok(frame)
    }

    /// Opens the frame of a store, which cannot be changed.
    ///
    /// # Errors
    /// Those of [`open`](Self::open).
    pub fn from_keys(keys: impl Keys + 'static) -> Result<Self> {
        let index = Self::parse(&keys.get(INDEX_KEY)?)?;
        let start = |key: String| keys.get_start(&key, special::HEADER);
        let heads = index.heads()?.into_iter().map(start).collect::<Result<Vec<_>>>()?;
        Ok(Self { index: index.with_heads(&heads)?, keys: Box::new(keys), directory: None })
    }

    /// Returns the bytes of `chunks.b2frame`.
    ///
    /// # Errors
    /// `Malformed`, or `Unsupported` for versions that are not known here.
    pub fn parse(bytes: &Bytes) -> Result<SparseIndex> {
        let header = FrameHeader::parse(bytes)?;
        if !header.sparse {
            return Err(Error::malformed("a contiguous frame where a sparse frame has its index"));
        }
        let start = usize::try_from(header.header_len).unwrap_or(usize::MAX);
        let end = usize::try_from(header.frame_len).unwrap_or(usize::MAX);
        if end > bytes.len() || start > end {
            let text = format!("{INDEX_KEY} of {} bytes, not {end}", bytes.len());
            return Err(Error::malformed(text));
        }
        Ok(SparseIndex { parts: Parts::parse(header, &bytes.slice(start..end))? })
    }

    /// Returns the fixed metalayers of the header, whatever is in them.
    pub fn metalayers(&self) -> &[Metalayer] {
        &self.index.frame.header.metalayers
    }

    /// Returns the header.
    pub fn header(&self) -> &FrameHeader {
        &self.index.frame.header
    }

    /// Returns the object of python-blosc2 that the frame stores, in words, unless its elements are the values.
    pub fn stored_object(&self) -> Option<String> {
        stored_object::name(&self.index.frame)
    }

    /// Returns the index.
    pub fn index(&self) -> &Index {
        &self.index.frame.index
    }

    /// Appends a chunk.
    ///
    /// # Errors
    /// `Invalid` for arrays of several dimensions and bytes that are no chunk, `Unsupported` if this frame cannot
    /// change.
    pub fn append_chunk(&mut self, chunk: &[u8]) -> Result<()> {
        self.insert_chunk(self.index.layout().chunks, chunk)
    }

    /// Puts a chunk before the one of that number. If another than the last has then another size than all others,
    /// the frame becomes one of chunks that differ in size, which C-Blosc2 reads from version 3 on.
    ///
    /// # Errors
    /// Those of [`append_chunk`](Self::append_chunk).
    pub fn insert_chunk(&mut self, number: u64, chunk: &[u8]) -> Result<()> {
        let change = Change::insert(&self.index.frame, number, chunk)?;
        self.make(&FrameEdit::new(&self.index.frame, change)?)
    }

    /// Replaces a chunk.
    ///
    /// # Errors
    /// Those of [`append_chunk`](Self::append_chunk); arrays of several dimensions take chunks of the same size.
    pub fn update_chunk(&mut self, number: u64, chunk: &[u8]) -> Result<()> {
        let change = Change::update(&self.index.frame, number, chunk)?;
        self.make(&FrameEdit::new(&self.index.frame, change)?)
    }

    /// Takes a chunk out.
    ///
    /// # Errors
    /// Those of [`append_chunk`](Self::append_chunk).
    pub fn delete_chunk(&mut self, number: u64) -> Result<()> {
        let change = Change::delete(&self.index.frame, number)?;
        self.make(&FrameEdit::new(&self.index.frame, change)?)
    }

    /// Hangs other attributes on the frame.
    ///
    /// # Errors
    /// `Invalid` if there are more than 16, or a name is longer than 31 bytes; `Unsupported` if this frame cannot
    /// change.
    pub fn set_attributes(&mut self, attributes: &Attributes) -> Result<()> {
        let change = Change::attributes(&self.index.frame, attributes);
        self.make(&FrameEdit::new(&self.index.frame, change)?)
    }

    fn make(&mut self, plan: &FrameEdit<'_>) -> Result<()> {
        let Some(directory) = self.directory.as_deref() else {
            return Err(Error::unsupported("this frame was not opened from a directory"));
        };
        let len = usize::try_from(self.header().header_len).unwrap_or(usize::MAX);
        let header = FrameHeader::parse(&self.keys.get_start(INDEX_KEY, len)?)?;
        if header != self.index.frame.header {
            return Err(Error::invalid("the frame has changed since it was opened"));
        }
        self.index.frame = commit::make(directory, &*self.keys, &self.index.frame, plan)?;
        Ok(())
    }

    /// Returns the directory, if there is one.
    pub fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }
}

impl Container for SparseFrame {
    fn layout(&self) -> &Layout {
        self.index.layout()
    }

    fn params(&self) -> &Params {
        self.index.params()
    }

    fn chunk(&self, number: u64) -> Result<Bytes> {
        let Some(key) = self.index.chunk_key(number)? else {
            return Ok(self.index.special(number)?.unwrap_or_default());
        };
        let chunk = self.keys.get(&key)?;
        self.index.check(number, &chunk).map(|()| chunk)
    }

    fn chunk_part(&self, number: u64, range: Range<u64>) -> Result<Bytes> {
        let Some(key) = self.index.chunk_key(number)? else { return self.chunk(number) };
        let is_head = range.start == 0;
        let bytes = self.keys.get_part(&key, range)?;
        if is_head {
            let (_, nbytes) = self.index.frame.slot(number)?;
            SuperChunk::check_size(number, nbytes, &Header::parse(&bytes)?)?;
        }
        Ok(bytes)
    }

    fn commit(&mut self, edit: Edit) -> Result<()> {
        let change = Change::of(&edit, self.index.layout().chunks)?;
        self.make(&FrameEdit::new(&self.index.frame, change)?)
    }
}
