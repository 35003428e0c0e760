//! Encodings of bitmaps: boolean values and validity.
//!
//! ```text
//! 0 zeros      nothing                        1 ones       nothing
//! 2 bitmap     a bit each, low bit first, zeros to the end of the last byte
//! 3 few ones   long count │ numbers: positions, ascending
//! 4 few zeros  the same of those that are 0
//! 5 runs       long how many │ numbers: lengths; the first is of zeros and may be 0, then they alternate
//! ```

use std::fmt;
use std::ops::Range;

use bytes::Bytes;

use super::{MOST_PARTS, Numbers, long};
use crate::buffer_reuse::Scratch;
use crate::error::{Error, Result};
use crate::kernel::{self, Level};
use crate::pack::integer;
use crate::pack::payload::Payload;
use crate::pack::payload_reader::Input;
use crate::wire;

const ZEROS: u8 = 0;
const ONES: u8 = 1;
const BITMAP: u8 = 2;
const FEW_ONES: u8 = 3;
const FEW_ZEROS: u8 = 4;
const RUNS: u8 = 5;

/// Packed bits.
#[derive(Debug)]
pub(crate) struct PackedBits {
    n: usize,
    kind: BitmapEncoding,
}

#[derive(Debug)]
enum BitmapEncoding {
    All(bool),
    Bitmap(Bytes),
    /// Where the bits are that are so.
    Places(bool, Vec<usize>),
    /// Where each run ends, the first of zeros.
    Runs(Vec<usize>),
}

/// Names the encoding.
impl fmt::Display for PackedBits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            BitmapEncoding::All(bit) => write!(f, "all {}", u8::from(*bit)),
            BitmapEncoding::Bitmap(_) => write!(f, "bitmap"),
            BitmapEncoding::Places(bit, places) => {
                write!(f, "positions of {} {}", places.len(), if *bit { "ones" } else { "zeros" })
            }
            BitmapEncoding::Runs(ends) => write!(f, "{} runs", ends.len()),
        }
    }
}

impl PackedBits {
    /// Returns the next `n` bits of a payload.
    pub(crate) fn take(input: &mut Input, n: usize, depth: u32) -> Result<Self> {
        let kind = match input.byte("kind of bits")? {
            ZEROS => BitmapEncoding::All(false),
            ONES => BitmapEncoding::All(true),
            BITMAP => BitmapEncoding::Bitmap(input.take(n.div_ceil(8), "bitmap")?),
            FEW_ONES => BitmapEncoding::Places(true, Self::take_places(input, n, depth)?),
            FEW_ZEROS => BitmapEncoding::Places(false, Self::take_places(input, n, depth)?),
            RUNS => BitmapEncoding::Runs(Self::take_runs(input, n, depth)?),
            other => return Err(Error::malformed(format!("bits of kind {other}"))),
        };
        Ok(Self { n, kind })
    }

    fn take_places(input: &mut Input, n: usize, depth: u32) -> Result<Vec<usize>> {
        let count = input.count(MOST_PARTS.min(n), "places of bits")?;
        let places = Numbers::take_all(input, count, depth)?;
        input.allocate(count, size_of::<usize>())?;
        // One below 0 is past all others.
        let place = |place| usize::try_from(place).unwrap_or(usize::MAX);
        let places: Vec<usize> = places.into_iter().map(place).collect();
        match places.is_sorted_by(|a, b| a < b) && places.last().is_none_or(|last| *last < n) {
            true => Ok(places),
            false => Err(Error::malformed("places of bits do not ascend")),
        }
    }

    fn take_runs(input: &mut Input, n: usize, depth: u32) -> Result<Vec<usize>> {
        let count = input.count(MOST_PARTS.min(n.saturating_add(1)), "runs of bits")?;
        input.allocate(count, size_of::<usize>())?;
        let (mut end, mut ends) = (0usize, Vec::with_capacity(count));
        for length in Numbers::take_all(input, count, depth)? {
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            end = end.saturating_add(length);
            ends.push(end);
        }
        if end != n {
            return Err(Error::malformed(format!("runs of {end} bits, where {n} belong")));
        }
        Ok(ends)
    }

    /// Returns how many there are.
    pub(crate) fn len(&self) -> usize {
        self.n
    }

