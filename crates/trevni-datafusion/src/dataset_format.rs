//! Data sets as the target of `COPY TO`: one commit.
//!
//! ```text
//! COPY (SELECT ...) TO 'folder/' STORED AS TREVNI_DATASET PARTITIONED BY (year) OPTIONS ('format.codec' 'pack')
//! ```

use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use async_trait::async_trait;
use datafusion::catalog::Session;
use datafusion::common::{Statistics, internal_datafusion_err, not_impl_err};
use datafusion::datasource::file_format::FileFormat;
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use datafusion::datasource::physical_plan::{FileScanConfig, FileSinkConfig, FileSource};
use datafusion::datasource::table_schema::TableSchema;
use datafusion::error::Result;
use datafusion::physical_expr::LexRequirement;
use datafusion::physical_plan::ExecutionPlan;
use object_store::{ObjectMeta, ObjectStore};

use crate::dataset_sink;
use crate::dataset_write_exec::DatasetTarget;
use crate::format::TrevniFormat;
use crate::options::TrevniOptions;

/// Writes data sets. They are read as [`TrevniDatasetTable`](crate::TrevniDatasetTable), and not by this format.
#[derive(Debug)]
pub(crate) struct TrevniDatasetFormat {
    files: TrevniFormat,
}

impl TrevniDatasetFormat {
    pub(crate) fn new(options: TrevniOptions) -> Self {
        Self { files: TrevniFormat::new(options) }
    }
}

#[async_trait]
impl FileFormat for TrevniDatasetFormat {
    fn get_ext(&self) -> String {
        self.files.get_ext()
    }

    fn get_ext_with_compression(&self, compression: &FileCompressionType) -> Result<String> {
        self.files.get_ext_with_compression(compression)
    }

    fn compression_type(&self) -> Option<FileCompressionType> {
        None
    }

    async fn infer_schema(
        &self,
        _state: &dyn Session,
        _store: &Arc<dyn ObjectStore>,
        _objects: &[ObjectMeta],
    ) -> Result<SchemaRef> {
        not_impl_err!("a data set as a listing of files")
    }

    async fn infer_stats(
        &self,
        _state: &dyn Session,
        _store: &Arc<dyn ObjectStore>,
        _table_schema: SchemaRef,
        _object: &ObjectMeta,
    ) -> Result<Statistics> {
        not_impl_err!("a data set as a listing of files")
    }

    async fn create_physical_plan(
        &self,
        _state: &dyn Session,
        _config: FileScanConfig,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        not_impl_err!("a data set as a listing of files")
    }

    async fn create_writer_physical_plan(
        &self,
        input: Arc<dyn ExecutionPlan>,
        _state: &dyn Session,
        config: FileSinkConfig,
        _order: Option<LexRequirement>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let folder = config.table_paths.first();
        let folder = folder.ok_or_else(|| internal_datafusion_err!("COPY without a location"))?;
        let partition_by = config.table_partition_cols.iter().map(|(name, _)| name.clone());
        let target = DatasetTarget::try_new(
            folder,
            &config.output_schema,
            partition_by.collect(),
            config.insert_op,
            self.files.options(),
        )?;
        dataset_sink::plan(input, target)
    }

    fn file_source(&self, table_schema: TableSchema) -> Arc<dyn FileSource> {
        self.files.file_source(table_schema)
    }
}
