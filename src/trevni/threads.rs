//! Work that any of several threads may do, for readers and writers that were asked to use more than one.
//!
//! ```text
//! caller   ──spawn──► pool: whoever is free runs it
//!          ──wait───► runs it here, if nobody has begun; else waits for who has
//! ```
//! Nothing waits for work that nobody does, so a pool of busy threads delays a caller, but never stops it.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::{Error, Result};

/// A pool of so many threads; none if the caller's is enough.
pub(super) fn pool(threads: usize) -> Result<Option<Arc<ThreadPool>>> {
    if threads < 2 {
        return Ok(None);
    }
    let pool = ThreadPoolBuilder::new().num_threads(threads).thread_name(|i| format!("trevni-{i}"));
    let pool = pool.build().map_err(|e| Error::from(std::io::Error::other(e)))?;
    Ok(Some(Arc::new(pool)))
}

type Work<T> = Box<dyn FnOnce() -> T + Send>;

/// Work that is done once, by any thread.
pub(super) struct Job<T> {
    work: Mutex<Option<Work<T>>>,
    done: OnceLock<Mutex<Option<T>>>,
}

impl<T: Send + 'static> Job<T> {
    /// Offers work to a pool.
    pub(super) fn spawn(pool: &ThreadPool, work: impl FnOnce() -> T + Send + 'static) -> Arc<Self> {
        let work: Work<T> = Box::new(work);
        let job = Arc::new(Self { work: Mutex::new(Some(work)), done: OnceLock::new() });
        let theirs = job.clone();
        pool.spawn(move || theirs.run());
        job
    }

    fn run(&self) {
        let work = lock(&self.work).take();
        if let Some(work) = work {
            self.done.get_or_init(|| Mutex::new(Some(work())));
        }
    }

    pub(super) fn is_done(&self) -> bool {
        self.done.get().is_some()
    }

    /// The result, once; done here if no thread has begun.
    pub(super) fn wait(&self) -> Option<T> {
        self.run();
        lock(self.done.wait()).take()
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_is_done_once_whoever_does_it() {
        assert!(pool(1).unwrap().is_none());
        let pool = pool(2).unwrap().unwrap();
        let jobs: Vec<_> = (0..200).map(|i| Job::spawn(&pool, move || i * 2)).collect();
        for (i, job) in jobs.iter().enumerate() {
            assert_eq!(job.wait(), Some(i * 2));
            assert!(job.is_done() && job.wait().is_none());
        }
    }
}
