//! Decoders and encoders at work on several chunks at a time.
//!
//! ```text
//! jobs   0 1 2 3 4 5 6 7         two threads: the first takes 0 to 3, the second 4 to 7, each with a coder of its own
//! ```

use rayon::prelude::*;

use crate::blosc::chunk::{Encoder, Params};
use crate::error::Result;

/// Does every job, on so many threads at the most, each with one `T` for all its jobs. The first error in the order
/// of the jobs is the one that is given.
pub(super) fn each<J: Send, T, R: Send>(
    threads: usize,
    jobs: Vec<J>,
    make: impl Fn() -> Result<T> + Sync,
    work: impl Fn(&mut T, J) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let run = |jobs: Vec<J>| -> Result<Vec<R>> {
        let mut worker = make()?;
        jobs.into_iter().map(|job| work(&mut worker, job)).collect()
    };
    let share = jobs.len().div_ceil(threads.max(1)).max(1);
    if share >= jobs.len() {
        return run(jobs);
    }
    let mut shares = Vec::new();
    let mut jobs = jobs.into_iter().peekable();
    while jobs.peek().is_some() {
        shares.push(jobs.by_ref().take(share).collect::<Vec<_>>());
    }
    let done: Vec<Result<Vec<R>>> = shares.into_par_iter().map(run).collect();
    let mut all = Vec::new();
    for part in done {
        all.extend(part?);
    }
    Ok(all)
}

/// The chunks that stand for these bytes.
pub(super) fn encode(threads: usize, params: &Params, parts: Vec<&[u8]>) -> Result<Vec<Vec<u8>>> {
    each(
        threads,
        parts,
        || Encoder::new(params),
        |encoder, part| {
            let mut chunk = Vec::new();
            encoder.encode(part, &mut chunk)?;
            Ok(chunk)
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

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
