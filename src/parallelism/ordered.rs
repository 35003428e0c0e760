//! Runs tasks on several threads and returns their results in the order of the tasks.
//!
//! ```text
//! tasks      0  1  2  3 │ 4  5 ...                the next starts when a result is returned
//! pool, caller   ██ █▒ ░                          a caller that would wait runs a task instead, the first in its own way
//! results    0 ◄──
//! ```

use std::collections::VecDeque;
use std::sync::Arc;
#[cfg(feature = "object_store")]
use std::task::{Context, Poll, ready};

use rayon::ThreadPool;

use super::threads::Job;
use crate::error::{Error, Result};

/// Tasks that are in progress, each with a label.
pub(crate) struct Ordered<L, T> {
    pool: Arc<ThreadPool>,
    jobs: VecDeque<(L, Arc<Job<T>>)>,
}

/// A task that was the first, with its label; `None` if there is none.
type First<L, T> = Option<Result<(L, Popped<T>)>>;

/// The first task.
pub(crate) enum Popped<T> {
    Done(T),
    /// No thread has begun it, and none will.
    NotBegun,
}

impl<L, T: Send + 'static> Ordered<L, T> {
    pub(crate) fn new(pool: Arc<ThreadPool>) -> Self {
        Self { pool, jobs: VecDeque::new() }
    }

    /// Returns how many tasks should be in progress: one for each thread, one that is being returned, and one more.
    pub(crate) fn depth(pool: &ThreadPool) -> usize {
        pool.current_num_threads() + 2
    }

    /// Returns whether another task may start.
    pub(crate) fn has_room(&self) -> bool {
        self.jobs.len() < Self::depth(&self.pool)
    }

    /// Starts a task.
    pub(crate) fn push(&mut self, label: L, task: impl FnOnce() -> T + Send + 'static) {
        self.jobs.push_back((label, Job::spawn(&self.pool, task)));
    }

    /// Removes the first task; `None` if there is none. Waits for its result if a thread has begun it, and runs other
    /// tasks meanwhile.
    pub(crate) fn pop(&mut self) -> First<L, T> {
        let (label, job) = self.jobs.pop_front()?;
        if job.cancel() {
            return Some(Ok((label, Popped::NotBegun)));
        }
        let result = job.wait_and_help(|| self.jobs.iter().any(|(_, next)| next.run()));
        Some(result.ok_or_else(died).map(|result| (label, Popped::Done(result))))
    }

    /// Removes the first task, as [`pop`](Self::pop) does, without waiting: pending if a thread runs it.
    #[cfg(feature = "object_store")]
    pub(crate) fn poll_pop(&mut self, cx: &mut Context<'_>) -> Poll<First<L, T>> {
        let Some((_, job)) = self.jobs.front() else { return Poll::Ready(None) };
        let popped = match job.cancel() {
            true => Ok(Popped::NotBegun),
            false => ready!(job.poll(cx)).map(Popped::Done).ok_or_else(died),
        };
        let first = self.jobs.pop_front();
        Poll::Ready(first.map(|(label, _)| popped.map(|popped| (label, popped))))
    }

    /// Removes all tasks, and returns their labels. Those that have started end without effect.
    pub(crate) fn clear(&mut self) -> impl Iterator<Item = L> {
        self.jobs.drain(..).map(|(label, job)| {
            job.cancel();
            label
        })
    }
}

fn died() -> Error {
    Error::from(std::io::Error::other("a thread that reads has died"))
}

impl<L, T> Drop for Ordered<L, T> {
    fn drop(&mut self) {
        for (_, job) in &self.jobs {
            job.cancel();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parallelism::threads;

    #[test]
    fn results_are_in_the_order_of_the_tasks() {
        let mut ordered = Ordered::new(threads::pool(3).unwrap().unwrap());
        let (mut next, mut results) = (0, Vec::new());
        loop {
            while ordered.has_room() && next < 100 {
                let n = next;
                ordered.push(n, move || n * n);
                next += 1;
            }
            match ordered.pop() {
                Some(result) => match result.unwrap() {
                    (n, Popped::Done(square)) => results.push((n, square)),
                    (n, Popped::NotBegun) => results.push((n, n * n)),
                },
                None => break,
            }
        }
        assert_eq!(results, (0..100).map(|n| (n, n * n)).collect::<Vec<_>>());
        ordered.push(7, || 0);
        assert_eq!(ordered.clear().collect::<Vec<_>>(), [7]);
        assert!(ordered.pop().is_none());
    }
}
