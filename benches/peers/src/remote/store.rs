//! A store in memory that is as far away as one in the same region of a cloud.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::stream::BoxStream;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::*;

/// From a request to its first byte.
pub const LATENCY: Duration = Duration::from_millis(28);

/// Bytes in a second, of each request.
pub const BANDWIDTH: f64 = 60e6;

/// A store that counts requests for bytes, and answers each after a round trip and the time that its bytes take.
#[derive(Debug, Default)]
pub struct Distant {
    inner: InMemory,
    requests: AtomicU64,
    bytes: AtomicU64,
    /// The length of the longest chain of requests that were answered, each begun after the answer to the one before.
    trips: AtomicU64,
}

/// What was asked of a store.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Counts {
    pub requests: u64,
    pub trips: u64,
    pub bytes: u64,
}

impl Distant {
    /// Adds a file.
    pub async fn insert(&self, path: &str, bytes: Vec<u8>) -> object_store::Result<()> {
        self.inner.put(&Path::from(path), bytes.into()).await?;
        Ok(())
    }

    /// Returns the size of a file, which is no request.
    pub async fn len(&self, path: &str) -> object_store::Result<u64> {
        Ok(self.inner.head(&Path::from(path)).await?.size)
    }

    pub fn reset(&self) {
        for count in [&self.requests, &self.bytes, &self.trips] {
            count.store(0, Ordering::SeqCst);
        }
    }

    pub fn counts(&self) -> Counts {
        let [requests, trips, bytes] =
            [&self.requests, &self.trips, &self.bytes].map(|count| count.load(Ordering::SeqCst));
        Counts { requests, trips, bytes }
    }
}

impl fmt::Display for Distant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("distant")
    }
}

#[async_trait::async_trait]
impl ObjectStore for Distant {
    async fn get_opts(
        &self,
        location: &Path,
        options: GetOptions,
    ) -> object_store::Result<GetResult> {
        let trip = self.trips.load(Ordering::SeqCst) + 1;
        let head = options.head;
        let result = self.inner.get_opts(location, options).await?;
        let bytes = if head { 0 } else { result.range.end - result.range.start };
        tokio::time::sleep(LATENCY + Duration::from_secs_f64(bytes as f64 / BANDWIDTH)).await;
        self.requests.fetch_add(1, Ordering::SeqCst);
        self.bytes.fetch_add(bytes, Ordering::SeqCst);
        self.trips.fetch_max(trip, Ordering::SeqCst);
        Ok(result)
    }

    async fn put_opts(
        &self,
        location: &Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> object_store::Result<PutResult> {
        self.inner.put_opts(location, payload, options).await
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        options: PutMultipartOptions,
    ) -> object_store::Result<Box<dyn MultipartUpload>> {
        self.inner.put_multipart_opts(location, options).await
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, object_store::Result<Path>>,
    ) -> BoxStream<'static, object_store::Result<Path>> {
        self.inner.delete_stream(locations)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, object_store::Result<ObjectMeta>> {
        self.inner.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> object_store::Result<ListResult> {
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(
        &self,
        from: &Path,
        to: &Path,
        options: CopyOptions,
    ) -> object_store::Result<()> {
        self.inner.copy_opts(from, to, options).await
    }
}
