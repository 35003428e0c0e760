//! Reads Trevni files.
//!
//! ```text
//! file ──► file reader ──► projected reader ──► record reader ──► column cursor ──► block decoder ──► values
//!                          some columns         one top-level     block by block    checksum, codec
//!                                               column
//! ```
//! Blocks are read and decoded one after another, on the caller's thread; record batches are read on several.

pub(crate) mod block_decoder;
pub(crate) mod block_encoding;
pub(crate) mod byte_ranges;
pub(crate) mod column_cursor;
pub(crate) mod file_metadata;
pub(crate) mod file_reader;
pub(crate) mod projected_reader;
pub(crate) mod read_metrics;
pub(crate) mod record_reader;
#[cfg(feature = "object_store")]
pub(crate) mod remote_file;
pub(crate) mod seek;
pub(crate) mod verify;
