//! Trevni files as a table: a file, or the files of a folder.
//!
//! ```text
//! TrevniTable ──► ListingTable: lists the files, prunes partitions, plans the scan ──► TrevniFormat
//! ```
//! A type of its own, since plans with a `ListingTable` can only be sent to other hosts if its format is one that
//! DataFusion knows.

use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use async_trait::async_trait;
use datafusion::catalog::{ScanArgs, ScanResult, Session, TableProvider};
use datafusion::common::Constraints;
use datafusion::datasource::listing::{ListingTable, ListingTableConfig};
use datafusion::error::Result;
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::logical_expr::dml::InsertOp;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;

/// A table of Trevni files.
#[derive(Debug, Clone)]
pub struct TrevniTable {
    files: Arc<ListingTable>,
}

impl TrevniTable {
    /// Creates a table of the files that a listing finds, whose format is [`TrevniFormat`](crate::TrevniFormat).
    pub fn new(files: ListingTable) -> Self {
        Self { files: Arc::new(files) }
    }

    /// Lists files, whose statistics are in a cache of a session.
    pub(crate) fn try_new(config: ListingTableConfig, runtime: &RuntimeEnv) -> Result<Self> {
        let cache = runtime.cache_manager.get_file_statistic_cache();
        Ok(Self::new(ListingTable::try_new(config)?.with_cache(cache)))
    }

    /// Returns the listing.
    pub fn files(&self) -> &ListingTable {
        &self.files
    }
}

#[async_trait]
impl TableProvider for TrevniTable {
    fn schema(&self) -> SchemaRef {
        TableProvider::schema(&*self.files)
    }

    fn constraints(&self) -> Option<&Constraints> {
        self.files.constraints()
    }

    fn table_type(&self) -> TableType {
        self.files.table_type()
    }

    fn get_table_definition(&self) -> Option<&str> {
        self.files.get_table_definition()
    }

    fn get_column_default(&self, column: &str) -> Option<&Expr> {
        self.files.get_column_default(column)
    }

    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> Result<Vec<TableProviderFilterPushDown>> {
        self.files.supports_filters_pushdown(filters)
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.files.scan(state, projection, filters, limit).await
    }

    async fn scan_with_args<'a>(
        &self,
        state: &dyn Session,
        args: ScanArgs<'a>,
    ) -> Result<ScanResult> {
        self.files.scan_with_args(state, args).await
    }

    async fn insert_into(
        &self,
        state: &dyn Session,
        input: Arc<dyn ExecutionPlan>,
        insert_op: InsertOp,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.files.insert_into(state, input, insert_op).await
    }
}
