//! Applies the filters of a chunk in order.
//!
//! ```text
//! writing   block ──► truncate ──► step ──► step ──► ... ──► streams
//! reading   block ◄─────────────── step ◄── step ◄── ... ◄── streams
//! ```
//! A step is a shuffle or delta, in any order. Delta refers to block 0 as it is read; in block 0 itself, to the bytes
//! of the step before it. Only truncation is the first. Each shuffle moves a block from one buffer to the next; delta
//! is inverted in place.

use std::mem;

use super::{Filter, Filters, delta, trunc_prec};
use crate::shuffle;
use trevni::simd::Level;
use trevni::{Error, Result};

/// A filter that is inverted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Delta,
    Move(Move),
}

/// A filter that moves bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Move {
    Shuffle {
        width: usize,
    },
    /// `whole`: only for blocks whose number of elements is a multiple of 8, as in the first generation.
    BitShuffle {
        width: usize,
        whole: bool,
    },
}

/// The filters of a chunk.
#[derive(Debug, Clone)]
pub(crate) struct Pipeline {
    typesize: usize,
    truncation: Option<i8>,
    steps: Vec<Step>,
}

/// Working memory of a pipeline, of a block each.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    full: Vec<u8>,
    free: Vec<u8>,
    /// Block 0 of the chunk that is written, if it is truncated.
    reference: Vec<u8>,
}

impl Pipeline {
    /// Creates the pipeline of these filters. `whole` selects the bit shuffle of the first generation.
    pub(crate) fn new(filters: &Filters, typesize: u8, whole: bool) -> Result<Self> {
        let typesize = usize::from(typesize);
        let mut pipeline = Self { typesize, truncation: None, steps: Vec::new() };
        for filter in filters {
            match *filter {
                Filter::None => {}
                Filter::Shuffle { group } => {
                    let width = if group == 0 { typesize } else { usize::from(group) };
                    if width > 1 {
                        pipeline.steps.push(Step::Move(Move::Shuffle { width }));
                    }
                }
                Filter::BitShuffle => {
                    pipeline.steps.push(Step::Move(Move::BitShuffle { width: typesize, whole }));
                }
                Filter::Delta => pipeline.steps.push(Step::Delta),
                Filter::TruncPrec { bits } => pipeline.truncation = Some(bits),
            }
        }
        Ok(pipeline)
    }

    /// Whether it can be applied: delta at most once; truncation of floats, once, and before all else.
    pub(crate) fn check(&self, filters: &Filters) -> Result<()> {
        if self.steps.iter().filter(|step| **step == Step::Delta).count() > 1 {
            return Err(Error::invalid("more than one delta filter"));
        }
        let Some(bits) = self.truncation else { return Ok(()) };
        trunc_prec::cleared(self.typesize, bits)?;
        match filters
            .iter()
            .filter(|filter| **filter != Filter::None)
            .enumerate()
            .any(|(place, filter)| place > 0 && matches!(filter, Filter::TruncPrec { .. }))
        {
            true => Err(Error::invalid("a truncation that is not the first filter")),
            false => Ok(()),
        }
    }

    /// Returns whether blocks refer to block 0.
    pub(crate) fn has_delta(&self) -> bool {
        self.steps.contains(&Step::Delta)
    }

    fn moves(&self) -> usize {
        self.steps.iter().filter(|step| matches!(step, Step::Move(_))).count()
    }

    /// Returns how many buffers of a block are needed to read one.
    pub(crate) fn buffers(&self) -> usize {
        self.moves().min(2)
    }

    /// Returns whether decoding moves bytes, so that streams cannot be read in place.
    pub(crate) fn has_moves(&self) -> bool {
        self.moves() > 0
    }

    /// Returns the width of elements, if all that happens to blocks is one shuffle of their bytes.
    pub(crate) fn only_shuffle(&self) -> Option<usize> {
        match self.steps.as_slice() {
            [Step::Move(Move::Shuffle { width })] => Some(*width),
            _ => None,
        }
    }

    /// Returns the filtered bytes of a block. `first` is block 0 before filters, `None` if this is it.
    pub(crate) fn forward<'a>(
        &self,
        block: &'a [u8],
        first: Option<&[u8]>,
        scratch: &'a mut Scratch,
    ) -> &'a [u8] {
        let Scratch { full, free, reference } = scratch;
        let (mut full, mut free) = (room(full, block.len()), room(free, block.len()));
        let mut is_filled = false;
        let mut step = |apply: &mut dyn FnMut(&[u8], &mut [u8])| {
            apply(if is_filled { full } else { block }, free);
            mem::swap(&mut full, &mut free);
            is_filled = true;
        };
        if let Some(cleared) = self.cleared() {
            step(&mut |from, to| {
                trunc_prec::truncate(self.typesize, cleared, from, to);
                if first.is_none() && self.has_delta() {
                    to.clone_into(reference);
                }
            });
        }
        // Blocks are read relative to what is read of block 0.
        let first = match self.truncation {
            Some(_) => first.map(|_| reference.as_slice()),
            None => first,
        };
        for filter in &self.steps {
            match (filter, first) {
                (Step::Move(moved), _) => step(&mut |from, to| moved.forward(from, to)),
                (Step::Delta, None) => step(&mut |from, to| delta::first(self.typesize, from, to)),
                (Step::Delta, Some(first)) => {
                    step(&mut |from, to| delta::other(self.typesize, first, from, to));
                }
            }
        }
        if is_filled { full } else { block }
    }

    /// Fills `out` with a block, of what its streams gave: `streams`, or `out` itself if nothing is moved. `first` is
    /// block 0, read; `None` if this is it.
    pub(crate) fn backward<'a>(
        &self,
        mut streams: &'a mut [u8],
        turn: &'a mut Vec<u8>,
        out: &mut [u8],
        first: Option<&[u8]>,
    ) {
        let mut left = self.moves();
        let mut turn = room(turn, if left > 1 { out.len() } else { 0 });
        let mut is_moved = left == 0;
        for step in self.steps.iter().rev() {
            match step {
                Step::Delta => {
                    let block = if is_moved { &mut *out } else { &mut *streams };
                    match first {
                        None => delta::undo_first(self.typesize, block),
                        Some(first) => delta::undo_other(self.typesize, first, block),
                    }
                }
                Step::Move(last) if left == 1 => {
                    last.backward(streams, out);
                    is_moved = true;
                }
                Step::Move(moved) => {
                    moved.backward(streams, turn);
                    mem::swap(&mut streams, &mut turn);
                    left -= 1;
                }
            }
        }
    }

    fn cleared(&self) -> Option<u32> {
        trunc_prec::cleared(self.typesize, self.truncation?).ok()
    }
}

