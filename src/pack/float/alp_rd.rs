//! Floats that are no short decimals, each cut in two, after ALP-RD (Afroozeh, Kuffo, Boncz 2023).
//!
//! Sign, exponent and the first bits of the fraction vary little within a block: this left part is encoded with a
//! dictionary of up to eight entries, and a value with another left part is an exception. The right part is noise
//! and is stored as it is:
//!
//! ```text
//! |  left, up to 16 bits  |            right            |    of the value's bits
//!
//! split       right       u8   width of the right part: 48..=63 (f64), 16..=31 (f32)
//!             dictionary  1 to 8 left parts (u16), the most frequent first
//! codes       u8    index in the dictionary, 0 to 3 bits wide; 0 for an exception
//! right       u64 or u32, below 2^right
//! exceptions  position (u32) and left part (u16)
//!
//! value = dictionary[code] << right | right part
//! ```

use super::exceptions::{Exceptions, push_marked};
use super::width::{Bits, FloatBits, sample};

/// How many entries a dictionary has at most.
const ENTRIES: usize = 8;
/// The widest left part.
const LEFT_WIDTH: u32 = 16;
/// About the bits that an exception takes: its left part and its position.
const EXCEPTION_WIDTH: f64 = 32.0;
/// How many values a split is chosen from.
const SAMPLE: usize = 512;
/// The part of the plain size above which a split does not pay.
const WORTH: f64 = 0.97;
/// Marks a left part without a dictionary entry; its low bits are code 0.
const MISSING: u16 = 8;
/// How many values are encoded at a time.
const CHUNK: usize = 256;

/// Where values are cut, and the left parts that have a code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Split {
    right: u8,
    dictionary: Vec<u16>,
}

impl Split {
    /// Returns the split of a file for values of type `R`, unless something is out of range or an entry
    /// comes twice.
    pub(crate) fn new<R: FloatBits>(right: u8, dictionary: &[u16]) -> Option<Self> {
        let left = R::WIDTH.checked_sub(u32::from(right))?;
        // Below, `left` has been checked before it is shifted by.
        let fits = |(place, &entry): (usize, &u16)| {
            u32::from(entry) >> left == 0
                && dictionary.iter().take(place).all(|&other| other != entry)
        };
        let valid = (1..=LEFT_WIDTH).contains(&left)
            && (1..=ENTRIES).contains(&dictionary.len())
            && dictionary.iter().enumerate().all(fits);
        valid.then(|| Self { right, dictionary: dictionary.to_vec() })
    }

    /// Returns whether a left part has no more bits than are left.
    pub(crate) fn fits<R: FloatBits>(&self, left: u16) -> bool {
        u32::from(left) >> (R::WIDTH - self.shift::<R>()).min(LEFT_WIDTH) == 0
    }

    /// Returns the width of the right part.
    pub(crate) fn right(&self) -> u8 {
        self.right
    }

    /// Returns the left parts that have a code.
    pub(crate) fn dictionary(&self) -> &[u16] {
        &self.dictionary
    }

    /// Returns the right part's width within the bits of `R`, whatever the type this split was made for.
    fn shift<R: FloatBits>(&self) -> u32 {
        u32::from(self.right).min(R::WIDTH - 1)
    }

    fn mask<R: FloatBits>(&self) -> R::Bits {
        (R::Bits::from(1) << self.shift::<R>()) - R::Bits::from(1)
    }
}

/// Returns the best split of such values, by a sample, and the bits that a value will take about. None
/// unless it saves 3 %.
pub(crate) fn choose<R: FloatBits>(values: &[R]) -> Option<(Split, f64)> {
    let mut lefts: Vec<u16> = sample(values, SAMPLE)
        .iter()
        .map(|value| (value.to_bits() >> (R::WIDTH - LEFT_WIDTH)).low())
        .collect();
    lefts.sort_unstable();
    let total = f64::from(u32::try_from(lefts.len()).unwrap_or(u32::MAX).max(1));
    let mut best: Option<(Split, f64)> = None;
    for left in 1..=LEFT_WIDTH {
        let common = most_common(&lefts, LEFT_WIDTH - left);
        for code_width in 0..=3_u32 {
            let entries = common.get(..1 << code_width).unwrap_or(&common);
            let known = f64::from(entries.iter().map(|&(count, _)| count).sum::<u32>());
            let share = 1.0 - known / total;
            let cost = f64::from(R::WIDTH - left + code_width) + share * EXCEPTION_WIDTH;
            if best.as_ref().is_none_or(|&(_, least)| cost < least) {
                let dictionary: Vec<u16> = entries.iter().map(|&(_, entry)| entry).collect();
                let right = u8::try_from(R::WIDTH - left).ok()?;
                best = Split::new::<R>(right, &dictionary).map(|split| (split, cost)).or(best);
            }
        }
    }
    best.filter(|&(_, cost)| cost < WORTH * f64::from(R::WIDTH))
}

