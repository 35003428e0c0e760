//! Outputs: rows as text and as files, on the standard output, at a path, or in a store.

pub(crate) mod dataset;
pub(crate) mod json_rows;
pub(crate) mod print;
pub(crate) mod row_table;
pub(crate) mod sink;
pub(crate) mod table;
pub(crate) mod target;
pub(crate) mod type_name;
