//! Selects the rows of blocks that may pass a filter.
//!
//! ```text
//! blocks of a       |----------|-----------|          min, max, nulls of each
//! blocks of b       |-----|---------|------|
//! cells             |-----|----|----|------|          each in one block of each column
//! ```
//! A dynamic filter, such as the bound of a top-k query or the keys of a join, becomes stricter while rows are read.
//! The cells are then checked again.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, UInt64Array};
use arrow::compute::take;
use arrow::datatypes::SchemaRef;
use datafusion::common::pruning::PruningStatistics;
use datafusion::common::{Column, ScalarValue};
use datafusion::error::Result;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::DynamicFilterTracking;
use datafusion::physical_expr::utils::collect_columns;
use datafusion::physical_optimizer::pruning::{PruningPredicate, build_pruning_predicate};
use datafusion::physical_plan::metrics::{Count, PruningMetrics};
use trevni::arrow::{ArrowStreamBuilder, BlockFilters, ColumnPath, ColumnStatistics, RowSelection};

use crate::error::external;
use crate::metrics::ScanMetrics;

/// Selects rows by the statistics of blocks.
pub(crate) struct BlockPruner {
    filter: Arc<dyn PhysicalExpr>,
    /// That of a filter that does not change.
    predicate: Option<Arc<PruningPredicate>>,
    schema: SchemaRef,
    grid: Grid,
    /// The rows of the file.
    rows: u64,
    /// Of each cell, whether it may have rows that pass.
    kept: Vec<bool>,
    /// The blocks of these cells.
    kept_blocks: usize,
    blocks: PruningMetrics,
    pruned_rows: Count,
    errors: Count,
}

impl BlockPruner {
    /// Reads the statistics of the columns of a filter; `None` if there are none.
    pub(crate) async fn try_new(
        builder: &mut ArrowStreamBuilder,
        filter: &Arc<dyn PhysicalExpr>,
        rows: &Range<u64>,
        metrics: &ScanMetrics,
    ) -> Result<Option<Self>> {
        let schema = builder.schema().clone();
        let is_dynamic = DynamicFilterTracking::classify(filter).contains_dynamic_filter();
        let predicate = match is_dynamic {
            true => None,
            false => build_pruning_predicate(filter.clone(), &schema, &metrics.errors),
        };
        if !is_dynamic && predicate.is_none() {
            return Ok(None);
        }
        let mut names: Vec<String> =
            collect_columns(filter).iter().map(|column| column.name().to_owned()).collect();
        names.sort_unstable();
        let paths: Vec<ColumnPath> =
            names.iter().map(|name| ColumnPath::from(vec![name.clone()])).collect();
        let statistics = builder.column_statistics(&paths).await.map_err(external)?;
        let filters = builder.column_bloom_filters(&paths).await.map_err(external)?;
        let columns = names.into_iter().zip(statistics).zip(filters);
        let columns =
            columns.filter_map(|((name, statistics), filters)| Some((name, statistics?, filters)));
        let grid = Grid::new(columns.collect(), rows);
        if grid.columns.is_empty() {
            return Ok(None);
        }
        let kept = vec![true; grid.cells.len()];
        let kept_blocks = grid.blocks(&kept);
        metrics.blocks.add_matched(kept_blocks);
        Ok(Some(Self {
            filter: filter.clone(),
            predicate,
            schema,
            rows: builder.rows(),
            kept,
            kept_blocks,
            grid,
            blocks: metrics.blocks.clone(),
            pruned_rows: metrics.pruned_rows.clone(),
            errors: metrics.errors.clone(),
        }))
    }

