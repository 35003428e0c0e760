//! Prefetches blocks of one column: other threads decompress them.
//!
//! ```text
//! lane     open block n ──► decode ──► open block n + 1 ──► ...
//! pool                   block n + 1   block n + 2          bytes are read here, decompressed there
//! ```
//! Only the codec and the checksum are the pool's work: reading stored bytes stays with the caller, so that a
//! source need not outlive it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use rayon::ThreadPool;

use super::block_decoder::BlockDecoder;
use crate::error::Result;
use crate::format::block::BlockDescriptor;
use crate::parallelism::threads::{Job, lock};

/// The number of blocks of a column that are prefetched.
const DEPTH: usize = 3;

/// Blocks with a larger uncompressed size are not prefetched.
const LARGEST: usize = 1 << 20;

/// Returns the largest size of a prefetched block if this many columns share `memory`.
pub(crate) fn largest(memory: usize, columns: usize) -> usize {
    (memory / (2 * DEPTH * columns.max(1))).min(LARGEST)
}

type Opened = Result<BlockDecoder>;

/// The next blocks of a column.
pub(crate) struct BlockPrefetch {
    pool: Arc<ThreadPool>,
    /// Blocks after this row are not prefetched.
    pub(crate) until: u64,
    /// Blocks with a larger uncompressed size are not prefetched.
    largest: usize,
    jobs: VecDeque<(usize, Arc<Job<Opened>>)>,
    /// Openers without work.
    idle: Arc<Mutex<Vec<BlockDecoder>>>,
}

impl BlockPrefetch {
    pub(crate) fn new(pool: Arc<ThreadPool>, until: u64, largest: usize) -> Self {
        Self { pool, until, largest, jobs: VecDeque::new(), idle: Arc::default() }
    }

    /// Returns a block if it was prefetched.
    pub(crate) fn take(&mut self, block: usize) -> Option<Opened> {
        while let Some((ahead, job)) = self.jobs.pop_front() {
            if ahead == block {
                // Rather than wait, the caller opens what comes next.
                return job.wait_and_help(|| self.jobs.iter().any(|(_, next)| next.run()));
            }
        }
        None
    }

    /// Takes an opener that is not used any more.
    pub(crate) fn give(&mut self, opener: BlockDecoder) {
        lock(&self.idle).push(opener);
    }

    /// Prefetches the blocks from `next` on. `opener` is cloned for each.
    pub(crate) fn advance(
        &mut self,
        next: usize,
        blocks: &[BlockDescriptor],
        opener: &BlockDecoder,
        read: impl Fn(&BlockDescriptor) -> Result<Bytes>,
    ) {
        let from = self.jobs.back().map_or(next, |(last, _)| last + 1);
        for block in from..next + DEPTH {
            let descriptor = blocks
                .get(block)
                .filter(|block| block.first_row < self.until)
                .filter(|block| block.uncompressed_size as usize <= self.largest);
            // A block that cannot be read fails when it is needed.
            let Some((descriptor, Ok(stored))) = descriptor.map(|d| (d.clone(), read(d))) else {
                return;
            };
            let idle = lock(&self.idle).pop();
            let Ok(mut opener) = idle.map_or_else(|| opener.another(), Ok) else { return };
            let open = move || opener.open(&descriptor, stored).map(|_| opener);
            self.jobs.push_back((block, Job::spawn(&self.pool, open)));
        }
    }
}
