//! Checks decimals against the precision of their type, which Arrow does not enforce.
//!
//! ```text
//! Decimal128(3, 1)      99.9  ──►  999, three digits       100.0  ──►  1000, four: printed as 10.0
//! ```

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Decimal256Array};
use arrow::datatypes::*;

use crate::error::{Error, Result};

/// Returns decimals of the greatest precision and the same scale, if some have more digits than their type allows: Arrow's
/// text of these leaves digits out. `None` if none has, or the values are no decimals. Fails if a value has more digits
/// than any type of decimals.
///
/// ```
/// use arrow::array::{Array, AsArray, Decimal128Array};
/// use arrow::datatypes::Decimal256Type;
/// use trevni::arrow::wider_decimals;
///
/// let decimals = Decimal128Array::from(vec![1281]).with_precision_and_scale(3, 2)?;
/// let wider = wider_decimals(&decimals)?.expect("a value has four digits");
/// assert_eq!(wider.as_primitive::<Decimal256Type>().value_as_string(0), "12.81");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn wider_decimals(array: &dyn Array) -> Result<Option<ArrayRef>> {
    if row_beyond(array).is_none() {
        return Ok(None);
    }
    let wider: Decimal256Array = match array.data_type() {
        DataType::Decimal32(..) => widened::<Decimal32Type>(array, i256::from),
        DataType::Decimal64(..) => widened::<Decimal64Type>(array, i256::from),
        DataType::Decimal128(..) => widened::<Decimal128Type>(array, i256::from_i128),
        _ => widened::<Decimal256Type>(array, |v| v),
    };
    let scale = match array.data_type() {
        DataType::Decimal32(_, scale)
        | DataType::Decimal64(_, scale)
        | DataType::Decimal128(_, scale)
        | DataType::Decimal256(_, scale) => *scale,
        _ => 0,
    };
    let wider = wider.with_precision_and_scale(DECIMAL256_MAX_PRECISION, scale)?;
    match row_beyond(&wider) {
        Some(row) => {
            let what =
                format!("row {row}: a decimal has more than {DECIMAL256_MAX_PRECISION} digits");
            Err(Error::invalid(what))
        }
        None => Ok(Some(Arc::new(wider))),
    }
}

fn widened<T: DecimalType>(
    array: &dyn Array,
    widen: impl Fn(T::Native) -> i256,
) -> Decimal256Array {
    match array.as_primitive_opt::<T>() {
        Some(array) => array.unary(widen),
        None => Decimal256Array::new_null(array.len()),
    }
}

/// Returns the first row whose decimal has more digits than the type allows; of other types none.
fn row_beyond(array: &dyn Array) -> Option<usize> {
    match array.data_type() {
        DataType::Decimal32(precision, _) => first::<Decimal32Type>(array, *precision),
        DataType::Decimal64(precision, _) => first::<Decimal64Type>(array, *precision),
        DataType::Decimal128(precision, _) => first::<Decimal128Type>(array, *precision),
        DataType::Decimal256(precision, _) => first::<Decimal256Type>(array, *precision),
        _ => None,
    }
}

fn first<T: DecimalType>(array: &dyn Array, precision: u8) -> Option<usize> {
    let array = array.as_primitive_opt::<T>()?;
    if are_short(array.values().inner(), T::BYTE_LENGTH, precision) {
        return None;
    }
    let is_beyond = |row: &usize| {
        let value = array.values().get(*row);
        let fits = value.is_none_or(|value| T::is_valid_decimal_precision(*value, precision));
        !fits && array.is_valid(*row)
    };
    (0..array.len()).find(is_beyond)
}

