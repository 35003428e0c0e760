//! What a scan reads of each file: projection, filter, batch size.

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::{
    FileGroup, FileGroupPartitioner, FileOpener, FileScanConfig, FileSource,
};
use datafusion::datasource::table_schema::TableSchema;
use datafusion::error::Result;
use datafusion::execution::cache::cache_manager::FileMetadataCache;
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::physical_expr::projection::ProjectionExprs;
use datafusion::physical_expr::utils::collect_columns;
use datafusion::physical_expr::{LexOrdering, PhysicalExpr, conjunction};
use datafusion::physical_expr_adapter::DefaultPhysicalExprAdapterFactory;
use datafusion::physical_plan::filter_pushdown::{FilterPushdownPropagation, PushedDown};
use datafusion::physical_plan::metrics::ExecutionPlanMetricsSet;
use datafusion::physical_plan::{DisplayFormatType, apply_expression_roots};
use object_store::ObjectStore;
use trevni::object_store::FetchOptions;

use crate::metrics::ScanMetrics;
use crate::opener::TrevniOpener;
use crate::options::TrevniOptions;

/// The ranges of bytes of each partition, at most. Partitions that keep no order take ranges from one queue, so that a slow
/// range delays the scan by its own time only.
const RANGES_PER_PARTITION: usize = 4;

/// The bytes of such a range, at least: each is opened by itself.
const RANGE_BYTES: u64 = 8 << 20;

/// Reads Trevni files in a scan.
#[derive(Debug, Clone)]
pub struct TrevniSource {
    table_schema: TableSchema,
    options: TrevniOptions,
    projection: ProjectionExprs,
    filter: Option<Arc<dyn PhysicalExpr>>,
    batch_size: Option<usize>,
    metrics: ExecutionPlanMetricsSet,
    metadata_cache: Option<Arc<FileMetadataCache>>,
}

impl TrevniSource {
    /// Creates a source of all columns and rows.
    pub fn new(table_schema: impl Into<TableSchema>, options: TrevniOptions) -> Self {
        let table_schema = table_schema.into();
        let schema = table_schema.table_schema();
        let all: Vec<usize> = (0..schema.fields().len()).collect();
        let projection = ProjectionExprs::from_indices(&all, schema);
        let metrics = ExecutionPlanMetricsSet::new();
        Self {
            table_schema,
            options,
            projection,
            filter: None,
            batch_size: None,
            metrics,
            metadata_cache: None,
        }
    }

    /// Returns the options.
    pub fn options(&self) -> &TrevniOptions {
        &self.options
    }

    /// Sets the condition of the rows, in columns of the table. Default: none.
    pub fn with_filter(mut self, filter: Option<Arc<dyn PhysicalExpr>>) -> Self {
        self.filter = filter;
        self
    }

    /// Sets the cache of headers and block tables, usually that of the runtime. Default: none.
    pub fn with_metadata_cache(mut self, cache: Arc<FileMetadataCache>) -> Self {
        self.metadata_cache = Some(cache);
        self
    }
}

impl TrevniSource {
    /// Returns the bytes of the columns that are read, if all columns are of one size.
    fn bytes_read(&self, config: &FileScanConfig) -> u64 {
        let files = config.file_groups.iter().flat_map(FileGroup::iter);
        let bytes: u64 = files.map(PartitionedFile::effective_size).sum();
        let all = self.table_schema.file_schema().fields().len() as u64;
        let exprs = self.filter.iter().chain(self.projection.iter().map(|column| &column.expr));
        let columns: HashSet<usize> =
            exprs.flat_map(collect_columns).map(|column| column.index()).collect();
        let read = (columns.len() as u64).min(all);
        u64::try_from(u128::from(bytes) * u128::from(read) / u128::from(all.max(1)))
            .unwrap_or(bytes)
    }
}

impl FileSource for TrevniSource {
    fn create_file_opener(
        &self,
        object_store: Arc<dyn ObjectStore>,
        base_config: &FileScanConfig,
        partition: usize,
    ) -> Result<Arc<dyn FileOpener>> {
        let adapters = base_config.expr_adapter_factory.clone();
        Ok(Arc::new(TrevniOpener {
            store: object_store,
            table_schema: self.table_schema.clone(),
            projection: self.projection.clone(),
            filter: self.filter.clone(),
            adapters: adapters.unwrap_or_else(|| Arc::new(DefaultPhysicalExprAdapterFactory)),
            batch_size: self.batch_size.or(base_config.batch_size),
            limit: base_config.limit,
            pruning: self.options.pruning,
            view_types: self.options.view_types,
            fetch: fetch_options(&base_config.object_store_url),
            metrics: ScanMetrics::new(&self.metrics, partition),
            metadata_cache: self.metadata_cache.clone(),
        }))
    }

    fn table_schema(&self) -> &TableSchema {
        &self.table_schema
    }

    fn with_batch_size(&self, batch_size: usize) -> Arc<dyn FileSource> {
        Arc::new(Self { batch_size: Some(batch_size), ..self.clone() })
    }

    fn filter(&self) -> Option<Arc<dyn PhysicalExpr>> {
        self.filter.clone()
    }

    fn projection(&self) -> Option<&ProjectionExprs> {
        Some(&self.projection)
    }

    fn metrics(&self) -> &ExecutionPlanMetricsSet {
        &self.metrics
    }

    fn file_type(&self) -> &str {
        "trevni"
    }

    fn fmt_extra(
        &self,
        _format: DisplayFormatType,
        out: &mut std::fmt::Formatter<'_>,
    ) -> std::fmt::Result {
        match &self.filter {
            Some(filter) => write!(out, ", predicate={filter}"),
            None => Ok(()),
        }
    }

