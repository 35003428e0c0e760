//! Extends `SessionContext` by Trevni files.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::datasource::listing::{ListingOptions, ListingTableConfig, ListingTableUrl};
use datafusion::error::Result;
use datafusion::prelude::{DataFrame, SessionContext};

use crate::dataset_factory::TrevniDatasetFactory;
use crate::format::{EXTENSION, TrevniFormat};
use crate::format_factory::{DATASET_NAME, NAME, TrevniFormatFactory};
use crate::options::TrevniOptions;
use crate::table::TrevniTable;
use crate::table_factory::TrevniTableFactory;

/// Reads Trevni files in a session.
#[async_trait]
pub trait SessionContextExt {
    /// Makes `STORED AS TREVNI`, `STORED AS TREVNI_DATASET`, `STORED AS BLOSC` with the feature `blosc`, and the options
    /// `trevni.*` known to SQL.
    fn register_trevni_format(&self) -> Result<()>;

    /// Registers a file, or the files of a folder, as a table.
    async fn register_trevni(&self, name: &str, path: &str) -> Result<()>;

    /// Reads a file, or the files of a folder.
    async fn read_trevni(&self, path: &str) -> Result<DataFrame>;
}

#[async_trait]
impl SessionContextExt for SessionContext {
    fn register_trevni_format(&self) -> Result<()> {
        let state = self.state_ref();
        let mut state = state.write();
        let extensions = &mut state.config_mut().options_mut().extensions;
        if extensions.get::<TrevniOptions>().is_none() {
            extensions.insert(TrevniOptions::default());
        }
        for name in [NAME, EXTENSION, DATASET_NAME] {
            state.register_file_format(Arc::new(TrevniFormatFactory::named(name)), true)?;
        }
        let tables = Arc::new(TrevniTableFactory);
        state.table_factories_mut().insert(NAME.to_uppercase(), tables);
        let datasets = Arc::new(TrevniDatasetFactory);
        state.table_factories_mut().insert(DATASET_NAME.to_uppercase(), datasets);
        #[cfg(feature = "blosc")]
        {
            let containers = Arc::new(crate::blosc_factory::BloscTableFactory);
            let name = crate::blosc_factory::BLOSC_NAME.to_owned();
            state.table_factories_mut().insert(name, containers);
        }
        Ok(())
    }

    async fn register_trevni(&self, name: &str, path: &str) -> Result<()> {
        let table = table(self, path).await?;
        self.register_table(name, Arc::new(table))?;
        Ok(())
    }

    async fn read_trevni(&self, path: &str) -> Result<DataFrame> {
        self.read_table(Arc::new(table(self, path).await?))
    }
}

/// Returns the table of a file, or of the files of a folder.
async fn table(ctx: &SessionContext, path: &str) -> Result<TrevniTable> {
    let state = ctx.state();
    let format = TrevniFormat::new(TrevniOptions::of_session(state.config_options()));
    let options =
        ListingOptions::new(Arc::new(format)).with_file_extension(format!(".{EXTENSION}"));
    let config =
        ListingTableConfig::new(ListingTableUrl::parse(path)?).with_listing_options(options);
    TrevniTable::try_new(config.infer_schema(&state).await?, state.runtime_env())
}
