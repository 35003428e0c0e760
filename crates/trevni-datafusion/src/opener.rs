//! Opens a file of a scan.
//!
//! ```text
//! table's expressions ──► partition values put in ──► the file's columns ──► simplified
//! rows       byte range ──► blocks that may pass ──► filter, one conjunct after the other
//! columns    of the filter, then of the projection for the rows that pass ──► projected
//! ```

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{RecordBatch, RecordBatchOptions};
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use datafusion::common::ScalarValue;
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::{FileOpenFuture, FileOpener};
use datafusion::datasource::table_schema::TableSchema;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::cache::cache_manager::FileMetadataCache;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::{DynamicFilterPhysicalExpr, Literal};
use datafusion::physical_expr::projection::ProjectionExprs;
use datafusion::physical_expr::simplifier::PhysicalExprSimplifier;
use datafusion::physical_expr::utils::reassign_expr_columns;
use datafusion::physical_expr_adapter::{
    PhysicalExprAdapterFactory, replace_columns_with_literals,
};
use datafusion::physical_optimizer::pruning::FilePruner;
use datafusion::physical_plan::metrics::Count;
use futures_util::{FutureExt, StreamExt, TryStreamExt, stream};
use object_store::ObjectStore;
use trevni::arrow::{ArrowPredicate, ArrowPredicateFn, ArrowStreamBuilder, RowFilter};
use trevni::object_store::FetchOptions;

use crate::byte_range::rows_of;
use crate::error::external;
use crate::field_paths;
use crate::filter_steps::{FilterStep, filter_steps, passes};
use crate::metadata_cache;
use crate::metrics::ScanMetrics;
use crate::optional_filter::OptionalFilter;
use crate::pruning::BlockPruner;

/// Opens files of one partition of a scan.
#[derive(Debug, Clone)]
pub(crate) struct TrevniOpener {
    pub(crate) store: Arc<dyn ObjectStore>,
    pub(crate) table_schema: TableSchema,
    pub(crate) projection: ProjectionExprs,
    pub(crate) filter: Option<Arc<dyn PhysicalExpr>>,
    pub(crate) adapters: Arc<dyn PhysicalExprAdapterFactory>,
    pub(crate) batch_size: Option<usize>,
    pub(crate) limit: Option<usize>,
    pub(crate) pruning: bool,
    pub(crate) view_types: bool,
    pub(crate) fetch: FetchOptions,
    pub(crate) metrics: ScanMetrics,
    pub(crate) metadata_cache: Option<Arc<FileMetadataCache>>,
}

impl FileOpener for TrevniOpener {
    fn open(&self, file: PartitionedFile) -> Result<FileOpenFuture> {
        let opener = self.clone();
        Ok(async move {
            let location = file.object_meta.location.to_string();
            opener.open_file(file).await.map_err(|e| e.context(location))
        }
        .boxed())
    }
}

type Batches = futures_util::stream::BoxStream<'static, Result<RecordBatch>>;

impl TrevniOpener {
    async fn open_file(self, file: PartitionedFile) -> Result<Batches> {
        let pruned = self.metrics.pruned_files.clone();
        let (is_excluded, pruner) = self.file_pruner(&file)?;
        if is_excluded {
            pruned.add(1);
            return Ok(stream::empty().boxed());
        }
        let object = file.object_meta.clone();
        let size = object.size;
        let cache = self.metadata_cache.as_ref();
        let metrics = self.metrics.of_file();
        let fetch = self.fetch.clone().with_metrics(metrics.fetched());
        let builder =
            metadata_cache::open(&self.store, &object, self.view_types, fetch, cache).await?;
        let builder = builder.with_metrics(metrics.read());
        let rows = match &file.range {
            None => 0..builder.rows(),
            Some(range) => {
                let byte = |at: i64| u64::try_from(at).unwrap_or(0);
                rows_of(byte(range.start)..byte(range.end), size, builder.rows())
            }
        };
        if rows.is_empty() {
            return Ok(stream::empty().boxed());
        }
        let schema = builder.schema().clone();
        let (projection, filter) = self.of_file(&file, &schema)?;
        let exprs = projection.iter().map(|column| &column.expr);
        let (mask, read) = field_paths::projection(exprs, &schema)?;
        let projection = projection.try_map_exprs(|expr| reassign_expr_columns(expr, &read))?;
        let projector = projection.make_projector(&read)?;
        let builder = builder.with_projection(mask);
        let builder = self.select(builder, rows, filter, &schema).await?;
        let stream = builder.build().map_err(external)?;
        let location = file.object_meta.location;
        let in_file = move |e: DataFusionError| e.context(location.to_string());
        let stream = metrics.measure(stream);
        // A file may have nullable columns that the table declares not to be.
        let output = Arc::new(self.projection.project_schema(self.table_schema.table_schema())?);
        let output = (output != *projector.output_schema()).then_some(output);
        let projected = stream.map(move |batch| {
            let projected = batch.map_err(external).and_then(|b| projector.project_batch(&b));
            let projected = match &output {
                Some(schema) => projected.and_then(|batch| with_schema(&batch, schema)),
                None => projected,
            };
            projected.map_err(&in_file)
        });
        Ok(match pruner {
            Some(pruner) => until_pruned(projected.boxed(), pruner, pruned),
            None => projected.boxed(),
        })
    }

