//! Encodes values and lengths plainly; the inverse of [`decode`](super::decode).
//!
//! ```text
//! plain, child   value value value ...              booleans: bits run on, low bit first
//! array          length value ... length value ...  booleans: each array starts a new byte
//! null array     length length ...                  runs of zeros and of ones
//! ```
//! Encoding dispatches on the type once per call, not per value.

use std::ops::Range;

use crate::format::lengths::LengthsEncoder;
use crate::format::string_values::Offsets;
use crate::format::values_ref::ValuesRef;
use crate::kernel::{self, Level};
use crate::wire;

/// Short strings are copied in pieces of this size.
const PIECE: usize = 16;

/// The bytes of the block that is being filled.
#[derive(Debug)]
pub(crate) struct Encoder {
    pub(crate) bytes: Vec<u8>,
    lengths: LengthsEncoder,
    /// Bits used of the last byte, if booleans end within it; else 0.
    bits: usize,
}

impl Encoder {
    pub(crate) fn new(with_runs: bool) -> Self {
        Self { bytes: Vec::new(), lengths: LengthsEncoder::new(with_runs), bits: 0 }
    }

    /// Starts the next block in other memory. Returns the bytes of the last. What a run held back must have been
    /// [finished](Encoder::finish) before.
    pub(crate) fn replace(&mut self, mut memory: Vec<u8>) -> Vec<u8> {
        memory.clear();
        self.bits = 0;
        std::mem::replace(&mut self.bytes, memory)
    }

    /// Ends the block: writes the run that waits.
    pub(crate) fn finish(&mut self) {
        self.lengths.flush(&mut self.bytes);
    }

    /// Appends values without lengths.
    pub(crate) fn values(&mut self, values: ValuesRef<'_>, range: Range<usize>) {
        let out = &mut self.bytes;
        match values {
            ValuesRef::Null(_)
            | ValuesRef::Views(_)
            | ValuesRef::Dictionary(_)
            | ValuesRef::Wide(_) => {}
            ValuesRef::Boolean { bits, offset, .. } => self.put_bits(bits, offset, range),
            ValuesRef::Int(v) => kernel::varint::encode_ints(Level::in_use(), part(v, range), out),
            ValuesRef::Long(v) => {
                kernel::varint::encode_longs(Level::in_use(), part(v, range), out)
            }
            ValuesRef::Float(v) => put_fixed(out, part(v, range), f32::to_le_bytes),
            ValuesRef::Double(v) => put_fixed(out, part(v, range), f64::to_le_bytes),
            ValuesRef::Bytes { offsets: Offsets::Small(o), data } => {
                put_strings(out, o, data, range)
            }
            ValuesRef::Bytes { offsets: Offsets::Large(o), data } => {
                put_strings(out, o, data, range)
            }
        }
    }

    /// Appends values of a fixed32 or fixed64 column.
    pub(crate) fn fixed(&mut self, values: ValuesRef<'_>, range: Range<usize>) {
        let out = &mut self.bytes;
        match values {
            ValuesRef::Int(v) => put_fixed(out, part(v, range), i32::to_le_bytes),
            ValuesRef::Long(v) => put_fixed(out, part(v, range), i64::to_le_bytes),
            other => self.values(other, range),
        }
    }

    /// Appends arrays: each length, then its values, the first of which is `values[first]`.
    pub(crate) fn arrays(
        &mut self,
        lengths: &[u32],
        values: ValuesRef<'_>,
        first: usize,
        fixed: bool,
    ) {
        // Dispatches on the type of the values here and not for each array; most arrays have one value.
        match values {
            ValuesRef::Null(_) => {
                lengths.iter().for_each(|length| self.lengths.put(*length, &mut self.bytes));
            }
            ValuesRef::Bytes { offsets: Offsets::Small(ends), data } => {
                self.each_array(lengths, first, |encoder, range| {
                    put_strings(&mut encoder.bytes, ends, data, range);
                });
            }
            ValuesRef::Int(v) if !fixed => {
                self.each_array(lengths, first, |encoder, range| match part(v, range) {
                    [value] => wire::put_int(&mut encoder.bytes, *value),
                    some => kernel::varint::encode_ints(Level::in_use(), some, &mut encoder.bytes),
                });
            }
            ValuesRef::Long(v) if !fixed => {
                self.each_array(lengths, first, |encoder, range| match part(v, range) {
                    [value] => wire::put_long(&mut encoder.bytes, *value),
                    some => kernel::varint::encode_longs(Level::in_use(), some, &mut encoder.bytes),
                });
            }
            _ if fixed => {
                self.each_array(lengths, first, |encoder, range| encoder.fixed(values, range));
            }
            _ => self.each_array(lengths, first, |encoder, range| encoder.values(values, range)),
        }
    }

