//! Arrow arrays without children to and from the values of columns.

pub(crate) mod types;
pub(crate) mod utf8;
