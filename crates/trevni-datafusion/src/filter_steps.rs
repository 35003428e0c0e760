//! Divides a filter into the predicates that are evaluated one after another.
//!
//! ```text
//! d >= 1 AND d < 5 AND name LIKE 'a%' AND q < 24    ──►    d >= 1 AND d < 5    name LIKE 'a%'    q < 24
//! ```
//! Comparisons of the same columns are evaluated together. A comparison of numbers cannot fail, so it may see rows that
//! others have excluded.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::array::{BooleanArray, RecordBatch};
use arrow::datatypes::Schema;
use datafusion::common::cast::as_boolean_array;
use datafusion::common::internal_datafusion_err;
use datafusion::error::Result;
use datafusion::logical_expr::Operator;
use datafusion::physical_expr::expressions::{BinaryExpr, Column, Literal};
use datafusion::physical_expr::utils::collect_columns;
use datafusion::physical_expr::{PhysicalExpr, conjunction, split_conjunction};

/// A predicate of a filter.
pub(crate) struct FilterStep {
    pub(crate) expr: Arc<dyn PhysicalExpr>,
    /// Its columns, if all of it is comparisons of numbers.
    numbers: Option<BTreeSet<usize>>,
}

impl FilterStep {
    /// Returns whether all of it is comparisons of numbers.
    pub(crate) fn compares_numbers(&self) -> bool {
        self.numbers.is_some()
    }
}

/// Returns the predicates, in order.
pub(crate) fn filter_steps(filter: &Arc<dyn PhysicalExpr>, schema: &Schema) -> Vec<FilterStep> {
    let mut steps: Vec<FilterStep> = Vec::new();
    for expr in split_conjunction(filter) {
        let columns = || collect_columns(expr).iter().map(Column::index).collect();
        let numbers = compares_numbers(&**expr, schema).then(columns);
        match steps.iter_mut().find(|step| step.compares_numbers() && step.numbers == numbers) {
            Some(step) => step.expr = conjunction([step.expr.clone(), expr.clone()]),
            None => steps.push(FilterStep { expr: expr.clone(), numbers }),
        }
    }
    steps
}

/// Returns whether an expression compares a column of numbers with a number or another column.
fn compares_numbers(expr: &dyn PhysicalExpr, schema: &Schema) -> bool {
    let Some(binary) = expr.downcast_ref::<BinaryExpr>() else { return false };
    let is_comparison = matches!(
        binary.op(),
        Operator::Eq
            | Operator::NotEq
            | Operator::Lt
            | Operator::LtEq
            | Operator::Gt
            | Operator::GtEq
    );
    let is_number = |side: &Arc<dyn PhysicalExpr>| {
        let is_operand = side.is::<Column>() || side.is::<Literal>();
        is_operand && side.data_type(schema).is_ok_and(|data_type| data_type.is_primitive())
    };
    is_comparison && is_number(binary.left()) && is_number(binary.right())
}

/// Returns which rows of a batch pass a filter.
pub(crate) fn passes(expr: &dyn PhysicalExpr, batch: &RecordBatch) -> Result<BooleanArray> {
    let values = expr.evaluate(batch)?.into_array(batch.num_rows())?;
    as_boolean_array(&values)
        .cloned()
        .map_err(|_| internal_datafusion_err!("the filter {expr} is not boolean"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use arrow::datatypes::{DataType, Field};
    use datafusion::physical_expr::expressions::{binary, col, lit};

    use super::*;

    #[test]
    fn comparisons_of_the_same_numbers_are_one_step() {
        let fields = [("d", DataType::Date32), ("q", DataType::Int64), ("s", DataType::Utf8)];
        let fields = fields.map(|(name, data_type)| Field::new(name, data_type, true));
        let schema = Schema::new(fields.to_vec());
        let compare = |left: &str, op, right| {
            binary(col(left, &schema).unwrap(), op, right, &schema).unwrap()
        };
        let filter = conjunction([
            compare("q", Operator::GtEq, lit(1i64)),
            compare("s", Operator::Eq, lit("a")),
            compare("d", Operator::Lt, col("d", &schema).unwrap()),
            compare("q", Operator::Lt, lit(24i64)),
            compare("s", Operator::NotEq, lit("b")),
        ]);
        let steps = filter_steps(&filter, &schema);
        let steps = steps.iter().map(|step| (step.expr.to_string(), step.compares_numbers()));
        let expected = [
            ("q@1 >= 1 AND q@1 < 24", true),
            ("s@2 = a", false),
            ("d@0 < d@0", true),
            ("s@2 != b", false),
        ];
        assert!(steps.eq(expected.map(|(expr, numbers)| (expr.to_owned(), numbers))));
    }
}
