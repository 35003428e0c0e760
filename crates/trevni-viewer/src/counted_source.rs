//! Counts the bytes that are read of a source.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use trevni::io::ReadAt;

/// A source, and how many bytes of it have been read.
#[derive(Clone)]
pub struct CountedSource {
    source: Arc<dyn ReadAt>,
    read: Arc<AtomicU64>,
}

impl CountedSource {
    /// Counts the bytes that are read of a source.
    pub fn new(source: impl ReadAt + 'static) -> Self {
        Self { source: Arc::new(source), read: Arc::default() }
    }

    /// Returns how many bytes have been read.
    pub fn bytes_read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
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
        self.read.fetch_add(len as u64, Ordering::Relaxed);
        self.source.read_at(offset, len)
    }
}
