//! The sums of many groups.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Decimal128Array};
use arrow::compute::{cast, nullif};
use arrow::datatypes::{ArrowPrimitiveType, DataType, Decimal128Type, Int64Type, UInt64Type};
use datafusion::common::Result;
use datafusion::logical_expr::{EmitTo, GroupsAccumulator};

use super::{STATE, checked};

/// A sum for each group.
#[derive(Debug)]
pub(super) struct GroupSums {
    data_type: DataType,
    /// None of a group without values.
    sums: Vec<Option<i128>>,
}

impl GroupSums {
    pub(super) fn new(data_type: &DataType) -> Self {
        Self { data_type: data_type.clone(), sums: Vec::new() }
    }

    fn add<T: ArrowPrimitiveType<Native: Into<i128>>>(
        &mut self,
        array: &ArrayRef,
        groups: &[usize],
        filter: Option<&BooleanArray>,
    ) {
        let array = array.as_primitive::<T>();
        for (row, (value, group)) in array.iter().zip(groups).enumerate() {
            let is_in = filter.is_none_or(|filter| filter.is_valid(row) && filter.value(row));
            if let (true, Some(value), Some(sum)) = (is_in, value, self.sums.get_mut(*group)) {
                *sum = Some(sum.unwrap_or(0).wrapping_add(value.into()));
            }
        }
    }
}

impl GroupsAccumulator for GroupSums {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        group_indices: &[usize],
        opt_filter: Option<&BooleanArray>,
        total_num_groups: usize,
    ) -> Result<()> {
        self.sums.resize(total_num_groups, None);
        for array in values {
            match array.data_type() {
                DataType::Int64 => self.add::<Int64Type>(array, group_indices, opt_filter),
                DataType::UInt64 => self.add::<UInt64Type>(array, group_indices, opt_filter),
                _ => self.add::<Decimal128Type>(array, group_indices, opt_filter),
            }
        }
        Ok(())
    }

    fn merge_batch(
        &mut self,
        values: &[ArrayRef],
        group_indices: &[usize],
        total_num_groups: usize,
    ) -> Result<()> {
        self.update_batch(values, group_indices, None, total_num_groups)
    }

    fn evaluate(&mut self, emit_to: EmitTo) -> Result<ArrayRef> {
        checked(emit_to.take_needed(&mut self.sums), &self.data_type)
    }

    fn state(&mut self, emit_to: EmitTo) -> Result<Vec<ArrayRef>> {
        let sums = Decimal128Array::from(emit_to.take_needed(&mut self.sums));
        Ok(vec![Arc::new(sums.with_data_type(STATE))])
    }

    fn convert_to_state(
        &self,
        values: &[ArrayRef],
        opt_filter: Option<&BooleanArray>,
    ) -> Result<Vec<ArrayRef>> {
        let state = |array: &ArrayRef| {
            let sums = cast(array, &STATE)?;
            let Some(filter) = opt_filter else { return Ok(sums) };
            // A row that does not pass, or of which that is not known, adds nothing.
            let is_out = filter.iter().map(|passes| Some(passes != Some(true)));
            Ok(nullif(&sums, &is_out.collect::<BooleanArray>())?)
        };
        values.iter().map(state).collect()
    }

    fn size(&self) -> usize {
        self.sums.capacity() * size_of::<Option<i128>>()
    }
}
