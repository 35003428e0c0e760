//! Bytes at any position, as the library wants them.

use std::io::ErrorKind;
use std::sync::Arc;

use bytes::Bytes;
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};

use super::claims;
use crate::sequential::Sequential;
use crate::source::planned_read::PlannedRead;

/// A file of the library.
#[derive(Clone)]
pub(super) struct Chunks {
    pub(super) file: Arc<dyn PlannedRead>,
    /// The maximum number of bytes of a page, before compression.
    pub(super) page_bytes: usize,
}

impl Length for Chunks {
    fn len(&self) -> u64 {
        // The first read of a file whose length is unknown fails.
        self.file.len().unwrap_or(0)
    }
}

impl ChunkReader for Chunks {
    type T = Sequential;

    fn get_read(&self, start: u64) -> Result<Sequential> {
        // The library reads headers of pages so.
        let mut read = Sequential::new(self.file.clone(), start);
        claims::check_page(read.peek()?, self.page_bytes)
            .map_err(|e| ParquetError::External(Box::new(e.at(start))))?;
        Ok(read)
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        // Nothing is allocated for bytes that are not there.
        if start.checked_add(length as u64).is_none_or(|end| end > Length::len(self)) {
            return Err(std::io::Error::from(ErrorKind::UnexpectedEof).into());
        }
        Ok(self.file.read_at(start, length)?)
    }
}