    /// Divides the bytes of all files evenly among the partitions, several ranges for each if these are not small.
    fn repartitioned(
        &self,
        target_partitions: usize,
        repartition_file_min_size: usize,
        output_ordering: Option<LexOrdering>,
        config: &FileScanConfig,
    ) -> Result<Option<FileScanConfig>> {
        let keeps_order = config.preserve_order || output_ordering.is_some();
        let ranges = match keeps_order {
            true => 1,
            false => ranges_per_partition(self.bytes_read(config), target_partitions),
        };
        let groups = FileGroupPartitioner::new()
            .with_target_partitions(target_partitions.saturating_mul(ranges))
            .with_repartition_file_min_size(repartition_file_min_size)
            .with_preserve_order_within_groups(output_ordering.is_some())
            .repartition_file_groups(&config.file_groups);
        let divided = |groups: Vec<FileGroup>| {
            let mut config = config.clone();
            config.file_groups = groups.chunks(ranges).map(concat).collect();
            config
        };
        Ok(groups.map(divided))
    }

    /// Takes all filters: each is evaluated on the rows of a file, exactly.
    fn try_pushdown_filters(
        &self,
        filters: Vec<Arc<dyn PhysicalExpr>>,
        _config: &ConfigOptions,
    ) -> Result<FilterPushdownPropagation<Arc<dyn FileSource>>> {
        if !self.options.pushdown_filters || filters.is_empty() {
            let none = vec![PushedDown::No; filters.len()];
            return Ok(FilterPushdownPropagation::with_parent_pushdown_result(none));
        }
        let taken = vec![PushedDown::Yes; filters.len()];
        let filter = conjunction(self.filter.iter().cloned().chain(filters));
        let source: Arc<dyn FileSource> = Arc::new(Self { filter: Some(filter), ..self.clone() });
        Ok(FilterPushdownPropagation::with_parent_pushdown_result(taken).with_updated_node(source))
    }

    fn try_pushdown_projection(
        &self,
        projection: &ProjectionExprs,
    ) -> Result<Option<Arc<dyn FileSource>>> {
        let projection = self.projection.try_merge(projection)?;
        Ok(Some(Arc::new(Self { projection, ..self.clone() })))
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        let projected = self.projection.iter().map(|column| &column.expr);
        apply_expression_roots(self.filter.iter().chain(projected), f)
    }
}

/// Returns how files of a store are fetched. Of files on a disk nothing is read that may not be needed.
fn fetch_options(store: &ObjectStoreUrl) -> FetchOptions {
    match store.as_str().starts_with("file:") {
        true => FetchOptions::default().with_first_read(64 << 10).with_round_trip_bytes(0),
        false => FetchOptions::default(),
    }
}

fn ranges_per_partition(bytes: u64, partitions: usize) -> usize {
    let ranges = bytes / partitions.max(1) as u64 / RANGE_BYTES;
    usize::try_from(ranges).unwrap_or(usize::MAX).clamp(1, RANGES_PER_PARTITION)
}

fn concat(groups: &[FileGroup]) -> FileGroup {
    groups.iter().flat_map(FileGroup::iter).cloned().collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::datatypes::{DataType, Field, Schema};
    use datafusion::datasource::physical_plan::FileScanConfigBuilder;

    use super::*;

    /// Returns the ranges of each partition, in MiB.
    fn divided(files: &[u64], partitions: usize, keeps_order: bool) -> Vec<Vec<i64>> {
        of_source(table(), files, partitions, keeps_order)
    }

    /// A scan of both columns of a table.
    fn table() -> TrevniSource {
        let fields = ["a", "b"].map(|name| Field::new(name, DataType::Int64, false));
        TrevniSource::new(Arc::new(Schema::new(fields.to_vec())), TrevniOptions::default())
    }

    fn of_source(
        source: TrevniSource,
        files: &[u64],
        partitions: usize,
        keeps_order: bool,
    ) -> Vec<Vec<i64>> {
        let files = files.iter().map(|mib| PartitionedFile::new("t.trv", mib << 20)).collect();
        let store = ObjectStoreUrl::local_filesystem();
        let config = FileScanConfigBuilder::new(store, Arc::new(source.clone()))
            .with_file_group(files)
            .with_preserve_order(keeps_order)
            .build();
        let divided = source.repartitioned(partitions, 1 << 20, None, &config).unwrap().unwrap();
        let mib = |file: &PartitionedFile| {
            let range = file.range.as_ref().unwrap();
            (range.end - range.start) >> 20
        };
        divided.file_groups.iter().map(|group| group.iter().map(mib).collect()).collect()
    }

    #[test]
    fn large_files_are_several_ranges_a_partition_unless_order_is_kept() {
        assert_eq!(divided(&[64], 2, false), [[8, 8, 8, 8], [8, 8, 8, 8]]);
        assert_eq!(divided(&[640], 2, false), [[80; 4]; 2]);
        assert_eq!(divided(&[48], 2, false), [[8; 3]; 2]);
        assert_eq!(divided(&[20], 2, false), [[10]; 2]);
        assert_eq!(divided(&[20, 40, 20], 2, false), [[10, 10, 10, 10], [10, 10, 10, 10]]);
        assert_eq!(divided(&[64], 2, true), [[32]; 2]);
        let schema = table().table_schema.table_schema().clone();
        let one =
            TrevniSource { projection: ProjectionExprs::from_indices(&[1], &schema), ..table() };
        assert_eq!(of_source(one, &[64], 2, false), [[16; 2]; 2]);
    }
}
