//! Writes an object in parts.
//!
//! ```text
//! put      waiting ─ more than a part? ──► part, part, part      some under way at a time
//! finish   waiting ──► one put                                   if no part was sent
//!                 └──► last part ──► complete                    otherwise; the object appears whole or not at all
//! ```
//! Parts that are sent and never completed would lie in the store, and cost, until a rule of the bucket removes them.
//! So an upload is aborted after an error, and when the writer is dropped before its end; the latter is spawned, and only
//! done where a tokio runtime is at hand.

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

/// Bytes of a part. The least that stores take is 5 MiB.
const PART: usize = 8 << 20;

/// The most parts that stores take.
const PARTS: u64 = 10_000;

/// Writes an object to a store: a small one at once, a larger one in parts.
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
    /// Starts an object. Nothing is sent before more than a part is there, or the end.
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

    /// Bytes of a part; most stores refuse less than 5 MiB. An object that is no larger is written by one request.
    /// Default: 8 MiB.
    pub fn with_part_size(mut self, bytes: usize) -> Self {
        self.part = bytes.max(1);
        self
    }

    /// How many parts are under way at a time; each is held in memory. Default: 8.
    pub fn with_concurrency(mut self, parts: usize) -> Self {
        self.concurrency = parts.max(1);
        self
    }

    /// Whether an object that exists is an error, instead of being replaced. Default: no.
    ///
    /// Where it is written by one request, and the store knows conditional ones, this is certain. Where it is written
    /// in parts, it is looked for before the first part and before the end: an object that somebody makes between that
    /// look and the end is replaced.
    pub fn with_refuse_existing(mut self, refuse: bool) -> Self {
        self.refuse = refuse;
        self
    }

    /// Where it will be.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes parts so large that those which a store takes hold so many bytes; to be told before the first are put.
    pub fn expect(&mut self, bytes: u64) {
        let least = usize::try_from(bytes.div_ceil(PARTS)).unwrap_or(usize::MAX);
        self.part = self.part.max(least);
    }

    /// Appends bytes. Waits while as many parts are under way as may be. After an error the object is given up.
    pub async fn put(&mut self, bytes: Bytes) -> Result<()> {
        let put = self.try_put(bytes).await;
        self.settle(put).await
    }

    /// Writes what is left, and makes the object appear. Gives how many bytes it has.
    pub async fn finish(&mut self) -> Result<u64> {
        let finished = self.try_finish().await;
        self.settle(finished).await?;
        Ok(self.written)
    }

    /// Gives the object up: what was sent of it is removed.
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
            // The first fault is the one to be reported.
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
            // A store without conditional requests: looking first is the best that can be done.
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

    /// The first bytes, `most` at the most, without copying them.
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
