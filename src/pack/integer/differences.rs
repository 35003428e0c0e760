//! The differences of numbers, and how each chunk of them is packed.
//!
//! ```text
//! numbers       10 11 13 12 │ 70 71 ...       base -1, width 2
//! differences      1  2 -1  │    1            offsets 2 3 0; of the first of a chunk 0
//! ```
//! A difference below the base, or 2^width and more above it, is an exception. Where numbers ascend but for a few, or
//! change by little but for a few, most differences fit few bits.

use super::bit_packing::exceptions::MOST_EXCEPTIONS;
use super::bit_packing::{self, BitPackingPlan};
use super::tail;
use crate::kernel::{self, CHUNK, ChunkStats, Level};
use crate::pack::payload::Payload;

/// Differences that are sampled, in pieces of neighbours.
const SAMPLE: usize = 128;
const PIECE: usize = 32;

/// The most exceptions among the sampled differences.
const MOST_OF_SAMPLE: usize = SAMPLE * MOST_EXCEPTIONS / CHUNK;

/// The differences of numbers, and the plan of each chunk of them.
pub(crate) struct Differences {
    firsts: Vec<i64>,
    /// Of each number to the one before; of the first of a chunk the base.
    values: Vec<i64>,
    plans: Vec<BitPackingPlan>,
}

/// A base and a width that fit most of the sampled differences.
struct Window {
    base: i64,
    width: u32,
    /// The size of the sample, in bits.
    bits: usize,
}

impl Differences {
    /// Without exceptions.
    pub(crate) fn exact(values: &[i64], stats: &[ChunkStats]) -> Self {
        Self::planned(values, stats, |_, stats| exact_plan(stats))
    }

    /// With exceptions; `None` if a sample shows that they take no less than `most` bytes.
    pub(crate) fn with_exceptions(
        values: &[i64],
        stats: &[ChunkStats],
        most: usize,
    ) -> Option<Self> {
        let window = Window::of(values)?;
        if window.bits.saturating_mul(values.len()) / (SAMPLE * 8) >= most {
            return None;
        }
        Some(Self::planned(values, stats, |differences, stats| window.plan(differences, stats)))
    }

    /// Has `plan` decide about the differences of each chunk, without that of the first.
    fn planned(
        values: &[i64],
        stats: &[ChunkStats],
        plan: impl Fn(&[i64], &ChunkStats) -> BitPackingPlan,
    ) -> Self {
        let (mut differences, mut plans) = (Vec::with_capacity(values.len()), Vec::new());
        for (chunk, stats) in values.chunks(CHUNK).zip(stats) {
            let first = differences.len();
            differences.push(0);
            differences.extend(between(chunk));
            if let Some((first, rest)) =
                differences.get_mut(first..).and_then(<[i64]>::split_first_mut)
            {
                let plan = plan(rest, stats);
                *first = plan.base;
                plans.push(plan);
            }
        }
        Self { firsts: firsts(values), values: differences, plans }
    }

    pub(crate) fn plans(&self) -> &[BitPackingPlan] {
        &self.plans
    }

    /// Appends them.
    pub(crate) fn put(&self, depth: u32, out: &mut Payload) {
        super::put(&self.firsts, depth, out);
        bit_packing::put_frames(&self.values, &self.plans, depth, out);
    }
}

/// Returns the first number of each chunk.
pub(crate) fn firsts(values: &[i64]) -> Vec<i64> {
    values.chunks(CHUNK).filter_map(<[i64]>::first).copied().collect()
}

/// Returns the plan of a chunk that has room for all of its differences.
fn exact_plan(stats: &ChunkStats) -> BitPackingPlan {
    let width = bit_packing::delta_width(stats);
    BitPackingPlan { base: stats.min_delta, width, exceptions: 0 }
}

/// Returns the difference of each number but the first to the one before.
pub(crate) fn between(values: &[i64]) -> impl Iterator<Item = i64> {
    let rest = values.get(1..).unwrap_or_default();
    rest.iter().zip(values).map(|(value, before)| value.wrapping_sub(*before))
}

impl Window {
    /// Returns the window with the smallest size of a sample; `None` if there are too few numbers for one.
    fn of(values: &[i64]) -> Option<Self> {
        let step = values.len().checked_sub(PIECE + 1)? / (SAMPLE / PIECE - 1);
        if step < PIECE {
            return None;
        }
        let mut sample: Vec<i64> = Vec::with_capacity(SAMPLE);
        for start in (0..SAMPLE / PIECE).map(|piece| piece * step) {
            sample.extend(between(values.get(start..start + PIECE + 1)?));
        }
        sample.sort_unstable();
        let (least, greatest) = (*sample.first()?, *sample.last()?);
        let full = bit_packing::bits(least, greatest);
        let mut best = Self { base: least, width: full, bits: SAMPLE * full as usize };
        for below in [0, 1, 2, 4, MOST_OF_SAMPLE] {
            let rest = sample.get(below..)?;
            let base = *rest.first()?;
            for width in 0..full {
                let fits = |value: &i64| value.wrapping_sub(base).cast_unsigned() >> width == 0;
                let exceptions = SAMPLE - rest.partition_point(fits);
                if exceptions > MOST_OF_SAMPLE {
                    continue;
                }
                let bits = SAMPLE * width as usize + exceptions * (24 + full - width) as usize;
                if bits < best.bits {
                    best = Self { base, width, bits };
                }
            }
        }
        Some(best)
    }

    /// Returns the best plan of the differences of a chunk, with the base of the window or that of the least of them.
    fn plan(&self, differences: &[i64], stats: &ChunkStats) -> BitPackingPlan {
        let (mut best, n) = (exact_plan(stats), differences.len() + 1);
        let full = best.width;
        let mut least = tail::size(n, full);
        for width in self.width.saturating_sub(1)..full.min(self.width + 3) {
            let (level, base) = (Level::in_use(), self.base);
            let exceptions = kernel::bitpack::count_above(level, differences, base, width);
            if exceptions > MOST_EXCEPTIONS.min(n / 8) {
                continue;
            }
            let plan = BitPackingPlan { base, width, exceptions };
            let above = bit_packing::bits(plan.above(stats.min_delta), plan.above(stats.max_delta));
            let bytes = tail::size(n, width) + exceptions * (3 + above.div_ceil(8) as usize);
            if bytes < least {
                (least, best) = (bytes, plan);
            }
        }
        best
    }
}
