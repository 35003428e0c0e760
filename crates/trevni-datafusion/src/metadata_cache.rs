//! Headers and block tables in the metadata cache of the session.
//!
//! ```text
//! first open    header fetched ──► cache          block tables are added to the same entry when they are fetched
//! next opens    cache ──► builder                 nothing is fetched, nothing is parsed
//! ```
//! An entry is of one state of a file: it is used while size and time of the last change are the same.

use std::any::Any;
use std::sync::Arc;

use datafusion::common::HashMap;
use datafusion::error::Result;
use datafusion::execution::cache::cache_manager::{
    CachedFileMetadataEntry, FileMetadata, FileMetadataCache,
};
use object_store::{ObjectMeta, ObjectStore};
use trevni::arrow::{ArrowReaderMetadata, ArrowReaderOptions, ArrowStreamBuilder};
use trevni::defaults::{BLOCK_SIZE, PACK_BLOCK_ROWS};
use trevni::object_store::FetchOptions;

use crate::error::external;

/// What the cache holds of a file.
struct CachedMetadata {
    metadata: ArrowReaderMetadata,
    /// Whether its schema has views.
    view_types: bool,
    /// Its bytes with all block tables. The cache asks again, and needs the same answer whenever it does.
    size: usize,
}

/// The bytes of a block in a block table, with its statistics, roughly.
const BYTES_PER_BLOCK: u64 = 64;

impl CachedMetadata {
    fn new(metadata: ArrowReaderMetadata, view_types: bool, object: &ObjectMeta) -> Self {
        let header = metadata.metadata().header();
        let by_rows = header.rows.div_ceil(PACK_BLOCK_ROWS as u64);
        let by_rows = by_rows.saturating_mul(header.columns.len() as u64);
        let blocks = by_rows.max(object.size / BLOCK_SIZE as u64);
        let tables = usize::try_from(blocks.saturating_mul(BYTES_PER_BLOCK)).unwrap_or(usize::MAX);
        let size = metadata.memory_size().saturating_add(tables);
        Self { metadata, view_types, size }
    }
}

impl FileMetadata for CachedMetadata {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn memory_size(&self) -> usize {
        self.size
    }

    fn extra_info(&self) -> HashMap<String, String> {
        let header = self.metadata.metadata().header();
        HashMap::from([
            ("rows".to_owned(), header.rows.to_string()),
            ("columns".to_owned(), header.columns.len().to_string()),
        ])
    }
}

/// Opens a file, by its entry in the cache if there is one.
pub(crate) async fn open(
    store: &Arc<dyn ObjectStore>,
    object: &ObjectMeta,
    view_types: bool,
    fetch: FetchOptions,
    cache: Option<&Arc<FileMetadataCache>>,
) -> Result<ArrowStreamBuilder> {
    let path = &object.location;
    if let Some(entry) = cache.and_then(|cache| cache.get(path))
        && entry.is_valid_for(object)
        && let Some(cached) = entry.file_metadata.as_any().downcast_ref::<CachedMetadata>()
        && cached.view_types == view_types
    {
        let (store, metadata) = (store.clone(), cached.metadata.clone());
        return Ok(ArrowStreamBuilder::from_metadata(store, object.clone(), metadata, fetch));
    }
    let in_file = |e| external(e).context(path.to_string());
    let (store, options) =
        (store.clone(), ArrowReaderOptions::default().with_view_types(view_types));
    let builder = ArrowStreamBuilder::new_with_options(store, object.clone(), options, fetch)
        .await
        .map_err(in_file)?;
    if let Some(cache) = cache {
        let cached = CachedMetadata::new(builder.metadata(), view_types, object);
        cache.put(path, CachedFileMetadataEntry::new(object.clone(), Arc::new(cached)));
    }
    Ok(builder)
}
