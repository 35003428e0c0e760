//! How many threads may be used.
//!
//! ```text
//! asked for   0  1  4  1000          on a machine of two cores
//! used        1  1  4  8
//! ```

/// Threads for each core, at the most: more only take memory.
const PER_CORE: usize = 4;

/// The number of threads that is used where so many are asked for: one at least, and four for each core of the machine
/// at the most.
pub(crate) fn limited(threads: usize) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    threads.clamp(1, PER_CORE * cores)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_limited_by_the_cores() {
        assert_eq!((limited(0), limited(1)), (1, 1));
        assert!(limited(usize::MAX) <= 4096 * PER_CORE);
        assert_eq!(limited(usize::MAX), limited(usize::MAX - 1));
    }
}