    /// Returns the rows that may pass the filter as it is now; `None` if no more are excluded than before.
    pub(crate) fn prune(&mut self) -> Result<Option<RowSelection>> {
        let now = || build_pruning_predicate(self.filter.clone(), &self.schema, &self.errors);
        let Some(predicate) = self.predicate.clone().or_else(now) else { return Ok(None) };
        let passes = predicate.prune(&self.grid)?;
        let mut pruned = 0;
        for ((cell, kept), passes) in self.grid.cells.iter().zip(&mut self.kept).zip(passes) {
            if *kept && !passes {
                *kept = false;
                pruned += cell.end - cell.start;
            }
        }
        if pruned == 0 {
            return Ok(None);
        }
        self.pruned_rows.add(usize::try_from(pruned).unwrap_or(usize::MAX));
        let kept_blocks = self.grid.blocks(&self.kept);
        let blocks = self.kept_blocks - kept_blocks;
        self.kept_blocks = kept_blocks;
        self.blocks.add_pruned(blocks);
        self.blocks.subtract_matched(blocks);
        let kept = self.grid.cells.iter().zip(&self.kept).filter(|(_, kept)| **kept);
        let ranges = kept.map(|(rows, _)| rows.clone());
        Ok(Some(RowSelection::from_consecutive_ranges(ranges, self.rows)))
    }

    /// Returns what excludes more rows while the filter becomes stricter; `None` if it does not.
    pub(crate) fn watch(mut self) -> Option<impl FnMut() -> Option<RowSelection>> {
        let mut tracking = DynamicFilterTracking::classify(&self.filter);
        tracking.watcher()?;
        Some(move || {
            let has_changed = tracking.watcher().is_some_and(|watcher| watcher.changed());
            // A filter that cannot be evaluated on statistics excludes nothing by them.
            if has_changed { self.prune().ok().flatten() } else { None }
        })
    }
}

/// Statistics of columns whose blocks do not align.
struct Grid {
    cells: Vec<Range<u64>>,
    columns: Vec<(String, GridColumn)>,
}

struct GridColumn {
    statistics: ColumnStatistics,
    filters: Option<BlockFilters>,
    /// The block of each cell.
    blocks: UInt64Array,
}

impl Grid {
    fn new(
        columns: Vec<(String, ColumnStatistics, Option<BlockFilters>)>,
        rows: &Range<u64>,
    ) -> Self {
        let ends = columns.iter().flat_map(|(_, statistics, _)| statistics.blocks());
        let ends = ends.map(|block| block.end).filter(|end| *end > rows.start && *end < rows.end);
        let mut ends: Vec<u64> = ends.chain([rows.end]).collect();
        ends.sort_unstable();
        ends.dedup();
        let starts = std::iter::once(rows.start).chain(ends.iter().copied());
        let cells = starts.zip(&ends).map(|(start, end)| start..*end);
        let cells: Vec<_> = cells.filter(|cell| !cell.is_empty()).collect();
        let columns = columns.into_iter().map(|(name, statistics, filters)| {
            let block = |cell: &Range<u64>| {
                statistics.blocks().partition_point(|block| block.end <= cell.start) as u64
            };
            let blocks = cells.iter().map(block).collect::<Vec<_>>().into();
            (name, GridColumn { statistics, filters, blocks })
        });
        let columns = columns.collect();
        Self { cells, columns }
    }

    fn column(&self, column: &Column) -> Option<&GridColumn> {
        self.columns.iter().find(|(name, _)| *name == column.name).map(|(_, column)| column)
    }

    /// Returns the number of blocks with rows of these cells.
    fn blocks(&self, kept: &[bool]) -> usize {
        let of_column = |column: &GridColumn| {
            let blocks = column.blocks.values().iter().zip(kept).filter(|(_, kept)| **kept);
            let mut blocks: Vec<u64> = blocks.map(|(block, _)| *block).collect();
            blocks.dedup();
            blocks.len()
        };
        self.columns.iter().map(|(_, column)| of_column(column)).sum()
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

    /// False where the Bloom filter of a block has none of the values, otherwise unknown.
    fn contained(&self, column: &Column, values: &HashSet<ScalarValue>) -> Option<BooleanArray> {
        let column = self.column(column)?;
        let filters = column.filters.as_ref()?;
        let values = values.iter().filter(|value| !value.is_null()).cloned();
        let values = ScalarValue::iter_to_array(values).ok()?;
        let may_contain = filters.may_contain(&*values).ok()?;
        let of_cell = |block: &u64| {
            let block = usize::try_from(*block).ok()?;
            (block < may_contain.len() && !may_contain.value(block)).then_some(false)
        };
        Some(column.blocks.values().iter().map(of_cell).collect())
    }
}
