//! Asks a file in a store by the asynchronous reader of its format.

use std::sync::Arc;

use arrow::array::{BooleanArray, RecordBatch, Scalar};
use arrow::compute::and_kleene;
use arrow::compute::kernels::cmp::{gt_eq, lt, lt_eq};
use arrow::error::ArrowError;
use futures_util::TryStreamExt;
use object_store::path::Path;
use parquet::arrow::ProjectionMask as ParquetMask;
use parquet::arrow::arrow_reader::{
    ArrowPredicateFn, ArrowReaderOptions, RowFilter, RowSelection as ParquetSelection,
};
#[expect(deprecated, reason = "what is to come instead is an example there, and no door")]
use parquet::arrow::async_reader::ParquetObjectReader;
use parquet::arrow::async_reader::ParquetRecordBatchStreamBuilder;
use parquet::file::metadata::PageIndexPolicy;
use trevni::arrow::{ArrowStreamBuilder, Predicate, ProjectionMask, RowSelection};

use super::store::Distant;
use super::{Comparison, Question};
use crate::Result;
use crate::tables::{BATCH, Table};

/// Returns how many rows came.
pub async fn ask(
    reader: &str,
    store: &Arc<Distant>,
    question: &Question,
    table: &Table,
) -> Result<usize> {
    match reader {
        "trevni" => trevni(store, question).await,
        "parquet" => parquet(store, question, table, None).await,
        "parquet, 64 KiB" => parquet(store, question, table, Some(64 << 10)).await,
        #[cfg(feature = "vortex")]
        "vortex" => super::vortex::ask(store, question, table).await,
        other => Err(format!("no reader {other}").into()),
    }
}

async fn trevni(store: &Arc<Distant>, question: &Question) -> Result<usize> {
    let mut builder = ArrowStreamBuilder::new(store.clone(), "file").await?;
    if !question.columns.is_empty() {
        let names = question.columns.iter().map(String::as_str);
        let mask = ProjectionMask::columns(builder.schema(), names)?;
        builder = builder.with_projection(mask);
    }
    if !question.rows.is_empty() {
        let ranges = question.rows.iter().map(|row| *row..*row + 1);
        let selection = RowSelection::from_consecutive_ranges(ranges, builder.rows());
        builder = builder.with_row_selection(selection);
    }
    if !question.filter.is_empty() {
        let comparison = |c: &Comparison| match c.literal.contains('-') {
            true => format!("{} {} '{}'", c.column, c.operator, c.literal),
            false => format!("{} {} {}", c.column, c.operator, c.literal),
        };
        let text: Vec<_> = question.filter.iter().map(comparison).collect();
        builder = builder.with_predicate(Predicate::parse(&text.join(" and "))?);
    }
    let batches = builder.with_batch_size(BATCH).build()?;
    let count = |rows, batch: RecordBatch| async move { Ok(rows + batch.num_rows()) };
    Ok(batches.try_fold(0, count).await?)
}

#[expect(deprecated, reason = "as above")]
async fn parquet(
    store: &Arc<Distant>,
    question: &Question,
    table: &Table,
    hint: Option<usize>,
) -> Result<usize> {
    let mut reader = ParquetObjectReader::new(store.clone(), Path::from("file"));
    if let Some(hint) = hint {
        // With a hint and the page index, the crate needs the size, as a catalog knows it.
        let size = store.len("file").await?;
        reader = reader.with_footer_size_hint(hint).with_file_size(size);
    }
    // The page index is read where it can leave something out.
    let policy = match question.rows.is_empty() {
        true => PageIndexPolicy::Skip,
        false => PageIndexPolicy::Required,
    };
    let options = ArrowReaderOptions::new().with_page_index_policy(policy);
    let mut builder = ParquetRecordBatchStreamBuilder::new_with_options(reader, options).await?;
    let roots = |names: &[&str]| -> Result<Vec<usize>> {
        names.iter().map(|name| Ok(table.schema.index_of(name)?)).collect()
    };
    if !question.columns.is_empty() {
        let names: Vec<_> = question.columns.iter().map(String::as_str).collect();
        let mask = ParquetMask::roots(builder.parquet_schema(), roots(&names)?);
        builder = builder.with_projection(mask);
    }
    if !question.rows.is_empty() {
        let ranges = question.rows.iter().map(|row| *row as usize..*row as usize + 1);
        let selection = ParquetSelection::from_consecutive_ranges(ranges, table.rows);
        builder = builder.with_row_selection(selection);
    }
    if !question.filter.is_empty() {
        // One predicate of all columns, so that they are fetched together.
        let names: Vec<_> = question.filter.iter().map(|comparison| comparison.column).collect();
        let mask = ParquetMask::roots(builder.parquet_schema(), roots(&names)?);
        let filter = question.filter.clone();
        let passes = move |batch: RecordBatch| passes(&filter, &batch);
        let predicate = ArrowPredicateFn::new(mask, passes);
        builder = builder.with_row_filter(RowFilter::new(vec![Box::new(predicate)]));
    }
    let batches = builder.with_batch_size(BATCH).build()?;
    let count = |rows, batch: RecordBatch| async move { Ok(rows + batch.num_rows()) };
    Ok(batches.try_fold(0, count).await?)
}

fn compare(
    column: &dyn arrow::array::Datum,
    operator: &str,
    value: &dyn arrow::array::Datum,
) -> Result<BooleanArray, ArrowError> {
    match operator {
        ">=" => gt_eq(column, value),
        "<=" => lt_eq(column, value),
        _ => lt(column, value),
    }
}

/// Returns of which rows of a batch all comparisons are true.
pub fn passes(filter: &[Comparison], batch: &RecordBatch) -> Result<BooleanArray, ArrowError> {
    let mut all = BooleanArray::from(vec![true; batch.num_rows()]);
    for comparison in filter {
        let column = batch.column(batch.schema().index_of(comparison.column)?);
        let value = comparison.value(&batch.schema())?;
        all = and_kleene(&all, &compare(column, comparison.operator, &Scalar::new(&value))?)?;
    }
    Ok(all)
}
