//! Containers of the Blosc family in SQL: `STORED AS BLOSC`.
//!
//! ```text
//! CREATE EXTERNAL TABLE t STORED AS BLOSC LOCATION 'bundle.bcolz'        folders and files
//! CREATE EXTERNAL TABLE t STORED AS BLOSC LOCATION 's3://bucket/x.b2frame'
//! ```

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider, TableProviderFactory};
use datafusion::common::plan_err;
use datafusion::datasource::listing::ListingTableUrl;
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::CreateExternalTable;
use object_store::ObjectStore;
use object_store::path::Path;
use tokio::runtime::Handle;
use trevni_convert::{Format, ReadOptions, Rows, Source};

use crate::error::external;
use crate::location::one_location;
use crate::reader_table::{ReaderScan, ReaderTable};

/// The name in SQL.
pub(crate) const BLOSC_NAME: &str = "BLOSC";

/// Creates tables of Bloscpack files, directories of carray, bcolz and Blaze, and Blosc2 frames. Each array is a
/// column. The option `format.dtype` is the type of the elements of a frame that has none, as NumPy writes it.
#[derive(Debug, Default)]
pub struct BloscTableFactory;

#[async_trait]
impl TableProviderFactory for BloscTableFactory {
    async fn create(
        &self,
        state: &dyn Session,
        command: &CreateExternalTable,
    ) -> Result<Arc<dyn TableProvider>> {
        let location = one_location(command, "a container")?;
        if !command.schema.fields().is_empty() {
            return plan_err!("{location}: the columns of a container are those that it has");
        }
        let mut dtype = None;
        for (key, value) in &command.options {
            match key.as_str() {
                "format.dtype" => dtype = Some(value.clone()),
                _ => return plan_err!("{key}: no option of BLOSC, which has format.dtype"),
            }
        }
        let url = ListingTableUrl::parse(location)?;
        let place = Place {
            name: location.clone(),
            is_folder: location.ends_with('/'),
            store: match url.scheme() {
                "file" => None,
                _ => Some(state.runtime_env().object_store(&url)?),
            },
            key: url.prefix().clone(),
            runtime: Handle::current(),
            dtype,
        };
        let of_file = place.clone();
        let open = move || of_file.open(&ReaderScan { columns: Vec::new(), limit: Some(1) }, true);
        let rows = tokio::task::spawn_blocking(open).await;
        let rows = rows.map_err(|e| DataFusionError::External(e.into()))??;
        let table = ReaderTable::new(&rows.schema(), move |scan| place.open(scan, false));
        Ok(Arc::new(table))
    }
}

/// A container, and how it is read.
#[derive(Debug, Clone)]
struct Place {
    name: String,
    is_folder: bool,
    /// None for the file system.
    store: Option<Arc<dyn ObjectStore>>,
    key: Path,
    runtime: Handle,
    dtype: Option<String>,
}

impl Place {
    /// Opens the rows, with the columns of a scan or with all.
    fn open(&self, scan: &ReaderScan, all: bool) -> Result<Rows> {
        let source = match &self.store {
            None => Source::open(format!("/{}", self.key))?,
            Some(store) => {
                let (store, key, runtime) = (store.clone(), self.key.clone(), self.runtime.clone());
                match self.is_folder {
                    true => Source::below(self.name.clone(), store, key, runtime),
                    false => Source::in_store(self.name.clone(), store, key, runtime),
                }
            }
        };
        // A name with a dot would be that of a part of a column.
        let is_plain = scan.columns.iter().all(|name| !name.contains('.'));
        let options = ReadOptions {
            columns: (is_plain && !all).then(|| scan.columns.clone()),
            limit: scan.limit,
            dtype: self.dtype.clone(),
            ..ReadOptions::default()
        };
        // Whatever the name, containers are detected.
        let format = Format::named("bloscpack").map_err(external)?;
        let in_container = |e| external(e).context(self.name.clone());
        (format.open)(source, &options).map_err(in_container)
    }
}
