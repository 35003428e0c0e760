//! Column statistics as Arrow arrays, and the pruning of blocks by them.

pub(crate) mod enabled_columns;
pub(crate) mod pruning;
pub(crate) mod statistics;
