//! The runtime of requests to object stores.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::runtime::{Builder, Runtime};

use crate::errors::Result;

/// The runtime, and the process that started its threads: a process that is forked has none of them.
static RUNTIME: Mutex<Option<(u32, Arc<Runtime>)>> = Mutex::new(None);

/// Returns the runtime of this process.
pub(crate) fn runtime() -> Result<Arc<Runtime>> {
    let mut known = RUNTIME.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if let Some((owner, runtime)) = &*known {
        if *owner == process {
            return Ok(runtime.clone());
        }
        // Dropping it would wait for threads that do not exist here.
        std::mem::forget(known.take());
    }
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    Ok(known.insert((process, Arc::new(runtime))).1.clone())
}
