//! A file in memory that counts the bytes that are read of it.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use parquet::file::reader::{ChunkReader, Length};
use trevni::io::ReadAt;

#[derive(Clone)]
pub struct Counted {
    bytes: Bytes,
    count: Arc<AtomicU64>,
}

impl Counted {
    pub fn new(bytes: Bytes) -> Self {
        Self { bytes, count: Arc::default() }
    }

    /// Returns how many bytes were read.
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    fn note(&self, bytes: usize) {
        self.count.fetch_add(bytes as u64, Ordering::Relaxed);
    }
}

impl ReadAt for Counted {
    fn len(&self) -> io::Result<u64> {
        Ok(self.bytes.len() as u64)
    }

    fn read_at(&self, offset: u64, len: usize) -> io::Result<Bytes> {
        self.note(len);
        self.bytes.read_at(offset, len)
    }
}

impl Length for Counted {
    fn len(&self) -> u64 {
        self.bytes.len() as u64
    }
}

impl ChunkReader for Counted {
    type T = CountedRead;

    fn get_read(&self, start: u64) -> parquet::errors::Result<Self::T> {
        let rest = self.bytes.slice(start as usize..);
        Ok(CountedRead { rest: io::Cursor::new(rest), of: self.clone() })
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        self.note(length);
        self.bytes.get_bytes(start, length)
    }
}

/// Reads on from a place.
pub struct CountedRead {
    rest: io::Cursor<Bytes>,
    of: Counted,
}

impl Read for CountedRead {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = self.rest.read(into)?;
        self.of.note(n);
        Ok(n)
    }
}
