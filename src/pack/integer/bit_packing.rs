//! Frame of reference and bit packing, in chunks of 1,024 numbers.
//!
//! ```text
//! frame     base long, width byte                       │ chunk │ chunk │ ... │ row of the rest
//! frames    numbers: bases, a width byte each           │ exceptions │ chunks and rest, as above
//! deltas    numbers: firsts │ as frames
//! exceptions  long count, and if not 0: a count byte per chunk, u16 positions in chunks, numbers: bits above
//! ```
//! A value is its base plus the packed offset, plus the bits above the width if it is an exception. In deltas it is
//! the value before plus all that; the first of a chunk has offset 0 and is stored with the chunk. All modulo 2^64.

pub(crate) mod exceptions;

use std::fmt;
use std::ops::Range;

use bytes::Bytes;

use self::exceptions::Exceptions;
use super::Numbers;
use super::delta::DeltaSums;
use super::tail;
use crate::buffer_reuse::Scratch;
use crate::error::{Error, Result};
use crate::kernel::{self, CHUNK, ChunkStats, LANES, Level, Modular};
use crate::pack::payload::Payload;
use crate::pack::payload_reader::Input;
use crate::wire;

/// Below this number of values, decoding them one by one is faster than decoding the chunk.
const FEW: usize = 24;

/// Numbers in chunks.
#[derive(Debug)]
pub(crate) struct BitPackedChunks {
    n: usize,
    heads: Heads,
    data: Bytes,
    exceptions: Option<Exceptions>,
    /// Whether each number is the difference to the one before.
    deltas: bool,
}

