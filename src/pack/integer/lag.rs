//! Lag encoding: differences to the number that stands a fixed distance before.
//!
//! ```text
//! numbers       3 8 5 3 8 5 3 8 6 ...      distance 3
//! differences   3 8 5 0 0 0 0 0 1 ...      the first three of a chunk are the numbers themselves
//! ```
//! Columns repeat so where rows are grouped: each group has a row for each of the same few keys.

use std::fmt;
use std::ops::Range;

use super::{LAG, Numbers, each_chunk};
use crate::buffer_reuse::Scratch;
use crate::error::{Error, Result};
use crate::kernel::{CHUNK, Modular};
use crate::pack::payload::Payload;
use crate::pack::payload_reader::Input;

/// The greatest distance that is written.
const MOST: usize = 64;

/// Numbers that are compared to find the distance: some pieces of neighbours.
const PIECES: usize = 4;
const PIECE: usize = 64;

/// From this distance on, as many numbers are added at once.
const WIDE: usize = 16;

/// Numbers, each by its difference to one before.
#[derive(Debug)]
pub(crate) struct Lag {
    distance: usize,
    differences: Numbers,
}

impl fmt::Display for Lag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "lag {} ({})", self.distance, self.differences)
    }
}

impl Lag {
    pub(crate) fn take(input: &mut Input, n: usize, depth: u32) -> Result<Self> {
        let distance = usize::from(input.byte("lag")?);
        if distance == 0 {
            return Err(Error::malformed("a lag of 0"));
        }
        Ok(Self { distance, differences: Numbers::take_within(input, n, depth)? })
    }

    pub(crate) fn read<T: Modular>(&self, range: Range<usize>, out: &mut Vec<T>) -> Result<()> {
        let mut scratch = Scratch::new();
        each_chunk(range, |part| {
            let first = part.start / CHUNK * CHUNK;
            if part.start == first {
                let start = out.len();
                self.differences.read(part, out)?;
                self.add_up(out.get_mut(start..).unwrap_or_default());
                return Ok(());
            }
            scratch.clear();
            self.differences.read(first..part.end, &mut scratch)?;
            self.add_up(&mut scratch);
            out.extend_from_slice(scratch.get(part.start - first..).unwrap_or_default());
            Ok(())
        })
    }

    /// Appends the numbers at positions, which ascend and are in range.
    pub(crate) fn pick<T: Modular>(&self, places: &[u32], out: &mut Vec<T>) -> Result<()> {
        let mut scratch = Scratch::<T>::new();
        let chunk = |place: u32| place as usize / CHUNK;
        for places in places.chunk_by(|a, b| chunk(*a) == chunk(*b)) {
            let Some(last) = places.last().copied() else { continue };
            let first = chunk(last) * CHUNK;
            scratch.clear();
            self.differences.read(first..last as usize + 1, &mut scratch)?;
            self.add_up(&mut scratch);
            out.extend(places.iter().filter_map(|place| scratch.get(*place as usize - first)));
        }
        Ok(())
    }

    /// Turns the differences of a chunk into its numbers.
    fn add_up<T: Modular>(&self, chunk: &mut [T]) {
        if self.distance < WIDE {
            for first in 0..self.distance {
                let mut sum = T::wrap(0);
                for number in chunk.iter_mut().skip(first).step_by(self.distance) {
                    sum = sum.plus(*number);
                    *number = sum;
                }
            }
            return;
        }
        for at in (self.distance..chunk.len()).step_by(self.distance) {
            let (before, rest) = chunk.split_at_mut(at);
            let before = before.get(at - self.distance..).unwrap_or_default();
            rest.iter_mut().zip(before).for_each(|(number, before)| *number = number.plus(*before));
        }
    }
}

/// Returns how many numbers of some pieces are repeated at a distance.
fn repeats(values: &[i64], pieces: usize, distance: usize) -> usize {
    let step = values.len().saturating_sub(PIECE + MOST) / PIECES;
    let piece = |piece: usize| {
        let start = piece * step + MOST;
        let now = values.get(start..start + PIECE).unwrap_or_default();
        let before = values.get(start - distance..).unwrap_or_default();
        now.iter().zip(before).map(|(now, before)| u8::from(now == before)).sum::<u8>()
    };
    (0..pieces).map(|i| usize::from(piece(i))).sum()
}

/// Returns the distance at which most numbers of a sample are repeated, if three in four are and many are not at
/// distance 1.
fn distance(values: &[i64]) -> Option<usize> {
    if values.len() < 2 * (PIECES * PIECE + MOST) {
        return None;
    }
    // Most columns do not repeat, and one piece shows it. Of multiples of a distance the least is taken.
    let counts: Vec<usize> = (1..=MOST).map(|distance| repeats(values, 1, distance)).collect();
    let most = counts.iter().copied().max()?;
    let distance = counts.iter().position(|count| *count >= most - most / 32)? + 1;
    let next = repeats(values, PIECES, 1);
    let enough = (PIECES * PIECE * 3 / 4).max(next + PIECES * PIECE / 8);
    let found = most >= PIECE * 3 / 4 && repeats(values, PIECES, distance) >= enough;
    (found && distance > 1).then_some(distance)
}

/// Appends numbers by their differences to the ones before at some distance, if that takes less than `most` bytes.
pub(crate) fn put(values: &[i64], most: usize, depth: u32, out: &mut Payload) -> bool {
    let Some(distance) = distance(values) else { return false };
    let start = out.len();
    out.push(LAG);
    out.push(u8::try_from(distance).unwrap_or(u8::MAX));
    let difference = |chunk: &[i64], i: usize, value: &i64| {
        let before = i.checked_sub(distance).and_then(|i| chunk.get(i));
        value.wrapping_sub(before.copied().unwrap_or(0))
    };
    let differences: Vec<i64> = values
        .chunks(CHUNK)
        .flat_map(|chunk| chunk.iter().enumerate().map(move |(i, v)| difference(chunk, i, v)))
        .collect();
    super::put(&differences, depth, out);
    let saves = out.size_from(start) < most;
    if !saves {
        out.truncate(start);
    }
    saves
}
