//! Splits numbers into bytes for zstd to compress.
//!
//! ```text
//! 8 bytes    long base │ n bytes                                base + byte
//! 9 parts    cut byte  │ numbers: low parts │ numbers: high     low + high * 2^cut
//! 10 steps   numbers: the first of each chunk │ numbers: steps  the one before + step
//!
//! number     1 0 1 1 0 1 1 0 0 1 0 1 1         width 13
//!            └─ high: 8 ──┘ └ low: 5 ┘         zstd uses the frequencies of the bytes
//! ```
//! zstd cannot compress bit-packed values, which do not start at bytes. It compresses codes of complete bytes, or
//! the high bytes of values, to about their entropy; the bits below are hardly compressible.

use std::fmt;
use std::ops::Range;

use bytes::Bytes;

use super::bit_packing;
use super::chunk_start;
use super::differences::{between, firsts};
use super::{BYTES, FRAME, Numbers, PARTS, STEPS, each_chunk};
use crate::buffer_reuse::Scratch;
use crate::error::{Error, Result};
use crate::kernel::{self, CHUNK, Level, Modular};
use crate::pack::entropy::Frequencies;
use crate::pack::payload::Payload;
use crate::pack::payload_reader::Input;
use crate::wire;

/// Numbers of a byte each.
#[derive(Debug)]
pub(crate) struct ByteNumbers {
    base: i64,
    data: Bytes,
}

impl ByteNumbers {
    pub(crate) fn take(input: &mut Input, n: usize) -> Result<Self> {
        Ok(Self { base: input.long("base")?, data: input.take(n, "numbers of a byte")? })
    }

    pub(crate) fn read<T: Modular>(&self, range: Range<usize>, out: &mut Vec<T>) {
        let base = T::wrap(self.base.cast_unsigned());
        let bytes = self.data.get(range).unwrap_or_default();
        out.extend(bytes.iter().map(|byte| T::wrap(u64::from(*byte)).plus(base)));
    }

    pub(crate) fn pick<T: Modular>(&self, places: &[u32], out: &mut Vec<T>) {
        let base = T::wrap(self.base.cast_unsigned());
        let byte = |place: &u32| self.data.get(*place as usize).copied().unwrap_or(0);
        out.extend(places.iter().map(|place| T::wrap(u64::from(byte(place))).plus(base)));
    }
}

/// Appends numbers that are less than 256 above `base`.
fn put_bytes(values: &[i64], base: i64, size: usize, out: &mut Payload) {
    out.push(BYTES);
    wire::put_long(out, base);
    out.seam();
    let byte = |value: &i64| u8::try_from(value.wrapping_sub(base)).unwrap_or(u8::MAX);
    out.extend(values.iter().map(byte));
    out.seam_after(values.len().saturating_sub(size));
}

/// Numbers in two parts.
#[derive(Debug)]
pub(crate) struct Parts {
    cut: u32,
    low: Numbers,
    high: Numbers,
}

impl fmt::Display for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "parts cut at bit {} (low: {}; high: {})", self.cut, self.low, self.high)
    }
}

impl Parts {
    pub(crate) fn take(input: &mut Input, n: usize, depth: u32) -> Result<Self> {
        let cut = match input.byte("cut")? {
            cut @ 1..=63 => u32::from(cut),
            cut => return Err(Error::malformed(format!("numbers cut at bit {cut}"))),
        };
        let low = Numbers::take_within(input, n, depth)?;
        Ok(Self { cut, low, high: Numbers::take_within(input, n, depth)? })
    }

    pub(crate) fn read<T: Modular>(&self, range: Range<usize>, out: &mut Vec<T>) -> Result<()> {
        let mut high = Scratch::new();
        each_chunk(range, |part| {
            let start = out.len();
            self.low.read(part.clone(), out)?;
            high.clear();
            self.high.read(part, &mut high)?;
            self.join(out.get_mut(start..).unwrap_or_default(), &high);
            Ok(())
        })
    }

    pub(crate) fn pick<T: Modular>(&self, places: &[u32], out: &mut Vec<T>) -> Result<()> {
        let (start, mut high) = (out.len(), Scratch::new());
        self.low.pick(places, out)?;
        self.high.pick(places, &mut high)?;
        self.join(out.get_mut(start..).unwrap_or_default(), &high);
        Ok(())
    }

    fn join<T: Modular>(&self, made: &mut [T], high: &[T]) {
        let unit = T::wrap(1 << self.cut);
        made.iter_mut().zip(high).for_each(|(low, high)| *low = low.plus(high.times(unit)));
    }
}

/// Encodes values, which are at least `least`, split into two parts.
fn put_parts(values: &[i64], least: i64, cut: u32, depth: u32, out: &mut Payload) {
    let mask = !(u64::MAX << cut);
    let offset = |value: &i64| value.wrapping_sub(least).cast_unsigned();
    let low = values.iter().map(|value| least.wrapping_add((offset(value) & mask).cast_signed()));
    let low: Vec<i64> = low.collect();
    let high: Vec<i64> = values.iter().map(|value| (offset(value) >> cut).cast_signed()).collect();
    out.push(PARTS);
    out.push(u8::try_from(cut).unwrap_or(63));
    super::put(&low, depth, out);
    super::put(&high, depth, out);
}

/// Numbers that are the sums of steps.
#[derive(Debug)]
pub(crate) struct Steps {
    /// The first value of each chunk; any number of them takes no memory.
    firsts: Numbers,
    steps: Numbers,
}

