//! Gathers strings by pairs or quadruples of codes, for dictionaries with few short entries.
//!
//! ```text
//! entries   mail air           codes     1 0 │ 1 1 │ 0 1
//! tuples    00 mailmail 4 8    ──►  01 10 is airmail, which ends at 3 and at 7
//!           10 mailair  4 7         11 is airair
//!           ...                     one store of bytes and one of ends for both
//! ```
//! The first code of a tuple is in its lowest bits.

use super::gather::{SLOT, StringSlots, all_below};

/// The most bits of a tuple.
const MOST_BITS: u32 = 8;

/// The most bytes of a tuple.
pub(crate) const TUPLE: usize = 64;

/// The most codes of a tuple.
pub(crate) const CODES: usize = 4;

/// The strings of all tuples of codes of some bits.
#[derive(Debug, Clone)]
pub struct StringTuples {
    /// The number of entries, at most 2 to the number of bits.
    pub(in crate::kernel) count: usize,
    /// How many codes are one tuple, 2 or 4, and how many bits each has.
    pub(in crate::kernel) codes: usize,
    pub(in crate::kernel) bits: u32,
    /// Of each tuple the bytes, and zeros.
    pub(in crate::kernel) bytes: Vec<[u8; TUPLE]>,
    /// Of each tuple where its entries end, which is never past `longest`; the last end is repeated.
    pub(in crate::kernel) ends: Vec<[i32; CODES]>,
    /// How many bytes the longest may have, at most [`TUPLE`].
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "used by SIMD kernels"))]
    pub(in crate::kernel) longest: usize,
}

impl StringTuples {
    /// Returns the tuples of entries, if these are few and short.
    pub fn of(slots: &StringSlots) -> Option<Self> {
        let count = slots.count();
        let bits = usize::BITS - count.checked_sub(1)?.leading_zeros();
        let bits = bits.max(1);
        let longest = slots.lengths.iter().fold(0, |most, length| most.max(*length as usize));
        let fits = |codes: &usize| {
            longest <= SLOT
                && bits as usize * codes <= MOST_BITS as usize
                && longest * codes <= TUPLE
        };
        let codes = [4, 2].into_iter().find(fits)?;
        let mut all = Self {
            count,
            codes,
            bits,
            bytes: vec![[0; TUPLE]],
            ends: vec![[0; CODES]],
            longest: longest * codes,
        };
        for place in 0..codes {
            match codes {
                4 => all.lengthen::<{ TUPLE / 4 }>(place, slots),
                _ => all.lengthen::<{ TUPLE / 2 }>(place, slots),
            }
        }
        Some(all)
    }

    /// Extends the tuples by one code at position `place`. No entry exceeds `W` bytes, and this many are copied for
    /// each, since copying less takes longer.
    fn lengthen<const W: usize>(&mut self, place: usize, slots: &StringSlots) {
        let (shorter, their_ends) =
            (std::mem::take(&mut self.bytes), std::mem::take(&mut self.ends));
        self.bytes.reserve(shorter.len() << self.bits);
        self.ends.reserve(shorter.len() << self.bits);
        for code in 0..1usize << self.bits {
            let length = slots.lengths.get(code).copied().unwrap_or(0);
            let slot = slots.bytes.get(code).map_or(&[0; SLOT], |slot| slot);
            let (Some(entry), Ok(length)) = (slot.first_chunk::<W>(), i32::try_from(length)) else {
                continue;
            };
            for (mut bytes, mut ends) in shorter.iter().copied().zip(their_ends.iter().copied()) {
                let [.., start] = ends;
                let room = usize::try_from(start).ok().and_then(|start| bytes.get_mut(start..));
                if let Some(to) = room.and_then(<[u8]>::first_chunk_mut) {
                    *to = *entry;
                }
                ends.iter_mut().skip(place).for_each(|end| *end = start + length);
                self.bytes.push(bytes);
                self.ends.push(ends);
            }
        }
    }
}

/// Appends the string of each code to `data` and its end to `offsets`. Returns false, and appends nothing, if a
/// code has no string. The caller has checked that the total fits an offset.
pub(crate) fn gather_string_tuples(
    codes: &[u32],
    tuples: &StringTuples,
    offsets: &mut Vec<i32>,
    data: &mut Vec<u8>,
) -> bool {
    if !all_below(codes, tuples.count) {
        return false;
    }
    for some in codes.chunks(tuples.codes) {
        let join = |tuple: usize, code: &u32| tuple << tuples.bits | *code as usize;
        let tuple = some.iter().rev().fold(0, join);
        let start = i32::try_from(data.len()).unwrap_or(i32::MAX);
        let ends = tuples.ends.get(tuple).map_or(&[][..], |ends| ends);
        let ends = ends.get(..some.len()).unwrap_or_default();
        offsets.extend(ends.iter().map(|end| start.wrapping_add(*end)));
        let bytes = tuples.bytes.get(tuple).map_or(&[][..], |bytes| bytes);
        let end = usize::try_from(ends.last().copied().unwrap_or(0)).unwrap_or(0);
        data.extend_from_slice(bytes.get(..end).unwrap_or_default());
    }
    true
}
