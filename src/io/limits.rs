//! Limits on the memory that a reader may use.
//!
//! ```text
//! memory (512 MiB) ─┬─ 1/2  one block, chunk, message or row
//!                   ├─ 1/4  the values of a batch       a batch has fewer rows instead; with threads, two more wait
//!                   └─ 1/4  the blocks that are open    others are closed, and opened again when they are read
//! ```

/// Limits on what a reader may allocate.
///
/// A few bytes of a file can represent any number of values: compressed data, a run, a dictionary, a list of nulls.
/// Sizes are compared with these limits before anything is allocated, and again while values are decoded. A file
/// that exceeds them is refused with [`ErrorKind::TooLarge`](crate::ErrorKind::TooLarge), and can be read with
/// larger limits.
///
/// | limit | bounds | default |
/// |---|---|---|
/// | [`memory`](Self::memory) | what a reader holds at once; the limits below are parts of it | 512 MiB |
/// | [`block_bytes`](Self::block_bytes) | a block, a chunk, a page, a message or a record, before compression | 256 MiB |
/// | [`row_bytes`](Self::row_bytes) | the decoded values of one row | 256 MiB |
/// | [`batch_bytes`](Self::batch_bytes) | the decoded values of a batch, over all columns: it has fewer rows instead | 128 MiB |
/// | [`open_bytes`](Self::open_bytes) | the open blocks of all columns: more are closed after each batch | 128 MiB |
/// | [`values`](Self::values) | the items of arrays in one read of a column, nulls too | 32 Mi |
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes that a reader holds at once. Default: 512 MiB.
    pub memory: usize,
    /// The largest block before compression, in bytes. Default: half of the memory.
    pub block_bytes: usize,
    /// The largest row after decoding, in bytes. Default: half of the memory.
    pub row_bytes: usize,
    /// The largest batch after decoding, in bytes, if it has more than one row. Default: a quarter of the memory.
    pub batch_bytes: usize,
    /// The open blocks of all columns that are kept between batches, in bytes. Default: a quarter of the memory.
    pub open_bytes: usize,
    /// The maximum number of array lengths, and of items, that one read of a column returns. A run of two thousand
    /// million takes five bytes. Default: 32 Mi.
    pub values: usize,
}

impl Limits {
    /// Creates the limits of a reader that may use this many bytes.
    pub fn of_memory(memory: usize) -> Self {
        Self {
            memory,
            block_bytes: memory / 2,
            row_bytes: memory / 2,
            batch_bytes: memory / 4,
            open_bytes: memory / 4,
            values: memory / 16,
        }
    }

    /// Returns the limits of each of this many readers, so that they have these together.
    #[cfg(feature = "arrow")]
    pub(crate) fn divided_by(&self, readers: usize) -> Self {
        self.map(|limit| limit / readers.max(1))
    }

    /// Returns these limits, less one of so many parts.
    #[cfg(feature = "arrow")]
    pub(crate) fn without_part(&self, parts: usize) -> Self {
        self.map(|limit| limit - limit / parts.max(1))
    }

    #[cfg(feature = "arrow")]
    fn map(&self, change: impl Fn(usize) -> usize) -> Self {
        Self {
            memory: change(self.memory),
            block_bytes: change(self.block_bytes),
            row_bytes: change(self.row_bytes),
            batch_bytes: change(self.batch_bytes),
            open_bytes: change(self.open_bytes),
            values: change(self.values),
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::of_memory(512 << 20)
    }
}
