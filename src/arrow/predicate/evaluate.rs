//! Evaluates a bound predicate on arrays.
//!
//! ```text
//! struct a     x - x x      null where either is        dictionary    its values are evaluated, then taken by its keys
//! field  a.b   1 2 - 4                                  run-ends      its values are evaluated, then repeated
//! a.b > 1      0 - - 1
//! ```

use arrow::array::*;
use arrow::buffer::{BooleanBuffer, NullBuffer};
use arrow::compute::kernels::{boolean, cmp};
use arrow::compute::{CastOptions, cast_with_options, ilike, like, take};
use arrow::datatypes::DataType;

use super::Operator;
use super::bound::{Bound, Test, of_type};
use crate::arrow::array::filter::Filter;
use crate::arrow::encoded;
use crate::error::Result;

impl Bound {
    /// Returns the rows of a batch of which it is true.
    pub(crate) fn keep(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let answers = self.evaluate(batch.columns(), batch.num_rows())?;
        let filter = Filter::new(&answers);
        let columns = batch.columns().iter().map(|column| filter.filter(column));
        let columns = columns.collect::<Result<_>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(filter.count()));
        Ok(RecordBatch::try_new_with_options(batch.schema(), columns, &options)?)
    }

    /// Returns whether it is true of each row of these columns, false, or null.
    pub(crate) fn evaluate(&self, columns: &[ArrayRef], rows: usize) -> Result<BooleanArray> {
        match self {
            Bound::Tests { column, tests } => {
                let (array, above) = column.follow(columns)?;
                let mut any = all(rows, false);
                for test in tests {
                    any = boolean::or_kleene(&any, &test.ask(&array)?)?;
                }
                Ok(beneath(any, above))
            }
            Bound::Columns { left, operator, right, data_type } => {
                let ((left, left_above), (right, right_above)) =
                    (left.follow(columns)?, right.follow(columns)?);
                let (left, right) = (flat(&left, data_type)?, flat(&right, data_type)?);
                let answers = compare(*operator, &left, &right)?;
                Ok(beneath(beneath(answers, left_above), right_above))
            }
            Bound::IsNull(column) => {
                let (array, above) = column.follow(columns)?;
                let valid = NullBuffer::union(array.logical_nulls().as_ref(), above.as_ref());
                Ok(match valid {
                    Some(valid) => BooleanArray::new(!valid.inner(), None),
                    None => all(rows, false),
                })
            }
            Bound::IsTrue(column) => {
                let (array, above) = column.follow(columns)?;
                Ok(beneath(Test::Compare(Operator::Eq, yes()).ask(&array)?, above))
            }
            Bound::And(bounds) => {
                let mut both = all(rows, true);
                for bound in bounds {
                    if both.false_count() == rows {
                        break;
                    }
                    both = boolean::and_kleene(&both, &bound.evaluate(columns, rows)?)?;
                }
                Ok(both)
            }
            Bound::Or(bounds) => {
                let mut any = all(rows, false);
                for bound in bounds {
                    any = boolean::or_kleene(&any, &bound.evaluate(columns, rows)?)?;
                }
                Ok(any)
            }
            Bound::Not(bound) => Ok(boolean::not(&bound.evaluate(columns, rows)?)?),
        }
    }
}

fn all(rows: usize, value: bool) -> BooleanArray {
    let values = if value { BooleanBuffer::new_set(rows) } else { BooleanBuffer::new_unset(rows) };
    BooleanArray::new(values, None)
}

fn yes() -> ArrayRef {
    std::sync::Arc::new(BooleanArray::from(vec![true]))
}

/// Answers are null, too, where a struct around the column is.
fn beneath(answers: BooleanArray, above: Option<NullBuffer>) -> BooleanArray {
    if above.is_none() {
        return answers;
    }
    let (values, nulls) = answers.into_parts();
    BooleanArray::new(values, NullBuffer::union(nulls.as_ref(), above.as_ref()))
}

/// Returns the answers for the values of rows, to the rows.
fn taken(answers: &BooleanArray, rows: &dyn Array) -> Result<BooleanArray> {
    Ok(take(answers, rows, None)?.as_boolean().clone())
}

/// Values of a type without dictionaries and runs. One that does not fit is an error.
fn flat(array: &ArrayRef, data_type: &DataType) -> Result<ArrayRef> {
    if let DataType::RunEndEncoded(..) = array.data_type() {
        let (values, rows) = encoded::run_values(array)?;
        return flat(&take(&values, &rows, None)?, data_type);
    }
    let options = CastOptions { safe: false, ..CastOptions::default() };
    match array.data_type() == data_type {
        true => Ok(array.clone()),
        false => Ok(cast_with_options(array, data_type, &options)?),
    }
}

fn compare(operator: Operator, left: &dyn Datum, right: &dyn Datum) -> Result<BooleanArray> {
    Ok(match operator {
        Operator::Eq => cmp::eq(left, right),
        Operator::Ne => cmp::neq(left, right),
        Operator::Lt => cmp::lt(left, right),
        Operator::Le => cmp::lt_eq(left, right),
        Operator::Gt => cmp::gt(left, right),
        Operator::Ge => cmp::gt_eq(left, right),
    }?)
}

impl Test {
    /// Returns the answer for each row of an array.
    pub(crate) fn ask(&self, array: &ArrayRef) -> Result<BooleanArray> {
        match array.data_type() {
            DataType::Dictionary(..) => {
                let dictionary = array.as_any_dictionary();
                let values = dictionary.values();
                if values.len() > array.len() {
                    return self.ask(&take(values, dictionary.keys(), None)?);
                }
                taken(&self.ask(values)?, dictionary.keys())
            }
            DataType::RunEndEncoded(..) => {
                let (values, rows) = encoded::run_values(array)?;
                taken(&self.ask(&values)?, &rows)
            }
            _ => self.ask_values(array),
        }
    }

    fn ask_values(&self, array: &ArrayRef) -> Result<BooleanArray> {
        let (operator, value) = match self {
            Test::Always(answer) => {
                let (values, _) = all(array.len(), *answer).into_parts();
                return Ok(BooleanArray::new(values, array.logical_nulls()));
            }
            Test::ValueSet(among) => return among.has(array),
            Test::Like { pattern, ignore_case } => {
                let array = of_type(array, pattern.data_type())?;
                let pattern = Scalar::new(pattern.clone());
                return Ok(match ignore_case {
                    true => ilike(&array, &pattern),
                    false => like(&array, &pattern),
                }?);
            }
            Test::Compare(operator, value) => (*operator, value),
        };
        let array = of_type(array, value.data_type())?;
        let value = Scalar::new(value.clone());
        compare(operator, &array, &value)
    }
}