/// Returns the most frequent of the sorted `lefts` without their lowest `drop` bits, as (count, left part).
fn most_common(lefts: &[u16], drop: u32) -> Vec<(u32, u16)> {
    let mut top: Vec<(u32, u16)> = Vec::with_capacity(ENTRIES + 1);
    for run in lefts.chunk_by(|a, b| a >> drop == b >> drop) {
        let count = u32::try_from(run.len()).unwrap_or(u32::MAX);
        if top.len() == ENTRIES && top.last().is_some_and(|&(least, _)| least >= count) {
            continue;
        }
        let place = top.partition_point(|&(other, _)| other >= count);
        top.insert(place, (count, run.first().map_or(0, |left| left >> drop)));
        top.truncate(ENTRIES);
    }
    top
}

/// Appends the codes and right parts of the values, and the left parts without a code to the
/// exceptions, their positions counted from the first of `values`.
#[inline(always)]
pub(crate) fn encode<R: FloatBits>(
    values: &[R],
    split: &Split,
    codes: &mut Vec<u8>,
    right: &mut Vec<R::Bits>,
    exceptions: &mut Exceptions<u16>,
) {
    let (shift, mask) = (split.shift::<R>(), split.mask::<R>());
    let known = exceptions.positions.len();
    right.extend(values.iter().map(|value| value.to_bits() & mask));
    for (values, base) in values.chunks(CHUNK).zip((0_u32..).step_by(CHUNK)) {
        let mut lefts = [0_u16; CHUNK];
        for (left, value) in lefts.iter_mut().zip(values) {
            *left = (value.to_bits() >> shift).low();
        }
        match split.dictionary.len() {
            1 => look_up::<1>(&mut lefts, &split.dictionary),
            2 => look_up::<2>(&mut lefts, &split.dictionary),
            3..=4 => look_up::<4>(&mut lefts, &split.dictionary),
            _ => look_up::<ENTRIES>(&mut lefts, &split.dictionary),
        }
        let found = lefts.get(..values.len()).unwrap_or(&lefts);
        codes.extend(found.iter().map(|found| (found & !MISSING).to_le_bytes()[0]));
        if found.iter().fold(0, |any, found| any | found) & MISSING != 0 {
            let mut marks = [0_u16; CHUNK];
            for (mark, found) in marks.iter_mut().zip(found) {
                *mark = found & MISSING;
            }
            push_marked(&marks, base, &mut exceptions.positions);
        }
    }
    let positions = exceptions.positions.get(known..).unwrap_or_default().iter();
    let outside = positions.filter_map(|&position| values.get(position as usize));
    exceptions.bits.extend(outside.map(|value| (value.to_bits() >> shift).low()));
}

/// Replaces each left part by its code, or by `MISSING` if it has none.
#[inline(always)]
fn look_up<const N: usize>(lefts: &mut [u16; CHUNK], dictionary: &[u16]) {
    // Entries differ, so at most one of the terms of the sum is not zero. Those that fill the array
    // up repeat the first entry and have no term of their own.
    let first = dictionary.first().copied().unwrap_or_default();
    let mut entries = [(first, 0_u16); N];
    for ((slot, &entry), code) in entries.iter_mut().zip(dictionary).zip(0_u16..) {
        *slot = (entry, MISSING - code);
    }
    for left in lefts {
        let mut code = MISSING;
        for (entry, term) in entries {
            code -= if *left == entry { term } else { 0 };
        }
        *left = code;
    }
}

/// Appends the values; those of exceptions have a wrong left part until `patch`. With a dictionary of one entry the
/// codes are ignored and may be missing.
#[inline(always)]
pub(crate) fn decode<R: FloatBits>(
    codes: &[u8],
    right: &[R::Bits],
    split: &Split,
    out: &mut Vec<R>,
) {
    let shift = split.shift::<R>();
    let mut lefts = [R::Bits::default(); ENTRIES];
    for (left, &entry) in lefts.iter_mut().zip(&split.dictionary) {
        *left = R::Bits::from(entry) << shift;
    }
    if let [only] = split.dictionary[..] {
        let left = R::Bits::from(only) << shift;
        out.extend(right.iter().map(|&right| R::from_bits(left | right)));
        return;
    }
    out.extend(codes.iter().zip(right).map(|(&code, &right)| {
        let left = lefts.get(usize::from(code) % ENTRIES).copied().unwrap_or_default();
        R::from_bits(left | right)
    }));
}

