//! The interface of a container: its layout, reading chunks, edits, and building a new one.
//!
//! ```text
//! rows ──► ChunkedArray ──► Container   chunk(n) ──► stored bytes         Edit ──► all of it or nothing
//!          ArrayWriter  ──► Build       push(chunk), ..., finish
//! ```

use std::ops::Range;

use bytes::Bytes;
use serde_json::{Map, Value};

use super::chunk::Params;
use super::dtype::Dtype;
use trevni::Result;

/// What a user has hung on an array: names and JSON values, in order.
pub type Attributes = Map<String, Value>;

/// Which index of an array of several dimensions runs fastest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The last.
    C,
    /// The first (Fortran).
    F,
}

/// How the bytes of an array are cut into chunks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chunking {
    /// The flat bytes of the array, in runs of equal size. The last run may be shorter, and its chunk may be longer
    /// than the rest of the array.
    Flat {
        /// The size of a run in bytes; at least 1.
        chunk_bytes: u64,
    },
    /// The flat bytes of the array, in runs that end here; as many as there are chunks, ascending.
    Varied {
        /// Where each chunk ends, in bytes.
        ends: Vec<u64>,
    },
    /// A grid of boxes: every chunk holds `chunk_shape` elements, of those past the array's edge too, in row-major
    /// order of its blocks, each of `block_shape` elements in row-major order, those past the chunk's edge too.
    /// Chunks are numbered in row-major order.
    Grid {
        /// Elements of a chunk along each dimension.
        chunk_shape: Vec<u64>,
        /// Elements of a block along each dimension.
        block_shape: Vec<u64>,
    },
}

/// What an array is, whatever holds it.
#[derive(Debug, Clone)]
pub struct Layout {
    /// The type of its elements. A container without types has bytes: `UInt` of 1 byte, or `Void` of the typesize.
    pub dtype: Dtype,
    /// Its shape; the first is the number of rows. Without any, one element.
    pub shape: Vec<u64>,
    /// Which index runs fastest.
    pub order: Order,
    /// How it is cut.
    pub chunking: Chunking,
    /// How many chunks there are.
    pub chunks: u64,
    /// The bytes of the element that growing fills with; empty: zeros.
    pub fill: Vec<u8>,
    /// What users have hung on it.
    pub attributes: Attributes,
}

/// A change of an array: new chunks, and the new shape. It is applied completely or not at all.
#[derive(Debug, Clone)]
pub struct Edit {
    /// Chunks by number, ascending; those at or past the old end are new.
    pub chunks: Vec<(u64, Vec<u8>)>,
    /// How many chunks there are then; those past it are dropped.
    pub count: u64,
    /// The shape then.
    pub shape: Vec<u64>,
    /// The attributes then, if they change.
    pub attributes: Option<Attributes>,
}

/// The interface of a container of chunks, which all files and directories implement.
pub trait Container: Send + Sync + std::fmt::Debug {
    /// Returns the layout of the array.
    fn layout(&self) -> &Layout;

    /// Returns how its chunks are written.
    fn params(&self) -> &Params;

    /// Returns the stored bytes of a chunk. For a special chunk that is not stored, this is its header. Only the
    /// first `Header::cbytes` bytes are used.
    fn chunk(&self, number: u64) -> Result<Bytes>;

    /// Returns the bytes of a [`chunk`](Self::chunk) in `range`, as far as they exist, and the bytes after them if
    /// they were read too. A range from 0 includes a header that is valid for this chunk.
    fn chunk_part(&self, number: u64, range: Range<u64>) -> Result<Bytes> {
        let chunk = self.chunk(number)?;
        let start = usize::try_from(range.start).unwrap_or(usize::MAX);
        Ok(chunk.slice(start.min(chunk.len())..))
    }

    /// Verifies everything that chunks do not verify themselves, such as tables that must agree.
    fn verify(&self) -> Result<()> {
        Ok(())
    }

    /// Returns whether [`verify`](Self::verify) compares the bytes of all chunks with checksums.
    fn has_checksums(&self) -> bool {
        false
    }

    /// Makes a change so that a crash at any point leaves the old array or the new one. An error leaves the old.
    /// `Unsupported`, in words that a user understands, if this container cannot change so.
    fn commit(&mut self, edit: Edit) -> Result<()>;
}

/// A container in the making.
pub trait Build: Send {
    /// Takes the next chunk.
    fn push(&mut self, chunk: &[u8]) -> Result<()>;

    /// Writes the metadata and commits the container. A builder that is dropped before leaves nothing behind.
    fn finish(self: Box<Self>, shape: &[u64], attributes: &Attributes) -> Result<()>;
}
