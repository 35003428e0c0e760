//! Writes Trevni files.
//!
//! ```text
//! rows ──► file writer ──► column writer ──► encoder or packed block builder ──► block compressor ──► spool ──► file
//! ```
//! The columns of a file are written in parallel. A full block is compressed and checksummed, on this or another
//! thread, and stays in the spool until all columns are complete, because each column is contiguous in the file.

pub(crate) mod block_compressor;
pub(crate) mod column_writer;
pub(crate) mod concat;
pub(crate) mod encoding_choice;
pub(crate) mod file_chunks;
pub(crate) mod file_summary;
pub(crate) mod file_writer;
pub(crate) mod null_slots;
pub(crate) mod packed_block_builder;
pub(crate) mod packed_column_writer;
pub(crate) mod row_writer;
