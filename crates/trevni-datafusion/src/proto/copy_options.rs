//! Keeps the options of `COPY ... OPTIONS (...)` when the statement is sent to another host.

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::datasource::file_format::{file_type_to_format, format_as_file_type};
use datafusion::error::Result;
use datafusion::logical_expr::LogicalPlan;
use datafusion::logical_expr::dml::CopyTo;
use datafusion::optimizer::AnalyzerRule;

use crate::format_factory::TrevniFormatFactory;

/// Moves the options of a `COPY` to its format. DataFusion encodes the format of a `COPY` and not its options.
#[derive(Debug, Default)]
pub struct CopyOptionsInFormat;

impl AnalyzerRule for CopyOptionsInFormat {
    fn name(&self) -> &str {
        "copy_options_in_format"
    }

    fn analyze(&self, plan: LogicalPlan, _config: &ConfigOptions) -> Result<LogicalPlan> {
        Ok(plan.transform_down(move_options)?.data)
    }
}

fn move_options(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let LogicalPlan::Copy(copy) = &plan else { return Ok(Transformed::no(plan)) };
    // A plan that was sent has no options: they are in its format.
    if copy.options.is_empty() {
        return Ok(Transformed::no(plan));
    }
    let format = file_type_to_format(&copy.file_type)?;
    let Some(format) = format.downcast_ref::<TrevniFormatFactory>() else {
        return Ok(Transformed::no(plan));
    };
    let format = format.clone().with_options(copy.options.clone());
    Ok(Transformed::yes(LogicalPlan::Copy(CopyTo::new(
        copy.input.clone(),
        copy.output_url.clone(),
        copy.partition_by.clone(),
        format_as_file_type(Arc::new(format)),
        copy.options.clone(),
    ))))
}
