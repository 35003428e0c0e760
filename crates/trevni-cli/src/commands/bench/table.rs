//! The measured rows, in memory as batches of one size.

use arrow::array::{Array, RecordBatch};
use arrow::compute::BatchCoalescer;
use arrow::datatypes::SchemaRef;
use indicatif::ProgressBar;
use trevni_convert::Rows;

use crate::exit::CliError;
use crate::input::rows::batch_fault;

/// Rows of a batch, as written and as read.
pub(super) const BATCH: usize = 8192;

/// Rows in memory.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) schema: SchemaRef,
    pub(super) batches: Vec<RecordBatch>,
    pub(super) rows: usize,
    /// What ended the reading, if it was not the end of the input.
    pub(super) limit: Option<Limit>,
}

/// Why there may be more rows in the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Limit {
    /// As many rows as the caller wanted.
    Rows,
    /// As many bytes.
    Memory,
}

impl Limit {
    pub(super) fn name(self) -> &'static str {
        match self {
            Limit::Rows => "rows",
            Limit::Memory => "memory",
        }
    }
}

impl Table {
    /// Creates a table of these batches.
    pub(super) fn new(schema: SchemaRef, batches: Vec<RecordBatch>, limit: Option<Limit>) -> Self {
        let rows = batches.iter().map(RecordBatch::num_rows).sum();
        Self { schema, batches, rows, limit }
    }

    /// Returns the bytes of the values in memory.
    pub(super) fn bytes(&self) -> usize {
        self.batches.iter().map(bytes_of).sum()
    }
}

/// Returns the bytes that the rows of a batch take, whatever buffers they are slices of.
fn bytes_of(batch: &RecordBatch) -> usize {
    let columns = batch.columns().iter();
    columns.map(|column| column.to_data().get_slice_memory_size().unwrap_or(0)).sum()
}

/// Reads rows until they take `memory` bytes. `asked` is the caller's limit on the number of rows.
pub(super) fn load(
    rows: Rows,
    name: &str,
    asked: Option<u64>,
    memory: usize,
    bar: &ProgressBar,
) -> Result<Table, CliError> {
    let schema = rows.schema();
    let mut coalescer = BatchCoalescer::new(schema.clone(), BATCH);
    let (mut batches, mut bytes, mut count, mut limit) = (Vec::new(), 0usize, 0u64, None);
    let of_file = |e| batch_fault(&name, e);
    for batch in rows {
        coalescer.push_batch(batch.map_err(of_file)?).map_err(of_file)?;
        while let Some(batch) = coalescer.next_completed_batch() {
            bytes = bytes.saturating_add(bytes_of(&batch));
            count += batch.num_rows() as u64;
            batches.push(batch);
            if bytes >= memory {
                limit = Some(Limit::Memory);
                break;
            }
        }
        bar.set_message(format!("{count} rows read"));
        if limit.is_some() {
            break;
        }
    }
    if limit.is_none() {
        coalescer.finish_buffered_batch().map_err(of_file)?;
        while let Some(batch) = coalescer.next_completed_batch() {
            count += batch.num_rows() as u64;
            batches.push(batch);
        }
        limit = asked.is_some_and(|rows| count >= rows).then_some(Limit::Rows);
    }
    if count == 0 {
        return Err(CliError::Data(format!("{name}: no rows to measure")));
    }
    Ok(Table::new(schema, batches, limit))
}
