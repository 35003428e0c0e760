//! Coalesces byte ranges into requests.
//!
//! ```text
//! wanted     ▐██▌  ▐█▌            ▐███████████████████▌
//! requests   [──────]             [────────][─────────]
//!             gap ≤ 1 MiB   more                8 MiB at most
//! ```

use std::ops::Range;
use std::sync::Arc;

use super::FetchMetrics;

/// Configures how objects are read.
#[derive(Debug, Clone)]
pub struct FetchOptions {
    pub(super) first_read: u64,
    pub(super) gap: u64,
    pub(super) round_trip: u64,
    pub(super) largest: u64,
    pub(super) concurrency: usize,
    pub(super) retries: usize,
    pub(super) metrics: Option<Arc<FetchMetrics>>,
}

impl Default for FetchOptions {
    fn default() -> Self {
        let (gap, round_trip, largest) = (1 << 20, 2 << 20, 8 << 20);
        let first_read = 512 << 10;
        Self { first_read, gap, round_trip, largest, concurrency: 16, retries: 2, metrics: None }
    }
}

impl FetchOptions {
    /// Sets the size of the first read, which should contain the header. A smaller object is read completely.
    /// Default: 512 KiB, which is enough for about 2,000 columns, and takes hardly longer than less: most of the time of a
    /// request is its latency.
    pub fn with_first_read(mut self, bytes: u64) -> Self {
        self.first_read = bytes.max(1);
        self
    }

    /// Sets the largest gap between two ranges that one request reads. Default: 1 MiB: reading a gap of that size
    /// takes less time than another request.
    pub fn with_gap(mut self, bytes: u64) -> Self {
        self.gap = bytes;
        self
    }

    /// Sets how many bytes take as long to fetch as a request waits for its first byte: latency times bandwidth. Bytes that
    /// may turn out not to be needed are fetched together with others if they are no more than this, since it saves a
    /// round trip. Default: 2 MiB, for 30 ms and 60 MB/s.
    pub fn with_round_trip_bytes(mut self, bytes: u64) -> Self {
        self.round_trip = bytes;
        self
    }

    /// Sets the maximum size of a request. Larger ones are split, since stores return several parts of an object
    /// faster than one. Default: 8 MiB.
    pub fn with_largest_request(mut self, bytes: u64) -> Self {
        self.largest = bytes.max(1);
        self
    }

    /// Sets the maximum number of concurrent requests. Default: 16.
    pub fn with_concurrency(mut self, requests: usize) -> Self {
        self.concurrency = requests.max(1);
        self
    }

    /// Sets how often a range is requested again whose response ended too early. Requests that fail are repeated by the
    /// store, as it is configured. Default: 2.
    pub fn with_retries(mut self, retries: usize) -> Self {
        self.retries = retries;
        self
    }

    /// Sets what counts requests, bytes and time. Default: nothing.
    pub fn with_metrics(mut self, metrics: Arc<FetchMetrics>) -> Self {
        self.metrics = Some(metrics);
        self
    }

    /// Returns the largest gap that one request reads.
    pub fn gap(&self) -> u64 {
        self.gap
    }

    /// Returns how many bytes take as long to fetch as a request waits for its first byte.
    pub fn round_trip_bytes(&self) -> u64 {
        self.round_trip
    }

    /// Returns the maximum number of concurrent requests.
    pub fn concurrency(&self) -> usize {
        self.concurrency
    }

    /// Returns the requests that fetch these ranges, in ascending order.
    pub fn requests(&self, ranges: &[Range<u64>]) -> Vec<Range<u64>> {
        let mut wanted: Vec<_> = ranges.iter().filter(|range| !range.is_empty()).cloned().collect();
        wanted.sort_unstable_by_key(|range| range.start);
        wanted.dedup_by(|next, before| {
            let joined = next.start <= before.end.saturating_add(self.gap);
            if joined {
                before.end = before.end.max(next.end);
            }
            joined
        });
        wanted.into_iter().flat_map(|range| self.cut(range)).collect()
    }

    fn cut(&self, range: Range<u64>) -> impl Iterator<Item = Range<u64>> + use<> {
        let (end, largest) = (range.end, self.largest);
        let mut at = range.start;
        std::iter::from_fn(move || {
            let part = at..end.min(at.saturating_add(largest));
            at = part.end;
            (!part.is_empty()).then_some(part)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_joined_over_gaps_and_cut_where_they_are_large() {
        let options = FetchOptions::default().with_gap(10).with_largest_request(100);
        let wanted = [50..60, 0..5, 15..20, 5..7, 31..31, 71..72, 30..33, 500..701, 520..530];
        let requests = options.requests(&wanted);
        assert_eq!(requests, [0..33, 50..60, 71..72, 500..600, 600..700, 700..701]);
        assert_eq!(options.with_gap(0).requests(&[0..5, 5..6, 7..8]), [0..6, 7..8]);
        assert_eq!(FetchOptions::default().requests(&[3..3, u64::MAX - 1..u64::MAX]).len(), 1);
    }
}
