//! Writes record batches.
//!
//! ```text
//! RecordBatch ──► leaf values without null slots ──► shred: one slice a column ──► file writer
//! ```

pub(crate) mod arrow_writer;
#[cfg(feature = "object_store")]
pub(crate) mod async_writer;
pub(crate) mod borrowed_column;
pub(crate) mod compact;
pub(crate) mod properties;
pub(crate) mod shred;
pub(crate) mod sorting;
