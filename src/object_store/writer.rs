//! Writes an object in parts.
//!
//! ```text
//! put      waiting ─ more than a part? ──► part, part, part      some under way at a time
//! finish   waiting ──► one put                                   if no part was sent
//!                 └──► last part ──► complete                    otherwise; the object appears complete or not at all
//! ```
//! Parts of an incomplete upload would stay in the store, and cost money, until a rule of the bucket removes them.
//! So an upload is aborted after an error and when the writer is dropped; the latter needs a tokio runtime.

use std::sync::Arc;

use ::object_store::path::Path;
use ::object_store::{
    GetOptions, MultipartUpload, ObjectStore, PutMode, PutMultipartOptions, PutOptions, PutPayload,
};
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use tokio::runtime::Handle;

use super::spawn::spawn;
use crate::error::{Error, Result};

/// The size of a part in bytes. The minimum of most stores is 5 MiB.
const PART: usize = 8 << 20;

/// The maximum number of parts.
const PARTS: u64 = 10_000;

/// Writes an object to a store: a small one by one request, a larger one in parts.
///
/// ```
/// use object_store::{ObjectStoreExt, memory::InMemory, path::Path};
/// use trevni::object_store::ObjectWriter;
///
/// # futures_util::FutureExt::now_or_never(async {
/// let store = std::sync::Arc::new(InMemory::new());
/// let mut writer = ObjectWriter::new(store.clone(), "a".into()).with_refuse_existing(true);
/// writer.put("01234".into()).await?;
/// writer.put("56789".into()).await?;
/// assert_eq!(writer.finish().await?, 10);
/// assert_eq!(store.get(&Path::from("a")).await?.bytes().await?, "0123456789");
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// # }).unwrap()?;
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
pub struct ObjectWriter {
    store: Arc<dyn ObjectStore>,
    path: Path,
    part: usize,
    concurrency: usize,
    refuse: bool,
    waiting: PendingOutput,
    parts: FuturesUnordered<BoxFuture<'static, Result<()>>>,
    upload: Option<Box<dyn MultipartUpload>>,
    written: u64,
    ended: bool,
}

impl ObjectWriter {
    /// Starts an object. Nothing is sent before a part is full or the object is finished.
    pub fn new(store: Arc<dyn ObjectStore>, path: Path) -> Self {
        Self {
            store,
            path,
            part: PART,
            concurrency: 8,
            refuse: false,
            waiting: PendingOutput::default(),
            parts: FuturesUnordered::new(),
            upload: None,
            written: 0,
            ended: false,
        }
    }

    /// Sets the size of a part in bytes; most stores refuse less than 5 MiB. A smaller object is written by one
    /// request. Default: 8 MiB.
    pub fn with_part_size(mut self, bytes: usize) -> Self {
        self.part = bytes.max(1);
        self
    }

    /// Sets the maximum number of parts that are sent concurrently. Each is held in memory. Default: 8.
    pub fn with_concurrency(mut self, parts: usize) -> Self {
        self.concurrency = parts.max(1);
        self
    }

    /// Sets whether an existing object is an error instead of being replaced. Default: false.
    ///
    /// This is atomic for an object that is written by one request, if the store has conditional requests. An
    /// object in parts is checked before the first part and before the end: an object that is created after the
    /// second check is replaced.
    pub fn with_refuse_existing(mut self, refuse: bool) -> Self {
        self.refuse = refuse;
        self
    }

    /// Returns the path of the object.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Sets the part size so that an object of this many bytes fits the maximum number of parts. Call it before the
    /// first bytes are put.
    pub fn expect(&mut self, bytes: u64) {
        let least = usize::try_from(bytes.div_ceil(PARTS)).unwrap_or(usize::MAX);
        self.part = self.part.max(least);
    }

    /// Appends bytes. Waits while the maximum number of parts is being sent. After an error the upload is aborted.
    pub async fn put(&mut self, bytes: Bytes) -> Result<()> {
        let put = self.try_put(bytes).await;
        self.settle(put).await
    }

    /// Writes the remaining bytes and completes the object. Returns its size in bytes.
    pub async fn finish(&mut self) -> Result<u64> {
        let finished = self.try_finish().await;
        self.settle(finished).await?;
        Ok(self.written)
    }

    /// Aborts the upload and removes its parts.
    pub async fn abort(&mut self) -> Result<()> {
        self.ended = true;
        self.parts.clear();
        self.waiting = PendingOutput::default();
        match self.upload.take() {
            Some(mut upload) => Ok(upload.abort().await?),
            None => Ok(()),
        }
    }

