//! The metadata of a super-chunk.
//!
//! ```text
//! header ──► how chunks are written, nbytes, chunksize ──┐
//! index  ──► a slot for each chunk                       ├──► Layout
//! trailer ─► attributes        metalayer b2nd ──► grid ──┘
//! ```

use bytes::Bytes;

use super::attributes;
use super::b2nd::{self, B2nd};
use super::header::FrameHeader;
use super::index::{Index, Slot};
use super::trailer::Trailer;
use crate::array::{Chunking, Layout, Order};
use crate::chunk::{self, Header, Params};
use trevni::{Error, Result};

/// Bytes of a chunk of a super-chunk that never had one.
const CHUNK: u64 = 1 << 20;

/// The uncompressed size of each chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Sizes {
    /// One size, and the size of the last.
    Fixed {
        /// Of each but the last.
        each: u32,
        /// Of the last.
        last: u32,
    },
    /// Each its own.
    Varied(Vec<u32>),
}

impl Sizes {
    /// Creates the sizes of chunks: `fixed`, unless a chunk other than the last differs from it.
    pub(super) fn of(fixed: u32, sizes: Vec<u32>) -> Self {
        let alike = sizes.split_last().is_none_or(|(last, others)| {
            *last <= fixed && others.iter().all(|size| *size == fixed)
        });
        match sizes.last() {
            Some(last) if alike => Sizes::Fixed { each: fixed, last: *last },
            None => Sizes::Fixed { each: fixed, last: fixed },
            _ => Sizes::Varied(sizes),
        }
    }

    /// Returns the size of a chunk of `count`.
    pub(super) fn get(&self, number: u64, count: u64) -> Option<u32> {
        match self {
            Sizes::Fixed { last, .. } if number.checked_add(1) == Some(count) => Some(*last),
            Sizes::Fixed { each, .. } => (number < count).then_some(*each),
            Sizes::Varied(sizes) => sizes.get(usize::try_from(number).ok()?).copied(),
        }
    }
}

/// A frame without its chunks.
#[derive(Debug, Clone)]
pub(super) struct SuperChunk {
    pub(super) header: FrameHeader,
    pub(super) index: Index,
    pub(super) sizes: Sizes,
    pub(super) trailer: Trailer,
    pub(super) grid: Option<B2nd>,
    pub(super) layout: Layout,
    pub(super) params: Params,
}

/// A frame whose chunks may differ in size, so that their heads must be read before it is known how they cut the array.
#[derive(Debug)]
pub(super) struct Parts {
    pub(super) header: FrameHeader,
    pub(super) index: Index,
    pub(super) trailer: Trailer,
}

impl Parts {
    /// Parses a frame: its header, and the bytes from its index (or from its trailer, if it has no bytes).
    pub(super) fn parse(header: FrameHeader, behind: &Bytes) -> Result<Self> {
        let trailer = Trailer::len_at_end(behind)?;
        let split = behind.len().checked_sub(trailer).ok_or_else(|| {
            Error::malformed(format!("trailer of {trailer} bytes, but {} are there", behind.len()))
        })?;
        let index = match header.nbytes {
            0 => Index::default(),
            _ => Index::decode(&behind.slice(..split))?,
        };
        let trailer = Trailer::parse(&behind.slice(split..))?;
        Ok(Self { header, index, trailer })
    }

    /// Returns the numbers of the chunks whose heads must be read.
    pub(super) fn heads(&self) -> u64 {
        if self.header.is_variable() { self.index.len() as u64 } else { 0 }
    }

    /// Returns the frame with the sizes of its chunks, which are needed only if [`heads`](Self::heads) asks for
    /// them.
    pub(super) fn with_sizes(self, sizes: Vec<u32>) -> Result<SuperChunk> {
        let Self { header, index, trailer } = self;
        let sizes = match header.is_variable() && header.nbytes > 0 {
            true => varied(&header, &index, sizes)?,
            false => fixed(&header, &index)?,
        };
        SuperChunk::new(header, index, sizes, trailer)
    }
}

fn fixed(header: &FrameHeader, index: &Index) -> Result<Sizes> {
    let each = match u32::try_from(header.chunk_size) {
        Ok(0) | Err(_) => return Ok(Sizes::Fixed { each: 0, last: 0 }),
        Ok(each) => each,
    };
    let count = header.nbytes.div_ceil(each.into());
    if count != index.len() as u64 {
        let text = format!("an index of {} chunks, but a header of {count}", index.len());
        return Err(Error::malformed(text));
    }
    let before = count.saturating_sub(1) * u64::from(each);
    Ok(Sizes::Fixed { each, last: u32::try_from(header.nbytes - before).unwrap_or(each) })
}

fn varied(header: &FrameHeader, index: &Index, sizes: Vec<u32>) -> Result<Sizes> {
    if sizes.len() != index.len() {
        let text = format!("{} sizes for {} chunks", sizes.len(), index.len());
        return Err(Error::invalid(text));
    }
    let total: u64 = sizes.iter().copied().map(u64::from).sum();
    if total != header.nbytes {
        let text = format!("chunks of {total} bytes in a frame of {}", header.nbytes);
        return Err(Error::malformed(text));
    }
    Ok(Sizes::Varied(sizes))
}