impl fmt::Display for BitPackedChunks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widths = match &self.heads {
            Heads::One(chunk) => Some((chunk.width, chunk.width)),
            Heads::Each(chunks) => chunks
                .iter()
                .map(|chunk| (chunk.width, chunk.width))
                .reduce(|(least, most), (width, _)| (least.min(width), most.max(width))),
        };
        let name = if self.deltas { "delta" } else { "frame of reference" };
        match widths {
            Some((least, most)) if least < most => write!(f, "{name}, {least} to {most} bits")?,
            Some((width, _)) => write!(f, "{name}, {width} bits")?,
            None => f.write_str(name)?,
        }
        match &self.exceptions {
            Some(exceptions) => write!(f, ", {} exceptions", exceptions.len()),
            None => Ok(()),
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Chunk {
    base: i64,
    first: i64,
    width: u32,
    /// Where its bytes begin.
    at: usize,
}

#[derive(Debug)]
enum Heads {
    /// One chunk header for all: any number of chunks takes no memory.
    One(Chunk),
    Each(Vec<Chunk>),
}

/// Returns the numbers of each chunk of `n`.
fn sizes(n: usize) -> impl Iterator<Item = usize> {
    (0..n.div_ceil(CHUNK)).map(move |chunk| (n - chunk * CHUNK).min(CHUNK))
}

/// Returns the number of chunks, each of which takes at least a byte of the rest.
fn count(input: &Input, n: usize) -> Result<usize> {
    let count = n.div_ceil(CHUNK);
    match count <= input.len() {
        true => Ok(count),
        false => Err(Error::malformed(format!("{n} numbers in too few bytes"))),
    }
}

fn bytes_of(n: usize, width: u32) -> usize {
    // All complete chunks have this size.
    tail::size(n, width)
}

fn width(byte: u8) -> Result<u32> {
    match byte {
        0..=64 => Ok(u32::from(byte)),
        _ => Err(Error::malformed(format!("numbers of {byte} bits"))),
    }
}

impl BitPackedChunks {
    /// One base and width for all.
    pub(crate) fn frame(input: &mut Input, n: usize) -> Result<Self> {
        let base = input.long("base")?;
        let width = width(input.byte("width")?)?;
        let data = input.take(bytes_of(n, width), "packed numbers")?;
        let heads = Heads::One(Chunk { base, first: 0, width, at: 0 });
        Ok(Self { n, heads, data, exceptions: None, deltas: false })
    }

    /// Returns a base and width for each chunk.
    pub(crate) fn frames(input: &mut Input, n: usize, depth: u32) -> Result<Self> {
        Self::chunks(input, n, None, depth)
    }

    /// Differences.
    pub(crate) fn deltas(input: &mut Input, n: usize, depth: u32) -> Result<Self> {
        let firsts = Numbers::take_all(input, count(input, n)?, depth)?;
        Self::chunks(input, n, Some(firsts), depth)
    }

    fn chunks(input: &mut Input, n: usize, firsts: Option<Vec<i64>>, depth: u32) -> Result<Self> {
        let count = count(input, n)?;
        let bases = Numbers::take_all(input, count, depth)?;
        let widths = input.take(count, "widths")?;
        let mut chunks = Vec::with_capacity(count);
        let mut at = 0usize;
        for (c, (size, (base, byte))) in sizes(n).zip(bases.iter().zip(&widths)).enumerate() {
            let first = firsts.as_ref().and_then(|firsts| firsts.get(c)).copied().unwrap_or(0);
            let width = width(*byte)?;
            chunks.push(Chunk { base: *base, first, width, at });
            at += bytes_of(size, width);
        }
        let (heads, deltas) = (Heads::Each(chunks), firsts.is_some());
        let exceptions = Exceptions::take(input, n, depth)?;
        let mut chunks = Self { n, heads, data: Bytes::new(), exceptions, deltas };
        chunks.data = input.take(chunks.len()?, "packed numbers")?;
        Ok(chunks)
    }

    fn len(&self) -> Result<usize> {
        let last = self.n.div_ceil(CHUNK).checked_sub(1).and_then(|last| self.head(last));
        let size = self.n - self.n.saturating_sub(1) / CHUNK * CHUNK;
        Ok(last.map_or(0, |chunk| chunk.at + bytes_of(size, chunk.width)))
    }

    fn head(&self, c: usize) -> Option<Chunk> {
        match &self.heads {
            Heads::One(chunk) => Some(Chunk { at: c * bytes_of(CHUNK, chunk.width), ..*chunk }),
            Heads::Each(chunks) => chunks.get(c).copied(),
        }
    }

    /// Appends the values of a range.
    pub(crate) fn read<T: Modular>(&self, range: Range<usize>, out: &mut Vec<T>) {
        let mut scratch = Scratch::new();
        let mut at = range.start;
        while at < range.end {
            let (c, from) = (at / CHUNK, at % CHUNK);
            let size = (self.n - c * CHUNK).min(CHUNK);
            let to = size.min(from + range.end - at);
            if from == 0 && to == size {
                self.chunk(c, size, out);
            } else if self.side_by_side(c, from..to, out) {
                // There they are.
            } else if to - from < FEW && !self.deltas {
                out.extend((at..at + to - from).map(|i| T::wrap(self.get(i).cast_unsigned())));
            } else {
                scratch.clear();
                self.chunk(c, if self.deltas { to } else { size }, &mut scratch);
                out.extend_from_slice(scratch.get(from..to).unwrap_or_default());
            }
            at += to - from;
        }
    }

    /// Appends some values of a complete chunk if they can be decoded without the others.
    fn side_by_side<T: Modular>(&self, c: usize, part: Range<usize>, out: &mut Vec<T>) -> bool {
        let group = part.start / LANES;
        let first = group * LANES;
        if self.deltas || part.end > first + LANES || (c + 1) * CHUNK > self.n {
            return false;
        }
        let Some(Chunk { base, width, at, .. }) = self.head(c) else { return false };
        let bytes = self.data.get(at..).unwrap_or_default();
        let Some(numbers) = kernel::bitpack::unpack_group(bytes, width, group) else {
            return false;
        };
        let some = numbers.get(part.start - first..part.end - first).unwrap_or_default();
        let (base, start) = (base.cast_unsigned(), out.len());
        out.extend(some.iter().map(|number| T::wrap(base.wrapping_add(u64::from(*number)))));
        let made = out.get_mut(start..).unwrap_or_default();
        self.add_exceptions(c, part.start, width, made);
        true
    }

    /// Appends the first `n` numbers of a chunk.
    fn chunk<T: Modular>(&self, c: usize, n: usize, out: &mut Vec<T>) {
        let Some(Chunk { base, first, width, at }) = self.head(c) else { return };
        let bytes = self.data.get(at..).unwrap_or_default();
        let (base, start) = (base.cast_unsigned(), out.len());
        if (c + 1) * CHUNK <= self.n {
            kernel::bitpack::unpack(Level::in_use(), bytes, width, base, out);
            out.truncate(start + n);
        } else {
            tail::read(bytes, width, base, n, out);
        }
        let Some(made) = out.get_mut(start..) else { return };
        self.add_exceptions(c, 0, width, made);
        if self.deltas {
            let before = T::wrap(first.cast_unsigned().wrapping_sub(base));
            kernel::bitpack::prefix_sum(Level::in_use(), made, before);
        }
    }

    /// Adds the bits above the width to values of a chunk, from index `first`.
    fn add_exceptions<T: Modular>(&self, c: usize, first: usize, width: u32, made: &mut [T]) {
        for (place, above) in self.exceptions.iter().flat_map(|exceptions| exceptions.of(c)) {
            if let Some(slot) = place.checked_sub(first).and_then(|place| made.get_mut(place)) {
                *slot = slot.plus(T::wrap(shifted(above, width)));
            }
        }
    }

    /// Appends the values at positions, which ascend and are in range.
    pub(crate) fn pick<T: Modular>(&self, places: &[u32], out: &mut Vec<T>) {
        if !self.deltas {
            let number = |place: &u32| T::wrap(self.get(*place as usize).cast_unsigned());
            return out.extend(places.iter().map(number));
        }
        let chunk = |place: u32| place as usize / CHUNK;
        for places in places.chunk_by(|a, b| chunk(*a) == chunk(*b)) {
            let c = places.first().map_or(0, |place| chunk(*place));
            let Some(chunk) = self.head(c) else { return };
            let sums = DeltaSums {
                first: chunk.first.cast_unsigned(),
                base: chunk.base.cast_unsigned(),
                width: chunk.width,
                bytes: self.data.get(chunk.at..).unwrap_or_default(),
                n: (self.n - c * CHUNK).min(CHUNK),
            };
            let exceptions = self.exceptions.iter().flat_map(|exceptions| exceptions.of(c));
            let exceptions = exceptions.map(|(place, above)| (place, shifted(above, chunk.width)));
            sums.pick(places.iter().map(|place| *place as usize % CHUNK), exceptions, out);
        }
    }

    /// Returns the number at `i`, which is one of them, and not the sum of differences.
    #[inline]
    fn get(&self, i: usize) -> i64 {
        let (c, at) = (i / CHUNK, i % CHUNK);
        let Some(chunk) = self.head(c) else { return 0 };
        let bytes = self.data.get(chunk.at..).unwrap_or_default();
        let whole = (c + 1) * CHUNK <= self.n;
        let offset = match whole {
            true => kernel::bitpack::unpack_one(bytes, chunk.width, at),
            false => tail::one(bytes, chunk.width, at),
        };
        let above = self.exceptions.as_ref().map_or(0, |exceptions| exceptions.above(c, at));
        let bits = chunk.base.cast_unsigned().wrapping_add(offset);
        bits.wrapping_add(shifted(above, chunk.width)).cast_signed()
    }
}

fn shifted(above: i64, width: u32) -> u64 {
    above.cast_unsigned().checked_shl(width).unwrap_or(0)
}

/// Appends numbers with one base and width.
pub(crate) fn put_frame(values: &[i64], base: i64, width: u32, out: &mut Payload) {
    wire::put_long(out, base);
    put_width(width, out);
    put_chunks(values, |_| (base, width), out);
}

/// How a chunk is packed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BitPackingPlan {
    pub(crate) base: i64,
    pub(crate) width: u32,
    /// How many numbers are above the width.
    pub(crate) exceptions: usize,
}

