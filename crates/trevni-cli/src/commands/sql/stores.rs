//! The object stores of the URLs in statements, which are made when the first names them.
//!
//! ```text
//! LOCATION 's3://bucket/table/', COPY ... TO 'gs://bucket/file' ──► the store of s3://bucket, by the environment
//! ```

use std::sync::Arc;

use datafusion::error::{DataFusionError, Result};
use datafusion::execution::object_store::{DefaultObjectStoreRegistry, ObjectStoreRegistry};
use object_store::ObjectStore;
use trevni::object_store::{environment, from_url};
use url::Url;

/// Makes stores.
#[derive(Debug, Default)]
pub(super) struct Stores(DefaultObjectStoreRegistry);

impl ObjectStoreRegistry for Stores {
    fn register_store(
        &self,
        url: &Url,
        store: Arc<dyn ObjectStore>,
    ) -> Option<Arc<dyn ObjectStore>> {
        self.0.register_store(url, store)
    }

    fn deregister_store(&self, url: &Url) -> Result<Arc<dyn ObjectStore>> {
        self.0.deregister_store(url)
    }

    fn get_store(&self, url: &Url) -> Result<Arc<dyn ObjectStore>> {
        if let Ok(known) = self.0.get_store(url) {
            return Ok(known);
        }
        let made = from_url(url.as_str(), environment());
        let (store, _) = made.map_err(|e| DataFusionError::External(e.into()))?;
        self.0.register_store(url, store.clone());
        Ok(store)
    }
}
