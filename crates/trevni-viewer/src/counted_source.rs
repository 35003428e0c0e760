//! Counts the bytes that are read of a source, and keeps some of them: rows that are scrolled through come from the same
//! blocks many times.

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

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

/// Bytes that are kept, at most.
const KEPT: usize = 16 << 20;

/// Ranges that are kept, at most, so that searches stay short.
const MOST_RANGES: usize = 1024;

/// A source, and how many bytes of it have been read.
#[derive(Clone)]
pub struct CountedSource {
    source: Arc<dyn ReadAt>,
    read: BytesRead,
    kept: Arc<Mutex<Kept>>,
}

/// What was read last.
#[derive(Default)]
struct Kept {
    /// From offset and length, the oldest first.
    ranges: VecDeque<((u64, usize), Bytes)>,
    bytes: usize,
}

impl Kept {
    /// Returns a range that is kept, which becomes the newest.
    fn get(&mut self, range: (u64, usize)) -> Option<Bytes> {
        let at = self.ranges.iter().position(|(kept, _)| *kept == range)?;
        let found = self.ranges.remove(at)?;
        let bytes = found.1.clone();
        self.ranges.push_back(found);
        Some(bytes)
    }

    fn insert(&mut self, range: (u64, usize), bytes: Bytes) {
        if range.1 > KEPT / 4 {
            return;
        }
        self.bytes += bytes.len();
        self.ranges.push_back((range, bytes));
        while (self.bytes > KEPT || self.ranges.len() > MOST_RANGES)
            && let Some((_, oldest)) = self.ranges.pop_front()
        {
            self.bytes -= oldest.len();
        }
    }
}

impl CountedSource {
    /// Counts the bytes that are read of a source.
    pub fn new(source: impl ReadAt + 'static) -> Self {
        Self::with_count(source, BytesRead::default())
    }

    /// Adds the bytes that are read of a source to a number.
    pub fn with_count(source: impl ReadAt + 'static, read: BytesRead) -> Self {
        Self { source: Arc::new(source), read, kept: Arc::default() }
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
        let kept = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bytes) = kept().get((offset, len)) {
            return Ok(bytes);
        }
        let bytes = self.source.read_at(offset, len)?;
        self.read.0.fetch_add(len as u64, Ordering::Relaxed);
        kept().insert((offset, len), bytes.clone());
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_last_is_kept() {
        let source = CountedSource::new(vec![7u8; 40 << 20]);
        let read = |offset: u64, len: usize| {
            let before = source.bytes_read().get();
            assert_eq!(source.read_at(offset, len).unwrap(), vec![7; len]);
            source.bytes_read().get() - before
        };
        assert_eq!((read(0, 1 << 20), read(0, 1 << 20), read(0, 1000)), (1 << 20, 0, 1000));
        for block in 1..20 {
            assert_eq!(read(block << 20, 1 << 20), 1 << 20);
        }
        assert_eq!((read(0, 1 << 20), read(19 << 20, 1 << 20)), (1 << 20, 0));
        assert_eq!((read(0, 8 << 20), read(0, 8 << 20)), (8 << 20, 8 << 20));
        assert!(source.kept.lock().unwrap().bytes <= KEPT);
        for offset in 0..3000 {
            assert_eq!(read(offset, 1), 1);
        }
        assert_eq!(source.kept.lock().unwrap().ranges.len(), MOST_RANGES);
    }
}
