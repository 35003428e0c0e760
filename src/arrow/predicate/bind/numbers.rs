//! Converts number literals to the type of their column, exactly.
//!
//! ```text
//! literal                   integer in range   between a and a + 1       out of range
//! column < , <=             the same           <= a                      true if above
//! column > , >=             the same           > a                       true if below
//! column = , !=             the same           false, true               false, true
//! ```

use std::sync::Arc;

use arrow::array::*;
use arrow::datatypes::*;
use half::f16;

use super::super::number::{Number, NumberPosition};
use super::{Operator, Test};
use crate::error::Result;

/// Integers of all widths.
pub(super) fn integers(
    data_type: &DataType,
    operator: Operator,
    number: &Number,
) -> Result<Option<Test>> {
    let place = number.place(0);
    macro_rules! of {
        ($t:ty) => {
            placed::<$t>(operator, place, data_type, |whole| whole.to_i128()?.try_into().ok())
        };
    }
    Ok(Some(match data_type {
        DataType::Int8 => of!(Int8Type),
        DataType::Int16 => of!(Int16Type),
        DataType::Int32 => of!(Int32Type),
        DataType::Int64 => of!(Int64Type),
        DataType::UInt8 => of!(UInt8Type),
        DataType::UInt16 => of!(UInt16Type),
        DataType::UInt32 => of!(UInt32Type),
        DataType::UInt64 => of!(UInt64Type),
        _ => return Ok(None),
    }))
}

/// Decimals of all widths, as the integers that they are.
pub(super) fn decimals(
    data_type: &DataType,
    operator: Operator,
    number: &Number,
) -> Result<Option<Test>> {
    macro_rules! of {
        ($t:ty, $scale:expr, $native:expr) => {
            placed::<$t>(operator, number.place($scale), data_type, $native)
        };
    }
    Ok(Some(match data_type {
        DataType::Decimal32(_, scale) => {
            of!(Decimal32Type, *scale, |whole| whole.to_i128()?.try_into().ok())
        }
        DataType::Decimal64(_, scale) => {
            of!(Decimal64Type, *scale, |whole| whole.to_i128()?.try_into().ok())
        }
        DataType::Decimal128(_, scale) => of!(Decimal128Type, *scale, |whole| whole.to_i128()),
        DataType::Decimal256(_, scale) => of!(Decimal256Type, *scale, Some),
        _ => return Ok(None),
    }))
}

/// Returns the test for integers, given the position of a literal among them.
pub(super) fn placed<T: ArrowPrimitiveType>(
    operator: Operator,
    place: NumberPosition,
    data_type: &DataType,
    native: impl Fn(i256) -> Option<T::Native>,
) -> Test {
    let compare = |operator, value: i256| match native(value) {
        Some(value) => {
            let value = PrimitiveArray::<T>::from_value(value, 1);
            Test::Compare(operator, Arc::new(value.with_data_type(data_type.clone())))
        }
        None => beyond(operator, value.is_negative()),
    };
    match (place, operator) {
        (NumberPosition::At(value), operator) => compare(operator, value),
        (NumberPosition::Behind(_), Operator::Eq) => Test::Always(false),
        (NumberPosition::Behind(_), Operator::Ne) => Test::Always(true),
        (NumberPosition::Behind(value), Operator::Lt | Operator::Le) => {
            compare(Operator::Le, value)
        }
        (NumberPosition::Behind(value), Operator::Gt | Operator::Ge) => {
            compare(Operator::Gt, value)
        }
        (NumberPosition::Below, operator) => beyond(operator, true),
        (NumberPosition::Above, operator) => beyond(operator, false),
    }
}

/// Returns how all values compare with one that is below them all, or above.
fn beyond(operator: Operator, below: bool) -> Test {
    Test::Always(match operator {
        Operator::Eq => false,
        Operator::Ne => true,
        Operator::Gt | Operator::Ge => below,
        Operator::Lt | Operator::Le => !below,
    })
}

/// Returns the test for floats, against the nearest value of their width.
pub(super) fn floats(data_type: &DataType, operator: Operator, number: &Number) -> Result<Test> {
    let (value, infinite, negative): (ArrayRef, bool, bool) = match data_type {
        DataType::Float16 => {
            let value = f16::from_f64(number.nearest()?);
            let array = Float16Array::from(vec![value]);
            (Arc::new(array), value.is_infinite(), value.is_sign_negative())
        }
        DataType::Float32 => {
            let value: f32 = number.nearest()?;
            (Arc::new(Float32Array::from(vec![value])), value.is_infinite(), value < 0.0)
        }
        _ => {
            let value: f64 = number.nearest()?;
            (Arc::new(Float64Array::from(vec![value])), value.is_infinite(), value < 0.0)
        }
    };
    if !(infinite && number.is_finite()) {
        return Ok(Test::Compare(operator, value));
    }
    // A number out of the range of the width is between its largest number and infinity.
    Ok(match (operator, negative) {
        (Operator::Eq, _) => Test::Always(false),
        (Operator::Ne, _) => Test::Always(true),
        (Operator::Lt | Operator::Le, false) => Test::Compare(Operator::Lt, value),
        (Operator::Gt | Operator::Ge, false) => Test::Compare(Operator::Ge, value),
        (Operator::Lt | Operator::Le, true) => Test::Compare(Operator::Le, value),
        (Operator::Gt | Operator::Ge, true) => Test::Compare(Operator::Gt, value),
    })
}