/// Stores the left parts of the exceptions in a decoded block. Returns false if one is out of range.
#[inline(always)]
pub(crate) fn patch<R: FloatBits>(
    out: &mut [R],
    split: &Split,
    positions: &[u32],
    left: &[u16],
) -> bool {
    let (shift, mask) = (split.shift::<R>(), split.mask::<R>());
    let mut inside = positions.len() == left.len();
    for (&position, &left) in positions.iter().zip(left) {
        match out.get_mut(position as usize) {
            Some(value) => {
                let left = R::Bits::from(left) << shift;
                *value = R::from_bits((value.to_bits() & mask) | left);
            }
            None => inside = false,
        }
    }
    inside
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::float::width::testing::{noise, odd_f32, odd_f64};

    fn check<R: FloatBits>(values: &[R], split: &Split) -> Exceptions<u16> {
        let (mut codes, mut right, mut exceptions) = (vec![], vec![], Exceptions::default());
        encode(values, split, &mut codes, &mut right, &mut exceptions);
        assert_eq!((codes.len(), right.len()), (values.len(), values.len()));
        assert!(right.iter().all(|&right| right.into() >> split.right() == 0));
        assert!(codes.iter().all(|&code| usize::from(code) < split.dictionary().len()));
        assert!(exceptions.positions.is_sorted_by(|a, b| a < b));
        assert!(exceptions.positions.iter().all(|&position| codes[position as usize] == 0));
        let mut out: Vec<R> = vec![];
        decode(&codes, &right, split, &mut out);
        assert!(patch(&mut out, split, &exceptions.positions, &exceptions.bits));
        let bits = |values: &[R]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&out), bits(values));
        exceptions
    }

    #[test]
    fn any_split_round_trips_any_bits() {
        let mut doubles = odd_f64();
        doubles.extend(noise(1).take(700).map(f64::from_bits));
        let mut singles = odd_f32();
        singles.extend(noise(2).take(700).map(|bits| f32::from_bits((bits >> 32) as u32)));
        for right in 0..=63 {
            for entries in 1..=8 {
                let dictionary = [0, 1, 0x3ff, 0x7ff0, 0xfff0, 5, 6, 0x3ff0];
                if let Some(split) = Split::new::<f64>(right, &dictionary[..entries]) {
                    check(&doubles, &split);
                    check(&doubles[..5], &split);
                }
                if let Some(split) = Split::new::<f32>(right, &dictionary[..entries]) {
                    check(&singles, &split);
                }
            }
        }
        check::<f64>(&[], &Split::new::<f64>(50, &[1]).unwrap());
    }

    #[test]
    fn real_doubles_get_smaller() {
        // Uniform between 1 and 2: sign and exponent are all alike.
        let values: Vec<f64> =
            noise(3).take(5000).map(|bits| f64::from_bits(0x3ff << 52 | bits >> 12)).collect();
        let (split, cost) = choose(&values).unwrap();
        assert!(cost <= 52.1 && check(&values, &split).positions.is_empty());
        let narrow: Vec<f32> = values.iter().map(|&value| f32::narrow(value)).collect();
        let (split, cost) = choose(&narrow).unwrap();
        assert!(cost <= 23.1 && check(&narrow, &split).positions.len() < 10);
    }

    #[test]
    fn the_common_left_parts_get_the_codes() {
        let values: Vec<f64> = (0..4096).map(|i| if i % 9 == 0 { -1e300 } else { 1.5 }).collect();
        let (split, _) = choose(&values).unwrap();
        assert_eq!((split.right(), split.dictionary().len()), (48, 2));
        assert_eq!(
            split.dictionary(),
            [
                0x3ff8,
                (-1e300_f64).to_bits().to_be_bytes()[..2]
                    .iter()
                    .fold(0, |all, &byte| all << 8 | u16::from(byte))
            ]
        );
        assert!(check(&values, &split).positions.is_empty());
    }

    #[test]
    fn noise_does_not_pay() {
        let values: Vec<f64> = noise(4).take(5000).map(f64::from_bits).collect();
        assert_eq!(choose(&values), None);
    }

    #[test]
    fn hostile_input_does_no_harm() {
        assert_eq!(Split::new::<f64>(47, &[0]), None);
        assert_eq!(Split::new::<f64>(64, &[0]), None);
        assert_eq!(Split::new::<f64>(63, &[2]), None);
        assert_eq!(Split::new::<f64>(50, &[]), None);
        assert_eq!(Split::new::<f64>(50, &[1, 2, 1]), None);
        assert_eq!(Split::new::<f64>(50, &[0, 1, 2, 3, 4, 5, 6, 7, 8]), None);
        assert_eq!(Split::new::<f32>(32, &[0]), None);
        let split = Split::new::<f64>(63, &[1, 0]).unwrap();
        let mut out = vec![];
        decode::<f64>(&[255, 7, 1], &[u64::MAX, 1], &split, &mut out);
        assert_eq!(out.len(), 2);
        assert!(!patch(&mut out, &split, &[2], &[1]));
        assert!(!patch(&mut out, &split, &[0, 1], &[1]));
        assert!(patch(&mut out, &split, &[1], &[u16::MAX]));
        // The split of another width.
        decode::<f32>(&[9; 3], &[u32::MAX; 3], &split, &mut vec![]);
        // A single entry needs no codes.
        let split = Split::new::<f32>(16, &[0x3f80]).unwrap();
        let mut out = vec![];
        decode::<f32>(&[], &[0, 0], &split, &mut out);
        assert_eq!(out, [1.0, 1.0]);
    }
}
