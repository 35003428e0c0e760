//! An object that is open for reading.
//!
//! ```text
//! open     first or last bytes ──► size, e-tag        one request, and for a small object the only one
//! fetch    requests ──► bytes                         each checked against its range
//! ```
//! An object that changes between two requests is an error: requests have the e-tag of the first response (unless
//! it is a weak one), and sizes are compared.

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use ::object_store::path::Path;
use ::object_store::{GetOptions, GetRange, GetResult, GetResultPayload, ObjectMeta, ObjectStore};
use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt, TryStreamExt, stream};

use super::FetchOptions;
use crate::error::{Error, ErrorKind, Result};
use crate::io::Ranges;

/// The location of an object: its path, or the metadata of a listing.
#[derive(Debug, Clone)]
pub struct Location {
    path: Path,
    size: Option<u64>,
    e_tag: Option<String>,
    version: Option<String>,
}

impl From<Path> for Location {
    fn from(path: Path) -> Self {
        Self { path, size: None, e_tag: None, version: None }
    }
}

impl From<&str> for Location {
    fn from(path: &str) -> Self {
        Path::from(path).into()
    }
}

impl From<ObjectMeta> for Location {
    fn from(meta: ObjectMeta) -> Self {
        let ObjectMeta { location, size, e_tag, version, .. } = meta;
        Self { path: location, size: Some(size), e_tag, version }
    }
}

/// Pieces of an object, each with its offset.
pub type Fetched = Vec<(u64, Bytes)>;

/// An object of known size that is read by ranges. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Object {
    store: Arc<dyn ObjectStore>,
    path: Path,
    size: u64,
    e_tag: Option<String>,
    version: Option<String>,
    options: FetchOptions,
}

impl Object {
    /// Opens an object and reads its first bytes, as many as [`FetchOptions`] say. This is one request, whether the
    /// size is known or not.
    pub async fn open(
        store: Arc<dyn ObjectStore>,
        location: impl Into<Location>,
        options: FetchOptions,
    ) -> Result<(Self, Ranges)> {
        let first = 0..options.first_read;
        Self::open_at(store, location.into(), options, first).await
    }

    /// Opens an object and reads its last bytes, or all if it has no more: one request. Stores that know no ranges from
    /// the end fail with [`Unsupported`](std::io::ErrorKind::Unsupported).
    pub async fn open_tail(
        store: Arc<dyn ObjectStore>,
        location: impl Into<Location>,
        options: FetchOptions,
        bytes: u64,
    ) -> Result<(Self, Ranges)> {
        let Location { path, e_tag, version, .. } = location.into();
        let mut object = Self { store, path, size: 0, e_tag, version, options };
        let started = Instant::now();
        let result = object.request(GetRange::Suffix(bytes)).await?;
        object.size = result.meta.size;
        object.e_tag = result.meta.e_tag.clone();
        object.version = result.meta.version.clone();
        let tail = object.size.saturating_sub(bytes)..object.size;
        object.begin(result, tail, started).await
    }

    /// Returns the object with the bytes of the first response.
    async fn begin(
        self,
        result: GetResult,
        range: Range<u64>,
        started: Instant,
    ) -> Result<(Self, Ranges)> {
        let bytes = match self.collect(result, range.clone()).await? {
            Ok(bytes) => {
                self.count(&bytes, started);
                bytes
            }
            Err(_) => self.get(range.clone()).await?,
        };
        let ranges = Ranges::new(self.size);
        ranges.insert(range.start, bytes)?;
        Ok((self, ranges))
    }

    /// Opens an object of known size. Nothing is fetched.
    pub fn of_size(
        store: Arc<dyn ObjectStore>,
        location: impl Into<Location>,
        options: FetchOptions,
        size: u64,
    ) -> (Self, Ranges) {
        let Location { path, e_tag, version, .. } = location.into();
        (Self { store, path, size, e_tag, version, options }, Ranges::new(size))
    }

    async fn open_at(
        store: Arc<dyn ObjectStore>,
        location: Location,
        options: FetchOptions,
        first: Range<u64>,
    ) -> Result<(Self, Ranges)> {
        let Location { path, size, e_tag, version } = location;
        let mut object = Self { store, path, size: size.unwrap_or(0), e_tag, version, options };
        let first = first.start..first.end.min(size.unwrap_or(u64::MAX));
        if first.is_empty() {
            return Ok((object, Ranges::new(size.unwrap_or(0))));
        }
        let started = Instant::now();
        let result = object.request(first.clone()).await?;
        if size.is_none() {
            object.size = result.meta.size;
            object.e_tag = result.meta.e_tag.clone();
            object.version = result.meta.version.clone();
        }
        let first = first.start..first.end.min(object.size);
        object.begin(result, first, started).await
    }

    /// Returns the path of the object.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the size in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns the options.
    pub fn options(&self) -> &FetchOptions {
        &self.options
    }

