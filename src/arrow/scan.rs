//! Reads the rows of a file or of several, in their order.
//!
//! ```text
//! builder      projection, row selection, predicate, row filter, batch size ──► file plan, once for a file
//! local        ordered scan: units of rows, on one thread or several ──► batches, in order
//! store        stream: windows of rows are fetched, then decoded     ──► batches, in order
//! ```

pub(crate) mod arrow_reader;
pub(crate) mod builder;
pub(crate) mod file_plan;
mod file_setters;
pub(crate) mod ordered_scan;
pub(crate) mod part;
pub(crate) mod settings;
pub(crate) mod shares;
#[cfg(feature = "object_store")]
pub(crate) mod stream;
pub(crate) mod trim;
mod unit;
pub(crate) mod verify;

#[cfg(test)]
mod tests;
