//! An object store in memory that records every request, and fails or truncates answers on demand.

use std::fmt;
use std::ops::Range;
use std::path::Path as FilePath;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::*;

/// A request that a store got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// A range of an object.
    Get(Range<u64>),
    /// As many bytes from the end of an object.
    Tail(u64),
    /// A complete object.
    All,
    /// The size of an object.
    Head,
    /// An object of this size.
    Put(usize),
    /// The start of a multipart upload.
    Begin,
    /// A part of this size.
    Part(usize),
    /// The end of a multipart upload.
    Complete,
    /// An aborted multipart upload.
    Abort,
}

/// A fault that a store has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// None.
    Nothing,
    /// The request of this number fails, from 0.
    Fails(usize),
    /// The answer to the request of this number lacks its last byte.
    Short(usize),
    /// The object is another from the request of this number on.
    Changes(usize),
    /// The request of this number never ends.
    Hangs(usize),
    /// It knows no conditional requests.
    Unconditional,
    /// The store does not support range requests.
    NoRanges,
}

/// A store in memory that records requests.
#[derive(Debug)]
pub struct RecordingStore {
    /// The store itself, whose requests are not recorded.
    pub inner: InMemory,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    asked: Mutex<Vec<Request>>,
    latency: Duration,
    /// The waves that are complete: requests of one wave begin before any of them ends.
    waves: AtomicUsize,
    number: AtomicUsize,
    fault: Fault,
}

impl Shared {
    /// Notes a request.
    async fn ask(&self, asked: Request) -> Result<usize> {
        self.asked.lock().unwrap().push(asked);
        if !self.latency.is_zero() {
            let wave = self.waves.load(Ordering::SeqCst) + 1;
            tokio::time::sleep(self.latency).await;
            self.waves.fetch_max(wave, Ordering::SeqCst);
        }
        let number = self.number.fetch_add(1, Ordering::SeqCst);
        match self.fault {
            Fault::Fails(at) if at == number => Err(failure("this request fails")),
            Fault::Hangs(at) if at == number => std::future::pending().await,
            _ => Ok(number),
        }
    }
}

fn failure(what: &'static str) -> Error {
    Error::Generic { store: "recording", source: what.into() }
}

impl RecordingStore {
    /// Creates an empty store with a fault.
    pub fn new(fault: Fault) -> Self {
        Self::with_latency(fault, Duration::ZERO)
    }

    /// Creates an empty store whose answers take as long to come. On a runtime that is paused, time passes at once.
    pub fn with_latency(fault: Fault, latency: Duration) -> Self {
        let (waves, number) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let shared = Shared { asked: Mutex::default(), latency, waves, number, fault };
        Self { inner: InMemory::new(), shared: Arc::new(shared) }
    }

    /// Returns the number of round trips since this was called last: requests that began before any of them ended count
    /// as one. Needs a latency.
    pub fn waves(&self) -> usize {
        self.shared.waves.swap(0, Ordering::SeqCst)
    }

    /// Returns a store with a file, under its own name.
    pub async fn with_file(path: &FilePath, fault: Fault) -> Arc<Self> {
        let store = Self::new(fault);
        let bytes = std::fs::read(path).unwrap();
        store.inner.put(&Path::from("file.trv"), bytes.into()).await.unwrap();
        Arc::new(store)
    }

    /// Returns the requests since this was called last.
    pub fn requests(&self) -> Vec<Request> {
        std::mem::take(&mut *self.shared.asked.lock().unwrap())
    }

    /// Returns the ranges that were read since.
    pub fn gets(&self) -> Vec<Range<u64>> {
        let range = |asked| match asked {
            Request::Get(range) => range,
            other => panic!("{other:?}"),
        };
        self.requests().into_iter().map(range).collect()
    }
}

impl fmt::Display for RecordingStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("recording")
    }
}

#[async_trait::async_trait]
impl ObjectStore for RecordingStore {
    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        let asked = match &options.range {
            _ if options.head => Request::Head,
            Some(GetRange::Bounded(range)) => Request::Get(range.clone()),
            Some(GetRange::Suffix(bytes)) => Request::Tail(*bytes),
            None => Request::All,
            other => panic!("{other:?}"),
        };
        let number = self.shared.ask(asked).await?;
        if self.shared.fault == Fault::NoRanges && options.range.is_some() {
            return Err(Error::NotSupported { source: "no ranges here".into() });
        }
        if let Fault::Changes(at) = self.shared.fault
            && at == number
        {
            let mut bytes = self.inner.get(location).await?.bytes().await?.to_vec();
            bytes.push(0);
            self.inner.put(location, bytes.into()).await?;
        }
        let mut result = self.inner.get_opts(location, options).await?;
        if self.shared.fault == Fault::Short(number) {
            let (meta, range) = (result.meta.clone(), result.range.clone());
            let attributes = result.attributes.clone();
            let bytes = result.bytes().await?;
            let part = bytes.slice(..bytes.len() - 1);
            let payload = futures_util::stream::iter([Ok(part)]).boxed();
            result =
                GetResult { payload: GetResultPayload::Stream(payload), meta, range, attributes };
        }
        Ok(result)
    }

    async fn put_opts(
        &self,
        location: &Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> Result<PutResult> {
        self.shared.ask(Request::Put(payload.content_length())).await?;
        if self.shared.fault == Fault::Unconditional && options.mode == PutMode::Create {
            return Err(Error::NotSupported { source: "no conditions here".into() });
        }
        self.inner.put_opts(location, payload, options).await
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.shared.ask(Request::Begin).await?;
        let inner = self.inner.put_multipart_opts(location, options).await?;
        Ok(Box::new(Upload { inner, shared: self.shared.clone() }))
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        self.inner.delete_stream(locations)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.inner.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.inner.copy_opts(from, to, options).await
    }
}

#[derive(Debug)]
struct Upload {
    inner: Box<dyn MultipartUpload>,
    shared: Arc<Shared>,
}

#[async_trait::async_trait]
impl MultipartUpload for Upload {
    fn put_part(&mut self, data: PutPayload) -> UploadPart {
        let (shared, n) = (self.shared.clone(), data.content_length());
        let part = self.inner.put_part(data);
        Box::pin(async move {
            shared.ask(Request::Part(n)).await?;
            part.await
        })
    }

    async fn complete(&mut self) -> Result<PutResult> {
        self.shared.ask(Request::Complete).await?;
        self.inner.complete().await
    }

    async fn abort(&mut self) -> Result<()> {
        self.shared.ask(Request::Abort).await?;
        self.inner.abort().await
    }
}
