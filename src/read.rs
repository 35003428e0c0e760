//! Reads Trevni files.
//!
//! ```text
//! file ──► file reader ──► projected reader ──► record reader ──► column cursor ──► block decoder ──► values
//!                          some columns         one top-level     block by block    checksum, codec
//!                                               column
//! ```
//! Rows are prefetched on other threads, within a budget of decoded bytes.

pub(crate) mod block_decoder;
pub(crate) mod block_fetch;
pub(crate) mod block_prefetch;
pub(crate) mod byte_ranges;
pub(crate) mod column_cursor;
pub(crate) mod file_reader;
pub(crate) mod prefetch;
pub(crate) mod projected_reader;
pub(crate) mod record_reader;
#[cfg(feature = "object_store")]
pub(crate) mod remote_file;
pub(crate) mod seek;
pub(crate) mod verify;
