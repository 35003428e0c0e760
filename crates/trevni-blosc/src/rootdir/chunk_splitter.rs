//! Divides an array into chunks.
//!
//! ```text
//! rows    chunk i holds the rows from i * L on, L of them; the last has the rest, or L with unused rows
//! boxes   of (300, 200) in chunks of (30, 20): 10 by 10, numbered as rows of boxes; those at the edge are full, too
//! ```
//! A chunk shape with complete rows divides rows. Arrays of several dimensions in Fortran order are divided in
//! memory order, in runs of as many elements as the chunk shape has.

use super::excerpt;
use super::storage::Storage;
use crate::chunk::MAX_NBYTES;
use crate::{Chunking, Order};
use trevni::{Error, Result};

/// As many as NumPy has.
const MAX_DIMENSIONS: usize = 64;

/// The chunks of an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cut {
    /// How the bytes are cut.
    pub(super) chunking: Chunking,
    /// How many chunks there are.
    pub(super) chunks: u64,
    /// How many of them are full.
    pub(super) full: u64,
    /// The uncompressed size of a full chunk.
    pub(super) chunk_bytes: u64,
    /// Bytes of the array.
    pub(super) nbytes: u64,
}

impl Cut {
    /// Cuts an array of this shape.
    pub(super) fn new(storage: &Storage, shape: &[u64]) -> Result<Self> {
        let Some((_, row_shape)) = shape.split_first() else {
            return Err(Error::unsupported("an array without dimensions"));
        };
        if shape.len() > MAX_DIMENSIONS {
            return Err(Error::unsupported(format!("an array of {} dimensions", shape.len())));
        }
        let size = storage.dtype.size as u64;
        let row_bytes = product(row_shape)?.checked_mul(size).ok_or_else(|| huge(shape))?;
        let nbytes = product(shape)?.checked_mul(size).ok_or_else(|| huge(shape))?;
        if row_bytes == 0 || storage.chunk_shape.contains(&0) {
            let of = excerpt::list(&storage.chunk_shape);
            return Err(Error::malformed(format!("rows of {row_bytes} bytes in chunks of {of}")));
        }
        let Some(chunk_bytes) = bytes_of_chunk(storage, row_shape, row_bytes)? else {
            return Self::boxes(storage, shape, nbytes);
        };
        Ok(Self {
            chunking: Chunking::Flat { chunk_bytes },
            chunks: nbytes.div_ceil(chunk_bytes),
            full: nbytes / chunk_bytes,
            chunk_bytes,
            nbytes,
        })
    }

    fn boxes(storage: &Storage, shape: &[u64], nbytes: u64) -> Result<Self> {
        let chunk_shape = storage.chunk_shape.clone();
        if chunk_shape.len() != shape.len() {
            return Err(Error::malformed(format!(
                "chunks of {} of an array of {}",
                excerpt::list(&chunk_shape),
                excerpt::list(shape)
            )));
        }
        if storage.order == Order::F {
            return Err(Error::unsupported(
                "boxes of an array in which the first index runs fastest",
            ));
        }
        let counts: Vec<_> =
            shape.iter().zip(&chunk_shape).map(|(n, of)| n.div_ceil(*of)).collect();
        let chunks = product(&counts)?;
        let chunk_bytes =
            checked_chunk(product(&chunk_shape)?.checked_mul(storage.dtype.size as u64))?;
        let chunking = Chunking::Grid { block_shape: chunk_shape.clone(), chunk_shape };
        Ok(Self { chunking, chunks, full: chunks, chunk_bytes, nbytes })
    }

    /// Returns the minimum uncompressed size of a chunk.
    pub(super) fn needed(&self, number: u64) -> u64 {
        match number < self.full {
            true => self.chunk_bytes,
            false => self.nbytes % self.chunk_bytes,
        }
    }
}

/// Returns the uncompressed size of a chunk if the array is divided in memory order.
fn bytes_of_chunk(storage: &Storage, row_shape: &[u64], row_bytes: u64) -> Result<Option<u64>> {
    let size = storage.dtype.size as u64;
    match storage.chunk_shape.split_first() {
        Some((rows, [])) => checked_chunk(rows.checked_mul(row_bytes)).map(Some),
        Some((rows, rest)) if rest == row_shape => {
            checked_chunk(rows.checked_mul(row_bytes)).map(Some)
        }
        Some(_)
            if storage.order == Order::F && storage.chunk_shape.len() == row_shape.len() + 1 =>
        {
            checked_chunk(product(&storage.chunk_shape)?.checked_mul(size)).map(Some)
        }
        _ => Ok(None),
    }
}