impl Move {
    fn forward(self, bytes: &[u8], out: &mut [u8]) {
        let level = Level::in_use();
        match self {
            Move::Shuffle { width } => shuffle::shuffle(level, width, bytes, out),
            Move::BitShuffle { width, whole } if whole && !is_whole(width, bytes) => {
                out.copy_from_slice(bytes);
            }
            Move::BitShuffle { width, .. } => shuffle::bitshuffle(level, width, bytes, out),
        }
    }

    fn backward(self, bytes: &[u8], out: &mut [u8]) {
        let level = Level::in_use();
        match self {
            Move::Shuffle { width } => shuffle::unshuffle(level, width, bytes, out),
            Move::BitShuffle { width, whole } if whole && !is_whole(width, bytes) => {
                out.copy_from_slice(bytes);
            }
            Move::BitShuffle { width, .. } => shuffle::unbitshuffle(level, width, bytes, out),
        }
    }
}

fn is_whole(width: usize, bytes: &[u8]) -> bool {
    (bytes.len() / width).is_multiple_of(8)
}

/// `len` bytes of `buffer`, whatever they are, made larger if it must be.
pub(crate) fn room(buffer: &mut Vec<u8>, len: usize) -> &mut [u8] {
    if buffer.len() < len {
        *buffer = vec![0; len];
    }
    buffer.get_mut(..len).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::Filter::{BitShuffle, Delta, None, Shuffle, TruncPrec};
    use super::*;

    const SHUFFLE: Filter = Shuffle { group: 0 };

    fn there_and_back(filters: Filters, typesize: u8, blocks: [&[u8]; 2]) {
        let pipeline = Pipeline::new(&filters, typesize, false).unwrap();
        pipeline.check(&filters).unwrap();
        let mut scratch = Scratch::default();
        let mut first = Vec::new();
        for (k, block) in blocks.into_iter().enumerate() {
            let reference = |first| if k == 0 { Option::None } else { Some(first) };
            let filtered = pipeline.forward(block, reference(blocks[0]), &mut scratch).to_vec();
            let (mut streams, mut out, mut turn) = (filtered.clone(), filtered, Vec::new());
            pipeline.backward(&mut streams, &mut turn, &mut out, reference(&first[..]));
            let mut expected = block.to_vec();
            if let Some(cleared) = pipeline.cleared() {
                trunc_prec::truncate(usize::from(typesize), cleared, block, &mut expected);
            }
            assert_eq!(out, expected, "{filters:?} {typesize} block {k}");
            if k == 0 {
                first = out;
            }
        }
    }

    #[test]
    fn all_orders_go_both_ways() {
        let data: Vec<u8> = (0..999_u32).map(|i| (i * i / 5).to_le_bytes()[0]).collect();
        for typesize in [1, 2, 3, 4, 7, 8, 16, 17, 40, 255] {
            let blocks = [&data[..600], &data[600..]];
            for filters in [
                [None; 6],
                [None, None, None, None, None, SHUFFLE],
                [None, BitShuffle, None, None, None, None],
                [None, None, None, None, Delta, SHUFFLE],
                [Delta, None, None, None, None, None],
                [Delta, SHUFFLE, BitShuffle, Shuffle { group: 5 }, SHUFFLE, BitShuffle],
                [BitShuffle, Delta, None, None, None, None],
                [None, SHUFFLE, None, BitShuffle, Delta, SHUFFLE],
            ] {
                there_and_back(filters, typesize, blocks);
            }
            if matches!(typesize, 4 | 8) {
                let bits = TruncPrec { bits: 9 };
                there_and_back([bits, None, None, None, Delta, SHUFFLE], typesize, blocks);
                there_and_back([None, bits, None, None, None, None], typesize, blocks);
                there_and_back([bits, SHUFFLE, Delta, BitShuffle, None, None], typesize, blocks);
            }
        }
    }

    #[test]
    fn refuses_what_is_not_written() {
        for filters in [
            [None, Delta, None, Delta, None, None],
            [Delta, TruncPrec { bits: 5 }, None, None, None, None],
            [TruncPrec { bits: 0 }, None, None, None, None, None],
            [TruncPrec { bits: 5 }, TruncPrec { bits: 6 }, None, None, None, None],
        ] {
            assert!(Pipeline::new(&filters, 4, false).unwrap().check(&filters).is_err());
        }
    }
}
