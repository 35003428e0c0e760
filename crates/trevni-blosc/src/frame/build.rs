//! Writes new frames.
//!
//! ```text
//! chunk ──► Draft: slot, size ──► where its bytes go: after the others in one file, or a file of its own
//! finish ─► header, index, trailer ──► the file, or the directory, gets its name
//! ```

mod contiguous;
mod sparse;

use super::attributes;
use super::b2nd::{self, B2nd};
use super::edit::{check_new, trimmed};
use super::header::FrameHeader;
use super::index::{Index, Slot};
use super::metalayer::Metalayer;
use super::special;
use super::superchunk::Sizes;
use super::trailer::Trailer;
use crate::Dtype;
use crate::array::{Attributes, Build};
use crate::chunk::{self, Content, Params};
use trevni::{Error, Result};

/// How the array of a new frame is cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cut {
    /// A plain super-chunk: elements without a type, in chunks of equal size.
    Flat {
        /// Bytes of an element.
        typesize: u32,
        /// Bytes of a chunk.
        chunk_bytes: u64,
    },
    /// An array of several dimensions.
    Grid {
        /// The type of its elements.
        dtype: Dtype,
        /// Elements of a chunk along each dimension.
        chunk_shape: Vec<u64>,
        /// Elements of a block along each dimension.
        block_shape: Vec<u64>,
    },
}

/// What a new frame is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFrame {
    /// How its chunks are written.
    pub params: Params,
    /// How the array is cut.
    pub cut: Cut,
    /// Fixed metalayers of the caller, "b2nd" not among them.
    pub metalayers: Vec<Metalayer>,
}

impl NewFrame {
    /// Begins a frame in one file, which gets its name when it is finished.
    ///
    /// # Errors
    /// `Invalid` if no frame can be so, `Io`; a path that exists is an error unless `replace`.
    pub fn contiguous(
        &self,
        path: impl Into<std::path::PathBuf>,
        replace: bool,
    ) -> Result<Box<dyn Build>> {
        Ok(Box::new(contiguous::Builder::new(path.into(), replace, self.draft(false)?)?))
    }

    /// Begins a frame in a directory, which gets its name when it is finished.
    ///
    /// # Errors
    /// Those of [`contiguous`](Self::contiguous).
    pub fn sparse(
        &self,
        directory: impl Into<std::path::PathBuf>,
        replace: bool,
    ) -> Result<Box<dyn Build>> {
        Ok(Box::new(sparse::Builder::new(directory.into(), replace, self.draft(true)?)?))
    }

    fn draft(&self, sparse: bool) -> Result<Draft> {
        let typesize = match &self.cut {
            Cut::Flat { typesize, .. } => *typesize,
            Cut::Grid { dtype, .. } => u32::try_from(dtype.size).unwrap_or(0),
        };
        let mut header = FrameHeader::new(&self.params, sparse, typesize)?;
        let grid = self.grid()?;
        let chunk_bytes = match (&self.cut, &grid) {
            (Cut::Flat { chunk_bytes, .. }, _) => Some(*chunk_bytes),
            (_, Some(grid)) => grid.chunk_elements()?.checked_mul(typesize.into()),
            _ => None,
        };
        let chunk_bytes = chunk_bytes.filter(|n| (1..=chunk::MAX_NBYTES as u64).contains(n));
        let chunk_bytes = chunk_bytes.and_then(|bytes| i32::try_from(bytes).ok());
        let chunk_bytes = chunk_bytes.ok_or_else(|| {
            Error::invalid(format!("{:?}: chunks of no or too many bytes", self.cut))
        })?;
        header.set_chunk_size(chunk_bytes);
        if let Some(grid) = &grid {
            let block = grid.block_elements()?.saturating_mul(typesize.into());
            header.block_size = u32::try_from(block)
                .map_err(|_| Error::invalid(format!("{:?}: blocks of 4 GiB", self.cut)))?;
            header.metalayers.push(layer(grid)?);
        }
        header.metalayers.extend(self.metalayers.iter().cloned());
        header.put(&mut Vec::new())?;
        Ok(Draft { header, grid, slots: Vec::new(), sizes: Vec::new() })
    }

    fn grid(&self) -> Result<Option<B2nd>> {
        let Cut::Grid { dtype, chunk_shape, block_shape } = &self.cut else { return Ok(None) };
        let edges = |edges: &[u64]| -> Result<Vec<u32>> {
            let narrow = edges.iter().map(|edge| u32::try_from(*edge));
            narrow.collect::<Result<_, _>>().map_err(|_| Error::invalid(format!("edges {edges:?}")))
        };
        let grid = B2nd {
            shape: vec![0; chunk_shape.len()],
            chunk_shape: edges(chunk_shape)?,
            block_shape: edges(block_shape)?,
            dtype: Some(dtype.numpy_str()),
        };
        match grid.chunk_shape.iter().zip(&grid.block_shape).all(|(c, b)| (1..=*c).contains(b)) {
            true => Ok(Some(grid)),
            false => Err(Error::invalid(format!("blocks {block_shape:?} in {chunk_shape:?}"))),
        }
    }
}