    /// Fetches ranges by as many requests as the options say. Returns pieces with their offsets, which may contain
    /// bytes between the ranges.
    pub async fn fetch(&self, ranges: &[Range<u64>]) -> Result<Fetched> {
        self.check(ranges)?;
        let requests = self.options.requests(ranges);
        // Each request owns its data: a stream of futures that borrow from a closure is not `Send`.
        let one = |range: Range<u64>| {
            let object = self.clone();
            async move { Ok((range.start, object.get(range).await?)) }
        };
        let requests = futures_util::stream::iter(requests.into_iter().map(one));
        requests.buffer_unordered(self.options.concurrency).try_collect().await
    }

    fn check(&self, ranges: &[Range<u64>]) -> Result<()> {
        match ranges.iter().find(|range| range.end > self.size) {
            Some(range) => {
                let size = self.size;
                Err(Error::invalid(format!("bytes {range:?} of an object of {size}")))
            }
            None => Ok(()),
        }
    }

    /// Fetches the bytes of one request. A response that ends too early is requested again.
    async fn get(&self, range: Range<u64>) -> Result<Bytes> {
        for _ in 0..self.options.retries {
            if let Ok(bytes) = self.try_get(range.clone()).await? {
                return Ok(bytes);
            }
        }
        self.try_get(range).await?
    }

    /// Makes one request. The inner error is of a response that ended too early.
    async fn try_get(&self, range: Range<u64>) -> Result<Result<Bytes>> {
        let started = Instant::now();
        let result = self.request(range.clone()).await.map_err(|e| e.at(range.start))?;
        if result.meta.size != self.size {
            let (now, before) = (result.meta.size, self.size);
            let what = format!("{} has {now} bytes now, {before} before", self.path);
            return Err(std::io::Error::other(what).into());
        }
        let bytes = self.collect(result, range).await?;
        if let Ok(bytes) = &bytes {
            self.count(bytes, started);
        }
        Ok(bytes)
    }

    fn count(&self, bytes: &Bytes, started: Instant) {
        if let Some(metrics) = &self.options.metrics {
            metrics.add(bytes.len() as u64, started.elapsed());
        }
    }

    async fn request(&self, range: impl Into<GetRange>) -> Result<GetResult> {
        let options = GetOptions {
            range: Some(range.into()),
            if_match: self.e_tag.clone().filter(|e_tag| !e_tag.starts_with("W/")),
            version: self.version.clone(),
            ..GetOptions::default()
        };
        Ok(self.store.get_opts(&self.path, options).await?)
    }

    /// Collects the bytes of a response, which must be exactly the requested ones. The inner error is of a response that
    /// ended too early.
    async fn collect(&self, result: GetResult, range: Range<u64>) -> Result<Result<Bytes>> {
        let wanted = usize::try_from(range.end - range.start)
            .map_err(|_| Error::invalid("more bytes than fit in memory"))?;
        if result.range != range {
            let what = format!("{}: received bytes {:?} for {range:?}", self.path, result.range);
            return Err(std::io::Error::other(what).into());
        }
        let mut stream = match &result.payload {
            GetResultPayload::Stream(_) => result.into_stream(),
            // A file: as a stream it would be read in pieces of 8 KiB, each on another thread.
            #[allow(
                unreachable_patterns,
                reason = "object_store has files only with its feature fs"
            )]
            _ => stream::once(result.bytes()).boxed(),
        };
        let mut whole = Bytes::new();
        let mut bytes = BytesMut::new();
        while whole.len().max(bytes.len()) <= wanted {
            let more = match stream.try_next().await {
                Ok(Some(more)) => more,
                Ok(None) => break,
                Err(e) => return Ok(Err(Error::from(e).at(range.start))),
            };
            if whole.is_empty() && bytes.is_empty() {
                whole = more;
                continue;
            }
            if bytes.is_empty() {
                bytes.reserve(wanted);
                bytes.extend_from_slice(&std::mem::take(&mut whole));
            }
            bytes.extend_from_slice(&more);
        }
        let whole = if bytes.is_empty() { whole } else { bytes.freeze() };
        match whole.len().cmp(&wanted) {
            std::cmp::Ordering::Equal => Ok(Ok(whole)),
            std::cmp::Ordering::Less => {
                let missing = (wanted - whole.len()) as u64;
                let e = Error::new(ErrorKind::Truncated { what: "a range", missing });
                Ok(Err(e.at(range.start)))
            }
            std::cmp::Ordering::Greater => {
                let what = format!("{}: received more than {wanted} bytes", self.path);
                Err(Error::from(std::io::Error::other(what)).at(range.start))
            }
        }
    }
}

/// Opens an object and fetches ranges of it.
pub async fn fetch(
    store: Arc<dyn ObjectStore>,
    location: impl Into<Location>,
    ranges: &[Range<u64>],
    options: FetchOptions,
) -> Result<Ranges> {
    // The first response has the size.
    let first = options.requests(ranges).into_iter().next().unwrap_or(0..1);
    let (object, pieces) = Object::open_at(store, location.into(), options, first).await?;
    object.check(ranges)?;
    let missing: Vec<_> = ranges.iter().flat_map(|range| pieces.missing(range.clone())).collect();
    for (offset, bytes) in object.fetch(&missing).await? {
        pieces.insert(offset, bytes)?;
    }
    Ok(pieces)
}
