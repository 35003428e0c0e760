//! Writes the partitions of a plan to files of a data set, which another node commits.
//!
//! ```text
//! partition 0 ──► DatasetWriteExec ──► its files ──┐
//! partition 1 ──► DatasetWriteExec ──► its files ──┴─► DataSinkExec: one commit
//! ```

use std::sync::Arc;

use arrow::array::{BinaryArray, RecordBatch, UInt64Array};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{internal_err, not_impl_err};
use datafusion::datasource::listing::ListingTableUrl;
use datafusion::error::Result;
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::dml::InsertOp;
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::execution_plan::EmissionType;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, Distribution, ExecutionPlan, ExecutionPlanProperties,
    InputDistributionRequirements, Partitioning, PlanProperties,
};
use futures_util::{TryStreamExt, stream};
use object_store::path::Path;
use trevni::arrow::without_view_types;
use trevni::dataset::{AsyncDatasetWriter, DatasetMode, DatasetProperties, WriteId};

use crate::error::external;
use crate::options::TrevniOptions;
use crate::uncommitted::Uncommitted;

/// Where and how a data set is written.
#[derive(Debug, Clone)]
pub(crate) struct DatasetTarget {
    pub(crate) store: ObjectStoreUrl,
    pub(crate) prefix: Path,
    pub(crate) schema: SchemaRef,
    pub(crate) partition_by: Vec<String>,
    pub(crate) mode: DatasetMode,
    pub(crate) write_id: WriteId,
    pub(crate) options: TrevniOptions,
}

impl DatasetTarget {
    /// Returns the target of a statement that writes rows of a schema to a folder.
    pub(crate) fn try_new(
        folder: &ListingTableUrl,
        schema: &Schema,
        partition_by: Vec<String>,
        insert_op: InsertOp,
        options: &TrevniOptions,
    ) -> Result<Self> {
        Ok(Self {
            store: folder.object_store(),
            prefix: folder.prefix().clone(),
            schema: Arc::new(without_view_types(schema)),
            partition_by,
            mode: match insert_op {
                InsertOp::Append => DatasetMode::Append,
                InsertOp::Overwrite => DatasetMode::Overwrite,
                InsertOp::Replace => return not_impl_err!("REPLACE INTO a data set"),
            },
            write_id: WriteId::unique(),
            options: options.clone(),
        })
    }

    fn properties(&self) -> Result<DatasetProperties> {
        let properties = DatasetProperties::builder()
            .set_partition_by(self.partition_by.clone())
            .set_mode(self.mode)
            .set_writer_properties(self.options.writer_properties()?);
        Ok(properties.build())
    }
}

/// Writes each partition of its input. Returns a row for each partition: its number, and its files.
#[derive(Debug, Clone)]
pub(crate) struct DatasetWriteExec {
    input: Arc<dyn ExecutionPlan>,
    target: DatasetTarget,
    /// None if another host commits the files.
    uncommitted: Option<Arc<Uncommitted>>,
    /// Whether the input is written by one writer, to few files.
    is_small: bool,
    properties: Arc<PlanProperties>,
}

/// Returns the schema of the rows of a [`DatasetWriteExec`].
pub(crate) fn files_schema() -> SchemaRef {
    let partition = Field::new("partition", DataType::UInt64, false);
    Arc::new(Schema::new(vec![partition, Field::new("files", DataType::Binary, false)]))
}

impl DatasetWriteExec {
    pub(crate) fn new(
        input: Arc<dyn ExecutionPlan>,
        target: DatasetTarget,
        uncommitted: Option<Arc<Uncommitted>>,
        is_small: bool,
    ) -> Self {
        let partitions = input.output_partitioning().partition_count();
        let properties = PlanProperties::new(
            EquivalenceProperties::new(files_schema()),
            Partitioning::UnknownPartitioning(partitions),
            EmissionType::Final,
            input.boundedness(),
        );
        Self { input, target, uncommitted, is_small, properties: Arc::new(properties) }
    }

    #[cfg(feature = "proto")]
    pub(crate) fn target(&self) -> &DatasetTarget {
        &self.target
    }

    #[cfg(feature = "proto")]
    pub(crate) fn is_small(&self) -> bool {
        self.is_small
    }
}

/// Writes the rows of a partition. Returns its row.
async fn write(
    mut rows: SendableRecordBatchStream,
    target: DatasetTarget,
    uncommitted: Option<Arc<Uncommitted>>,
    partition: usize,
    context: Arc<TaskContext>,
) -> Result<RecordBatch> {
    let store = context.runtime_env().object_store(&target.store)?;
    let properties = target.properties()?;
    let DatasetTarget { prefix, schema, .. } = target;
    let writer = AsyncDatasetWriter::try_new(store.clone(), prefix.clone(), schema, properties);
    let mut writer = writer.await.map_err(external)?;
    while let Some(batch) = rows.try_next().await? {
        writer.write(&batch).await.map_err(external)?;
    }
    let files = writer.finish_files().await.map_err(external)?;
    let bytes = files.encode().map_err(external)?;
    if let Some(uncommitted) = uncommitted {
        uncommitted.push(store, prefix, files);
    }
    let partition = UInt64Array::from(vec![partition as u64]);
    let files = BinaryArray::from_iter_values([bytes]);
    Ok(RecordBatch::try_new(files_schema(), vec![Arc::new(partition), Arc::new(files)])?)
}

impl ExecutionPlan for DatasetWriteExec {
    fn name(&self) -> &'static str {
        "DatasetWriteExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn input_distribution_requirements(&self) -> InputDistributionRequirements {
        InputDistributionRequirements::new(vec![match self.is_small {
            true => Distribution::SinglePartition,
            false => Distribution::UnspecifiedDistribution,
        }])
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn with_new_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let (Some(input), true) = (children.pop(), children.is_empty()) else {
            return internal_err!("DatasetWriteExec has one input");
        };
        let (target, uncommitted) = (self.target.clone(), self.uncommitted.clone());
        Ok(Arc::new(Self::new(input, target, uncommitted, self.is_small)))
    }

    fn apply_expressions(
        &self,
        _f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let rows = self.input.execute(partition, context.clone())?;
        let (target, uncommitted) = (self.target.clone(), self.uncommitted.clone());
        let row = stream::once(write(rows, target, uncommitted, partition, context));
        Ok(Box::pin(RecordBatchStreamAdapter::new(files_schema(), row)))
    }
}

impl DisplayAs for DatasetWriteExec {
    fn fmt_as(
        &self,
        _format: DisplayFormatType,
        f: &mut std::fmt::Formatter<'_>,
    ) -> std::fmt::Result {
        write!(f, "DatasetWriteExec: prefix={}{}", self.target.store.as_str(), self.target.prefix)
    }
}
