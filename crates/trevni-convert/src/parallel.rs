//! Processes the items of an iterator on several threads, in order.
//!
//! ```text
//! items ──► each worker in turn takes one ──► results, in the order of the items
//! ```
//! As many items are processed as there are threads, and a few results wait, which bounds the memory. A worker that
//! makes an item has its bytes in the caches of its core. Threads end soon after the results are dropped, or at the
//! end of the items.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::Builder;

/// The items that are left, and where the places of their results go. `None` at the end.
type Items<I, R> = Mutex<Option<(I, SyncSender<Option<Receiver<R>>>)>>;

/// Results in the order of their items. An error means that a thread panicked, or could not start.
pub(super) type Ordered<R> = Box<dyn Iterator<Item = io::Result<R>> + Send>;

/// Returns the results of `work` for each item, in order. With one thread, the caller's does everything; with more,
/// each of them takes items and works. Threads start when the first result is wanted.
pub(super) fn ordered<T: Send + 'static, R: Send + 'static>(
    items: impl Iterator<Item = T> + Send + 'static,
    threads: usize,
    work: impl Fn(T) -> R + Send + Sync + 'static,
) -> Ordered<R> {
    if threads <= 1 {
        return Box::new(items.map(move |item| Ok(work(item))));
    }
    let mut start = Some(move || start(items, threads, work));
    let mut results = None;
    Box::new(std::iter::from_fn(move || {
        match start.take().map(|start| start()) {
            Some(Ok(started)) => results = Some(started),
            Some(Err(e)) => return Some(Err(e)),
            None => {}
        }
        results.as_mut()?.next()
    }))
}

fn start<T: Send + 'static, R: Send + 'static>(
    items: impl Iterator<Item = T> + Send + 'static,
    threads: usize,
    work: impl Fn(T) -> R + Send + Sync + 'static,
) -> io::Result<Results<R>> {
    let (order, results) = sync_channel(threads * 2);
    let (items, work) = (Arc::new(Mutex::new(Some((items, order)))), Arc::new(work));
    for number in 0..threads {
        let (items, work) = (items.clone(), work.clone());
        let worker = move || {
            while let Some((item, place)) = next(&items) {
                // If the result is not wanted, the next will not come.
                let _ = place.send(work(item));
            }
        };
        Builder::new().name(format!("worker {number}")).spawn(worker)?;
    }
    Ok(Results { results: Some(results) })
}

/// Takes the next item, and gives its result a place; `None` at the end, or if results are not wanted any more.
fn next<T, R>(items: &Items<impl Iterator<Item = T>, R>) -> Option<(T, SyncSender<R>)> {
    // After a panic of the items there are no others.
    let mut left = items.lock().ok()?;
    let (items, order) = left.as_mut()?;
    let item = items.next();
    let (place, result) = sync_channel(1);
    let is_wanted = order.send(item.is_some().then_some(result)).is_ok();
    if item.is_none() || !is_wanted {
        *left = None;
        return None;
    }
    item.map(|item| (item, place))
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
                let results = ordered(0..items, threads, slow);
                let results: Vec<u64> = results.map(Result::unwrap).collect();
                assert_eq!(results, (0..items).map(|n| n * n).collect::<Vec<_>>());
            }
            // Endless items end with the results.
            let some: Vec<_> = ordered(0u64.., threads, |n| n).take(5).collect();
            assert_eq!(some.len(), 5);
        }
    }

    #[test]
    fn what_a_thread_did_not_do_is_an_error() {
        let items = (0..100).map(|n| if n == 50 { panic!("items") } else { n });
        let results: Vec<_> = ordered(items, 2, |n| n).collect();
        assert!(results.len() == 51 && results.last().unwrap().is_err());
        let work = |n| if n == 50 { panic!("work") } else { n };
        let results: Vec<_> = ordered(0..100, 2, work).collect();
        assert!(results.len() == 51 && results.last().unwrap().is_err());
    }
}
