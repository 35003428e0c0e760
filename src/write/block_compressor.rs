//! Compresses full blocks and computes their checksums, in order, on one or several threads.
//!
//! ```text
//! RawBlock ──► queue ──► compress, checksum ──► CompressedBlock ──► spool
//!               └ one thread: at once; more: jobs that the pool takes, or whoever waits for them
//! ```

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use rayon::ThreadPool;

use crate::checksum::Checksum;
use crate::codec::{Codec, Compress};
use crate::error::Result;
use crate::format::block::{self, BlockDescriptor};
use crate::format::value::Value;
use crate::parallelism::threads::{self, Job};
use crate::stats::collector::CollectedStatistics;

/// A full block, before its codec.
#[derive(Debug, Default)]
pub(crate) struct RawBlock {
    pub(crate) bytes: Vec<u8>,
    pub(crate) rows: u32,
    pub(crate) first_value: Option<Value<'static>>,
    pub(crate) collected: CollectedStatistics,
}

/// A block as it is stored in the file, and its descriptor.
#[derive(Debug)]
pub(crate) struct CompressedBlock {
    pub(crate) stored: Vec<u8>,
    pub(crate) descriptor: BlockDescriptor,
    pub(crate) collected: CollectedStatistics,
    /// Memory to reuse: that of the raw block, unless that is stored itself.
    pub(crate) reusable: Vec<u8>,
    /// Whether the raw block itself is stored, with its checksum.
    pub(crate) is_raw: bool,
}

impl CompressedBlock {
    /// Returns the block as it was before.
    pub(crate) fn into_raw(mut self) -> RawBlock {
        let BlockDescriptor { rows, first_value, uncompressed_size, .. } = self.descriptor;
        if self.is_raw {
            self.stored.truncate(uncompressed_size as usize);
            return RawBlock { bytes: self.stored, rows, first_value, collected: self.collected };
        }
        RawBlock { bytes: self.reusable, rows, first_value, collected: self.collected }
    }
}

/// The compressors that no thread uses at the moment, of all columns of a file: there are as many as threads, since the
/// memory of one for each column would be more than that of the data of wide tables.
#[derive(Clone, Default)]
pub(crate) struct IdleCompressors(Arc<Mutex<Vec<IdleCompressor>>>);

struct IdleCompressor {
    codec: Codec,
    compressor: Box<dyn Compress>,
}

impl IdleCompressors {
    fn pop(&self, codec: Codec) -> Option<Box<dyn Compress>> {
        let mut idle = threads::lock(&self.0);
        let at = idle.iter().rposition(|idle| idle.codec == codec)?;
        Some(idle.swap_remove(at).compressor)
    }

    fn push(&self, codec: Codec, compressor: Box<dyn Compress>) {
        threads::lock(&self.0).push(IdleCompressor { codec, compressor });
    }
}

/// Compresses the blocks of a column, on several threads.
pub(crate) struct BlockCompressor {
    codec: Codec,
    level: Option<i32>,
    checksum: Checksum,
    idle: IdleCompressors,
}

impl BlockCompressor {
    /// Creates one that shares idle compressors with others of the same level. Fails if this build has no such codec.
    pub(crate) fn new(
        codec: Codec,
        level: Option<i32>,
        checksum: Checksum,
        idle: &IdleCompressors,
    ) -> Result<Self> {
        codec.check_available()?;
        Ok(Self { codec, level, checksum, idle: idle.clone() })
    }

    pub(crate) fn codec(&self) -> Codec {
        self.codec
    }

    /// Returns the same with another codec.
    pub(crate) fn with(&self, codec: Codec) -> Result<Self> {
        Self::new(codec, self.level, self.checksum, &self.idle)
    }

    /// Compresses a block and computes its checksum. `stored` is reused memory.
    pub(crate) fn compress(&self, raw: RawBlock, mut stored: Vec<u8>) -> Result<CompressedBlock> {
        stored.clear();
        let RawBlock { mut bytes, rows, first_value, collected } = raw;
        let uncompressed_size = block::block_size(bytes.len())?;
        let is_raw = self.codec == Codec::Null;
        if is_raw {
            // The block is stored without copying it.
            std::mem::swap(&mut bytes, &mut stored);
        } else {
            self.with_compressor(|compressor| compressor.compress(&bytes, &mut stored))?;
        }
        let compressed_size = block::block_size(stored.len())?;
        if self.checksum.size() > 0 {
            let proof = match is_raw || self.checksum.is_of_stored() {
                true => self.checksum.of(&stored),
                false => self.checksum.of(&bytes),
            };
            stored.extend(proof);
        }
        let descriptor = BlockDescriptor {
            rows,
            uncompressed_size,
            compressed_size,
            first_value,
            first_row: 0,
            offset: 0,
        };
        Ok(CompressedBlock { stored, descriptor, collected, reusable: bytes, is_raw })
    }