    /// Appends the bits of a range to the `len` bits in `out`; bits past the last are 0.
    pub(crate) fn read(&self, range: Range<usize>, out: &mut Vec<u8>, len: usize) {
        let n = range.len();
        match &self.kind {
            BitmapEncoding::All(bit) => fill(out, len, n, *bit),
            BitmapEncoding::Bitmap(bytes) => {
                kernel::bitmap::copy_bits(bytes, range.start, n, out, len)
            }
            BitmapEncoding::Places(bit, places) => {
                fill(out, len, n, !bit);
                let first = places.partition_point(|place| *place < range.start);
                let inside = places.iter().skip(first).take_while(|place| **place < range.end);
                for at in inside.map(|place| len + place - range.start) {
                    if let Some(byte) = out.get_mut(at / 8) {
                        *byte ^= 1 << (at % 8);
                    }
                }
            }
            BitmapEncoding::Runs(ends) => {
                let first = ends.partition_point(|end| *end <= range.start);
                let (mut at, mut len) = (range.start, len);
                for (run, end) in ends.iter().enumerate().skip(first) {
                    let end = (*end).min(range.end);
                    if at >= range.end {
                        break;
                    }
                    fill(out, len, end - at, run % 2 == 1);
                    (len, at) = (len + end - at, end);
                }
            }
        }
    }

    /// Returns how many of a range are set.
    pub(crate) fn count(&self, range: Range<usize>) -> usize {
        match &self.kind {
            BitmapEncoding::Bitmap(bytes) => {
                kernel::bitmap::count_ones(bytes, range.start, range.len())
            }
            _ => self.ones(range.end) - self.ones(range.start),
        }
    }

    /// Returns how many of the first `i` are set.
    pub(crate) fn ones(&self, i: usize) -> usize {
        match &self.kind {
            BitmapEncoding::All(bit) => {
                if *bit {
                    i
                } else {
                    0
                }
            }
            BitmapEncoding::Bitmap(bytes) => kernel::bitmap::count_ones(bytes, 0, i),
            BitmapEncoding::Places(bit, places) => {
                let before = places.partition_point(|place| *place < i);
                if *bit { before } else { i - before }
            }
            BitmapEncoding::Runs(ends) => {
                let starts = std::iter::once(&0).chain(ends);
                let ones = starts.zip(ends).skip(1).step_by(2);
                ones.map(|(start, end)| end.min(&i).saturating_sub(*start)).sum()
            }
        }
    }
}

impl PackedBits {
    /// Calls `take` with the bit and the rank of each position, which ascend.
    pub(crate) fn each(&self, places: &[u32], mut take: impl FnMut(bool, u32)) {
        match &self.kind {
            BitmapEncoding::All(bit) => {
                places.iter().for_each(|place| take(*bit, if *bit { *place } else { 0 }))
            }
            BitmapEncoding::Bitmap(bytes) => {
                let mut ranks = Scratch::new();
                kernel::bitmap::rank(Level::in_use(), bytes, places, &mut ranks);
                for (place, rank) in places.iter().zip(ranks.iter().copied()) {
                    let byte = bytes.get(*place as usize / 8).copied().unwrap_or(0);
                    take(byte >> (place % 8) & 1 == 1, rank);
                }
            }
            BitmapEncoding::Places(bit, all) => {
                let mut before = 0;
                for place in places.iter().map(|place| *place as usize) {
                    let rest = all.get(before..).unwrap_or_default();
                    before += rest.partition_point(|other| *other < place);
                    let found = all.get(before) == Some(&place);
                    let ones = if *bit { before } else { place - before };
                    take(found == *bit, small(ones));
                }
            }
            BitmapEncoding::Runs(ends) => {
                // Of the run at hand: where it begins, and the bits set before it.
                let (mut run, mut start, mut ones) = (0, 0, 0);
                for place in places.iter().map(|place| *place as usize) {
                    while let Some(end) = ends.get(run).filter(|end| **end <= place) {
                        ones += if run % 2 == 1 { end - start } else { 0 };
                        (start, run) = (*end, run + 1);
                    }
                    let set = run % 2 == 1;
                    take(set, small(if set { ones + place - start } else { ones }));
                }
            }
        }
    }
}

