//! Bytes at any position, with a plan of what will be read.

use std::fs::File;
use std::ops::Range;
use std::sync::Arc;

use trevni::io::ReadAt;

/// Ranges that are read at about the same time.
pub(crate) type Window = Vec<Range<u64>>;

/// A source that can fetch what will be read before it is.
pub(crate) trait PlannedRead: ReadAt {
    /// Sets what will be read, in this order. Other bytes can be read too.
    fn set_plan(&self, _windows: Vec<Window>) {}
}

impl PlannedRead for File {}

impl PlannedRead for Arc<dyn ReadAt> {}
