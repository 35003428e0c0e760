//! Strings that are integers: decimals of more than 18 digits.
//!
//! ```text
//! string   02 8e                high byte first, two's complement, without bytes that only repeat the sign
//! number   654                  low 64 bits; and high 64 bits, if one of all needs them
//! ```

use super::Target;
use super::distinct::StringsRef;
use crate::buffer_reuse::Scratch;
use crate::error::Result;
use crate::pack::integer::Numbers;

/// The longest string that is read as an integer.
const MOST: usize = 16;

/// Returns the low and high parts of strings, if each is the shortest form of an integer of 128 bits; the high ones
/// only if one is needed.
pub(crate) fn parts(strings: StringsRef<'_>) -> Option<(Vec<i64>, Option<Vec<i64>>)> {
    // Text hardly ever is, and its first string shows that.
    let (mut low, mut high) = (Vec::new(), Vec::new());
    let mut wide = false;
    for string in strings.iter() {
        let number = number(string)?;
        let [bottom, top] = halves(number);
        wide |= i128::from(bottom) != number;
        low.push(bottom);
        high.push(top);
    }
    Some((low, wide.then_some(high)))
}

fn number(string: &[u8]) -> Option<i128> {
    if string.len() > MOST {
        return None;
    }
    let negative = *string.first()? >= 0x80;
    let mut bytes = [if negative { 0xff } else { 0 }; MOST];
    bytes.iter_mut().rev().zip(string.iter().rev()).for_each(|(to, from)| *to = *from);
    let number = i128::from_be_bytes(bytes);
    (length(number) == string.len()).then_some(number)
}

/// Returns how many bytes the shortest form has.
fn length(number: i128) -> usize {
    let sign = if number < 0 { number.leading_ones() } else { number.leading_zeros() };
    MOST - (sign as usize - 1) / 8
}

#[allow(clippy::cast_possible_truncation)] // The halves are meant.
fn halves(number: i128) -> [i64; 2] {
    [number as i64, (number >> 64) as i64]
}

/// Appends the strings of numbers that `read` appends, those of their low and of their high 64 bits.
pub(crate) fn read(
    low: &Numbers,
    high: Option<&Numbers>,
    read: impl Fn(&Numbers, &mut Vec<i64>) -> Result<()>,
    out: &mut Target<'_>,
) -> Result<()> {
    let (mut bottoms, mut tops) = (Scratch::<i64>::new(), Scratch::<i64>::new());
    read(low, &mut bottoms)?;
    match high {
        Some(high) => read(high, &mut tops)?,
        None => tops.extend(bottoms.iter().map(|bottom| bottom >> 63)),
    }
    out.check_room((bottoms.len() * MOST) as u64)?;
    for (bottom, top) in bottoms.iter().zip(tops.iter()) {
        let number = i128::from(*top) << 64 | i128::from(bottom.cast_unsigned());
        let bytes = number.to_be_bytes();
        out.data.extend_from_slice(bytes.get(MOST - length(number)..).unwrap_or_default());
        out.offsets.push(i32::try_from(out.data.len()).unwrap_or(i32::MAX));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn lengths_are_those_of_the_shortest_form() {
        for (number, length) in [
            (0, 1),
            (-1, 1),
            (127, 1),
            (128, 2),
            (-128, 1),
            (-129, 2),
            (i128::MAX, 16),
            (i128::MIN, 16),
            (i128::from(i64::MAX), 8),
            (i128::from(i64::MAX) + 1, 9),
        ] {
            assert_eq!(super::length(number), length, "{number}");
            let bytes = number.to_be_bytes();
            assert_eq!(super::number(&bytes[16 - length..]), Some(number));
            if length < 16 {
                assert_eq!(super::number(&bytes[15 - length..]), None);
            }
        }
        assert_eq!((super::number(&[]), super::number(&[1; 17])), (None, None));
    }
}
