//! A store in memory that notes every request, and fails or cuts short where it is told to.

use std::fmt;
use std::ops::Range;
use std::path::Path as FilePath;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::*;

/// What a store was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    Get(Range<u64>),
    All,
    Head,
    Put(usize),
    Begin,
    Part(usize),
    Complete,
    Abort,
}

/// What a store does wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrong {
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
    /// It gives only whole objects.
    NoRanges,
}

#[derive(Debug)]
pub struct Noting {
    pub inner: InMemory,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    asked: Mutex<Vec<Asked>>,
    number: AtomicUsize,
    wrong: Wrong,
}

impl Shared {
    /// Notes a request.
    async fn ask(&self, asked: Asked) -> Result<usize> {
        self.asked.lock().unwrap().push(asked);
        let number = self.number.fetch_add(1, Ordering::SeqCst);
        match self.wrong {
            Wrong::Fails(at) if at == number => Err(fault("it was told to fail")),
            Wrong::Hangs(at) if at == number => std::future::pending().await,
            _ => Ok(number),
        }
    }
}

fn fault(what: &'static str) -> Error {
    Error::Generic { store: "noting", source: what.into() }
}

impl Noting {
    pub fn new(wrong: Wrong) -> Self {
        let shared = Shared { asked: Mutex::default(), number: AtomicUsize::new(0), wrong };
        Self { inner: InMemory::new(), shared: Arc::new(shared) }
    }

    /// A store with a file, under its own name.
    pub async fn with_file(path: &FilePath, wrong: Wrong) -> Arc<Self> {
        let store = Self::new(wrong);
        let bytes = std::fs::read(path).unwrap();
        store.inner.put(&Path::from("file.trv"), bytes.into()).await.unwrap();
        Arc::new(store)
    }

    /// What was asked since this was called last.
    pub fn asked(&self) -> Vec<Asked> {
        std::mem::take(&mut *self.shared.asked.lock().unwrap())
    }

    /// The ranges that were read since.
    pub fn gets(&self) -> Vec<Range<u64>> {
        let range = |asked| match asked {
            Asked::Get(range) => range,
            other => panic!("{other:?}"),
        };
        self.asked().into_iter().map(range).collect()
    }
}

impl fmt::Display for Noting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("noting")
    }
}

#[async_trait::async_trait]
impl ObjectStore for Noting {
    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        let asked = match &options.range {
            _ if options.head => Asked::Head,
            Some(GetRange::Bounded(range)) => Asked::Get(range.clone()),
            None => Asked::All,
            other => panic!("{other:?}"),
        };
        let number = self.shared.ask(asked).await?;
        if self.shared.wrong == Wrong::NoRanges && options.range.is_some() {
            return Err(Error::NotSupported { source: "no ranges here".into() });
        }
        if let Wrong::Changes(at) = self.shared.wrong
            && at == number
        {
            let mut bytes = self.inner.get(location).await?.bytes().await?.to_vec();
            bytes.push(0);
            self.inner.put(location, bytes.into()).await?;
        }
        let mut result = self.inner.get_opts(location, options).await?;
        if self.shared.wrong == Wrong::Short(number) {
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
        self.shared.ask(Asked::Put(payload.content_length())).await?;
        if self.shared.wrong == Wrong::Unconditional && options.mode == PutMode::Create {
            return Err(Error::NotSupported { source: "no conditions here".into() });
        }
        self.inner.put_opts(location, payload, options).await
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.shared.ask(Asked::Begin).await?;
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
            shared.ask(Asked::Part(n)).await?;
            part.await
        })
    }

    async fn complete(&mut self) -> Result<PutResult> {
        self.shared.ask(Asked::Complete).await?;
        self.inner.complete().await
    }

    async fn abort(&mut self) -> Result<()> {
        self.shared.ask(Asked::Abort).await?;
        self.inner.abort().await
    }
}
