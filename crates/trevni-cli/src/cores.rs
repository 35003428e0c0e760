//! The cores of the machine.

/// Returns how many threads run at a time.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
