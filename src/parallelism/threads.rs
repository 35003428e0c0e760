//! Jobs that any of several threads may run.
//!
//! ```text
//! caller   ──spawn──► pool, of one thread fewer: whoever is free runs it
//!          ──wait───► runs it here unless a thread has started it, else waits
//! ```
//! Readers and writers with as many threads share a pool, so that a thousand of them need no more threads than one.
//! A job is run by its waiter if no thread has started it, so a busy pool delays a caller but never blocks it. With
//! few threads a writer encodes column by column and leaves compression and checksums, more than half of the work,
//! to the pool: waking a thread for each column of each batch would cost more than it saves. Readers decode whole
//! batches on each thread.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::task::Waker;
#[cfg(all(feature = "arrow", feature = "object_store"))]
use std::task::{Context, Poll};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::{Error, Result};

/// From this number of threads on, columns are encoded in parallel too.
const WIDE: usize = 4;

/// The pools in use, each with its process and its number of threads: a child process has none of the threads.
static POOLS: Mutex<Vec<(PoolKey, Weak<ThreadPool>)>> = Mutex::new(Vec::new());

type PoolKey = (u32, usize);

/// Returns a pool of `threads` minus the caller's, which is shared with all others that ask for as many; `None` if the
/// caller's is enough. Its threads end with the last who holds it.
pub(crate) fn pool(threads: usize) -> Result<Option<Arc<ThreadPool>>> {
    let threads = super::limit_threads(threads);
    if threads < 2 {
        return Ok(None);
    }
    let key = (std::process::id(), threads - 1);
    if let Some(pool) = find(&lock(&POOLS), key) {
        return Ok(Some(pool));
    }
    // Without the lock: starting threads takes long, and may fail.
    let pool = ThreadPoolBuilder::new().num_threads(threads - 1);
    let pool = pool.thread_name(|i| format!("trevni-{i}"));
    let pool = Arc::new(pool.build().map_err(|e| Error::from(std::io::Error::other(e)))?);
    let mut pools = lock(&POOLS);
    if let Some(first) = find(&pools, key) {
        return Ok(Some(first));
    }
    pools.retain(|(_, pool)| pool.strong_count() > 0);
    pools.push((key, Arc::downgrade(&pool)));
    Ok(Some(pool))
}

fn find(pools: &[(PoolKey, Weak<ThreadPool>)], key: PoolKey) -> Option<Arc<ThreadPool>> {
    pools.iter().filter(|(of, _)| *of == key).find_map(|(_, pool)| pool.upgrade())
}

/// Returns the pool if it is large enough to encode columns.
pub(crate) fn wide(pool: &Option<Arc<ThreadPool>>) -> Option<&ThreadPool> {
    pool.as_deref().filter(|pool| pool.current_num_threads() + 1 >= WIDE)
}

/// The number of times a waiting thread polls before it sleeps: waking takes longer than most jobs.
const LOOKS: usize = 4000;

type Work<T> = Box<dyn FnOnce() -> T + Send>;

/// Work that is done once, by any thread.
pub(crate) struct Job<T> {
    work: Mutex<Option<Work<T>>>,
    done: OnceLock<Mutex<Option<T>>>,
    /// Woken when it is done.
    waker: Mutex<Option<Waker>>,
}

impl<T: Send + 'static> Job<T> {
    /// Offers work to a pool.
    pub(crate) fn spawn(pool: &ThreadPool, work: impl FnOnce() -> T + Send + 'static) -> Arc<Self> {
        let work: Work<T> = Box::new(work);
        let (work, done, waker) = (Mutex::new(Some(work)), OnceLock::new(), Mutex::default());
        let job = Arc::new(Self { work, done, waker });
        let theirs = job.clone();
        pool.spawn(move || {
            theirs.run();
        });
        job
    }

    /// Does the work here, unless a thread has begun. Returns whether it did.
    pub(crate) fn run(&self) -> bool {
        let work = lock(&self.work).take();
        let Some(work) = work else { return false };
        self.done.get_or_init(|| Mutex::new(Some(work())));
        if let Some(waker) = lock(&self.waker).take() {
            waker.wake();
        }
        true
    }

    pub(crate) fn is_done(&self) -> bool {
        self.done.get().is_some()
    }

    /// Returns the result, once; done here if no thread has begun.
    pub(crate) fn wait(&self) -> Option<T> {
        self.run();
        for _ in 0..LOOKS {
            if self.is_done() {
                break;
            }
            std::hint::spin_loop();
        }
        lock(self.done.wait()).take()
    }
}

#[cfg(feature = "arrow")]
impl<T: Send + 'static> Job<T> {
    /// Returns the result, once. While another thread does the work, `help` is called as long as it does something.
    pub(crate) fn wait_and_help(&self, mut help: impl FnMut() -> bool) -> Option<T> {
        while !self.is_done() && !self.run() && help() {}
        self.wait()
    }
}

#[cfg(feature = "arrow")]
impl<T> Job<T> {
    /// Returns the result, once; pending until it is done.
    #[cfg(feature = "object_store")]
    pub(crate) fn poll(&self, cx: &mut Context<'_>) -> Poll<Option<T>> {
        *lock(&self.waker) = Some(cx.waker().clone());
        match self.done.get() {
            Some(result) => Poll::Ready(lock(result).take()),
            None => Poll::Pending,
        }
    }

    /// Drops the work, unless a thread has begun. Returns whether it did.
    pub(crate) fn cancel(&self) -> bool {
        lock(&self.work).take().is_some()
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_threads_are_one_pool() {
        let pools: Vec<_> = (0..1000).map(|_| pool(4).unwrap().unwrap()).collect();
        assert!(pools.iter().all(|pool| Arc::ptr_eq(pool, &pools[0])));
        let other = pool(2).unwrap().unwrap();
        assert!(!Arc::ptr_eq(&other, &pools[0]));
        assert_eq!((pools[0].current_num_threads(), other.current_num_threads()), (3, 1));
    }

    #[cfg(feature = "object_store")]
    #[test]
    fn a_task_is_woken_when_its_job_is_done() {
        let pool = pool(2).unwrap().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let wait = || {
            std::thread::sleep(std::time::Duration::from_millis(20));
            7
        };
        let job = Job::spawn(&pool, wait);
        while job.work.lock().unwrap().is_some() {
            std::thread::yield_now();
        }
        let result = runtime.block_on(std::future::poll_fn(|cx| job.poll(cx)));
        assert_eq!(result, Some(7));
    }

    #[test]
    fn every_job_is_done_once_whoever_does_it() {
        assert!(pool(1).unwrap().is_none());
        let pool = pool(3).unwrap();
        assert!(wide(&pool).is_none());
        let pool = pool.unwrap();
        let jobs: Vec<_> = (0..200).map(|i| Job::spawn(&pool, move || i * 2)).collect();
        for (i, job) in jobs.iter().enumerate() {
            assert_eq!(job.wait(), Some(i * 2));
            assert!(job.is_done() && job.wait().is_none());
        }
    }
}
