//! Operations on Arrow arrays that Arrow's kernels lack, or that are faster here.

pub(crate) mod branch;
pub(crate) mod buffer_pool;
pub(crate) mod compact;
pub(crate) mod expand_nulls;
pub(crate) mod filter;
pub(crate) mod map_rows;
pub(crate) mod nested;
pub(crate) mod row_map;
pub(crate) mod utf8;
