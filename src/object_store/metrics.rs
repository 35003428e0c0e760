//! Counts what is fetched.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What has been fetched with some [`FetchOptions`](super::FetchOptions), and in what time.
#[derive(Debug, Default)]
pub struct FetchMetrics {
    requests: AtomicU64,
    bytes: AtomicU64,
    nanoseconds: AtomicU64,
}

impl FetchMetrics {
    pub(super) fn add(&self, bytes: u64, time: Duration) {
        let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
    }

    /// Returns the number of requests that succeeded.
    pub fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// Returns the number of bytes that were received.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Returns the time of all requests. That of concurrent ones is added.
    pub fn time(&self) -> Duration {
        Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed))
    }
}