/// Returns whether all numbers have fewer bits than the greatest of some digits, which needs no comparison of each.
fn are_short(bytes: &[u8], width: usize, precision: u8) -> bool {
    // Ten digits have more than 33 bits: 10^p > 2^(3.32 p).
    let bits = u32::from(precision) * 332 / 100;
    // The bits in which a number differs from its sign.
    let (mut low, mut high) = (0u64, 0u64);
    match width {
        4 => bytes.as_chunks::<4>().0.iter().for_each(|value| {
            let value = i32::from_le_bytes(*value);
            low |= u64::from((value ^ value >> 31).cast_unsigned());
        }),
        8 => bytes.as_chunks::<8>().0.iter().for_each(|value| {
            let value = i64::from_le_bytes(*value);
            low |= (value ^ value >> 63).cast_unsigned();
        }),
        16 => bytes.as_chunks::<8>().0.as_chunks::<2>().0.iter().for_each(|[first, second]| {
            let second = i64::from_le_bytes(*second);
            let sign = second >> 63;
            low |= u64::from_le_bytes(*first) ^ sign.cast_unsigned();
            high |= (second ^ sign).cast_unsigned();
        }),
        _ => return false,
    }
    let used = if high > 0 { 128 - high.leading_zeros() } else { 64 - low.leading_zeros() };
    used <= bits
}

/// Returns whether a number in two's complement, high byte first, has no more digits than these.
pub(crate) fn is_within(number: &[u8], precision: u8) -> bool {
    let value = sign_extended::<32>(number).map(i256::from_le_bytes);
    // A number without bytes, or with more than any decimal has, is reported where it is converted.
    value.is_none_or(|value| Decimal256Type::is_valid_decimal_precision(value, precision))
}

/// Converts a big-endian two's complement number to `W` little-endian bytes.
pub(super) fn sign_extended<const W: usize>(bytes: &[u8]) -> Option<[u8; W]> {
    let negative = *bytes.first()? >= 0x80;
    let sign = if negative { 0xff } else { 0 };
    let mut out = [sign; W];
    for (slot, byte) in out.iter_mut().zip(bytes.iter().rev()) {
        *slot = *byte;
    }
    // Bytes beyond the width may only repeat the sign.
    let beyond = bytes.iter().rev().skip(W).all(|byte| *byte == sign);
    let shown = out.last().is_some_and(|high| (*high >= 0x80) == negative);
    (beyond && shown).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::array::*;

    #[test]
    fn the_first_number_with_too_many_digits_is_found() {
        for precision in 1..=9u8 {
            let most = 10i32.pow(u32::from(precision)) - 1;
            let values = [Some(most), Some(-most), None, Some(0)];
            let array = |values: &[Option<i32>]| {
                let array = Decimal32Array::from(values.to_vec());
                array.with_precision_and_scale(precision, 0).unwrap()
            };
            assert_eq!(row_beyond(&array(&values)), None);
            assert_eq!(row_beyond(&array(&[Some(1), Some(most + 1)])), Some(1));
            assert_eq!(row_beyond(&array(&[Some(-most - 1)])), Some(0));
            assert_eq!(row_beyond(&array(&[Some(i32::MIN)])), Some(0));
        }
        for precision in 1..=38u8 {
            let most = 10i128.pow(u32::from(precision)) - 1;
            let array = |value: i128| {
                let array = Decimal128Array::from(vec![Some(0), Some(value), None]);
                array.with_precision_and_scale(precision, 0).unwrap()
            };
            for (value, expected) in
                [(most, None), (-most, None), (most + 1, Some(1)), (-most - 1, Some(1))]
            {
                assert_eq!(row_beyond(&array(value)), expected, "{value}");
                assert_eq!(
                    is_within(&value.to_be_bytes(), precision),
                    expected.is_none(),
                    "{value}"
                );
            }
        }
    }

    #[test]
    fn no_digit_is_left_out() {
        let array = |values| Decimal64Array::from(values).with_precision_and_scale(2, 1).unwrap();
        assert!(wider_decimals(&array(vec![Some(99), None])).unwrap().is_none());
        let wider = wider_decimals(&array(vec![Some(-1000), None])).unwrap().unwrap();
        let wider = wider.as_primitive::<Decimal256Type>();
        assert!(wider.value_as_string(0) == "-100.0" && wider.is_null(1));
        let most = Decimal256Array::from(vec![i256::MAX]).with_precision_and_scale(50, 1).unwrap();
        assert!(wider_decimals(&most).unwrap_err().to_string().contains("row 0"));
    }
}
