//! Chunks dealt out to threads.
//!
//! ```text
//! thread 0    chunk 0      chunk 2      chunk 4 ...        a lane: every so many of them
//! thread 1         chunk 1      chunk 3      ...
//! ```

use std::sync::{Condvar, Mutex};

use crate::Result;

/// Runs `work` in each lane, with the lane's number; in this thread if there is one lane only.
pub fn each<T: Send>(
    threads: usize,
    states: &mut [T],
    work: impl Fn(usize, &mut T) -> std::io::Result<()> + Sync,
) -> Result<()> {
    if threads == 1 {
        return Ok(states.iter_mut().take(1).try_for_each(|state| work(0, state))?);
    }
    let work = &work;
    std::thread::scope(|scope| {
        let lanes = states.iter_mut().take(threads).enumerate();
        let lanes: Vec<_> =
            lanes.map(|(lane, state)| scope.spawn(move || work(lane, state))).collect();
        for lane in lanes {
            lane.join().map_err(|_| "a thread was lost")??;
        }
        Ok(())
    })
}

/// Lets lanes take turns, in the order of their numbers.
#[derive(Default)]
pub struct Turns<T> {
    next: Mutex<(usize, T)>,
    moved: Condvar,
}

impl<T> Turns<T> {
    pub fn new(thing: T) -> Self {
        Self { next: Mutex::new((0, thing)), moved: Condvar::new() }
    }

    /// Waits until it is the turn of `number`, and has the thing to itself then.
    pub fn take<R>(&self, number: usize, work: impl FnOnce(&mut T) -> R) -> R {
        let mut next = self.next.lock().unwrap_or_else(|e| e.into_inner());
        while next.0 != number {
            next = self.moved.wait(next).unwrap_or_else(|e| e.into_inner());
        }
        let given = work(&mut next.1);
        next.0 += 1;
        self.moved.notify_all();
        given
    }

    pub fn into_inner(self) -> T {
        self.next.into_inner().unwrap_or_else(|e| e.into_inner()).1
    }
}
