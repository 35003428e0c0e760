//! The metalayer `b2nd`: shape, chunk shape and block shape of an array.
//!
//! ```text
//! 97  00  ndim                 array of 7, version 0
//! 9n  n x d3 shape             elements of the array along each dimension
//! 9n  n x d2 chunkshape        of a chunk
//! 9n  n x d2 blockshape        of a block
//! 00  db length  dtype         0: NumPy's text
//! ```
//! The markers `9n` are 0x90 plus ndim, for 16 dimensions too. The oldest writers had five fields and no dtype.

use crate::msgpack::{expect, marked, put_marked};
use crate::{Dtype, DtypeKind};
use trevni::wire::Cursor;
use trevni::{Error, Result};

/// The name of the metalayer.
pub(super) const NAME: &str = "b2nd";

/// The name that it had before.
pub(super) const OLD_NAME: &str = "caterva";

/// The most dimensions.
pub(super) const MOST_DIMENSIONS: usize = 16;

/// The approximate size of a chunk, for an array that is created without rows.
const CHUNK: u64 = 1 << 20;

/// The content of the metalayer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct B2nd {
    /// Elements of the array along each dimension.
    pub shape: Vec<u64>,
    /// Elements of a chunk.
    pub chunk_shape: Vec<u32>,
    /// Elements of a block.
    pub block_shape: Vec<u32>,
    /// The type of the elements, as NumPy writes it; none in the oldest.
    pub dtype: Option<String>,
}

impl B2nd {
    /// Parses the metalayer. Bytes after it are ignored.
    ///
    /// # Errors
    /// `Malformed`, or `Unsupported` for other versions, and types in other words than NumPy's.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        let mut cursor = Cursor::new(bytes);
        let [fields, version, ndim] = cursor.array("b2nd metalayer")?;
        if !matches!(fields, 0x95 | 0x97) || usize::from(ndim) > MOST_DIMENSIONS {
            let text = format!("b2nd metalayer of marker {fields:02x}, {ndim} dimensions");
            return Err(Error::malformed(text));
        }
        if version != 0 {
            return Err(Error::unsupported(format!("b2nd metalayer of version {version}")));
        }
        let shape = list(&mut cursor, ndim, |cursor| {
            extent(i64::from_be_bytes(marked(cursor, 0xd3, "shape")?))
        })?;
        let chunk_shape = list(&mut cursor, ndim, edge)?;
        let block_shape = list(&mut cursor, ndim, edge)?;
        let dtype = match fields {
            0x97 => Some(dtype_text(&mut cursor)?),
            _ => None,
        };
        Ok(Self { shape, chunk_shape, block_shape, dtype })
    }

    /// Appends the metalayer's value; its length does not depend on the numbers in it.
    ///
    /// # Errors
    /// `Invalid` if a number passes what its bytes can hold, or dimensions do not agree.
    pub fn put(&self, out: &mut Vec<u8>) -> Result<()> {
        let large = |_| Error::invalid("a shape is too large for a frame");
        let ndim = self.shape.len();
        let alike = [self.chunk_shape.len(), self.block_shape.len()] == [ndim; 2];
        let count = u8::try_from(ndim).ok().filter(|_| alike && ndim <= MOST_DIMENSIONS);
        let count = count.ok_or_else(|| {
            Error::invalid(format!("{self:?}: at most {MOST_DIMENSIONS} dimensions, as many each"))
        })?;
        let fields = if self.dtype.is_some() { 0x97 } else { 0x95 };
        out.extend_from_slice(&[fields, 0, count]);
        out.push(0x90 + count);
        for extent in &self.shape {
            put_marked(out, 0xd3, &i64::try_from(*extent).map_err(large)?.to_be_bytes());
        }
        for edges in [&self.chunk_shape, &self.block_shape] {
            out.push(0x90 + count);
            for edge in edges {
                put_marked(out, 0xd2, &i32::try_from(*edge).map_err(large)?.to_be_bytes());
            }
        }
        if let Some(dtype) = &self.dtype {
            out.push(0);
            put_marked(out, 0xdb, &i32::try_from(dtype.len()).map_err(large)?.to_be_bytes());
            out.extend_from_slice(dtype.as_bytes());
        }
        Ok(())
    }

    /// Returns the type of the elements, given their size.
    ///
    /// # Errors
    /// `Unsupported` for types that are not known here, `Malformed` if the sizes differ.
    pub fn element(&self, typesize: u32) -> Result<Dtype> {
        let size = usize::try_from(typesize).unwrap_or(usize::MAX);
        let dtype = match &self.dtype {
            Some(text) => Dtype::parse(text)?,
            None => bytes_of(size),
        };
        if dtype.size != size {
            let text = format!("type {:?} in elements of {typesize} bytes", self.dtype);
            return Err(Error::malformed(text));
        }
        Ok(dtype)
    }

    /// Returns how many chunks the array has.
    ///
    /// # Errors
    /// `Malformed` if a chunk has an edge of 0, or there are more than can be counted.
    pub fn chunks(&self) -> Result<u64> {
        if self.shape.contains(&0) {
            return Ok(0);
        }
        let pairs = self.shape.iter().zip(&self.chunk_shape);
        product(pairs.map(|(extent, edge)| (*edge != 0).then(|| extent.div_ceil((*edge).into()))))
            .ok_or_else(|| self.impossible())
    }

    /// Returns how many elements a chunk has, those past its edge that fill its last blocks too.
    ///
    /// # Errors
    /// `Malformed` if a block has an edge of 0, or there are more than can be counted.
    pub fn chunk_elements(&self) -> Result<u64> {
        let pairs = self.chunk_shape.iter().zip(&self.block_shape);
        product(pairs.map(|(chunk, block)| {
            let (chunk, block) = (u64::from(*chunk), u64::from(*block));
            (block != 0).then(|| chunk.div_ceil(block) * block)
        }))
        .ok_or_else(|| self.impossible())
    }

    /// Returns how many elements a block has.
    ///
    /// # Errors
    /// `Malformed` if there are more than can be counted.
    pub fn block_elements(&self) -> Result<u64> {
        product(self.block_shape.iter().map(|edge| Some(u64::from(*edge))))
            .ok_or_else(|| self.impossible())
    }

    /// Replaces edges of 0 of chunks and blocks, as in arrays without elements, so that rows fit.
    pub(super) fn make_room(&mut self, typesize: u32) {
        let mut room = (CHUNK / u64::from(typesize.max(1))).max(1);
        for (chunk, block) in self.chunk_shape.iter_mut().zip(&mut self.block_shape).rev() {
            if *chunk == 0 {
                *chunk = u32::try_from(room).unwrap_or(1);
            }
            if *block == 0 || *block > *chunk {
                *block = *chunk;
            }
            room = (room / u64::from(*chunk)).max(1);
        }
    }

    fn impossible(&self) -> Error {
        let Self { shape, chunk_shape, block_shape, .. } = self;
        Error::malformed(format!("shape {shape:?}, chunks {chunk_shape:?}, blocks {block_shape:?}"))
    }
}

