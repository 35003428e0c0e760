//! Trevni files in SQL: `STORED AS TREVNI`.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider, TableProviderFactory};
use datafusion::common::internal_datafusion_err;
use datafusion::datasource::listing::ListingTable;
use datafusion::datasource::listing_table_factory::ListingTableFactory;
use datafusion::error::Result;
use datafusion::logical_expr::CreateExternalTable;

use crate::format::EXTENSION;
use crate::table::TrevniTable;

/// Creates tables of Trevni files.
#[derive(Debug, Default)]
pub struct TrevniTableFactory;

#[async_trait]
impl TableProviderFactory for TrevniTableFactory {
    async fn create(
        &self,
        state: &dyn Session,
        command: &CreateExternalTable,
    ) -> Result<Arc<dyn TableProvider>> {
        // Of a folder, the listing takes the files whose extension is the name of the format.
        let mut command = command.clone();
        command.file_type = EXTENSION.to_owned();
        let table = ListingTableFactory::new().create(state, &command).await?;
        let files = table
            .downcast_ref::<ListingTable>()
            .ok_or_else(|| internal_datafusion_err!("a listing of files is another table"))?;
        Ok(Arc::new(TrevniTable::new(files.clone())))
    }
}
