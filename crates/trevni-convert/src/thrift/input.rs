//! Buffers input until a struct is complete.
//!
//! ```text
//! read ──►  [ taken │ rest: the struct at hand, and more ]   more: the taken bytes go, others come behind
//! ```

use std::io::Read;

use trevni::io::Limits;
use trevni::{Error, Result};

/// A struct larger than this is refused, unless the limit of a block is smaller.
const LARGEST: u64 = 64 << 20;
/// The minimum number of bytes that are read at once.
const PIECE: u64 = 256 << 10;

/// The bytes of a file, of which some are at hand.
pub(super) struct Input {
    from: Box<dyn Read + Send>,
    bytes: Vec<u8>,
    taken: usize,
    /// The maximum number of bytes of a struct.
    largest: u64,
    /// How far the file is taken.
    pub(super) position: u64,
}

impl Input {
    pub(super) fn new(from: Box<dyn Read + Send>, limits: &Limits) -> Self {
        let largest = LARGEST.min(limits.block_bytes as u64);
        Self { from, bytes: Vec::new(), taken: 0, largest, position: 0 }
    }

    /// Returns the buffered bytes.
    pub(super) fn rest(&self) -> &[u8] {
        self.bytes.get(self.taken..).unwrap_or_default()
    }

    /// Removes bytes from the buffer.
    pub(super) fn take(&mut self, bytes: u64) {
        self.position += bytes;
        self.taken += usize::try_from(bytes).unwrap_or(usize::MAX).min(self.rest().len());
    }

    /// Reads more bytes, of which at least `missing` are needed. Returns whether there were any.
    pub(super) fn more(&mut self, missing: u64) -> Result<bool> {
        self.bytes.drain(..self.taken);
        self.taken = 0;
        let there = self.bytes.len() as u64;
        let needed = there.saturating_add(missing);
        if needed > self.largest {
            return Err(Error::too_large("a struct", needed, self.largest));
        }
        // Twice as much each time, so that a large struct is not begun too often.
        let piece = missing.max(there).max(PIECE).min(self.largest - there);
        let read = self.from.by_ref().take(piece).read_to_end(&mut self.bytes)?;
        Ok(read > 0)
    }
}

impl std::fmt::Debug for Input {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Input").field("position", &self.position).finish_non_exhaustive()
    }
}
