//! Prunes Parquet pages by the minimum and maximum values of the page index.
//!
//! The crate `parquet` reads the index but leaves its use to the caller; Trevni's reader uses its own statistics.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, BooleanArray, RecordBatch, UInt64Array};
use arrow::datatypes::{Field, Schema};
use bytes::Bytes;
use parquet::arrow::arrow_reader::statistics::StatisticsConverter;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReaderBuilder, RowSelection, RowSelector};

use super::Result;
use super::filter::{Extreme, Filter, PageTest};

/// Returns the rows of pages that may match; `None` where nothing is known.
pub(super) fn selection(
    builder: &ParquetRecordBatchReaderBuilder<Bytes>,
    filter: &Filter,
) -> Result<Option<RowSelection>> {
    let metadata = builder.metadata();
    let (Some(values), Some(offsets)) = (metadata.column_index(), metadata.offset_index()) else {
        return Ok(None);
    };
    let groups: Vec<usize> = (0..metadata.num_row_groups()).collect();
    let mut kept: Option<(UInt64Array, Vec<bool>)> = None;
    for PageTest { column, extreme, predicate } in &filter.page_tests {
        let schema = builder.schema();
        let converter = StatisticsConverter::try_new(column, schema, builder.parquet_schema())?;
        let rows = converter.data_page_row_counts(offsets, metadata.row_groups(), &groups)?;
        let Some(rows) = rows else { return Ok(None) };
        let bounds = match extreme {
            Extreme::Min => converter.data_page_mins(values, offsets, &groups)?,
            Extreme::Max => converter.data_page_maxes(values, offsets, &groups)?,
        };
        let may_match = evaluate(column, bounds, predicate)?;
        // A page without statistics may have any value.
        let may_match = may_match.iter().map(|keep| keep.unwrap_or(true));
        let may_match: Vec<bool> = match kept.take() {
            Some((_, before)) => before.into_iter().zip(may_match).map(|(a, b)| a && b).collect(),
            None => may_match.collect(),
        };
        kept = Some((rows, may_match));
    }
    let Some((rows, kept)) = kept else { return Ok(None) };
    let selector = |(rows, keep): (Option<u64>, bool)| {
        let rows = usize::try_from(rows.unwrap_or(0))?;
        Ok(if keep { RowSelector::select(rows) } else { RowSelector::skip(rows) })
    };
    let selectors: Result<Vec<_>> = rows.iter().zip(kept).map(selector).collect();
    Ok(Some(RowSelection::from(selectors?)))
}

fn evaluate(
    column: &str,
    values: ArrayRef,
    predicate: &trevni::arrow::Predicate,
) -> Result<BooleanArray> {
    let field = Field::new(column, values.data_type().clone(), true);
    let batch = RecordBatch::try_new(Arc::new(Schema::new(vec![field])), vec![values])?;
    Ok(predicate.evaluate(&batch)?)
}