impl fmt::Display for Steps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "steps ({})", self.steps)
    }
}

impl Steps {
    pub(crate) fn take(input: &mut Input, n: usize, depth: u32) -> Result<Self> {
        let firsts = Numbers::take_within(input, n.div_ceil(CHUNK), depth)?;
        Ok(Self { firsts, steps: Numbers::take_within(input, n, depth)? })
    }

    pub(crate) fn read<T: Modular>(&self, range: Range<usize>, out: &mut Vec<T>) -> Result<()> {
        chunk_start::read(range, |c, n, out| self.sums(c, n, out), out)
    }

    pub(crate) fn pick<T: Modular>(&self, places: &[u32], out: &mut Vec<T>) -> Result<()> {
        chunk_start::pick(places, |c, n, out| self.sums(c, n, out), out)
    }

    /// Appends the first `n` numbers of a chunk.
    fn sums<T: Modular>(&self, c: usize, n: usize, out: &mut Vec<T>) -> Result<()> {
        let start = out.len();
        self.steps.read(c * CHUNK..c * CHUNK + n, out)?;
        let mut value = Scratch::<T>::new();
        self.firsts.read(c..c + 1, &mut value)?;
        let made = out.get_mut(start..).unwrap_or_default();
        if let (Some((first, behind)), Some(value)) = (made.split_first_mut(), value.first()) {
            *first = *value;
            kernel::bitpack::prefix_sum(Level::in_use(), behind, *value);
        }
        Ok(())
    }
}

/// Returns the delta of each value; the first of a chunk, which has none, repeats the next.
fn steps(values: &[i64]) -> Vec<i64> {
    let mut steps = Vec::with_capacity(values.len());
    for chunk in values.chunks(CHUNK) {
        steps.push(between(chunk).next().unwrap_or(0));
        steps.extend(between(chunk));
    }
    steps
}

/// How numbers are laid, and about how many bytes zstd makes of that.
#[derive(Debug)]
pub(crate) struct Spread {
    pub(crate) bytes: usize,
    width: u32,
    form: SplitForm,
    /// Instead of the numbers.
    steps: Option<Vec<i64>>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum SplitForm {
    /// Packed in one width, of which some fill bytes.
    Frame,
    Bytes,
    Parts {
        cut: u32,
    },
}

/// Deltas are summed up serially, so they must save this fraction of the bytes.
const WORTH: usize = 32;

impl Spread {
    /// Chooses the split of values of a width, from `least`; `depth` is that of nested encodings.
    pub(crate) fn of(values: &[i64], least: i64, width: u32, depth: u32) -> Option<Self> {
        let (form, bytes) = form(values, least, width, depth)?;
        let found = Self { bytes, width, form, steps: None };
        if depth == 0 {
            return Some(found);
        }
        let steps = steps(values);
        let (from, to) = (steps.iter().min()?, steps.iter().max()?);
        let Some((form, bytes)) = form_of_steps(&steps, *from, *to, depth - 1) else {
            return Some(found);
        };
        let bytes = bytes + values.len() / CHUNK * 2;
        if bytes + found.bytes / WORTH >= found.bytes {
            return Some(found);
        }
        Some(Self { bytes, width, form, steps: Some(steps) })
    }

    /// Encodes the values.
    pub(crate) fn put(&self, values: &[i64], least: i64, depth: u32, out: &mut Payload) {
        match (&self.steps, self.form) {
            (Some(steps), _) => {
                out.push(STEPS);
                super::put(&firsts(values), depth, out);
                super::put(steps, depth, out);
            }
            (None, SplitForm::Parts { cut }) => put_parts(values, least, cut, depth, out),
            (None, SplitForm::Frame) => {
                let start = out.len();
                out.push(FRAME);
                bit_packing::put_frame(values, least, self.width, out);
                out.seam_after((out.len() - start).saturating_sub(self.bytes));
            }
            (None, SplitForm::Bytes) => put_bytes(values, least, self.bytes, out),
        }
    }
}

fn form_of_steps(steps: &[i64], from: i64, to: i64, depth: u32) -> Option<(SplitForm, usize)> {
    // A difference of steps may be beyond 64 bits: those are no good in any case.
    to.checked_sub(from)?;
    form(steps, from, bit_packing::bits(from, to), depth)
}

/// Returns the smallest split of values from `least`.
fn form(values: &[i64], least: i64, width: u32, depth: u32) -> Option<(SplitForm, usize)> {
    let offset = |value: &i64| value.wrapping_sub(least).cast_unsigned();
    let high = |cut: u32| Frequencies::of(values, |value| offset(value) >> cut);
    let low = |cut: u32| {
        let mask = !(u64::MAX << cut);
        Frequencies::of(values, |value| offset(value) & mask).size(8)
    };
    match width {
        0 => Some((SplitForm::Frame, 0)),
        // This many fill a byte.
        1 | 2 | 4 => Some((SplitForm::Frame, high(0).size(width))),
        3 | 5..=8 => Some((SplitForm::Bytes, high(0).size(8))),
        9..=63 if depth > 0 => {
            let cut = width - 8;
            let packed = values.len() * cut as usize / 8;
            let rest = if cut <= 8 { low(cut).min(packed) } else { packed };
            let highest = rest + high(cut).size(8);
            // Of 16 bits these are the same.
            let halves = if width < 16 { low(8) + high(8).size(8) } else { highest };
            let cut = if halves < highest { 8 } else { cut };
            Some((SplitForm::Parts { cut }, halves.min(highest)))
        }
        _ => None,
    }
}