    async fn settle(&mut self, result: Result<()>) -> Result<()> {
        if result.is_err() {
            // The first error is reported.
            let _ = self.abort().await;
        }
        result
    }

    async fn try_put(&mut self, bytes: Bytes) -> Result<()> {
        self.check()?;
        self.written += bytes.len() as u64;
        self.waiting.push(bytes);
        while self.waiting.len > self.part {
            self.send().await?;
        }
        Ok(())
    }

    /// Sends the next part.
    async fn send(&mut self) -> Result<()> {
        if self.upload.is_none() {
            if self.refuse {
                refuse_existing(&self.store, &self.path).await?;
            }
            let options = PutMultipartOptions::default();
            self.upload = Some(self.store.put_multipart_opts(&self.path, options).await?);
        }
        while self.parts.len() >= self.concurrency {
            self.parts.next().await.transpose()?;
        }
        let Some(upload) = &mut self.upload else { return Ok(()) };
        let part = upload.put_part(self.waiting.take(self.part));
        self.parts.push(spawn(async move { Ok(part.await?) }));
        Ok(())
    }

    async fn try_finish(&mut self) -> Result<()> {
        self.check()?;
        if self.upload.is_none() {
            self.put_whole().await?;
        } else {
            self.send().await?;
            while let Some(part) = self.parts.next().await {
                part?;
            }
            if self.refuse {
                refuse_existing(&self.store, &self.path).await?;
            }
            if let Some(upload) = &mut self.upload {
                upload.complete().await?;
            }
        }
        self.upload = None;
        self.ended = true;
        Ok(())
    }

    async fn put_whole(&mut self) -> Result<()> {
        let payload = self.waiting.take(usize::MAX);
        let put = async |mode| {
            let options = PutOptions { mode, ..PutOptions::default() };
            self.store.put_opts(&self.path, payload.clone(), options).await
        };
        if !self.refuse {
            put(PutMode::Overwrite).await?;
            return Ok(());
        }
        use ::object_store::Error as Fault;
        match put(PutMode::Create).await {
            // For stores without conditional requests: check first.
            Err(Fault::NotImplemented { .. } | Fault::NotSupported { .. }) => {
                refuse_existing(&self.store, &self.path).await?;
                put(PutMode::Overwrite).await?;
            }
            other => {
                other?;
            }
        }
        Ok(())
    }

    fn check(&self) -> Result<()> {
        match self.ended {
            true => Err(Error::invalid(format!("{} has ended", self.path))),
            false => Ok(()),
        }
    }
}

async fn refuse_existing(store: &Arc<dyn ObjectStore>, path: &Path) -> Result<()> {
    let head = GetOptions { head: true, ..GetOptions::default() };
    match store.get_opts(path, head).await {
        Ok(_) => {
            let (path, source) = (path.to_string(), "it was to be new".into());
            Err(::object_store::Error::AlreadyExists { path, source }.into())
        }
        Err(::object_store::Error::NotFound { .. }) => Ok(()),
        Err(e) => Err(e.into()),
    }
}

impl Drop for ObjectWriter {
    fn drop(&mut self) {
        self.parts.clear();
        if let (Some(mut upload), Ok(runtime)) = (self.upload.take(), Handle::try_current()) {
            runtime.spawn(async move { upload.abort().await });
        }
    }
}

impl std::fmt::Debug for ObjectWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ObjectWriter")
            .field("path", &self.path)
            .field("written", &self.written)
            .finish_non_exhaustive()
    }
}

/// Bytes that are not sent yet.
#[derive(Default)]
struct PendingOutput {
    chunks: std::collections::VecDeque<Bytes>,
    len: usize,
}

impl PendingOutput {
    fn push(&mut self, bytes: Bytes) {
        self.len += bytes.len();
        self.chunks.push_back(bytes);
    }

    /// Removes up to `most` bytes from the front, without copying them.
    fn take(&mut self, most: usize) -> PutPayload {
        let mut left = most.min(self.len);
        self.len -= left;
        let mut taken = Vec::new();
        while left > 0
            && let Some(chunk) = self.chunks.front_mut()
        {
            let part = chunk.split_to(left.min(chunk.len()));
            left -= part.len();
            taken.push(part);
            if chunk.is_empty() {
                self.chunks.pop_front();
            }
        }
        taken.into_iter().collect()
    }
}
