//! Chooses the integer encoding with the smallest cost: size, and a little for decoding time.
//!
//! ```text
//! each chunk     least, greatest, of values and of differences; changes   ──► sizes of frame, frames, deltas: exact
//! a sample       factor of all, distinct values, the most frequent one    ──► tried where it may pay, and measured
//! neighbours     differences with exceptions, a distance of repetition    ──► likewise
//! ```

use super::bit_packing::exceptions::MOST_EXCEPTIONS;
use super::bit_packing::{self, BitPackingPlan};
use super::bitmap;
use super::byte_stream_split::Spread;
use super::common_factor;
use super::differences::Differences;
use super::lag;
use super::sparse;
use super::tail;
use super::value_counts::Counted;
use super::*;
use crate::kernel::{self, CHUNK, ChunkStats, Level};
use crate::pack::payload::Payload;
use crate::wire;

/// The number of values that are sampled.
const SAMPLE: usize = 512;

/// Fewer numbers are not worth a search.
const FEW: usize = 48;

/// Byte frequencies are not estimated for fewer numbers.
const SOME: usize = 256;

/// Encodes numbers with the smallest result. Returns their minimum and maximum, or zeros if there are none.
pub(crate) fn put(values: &[i64], depth: u32, out: &mut Payload) -> (i64, i64) {
    let chunks = values.chunks(CHUNK);
    let stats: Vec<_> =
        chunks.map(|chunk| kernel::bitpack::chunk_stats(Level::in_use(), chunk)).collect();
    put_known(values, &stats, depth, out);
    let least = stats.iter().map(|stats| stats.min).min();
    (least.unwrap_or(0), stats.iter().map(|stats| stats.max).max().unwrap_or(0))
}

fn put_known(values: &[i64], stats: &[ChunkStats], depth: u32, out: &mut Payload) {
    let mut choice = IntegerChoice::of(values, stats);
    if choice.constant {
        out.push(CONSTANT);
        return wire::put_long(out, values.first().copied().unwrap_or(0));
    }
    let start = out.len();
    let deeper = depth.saturating_sub(1);
    // Runs are found at once, so they are tried where little can be saved.
    let little = choice.bytes <= values.len() / 16;
    if little && deeper > 0 && put_runs(values, stats, choice.bytes, deeper, out) {
        return;
    }
    let searched = values.len() >= FEW && deeper > 0 && !little;
    let sample = searched.then(|| Sample::of(values));
    let spread = match out.is_for_zstd() && values.len() >= SOME {
        true if sample.as_ref().is_some_and(Sample::is_of_one) => None,
        true => Spread::of(values, choice.min, choice.width, deeper),
        false => None,
    };
    let spread = spread.filter(|spread| spread.bytes < choice.bytes - choice.bytes / 32);
    choice.bytes = spread.as_ref().map_or(choice.bytes, |spread| spread.bytes);
    if let Some(sample) = sample {
        if let Some(factor) = common_factor::of(&sample.values, choice.min)
            && let Some(quotients) = common_factor::quotients(values, factor, choice.min)
        {
            out.push(MULTIPLES);
            wire::put_long(out, factor.cast_signed());
            wire::put_long(out, choice.min);
            put(&quotients, deeper, out);
            return;
        }
        let mut best = choice.bytes;
        if put_runs(values, stats, best, deeper, out)
            || sample.put_frequent(values, best, deeper, out)
        {
            best = out.size_from(start);
        }
        let runs = out.split_off(start);
        // It is slower to read than all others.
        let lags = sample.is_of_few() && lag::put(values, deeper, out);
        if lags && keep(start, best - best / 3, out) {
            return;
        }
        if sample.put_dictionary(values, best, deeper, out) {
            return;
        }
        if !runs.is_empty() {
            return out.append(&runs);
        }
    }
    match spread {
        Some(spread) => spread.put(values, choice.min, deeper, out),
        None => choice.put(values, stats, deeper, out),
    }
}

/// Wider values are stored plain.
const WIDE: u32 = 57;

/// The best of the forms whose size is known at once.
struct IntegerChoice {
    constant: bool,
    min: i64,
    width: u32,
    kind: PackedKind,
    bytes: usize,
}

enum PackedKind {
    Frame,
    Frames(Vec<BitPackingPlan>),
    Deltas,
    DeltasWithExceptions(Differences),
}

