//! Reads record batches.
//!
//! ```text
//! builder      projection, row selection, predicate, row filter, batch size
//! reader       rows of the selection ──► field readers ──► assemble: one array a field ──► RecordBatch
//!              rows that pass predicates ──► filter reader ──────────────────────┘
//! stream       fetches the ranges of an object first
//! ```

pub(crate) mod arrow_reader;
pub(crate) mod assemble;
pub(crate) mod batch_reader;
pub(crate) mod bound_filter;
pub(crate) mod builder;
pub(crate) mod column_buffers;
pub(crate) mod evaluated_window;
pub(crate) mod field_reader;
pub(crate) mod filter_reader;
pub(crate) mod filter_stage;
pub(crate) mod metadata;
pub(crate) mod options;
pub(crate) mod parallel_reader;
#[cfg(feature = "object_store")]
pub(crate) mod push_reader;
pub(crate) mod read_plan;
pub(crate) mod remaining_rows;
pub(crate) mod row_filter;
pub(crate) mod stored;
#[cfg(feature = "object_store")]
pub(crate) mod stream;
pub(crate) mod verify;
