//! The threads of a reader or a writer that was asked to use more than the caller's.

use std::sync::Arc;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::{Error, Result};

/// A pool of so many threads; none if the caller's is enough.
pub(crate) fn pool(threads: usize) -> Result<Option<Arc<ThreadPool>>> {
    if threads < 2 {
        return Ok(None);
    }
    let pool = ThreadPoolBuilder::new().num_threads(threads).thread_name(|i| format!("trevni-{i}"));
    let pool = pool.build().map_err(|e| Error::from(std::io::Error::other(e)))?;
    Ok(Some(Arc::new(pool)))
}
