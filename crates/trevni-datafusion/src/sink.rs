//! Writes the rows of a query to files.
//!
//! ```text
//! rows ──► demux task ──► a task for each file: encodes ──┐ waits until all rows have come
//!                                                          └─► sends the file
//! error, cancelled ──► nothing is sent
//! ```

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use async_trait::async_trait;
use datafusion::common::runtime::{JoinSet, SpawnedTask};
use datafusion::datasource::physical_plan::{FileSink, FileSinkConfig};
use datafusion::datasource::sink::DataSink;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::metrics::{
    Count, ExecutionPlanMetricsSet, MetricBuilder, MetricsSet, Time,
};
use datafusion::physical_plan::{DisplayAs, DisplayFormatType};
use datafusion_datasource::write::demux::DemuxedStreamReceiver;
use datafusion_datasource::write::get_writer_schema;
use object_store::ObjectStore;
use object_store::path::Path;
use tokio::sync::mpsc::Receiver;
use tokio::sync::watch;
use trevni::arrow::{AsyncArrowWriter, WriterProperties, without_view_types};
use trevni::object_store::ObjectWriter;

use crate::error::external;
use crate::options::TrevniOptions;

/// Writes files with the same options.
#[derive(Debug)]
pub(crate) struct TrevniSink {
    config: FileSinkConfig,
    options: TrevniOptions,
    metrics: ExecutionPlanMetricsSet,
}

/// What a sink has written.
#[derive(Debug, Clone)]
struct Written {
    rows: Count,
    bytes: Count,
    time: Time,
}

impl TrevniSink {
    pub(crate) fn new(config: FileSinkConfig, options: TrevniOptions) -> Self {
        Self { config, options, metrics: ExecutionPlanMetricsSet::new() }
    }

    #[cfg(feature = "proto")]
    pub(crate) fn options(&self) -> &TrevniOptions {
        &self.options
    }

    async fn write_file(
        store: Arc<dyn ObjectStore>,
        path: Path,
        schema: SchemaRef,
        properties: WriterProperties,
        mut batches: Receiver<RecordBatch>,
        mut has_ended: watch::Receiver<bool>,
        written: Written,
    ) -> Result<u64> {
        let object = ObjectWriter::new(store, path);
        let mut writer =
            AsyncArrowWriter::try_new(object, schema, Some(properties)).map_err(external)?;
        while let Some(batch) = batches.recv().await {
            let _timer = written.time.timer();
            writer.write(&batch).await.map_err(external)?;
        }
        // The rows of a query that fails end too. Its files are not sent.
        if has_ended.wait_for(|ended| *ended).await.is_err() {
            return Ok(0);
        }
        let _timer = written.time.timer();
        let summary = writer.finish().await.map_err(external)?;
        written.rows.add(usize::try_from(summary.rows).unwrap_or(usize::MAX));
        written.bytes.add(usize::try_from(summary.bytes).unwrap_or(usize::MAX));
        Ok(summary.rows)
    }
}

#[async_trait]
impl FileSink for TrevniSink {
    fn config(&self) -> &FileSinkConfig {
        &self.config
    }

    async fn spawn_writer_tasks_and_join(
        &self,
        _context: &Arc<TaskContext>,
        demux_task: SpawnedTask<Result<()>>,
        mut files: DemuxedStreamReceiver,
        store: Arc<dyn ObjectStore>,
    ) -> Result<u64> {
        // Whether views are read is a setting of the session, and no property of a file.
        let schema = Arc::new(without_view_types(&get_writer_schema(&self.config)));
        let properties = self.options.writer_properties()?;
        let metric = || MetricBuilder::new(&self.metrics);
        let written = Written {
            rows: metric().global_counter("rows_written"),
            bytes: metric().global_counter("bytes_written"),
            time: metric().elapsed_compute(0),
        };
        let (ended, has_ended) = watch::channel(false);
        let mut tasks: JoinSet<Result<u64>> = JoinSet::new();
        while let Some((path, batches)) = files.recv().await {
            let (schema, store, properties) = (schema.clone(), store.clone(), properties.clone());
            let (has_ended, written) = (has_ended.clone(), written.clone());
            let file =
                Self::write_file(store, path, schema, properties, batches, has_ended, written);
            tasks.spawn(file);
        }
        let input = demux_task.join_unwind().await;
        let input = input.map_err(|e| DataFusionError::ExecutionJoin(Box::new(e)));
        if matches!(input, Ok(Ok(()))) {
            ended.send_replace(true);
        } else {
            drop(ended);
        }
        // The error of a file comes first: after one, the input fails too.
        let mut rows = 0;
        while let Some(written) = tasks.join_next().await {
            rows += written.map_err(|e| DataFusionError::ExecutionJoin(Box::new(e)))??;
        }
        input??;
        Ok(rows)
    }
}

#[async_trait]
impl DataSink for TrevniSink {
    fn schema(&self) -> &SchemaRef {
        self.config.output_schema()
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }

    async fn write_all(
        &self,
        data: SendableRecordBatchStream,
        context: &Arc<TaskContext>,
    ) -> Result<u64> {
        FileSink::write_all(self, data, context).await
    }
}

impl DisplayAs for TrevniSink {
    fn fmt_as(
        &self,
        _format: DisplayFormatType,
        out: &mut std::fmt::Formatter<'_>,
    ) -> std::fmt::Result {
        let paths: Vec<&str> = self.config.table_paths.iter().map(|path| path.as_str()).collect();
        write!(out, "TrevniSink(path={})", paths.join(", "))
    }
}
