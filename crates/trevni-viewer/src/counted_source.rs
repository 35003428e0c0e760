//! Counts the bytes that are read of a source.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use trevni::io::ReadAt;

/// A number of bytes that have been read. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct BytesRead(Arc<AtomicU64>);

impl BytesRead {
    /// Returns the number.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A source, and how many bytes of it have been read.
#[derive(Clone)]
pub struct CountedSource {
    source: Arc<dyn ReadAt>,
    read: BytesRead,
}

impl CountedSource {
    /// Counts the bytes that are read of a source.
    pub fn new(source: impl ReadAt + 'static) -> Self {
        Self::with_count(source, BytesRead::default())
    }

    /// Adds the bytes that are read of a source to a number.
    pub fn with_count(source: impl ReadAt + 'static, read: BytesRead) -> Self {
        Self { source: Arc::new(source), read }
    }

    /// Returns how many bytes have been read.
    pub fn bytes_read(&self) -> BytesRead {
        self.read.clone()
    }
}

impl fmt::Debug for CountedSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CountedSource").field("read", &self.read).finish_non_exhaustive()
    }
}

impl ReadAt for CountedSource {
    fn len(&self) -> std::io::Result<u64> {
        self.source.len()
    }

    fn read_at(&self, offset: u64, len: usize) -> std::io::Result<Bytes> {
        self.read.0.fetch_add(len as u64, Ordering::Relaxed);
        self.source.read_at(offset, len)
    }
}