impl BitPackingPlan {
    /// Returns the bits of a number above the width; of one below the base they are negative.
    pub(crate) fn above(&self, value: i64) -> i64 {
        value.wrapping_sub(self.base).checked_shr(self.width).unwrap_or(0)
    }
}

/// Appends numbers with a base and width for each chunk.
pub(crate) fn put_frames(values: &[i64], plans: &[BitPackingPlan], depth: u32, out: &mut Payload) {
    let bases: Vec<i64> = plans.iter().map(|plan| plan.base).collect();
    super::put(&bases, depth, out);
    plans.iter().for_each(|plan| put_width(plan.width, out));
    let count: usize = plans.iter().map(|plan| plan.exceptions).sum();
    wire::put_long(out, super::long(count));
    if count == 0 {
        let plan = |c: usize| plans.get(c).map_or((0, 0), |plan| (plan.base, plan.width));
        return put_chunks(values, plan, out);
    }
    let (mut places, mut above) = (Vec::new(), Vec::new());
    let mut low: Vec<i64> = Vec::with_capacity(values.len());
    for (plan, chunk) in plans.iter().zip(values.chunks(CHUNK)) {
        let before = above.len();
        let offset = |value: &i64| value.wrapping_sub(plan.base).cast_unsigned();
        let mask = !u64::MAX.checked_shl(plan.width).unwrap_or(0);
        low.extend(chunk.iter().map(|value| (offset(value) & mask).cast_signed()));
        if plan.exceptions > 0 {
            for (place, value) in (0u16..).zip(chunk).filter(|(_, value)| offset(value) > mask) {
                places.extend(place.to_le_bytes());
                above.push(plan.above(*value));
            }
        }
        out.push(u8::try_from(above.len() - before).unwrap_or(u8::MAX));
    }
    out.extend(places);
    super::put(&above, depth, out);
    put_chunks(&low, |c| (0, plans.get(c).map_or(0, |plan| plan.width)), out);
}

/// Returns the width of a chunk's differences.
pub(crate) fn delta_width(stats: &ChunkStats) -> u32 {
    bits(stats.min_delta, stats.max_delta)
}

/// Returns the bit width of the differences to `min`.
pub(crate) fn bits(min: i64, max: i64) -> u32 {
    64 - max.wrapping_sub(min).leading_zeros()
}

fn put_width(width: u32, out: &mut Vec<u8>) {
    out.push(u8::try_from(width).unwrap_or(64));
}

fn put_chunks(values: &[i64], plan: impl Fn(usize) -> (i64, u32), out: &mut Payload) {
    let (chunks, rest) = values.as_chunks::<CHUNK>();
    out.seam();
    for (c, chunk) in chunks.iter().enumerate() {
        let (base, width) = plan(c);
        kernel::bitpack::pack(Level::in_use(), chunk, width, base, out);
    }
    if !rest.is_empty() {
        let (base, width) = plan(chunks.len());
        tail::put(rest.iter().map(|v| v.wrapping_sub(base).cast_unsigned()), width, out);
    }
}
