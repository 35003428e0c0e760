//! The statistics and the sorting of a file, for planning.

use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::compute::SortOptions;
use arrow::datatypes::SchemaRef;
use datafusion::common::stats::Precision;
use datafusion::common::{ColumnStatistics, ScalarValue, Statistics};
use datafusion::error::Result;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{LexOrdering, PhysicalSortExpr};
use trevni::arrow::{ArrowStreamBuilder, ColumnPath};

use crate::error::external;

/// Returns the statistics of a file for the columns of a table.
pub(crate) async fn of_file(
    builder: &mut ArrowStreamBuilder,
    table_schema: &SchemaRef,
    size: u64,
) -> Result<Statistics> {
    let mut statistics = Statistics::new_unknown(table_schema);
    statistics.num_rows = count(builder.rows());
    statistics.total_byte_size = count(size).to_inexact();
    let schema = builder.schema().clone();
    // A column of another type is cast, and its bounds would have to be.
    let fields = table_schema.fields().iter().enumerate().filter(|(_, field)| {
        schema
            .field_with_name(field.name())
            .is_ok_and(|found| found.data_type() == field.data_type())
    });
    let fields: Vec<_> = fields.collect();
    let path = |name: &String| ColumnPath::from(vec![name.clone()]);
    let paths: Vec<_> = fields.iter().map(|(_, field)| path(field.name())).collect();
    let found = builder.column_statistics(&paths).await.map_err(external)?;
    for ((place, field), found) in fields.into_iter().zip(found) {
        let (Some(found), Some(column)) = (found, statistics.column_statistics.get_mut(place))
        else {
            continue;
        };
        let exact = found.is_exact() && !field.data_type().is_floating();
        let bound = |array: Option<ArrayRef>| {
            let array = array.filter(|array| array.data_type() == field.data_type());
            array.map_or(Ok(Precision::Absent), |array| bound(&array, 0, exact))
        };
        *column = ColumnStatistics::new_unknown()
            .with_null_count(count(found.null_count()))
            .with_min_value(bound(found.min())?)
            .with_max_value(bound(found.max())?);
    }
    // Of a column that a file lacks, all rows are null.
    for (field, column) in table_schema.fields().iter().zip(&mut statistics.column_statistics) {
        if schema.field_with_name(field.name()).is_err() {
            column.null_count = count(builder.rows());
        }
    }
    Ok(statistics)
}

/// Returns an exact count.
pub(crate) fn count(n: u64) -> Precision<usize> {
    usize::try_from(n).map_or(Precision::Absent, Precision::Exact)
}

/// Returns a value of an array as a bound.
pub(crate) fn bound(
    array: &ArrayRef,
    place: usize,
    is_exact: bool,
) -> Result<Precision<ScalarValue>> {
    let value = ScalarValue::try_from_array(array, place)?;
    Ok(if is_exact { Precision::Exact(value) } else { Precision::Inexact(value) })
}

/// Returns the order of the rows of a file, if it says one.
pub(crate) fn ordering(
    builder: &ArrowStreamBuilder,
    table_schema: &SchemaRef,
) -> Option<LexOrdering> {
    let columns = builder.sorting_columns();
    let sorted = columns.iter().map_while(|sorting| {
        let place = table_schema.index_of(&sorting.column).ok()?;
        // Another type may have another order.
        let same = builder.schema().field_with_name(&sorting.column).ok()?.data_type()
            == table_schema.field(place).data_type();
        let options =
            SortOptions { descending: sorting.descending, nulls_first: sorting.nulls_first };
        let column = Arc::new(Column::new(&sorting.column, place));
        same.then(|| PhysicalSortExpr { expr: column, options })
    });
    LexOrdering::new(sorted)
}
