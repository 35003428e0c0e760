//! Reads bytes that can be read at any position one after another.

use std::io::{self, Read};
use std::sync::Arc;

use bytes::Bytes;
use trevni::io::ReadAt;

/// Bytes that are read at once.
const BUFFER: u64 = 1 << 16;

/// Reads from a position to the end.
pub(super) struct Sequential {
    bytes: Arc<dyn ReadAt>,
    offset: u64,
    /// What was read and not taken yet.
    buffered: Bytes,
}

impl Sequential {
    pub(super) fn new(bytes: Arc<dyn ReadAt>, offset: u64) -> Self {
        Self { bytes, offset, buffered: Bytes::new() }
    }
}

impl Sequential {
    /// Reads the next bytes. Returns those that are buffered, without taking them: none at the end.
    pub(super) fn peek(&mut self) -> io::Result<&[u8]> {
        if self.buffered.is_empty() {
            let len = self.bytes.len()?.saturating_sub(self.offset).min(BUFFER);
            self.buffered = self.bytes.read_at(self.offset, usize::try_from(len).unwrap_or(0))?;
            self.offset += len;
        }
        Ok(&self.buffered)
    }
}

impl Read for Sequential {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = into.len().min(self.peek()?.len());
        let (part, into) = (self.buffered.split_to(n), into.get_mut(..n).unwrap_or_default());
        into.copy_from_slice(&part);
        Ok(n)
    }
}
