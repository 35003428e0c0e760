//! A table whose scans are queries of a session of this library.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::error::Result;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::prelude::SessionContext;

use crate::local_exec::LocalExec;

/// Answers a scan by a plan that this library has optimized: filters, columns and limits are in the reader then.
pub(crate) struct Queries {
    session: SessionContext,
    table: Arc<dyn TableProvider>,
}

impl Queries {
    pub(crate) fn new(session: SessionContext, table: Arc<dyn TableProvider>) -> Self {
        Self { session, table }
    }
}

impl Queries {
    /// Calls the functions of this library by their names: those of another take no scalars through the C interface.
    fn with_own_functions(&self, filter: Expr) -> Result<Expr> {
        let state = self.session.state();
        let functions = state.scalar_functions();
        let own = |expr: Expr| match expr {
            Expr::ScalarFunction(call) => match functions.get(call.func.name()) {
                Some(own) => {
                    let call = ScalarFunction::new_udf(own.clone(), call.args);
                    Ok(Transformed::yes(Expr::ScalarFunction(call)))
                }
                None => Ok(Transformed::no(Expr::ScalarFunction(call))),
            },
            other => Ok(Transformed::no(other)),
        };
        Ok(filter.transform_up(own)?.data)
    }
}

impl fmt::Debug for Queries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queries").field("table", &self.table).finish_non_exhaustive()
    }
}

#[async_trait]
impl TableProvider for Queries {
    fn schema(&self) -> SchemaRef {
        self.table.schema()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> Result<Vec<TableProviderFilterPushDown>> {
        Ok(vec![TableProviderFilterPushDown::Exact; filters.len()])
    }

    async fn scan(
        &self,
        _session: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let mut rows = self.session.read_table(self.table.clone())?;
        for filter in filters {
            rows = rows.filter(self.with_own_functions(filter.clone())?)?;
        }
        if let Some(columns) = projection {
            let plan = rows.logical_plan().schema().clone();
            let columns =
                columns.iter().map(|column| Expr::Column(plan.columns().swap_remove(*column)));
            rows = rows.select(columns)?;
        }
        if let Some(limit) = limit {
            rows = rows.limit(0, Some(limit))?;
        }
        let context = self.session.task_ctx();
        Ok(Arc::new(LocalExec::new(rows.create_physical_plan().await?, context)))
    }
}