    /// Returns the cost of a block to a reader: the bytes it reads, plus those that cost as much time as
    /// decompression.
    pub(crate) fn cost(&self, compressed: &CompressedBlock) -> Result<usize> {
        let size = compressed.descriptor.compressed_size as usize;
        let stored = compressed.stored.get(..size).unwrap_or_default();
        let raw = compressed.descriptor.uncompressed_size as usize;
        Ok(size + self.with_compressor(|compressor| Ok(compressor.effort(raw, stored)))?)
    }

    fn with_compressor<T>(&self, work: impl FnOnce(&mut dyn Compress) -> Result<T>) -> Result<T> {
        let mut compressor = match self.idle.pop(self.codec) {
            Some(compressor) => compressor,
            None => self.codec.compressor(self.level)?,
        };
        let result = work(&mut *compressor);
        self.idle.push(self.codec, compressor);
        result
    }
}

impl std::fmt::Debug for BlockCompressor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BlockCompressor").field("codec", &self.codec).finish_non_exhaustive()
    }
}

/// Blocks of all columns that are compressed on their way to the spool, first in, first out.
pub(crate) struct SealQueue {
    pool: Option<Arc<ThreadPool>>,
    /// How many blocks may wait.
    most: usize,
    waiting: VecDeque<(usize, PendingBlock)>,
    /// Memory of stored blocks that have gone to the spool, and of raw ones.
    stored: Vec<Vec<u8>>,
    raw: Vec<Vec<u8>>,
}

enum PendingBlock {
    Sealed(CompressedBlock),
    Job { job: Arc<Job<Result<CompressedBlock>>>, bytes: usize },
}

impl SealQueue {
    /// Creates a queue of no thread but the caller's, or of a pool.
    pub(crate) fn new(pool: Option<Arc<ThreadPool>>) -> Self {
        let most = pool.as_ref().map_or(0, |pool| 8 * pool.current_num_threads() + 8);
        Self { pool, most, waiting: VecDeque::new(), stored: Vec::new(), raw: Vec::new() }
    }

    /// Pushes a full block of a column, of this many bytes, and the function that compresses it into reused memory.
    pub(crate) fn push(
        &mut self,
        lane: usize,
        bytes: usize,
        seal: impl FnOnce(Vec<u8>) -> Result<CompressedBlock> + Send + 'static,
    ) -> Result<()> {
        let stored = self.stored.pop().unwrap_or_default();
        let waiting = match &self.pool {
            None => PendingBlock::Sealed(seal(stored)?),
            Some(pool) => PendingBlock::Job { job: Job::spawn(pool, move || seal(stored)), bytes },
        };
        self.waiting.push_back((lane, waiting));
        Ok(())
    }

    /// Takes a block that is compressed already.
    pub(crate) fn push_sealed(&mut self, lane: usize, compressed: CompressedBlock) {
        self.waiting.push_back((lane, PendingBlock::Sealed(compressed)));
    }

    /// Returns the next block that is due: one that is ready, or that must be waited for so that not too many wait, or,
    /// at the end, any.
    pub(crate) fn pop(&mut self, end: bool) -> Option<(usize, Result<CompressedBlock>)> {
        while !self.waiting.front()?.1.is_done() {
            if !end && self.waiting.len() <= self.most {
                return None;
            }
            // The caller compresses a block that no thread has started instead of waiting.
            if !self.waiting.iter().any(|(_, waiting)| waiting.run()) {
                break;
            }
        }
        let (lane, first) = self.waiting.pop_front()?;
        let compressed = match first {
            PendingBlock::Sealed(compressed) => Ok(compressed),
            PendingBlock::Job { job, .. } => job.wait()?,
        };
        Some((lane, compressed))
    }

    /// Returns the memory of a block for reuse.
    pub(crate) fn recycle(&mut self, stored: Vec<u8>, raw: Vec<u8>) {
        for (kept, memory) in [(&mut self.stored, stored), (&mut self.raw, raw)] {
            if kept.len() < self.most + 4 {
                kept.push(memory);
            }
        }
    }

    /// Memory for a raw block.
    pub(crate) fn memory(&mut self) -> Option<Vec<u8>> {
        self.raw.pop()
    }

    /// Returns the bytes of blocks that wait, before the codec.
    pub(crate) fn bytes(&self) -> usize {
        self.waiting.iter().map(|(_, waiting)| waiting.bytes()).sum()
    }
}

impl PendingBlock {
    fn is_done(&self) -> bool {
        match self {
            PendingBlock::Sealed(_) => true,
            PendingBlock::Job { job, .. } => job.is_done(),
        }
    }

    /// Compresses the block here, unless a thread has started.
    fn run(&self) -> bool {
        match self {
            PendingBlock::Sealed(_) => false,
            PendingBlock::Job { job, .. } => job.run(),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            PendingBlock::Sealed(compressed) => compressed.descriptor.uncompressed_size as usize,
            PendingBlock::Job { bytes, .. } => *bytes,
        }
    }
}