fn checked_chunk(bytes: Option<u64>) -> Result<u64> {
    let bytes = bytes.unwrap_or(u64::MAX);
    match bytes <= MAX_NBYTES as u64 {
        true => Ok(bytes),
        false => Err(Error::too_large("chunk", bytes, MAX_NBYTES as u64)),
    }
}

fn product(shape: &[u64]) -> Result<u64> {
    // Zeros first: nothing times a lot is nothing.
    if shape.contains(&0) {
        return Ok(0);
    }
    shape.iter().try_fold(1u64, |n, dimension| n.checked_mul(*dimension)).ok_or_else(|| huge(shape))
}

fn huge(shape: &[u64]) -> Error {
    let shown = excerpt::list(shape);
    Error::malformed(format!("an array of {shown} has more than 2^64 bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dtype;

    fn cut(dtype: &str, chunk_shape: &[u64], order: Order, shape: &[u64]) -> Result<Cut> {
        let mut storage = Storage::new(Dtype::parse("int8").unwrap(), &[], 10).unwrap();
        storage.dtype = Dtype::parse(dtype).unwrap();
        (storage.chunk_shape, storage.order) = (chunk_shape.to_vec(), order);
        Cut::new(&storage, shape)
    }

    #[test]
    fn rows_and_boxes() {
        let rows = cut("int32", &[100], Order::C, &[1000, 3]).unwrap();
        assert_eq!(rows.chunking, Chunking::Flat { chunk_bytes: 1200 });
        assert_eq!((rows.chunks, rows.full, rows.needed(9)), (10, 10, 1200));
        let left = cut("int32", &[100, 3], Order::C, &[1001, 3]).unwrap();
        assert_eq!((left.chunks, left.full, left.needed(9), left.needed(10)), (11, 10, 1200, 12));
        let boxes = cut("int8", &[30, 20], Order::C, &[300, 201]).unwrap();
        assert_eq!((boxes.chunks, boxes.full, boxes.chunk_bytes), (110, 110, 600));
        assert!(matches!(boxes.chunking, Chunking::Grid { .. }));
        let columns = cut("int8", &[30, 20], Order::F, &[300, 201]).unwrap();
        assert_eq!(columns.chunking, Chunking::Flat { chunk_bytes: 600 });
        assert_eq!(cut("int8", &[30, 20], Order::C, &[0, 201]).unwrap().chunks, 0);
        assert_eq!(cut("int8", &[5], Order::C, &[0]).unwrap().chunks, 0);
    }

    #[test]
    fn numbers_without_sense_are_refused() {
        let most = u64::MAX;
        for (dtype, chunk, shape) in [
            ("int8", &[1][..], &[][..]),
            ("int8", &[0], &[5]),
            ("int8", &[], &[5]),
            ("|S0", &[1], &[5]),
            ("int8", &[1], &[5, 0]),
            ("int8", &[most], &[5]),
            ("int64", &[1 << 62], &[5]),
            ("int64", &[1], &[1 << 62]),
            ("int8", &[1], &[1, most, 3]),
            ("int8", &[1 << 31], &[5]),
            ("int8", &[3, 2, 2], &[5, 5]),
            ("int8", &[most, 2], &[5, 5]),
            ("int8", &[1 << 20, 1 << 20], &[5, 5]),
            ("int8", &[2, 2], &[most, 0]),
            ("int8", &[1], &[1; 65]),
        ] {
            assert!(cut(dtype, chunk, Order::C, shape).is_err(), "{dtype} {chunk:?} {shape:?}");
        }
        assert!(cut("int8", &[2], Order::F, &[4, 4]).is_ok());
        assert!(cut("int8", &[2, 2, 2], Order::F, &[4, 4]).is_err());
        assert_eq!(cut("int8", &[1], Order::C, &[most]).unwrap().chunks, most);
    }
}
