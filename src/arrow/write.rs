//! Writes record batches.
//!
//! ```text
//! RecordBatch ──► leaf values without null slots ──► shred: one slice a column ──► file writer
//! ```

pub(crate) mod arrow_writer;
#[cfg(feature = "object_store")]
pub(crate) mod async_writer;
pub(crate) mod batch_schema;
mod column_paths;
pub(crate) mod enabled_columns;
pub(crate) mod file_settings;
pub(crate) mod properties;
pub(crate) mod shred;
