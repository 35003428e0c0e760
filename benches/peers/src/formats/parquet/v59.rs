//! With `parquet` 59, and the Arrow of the workspace.

pub use arrow;
pub use arrow::array::RecordBatch as Batch;
use arrow::array::{ArrayRef, UInt64Array};
use arrow::datatypes::SchemaRef;
pub use parquet;
use parquet::arrow::arrow_reader::statistics::StatisticsConverter;
use parquet::file::metadata::ParquetMetaData;

use crate::Result;

/// The encodings that are tried for floating-point columns only.
const OF_FLOATS: &[parquet::basic::Encoding] = &[];

fn batch_to(batch: &Batch) -> Result<Batch> {
    Ok(batch.clone())
}

fn batch_from(batch: Batch) -> Result<Batch> {
    Ok(batch)
}

fn schema_to(schema: &SchemaRef) -> Result<SchemaRef> {
    Ok(schema.clone())
}

/// Returns how many rows each page has, and the greatest value of a column in each; `None` if nothing is known.
fn page_statistics(
    metadata: &ParquetMetaData,
    statistics: &StatisticsConverter<'_>,
) -> Result<Option<(UInt64Array, ArrayRef)>> {
    let (Some(values), Some(offsets)) = (metadata.column_index(), metadata.offset_index()) else {
        return Ok(None);
    };
    let groups: Vec<usize> = (0..metadata.num_row_groups()).collect();
    let rows = statistics.data_page_row_counts(offsets, metadata.row_groups(), &groups)?;
    let greatest = statistics.data_page_maxes(values, offsets, &groups)?;
    Ok(rows.map(|rows| (rows, greatest)))
}

#[allow(clippy::duplicate_mod, reason = "it is compiled for two versions of the crate")]
#[path = "format.rs"]
mod format;
pub use format::Parquet;
