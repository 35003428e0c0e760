//! What all configurations are measured with.

use super::filter::Filter;
use super::table::Table;

/// What all configurations have to do.
pub(super) struct Work<'a> {
    pub(super) table: &'a Table,
    /// The column that is read alone.
    pub(super) column: usize,
    /// The rows that are read by themselves.
    pub(super) rows: Vec<usize>,
    pub(super) filter: Option<Filter>,
}
