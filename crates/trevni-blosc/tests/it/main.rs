//! Containers through the public interface.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![allow(clippy::cast_possible_truncation, missing_docs, unreachable_pub)]
#![allow(clippy::single_range_in_vec_init)]

mod stored_frames;

/// Runs a test on a single-threaded runtime.
fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(work)
}
