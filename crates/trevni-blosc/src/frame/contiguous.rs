//! Contiguous frames: one file.
//!
//! ```text
//! header | chunk | chunk | ... | index | trailer |
//!        └─────── cbytes ──────┘                 └ frame_len
//!
//! header | chunk | hole  | ... | hole            | new chunk | ... | new index | new trailer |
//!        └─────────────────── cbytes ──────────────────────────────┘           frame_len ────┘
//! ```
//! The second drawing is the same file after a commit: nothing that the old header refers to is overwritten, and
//! then the header is, in one write. Unused bytes are holes; when holes are half of the file it is rewritten.

mod fetch;
mod write_edit;

use std::fs::File;
use std::ops::Range;
use std::path::PathBuf;

use bytes::Bytes;

use super::edit::{Change, FrameEdit};
use super::header::FrameHeader;
use super::index::{Index, Slot};
use super::metalayer::Metalayer;
use super::stored_object;
use super::superchunk::SuperChunk;
use crate::array::{Attributes, Container, Edit, Layout};
use crate::buffers::Source;
use crate::chunk::{Header, Params};
use crate::frame::contiguous::write_edit::{Placed, write_anew, write_behind};
use fetch::{Area, Head, fetch, fetch_header, heads};
use trevni::io::ReadAt;
use trevni::{Error, Result};

/// A frame in one file.
///
/// ```
/// # use trevni_blosc::{Container, frame::ContiguousFrame};
/// let empty = b"\x9e\xa8b2frame\0\xd2\0\0\0\x61\xcf\0\0\0\0\0\0\0\x84\xa4\x12\0\x51\x02\xd3\0\0\0\0\0\0\0\0\
///     \xd3\0\0\0\0\0\0\0\0\xd2\0\0\0\x08\xd2\0\0\0\0\xd2\xff\xff\xff\xff\xd1\0\x01\xd1\0\x02\xc2\
///     \xd8\x06\0\0\0\0\0\x01\x01\0\0\0\0\0\0\0\0\0\x93\xcd\0\x07\xde\0\0\xdc\0\0\
///     \x94\x01\x93\xcd\0\x06\xde\0\0\xdc\0\0\xce\0\0\0\x23\xd8\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
/// let frame = ContiguousFrame::from_source(bytes::Bytes::from_static(empty))?;
/// assert_eq!((frame.layout().chunks, frame.params().typesize), (0, 8));
/// # Ok::<(), trevni::Error>(())
/// ```
#[derive(Debug)]
pub struct ContiguousFrame {
    source: Source,
    /// That of the file, if it was opened by it.
    path: Option<PathBuf>,
    frame: SuperChunk,
    /// The stored size of each chunk, once a commit needs it.
    lens: Option<Vec<u32>>,
}

