//! Encodings of integers of up to 64 bits.
//!
//! ```text
//! 0 constant      long value
//! 1 frame         one base and width               ┐
//! 2 frames        a base and width each chunk      ├ chunks of 1,024
//! 3 deltas        differences                      ┘
//! 4 runs          long how many │ numbers: values │ numbers: lengths less 1
//! 5 dictionary    long how many │ numbers: values │ numbers: codes, which of the values
//! 6 frequent      long value │ bits: which are others │ numbers: others less value
//! 7 multiples     long factor │ long shift │ numbers: quotients
//! 8 bytes         long base │ a byte each      ┐
//! 9 parts         low and high bits            ├ for zstd: see spread
//! 10 steps        to the next number           ┘
//! 11 lag          byte distance │ numbers: differences to the number so far before
//! ```
//! The number of values is stored outside. A column of 32 bits is encoded modulo 2^32. Encodings nest at most
//! [`DEPTH`] levels.

pub(crate) mod bit_packing;
pub(crate) mod bitmap;
pub(crate) mod byte_stream_split;
pub(crate) mod choose;
pub(crate) mod chunk_start;
pub(crate) mod common_factor;
pub(crate) mod delta;
pub(crate) mod dictionary;
pub(crate) mod differences;
pub(crate) mod lag;
pub(crate) mod sparse;
pub(crate) mod tail;
pub(crate) mod value_counts;

use std::fmt;
use std::ops::Range;

use self::bit_packing::BitPackedChunks;
use self::bitmap::PackedBits;
use self::byte_stream_split::{ByteNumbers, Parts, Steps};
use self::dictionary::{Dictionary, Packed};
use self::lag::Lag;
use super::payload::Payload;
use super::payload_reader::Input;
use crate::buffer_reuse::Scratch;
use crate::error::{Error, Result};
use crate::kernel::{self, CHUNK, Level, Modular};

/// The maximum nesting depth of encodings.
pub(crate) const DEPTH: u32 = 4;

/// The maximum number of runs or dictionary entries, which are decoded when a block is opened.
pub(crate) const MOST_PARTS: usize = 1 << 20;

pub(crate) const CONSTANT: u8 = 0;
pub(crate) const FRAME: u8 = 1;
pub(crate) const FRAMES: u8 = 2;
pub(crate) const DELTAS: u8 = 3;
pub(crate) const RUNS: u8 = 4;
pub(crate) const DICTIONARY: u8 = 5;
pub(crate) const FREQUENT: u8 = 6;
pub(crate) const MULTIPLES: u8 = 7;
pub(crate) const BYTES: u8 = 8;
pub(crate) const PARTS: u8 = 9;
pub(crate) const STEPS: u8 = 10;
pub(crate) const LAG: u8 = 11;

/// Packed numbers.
#[derive(Debug)]
pub(crate) struct Numbers {
    n: usize,
    kind: IntegerEncoding,
}

#[derive(Debug)]
enum IntegerEncoding {
    Constant(i64),
    BitPackedChunks(BitPackedChunks),
    Runs { values: Vec<i64>, ends: Vec<usize> },
    Dictionary(Box<Dictionary<Numbers>>),
    Frequent { value: i64, others: PackedBits, rest: Box<Numbers> },
    Multiples { factor: i64, shift: i64, quotients: Box<Numbers> },
    Bytes(ByteNumbers),
    Parts(Box<Parts>),
    Steps(Box<Steps>),
    Lag(Box<Lag>),
}

/// Names the encoding, and those within it.
impl fmt::Display for Numbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            IntegerEncoding::Constant(value) => write!(f, "constant {value}"),
            IntegerEncoding::BitPackedChunks(chunks) => chunks.fmt(f),
            IntegerEncoding::Runs { ends, .. } => write!(f, "{} runs", ends.len()),
            IntegerEncoding::Dictionary(dictionary) => dictionary.fmt(f),
            IntegerEncoding::Frequent { value, others, rest } => {
                write!(f, "frequent {value} (others: {others}; {rest})")
            }
            IntegerEncoding::Multiples { factor, quotients, .. } => {
                write!(f, "multiples of {factor} ({quotients})")
            }
            IntegerEncoding::Bytes(_) => write!(f, "bytes"),
            IntegerEncoding::Parts(parts) => parts.fmt(f),
            IntegerEncoding::Steps(steps) => steps.fmt(f),
            IntegerEncoding::Lag(lag) => lag.fmt(f),
        }
    }
}