impl IntegerChoice {
    fn of(values: &[i64], stats: &[ChunkStats]) -> Self {
        let min = stats.iter().map(|stats| stats.min).min().unwrap_or(0);
        let max = stats.iter().map(|stats| stats.max).max().unwrap_or(0);
        let width = bit_packing::bits(min, max);
        // An encoding that is only a little smaller than plain takes longer to read than it saves.
        let (min, width) = if width > WIDE { (0, 64) } else { (min, width) };
        let constant = width == 0;
        let mut choice = Self { constant, min, width, kind: PackedKind::Frame, bytes: 0 };
        if constant {
            return choice;
        }
        choice.bytes = tail::size(values.len(), width) + long_size(min) + 1;
        let plans: Vec<BitPackingPlan> =
            values.chunks(CHUNK).zip(stats).map(|(chunk, stats)| plan(chunk, stats)).collect();
        let frames = heads(stats.len(), width) + packed_size(&plans, values.len());
        if frames < choice.bytes {
            (choice.kind, choice.bytes) = (PackedKind::Frames(plans), frames);
        }
        choice.try_deltas(values, stats);
        choice
    }

    /// Chooses differences if they are a tenth smaller: they are added up one after the other.
    fn try_deltas(&mut self, values: &[i64], stats: &[ChunkStats]) {
        let min = stats.iter().map(|stats| stats.min_delta).min().unwrap_or(0);
        let max = stats.iter().map(|stats| stats.min_delta).max().unwrap_or(0);
        let heads =
            heads(stats.len(), self.width) + heads(stats.len(), bit_packing::bits(min, max));
        let exact = values.chunks(CHUNK).zip(stats);
        let exact = exact.map(|(n, stats)| tail::size(n.len(), bit_packing::delta_width(stats)));
        let exact = heads + exact.sum::<usize>();
        if exact + exact / 10 < self.bytes {
            (self.kind, self.bytes) = (PackedKind::Deltas, exact);
        }
        // Runs are as small where most differences are 0, and faster to read; two bits are few.
        let changes = stats.iter().map(|stats| stats.changes).sum::<usize>();
        if changes < values.len() / 16 || self.bytes < values.len() / 4 {
            return;
        }
        let most = (self.bytes - self.bytes / 10).saturating_sub(heads);
        if let Some(differences) = Differences::with_exceptions(values, stats, most) {
            let bytes = heads + packed_size(differences.plans(), values.len());
            if bytes + bytes / 10 < self.bytes {
                (self.kind, self.bytes) = (PackedKind::DeltasWithExceptions(differences), bytes);
            }
        }
    }

    fn put(&self, values: &[i64], stats: &[ChunkStats], depth: u32, out: &mut Payload) {
        // Bases and differences would be nested too deep.
        match if depth == 0 { &PackedKind::Frame } else { &self.kind } {
            PackedKind::Frame => {
                out.push(FRAME);
                bit_packing::put_frame(values, self.min, self.width, out);
            }
            PackedKind::Frames(plans) => {
                out.push(FRAMES);
                bit_packing::put_frames(values, plans, depth, out);
            }
            PackedKind::Deltas => {
                out.push(DELTAS);
                Differences::exact(values, stats).put(depth, out);
            }
            PackedKind::DeltasWithExceptions(differences) => {
                out.push(DELTAS);
                differences.put(depth, out);
            }
        }
    }
}

/// Returns about how many bytes the widths of chunks and their bases, of this many bits, take.
fn heads(chunks: usize, width: u32) -> usize {
    chunks * (1 + width.div_ceil(8) as usize) + 8
}

/// Returns about how many bytes `n` offsets and their exceptions take.
fn packed_size(plans: &[BitPackingPlan], n: usize) -> usize {
    let sizes = (0..plans.len()).map(|c| (n - c * CHUNK).min(CHUNK));
    let chunk =
        |(plan, n): (&BitPackingPlan, usize)| tail::size(n, plan.width) + plan.exceptions * 4;
    plans.iter().zip(sizes).map(chunk).sum()
}

fn long_size(value: i64) -> usize {
    usize::try_from(kernel::varint::varint_size(Level::in_use(), &[value])).unwrap_or(10)
}

/// Returns the width with the smallest size of a chunk and its exceptions.
fn plan(chunk: &[i64], stats: &ChunkStats) -> BitPackingPlan {
    let full = bit_packing::bits(stats.min, stats.max);
    let mut best = BitPackingPlan { base: stats.min, width: full, exceptions: 0 };
    let mut least = tail::size(chunk.len(), full);
    for width in (0..full).rev() {
        let exceptions = kernel::bitpack::count_above(Level::in_use(), chunk, stats.min, width);
        if exceptions > MOST_EXCEPTIONS.min(chunk.len() / 8) {
            break;
        }
        let above = (full - width).div_ceil(8) as usize;
        let bytes = tail::size(chunk.len(), width) + exceptions * (3 + above);
        if bytes < least - least / 32 {
            (least, best) = (bytes, BitPackingPlan { base: stats.min, width, exceptions });
        }
    }
    best
}

