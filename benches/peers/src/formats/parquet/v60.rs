//! With `parquet` 60, its Arrow, and ALP.

pub use arrow60 as arrow;
pub use arrow60::array::RecordBatch as Batch;
pub use parquet60 as parquet;

use arrow::array::{ArrayRef, UInt64Array};
use parquet::arrow::arrow_reader::statistics::StatisticsConverter;
use parquet::file::metadata::ParquetMetaData;

use super::crossing::{batch_from, batch_to, schema_to};
use crate::Result;

/// The encodings that are tried for floating-point columns only.
const OF_FLOATS: &[parquet::basic::Encoding] = &[parquet::basic::Encoding::ALP];

/// Returns how many rows each page has, and the greatest value of a column in each; `None` if nothing is known.
fn page_statistics(
    metadata: &ParquetMetaData,
    statistics: &StatisticsConverter<'_>,
) -> Result<Option<(UInt64Array, ArrayRef)>> {
    let Some(index) = metadata.page_index() else { return Ok(None) };
    let groups: Vec<usize> = (0..metadata.num_row_groups()).collect();
    let rows = statistics.data_page_row_counts(&**index, metadata.row_groups(), &groups)?;
    let greatest = statistics.data_page_maxes(&**index, &groups)?;
    Ok(rows.map(|rows| (rows, greatest)))
}

#[allow(clippy::duplicate_mod, reason = "it is compiled for two versions of the crate")]
#[path = "format.rs"]
mod format;
pub use format::Parquet;
