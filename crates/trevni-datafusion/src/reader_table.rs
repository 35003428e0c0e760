//! Tables of rows that some reader returns.
//!
//! ```text
//! scan    columns and limit ──► open, on a thread that may block ──► batches ──► the plan
//! ```

use std::fmt;
use std::sync::Arc;

use arrow::array::{RecordBatch, RecordBatchOptions, RecordBatchReader};
use arrow::datatypes::{Schema, SchemaRef};
use arrow::error::ArrowError;
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::stream::RecordBatchReceiverStream;
use datafusion::physical_plan::streaming::{PartitionStream, StreamingTableExec};
use tokio::sync::mpsc::Sender;

/// A scan of a [`ReaderTable`]: its columns and its limit.
#[derive(Debug, Clone)]
pub struct ReaderScan {
    /// The names of the columns. A reader may return others too, in any order.
    pub columns: Vec<String>,
    /// The maximum number of rows. A reader may return more.
    pub limit: Option<u64>,
}

/// Opens the rows of a table.
type Open = dyn Fn(&ReaderScan) -> Result<Box<dyn RecordBatchReader + Send>> + Send + Sync;

/// A table of any format that is read as record batches: each scan opens a
/// [`RecordBatchReader`](arrow::array::RecordBatchReader). Filters are evaluated after the scan.
#[derive(Clone)]
pub struct ReaderTable {
    schema: SchemaRef,
    open: Arc<Open>,
}

impl ReaderTable {
    /// Creates a table of rows with this schema. Each scan calls `open`, on a thread that may block.
    pub fn new(
        schema: &Schema,
        open: impl Fn(&ReaderScan) -> Result<Box<dyn RecordBatchReader + Send>> + Send + Sync + 'static,
    ) -> Self {
        // Metadata of the schema is not that of a plan.
        Self { schema: Arc::new(Schema::new(schema.fields().clone())), open: Arc::new(open) }
    }
}

impl fmt::Debug for ReaderTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReaderTable").field("schema", &self.schema).finish_non_exhaustive()
    }
}

#[async_trait]
impl TableProvider for ReaderTable {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        _state: &dyn Session,
        projection: Option<&Vec<usize>>,
        _filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let schema = match projection {
            Some(columns) => Arc::new(self.schema.project(columns)?),
            None => self.schema.clone(),
        };
        let columns = schema.fields().iter().map(|field| field.name().clone()).collect();
        let scan = ReaderScan { columns, limit: limit.map(|limit| limit as u64) };
        let (open, of_rows) = (self.open.clone(), schema.clone());
        let rows: Arc<dyn PartitionStream> = Arc::new(ReaderStream { open, scan, schema: of_rows });
        let exec = StreamingTableExec::try_new(schema, vec![rows], None, None, false, limit)?;
        Ok(Arc::new(exec))
    }
}

/// The rows of a scan.
#[derive(Clone)]
struct ReaderStream {
    open: Arc<Open>,
    scan: ReaderScan,
    schema: SchemaRef,
}

impl fmt::Debug for ReaderStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReaderStream").field("scan", &self.scan).finish_non_exhaustive()
    }
}

impl PartitionStream for ReaderStream {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _context: Arc<TaskContext>) -> SendableRecordBatchStream {
        let mut builder = RecordBatchReceiverStream::builder(self.schema.clone(), 2);
        let (tx, this) = (builder.tx(), self.clone());
        builder.spawn_blocking(move || this.send(&tx));
        builder.build()
    }
}

impl ReaderStream {
    /// Sends the batches, until nobody wants more.
    fn send(&self, tx: &Sender<Result<RecordBatch>>) -> Result<()> {
        let rows = (self.open)(&self.scan)?;
        let of_rows = rows.schema();
        let columns = self.schema.fields().iter().map(|field| of_rows.index_of(field.name()));
        let columns = columns.collect::<Result<Vec<usize>, _>>()?;
        for batch in rows {
            let batch = batch.map_err(unwrapped)?;
            let arrays = columns.iter().filter_map(|column| batch.columns().get(*column));
            let arrays = arrays.cloned().collect();
            let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
            let batch = RecordBatch::try_new_with_options(self.schema.clone(), arrays, &options)?;
            if tx.blocking_send(Ok(batch)).is_err() {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Returns an error of a reader; of one from outside Arrow without what Arrow says about it.
fn unwrapped(e: ArrowError) -> DataFusionError {
    match e {
        ArrowError::ExternalError(e) => DataFusionError::External(e),
        e => e.into(),
    }
}
