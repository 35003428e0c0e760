//! Orders in which the values of a column are compared.
//!
//! ```text
//! 0 unknown    only nulls are counted            2 unsigned   longs, whose bits are a number without a sign
//! 1 natural    as `Value::order` compares        3 numbers    bytes, two's complement, high byte first
//! ```

use std::cmp::Ordering;

use crate::format::value::{Value, ValueType};

/// How the values of a column are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Order {
    /// Unknown: only null counts are kept.
    Unknown,
    /// The order of [`Value::order`].
    Natural,
    /// Longs as the unsigned numbers that their bits are.
    Unsigned,
    /// Bytes as numbers in two's complement, high byte first.
    Numbers,
}

impl Order {
    pub(crate) fn number(self) -> u8 {
        match self {
            Order::Unknown => 0,
            Order::Natural => 1,
            Order::Unsigned => 2,
            Order::Numbers => 3,
        }
    }

    /// Returns the order of a number, if values of a type can be in it.
    pub(crate) fn from_number(number: u8, value_type: ValueType) -> Option<Self> {
        use ValueType::{Bytes, Fixed64, Long, Null};
        match (number, value_type) {
            (0, _) => Some(Order::Unknown),
            (1, value_type) => (value_type != Null).then_some(Order::Natural),
            (2, Long | Fixed64) => Some(Order::Unsigned),
            (3, Bytes) => Some(Order::Numbers),
            _ => None,
        }
    }

    /// Compares two values; `None` if they are not in this order.
    pub fn compare(self, a: &Value<'_>, b: &Value<'_>) -> Option<Ordering> {
        match (self, a, b) {
            (Order::Natural, a, b) => a.order(b),
            (Order::Unsigned, Value::Long(a), Value::Long(b)) => {
                Some(a.cast_unsigned().cmp(&b.cast_unsigned()))
            }
            (Order::Numbers, Value::Bytes(a), Value::Bytes(b)) => Some(wide(a)?.cmp(&wide(b)?)),
            _ => None,
        }
    }
}

/// Bytes of the widest number.
pub(crate) const WIDEST: usize = 32;

/// Returns a number in two's complement, as bytes that compare as it does.
pub(crate) fn wide(number: &[u8]) -> Option<[u8; WIDEST]> {
    let number = shortest(number);
    let negative = number.first().is_some_and(|high| *high >= 0x80);
    let mut bytes = [if negative { 0xff } else { 0 }; WIDEST];
    let (_, low) = bytes.split_at_mut(WIDEST.checked_sub(number.len())?);
    low.copy_from_slice(number);
    bytes[0] ^= 0x80;
    Some(bytes)
}

/// Without the bytes that only repeat the sign.
pub(crate) fn shortest(mut number: &[u8]) -> &[u8] {
    while let [0, 0..0x80, ..] | [0xff, 0x80..=0xff, ..] = number {
        number = number.get(1..).unwrap_or_default();
    }
    number
}
