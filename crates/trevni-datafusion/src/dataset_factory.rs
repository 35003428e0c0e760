//! Data sets in SQL: `STORED AS TREVNI_DATASET`.
//!
//! ```text
//! CREATE EXTERNAL TABLE t STORED AS TREVNI_DATASET LOCATION 'folder/'          one that exists
//! CREATE EXTERNAL TABLE t (a INT, y INT) STORED AS TREVNI_DATASET
//!   PARTITIONED BY (y) LOCATION 'folder/'                                      one that INSERT INTO creates
//! ```

use std::sync::Arc;

use arrow::datatypes::FieldRef;
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider, TableProviderFactory};
use datafusion::common::plan_datafusion_err;
use datafusion::datasource::listing::ListingTableUrl;
use datafusion::error::Result;
use datafusion::logical_expr::CreateExternalTable;

use crate::dataset_table::TrevniDatasetTable;
use crate::location::one_location;
use crate::options::TrevniOptions;

/// Creates tables of data sets.
#[derive(Debug, Default)]
pub struct TrevniDatasetFactory;

#[async_trait]
impl TableProviderFactory for TrevniDatasetFactory {
    async fn create(
        &self,
        state: &dyn Session,
        command: &CreateExternalTable,
    ) -> Result<Arc<dyn TableProvider>> {
        let location = one_location(command, "a data set")?;
        // A folder, whether it exists or not.
        let folder = format!("{}/", location.trim_end_matches('/'));
        let url = ListingTableUrl::parse(&folder)?;
        let options = TrevniOptions::of_session(state.config_options());
        let options = options.with_options(&command.options)?;
        options.writer_properties()?;
        let declared = command.schema.as_arrow();
        if declared.fields().is_empty() {
            let found = TrevniDatasetTable::open(state, url, options).await?;
            let found = found.ok_or_else(|| {
                plan_datafusion_err!("{location}: not a data set; columns make a new one")
            })?;
            return Ok(Arc::new(found));
        }
        let partition = |name: &String| Ok(Arc::new(declared.field_with_name(name)?.clone()));
        let partitions = command.table_partition_cols.iter().map(partition);
        let partitions = partitions.collect::<Result<Vec<FieldRef>>>()?;
        Ok(Arc::new(TrevniDatasetTable::new(url, declared, partitions, options)))
    }
}
