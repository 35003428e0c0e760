//! Bytes at any position, as the library wants them.

use std::io::ErrorKind;
use std::sync::Arc;

use bytes::Bytes;
use parquet::errors::Result;
use parquet::file::reader::{ChunkReader, Length};
use trevni::io::ReadAt;

use crate::sequential::Sequential;

/// A file of the library.
#[derive(Clone)]
pub(super) struct Chunks(pub(super) Arc<dyn ReadAt>);

impl Length for Chunks {
    fn len(&self) -> u64 {
        // The first read of a file whose length is unknown fails.
        self.0.len().unwrap_or(0)
    }
}

impl ChunkReader for Chunks {
    type T = Sequential;

    fn get_read(&self, start: u64) -> Result<Sequential> {
        Ok(Sequential::new(self.0.clone(), start))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        // Nothing is allocated for bytes that are not there.
        if start.checked_add(length as u64).is_none_or(|end| end > Length::len(self)) {
            return Err(std::io::Error::from(ErrorKind::UnexpectedEof).into());
        }
        Ok(self.0.read_at(start, length)?)
    }
}
