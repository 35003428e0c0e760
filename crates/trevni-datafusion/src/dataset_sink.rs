//! Commits the files of a data set that the partitions of a plan have written.
//!
//! ```text
//! files of the partitions, not visible ──► end of the query ──► commit: all are visible
//!                                          error, cancelled ──► files are removed, nothing is visible
//! ```

use std::sync::Arc;

use arrow::array::AsArray;
use arrow::datatypes::{SchemaRef, UInt64Type};
use async_trait::async_trait;
use datafusion::common::internal_err;
use datafusion::datasource::sink::{DataSink, DataSinkExec};
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::statistics::{StatisticsArgs, StatisticsContext};
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan};
use futures_util::TryStreamExt;
use trevni::dataset::UncommittedFiles;

use crate::dataset_write_exec::{DatasetTarget, DatasetWriteExec, files_schema};
use crate::error::external;
use crate::uncommitted::Uncommitted;

/// Up to this many rows are written by one writer, so that small writes do not make many files.
const SMALL_WRITE: usize = 1 << 17;

/// Returns the plan that writes the rows of another one by its partitions, and commits their files at once.
pub(crate) fn plan(
    input: Arc<dyn ExecutionPlan>,
    target: DatasetTarget,
) -> Result<Arc<dyn ExecutionPlan>> {
    let uncommitted = Arc::<Uncommitted>::default();
    let rows = StatisticsContext::new().compute(&*input, &StatisticsArgs::new())?.num_rows;
    let is_small = rows.get_value().is_some_and(|rows| *rows <= SMALL_WRITE);
    let here = Some(uncommitted.clone());
    let input = DatasetWriteExec::new(input, target.clone(), here, is_small);
    let sink = DatasetSink::new(target, Some(uncommitted));
    Ok(Arc::new(DataSinkExec::new(Arc::new(input), Arc::new(sink), None)))
}

/// Commits to the data set below a prefix.
#[derive(Debug)]
pub(crate) struct DatasetSink {
    pub(crate) target: DatasetTarget,
    /// The schema of the input.
    schema: SchemaRef,
    uncommitted: Option<Arc<Uncommitted>>,
}

impl DatasetSink {
    /// Creates a sink of the files of this process, or, without `uncommitted`, of other hosts. They may repeat a
    /// commit, whose [`WriteId`](trevni::dataset::WriteId) is compared then.
    pub(crate) fn new(target: DatasetTarget, uncommitted: Option<Arc<Uncommitted>>) -> Self {
        Self { target, schema: files_schema(), uncommitted }
    }
}

#[async_trait]
impl DataSink for DatasetSink {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    async fn write_all(
        &self,
        mut data: SendableRecordBatchStream,
        context: &Arc<TaskContext>,
    ) -> Result<u64> {
        let mut parts = Vec::new();
        while let Some(batch) = data.try_next().await? {
            let [partitions, files] = batch.columns() else {
                return internal_err!("files of a data set in {} columns", batch.num_columns());
            };
            let partitions = partitions.as_primitive::<UInt64Type>().values();
            let files = files.as_binary::<i32>().iter().flatten();
            for (partition, bytes) in partitions.iter().zip(files) {
                let files = UncommittedFiles::decode(bytes.to_vec()).map_err(external)?;
                parts.push((*partition, files));
            }
        }
        // Files are in the order of the partitions, whichever was ready first.
        parts.sort_by_key(|(partition, _)| *partition);
        let parts = parts.into_iter().map(|(_, files)| files).collect();
        let mut files = UncommittedFiles::concat(parts).map_err(external)?;
        let store = context.runtime_env().object_store(&self.target.store)?;
        match &self.uncommitted {
            // Readers may know the files from here on, even if there is an error.
            Some(uncommitted) => uncommitted.clear(),
            None => files = files.with_write_id(&self.target.write_id),
        }
        let summary = files.commit(store, self.target.prefix.clone()).await;
        Ok(summary.map_err(external)?.rows)
    }
}

impl DisplayAs for DatasetSink {
    fn fmt_as(
        &self,
        _format: DisplayFormatType,
        out: &mut std::fmt::Formatter<'_>,
    ) -> std::fmt::Result {
        let DatasetTarget { store, prefix, .. } = &self.target;
        write!(out, "DatasetSink(prefix={}{prefix})", store.as_str())
    }
}
