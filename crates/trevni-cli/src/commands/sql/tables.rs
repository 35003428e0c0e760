//! Finds the table of a path in a statement, or of an argument.
//!
//! ```text
//! Trevni files, or folders and patterns of them    pushdown, pruning and parallel scans of trevni-datafusion
//! data set                                         its last snapshot
//! other formats                                    rows, read by the options of the command
//! ```

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::catalog::{TableProvider, UrlTableFactory};
use datafusion::datasource::listing::{
    ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl,
};
use datafusion::error::{DataFusionError, Result};
use datafusion::prelude::SessionContext;
use trevni_convert::Format;
use trevni_datafusion::{TrevniDatasetTable, TrevniFormat, TrevniOptions};

use super::error::external;
use super::row_table;
use crate::input::path::{PIPE, is_dataset_format, is_folder};
use crate::input::pattern::{expand, is_url, pattern};
use crate::input::remote;
use crate::input::rows::ReadArgs;

/// Opens files as tables.
pub(super) struct FileTables {
    read: ReadArgs,
    /// A session with the same runtime as that of the statements.
    context: SessionContext,
}

impl FileTables {
    pub(super) fn new(read: ReadArgs, context: SessionContext) -> Self {
        Self { read, context }
    }

    /// Returns the table of a path; `None` if there is no such file.
    pub(super) async fn table(&self, path: PathBuf) -> Result<Option<Arc<dyn TableProvider>>> {
        let (is_url, is_pipe) = (is_url(&path), path == Path::new(PIPE));
        if !is_pipe && !is_url && pattern(&path).is_none() && path.symlink_metadata().is_err() {
            return Ok(None);
        }
        if self.read.from.is_none_or(|format| matches!(format.name, "trv" | "dataset")) && !is_pipe
        {
            let table = match is_url {
                true => self.remote_table(&path).await?,
                false => self.local_table(&path).await?,
            };
            if table.is_some() {
                return Ok(table);
            }
        }
        let read = self.read.clone();
        // Opening reads.
        let open = tokio::task::spawn_blocking(move || row_table::open(read, path));
        let table = open.await.map_err(|e| DataFusionError::External(e.into()))?;
        Ok(Some(Arc::new(table.map_err(external)?)))
    }

    /// Returns the table of Trevni files, or of a data set; `None` if there are others.
    async fn local_table(&self, path: &Path) -> Result<Option<Arc<dyn TableProvider>>> {
        let inputs = [path.to_owned()];
        let files = expand(&inputs, false).map_err(external)?;
        let mut urls = Vec::with_capacity(files.len());
        for file in &files {
            let Ok((_, _, format)) = self.read.find(&file.path) else { return Ok(None) };
            let absolute = absolute(&file.path)?;
            let url = match is_dataset_format(format) {
                true => url::Url::from_directory_path(absolute),
                false => url::Url::from_file_path(absolute),
            };
            let Ok(url) = url else { return Ok(None) };
            let url = ListingTableUrl::try_new(url, None)?;
            if is_dataset_format(format) && files.len() == 1 {
                return self.dataset(url).await;
            }
            if format.name != "trv" || !file.path.is_file() {
                return Ok(None);
            }
            urls.push(url);
        }
        self.listing(urls).await.map(Some)
    }

    /// Returns the table of a Trevni file or a data set in a store; `None` if the URL is of something else.
    async fn remote_table(&self, path: &Path) -> Result<Option<Arc<dyn TableProvider>>> {
        let is_trevni = Format::of_path(path).is_some_and(|format| format.name == "trv");
        let Some(text) = path.to_str().filter(|_| is_folder(path) || is_trevni) else {
            return Ok(None);
        };
        let Some((store, key)) = remote::object(path).map_err(external)? else { return Ok(None) };
        // A store for each URL: hosts and buckets may need their own, and so may the parts of a URL.
        let state = self.context.state();
        let base = format!("trevni-{:x}://store/", hash(text));
        let base = url::Url::parse(&base).map_err(|e| DataFusionError::External(e.into()))?;
        state.runtime_env().register_object_store(&base, store);
        let slash = if is_folder(path) { "/" } else { "" };
        let mut url = base;
        url.set_path(&format!("{key}{slash}"));
        let url = ListingTableUrl::try_new(url, None)?;
        match is_folder(path) {
            true => self.dataset(url).await,
            false => self.listing(vec![url]).await.map(Some),
        }
    }

    async fn dataset(&self, url: ListingTableUrl) -> Result<Option<Arc<dyn TableProvider>>> {
        let state = self.context.state();
        let options = TrevniOptions::of_session(state.config_options());
        let table = TrevniDatasetTable::open(&state, url, options).await?;
        Ok(table.map(|table| Arc::new(table) as _))
    }

    async fn listing(&self, urls: Vec<ListingTableUrl>) -> Result<Arc<dyn TableProvider>> {
        let state = self.context.state();
        let format = TrevniFormat::new(TrevniOptions::of_session(state.config_options()));
        // The files have been found, whatever their names end in.
        let options = ListingOptions::new(Arc::new(format)).with_file_extension("");
        let config = ListingTableConfig::new_with_multi_paths(urls).with_listing_options(options);
        let config = config.infer_schema(&state).await?;
        let table = ListingTable::try_new(config)?;
        let cache = state.runtime_env().cache_manager.get_file_statistic_cache();
        Ok(Arc::new(table.with_cache(cache)))
    }
}

impl std::fmt::Debug for FileTables {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileTables").field("read", &self.read).finish_non_exhaustive()
    }
}

#[async_trait]
impl UrlTableFactory for FileTables {
    async fn try_new(&self, url: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        self.table(url.into()).await
    }
}

/// Returns an absolute path without `..`, which URLs do not have.
fn absolute(path: &Path) -> std::io::Result<PathBuf> {
    match path.components().any(|part| part == Component::ParentDir) {
        true => path.canonicalize(),
        false => std::path::absolute(path),
    }
}

fn hash(text: &str) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
