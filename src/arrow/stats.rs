//! Column statistics as Arrow arrays, and pruning of blocks by them.

pub(crate) mod block_filters;
pub(crate) mod pruning;
pub(crate) mod sorting;
pub(crate) mod statistics;
