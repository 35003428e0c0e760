//! Converts Arrow arrays without children to and from the values of columns.

pub(crate) mod borrowed_column;
pub(crate) mod precision;
pub(crate) mod types;