fn layer(grid: &B2nd) -> Result<Metalayer> {
    let mut content = Vec::new();
    grid.put(&mut content)?;
    Ok(Metalayer { name: b2nd::NAME.into(), content: content.into() })
}

/// The state of a frame before it is finished.
#[derive(Debug)]
struct Draft {
    /// With the `cbytes` of the chunks that have come.
    header: FrameHeader,
    grid: Option<B2nd>,
    slots: Vec<Slot>,
    sizes: Vec<u32>,
}

impl Draft {
    /// Adds a chunk. Returns its bytes if they must be stored, at `place`.
    fn push<'a>(&mut self, chunk: &'a [u8], place: u64) -> Result<Option<&'a [u8]>> {
        let head = check_new(chunk)?;
        let nbytes = head.nbytes;
        let each = self.header.chunk_size.unsigned_abs();
        if self.grid.is_some() && nbytes != each {
            return Err(Error::invalid(format!("a chunk of {nbytes} bytes where all have {each}")));
        }
        self.sizes.push(nbytes);
        self.header.nbytes += u64::from(nbytes);
        if let Content::Special(kind) = head.content {
            self.slots.push(Slot::Special(kind));
            return Ok(None);
        }
        let bytes = trimmed(chunk, &head)?;
        self.slots.push(Slot::At(place));
        self.header.cbytes += bytes.len() as u64;
        Ok(Some(bytes))
    }

    /// Returns the special chunks that must be stored after all, because chunks differ in size; their numbers with
    /// them.
    fn spelled_out(&mut self) -> Result<Vec<(usize, Vec<u8>)>> {
        let sizes = Sizes::of(self.header.chunk_size.unsigned_abs(), self.sizes.clone());
        if matches!(sizes, Sizes::Fixed { .. }) {
            return Ok(Vec::new());
        }
        self.header.set_chunk_size(0);
        let typesize = u8::try_from(self.header.typesize).unwrap_or(1);
        let numbered = self.slots.iter().zip(&self.sizes).enumerate();
        let special = numbered.filter_map(|(number, (slot, nbytes))| match slot {
            Slot::At(_) => None,
            Slot::Special(kind) => Some((number, special::spelled_out(*kind, *nbytes, typesize))),
        });
        special.map(|(number, chunk)| Ok((number, chunk?))).collect()
    }

    /// Records where a special chunk has been stored.
    fn store(&mut self, number: usize, place: u64, bytes: &[u8]) {
        if let Some(slot) = self.slots.get_mut(number) {
            *slot = Slot::At(place);
            self.header.cbytes += bytes.len() as u64;
        }
    }

    /// Returns the header, then index and trailer, of a frame whose chunks have all come.
    fn finish(mut self, shape: &[u64], attributes: &Attributes) -> Result<(Vec<u8>, Vec<u8>)> {
        self.check(shape)?;
        if let Some(mut grid) = self.grid.take() {
            grid.shape = shape.to_vec();
            let ours = self.header.metalayers.iter_mut().find(|layer| layer.name == b2nd::NAME);
            if let Some(ours) = ours {
                *ours = layer(&grid)?;
            }
        }
        let metalayers = attributes::seal(attributes, &Attributes::new(), &[])?;
        self.header.has_vlmetalayers = !metalayers.is_empty();
        let mut tail = Index::new(self.slots).encode()?;
        Trailer { metalayers }.put(&mut tail)?;
        let chunks = if self.header.sparse { 0 } else { self.header.cbytes };
        self.header.set_len(chunks + tail.len() as u64)?;
        let mut head = Vec::new();
        self.header.put(&mut head)?;
        Ok((head, tail))
    }

    fn check(&self, shape: &[u64]) -> Result<()> {
        let Self { header, slots, .. } = self;
        let text = format!("{} chunks of {} bytes, shape {shape:?}", slots.len(), header.nbytes);
        let fits = match &self.grid {
            Some(grid) => {
                let grid = B2nd { shape: shape.to_vec(), ..grid.clone() };
                shape.len() == grid.chunk_shape.len() && grid.chunks()? == slots.len() as u64
            }
            None => {
                let size = header.element_size().into();
                matches!(shape, [rows] if rows.checked_mul(size) == Some(header.nbytes))
            }
        };
        if fits { Ok(()) } else { Err(Error::invalid(text)) }
    }
}
