//! Sparse frames in object stores: one object per chunk.
//!
//! ```text
//! open         prefix/chunks.b2frame                   one request; of a long index one more
//! fetch_rows   prefix/00000003.chunk, ...              one request for each missing chunk, some concurrently
//! array        decodes what was fetched                other chunks are an error
//! ```
//! If chunks differ in size, opening fetches the first 32 bytes of each, since the index does not have their sizes.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};

use ::object_store::path::Path;
use ::object_store::{GetOptions, ObjectStore};
use bytes::Bytes;
use futures_util::stream::{StreamExt, TryStreamExt, iter};

use super::sparse::{INDEX_KEY, SparseFrame, SparseLayout};
use super::special;
use crate::array::{Container, Edit, Layout};
use crate::chunk::Params;
use crate::chunked_array::ChunkedArray;
use trevni::io::ReadAt;
use trevni::object_store::{FetchOptions, Object};
use trevni::{Error, Result};

/// A sparse frame in a store, whose chunks are fetched by key.
///
/// ```
/// use std::sync::Arc;
/// use object_store::memory::InMemory;
/// use trevni_blosc::frame::RemoteFrame;
/// use trevni::object_store::FetchOptions;
///
/// # async fn mean(store: Arc<InMemory>) -> trevni::Result<f64> {
/// let frame = RemoteFrame::open(store, "temperatures.b2frame", FetchOptions::default()).await?;
/// let rows = frame.read(1_000_000..1_000_100).await?;
/// let values = rows.chunks_exact(8).filter_map(|bytes| bytes.try_into().ok().map(f64::from_le_bytes));
/// # Ok(values.sum::<f64>() / 100.0)
/// # }
/// # let missing = futures_util::FutureExt::now_or_never(mean(Arc::new(InMemory::new()))).unwrap();
/// # assert!(missing.is_err());
/// ```
#[derive(Debug, Clone)]
pub struct RemoteFrame {
    store: Arc<dyn ObjectStore>,
    prefix: Path,
    options: FetchOptions,
    chunks: Arc<FetchedChunks>,
}

impl RemoteFrame {
    /// Opens the frame whose keys begin so.
    ///
    /// # Errors
    /// `Io`, `Malformed`, or `Unsupported` for plugins and versions that are not known here.
    pub async fn open(
        store: Arc<dyn ObjectStore>,
        prefix: impl Into<Path>,
        options: FetchOptions,
    ) -> Result<Self> {
        let prefix = prefix.into();
        let key = prefix.clone().join(INDEX_KEY);
        let (object, pieces) = Object::open(store.clone(), key, options.clone()).await?;
        let whole = 0..object.size();
        for (offset, bytes) in object.fetch(&pieces.missing(whole.clone())).await? {
            pieces.insert(offset, bytes)?;
        }
        let len = usize::try_from(whole.end).unwrap_or(usize::MAX);
        let index = SparseFrame::parse(&pieces.read_at(0, len)?)?;
        let head = |key: String| {
            let (store, key) = (store.clone(), prefix.clone().join(key));
            async move { get(&store, &key, Some(special::HEADER as u64)).await }
        };
        let heads = iter(index.heads()?.into_iter().map(head)).buffered(options.concurrency());
        let layout = index.with_heads(&heads.try_collect::<Vec<_>>().await?)?;
        let chunks = Arc::new(FetchedChunks { layout, chunks: RwLock::default() });
        Ok(Self { store, prefix, options, chunks })
    }

    /// Returns the layout from the index.
    pub fn layout(&self) -> &SparseLayout {
        &self.chunks.layout
    }

    /// Returns the array, which reads fetched chunks and cannot be changed.
    pub fn array(&self) -> ChunkedArray {
        ChunkedArray::new(Shared(self.chunks.clone()))
    }

    /// Fetches the missing chunks of these rows.
    ///
    /// # Errors
    /// `Io`; `Malformed` for a chunk that is not what the index says; `Invalid` for rows that the array does not have.
    pub async fn fetch_rows(&self, rows: Range<u64>) -> Result<()> {
        let missing = self.chunks.missing(self.layout().layout().chunks_of(rows)?);
        let fetch = |number: u64| {
            let frame = self.clone();
            async move { frame.fetch(number).await.map_err(|e| e.in_chunk(number)) }
        };
        let fetched = iter(missing.into_iter().map(fetch));
        fetched.buffer_unordered(self.options.concurrency()).try_collect::<()>().await
    }

    async fn fetch(&self, number: u64) -> Result<()> {
        let Some(key) = self.layout().chunk_key(number)? else { return Ok(()) };
        let chunk = get(&self.store, &self.prefix.clone().join(key), None).await?;
        self.layout().check(number, &chunk)?;
        self.chunks.write().insert(number, chunk);
        Ok(())
    }

    /// Drops the chunks without any of these rows.
    ///
    /// # Errors
    /// `Invalid` for rows that the array does not have.
    pub fn keep_rows(&self, rows: Range<u64>) -> Result<()> {
        let keep = self.layout().layout().chunks_of(rows)?;
        self.chunks.write().retain(|number, _| keep.contains(number));
        Ok(())
    }

    /// Returns the bytes of some rows. Missing chunks are fetched and kept.
    ///
    /// # Errors
    /// Those of [`fetch_rows`](Self::fetch_rows).
    pub async fn read(&self, rows: Range<u64>) -> Result<Vec<u8>> {
        self.fetch_rows(rows.clone()).await?;
        self.array().read(rows)
    }
}

/// The chunks of a frame that were fetched, by number.
#[derive(Debug)]
struct FetchedChunks {
    layout: SparseLayout,
    chunks: RwLock<BTreeMap<u64, Bytes>>,
}

impl FetchedChunks {
    fn missing(&self, numbers: Range<u64>) -> Vec<u64> {
        let chunks = self.chunks.read().unwrap_or_else(PoisonError::into_inner);
        numbers.filter(|number| !chunks.contains_key(number)).collect()
    }

    fn write(&self) -> std::sync::RwLockWriteGuard<'_, BTreeMap<u64, Bytes>> {
        self.chunks.write().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug)]
struct Shared(Arc<FetchedChunks>);

impl Container for Shared {
    fn layout(&self) -> &Layout {
        self.0.layout.layout()
    }

    fn params(&self) -> &Params {
        self.0.layout.params()
    }

    fn chunk(&self, number: u64) -> Result<Bytes> {
        if let Some(special) = self.0.layout.special(number)? {
            return Ok(special);
        }
        let chunks = self.0.chunks.read().unwrap_or_else(PoisonError::into_inner);
        let none = || Error::invalid(format!("chunk {number} has not been fetched"));
        chunks.get(&number).cloned().ok_or_else(none)
    }

    fn commit(&mut self, _: Edit) -> Result<()> {
        Err(Error::unsupported("a frame in a store is read only"))
    }
}

/// Returns the first `len` bytes of an object, or all of them.
async fn get(store: &Arc<dyn ObjectStore>, path: &Path, len: Option<u64>) -> Result<Bytes> {
    let range = len.map(|len| (0..len).into());
    let options = GetOptions { range, ..GetOptions::default() };
    Ok(store.get_opts(path, options).await?.bytes().await?)
}
