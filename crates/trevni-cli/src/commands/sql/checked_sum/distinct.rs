//! The sum of distinct values.

use std::collections::HashSet;

use arrow::array::{ArrayRef, AsArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Decimal128Type};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::Accumulator;

use super::{DIGITS, STATE, checked};

/// The distinct values of one group.
#[derive(Debug)]
pub(super) struct DistinctSum {
    data_type: DataType,
    values: HashSet<i128>,
}

impl DistinctSum {
    pub(super) fn new(data_type: &DataType) -> Self {
        Self { data_type: data_type.clone(), values: HashSet::new() }
    }
}

impl Accumulator for DistinctSum {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        for array in values {
            let array = cast(array, &STATE)?;
            self.values.extend(array.as_primitive::<Decimal128Type>().iter().flatten());
        }
        Ok(())
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let mut lists = states.iter().flat_map(|state| state.as_list::<i32>().iter().flatten());
        lists.try_for_each(|list| self.update_batch(&[list]))
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let value = |value: &i128| ScalarValue::Decimal128(Some(*value), DIGITS, 0);
        let values: Vec<_> = self.values.iter().map(value).collect();
        Ok(vec![ScalarValue::List(ScalarValue::new_list(&values, &STATE, true))])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let sum = self.values.iter().fold(0i128, |sum, value| sum.wrapping_add(*value));
        let sum = (!self.values.is_empty()).then_some(sum);
        ScalarValue::try_from_array(&checked([sum], &self.data_type)?, 0)
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.values.capacity() * size_of::<i128>()
    }
}
