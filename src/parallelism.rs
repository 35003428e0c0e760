//! The number of threads that readers and writers use.
//!
//! ```text
//! requested  0  1  4  1000          on a machine of two cores
//! used       1  1  4  8
//! ```

#[cfg(feature = "arrow")]
pub(crate) mod ordered;
pub(crate) mod threads;

use std::sync::OnceLock;

/// Threads for each core, at most: more only take memory.
const PER_CORE: usize = 4;

/// Returns the number of threads to use where `threads` are requested: at least one, and at most four for each core.
pub fn limit_threads(threads: usize) -> usize {
    // One is always granted. Each question to the system opens several files: a small table is read in that time.
    static CORES: OnceLock<usize> = OnceLock::new();
    if threads <= 1 {
        return 1;
    }
    let cores = CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from));
    threads.min(PER_CORE * cores)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_limited_by_the_cores() {
        assert_eq!((limit_threads(0), limit_threads(1)), (1, 1));
        assert!(limit_threads(usize::MAX) <= 4096 * PER_CORE);
        assert_eq!(limit_threads(usize::MAX), limit_threads(usize::MAX - 1));
    }
}