impl ContiguousFrame {
    /// Opens the frame in a file, which can then be changed.
    ///
    /// # Errors
    /// `Io`, `Malformed`, or `Unsupported` for plugins and versions that are not known here.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self> {
        let path = path.into();
        let file = File::open(&path)?;
        Self::read(Source::file(file), Some(path))
    }

    /// Opens the frame at the start of a source, which cannot be changed.
    ///
    /// # Errors
    /// Those of [`open`](Self::open).
    pub fn from_source(source: impl ReadAt + 'static) -> Result<Self> {
        Self::read(Source::Other(Box::new(source)), None)
    }

    fn read(source: Source, path: Option<PathBuf>) -> Result<Self> {
        let parts = fetch(&source)?;
        let mut lens = None;
        let mut sizes = Vec::new();
        if parts.heads() > 0 {
            let heads = heads(&source, &parts.header, &parts.index)?;
            sizes = heads.iter().map(Head::size).collect::<Result<_>>()?;
            lens = Some(heads.iter().map(Head::len).collect());
        }
        Ok(Self { source, path, frame: parts.with_sizes(sizes)?, lens })
    }

    /// Returns the fixed metalayers of the header, whatever is in them.
    pub fn metalayers(&self) -> &[Metalayer] {
        &self.frame.header.metalayers
    }

    /// Returns the object of python-blosc2 that the frame stores, in words, unless its elements are the values.
    pub fn stored_object(&self) -> Option<String> {
        stored_object::name(&self.frame)
    }

    /// Returns the header.
    pub fn header(&self) -> &FrameHeader {
        &self.frame.header
    }

    /// Returns the index.
    pub fn index(&self) -> &Index {
        &self.frame.index
    }

    /// Appends a chunk.
    ///
    /// # Errors
    /// `Invalid` for arrays of several dimensions and bytes that are no chunk, `Unsupported` if this frame cannot
    /// change.
    pub fn append_chunk(&mut self, chunk: &[u8]) -> Result<()> {
        self.insert_chunk(self.frame.layout.chunks, chunk)
    }

    /// Puts a chunk before the one of that number. If another than the last has then another size than all others,
    /// the frame becomes one of chunks that differ in size, which C-Blosc2 reads from version 3 on.
    ///
    /// # Errors
    /// Those of [`append_chunk`](Self::append_chunk).
    pub fn insert_chunk(&mut self, number: u64, chunk: &[u8]) -> Result<()> {
        let change = Change::insert(&self.frame, number, chunk)?;
        self.make(&FrameEdit::new(&self.frame, change)?)
    }

    /// Replaces a chunk.
    ///
    /// # Errors
    /// Those of [`append_chunk`](Self::append_chunk); arrays of several dimensions take chunks of the same size.
    pub fn update_chunk(&mut self, number: u64, chunk: &[u8]) -> Result<()> {
        let change = Change::update(&self.frame, number, chunk)?;
        self.make(&FrameEdit::new(&self.frame, change)?)
    }

    /// Takes a chunk out.
    ///
    /// # Errors
    /// Those of [`append_chunk`](Self::append_chunk).
    pub fn delete_chunk(&mut self, number: u64) -> Result<()> {
        let change = Change::delete(&self.frame, number)?;
        self.make(&FrameEdit::new(&self.frame, change)?)
    }

    /// Hangs other attributes on the frame.
    ///
    /// # Errors
    /// `Invalid` if there are more than 16, or a name is longer than 31 bytes; `Unsupported` if this frame cannot
    /// change.
    pub fn set_attributes(&mut self, attributes: &Attributes) -> Result<()> {
        let change = Change::attributes(&self.frame, attributes);
        self.make(&FrameEdit::new(&self.frame, change)?)
    }

    fn make(&mut self, plan: &FrameEdit<'_>) -> Result<()> {
        let Some(path) = &self.path else {
            let text = "this frame was opened from bytes, not from a file that can be changed";
            return Err(Error::unsupported(text));
        };
        if fetch_header(&File::open(path)?)? != self.frame.header {
            return Err(Error::invalid("the frame has changed since it was opened"));
        }
        let lens = match &self.lens {
            Some(lens) => lens.clone(),
            None => {
                let heads = heads(&self.source, &self.frame.header, &self.frame.index)?;
                heads.iter().map(Head::len).collect()
            }
        };
        let placed = Placed::new(&self.frame, &lens, plan)?;
        match placed.rewritten {
            true => write_anew(path, &self.source, &self.frame, &placed, plan)?,
            false => write_behind(path, &self.frame, &placed, plan)?,
        }
        if placed.rewritten {
            self.source = Source::file(File::open(path)?);
        }
        (self.frame, self.lens) = (placed.frame, Some(placed.lens));
        Ok(())
    }
}

impl Container for ContiguousFrame {
    fn layout(&self) -> &Layout {
        &self.frame.layout
    }

    fn params(&self) -> &Params {
        &self.frame.params
    }

    fn chunk(&self, number: u64) -> Result<Bytes> {
        let (slot, nbytes) = self.frame.slot(number)?;
        let at = match slot {
            Slot::Special(kind) => return Ok(self.frame.special(kind, nbytes)),
            Slot::At(at) => at,
        };
        let area = Area::of(&self.frame.header);
        let first = area.guess(&self.frame.index, number, at, nbytes);
        let mut bytes = area.read(&self.source, at, first)?;
        let cbytes = u64::from(Header::parse(&bytes)?.cbytes);
        if cbytes > first {
            bytes = area.read(&self.source, at, cbytes)?;
        }
        SuperChunk::check(number, nbytes, &bytes).map(|()| bytes)
    }

    fn chunk_part(&self, number: u64, range: Range<u64>) -> Result<Bytes> {
        let (slot, nbytes) = self.frame.slot(number)?;
        let Slot::At(at) = slot else { return self.chunk(number) };
        let bytes = Area::of(&self.frame.header).read_part(&self.source, at, &range)?;
        if range.start == 0 {
            SuperChunk::check_size(number, nbytes, &Header::parse(&bytes)?)?;
        }
        Ok(bytes)
    }

    fn commit(&mut self, edit: Edit) -> Result<()> {
        let change = Change::of(&edit, self.frame.layout.chunks)?;
        self.make(&FrameEdit::new(&self.frame, change)?)
    }
}