    /// Appends each length, and after those that are not 0 their values by `put`.
    #[inline(always)]
    fn each_array(
        &mut self,
        lengths: &[u32],
        first: usize,
        mut put: impl FnMut(&mut Self, Range<usize>),
    ) {
        let mut at = first;
        for &length in lengths {
            self.bits = 0;
            if length == 0 {
                self.lengths.put(0, &mut self.bytes);
                continue;
            }
            self.lengths.put_before_values(length, &mut self.bytes);
            let end = at + length as usize;
            put(self, at..end);
            at = end;
        }
    }

    /// Appends arrays of nulls, a bit for each length.
    pub(crate) fn presence(&mut self, bits: &[u8], offset: usize, range: Range<usize>) {
        let Self { bytes, lengths, .. } = self;
        kernel::bitmap::for_each_run(bits, offset + range.start, range.len(), |bit, count| {
            lengths.put_run(bit, count, bytes);
        });
    }

    fn put_bits(&mut self, source: &[u8], offset: usize, range: Range<usize>) {
        let used = self.bytes.len() * 8 - (8 - self.bits) % 8;
        kernel::bitmap::copy_bits(source, offset + range.start, range.len(), &mut self.bytes, used);
        self.bits = (self.bits + range.len()) % 8;
    }
}

fn part<T>(values: &[T], range: Range<usize>) -> &[T] {
    values.get(range).unwrap_or_default()
}

/// Appends values of a fixed width, many at once: a copy where the machine has the bytes in this order.
fn put_fixed<T: Copy, const N: usize>(
    out: &mut Vec<u8>,
    values: &[T],
    bytes: impl Fn(T) -> [u8; N],
) {
    out.reserve(values.len() * N);
    let (chunks, rest) = values.as_chunks::<64>();
    for chunk in chunks {
        out.extend_from_slice(chunk.map(&bytes).as_flattened());
    }
    rest.iter().for_each(|value| out.extend_from_slice(&bytes(*value)));
}

fn put_strings<O: Copy + TryInto<usize>>(
    out: &mut Vec<u8>,
    offsets: &[O],
    data: &[u8],
    range: Range<usize>,
) {
    let offsets = offsets.get(range.start..=range.end).unwrap_or_default();
    if let [start, end] = offsets {
        // One string alone, as arrays often have.
        if let (Ok(start), Ok(end)) = ((*start).try_into(), (*end).try_into()) {
            return put_one_string(out, data, start..end);
        }
    }
    kernel::string::encode_strings(Level::in_use(), offsets, data, out);
}

/// Appends a string; one that is not in the data is empty.
#[inline]
fn put_one_string(out: &mut Vec<u8>, data: &[u8], range: Range<usize>) {
    let Some(value) = data.get(range.clone()) else { return wire::put_bytes(out, &[]) };
    // Storing a piece and dropping the excess is faster than storing the exact number of bytes.
    match data.get(range.start..).and_then(<[u8]>::first_chunk::<PIECE>) {
        Some(piece) if value.len() <= PIECE => {
            wire::put_long(out, value.len() as i64);
            let end = out.len() + value.len();
            out.extend_from_slice(piece);
            out.truncate(end);
        }
        _ => wire::put_bytes(out, value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn booleans_run_on_in_plain_columns_and_start_anew_in_arrays() {
        let ones = ValuesRef::Boolean { bits: &[0xff, 0xff], offset: 0, len: 13 };
        let mut plain = Encoder::new(true);
        plain.values(ones, 0..3);
        plain.values(ones, 3..5);
        assert_eq!(plain.bytes, [0x1f]);
        let mut array = Encoder::new(true);
        array.arrays(&[3, 0, 9, 1], ones, 0, false);
        array.finish();
        assert_eq!(array.bytes, [0x06, 0x07, 0x00, 0x12, 0xff, 0x01, 0x02, 0x01]);
    }

    #[test]
    fn bits_are_the_lengths_they_stand_for() {
        let bits: Vec<u8> =
            (0..60u8).map(|i| [0, 0xff, 0x0f, 0xa5, i][usize::from(i % 5)]).collect();
        for with_runs in [true, false] {
            for range in [0..0, 0..480, 3..170, 64..128, 5..6, 100..479] {
                let (mut whole, mut each) = (Encoder::new(with_runs), Encoder::new(with_runs));
                let half = range.start + range.len() / 2;
                whole.presence(&bits, 0, range.start..half);
                whole.presence(&bits, half, 0..range.end - half);
                let lengths: Vec<u32> =
                    range.map(|bit| u32::from(bits[bit / 8] >> (bit % 8) & 1)).collect();
                each.arrays(&lengths, ValuesRef::Null(0), 0, false);
                whole.finish();
                each.finish();
                assert_eq!(whole.bytes, each.bytes);
            }
        }
    }

    #[test]
    fn valued_arrays_run_only_zeros() {
        let mut e = Encoder::new(true);
        e.arrays(&[0, 0, 0, 1, 1, 2, 0, 1], ValuesRef::Int(&[7; 5]), 0, false);
        e.finish();
        assert_eq!(e.bytes, [0x05, 0x02, 0x0e, 0x02, 0x0e, 0x04, 0x0e, 0x0e, 0x00, 0x02, 0x0e]);
    }
}
