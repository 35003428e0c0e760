//! Chunks dealt out to threads.
//!
//! ```text
//! chunks      0 1 2 3 4 5 ...       each thread takes the next whenever it is done with one
//! in order    0 ─► 1 ─► 2 ─► ...    what must be done in order waits for its turn
//! ```

use std::io;
use std::sync::{Condvar, Mutex, PoisonError};

use crate::Result;

/// Does every job with one of the states, each of which is a thread's; in this thread if there is one only.
pub fn each<J: Send, T: Send>(
    states: &mut [T],
    jobs: impl Iterator<Item = J> + Send,
    work: impl Fn(&mut T, J) -> io::Result<()> + Sync,
) -> Result<()> {
    if let [state] = states {
        return jobs.into_iter().try_for_each(|job| Ok(work(state, job)?));
    }
    let (jobs, work) = (&Mutex::new(jobs), &work);
    let next = || jobs.lock().unwrap_or_else(PoisonError::into_inner).next();
    let run = |state: &mut T| {
        while let Some(job) = next() {
            work(state, job)?;
        }
        io::Result::Ok(())
    };
    std::thread::scope(|scope| {
        let run = &run;
        let threads: Vec<_> =
            states.iter_mut().map(|state| scope.spawn(move || run(state))).collect();
        for thread in threads {
            thread.join().map_err(|_| "a thread was lost")??;
        }
        Ok(())
    })
}

/// Runs the steps of threads in the order of their numbers.
pub struct InOrder<T> {
    next: Mutex<(usize, T)>,
    moved: Condvar,
}

impl<T> InOrder<T> {
    pub fn new(thing: T) -> Self {
        Self { next: Mutex::new((0, thing)), moved: Condvar::new() }
    }

    /// Waits until it is the turn of `number`, and has the thing to itself then.
    pub fn take<R>(&self, number: usize, work: impl FnOnce(&mut T) -> R) -> R {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        while next.0 != number {
            next = self.moved.wait(next).unwrap_or_else(PoisonError::into_inner);
        }
        let given = work(&mut next.1);
        next.0 += 1;
        self.moved.notify_all();
        given
    }

    pub fn into_inner(self) -> T {
        self.next.into_inner().unwrap_or_else(PoisonError::into_inner).1
    }
}
