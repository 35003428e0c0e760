//! Counts what is read.

use std::sync::atomic::{AtomicU64, Ordering};

/// How many blocks have been read by readers with these metrics.
#[derive(Debug, Default)]
pub struct ReadMetrics {
    blocks: AtomicU64,
}

impl ReadMetrics {
    pub(crate) fn add_block(&self) {
        self.blocks.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the number of blocks whose checksum was verified and that were decompressed, over all columns. A block
    /// that is opened twice, by two threads or for a predicate and its output, counts twice.
    pub fn blocks(&self) -> u64 {
        self.blocks.load(Ordering::Relaxed)
    }
}
