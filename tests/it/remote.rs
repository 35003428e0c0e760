//! Files in object stores: the requests, and their results.

#[cfg(feature = "arrow")]
mod dataset;
#[cfg(feature = "arrow")]
mod faults;
#[cfg(feature = "arrow")]
mod reads;
mod requests;
#[cfg(feature = "arrow")]
mod waves;
#[cfg(feature = "arrow")]
mod writes;

/// Runs a test on a single-threaded runtime.
fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(work)
}