    /// Returns whether no row of a file can pass, by its statistics and partition values, and what decides that again
    /// while a dynamic filter becomes stricter.
    fn file_pruner(&self, file: &PartitionedFile) -> Result<(bool, Option<FilePruner>)> {
        let Some(filter) = self.filter.as_ref().filter(|_| self.pruning) else {
            return Ok((false, None));
        };
        let values = self.partition_values(file);
        let filter = replace_columns_with_literals(filter.clone(), &values)?;
        let schema = self.table_schema.file_schema();
        let filter = PhysicalExprSimplifier::new(schema).simplify(filter)?;
        if let Some(literal) = filter.downcast_ref::<Literal>() {
            let passes = matches!(literal.value(), ScalarValue::Boolean(Some(true)));
            return Ok((!passes, None));
        }
        let errors = self.metrics.errors.clone();
        let mut pruner = FilePruner::try_new(filter, schema, file, errors);
        let is_excluded = pruner.as_mut().map_or(Ok(false), FilePruner::should_prune)?;
        Ok((is_excluded, pruner))
    }

    fn partition_values<'a>(
        &'a self,
        file: &'a PartitionedFile,
    ) -> HashMap<&'a str, &'a ScalarValue> {
        let fields = self.table_schema.table_partition_cols().iter();
        fields.map(|field| field.name().as_str()).zip(&file.partition_values).collect()
    }

    /// Returns projection and filter in the columns of a file.
    fn of_file(
        &self,
        file: &PartitionedFile,
        schema: &SchemaRef,
    ) -> Result<(ProjectionExprs, Option<Arc<dyn PhysicalExpr>>)> {
        let values = self.partition_values(file);
        let logical = self.table_schema.file_schema();
        let adapter = self.adapters.create(logical.clone(), schema.clone())?;
        let simplifier = PhysicalExprSimplifier::new(schema);
        let adapt = |expr: Arc<dyn PhysicalExpr>| {
            let expr = match values.is_empty() {
                true => expr,
                false => replace_columns_with_literals(expr, &values)?,
            };
            simplifier.simplify(adapter.rewrite(expr)?)
        };
        let projection = self.projection.clone().try_map_exprs(adapt)?;
        Ok((projection, self.filter.clone().map(adapt).transpose()?))
    }

    /// Selects the rows to read.
    async fn select(
        &self,
        mut builder: ArrowStreamBuilder,
        rows: Range<u64>,
        filter: Option<Arc<dyn PhysicalExpr>>,
        schema: &SchemaRef,
    ) -> Result<ArrowStreamBuilder> {
        if let Some(filter) = filter {
            let predicates = filter_steps(&filter, schema).into_iter();
            let predicates = predicates.map(|step| predicate(step, schema));
            builder = builder.with_row_filter(RowFilter::new(predicates.collect::<Result<_>>()?));
            if self.pruning {
                builder.fetch_tables().await.map_err(external)?;
                builder = prune(builder, &filter, &rows, &self.metrics).await?;
            }
        }
        if let Some(rows) = self.batch_size {
            builder = builder.with_batch_size(rows);
        }
        if let Some(limit) = self.limit {
            builder = builder.with_limit(limit as u64);
        }
        Ok(builder.with_row_range(rows))
    }
}

/// Leaves out blocks in which no row can pass, now and while a dynamic filter becomes stricter.
async fn prune(
    mut builder: ArrowStreamBuilder,
    filter: &Arc<dyn PhysicalExpr>,
    rows: &Range<u64>,
    metrics: &ScanMetrics,
) -> Result<ArrowStreamBuilder> {
    let pruner = BlockPruner::try_new(&mut builder, filter, rows, metrics).await?;
    let Some(mut pruner) = pruner else { return Ok(builder) };
    if let Some(selection) = pruner.prune()? {
        builder = builder.with_row_selection(selection);
    }
    Ok(match pruner.watch() {
        Some(prune) => builder.with_row_pruner(prune),
        None => builder,
    })
}

/// Returns the columns of a batch with another schema.
fn with_schema(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch> {
    let rows = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    Ok(RecordBatch::try_new_with_options(schema.clone(), batch.columns().to_vec(), &rows)?)
}

/// Ends when a dynamic filter, which becomes stricter while other parts of the plan run, excludes the rest of a file.
fn until_pruned(batches: Batches, pruner: FilePruner, pruned: Count) -> Batches {
    let next = async |(mut batches, mut pruner, pruned): (Batches, FilePruner, Count)| {
        let Some(batch) = batches.try_next().await? else { return Ok(None) };
        if pruner.should_prune()? {
            pruned.add(1);
            return Ok(None);
        }
        Ok(Some((batch, (batches, pruner, pruned))))
    };
    stream::try_unfold((batches, pruner, pruned), next).boxed()
}

/// Returns an expression as a predicate of its columns.
fn predicate(step: FilterStep, schema: &SchemaRef) -> Result<Box<dyn ArrowPredicate>> {
    let (mask, read) = field_paths::projection([&step.expr], schema)?;
    let compares_numbers = step.compares_numbers();
    let expr = reassign_expr_columns(step.expr, &read)?;
    let external = |e: DataFusionError| ArrowError::ExternalError(Box::new(e));
    if expr.is::<DynamicFilterPhysicalExpr>() {
        let mut filter = OptionalFilter::new(expr);
        let evaluate = move |batch: RecordBatch| filter.evaluate(&batch).map_err(external);
        return Ok(Box::new(ArrowPredicateFn::new(mask, evaluate)));
    }
    let evaluate = move |batch: RecordBatch| passes(&*expr, &batch).map_err(external);
    Ok(Box::new(ArrowPredicateFn::new(mask, evaluate).with_excluded_rows(compares_numbers)))
}
