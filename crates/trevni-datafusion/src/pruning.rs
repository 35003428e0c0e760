//! Selects the rows of blocks that may pass a filter.
//!
//! ```text
//! blocks of a       |----------|-----------|          min, max, nulls of each
//! blocks of b       |-----|---------|------|
//! cells             |-----|----|----|------|          each in one block of each column
//! ```

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, UInt64Array};
use arrow::compute::take;
use datafusion::common::pruning::PruningStatistics;
use datafusion::common::{Column, ScalarValue};
use datafusion::error::Result;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::utils::collect_columns;
use datafusion::physical_optimizer::pruning::build_pruning_predicate;
use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, MetricBuilder};
use trevni::arrow::{ArrowStreamBuilder, ColumnPath, ColumnStatistics, RowSelection};

use crate::error::external;

/// Returns the rows of a range that may pass a filter, by the statistics of blocks; `None` if all may.
pub(crate) async fn select(
    builder: &mut ArrowStreamBuilder,
    filter: &Arc<dyn PhysicalExpr>,
    rows: &Range<u64>,
    metrics: &ExecutionPlanMetricsSet,
    partition: usize,
) -> Result<Option<RowSelection>> {
    let errors = MetricBuilder::new(metrics).counter("predicate_evaluation_errors", partition);
    let schema = builder.schema().clone();
    let Some(predicate) = build_pruning_predicate(filter.clone(), &schema, &errors) else {
        return Ok(None);
    };
    let mut names: Vec<String> =
        collect_columns(filter).iter().map(|column| column.name().to_owned()).collect();
    names.sort_unstable();
    let paths: Vec<ColumnPath> =
        names.iter().map(|name| ColumnPath::from(vec![name.clone()])).collect();
    let statistics = builder.column_statistics(&paths).await.map_err(external)?;
    let columns = names.into_iter().zip(statistics);
    let columns = columns.filter_map(|(name, statistics)| Some((name, statistics?)));
    let grid = Grid::new(columns.collect(), rows);
    if grid.columns.is_empty() {
        return Ok(None);
    }
    let kept = predicate.prune(&grid)?;
    let cells = grid.cells.iter().zip(&kept);
    let pruned: u64 =
        cells.clone().filter(|(_, kept)| !**kept).map(|(rows, _)| rows.end - rows.start).sum();
    let counter = MetricBuilder::new(metrics).counter("rows_pruned_statistics", partition);
    counter.add(usize::try_from(pruned).unwrap_or(usize::MAX));
    if pruned == 0 {
        return Ok(None);
    }
    let kept = cells.filter(|(_, kept)| **kept).map(|(rows, _)| rows.clone());
    Ok(Some(RowSelection::from_consecutive_ranges(kept, builder.rows())))
}

/// Statistics of columns whose blocks do not align.
struct Grid {
    cells: Vec<Range<u64>>,
    columns: Vec<(String, GridColumn)>,
}

struct GridColumn {
    statistics: ColumnStatistics,
    /// The block of each cell.
    blocks: UInt64Array,
}

impl Grid {
    fn new(columns: Vec<(String, ColumnStatistics)>, rows: &Range<u64>) -> Self {
        let ends = columns.iter().flat_map(|(_, statistics)| statistics.blocks());
        let ends = ends.map(|block| block.end).filter(|end| *end > rows.start && *end < rows.end);
        let mut ends: Vec<u64> = ends.chain([rows.end]).collect();
        ends.sort_unstable();
        ends.dedup();
        let starts = std::iter::once(rows.start).chain(ends.iter().copied());
        let cells = starts.zip(&ends).map(|(start, end)| start..*end);
        let cells: Vec<_> = cells.filter(|cell| !cell.is_empty()).collect();
        let columns = columns.into_iter().map(|(name, statistics)| {
            let block = |cell: &Range<u64>| {
                statistics.blocks().partition_point(|block| block.end <= cell.start) as u64
            };
            let blocks = cells.iter().map(block).collect::<Vec<_>>().into();
            (name, GridColumn { statistics, blocks })
        });
        let columns = columns.collect();
        Self { cells, columns }
    }

    fn column(&self, column: &Column) -> Option<&GridColumn> {
        self.columns.iter().find(|(name, _)| *name == column.name).map(|(_, column)| column)
    }
}

impl PruningStatistics for Grid {
    fn min_values(&self, column: &Column) -> Option<ArrayRef> {
        let column = self.column(column)?;
        take(column.statistics.min_values(), &column.blocks, None).ok()
    }

    fn max_values(&self, column: &Column) -> Option<ArrayRef> {
        let column = self.column(column)?;
        take(column.statistics.max_values(), &column.blocks, None).ok()
    }

    fn num_containers(&self) -> usize {
        self.cells.len()
    }

    /// A cell has no more nulls than its block, and all of its rows are null only if the block's are.
    fn null_counts(&self, column: &Column) -> Option<ArrayRef> {
        let column = self.column(column)?;
        take(column.statistics.null_counts(), &column.blocks, None).ok()
    }

    fn row_counts(&self) -> Option<ArrayRef> {
        None
    }

    fn contained(&self, _: &Column, _: &HashSet<ScalarValue>) -> Option<BooleanArray> {
        None
    }
}
