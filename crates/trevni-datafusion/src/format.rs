//! The file format: schemas, statistics and plans.

use std::sync::Arc;

use arrow::datatypes::{Schema, SchemaRef};
use async_trait::async_trait;
use datafusion::catalog::Session;
use datafusion::common::parsers::CompressionTypeVariant;
use datafusion::common::{Statistics, internal_datafusion_err, not_impl_err};
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use datafusion::datasource::file_format::{FileFormat, FileMeta};
use datafusion::datasource::physical_plan::{FileScanConfig, FileSinkConfig, FileSource};
use datafusion::datasource::sink::DataSinkExec;
use datafusion::datasource::source::DataSourceExec;
use datafusion::datasource::table_schema::TableSchema;
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::dml::InsertOp;
use datafusion::physical_expr::{LexOrdering, LexRequirement};
use datafusion::physical_plan::ExecutionPlan;
use futures_util::stream::{self, StreamExt, TryStreamExt};
use object_store::{ObjectMeta, ObjectStore};
use trevni::arrow::ArrowStreamBuilder;
use trevni::object_store::FetchOptions;

use crate::metadata_cache;
use crate::options::TrevniOptions;
use crate::sink::TrevniSink;
use crate::source::TrevniSource;
use crate::statistics;

/// How files end, without a dot.
pub(crate) const EXTENSION: &str = "trv";

/// Trevni files.
#[derive(Debug, Default)]
pub struct TrevniFormat {
    options: TrevniOptions,
}

impl TrevniFormat {
    /// Creates the format with options.
    pub fn new(options: TrevniOptions) -> Self {
        Self { options }
    }

    /// Returns the options.
    pub fn options(&self) -> &TrevniOptions {
        &self.options
    }
}

/// Opens a file by the metadata cache of a session.
async fn open(
    options: &TrevniOptions,
    state: &dyn Session,
    store: &Arc<dyn ObjectStore>,
    object: &ObjectMeta,
) -> Result<ArrowStreamBuilder> {
    let cache = state.runtime_env().cache_manager.get_file_metadata_cache();
    let fetch = FetchOptions::default();
    metadata_cache::open(store, object, options.view_types, fetch, Some(&cache)).await
}

#[async_trait]
impl FileFormat for TrevniFormat {
    fn get_ext(&self) -> String {
        EXTENSION.to_owned()
    }

    fn get_ext_with_compression(&self, compression: &FileCompressionType) -> Result<String> {
        match compression.get_variant() {
            CompressionTypeVariant::UNCOMPRESSED => Ok(self.get_ext()),
            _ => Err(internal_datafusion_err!("Trevni files are not compressed as a whole")),
        }
    }

    fn compression_type(&self) -> Option<FileCompressionType> {
        None
    }

    async fn infer_schema(
        &self,
        state: &dyn Session,
        store: &Arc<dyn ObjectStore>,
        objects: &[ObjectMeta],
    ) -> Result<SchemaRef> {
        let concurrency = state.config_options().execution.meta_fetch_concurrency;
        let schemas: Vec<SchemaRef> = stream::iter(objects)
            .map(|object| async move {
                Ok::<_, DataFusionError>(
                    open(&self.options, state, store, object).await?.schema().clone(),
                )
            })
            .boxed()
            .buffered(concurrency.into())
            .try_collect()
            .await?;
        let schemas = schemas.into_iter().map(Arc::unwrap_or_clone);
        Ok(Arc::new(Schema::try_merge(schemas)?))
    }

    async fn infer_stats(
        &self,
        state: &dyn Session,
        store: &Arc<dyn ObjectStore>,
        table_schema: SchemaRef,
        object: &ObjectMeta,
    ) -> Result<Statistics> {
        let meta = self.infer_stats_and_ordering(state, store, table_schema, object).await?;
        Ok(meta.statistics)
    }

    async fn infer_ordering(
        &self,
        state: &dyn Session,
        store: &Arc<dyn ObjectStore>,
        table_schema: SchemaRef,
        object: &ObjectMeta,
    ) -> Result<Option<LexOrdering>> {
        Ok(statistics::ordering(&open(&self.options, state, store, object).await?, &table_schema))
    }

    async fn infer_stats_and_ordering(
        &self,
        state: &dyn Session,
        store: &Arc<dyn ObjectStore>,
        table_schema: SchemaRef,
        object: &ObjectMeta,
    ) -> Result<FileMeta> {
        let mut builder = open(&self.options, state, store, object).await?;
        let ordering = statistics::ordering(&builder, &table_schema);
        let statistics = statistics::of_file(&mut builder, &table_schema, object.size).await?;
        Ok(FileMeta::new(statistics).with_ordering(ordering))
    }

    async fn create_physical_plan(
        &self,
        state: &dyn Session,
        mut config: FileScanConfig,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        if let Some(source) = config.file_source().downcast_ref::<TrevniSource>() {
            let cache = state.runtime_env().cache_manager.get_file_metadata_cache();
            config.file_source = Arc::new(source.clone().with_metadata_cache(cache));
        }
        Ok(DataSourceExec::from_data_source(config))
    }

    async fn create_writer_physical_plan(
        &self,
        input: Arc<dyn ExecutionPlan>,
        _state: &dyn Session,
        config: FileSinkConfig,
        order_requirements: Option<LexRequirement>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        if config.insert_op != InsertOp::Append {
            return not_impl_err!("overwriting Trevni files");
        }
        let sink = Arc::new(TrevniSink::new(config, self.options.clone()));
        Ok(Arc::new(DataSinkExec::new(input, sink, order_requirements)))
    }

    fn file_source(&self, table_schema: TableSchema) -> Arc<dyn FileSource> {
        Arc::new(TrevniSource::new(table_schema, self.options.clone()))
    }
}
