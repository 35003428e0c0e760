//! Builds string arrays, validating the UTF-8 of a complete buffer at once where possible.
//!
//! ```text
//! data      all bytes below 0x80 ──► every offset is a character's start: nothing more to look at
//!           others ──► UTF-8 of the buffer, then each offset, by Arrow's constructor
//! ```
//! Arrow's constructor checks each offset even if all characters are ASCII, which took a tenth of the time of
//! reading short strings. Views are built from such arrays.
#![allow(unsafe_code)]

use arrow::array::{
    Array, GenericByteArray, GenericByteViewArray, GenericStringArray, OffsetSizeTrait,
};
use arrow::buffer::{Buffer, NullBuffer, OffsetBuffer};
use arrow::datatypes::{ByteArrayType, ByteViewType};

use crate::error::{Error, Result};
use crate::kernel::{self, Level};
use crate::pack::{ViewBuffer, Views};

/// Converts the ends of values to offsets. Fails if they descend or exceed `bytes`.
pub(crate) fn offsets(ends: Vec<i32>, bytes: usize) -> Result<OffsetBuffer<i32>> {
    let (ends_low, ends_high) = (ends.split_last(), ends.split_first());
    let sound = match (ends_low, ends_high) {
        (Some((last, low)), Some((first, high))) => {
            // Without an early end, so that many are compared at a time.
            let ascend = low.iter().zip(high).fold(true, |so_far, (a, b)| so_far & (a <= b));
            ascend && *first == 0 && usize::try_from(*last).is_ok_and(|last| last <= bytes)
        }
        _ => false,
    };
    if !sound {
        return Err(Error::malformed("string offsets go back, or past the data"));
    }
    // SAFETY: there is at least one, the first is 0, and none is less than the one before.
    Ok(unsafe { OffsetBuffer::new_unchecked(ends.into()) })
}

/// Builds a string array. Fails if a value is not UTF-8 or exceeds the data. With `known` the values have been
/// validated before and are not validated again.
pub(crate) fn text<O: OffsetSizeTrait>(
    offsets: OffsetBuffer<O>,
    data: Buffer,
    nulls: Option<NullBuffer>,
    known: bool,
) -> Result<GenericStringArray<O>> {
    let fits = offsets.last().is_some_and(|end| end.as_usize() <= data.len());
    let rows = nulls.as_ref().is_none_or(|nulls| nulls.len() + 1 == offsets.len());
    if fits && rows && (known || data.is_ascii()) {
        // SAFETY: an `OffsetBuffer` ascends from no less than 0, and its end lies in the data, so each value is a
        // part of the data; each part of ASCII is UTF-8, and others each were found to be when they were decoded.
        // There is a validity bit for each value.
        return Ok(unsafe { GenericStringArray::new_unchecked(offsets, data, nulls) });
    }
    GenericStringArray::try_new(offsets, data, nulls).map_err(|e| Error::malformed(e.to_string()))
}

/// Returns the same values as views into the array's bytes.
pub(crate) fn views<T: ByteArrayType<Offset = i32>, V: ByteViewType<Native = T::Native>>(
    array: &GenericByteArray<T>,
    mut memory: Vec<u128>,
) -> GenericByteViewArray<V> {
    let (offsets, data) = (array.value_offsets(), array.value_data());
    memory.clear();
    kernel::string::offsets_to_views(Level::in_use(), offsets, data, 0, &mut memory);
    let buffers = [array.values().clone()];
    // SAFETY: the views' bytes are the values of an array whose values are valid for `T`, and so for `V`, whose
    // values are of the same type. A short view has its bytes and zeros after them; a long one has its first
    // four, and points into buffer 0, where the value is. There are as many views as the array has validity bits.
    unsafe { GenericByteViewArray::new_unchecked(memory.into(), buffers, array.nulls().cloned()) }
}

/// Returns the array of views that were unpacked.
pub(crate) fn of_views<V: ByteViewType>(
    views: Views,
    nulls: Option<NullBuffer>,
) -> Result<GenericByteViewArray<V>> {
    if nulls.as_ref().is_some_and(|nulls| nulls.len() != views.len()) {
        return Err(Error::malformed("validity of another number of rows"));
    }
    let text = views.is_text();
    let (views, buffers) = views.into_parts();
    let buffers: Vec<Buffer> = buffers
        .into_iter()
        .map(|buffer| match buffer {
            ViewBuffer::Shared(bytes) => Buffer::from(bytes),
            ViewBuffer::Own(bytes) => Buffer::from_vec(bytes),
        })
        .collect();
    if V::IS_UTF8 && !text {
        let checked = GenericByteViewArray::try_new(views.into(), buffers, nulls);
        return checked.map_err(|e| Error::malformed(e.to_string()));
    }
    // SAFETY: `Views` are made only by unpacking: each lies in its buffer, with its first four bytes if it is long
    // and zeros after it if it is short. Where they are text, each was found to be UTF-8. There is a validity bit
    // for each.
    Ok(unsafe { GenericByteViewArray::new_unchecked(views.into(), buffers, nulls) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::array::{BinaryArray, BinaryViewArray, StringArray, StringViewArray};
    use arrow::datatypes::{BinaryType, BinaryViewType, StringViewType, Utf8Type};

    #[test]
    fn ends_ascend_from_0_within_the_bytes() {
        assert_eq!(&*offsets(vec![0, 0, 3], 3).unwrap(), &[0, 0, 3]);
        for bad in [vec![], vec![1, 2], vec![0, 4], vec![0, 2, 1, 3], vec![0, -1], vec![-1, 0]] {
            assert!(offsets(bad, 3).is_err());
        }
    }

    #[test]
    fn views_are_arrows_own() {
        let long = "x".repeat(40);
        let mut values = vec![None, Some(""), Some("é"), Some(&long), Some("twelve bytes"), None];
        values.extend([Some("thirteen byte"), Some("z")]);
        for n in 0..values.len() {
            let array = StringArray::from(values[n..].to_vec());
            let made: StringViewArray = views::<Utf8Type, StringViewType>(&array, Vec::new());
            assert_eq!(made, StringViewArray::from(&array));
            made.to_data().validate_full().unwrap();
            assert_eq!(made.views(), StringViewArray::from(&array).views());
            let array = BinaryArray::from_iter(values[n..].iter().map(|v| v.map(str::as_bytes)));
            let array = array.slice(0, array.len() - 1);
            let made: BinaryViewArray = views::<BinaryType, BinaryViewType>(&array, vec![7; 2]);
            assert_eq!(made, BinaryViewArray::from(&array));
            made.to_data().validate_full().unwrap();
        }
    }

    fn made(offsets: &[i32], data: &[u8], nulls: Option<NullBuffer>) -> Result<Vec<String>> {
        let offsets = OffsetBuffer::new(offsets.to_vec().into());
        let checked =
            GenericStringArray::<i32>::try_new(offsets.clone(), data.into(), nulls.clone());
        let made = text(offsets, data.into(), nulls, false);
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
