//! `sum` of 64-bit integers, which fails where the sum has more bits. DataFusion's own wraps.
//!
//! ```text
//! bigint values ──► sum of 128 bits: the state, decimal(38, 0) ──► merged ──► bigint, or an error
//! ```
//! Sums of parts may exceed 64 bits where that of all does not. Sums of other types are DataFusion's.

mod distinct;
mod groups;

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, PrimitiveArray};
use arrow::datatypes::{
    ArrowPrimitiveType, DataType, Decimal128Type, Field, FieldRef, Int64Type, UInt64Type,
};
use datafusion::common::{Result, ScalarValue, exec_err};
use datafusion::functions_aggregate::sum::sum_udaf;
use datafusion::logical_expr::expr::AggregateFunction;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::AggregateOrderSensitivity;
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, Expr, GroupsAccumulator, Operator, ReversedUDAF,
    SetMonotonicity, Signature,
};

use self::distinct::DistinctSum;
use self::groups::GroupSums;

/// The type of sums that are not complete.
const STATE: DataType = DataType::Decimal128(DIGITS, 0);
const DIGITS: u8 = 38;

/// The function that replaces DataFusion's `sum` in a session.
pub(super) fn checked_sum() -> AggregateUDF {
    AggregateUDF::from(CheckedSum { inner: sum_udaf() })
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct CheckedSum {
    inner: Arc<AggregateUDF>,
}

fn is_checked(return_type: &DataType) -> bool {
    matches!(return_type, DataType::Int64 | DataType::UInt64)
}

impl AggregateUDFImpl for CheckedSum {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn signature(&self) -> &Signature {
        self.inner.signature()
    }

    fn return_type(&self, arg_types: &[DataType]) -> Result<DataType> {
        self.inner.return_type(arg_types)
    }

    fn accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        let data_type = args.return_field.data_type();
        match (is_checked(data_type), args.is_distinct) {
            (true, true) => Ok(Box::new(DistinctSum::new(data_type))),
            (true, false) => Ok(Box::new(Sum::new(data_type))),
            (false, _) => self.inner.accumulator(args),
        }
    }

    fn state_fields(&self, args: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        let name = format!("{}[sum]", args.name);
        let state = match (is_checked(args.return_type()), args.is_distinct) {
            (true, true) => Field::new_list(name, Field::new_list_field(STATE, true), false),
            (true, false) => Field::new(name, STATE, true),
            (false, _) => return self.inner.state_fields(args),
        };
        Ok(vec![Arc::new(state)])
    }

    fn groups_accumulator_supported(&self, args: AccumulatorArgs<'_>) -> bool {
        self.inner.groups_accumulator_supported(args)
    }

    fn create_groups_accumulator(
        &self,
        args: AccumulatorArgs<'_>,
    ) -> Result<Box<dyn GroupsAccumulator>> {
        match is_checked(args.return_field.data_type()) && !args.is_distinct {
            true => Ok(Box::new(GroupSums::new(args.return_field.data_type()))),
            false => self.inner.create_groups_accumulator(args),
        }
    }

    fn create_sliding_accumulator(
        &self,
        args: AccumulatorArgs<'_>,
    ) -> Result<Box<dyn Accumulator>> {
        match is_checked(args.return_field.data_type()) && !args.is_distinct {
            true => Ok(Box::new(Sum::new(args.return_field.data_type()))),
            false => self.inner.create_sliding_accumulator(args),
        }
    }

    fn simplify_expr_op_literal(
        &self,
        agg_function: &AggregateFunction,
        arg: &Expr,
        op: Operator,
        lit: &Expr,
        arg_is_left: bool,
    ) -> Result<Option<Expr>> {
        self.inner.inner().simplify_expr_op_literal(agg_function, arg, op, lit, arg_is_left)
    }

    fn reverse_expr(&self) -> ReversedUDAF {
        ReversedUDAF::Identical
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        AggregateOrderSensitivity::Insensitive
    }

    fn set_monotonicity(&self, data_type: &DataType) -> SetMonotonicity {
        self.inner.inner().set_monotonicity(data_type)
    }
}

/// The sum of one group, or of the rows of a window.
#[derive(Debug)]
struct Sum {
    data_type: DataType,
    sum: i128,
    values: usize,
}

impl Sum {
    fn new(data_type: &DataType) -> Self {
        Self { data_type: data_type.clone(), sum: 0, values: 0 }
    }
}

impl Accumulator for Sum {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        for array in values {
            self.sum = self.sum.wrapping_add(sum_of(array));
            self.values += array.len() - array.null_count();
        }
        Ok(())
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        for array in values {
            self.sum = self.sum.wrapping_sub(sum_of(array));
            self.values = self.values.saturating_sub(array.len() - array.null_count());
        }
        Ok(())
    }

    fn supports_retract_batch(&self) -> bool {
        true
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.update_batch(states)
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let sum = (self.values > 0).then_some(self.sum);
        Ok(vec![ScalarValue::Decimal128(sum, DIGITS, 0)])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let sum = (self.values > 0).then_some(self.sum);
        ScalarValue::try_from_array(&checked([sum], &self.data_type)?, 0)
    }

    fn size(&self) -> usize {
        size_of_val(self)
    }
}

/// Returns the sum of integers, or of sums. No table has so many that 128 bits are exceeded.
fn sum_of(array: &ArrayRef) -> i128 {
    fn sum<T: ArrowPrimitiveType<Native: Into<i128>>>(array: &ArrayRef) -> i128 {
        let array = array.as_primitive::<T>();
        match array.null_count() {
            0 => array.values().iter().map(|value| (*value).into()).sum(),
            _ => array.iter().flatten().map(Into::into).sum(),
        }
    }
    match array.data_type() {
        DataType::Int64 => sum::<Int64Type>(array),
        DataType::UInt64 => sum::<UInt64Type>(array),
        _ => sum::<Decimal128Type>(array),
    }
}

/// Returns sums as integers of 64 bits. Fails if one has more.
fn checked(sums: impl IntoIterator<Item = Option<i128>>, data_type: &DataType) -> Result<ArrayRef> {
    fn narrow<T: ArrowPrimitiveType<Native: TryFrom<i128>>>(
        sums: impl IntoIterator<Item = Option<i128>>,
    ) -> Result<ArrayRef, i128> {
        let narrow = |sum: Option<i128>| sum.map(|sum| T::Native::try_from(sum).map_err(|_| sum));
        let sums = sums.into_iter().map(|sum| narrow(sum).transpose());
        let sums = sums.collect::<Result<PrimitiveArray<T>, i128>>()?;
        Ok(Arc::new(sums))
    }
    let sums = match data_type {
        DataType::UInt64 => narrow::<UInt64Type>(sums),
        _ => narrow::<Int64Type>(sums),
    };
    sums.or_else(|sum| {
        exec_err!(
            "a sum is {sum}, which {data_type} does not have: sum(CAST(... AS DECIMAL(38, 0))) does"
        )
    })
}
