//! The defaults of readers and writers.
//!
//! | setting | default |
//! |---|---|
//! | rows of a batch | [`BATCH_SIZE`] |
//! | size of a block, plain-encoded | [`BLOCK_SIZE`], with a value codec [`PACK_BLOCK_SIZE`] |
//! | rows of a block with a value codec | [`PACK_BLOCK_ROWS`] |
//! | memory for compressed blocks of a writer | [`MEMORY_BUDGET`] |
//! | false positive rate of Bloom filters | [`BLOOM_FILTER_FPP`] |
//! | size of a file of a data set | [`TARGET_FILE_SIZE`] |
//! | stored size of a prefetched window of a stream | [`WINDOW_BYTES`] |
//!
//! The defaults of memory limits are those of [`Limits`](crate::io::Limits).

/// Rows of a batch.
pub const BATCH_SIZE: usize = 8192;

/// The plain-encoded size in bytes at which a block ends. It is that of the format's specification.
pub const BLOCK_SIZE: usize = 65_536;

/// The plain-encoded size in bytes at which a block of a value codec ends.
pub const PACK_BLOCK_SIZE: usize = 1 << 20;

/// The number of rows at which a block of a value codec ends.
pub const PACK_BLOCK_ROWS: usize = 32_768;

/// Bytes of compressed blocks that a writer holds in memory; more go to a temporary file.
pub const MEMORY_BUDGET: usize = 256 << 20;

/// The approximate false positive rate of Bloom filters.
pub const BLOOM_FILTER_FPP: f64 = 0.05;

/// The approximate size of a file of a data set in bytes.
pub const TARGET_FILE_SIZE: u64 = 128 << 20;

/// The approximate stored size in bytes of a window that a stream prefetches.
pub const WINDOW_BYTES: u64 = 32 << 20;
