//! Operations on Arrow arrays that Arrow's kernels lack, or that are faster here.

pub(crate) mod buffer_pool;
pub(crate) mod compact;
pub(crate) mod expand_nulls;
pub(crate) mod filter;
pub(crate) mod nested;
pub(crate) mod take;
pub(crate) mod utf8;
