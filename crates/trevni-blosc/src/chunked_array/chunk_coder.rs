//! Decodes and encodes several chunks in parallel.
//!
//! ```text
//! jobs   0 1 2 3 4 5 6 7         two threads: each takes the next job whenever it is done with one,
//!                                with a coder of its own for all of them
//! ```

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use crate::chunk::{Decoder, Encoder, Params};
use trevni::Result;
use trevni::io::Limits;

/// The largest decoder that is kept for later, in bytes.
const KEPT: usize = 8 << 20;

/// How many threads are at work, and the coders that they leave for later: new ones would have to find their memory
/// again.
#[derive(Debug)]
pub(super) struct Coders<T> {
    pub(super) threads: usize,
    is_kept: fn(&T) -> bool,
    spare: Mutex<Vec<T>>,
    /// The working memory of a block, in bytes.
    limit: usize,
}

impl<T: Send> Coders<T> {
    fn new(threads: usize, is_kept: fn(&T) -> bool) -> Self {
        let limit = Limits::default().block_bytes;
        Self { threads: threads.max(1), is_kept, spare: Mutex::default(), limit }
    }

    /// Does every job with a coder; see [`each`].
    fn each<J: Send, R: Send>(
        &self,
        jobs: Vec<J>,
        make: impl Fn() -> Result<T> + Sync,
        work: impl Fn(&mut T, J) -> Result<R> + Sync,
    ) -> Result<Vec<R>> {
        let lend =
            || Ok(BorrowedCoder { coder: Some(self.take().map_or_else(&make, Ok)?), home: self });
        each(self.threads, jobs, lend, |borrowed, job| match &mut borrowed.coder {
            Some(coder) => work(coder, job),
            None => work(&mut make()?, job),
        })
    }

    /// Drops the coders that are kept.
    pub(super) fn clear(&self) {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn take(&self) -> Option<T> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    pub(super) fn keep(&self, coder: T) {
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.len() < self.threads && (self.is_kept)(&coder) {
            spare.push(coder);
        }
    }
}

impl Coders<Decoder> {
    /// Readers that share the working memory that limits allow.
    pub(super) fn readers(threads: usize, limits: &Limits) -> Self {
        let readers = Self::new(threads, |decoder| decoder.memory() <= KEPT);
        let limit = limits.block_bytes / readers.threads;
        Self { limit, ..readers }
    }

    /// Does every job with a decoder.
    pub(super) fn read<J: Send, R: Send>(
        &self,
        jobs: Vec<J>,
        work: impl Fn(&mut Decoder, J) -> Result<R> + Sync,
    ) -> Result<Vec<R>> {
        self.each(jobs, || Ok(Decoder::default().with_limit(self.limit)), work)
    }
}

impl Coders<Encoder> {
    pub(super) fn writers(threads: usize) -> Self {
        Self::new(threads, |_| true)
    }

    /// Encodes chunks of these bytes, each in the memory beside them.
    pub(super) fn encode(
        &self,
        params: &Params,
        parts: Vec<(&[u8], Vec<u8>)>,
    ) -> Result<Vec<Vec<u8>>> {
        self.each(
            parts,
            || Encoder::new(params),
            |encoder, (part, mut chunk)| {
                chunk.clear();
                encoder.encode(part, &mut chunk).map(|()| chunk)
            },
        )
    }
}

/// A coder that is returned to the pool.
struct BorrowedCoder<'a, T: Send> {
    coder: Option<T>,
    home: &'a Coders<T>,
}

impl<T: Send> Drop for BorrowedCoder<'_, T> {
    fn drop(&mut self) {
        if let Some(coder) = self.coder.take() {
            self.home.keep(coder);
        }
    }
}

/// Runs jobs on at most `threads` threads, each with one `T` for all its jobs. Returns the first error in the order
/// of the jobs.
pub(super) fn each<J: Send, T, R: Send>(
    threads: usize,
    jobs: Vec<J>,
    make: impl Fn() -> Result<T> + Sync,
    work: impl Fn(&mut T, J) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let threads = threads.min(jobs.len());
    if threads < 2 {
        let mut worker = make()?;
        return jobs.into_iter().map(|job| work(&mut worker, job)).collect();
    }
    let jobs = Mutex::new(jobs.into_iter().enumerate());
    let next = || jobs.lock().unwrap_or_else(PoisonError::into_inner).next();
    let failed = AtomicBool::new(false);
    let run = |_| -> Result<Vec<(usize, Result<R>)>> {
        let (mut worker, mut done) = (make()?, Vec::new());
        while !failed.load(Ordering::Relaxed) {
            let Some((number, job)) = next() else { break };
            let result = work(&mut worker, job);
            failed.fetch_or(result.is_err(), Ordering::Relaxed);
            done.push((number, result));
        }
        Ok(done)
    };
    // The jobs before one that fails have been taken, and are done.
    let parts: Vec<Result<_>> = (0..threads).into_par_iter().with_max_len(1).map(run).collect();
    let mut all = Vec::new();
    for part in parts {
        all.extend(part?);
    }
    all.sort_unstable_by_key(|(number, _)| *number);
    all.into_iter().map(|(_, result)| result).collect()
}

/// Encodes chunks of these bytes.
pub(super) fn encode(threads: usize, params: &Params, parts: Vec<&[u8]>) -> Result<Vec<Vec<u8>>> {
    let parts = parts.into_iter().map(|part| (part, Vec::new())).collect();
    Coders::writers(threads).encode(params, parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use trevni::Error;

    #[test]
    fn results_and_errors_come_in_the_order_of_the_jobs() {
        for threads in [1, 2, 3, 100] {
            let jobs: Vec<u32> = (0..17).collect();
            let doubled = each(threads, jobs.clone(), || Ok(()), |(), n| Ok(2 * n)).unwrap();
            assert_eq!(doubled, (0..17).map(|n| 2 * n).collect::<Vec<_>>());
            let odd = |(): &mut (), n: u32| match n % 5 {
                3 => Err(Error::invalid(format!("job {n}"))),
                _ => Ok(n),
            };
            let e = each(threads, jobs, || Ok(()), odd).unwrap_err();
            assert_eq!(e.to_string(), "invalid: job 3");
        }
        assert!(each(2, Vec::<u32>::new(), || Ok(()), |(), n| Ok(n)).unwrap().is_empty());
    }
}
