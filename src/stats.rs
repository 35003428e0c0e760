//! Statistics of blocks and columns, and Bloom filters.
//!
//! ```text
//! write   values of a block ──► collector ──► block statistics, Bloom filter ──► metadata of the column
//! read    metadata of the column ──► block statistics, Bloom filter ──► the blocks that can hold a value
//! ```

pub(crate) mod block_statistics;
pub(crate) mod bloom_filter;
pub(crate) mod collector;
pub(crate) mod column_statistics;
pub(crate) mod sort_order;
pub(crate) mod string_bounds;
pub(crate) mod truncate;
