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
use trevni::object_store::FetchOptions;

use crate::error::external;

/// What the cache holds of a file.
struct CachedMetadata {
    metadata: ArrowReaderMetadata,
    /// Whether its schema has views.
    view_types: bool,
}

impl FileMetadata for CachedMetadata {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn memory_size(&self) -> usize {
        self.metadata.memory_size()
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
        let metadata = Arc::new(CachedMetadata { metadata: builder.metadata(), view_types });
        cache.put(path, CachedFileMetadataEntry::new(object.clone(), metadata));
    }
    Ok(builder)
}