/// Appends runs, if they take less than `most` and are long enough.
fn put_runs(
    values: &[i64],
    stats: &[ChunkStats],
    most: usize,
    depth: u32,
    out: &mut Payload,
) -> bool {
    let changes: usize = stats.iter().map(|stats| stats.changes + 1).sum();
    if changes > values.len() / 3 || changes > most || changes > MOST_PARTS {
        return false;
    }
    let (mut runs, mut lengths): (Vec<i64>, Vec<i64>) = (Vec::new(), Vec::new());
    for run in values.chunk_by(|a, b| a == b) {
        runs.extend(run.first());
        lengths.push(long(run.len() - 1));
    }
    let start = out.len();
    out.push(RUNS);
    wire::put_long(out, long(runs.len()));
    put(&runs, depth, out);
    put(&lengths, depth, out);
    // Many short runs are faster to read without run-length encoding.
    let worth = if changes > values.len() / 8 { most / 3 } else { most - most / 8 };
    keep(start, worth, out)
}

/// Removes what was appended if it is larger.
fn keep(start: usize, most: usize, out: &mut Payload) -> bool {
    let kept = out.size_from(start) < most;
    if !kept {
        out.truncate(start);
    }
    kept
}

/// Values at even distances.
struct Sample {
    values: Vec<i64>,
    counted: Counted,
}

impl Sample {
    fn of(values: &[i64]) -> Self {
        // Not of all rows of a period: the step is odd.
        let step = (values.len() / SAMPLE) | 1;
        let values: Vec<i64> = values.iter().step_by(step).copied().collect();
        let all = values.iter().map(|value| value.cast_unsigned());
        let counted = Counted::of(all, values.len()).unwrap_or_default();
        Self { values, counted }
    }

    /// Returns whether nearly all are one: zstd would look for stretches of it, and pay for each.
    fn is_of_one(&self) -> bool {
        let count = self.counted.most_frequent().map_or(0, |(_, count)| count);
        count * 5 >= self.values.len() * 4
    }

    /// Returns whether many values are repeated, so that a group of rows may repeat one before.
    fn is_of_few(&self) -> bool {
        self.counted.values.len() * 3 <= self.values.len()
    }

    /// Appends the most frequent value and the others, if they take less than `most`.
    fn put_frequent(&self, values: &[i64], most: usize, depth: u32, out: &mut Payload) -> bool {
        let Some((value, count)) = self.counted.most_frequent() else { return false };
        let value = value.cast_signed();
        let others = (self.values.len() - count) * values.len() / self.values.len().max(1);
        // A bit or a byte for the position of each exception, and at least half a byte for its value.
        let hopeless = (values.len() / 8).min(others) + others / 2 >= most - most / 8;
        if count * 10 < self.values.len() * 7 || hopeless {
            return false;
        }
        let (bitmap, mut rest) = sparse::others(values, |other| other != value);
        rest.iter_mut().for_each(|other| *other = other.wrapping_sub(value));
        let start = out.len();
        out.push(FREQUENT);
        wire::put_long(out, value);
        bitmap::put(&bitmap, 0, values.len(), depth, out);
        put(&rest, depth, out);
        keep(start, most - most / 8, out)
    }

    /// Appends the distinct values and the code of each, if that takes less than `most`.
    fn put_dictionary(&self, values: &[i64], most: usize, depth: u32, out: &mut Payload) -> bool {
        let Some(distinct) = self.counted.estimate_distinct() else { return false };
        // Of few, the sample has nearly all.
        let known = self.counted.values.len();
        let distinct = if known * 4 <= self.values.len() { known } else { distinct };
        let width = usize::BITS - distinct.saturating_sub(1).leading_zeros();
        // Entries ascend, and are packed as differences.
        let span = self.values.iter().max().zip(self.values.iter().min());
        let span = span.map_or(0, |(max, min)| max.wrapping_sub(*min).cast_unsigned());
        let entry = 66 - (span / (distinct as u64).max(1)).leading_zeros();
        let size = tail::size(values.len(), width) + tail::size(distinct, entry);
        if size >= most - most / 8 {
            return false;
        }
        let all = values.iter().map(|value| value.cast_unsigned());
        let Some(counted) = Counted::of(all, values.len() / 2) else { return false };
        // In order, so that codes compare as values do.
        let (order, coded) = counted.in_order(|a, b| a.cast_signed().cmp(&b.cast_signed()));
        let order: Vec<i64> = order.into_iter().map(u64::cast_signed).collect();
        let start = out.len();
        out.push(DICTIONARY);
        wire::put_long(out, long(order.len()));
        put(&order, depth, out);
        put(&coded, depth, out);
        keep(start, most - most / 8, out)
    }
}
