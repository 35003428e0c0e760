//! Decodes rows of a file into record batches.
//!
//! ```text
//! rows of the selection ──► field readers ──► assemble: one array a field ──► RecordBatch
//! rows that pass predicates ──► filter reader ──────────────────────┘
//! ```

pub(crate) mod assemble;
pub(crate) mod batch_reader;
pub(crate) mod bound_filter;
pub(crate) mod column_buffers;
pub(crate) mod evaluated_window;
pub(crate) mod field_reader;
pub(crate) mod filter_reader;
pub(crate) mod filter_stage;
pub(crate) mod metadata;
pub(crate) mod options;
pub(crate) mod remaining_rows;
pub(crate) mod row_filter;
pub(crate) mod stored;
