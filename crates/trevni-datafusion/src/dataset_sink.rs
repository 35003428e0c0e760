//! Writes the rows of a query to a data set, as one commit.
//!
//! ```text
//! batches ──► files, not visible ──► end of the query ──► commit: all are visible
//!                                    error, cancelled ──► files are removed, nothing is visible
//! ```

use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use async_trait::async_trait;
use datafusion::datasource::sink::DataSink;
use datafusion::error::Result;
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::{DisplayAs, DisplayFormatType};
use futures_util::TryStreamExt;
use object_store::path::Path;
use trevni::dataset::{AsyncDatasetWriter, DatasetProperties};

use crate::error::external;

/// Writes to the data set below a prefix.
#[derive(Debug)]
pub(crate) struct DatasetSink {
    pub(crate) store: ObjectStoreUrl,
    pub(crate) prefix: Path,
    pub(crate) schema: SchemaRef,
    pub(crate) properties: DatasetProperties,
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
        let store = context.runtime_env().object_store(&self.store)?;
        let (prefix, schema) = (self.prefix.clone(), self.schema.clone());
        let writer = AsyncDatasetWriter::try_new(store, prefix, schema, self.properties.clone());
        let mut writer = writer.await.map_err(external)?;
        while let Some(batch) = data.try_next().await? {
            writer.write(&batch).await.map_err(external)?;
        }
        Ok(writer.finish().await.map_err(external)?.rows)
    }
}

impl DisplayAs for DatasetSink {
    fn fmt_as(
        &self,
        _format: DisplayFormatType,
        out: &mut std::fmt::Formatter<'_>,
    ) -> std::fmt::Result {
        write!(out, "DatasetSink(prefix={}{})", self.store.as_str(), self.prefix)
    }
}
