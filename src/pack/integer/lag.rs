//! Lag encoding: differences to the number that stands a fixed distance before.
//!
//! ```text
//! numbers       3 8 5 3 8 5 3 8 6 ...      distance 3
//! differences   3 8 5 0 0 0 0 0 1 ...      the first three of a chunk are the numbers themselves
//! ```
//! Columns repeat so where rows are grouped: each group has a row for each of the same few keys.

use std::fmt;
use std::ops::Range;

use super::chunk_start;
use super::{LAG, Numbers};
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
        chunk_start::read(range, |c, n, out| self.sums(c, n, out), out)
    }

    /// Appends the numbers at positions, which ascend and are in range.
    pub(crate) fn pick<T: Modular>(&self, places: &[u32], out: &mut Vec<T>) -> Result<()> {
        chunk_start::pick(places, |c, n, out| self.sums(c, n, out), out)
    }

    /// Appends the first `n` numbers of a chunk.
    fn sums<T: Modular>(&self, c: usize, n: usize, out: &mut Vec<T>) -> Result<()> {
        let start = out.len();
        self.differences.read(c * CHUNK..c * CHUNK + n, out)?;
        self.add_up(out.get_mut(start..).unwrap_or_default());
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

/// Appends numbers by their differences to the ones before at some distance. Returns false if they repeat at none.
pub(crate) fn put(values: &[i64], depth: u32, out: &mut Payload) -> bool {
    let Some(distance) = distance(values) else { return false };
    out.push(LAG);
    out.push(u8::try_from(distance).unwrap_or(u8::MAX));
    let mut differences = Vec::with_capacity(values.len());
    for chunk in values.chunks(CHUNK) {
        let (first, rest) = chunk.split_at(distance.min(chunk.len()));
        differences.extend_from_slice(first);
        differences.extend(rest.iter().zip(chunk).map(|(v, before)| v.wrapping_sub(*before)));
    }
    super::put(&differences, depth, out);
    true
}