/// Returns a count as the format writes it.
pub(crate) fn long(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

impl Numbers {
    /// Returns the next `n` numbers of a payload.
    pub(crate) fn take(input: &mut Input, n: usize) -> Result<Self> {
        Self::take_within(input, n, DEPTH)
    }

    /// Numbers that are unpacked at once.
    pub(crate) fn take_all(input: &mut Input, n: usize, depth: u32) -> Result<Vec<i64>> {
        input.allocate(n, size_of::<i64>())?;
        let mut values = Vec::new();
        Self::take_within(input, n, depth)?.read(0..n, &mut values)?;
        Ok(values)
    }

    pub(crate) fn take_within(input: &mut Input, n: usize, depth: u32) -> Result<Self> {
        let Some(deeper) = depth.checked_sub(1) else {
            return Err(Error::malformed("numbers within numbers, too deep"));
        };
        let kind = match input.byte("kind of numbers")? {
            CONSTANT => IntegerEncoding::Constant(input.long("constant")?),
            FRAME => IntegerEncoding::BitPackedChunks(BitPackedChunks::frame(input, n)?),
            FRAMES => IntegerEncoding::BitPackedChunks(BitPackedChunks::frames(input, n, deeper)?),
            DELTAS => IntegerEncoding::BitPackedChunks(BitPackedChunks::deltas(input, n, deeper)?),
            RUNS => Self::take_runs(input, n, deeper)?,
            DICTIONARY => {
                let count = input.count(MOST_PARTS.min(n), "dictionary")?;
                input.allocate(count, size_of::<i64>())?;
                let values = Self::take_within(input, count, deeper)?;
                let codes = Self::take_within(input, n, deeper)?;
                IntegerEncoding::Dictionary(Box::new(Dictionary::new(values, codes)))
            }
            FREQUENT => {
                let value = input.long("frequent value")?;
                let others = PackedBits::take(input, n, deeper)?;
                let rest = Box::new(Self::take_within(input, others.ones(n), deeper)?);
                IntegerEncoding::Frequent { value, others, rest }
            }
            MULTIPLES => {
                let (factor, shift) = (input.long("factor")?, input.long("shift")?);
                let quotients = Box::new(Self::take_within(input, n, deeper)?);
                IntegerEncoding::Multiples { factor, shift, quotients }
            }
            BYTES => IntegerEncoding::Bytes(ByteNumbers::take(input, n)?),
            PARTS => IntegerEncoding::Parts(Box::new(Parts::take(input, n, deeper)?)),
            STEPS => IntegerEncoding::Steps(Box::new(Steps::take(input, n, deeper)?)),
            LAG => IntegerEncoding::Lag(Box::new(Lag::take(input, n, deeper)?)),
            other => return Err(Error::malformed(format!("numbers of kind {other}"))),
        };
        Ok(Self { n, kind })
    }

    fn take_runs(input: &mut Input, n: usize, depth: u32) -> Result<IntegerEncoding> {
        let count = input.count(MOST_PARTS.min(n), "runs")?;
        let values = Self::take_all(input, count, depth)?;
        let lengths = Self::take_all(input, count, depth)?;
        input.allocate(count, size_of::<usize>())?;
        let longest = lengths.iter().fold(0, |most, length| length.cast_unsigned().max(most));
        if longest >= n as u64 && count > 0 {
            return Err(Error::malformed("a run longer than all numbers"));
        }
        // A sum that overflows saturates, so that ends do not descend.
        let mut end = 0usize;
        let add = |length: &i64| {
            end = end.saturating_add(usize::try_from(*length).unwrap_or(0) + 1);
            end
        };
        let ends: Vec<usize> = lengths.iter().map(add).collect();
        if end != n {
            return Err(Error::malformed(format!("runs of {end} numbers, where {n} belong")));
        }
        Ok(IntegerEncoding::Runs { values, ends })
    }

    /// Returns how many there are.
    pub(crate) fn len(&self) -> usize {
        self.n
    }

    /// Appends the numbers of a range, modulo the width of `T`.
    pub(crate) fn read<T: Modular>(&self, range: Range<usize>, out: &mut Vec<T>) -> Result<()> {
        if range.start > range.end || range.end > self.n {
            return Err(Error::malformed(format!("numbers {range:?} of {}", self.n)));
        }
        match &self.kind {
            IntegerEncoding::Constant(value) => {
                out.extend(std::iter::repeat_n(T::wrap(value.cast_unsigned()), range.len()));
            }
            IntegerEncoding::BitPackedChunks(chunks) => chunks.read(range, out),
            IntegerEncoding::Runs { values, ends } => {
                let first = ends.partition_point(|end| *end <= range.start);
                let last = ends.partition_point(|end| *end <= range.end).max(first);
                let whole = ends.get(first..last).unwrap_or_default();
                let of = values.get(first..last).unwrap_or_default();
                kernel::gather::repeat(Level::in_use(), of, whole, range.start, out);
                // The run that continues after the range.
                let done = whole.last().copied().unwrap_or(range.start);
                let value = values.get(last).map_or(0, |value| value.cast_unsigned());
                out.extend(std::iter::repeat_n(T::wrap(value), range.end - done));
            }
            IntegerEncoding::Dictionary(dictionary) => {
                let value = |value: &i64| T::wrap(value.cast_unsigned());
                let mut table = Scratch::new();
                table.extend(dictionary.entries()?.iter().map(value));
                dictionary.read(range, &table, out)?;
            }
            IntegerEncoding::Frequent { value, others, rest } => {
                let value = T::wrap(value.cast_unsigned());
                let read = |ones, dense: &mut Vec<T>| {
                    rest.read(ones, dense)?;
                    dense.iter_mut().for_each(|v| *v = v.plus(value));
                    Ok(())
                };
                sparse::scatter(value, others, range, read, out)?;
            }
            // By chunks, which are still near when they are scaled.
            IntegerEncoding::Multiples { factor, shift, quotients } => each_chunk(range, |part| {
                let start = out.len();
                quotients.read(part, out)?;
                let factor = T::wrap(factor.cast_unsigned());
                let shift = T::wrap(shift.cast_unsigned());
                let made = out.get_mut(start..).unwrap_or_default();
                kernel::bitpack::scale(Level::in_use(), made, factor, shift);
                Ok(())
            })?,
            IntegerEncoding::Bytes(bytes) => bytes.read(range, out),
            IntegerEncoding::Parts(parts) => parts.read(range, out)?,
            IntegerEncoding::Steps(steps) => steps.read(range, out)?,
            IntegerEncoding::Lag(lag) => lag.read(range, out)?,
        }
        Ok(())
    }
}

impl Numbers {
    /// Appends the numbers at positions, which ascend.
    pub(crate) fn pick<T: Modular>(&self, places: &[u32], out: &mut Vec<T>) -> Result<()> {
        check_places(places, self.n)?;
        match &self.kind {
            IntegerEncoding::Constant(value) => {
                out.extend(std::iter::repeat_n(T::wrap(value.cast_unsigned()), places.len()));
            }
            IntegerEncoding::BitPackedChunks(chunks) => chunks.pick(places, out),
            IntegerEncoding::Runs { values, ends } => {
                let mut run = 0;
                for place in places {
                    let rest = ends.get(run..).unwrap_or_default();
                    run += rest.partition_point(|end| *end <= *place as usize);
                    let value = values.get(run).map_or(0, |value| value.cast_unsigned());
                    out.push(T::wrap(value));
                }
            }
            IntegerEncoding::Dictionary(dictionary) => {
                dictionary.pick(places, |value| T::wrap(value.cast_unsigned()), out)?;
            }
            IntegerEncoding::Frequent { value, others, rest } => {
                let value = T::wrap(value.cast_unsigned());
                let pick = |ranks: &[u32], dense: &mut Vec<T>| {
                    rest.pick(ranks, dense)?;
                    dense.iter_mut().for_each(|v| *v = v.plus(value));
                    Ok(())
                };
                sparse::pick(value, others, places, pick, out)?;
            }
            IntegerEncoding::Multiples { factor, shift, quotients } => {
                let start = out.len();
                quotients.pick(places, out)?;
                let factor = T::wrap(factor.cast_unsigned());
                let shift = T::wrap(shift.cast_unsigned());
                let made = out.get_mut(start..).unwrap_or_default();
                kernel::bitpack::scale(Level::in_use(), made, factor, shift);
            }
            IntegerEncoding::Bytes(bytes) => bytes.pick(places, out),
            IntegerEncoding::Parts(parts) => parts.pick(places, out)?,
            IntegerEncoding::Steps(steps) => steps.pick(places, out)?,
            IntegerEncoding::Lag(lag) => lag.pick(places, out)?,
        }
        Ok(())
    }
}

/// Fails unless the last of these positions, which ascend, is less than `n`.
pub(crate) fn check_places(places: &[u32], n: usize) -> Result<()> {
    match places.last().filter(|last| **last as usize >= n) {
        None => Ok(()),
        Some(last) => Err(Error::malformed(format!("value {last} of {n}"))),
    }
}

impl Packed for Numbers {
    type Value = i64;

    fn len(&self) -> usize {
        self.n
    }

    fn read(&self, range: Range<usize>, out: &mut Vec<i64>) -> Result<()> {
        self.read(range, out)
    }

    fn pick(&self, places: &[u32], out: &mut Vec<i64>) -> Result<()> {
        self.pick(places, out)
    }
}

pub(crate) fn no_such_code() -> Error {
    Error::malformed("a code that the dictionary does not have")
}

/// Calls `read` with the part of a range in each chunk.
pub(crate) fn each_chunk(
    range: Range<usize>,
    mut read: impl FnMut(Range<usize>) -> Result<()>,
) -> Result<()> {
    let mut at = range.start;
    while at < range.end {
        let end = range.end.min((at / CHUNK + 1) * CHUNK);
        read(at..end)?;
        at = end;
    }
    Ok(())
}

/// Appends the value of each code.
pub(crate) fn look_up<T: Copy + Default + 'static>(
    codes: &[u32],
    values: &[T],
    out: &mut Vec<T>,
) -> Result<()> {
    match kernel::gather::gather(Level::in_use(), codes, values, out) {
        true => Ok(()),
        false => Err(no_such_code()),
    }
}

/// Encodes numbers with the smallest result, which may be nested `depth` levels. Returns their minimum and maximum,
/// or zeros if there are none.
pub(crate) fn put(values: &[i64], depth: u32, out: &mut Payload) -> (i64, i64) {
    choose::put(values, depth, out)
}
