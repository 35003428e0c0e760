//! Spawns work on the current runtime, if there is one.
//!
//! ```text
//! on a tokio runtime         spawned: progresses while the caller decodes; aborted when dropped
//! none                       progresses when the caller waits
//! ```

use std::future::Future;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use crate::error::{Error, Result};

/// Spawns a future on the current tokio runtime, or returns it as it is.
pub(crate) fn spawn<T: Send + 'static>(
    work: impl Future<Output = Result<T>> + Send + 'static,
) -> BoxFuture<'static, Result<T>> {
    let Ok(runtime) = Handle::try_current() else { return work.boxed() };
    let mut task = Stopped(runtime.spawn(work));
    async move { (&mut task.0).await.unwrap_or_else(|e| Err(Error::from(std::io::Error::other(e)))) }
        .boxed()
}

/// A task that is aborted when it is dropped.
struct Stopped<T>(JoinHandle<T>);

impl<T> Drop for Stopped<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn needs_no_runtime() {
        assert_eq!(spawn(async { Ok(3) }).now_or_never().unwrap().unwrap(), 3);
    }

    #[tokio::test]
    async fn goes_on_by_itself_and_stops_when_dropped() {
        let done = Arc::new(AtomicBool::new(false));
        let theirs = done.clone();
        let work = spawn(async move {
            theirs.store(true, Ordering::Relaxed);
            Ok(())
        });
        tokio::task::yield_now().await;
        assert!(done.load(Ordering::Relaxed));
        work.await.unwrap();

        let held = Arc::new(());
        let theirs = held.clone();
        let endless = spawn(async move {
            std::future::pending::<()>().await;
            drop(theirs);
            Ok(())
        });
        tokio::task::yield_now().await;
        drop(endless);
        tokio::task::yield_now().await;
        assert_eq!(Arc::strong_count(&held), 1);
        let fails = spawn(async { Err::<(), _>(Error::invalid("no")) });
        assert!(fails.await.is_err());
    }
}
