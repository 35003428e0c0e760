//! Sorts that keep many rows spill where memory is limited.
//!
//! ```text
//! order by a limit 1 offset 900000
//!   SortExec fetch=900001                holds that many rows, and cannot use temporary files
//!   LocalLimitExec 900001 ─ SortExec     sorts all rows, and uses them
//! ```

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::error::Result;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::limit::LocalLimitExec;
use datafusion::physical_plan::sorts::sort::SortExec;

/// The most rows that a sort holds without temporary files.
const MOST_ROWS: usize = 10_000;

/// Replaces sorts that keep more rows.
#[derive(Debug)]
pub(super) struct SpillingSort;

impl PhysicalOptimizerRule for SpillingSort {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _config: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|plan| {
            let sort = plan.downcast_ref::<SortExec>();
            let large = sort.and_then(|sort| Some((sort, sort.fetch()?)));
            let Some((sort, rows)) = large.filter(|(_, rows)| *rows > MOST_ROWS) else {
                return Ok(Transformed::no(plan));
            };
            let all = SortExec::new(sort.expr().clone(), sort.input().clone())
                .with_preserve_partitioning(sort.preserve_partitioning());
            Ok(Transformed::yes(Arc::new(LocalLimitExec::new(Arc::new(all), rows))))
        })
        .data()
    }

    fn name(&self) -> &str {
        "spilling_sort"
    }

    fn schema_check(&self) -> bool {
        true
    }
}