/// Converts a rank to 32 bits.
fn small(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Appends `n` equal bits.
fn fill(out: &mut Vec<u8>, len: usize, n: usize, bit: bool) {
    let end = len + n;
    let byte = if bit { 0xff } else { 0 };
    if bit && let Some(last) = out.last_mut().filter(|_| !len.is_multiple_of(8)) {
        *last |= 0xff << (len % 8);
    }
    out.resize(end.div_ceil(8), byte);
    if let Some(last) = out.last_mut().filter(|_| !end.is_multiple_of(8)) {
        *last &= !(0xff << (end % 8));
    }
}

/// A plain bitmap is by far the fastest; another encoding must be smaller by this factor.
const MUCH: usize = 4;

/// Encodes `n` bits from bit `offset`, as a plain bitmap or with the smallest encoding.
pub(crate) fn put(source: &[u8], offset: usize, n: usize, depth: u32, out: &mut Payload) {
    let ones = kernel::bitmap::count_ones(source, offset, n);
    if ones == 0 || ones == n {
        return out.push(if ones == 0 { ZEROS } else { ONES });
    }
    let (start, bitmap) = (out.len(), n.div_ceil(8));
    let mut runs = 0;
    kernel::bitmap::for_each_run(source, offset, n, |_, _| runs += 1);
    // A position or a run takes about a byte.
    if runs < bitmap / MUCH {
        put_runs(source, offset, n, depth, out);
    }
    if ones.min(n - ones) < bitmap / MUCH {
        let runs = out.split_off(start);
        put_places(source, offset, n, ones * 2 <= n, depth, out);
        if !runs.is_empty() && runs.size_from(0) < out.size_from(start) {
            out.truncate(start);
            out.append(&runs);
        }
    }
    if out.len() == start || out.size_from(start) > bitmap / MUCH {
        out.truncate(start);
        out.push(BITMAP);
        let mut bits = Vec::new();
        kernel::bitmap::copy_bits(source, offset, n, &mut bits, 0);
        out.extend(bits);
    }
}

fn put_places(source: &[u8], offset: usize, n: usize, of: bool, depth: u32, out: &mut Payload) {
    let (mut places, mut at) = (Vec::new(), 0);
    kernel::bitmap::for_each_run(source, offset, n, |bit, count| {
        if bit == of {
            places.extend((at..at + count).map(long));
        }
        at += count;
    });
    out.push(if of { FEW_ONES } else { FEW_ZEROS });
    wire::put_long(out, long(places.len()));
    integer::put(&places, depth, out);
}

fn put_runs(source: &[u8], offset: usize, n: usize, depth: u32, out: &mut Payload) {
    let mut lengths = vec![0];
    let mut last = false;
    kernel::bitmap::for_each_run(source, offset, n, |bit, count| {
        if bit != last {
            lengths.push(0);
        }
        last = bit;
        if let Some(length) = lengths.last_mut() {
            *length += long(count);
        }
    });
    out.push(RUNS);
    wire::put_long(out, long(lengths.len()));
    integer::put(&lengths, depth, out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::integer::DEPTH;
    use proptest::prelude::*;

    fn packed(bits: &[bool]) -> PackedBits {
        let bytes: Vec<u8> = bits
            .chunks(8)
            .map(|byte| byte.iter().rev().fold(0, |b, bit| b << 1 | u8::from(*bit)))
            .collect();
        let mut out = Payload::default();
        put(&bytes, 0, bits.len(), DEPTH, &mut out);
        let out = out.into_bytes();
        let mut input = Input::new(out.into(), usize::MAX);
        let packed = PackedBits::take(&mut input, bits.len(), DEPTH).unwrap();
        input.finish().unwrap();
        packed
    }

    fn check(bits: &[bool], from: usize, to: usize) {
        let packed = packed(bits);
        for before in [0, 3] {
            let mut out = vec![0b101; usize::from(before > 0)];
            packed.read(from..to, &mut out, before);
            assert_eq!(out.len(), (before + to - from).div_ceil(8));
            for i in from..to {
                let at = before + i - from;
                assert_eq!(out[at / 8] >> (at % 8) & 1 == 1, bits[i], "{i} of {}", bits.len());
            }
        }
        for i in [from, to.saturating_sub(1)].into_iter().filter(|i| *i < bits.len()) {
            assert_eq!(packed.count(i..bits.len()), bits[i..].iter().filter(|b| **b).count());
            assert_eq!(packed.ones(i), bits[..i].iter().filter(|b| **b).count());
        }
    }

    #[test]
    fn each_kind_comes_back() {
        let n = 3000;
        let some = |f: &dyn Fn(usize) -> bool| (0..n).map(f).collect::<Vec<_>>();
        for (bits, kind) in [
            (some(&|_| false), ZEROS),
            (some(&|_| true), ONES),
            (some(&|i| i % 3 == 0), BITMAP),
            (some(&|i| i * i % 97 == 8), FEW_ONES),
            (some(&|i| i * i % 97 != 8), FEW_ZEROS),
            (some(&|i| i / 200 % 2 == 0), RUNS),
        ] {
            let bytes: Vec<u8> = bits
                .chunks(8)
                .map(|byte| byte.iter().rev().fold(0, |b, bit| b << 1 | u8::from(*bit)))
                .collect();
            let mut out = Payload::default();
            put(&bytes, 0, n, DEPTH, &mut out);
            let out = out.into_bytes();
            assert_eq!(out[0], kind);
            for (from, to) in [(0, n), (0, 0), (1, 2), (195, 1207), (2990, n)] {
                check(&bits, from, to);
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_bits_come_back(runs in prop::collection::vec((any::<bool>(), 1usize..200), 0..40), a in 0usize..4000, b in 0usize..4000) {
            let bits: Vec<bool> = runs.iter().flat_map(|(bit, n)| std::iter::repeat_n(*bit, *n)).collect();
            let (a, b) = (a.min(bits.len()), b.min(bits.len()));
            check(&bits, a.min(b), a.max(b));
        }
    }
}
