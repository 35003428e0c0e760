//! Processes the items of an iterator on several threads, in order.
//!
//! ```text
//! items ──► one thread ──► jobs ──► workers ──► results, in the order of the items
//! ```
//! As many items are processed as there are threads, and a few wait, which bounds the memory. Threads end soon
//! after the results are dropped, or at the end of the items.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Builder;

/// A job: an item, and the channel for its result.
type Job<T, R> = (T, SyncSender<R>);

/// Returns the results of `work` for each item, in order. With one thread, the caller's does everything; with more,
/// one reads the items and the others work. An error means that a thread panicked.
pub(super) fn ordered<T: Send + 'static, R: Send + 'static>(
    items: impl Iterator<Item = T> + Send + 'static,
    threads: usize,
    work: impl Fn(T) -> R + Send + Sync + 'static,
) -> io::Result<Box<dyn Iterator<Item = io::Result<R>> + Send>> {
    if threads <= 1 {
        return Ok(Box::new(items.map(move |item| Ok(work(item)))));
    }
    let (jobs, waiting) = sync_channel::<Job<T, R>>(threads);
    let (order, results) = sync_channel(threads * 2);
    let (waiting, work) = (Arc::new(Mutex::new(waiting)), Arc::new(work));
    for number in 0..threads {
        let (waiting, work) = (waiting.clone(), work.clone());
        let worker = move || run(&waiting, work.as_ref());
        Builder::new().name(format!("worker {number}")).spawn(worker)?;
    }
    Builder::new().name("reader".to_owned()).spawn(move || read(items, &jobs, &order))?;
    Ok(Box::new(Results { results: Some(results) }))
}

/// Creates a job for each item, and marks the end.
fn read<T, R>(
    items: impl Iterator<Item = T>,
    jobs: &SyncSender<Job<T, R>>,
    order: &SyncSender<Option<Receiver<R>>>,
) {
    for item in items {
        let (result, place) = sync_channel(1);
        if order.send(Some(place)).is_err() || jobs.send((item, result)).is_err() {
            return;
        }
    }
    // The receiver has been dropped if this fails.
    let _ = order.send(None);
}

fn run<T, R>(waiting: &Mutex<Receiver<Job<T, R>>>, work: impl Fn(T) -> R) {
    loop {
        let job = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((item, result)) = job else { return };
        // If the result is not wanted, the next will not come.
        let _ = result.send(work(item));
    }
}

struct Results<R> {
    /// `None` after the end.
    results: Option<Receiver<Option<Receiver<R>>>>,
}

impl<R> Iterator for Results<R> {
    type Item = io::Result<R>;

    fn next(&mut self) -> Option<Self::Item> {
        let lost = || io::Error::other("a thread ended before its work was done");
        let next = match self.results.as_ref()?.recv() {
            Ok(Some(result)) => result.recv().map_err(|_| lost()),
            Ok(None) => {
                self.results = None;
                return None;
            }
            Err(_) => Err(lost()),
        };
        if next.is_err() {
            self.results = None;
        }
        Some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order() {
        for threads in [1, 2, 3, 8] {
            for items in [0u64, 1, 2, 1000] {
                let slow = |item: u64| {
                    if item.is_multiple_of(7) {
                        std::thread::yield_now();
                    }
                    item * item
                };
                let results = ordered(0..items, threads, slow).unwrap();
                let results: Vec<u64> = results.map(Result::unwrap).collect();
                assert_eq!(results, (0..items).map(|n| n * n).collect::<Vec<_>>());
            }
            // Endless items end with the results.
            let some: Vec<_> = ordered(0u64.., threads, |n| n).unwrap().take(5).collect();
            assert_eq!(some.len(), 5);
        }
    }

    #[test]
    fn what_a_thread_did_not_do_is_an_error() {
        let items = (0..100).map(|n| if n == 50 { panic!("items") } else { n });
        let results: Vec<_> = ordered(items, 2, |n| n).unwrap().collect();
        assert!(results.len() == 51 && results.last().unwrap().is_err());
        let work = |n| if n == 50 { panic!("work") } else { n };
        let results: Vec<_> = ordered(0..100, 2, work).unwrap().collect();
        assert!(results.len() == 51 && results.last().unwrap().is_err());
    }
}
