//! Reuses the buffers that stored chunks are read into.
//!
//! ```text
//! file ──► buffer ──► Bytes, buffer ──► dropped ──► buffer, for the next chunk
//! ```
//! New memory of the size of a chunk costs as much as decompressing a good part of it: it is cleared, and the
//! system has to find it page by page.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;

use trevni::io::{ReadAt, read_exact_at};

/// Bytes that are kept for later at most.
const KEPT: usize = 16 << 20;

/// Buffers of a container. Clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct Buffers(Arc<Mutex<Vec<Vec<u8>>>>);

impl Buffers {
    /// Returns `len` bytes of a file from `offset`; the caller has checked that they exist.
    pub(super) fn read_at(&self, file: &File, offset: u64, len: usize) -> io::Result<Bytes> {
        let mut bytes = self.take();
        if bytes.len() < len {
            bytes.resize(len, 0);
        }
        let mut buffer = ReusedBuffer { bytes, len, pool: self.clone() };
        read_exact_at(file, buffer.bytes.get_mut(..len).unwrap_or_default(), offset)?;
        Ok(Bytes::from_owner(buffer))
    }

    /// Returns the first `most` bytes of a source, or all.
    pub(super) fn read_start(&self, source: &Source, most: u64) -> io::Result<Bytes> {
        match source {
            Source::File { file, .. } => self.read_part(file, &(0..most)),
            Source::Other(other) => {
                let len = usize::try_from(other.len()?.min(most)).map_err(io::Error::other)?;
                other.read_at(0, len)
            }
        }
    }

    /// Returns the bytes of a file in `range`, as far as there are some.
    pub(super) fn read_part(&self, file: &File, range: &Range<u64>) -> io::Result<Bytes> {
        let size = file.metadata()?.len();
        let (from, to) = (range.start.min(size), range.end.min(size));
        let len = usize::try_from(to.saturating_sub(from)).map_err(io::Error::other)?;
        self.read_at(file, from, len)
    }

    fn take(&self) -> Vec<u8> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    fn keep(&self, bytes: Vec<u8>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let size: usize = kept.iter().map(Vec::capacity).sum();
        if size.saturating_add(bytes.capacity()) <= KEPT {
            kept.push(bytes);
        }
    }
}

/// A buffer on loan.
struct ReusedBuffer {
    bytes: Vec<u8>,
    len: usize,
    pool: Buffers,
}

impl AsRef<[u8]> for ReusedBuffer {
    fn as_ref(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }
}

impl Drop for ReusedBuffer {
    fn drop(&mut self) {
        self.pool.keep(std::mem::take(&mut self.bytes));
    }
}

/// Where the bytes of a container in one file come from.
pub(super) enum Source {
    /// A file, read into buffers.
    File { file: File, buffers: Buffers },
    /// Anything else.
    Other(Box<dyn ReadAt>),
}

impl Source {
    /// Creates a file that is open.
    pub(super) fn file(file: File) -> Self {
        Self::File { file, buffers: Buffers::default() }
    }
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Source::File { file, .. } => f.debug_tuple("File").field(file).finish(),
            Source::Other(_) => f.write_str("Other"),
        }
    }
}

impl ReadAt for Source {
    fn len(&self) -> io::Result<u64> {
        match self {
            Source::File { file, .. } => ReadAt::len(file),
            Source::Other(other) => other.len(),
        }
    }

    fn read_at(&self, offset: u64, len: usize) -> io::Result<Bytes> {
        match self {
            Source::File { file, buffers } => buffers.read_at(file, offset, len),
            Source::Other(other) => other.read_at(offset, len),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn buffers_come_back_and_hold_what_was_read() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(b"0123456789").unwrap();
        let buffers = Buffers::default();
        let first = buffers.read_at(file.as_file(), 2, 6).unwrap();
        let second = buffers.read_at(file.as_file(), 8, 2).unwrap();
        assert_eq!((&first[..], &second[..]), (&b"234567"[..], &b"89"[..]));
        assert_eq!(buffers.0.lock().unwrap().len(), 0);
        let part = first.slice(2..4);
        drop((first, second));
        // Buffers in use are not changed.
        assert_eq!(buffers.0.lock().unwrap().len(), 1);
        assert_eq!(part, &b"45"[..]);
        drop(part);
        assert_eq!(buffers.0.lock().unwrap().len(), 2);
        assert_eq!(buffers.read_at(file.as_file(), 0, 3).unwrap(), &b"012"[..]);
        for most in [0, 3, 10, 11, u64::MAX] {
            let all = buffers.read_start(&Source::file(file.reopen().unwrap()), most).unwrap();
            assert_eq!(all, &b"0123456789"[..usize::try_from(most.min(10)).unwrap()]);
        }
        assert!(buffers.read_at(file.as_file(), 8, 3).is_err());
        for range in [0..0, 2..5, 8..100, 50..100] {
            let part = buffers.read_part(file.as_file(), &range).unwrap();
            let place = |at: u64| usize::try_from(at.min(10)).unwrap();
            assert_eq!(part, &b"0123456789"[place(range.start)..place(range.end)]);
        }
    }

    #[test]
    fn large_buffers_are_given_up() {
        let buffers = Buffers::default();
        buffers.keep(Vec::with_capacity(KEPT));
        buffers.keep(Vec::with_capacity(1));
        assert_eq!(buffers.0.lock().unwrap().len(), 1);
        let other = Buffers::default();
        other.keep(Vec::with_capacity(KEPT + 1));
        assert!(other.0.lock().unwrap().is_empty());
    }
}
