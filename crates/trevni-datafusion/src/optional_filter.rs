//! Evaluates a filter that need not be evaluated, as long as that saves time.
//!
//! ```text
//! rows      |--window--|--window--|-- 16 windows --|--window--| ...
//! filter     evaluated  too slow   not evaluated    evaluated
//! ```
//! The keys of a join reach its other side as a dynamic filter. The join excludes the same rows, and looking up a key
//! takes as long here as there, so a filter that excludes few rows takes more time than it saves.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow::array::{BooleanArray, RecordBatch};
use arrow::buffer::BooleanBuffer;
use datafusion::error::Result;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr_common::physical_expr::snapshot_generation;

use crate::filter_steps::passes;

/// The rows after which a filter is judged.
const WINDOW: usize = 1 << 15;

/// The windows that pass without evaluation if it took more time than it saved.
const PAUSE: usize = 16;

/// The time that an excluded row saves. Measured on TPC-H, where a row that several joins would see saves 80 ns, and one
/// that a single join would see 20 ns; which of them, a scan does not know.
const SAVED: Duration = Duration::from_nanos(80);

/// A filter whose rows another part of the plan excludes too.
pub(crate) struct OptionalFilter {
    expr: Arc<dyn PhysicalExpr>,
    /// What the filter was when it was last evaluated.
    generation: u64,
    window: Window,
    /// The rows that are still to pass without evaluation.
    pause: usize,
}

/// Rows on which the filter has been evaluated.
#[derive(Default)]
struct Window {
    rows: usize,
    excluded: usize,
    taken: Duration,
}

impl OptionalFilter {
    pub(crate) fn new(expr: Arc<dyn PhysicalExpr>) -> Self {
        Self { expr, generation: 0, window: Window::default(), pause: 0 }
    }

    /// Returns which rows pass: all while the filter is not evaluated.
    pub(crate) fn evaluate(&mut self, batch: &RecordBatch) -> Result<BooleanArray> {
        let generation = snapshot_generation(&self.expr);
        if generation != self.generation {
            // Before a join has its keys, all rows pass.
            self.generation = generation;
            (self.window, self.pause) = (Window::default(), 0);
        }
        let rows = batch.num_rows();
        if self.pause > 0 {
            self.pause = self.pause.saturating_sub(rows);
            return Ok(BooleanArray::new(BooleanBuffer::new_set(rows), None));
        }
        let start = Instant::now();
        let passed = passes(&*self.expr, batch)?;
        self.window.taken += start.elapsed();
        self.window.rows += rows;
        self.window.excluded += rows - passed.true_count();
        if self.window.rows >= WINDOW {
            let Window { excluded, taken, .. } = std::mem::take(&mut self.window);
            let excluded = u32::try_from(excluded).unwrap_or(u32::MAX);
            if taken > SAVED.saturating_mul(excluded) {
                self.pause = PAUSE * WINDOW;
            }
        }
        Ok(passed)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use arrow::array::{ArrayRef, Int64Array};
    use arrow::datatypes::Schema;
    use datafusion::logical_expr::Operator;
    use datafusion::physical_expr::expressions::{DynamicFilterPhysicalExpr, binary, col, lit};

    use super::*;

    fn batch(value: i64, rows: usize) -> RecordBatch {
        let values: ArrayRef = Arc::new(Int64Array::from(vec![value; rows]));
        RecordBatch::try_from_iter([("a", values)]).unwrap()
    }

    #[test]
    fn one_that_excludes_no_row_pauses_until_it_changes() {
        let schema: Arc<Schema> = batch(0, 1).schema();
        let at_least = |least: i64| {
            binary(col("a", &schema).unwrap(), Operator::GtEq, lit(least), &schema).unwrap()
        };
        let column = col("a", &schema).unwrap();
        let keys = Arc::new(DynamicFilterPhysicalExpr::new(vec![column], at_least(5)));
        let mut filter = OptionalFilter::new(keys.clone());
        let mut passed = |value, rows| filter.evaluate(&batch(value, rows)).unwrap().true_count();
        assert_eq!((passed(4, 10), passed(7, WINDOW)), (0, WINDOW));
        // The window excluded ten rows, whose 800 ns are less than it took.
        assert_eq!(passed(4, PAUSE * WINDOW - 1), PAUSE * WINDOW - 1);
        assert_eq!((passed(4, 1), passed(4, 10)), (1, 0));
        assert_eq!(passed(7, WINDOW), WINDOW);
        assert_eq!(passed(4, 10), 10);
        keys.update(at_least(6)).unwrap();
        assert_eq!(passed(5, 10), 0);
    }
}
