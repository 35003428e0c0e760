//! Vortex, by its reader for object stores, on the runtime of the caller.

use std::sync::Arc;

use arrow::datatypes::Schema;
use futures_util::TryStreamExt;
use object_store::ObjectStore;
use object_store::path::Path;
use vortex::VortexSessionDefault;
use vortex::buffer::Buffer;
use vortex::expr::{Expression, and, col, gt_eq, lit, lt, lt_eq, root, select};
use vortex::file::OpenOptionsSessionExt;
use vortex::io::session::RuntimeSessionExt;
use vortex::scan::strict_sorted_buffer::StrictSortedBuffer;
use vortex::session::VortexSession;

use super::store::Distant;
use super::{Comparison, Question};
use crate::Result;
use crate::formats::vortex::scalar;
use crate::tables::Table;

/// Returns how many rows came.
pub async fn ask(store: &Arc<Distant>, question: &Question, table: &Table) -> Result<usize> {
    let session = VortexSession::default().with_tokio();
    let store: Arc<dyn ObjectStore> = store.clone();
    let opened = session.open_options().open_object_store(&store, Path::from("file")).await?;
    let mut scan = opened.scan()?;
    let mut schema = table.schema.clone();
    if !question.columns.is_empty() {
        let names: Vec<&str> = question.columns.iter().map(String::as_str).collect();
        let fields = names.iter().map(|name| schema.field_with_name(name).cloned());
        schema = Arc::new(Schema::new(fields.collect::<Result<Vec<_>, _>>()?));
        let columns = select(names, root());
        scan = scan.with_projection(columns.bind(opened.dtype())?.optimize_recursive()?);
    }
    if !question.rows.is_empty() {
        let rows = question.rows.iter().copied().collect::<Buffer<_>>();
        scan = scan.with_row_indices(StrictSortedBuffer::try_new(rows)?);
    }
    let comparison = |comparison: &Comparison| -> Result<Expression> {
        let value = lit(scalar(&session, &comparison.value(&table.schema)?)?);
        let column = col(comparison.column);
        Ok(match comparison.operator {
            ">=" => gt_eq(column, value),
            "<=" => lt_eq(column, value),
            _ => lt(column, value),
        })
    };
    let comparisons = question.filter.iter().map(comparison).collect::<Result<Vec<_>>>()?;
    if let Some(filter) = comparisons.into_iter().reduce(and) {
        scan = scan.with_filter(filter.bind(opened.dtype())?.optimize_recursive()?);
    }
    let batches = scan.into_record_batch_stream(schema)?;
    let mut batches = std::pin::pin!(batches);
    let mut rows = 0;
    while let Some(batch) = batches.try_next().await? {
        rows += batch.num_rows();
    }
    Ok(rows)
}