/// Returns the bytes without a meaning.
pub(super) fn bytes_of(size: usize) -> Dtype {
    Dtype::new(if size == 1 { DtypeKind::UInt } else { DtypeKind::Void }, size)
}

fn product(mut factors: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    factors.try_fold(1u64, |product, factor| product.checked_mul(factor?))
}

fn list<T>(
    cursor: &mut Cursor<'_>,
    ndim: u8,
    mut one: impl FnMut(&mut Cursor<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    expect(cursor, 0x90 + ndim, "shape")?;
    (0..ndim).map(|_| one(cursor)).collect()
}

fn extent(value: i64) -> Result<u64> {
    u64::try_from(value).map_err(|_| Error::malformed(format!("extent of {value}")))
}

fn edge(cursor: &mut Cursor<'_>) -> Result<u32> {
    let value = i32::from_be_bytes(marked(cursor, 0xd2, "shape of chunks or blocks")?);
    u32::try_from(value).map_err(|_| Error::malformed(format!("edge of {value}")))
}

fn dtype_text(cursor: &mut Cursor<'_>) -> Result<String> {
    let [format] = cursor.array("format of the dtype")?;
    if format != 0 {
        return Err(Error::unsupported(format!("dtype in format {format}, not NumPy's")));
    }
    let len = u32::from_be_bytes(marked(cursor, 0xdb, "dtype")?);
    let text = cursor.take(usize::try_from(len).unwrap_or(usize::MAX), "dtype")?;
    std::str::from_utf8(text).map(str::to_owned).map_err(|_| Error::malformed("dtype is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array() -> B2nd {
        B2nd {
            shape: vec![50, 30],
            chunk_shape: vec![20, 16],
            block_shape: vec![8, 5],
            dtype: Some("<i4".into()),
        }
    }

    #[test]
    fn comes_back() {
        let dimensions = |n| B2nd {
            shape: vec![1; n],
            chunk_shape: vec![1; n],
            block_shape: vec![1; n],
            dtype: None,
        };
        for array in [array(), dimensions(0), dimensions(16)] {
            let mut out = Vec::new();
            array.put(&mut out).unwrap();
            out.extend_from_slice(b"left over");
            assert_eq!(B2nd::parse(&out).unwrap(), array);
        }
        assert!(dimensions(17).put(&mut Vec::new()).is_err());
    }

    #[test]
    fn counts_what_is_cut() {
        let array = array();
        assert_eq!(array.chunks().unwrap(), 6);
        assert_eq!(array.chunk_elements().unwrap(), 24 * 20);
        assert_eq!(array.block_elements().unwrap(), 40);
        let empty = B2nd { shape: vec![0, 1 << 40], ..array.clone() };
        assert_eq!(empty.chunks().unwrap(), 0);
        let flat = B2nd { chunk_shape: vec![0, 16], ..array.clone() };
        assert!(flat.chunks().is_err());
        let endless = B2nd { shape: vec![u64::MAX, u64::MAX], ..array };
        assert!(endless.chunks().is_err());
    }

    #[test]
    fn arrays_without_elements_get_room() {
        let mut array = B2nd {
            shape: vec![0, 3],
            chunk_shape: vec![0, 3],
            block_shape: vec![0, 3],
            dtype: None,
        };
        array.make_room(4);
        assert_eq!((array.chunk_shape, array.block_shape), (vec![87381, 3], vec![87381, 3]));
    }
}
