//! Compares answers: floats may differ in their last digits, since sums are made in another order.

use datafusion::arrow::array::{ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::compute::{cast, concat_batches};
use datafusion::arrow::datatypes::{DataType, Float64Type};
use datafusion::arrow::util::display::array_value_to_string;
use datafusion::common::exec_err;
use datafusion::error::Result;

/// The relative difference that is allowed.
const TOLERANCE: f64 = 1e-9;

/// Fails unless two answers are the same, in the same order.
pub fn compare(expected: &[RecordBatch], found: &[RecordBatch]) -> Result<()> {
    let rows = |batches: &[RecordBatch]| batches.iter().map(RecordBatch::num_rows).sum::<usize>();
    if rows(expected) != rows(found) {
        return exec_err!("{} rows in place of {}", rows(found), rows(expected));
    }
    let (Some(first), Some(other)) = (expected.first(), found.first()) else { return Ok(()) };
    let expected = concat_batches(&first.schema(), expected)?;
    let found = concat_batches(&other.schema(), found)?;
    for (field, (left, right)) in
        first.schema().fields().iter().zip(expected.columns().iter().zip(found.columns()))
    {
        for row in 0..left.len() {
            if !same(left, right, row)? {
                let (left, right) =
                    (array_value_to_string(left, row)?, array_value_to_string(right, row)?);
                return exec_err!("row {row} of {}: {right} in place of {left}", field.name());
            }
        }
    }
    Ok(())
}

fn same(left: &ArrayRef, right: &ArrayRef, row: usize) -> Result<bool> {
    if left.data_type().is_floating() {
        let number = |array: &ArrayRef| -> Result<f64> {
            let array = cast(&array.slice(row, 1), &DataType::Float64)?;
            Ok(array.as_primitive::<Float64Type>().value(0))
        };
        let (left, right) = (number(left)?, number(right)?);
        return Ok((left - right).abs() <= TOLERANCE * left.abs().max(1.0));
    }
    Ok(array_value_to_string(left, row)? == array_value_to_string(right, row)?)
}