impl SuperChunk {
    pub(super) fn new(
        header: FrameHeader,
        index: Index,
        sizes: Sizes,
        trailer: Trailer,
    ) -> Result<Self> {
        let mut params = header.params()?;
        let grid = grid_of(&header, &index)?;
        if let Some(grid) = &grid {
            // Other readers find a block of the array by the size of blocks.
            let bytes = grid.block_elements()?.saturating_mul(header.typesize.into());
            params.block_size = u32::try_from(bytes).unwrap_or(params.block_size);
        }
        let layout = layout_of(&header, &index, &sizes, grid.as_ref(), &trailer)?;
        Ok(Self { header, index, sizes, trailer, grid, layout, params })
    }

    /// Returns the position of a chunk and its uncompressed size.
    pub(super) fn slot(&self, number: u64) -> Result<(Slot, u32)> {
        let count = self.index.len() as u64;
        self.index
            .slot(number)
            .zip(self.sizes.get(number, count))
            .ok_or_else(|| Error::invalid(format!("chunk {number} of a frame that has {count}")))
    }

    /// Returns the chunk of a special slot.
    pub(super) fn special(&self, kind: chunk::Special, nbytes: u32) -> Bytes {
        chunk::special(kind, nbytes, self.params.typesize).into()
    }

    /// Checks the uncompressed size of a chunk against the frame.
    pub(super) fn check_size(number: u64, nbytes: u32, header: &Header) -> Result<()> {
        if header.nbytes == nbytes {
            return Ok(());
        }
        let text = format!("chunk {number} decompresses to {} bytes, not {nbytes}", header.nbytes);
        Err(Error::malformed(text))
    }

    /// Checks a chunk against the frame.
    pub(super) fn check(number: u64, nbytes: u32, chunk: &[u8]) -> Result<()> {
        let header = Header::parse(chunk)?;
        Self::check_size(number, nbytes, &header)?;
        let there = chunk.len() as u64;
        if u64::from(header.cbytes) > there {
            let text = format!("chunk {number} of {} bytes, but {there} are there", header.cbytes);
            return Err(Error::malformed(text));
        }
        Ok(())
    }
}

fn grid_of(header: &FrameHeader, index: &Index) -> Result<Option<B2nd>> {
    let named = |name| header.metalayers.iter().find(move |layer| layer.name == name);
    let mut grid = match (named(b2nd::NAME), named(b2nd::OLD_NAME)) {
        (Some(layer), _) => B2nd::parse(&layer.content)?,
        // The old name is taken by others too, for content of their own.
        (None, Some(layer)) => match B2nd::parse(&layer.content) {
            Ok(grid) => grid,
            Err(_) => return Ok(None),
        },
        (None, None) => return Ok(None),
    };
    let (chunks, count) = (grid.chunks()?, index.len() as u64);
    if chunks != count {
        let text = format!("a grid of {chunks} chunks, but an index of {count}");
        return Err(Error::malformed(text));
    }
    if count == 0 {
        grid.make_room(header.typesize);
    }
    let bytes = grid.chunk_elements()?.checked_mul(header.typesize.into());
    let bytes = bytes.filter(|bytes| *bytes <= chunk::MAX_NBYTES as u64);
    match bytes {
        Some(bytes) if count == 0 || i64::from(header.chunk_size).cast_unsigned() == bytes => {
            Ok(Some(grid))
        }
        _ => Err(Error::malformed(format!(
            "chunks of {} bytes, but {:?} of {} bytes each",
            header.chunk_size, grid.chunk_shape, header.typesize
        ))),
    }
}

fn layout_of(
    header: &FrameHeader,
    index: &Index,
    sizes: &Sizes,
    grid: Option<&B2nd>,
    trailer: &Trailer,
) -> Result<Layout> {
    let (dtype, shape, chunking) = match grid {
        Some(grid) => {
            let wide = |edges: &[u32]| edges.iter().copied().map(u64::from).collect();
            let chunking = Chunking::Grid {
                chunk_shape: wide(&grid.chunk_shape),
                block_shape: wide(&grid.block_shape),
            };
            (grid.element(header.typesize)?, grid.shape.clone(), chunking)
        }
        None => {
            let size = header.element_size();
            let dtype = b2nd::bytes_of(usize::try_from(size).unwrap_or(usize::MAX));
            (dtype, vec![header.nbytes / u64::from(size)], flat(header, sizes))
        }
    };
    Ok(Layout {
        dtype,
        shape,
        order: Order::C,
        chunking,
        chunks: index.len() as u64,
        fill: Vec::new(),
        attributes: attributes::open(&trailer.metalayers)?,
    })
}

fn flat(header: &FrameHeader, sizes: &Sizes) -> Chunking {
    match sizes {
        Sizes::Fixed { each: 0, .. } => {
            let typesize = u64::from(header.typesize);
            Chunking::Flat { chunk_bytes: (CHUNK / typesize).max(1) * typesize }
        }
        Sizes::Fixed { each, .. } => Chunking::Flat { chunk_bytes: (*each).into() },
        Sizes::Varied(sizes) => {
            let end = |end: &mut u64, size: &u32| {
                *end += u64::from(*size);
                Some(*end)
            };
            Chunking::Varied { ends: sizes.iter().scan(0, end).collect() }
        }
    }
}
