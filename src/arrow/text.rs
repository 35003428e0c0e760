//! Arrays of text, whose UTF-8 is looked at as a whole where that is enough.
//!
//! ```text
//! data      all bytes below 0x80 ──► every offset is a character's start: nothing more to look at
//!           others ──► UTF-8 as a whole, then each offset, by Arrow's own constructor
//! ```
//! Arrow's constructor looks at each offset even where no character is longer than a byte; on tables of short
//! strings that was a tenth of the time of reading them.
#![allow(unsafe_code)]

use arrow::array::{GenericStringArray, OffsetSizeTrait};
use arrow::buffer::{Buffer, NullBuffer, OffsetBuffer};

use crate::error::{Error, Result};

/// The array of these strings; fails if one is not UTF-8, or not in the data.
pub(crate) fn text<O: OffsetSizeTrait>(
    offsets: OffsetBuffer<O>,
    data: Buffer,
    nulls: Option<NullBuffer>,
) -> Result<GenericStringArray<O>> {
    let fits = offsets.last().is_some_and(|end| end.as_usize() <= data.len());
    let rows = nulls.as_ref().is_none_or(|nulls| nulls.len() + 1 == offsets.len());
    if fits && rows && data.is_ascii() {
        // SAFETY: an `OffsetBuffer` ascends from no less than 0, and its end lies in the data, so each value is a
        // part of the data; each part of ASCII is UTF-8. There is a validity bit for each value.
        return Ok(unsafe { GenericStringArray::new_unchecked(offsets, data, nulls) });
    }
    GenericStringArray::try_new(offsets, data, nulls).map_err(|e| Error::malformed(e.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(offsets: &[i32], data: &[u8], nulls: Option<NullBuffer>) -> Result<Vec<String>> {
        let offsets = OffsetBuffer::new(offsets.to_vec().into());
        let checked =
            GenericStringArray::<i32>::try_new(offsets.clone(), data.into(), nulls.clone());
        let made = text(offsets, data.into(), nulls);
        assert_eq!(made.is_ok(), checked.is_ok());
        made.map(|array| array.iter().map(|s| s.unwrap_or("-").to_owned()).collect())
    }

    #[test]
    fn is_arrows_own_array() {
        let no_second = Some(NullBuffer::from(vec![true, false, true]));
        assert_eq!(made(&[1, 3, 3, 4], b"abcd", no_second.clone()).unwrap(), ["bc", "-", "d"]);
        assert_eq!(made(&[0], b"", None).unwrap(), Vec::<String>::new());
        assert_eq!(made(&[0, 2, 3], "éa".as_bytes(), None).unwrap(), ["é", "a"]);
        assert!(made(&[0, 1, 3], "éa".as_bytes(), None).is_err());
        assert!(made(&[0, 1], &[0xff], None).is_err());
        assert!(made(&[0, 5], b"abcd", None).is_err());
        assert!(made(&[0, 1], b"a", no_second).is_err());
    }
}
