//! Fills null slots before packing and computes the plain-encoded size.
//!
//! ```text
//! validity  1 1 0 1 0       slots   a b b c c       a null repeats the value before it, which packs well and is
//! values    a b ? c ?                               read without moving values to their row positions
//!                           dense   a b c           where most rows are null
//! ```

use std::ops::Range;

use crate::format::bitmap::Bits;
use crate::format::block_values::ItemCounts;
use crate::format::lengths::LengthsEncoder;
use crate::format::value::ValueType;
use crate::format::values::Values;
use crate::kernel::{self, Level};

/// The form of the filled values.
#[derive(Debug)]
pub(crate) struct FilledValues {
    /// Whether null slots were removed instead of filled.
    pub(crate) dense: bool,
    /// The plain-encoded size of all values, in bytes.
    pub(crate) size: u64,
}

/// Null slots are removed where fewer than one row in this many has a value.
const SPARSE: usize = 2;

pub(crate) fn fill_nulls(
    value_type: ValueType,
    counts: &ItemCounts,
    values: &mut Values,
    with_runs: bool,
) -> FilledValues {
    let bits = match counts {
        ItemCounts::One => return FilledValues { dense: false, size: size_of(value_type, values) },
        ItemCounts::Lengths(lengths) => {
            let size = lengths_size(value_type, lengths, with_runs);
            let booleans = lengths.iter().map(|length| u64::from(length.div_ceil(8))).sum();
            let values = match value_type {
                ValueType::Boolean => booleans,
                _ => size_of(value_type, values),
            };
            return FilledValues { dense: false, size: size + values };
        }
        ItemCounts::Presence(bits) => bits,
    };
    let n = bits.len();
    let ones = kernel::bitmap::count_ones(bits.as_bytes(), 0, n);
    let counts = presence_size(value_type, bits, ones, with_runs);
    let dense = value_type != ValueType::Null && ones * SPARSE < n;
    if dense {
        compact(values, bits);
    } else {
        fill(values, bits, false);
    }
    let zeros = if dense { 0 } else { (n - ones) as u64 * zero_size(value_type) };
    let size = match value_type {
        ValueType::Boolean => ones as u64,
        value_type => size_of(value_type, values) - zeros,
    };
    if !dense && ones < n {
        fill(values, bits, true);
    }
    FilledValues { dense, size: counts + size }
}

/// Returns the bytes of values without lengths.
fn size_of(value_type: ValueType, values: &Values) -> u64 {
    match values {
        Values::Null(_) | Values::Views(_) | Values::Dictionary(_) | Values::Wide(_) => 0,
        Values::Boolean(bits) => bits.len().div_ceil(8) as u64,
        Values::Int(v) if value_type == ValueType::Int => {
            let wide: Vec<i64> = v.iter().map(|v| i64::from(*v)).collect();
            kernel::varint::varint_size(Level::in_use(), &wide)
        }
        Values::Long(v) if value_type == ValueType::Long => {
            kernel::varint::varint_size(Level::in_use(), v)
        }
        Values::Int(v) => v.len() as u64 * 4,
        Values::Float(v) => v.len() as u64 * 4,
        Values::Long(v) => v.len() as u64 * 8,
        Values::Double(v) => v.len() as u64 * 8,
        Values::Bytes(strings) => {
            let lengths = strings.offsets.windows(2).map(|pair| match pair {
                [start, end] => i64::from(end - start),
                _ => 0,
            });
            let lengths: Vec<i64> = lengths.collect();
            kernel::varint::varint_size(Level::in_use(), &lengths) + strings.data.len() as u64
        }
    }
}

/// Returns the size of the value that fills a null slot.
fn zero_size(value_type: ValueType) -> u64 {
    match value_type {
        ValueType::Null | ValueType::Boolean => 0,
        ValueType::Int | ValueType::Long | ValueType::String | ValueType::Bytes => 1,
        ValueType::Fixed32 | ValueType::Float => 4,
        ValueType::Fixed64 | ValueType::Double => 8,
    }
}

fn lengths_size(value_type: ValueType, lengths: &[u32], with_runs: bool) -> u64 {
    let (mut encoder, mut out) = (LengthsEncoder::new(with_runs), Vec::new());
    if value_type == ValueType::Null {
        lengths.iter().for_each(|length| encoder.put(*length, &mut out));
        encoder.flush(&mut out);
        return out.len() as u64;
    }
    // Each length that is not 0 is written before its values.
    let size = |length: &u32| u64::from((70 - (u64::from(*length) << 1 | 1).leading_zeros()) / 7);
    let (mut sum, mut zeros) = (0, 0);
    for length in lengths {
        if *length == 0 {
            zeros += 1;
            continue;
        }
        if zeros > 0 {
            encoder.put_run(false, std::mem::take(&mut zeros), &mut out);
            encoder.flush(&mut out);
        }
        sum += size(length);
    }
    encoder.put_run(false, zeros, &mut out);
    encoder.flush(&mut out);
    sum + out.len() as u64
}

fn presence_size(value_type: ValueType, bits: &Bits, ones: usize, with_runs: bool) -> u64 {
    let (mut encoder, mut out) = (LengthsEncoder::new(with_runs), Vec::new());
    let valued = value_type != ValueType::Null;
    kernel::bitmap::for_each_run(bits.as_bytes(), 0, bits.len(), |bit, count| match bit {
        // Each length is written before its value.
        true if valued => encoder.flush(&mut out),
        bit => encoder.put_run(bit, count, &mut out),
    });
    encoder.flush(&mut out);
    out.len() as u64 + if valued { ones as u64 } else { 0 }
}

/// Fills null slots with zeros or the value before. Strings are empty there already.
fn fill(values: &mut Values, bits: &Bits, before: bool) {
    match values {
        Values::Int(v) => fill_slots(v, bits, before),
        Values::Long(v) => fill_slots(v, bits, before),
        Values::Float(v) => fill_slots(v, bits, before),
        Values::Double(v) => fill_slots(v, bits, before),
        Values::Boolean(v) => v.mask(bits),
        Values::Null(_)
        | Values::Bytes(_)
        | Values::Views(_)
        | Values::Dictionary(_)
        | Values::Wide(_) => {}
    }
}

fn fill_slots<T: Copy + Default>(values: &mut [T], bits: &Bits, before: bool) {
    // The slots before the first value take that value. Runs are reported in pieces of at most 64 slots.
    let mut last = None;
    bits.each_run(|validity, run| match (validity, before) {
        (true, true) => {
            if last.is_none() {
                let first = values.get(run.start).copied().unwrap_or_default();
                put(values, 0..run.start, first);
            }
            last = values.get(run.end - 1).copied();
        }
        (true, false) => {}
        (false, _) => put(values, run, last.unwrap_or_default()),
    });
}

fn put<T: Copy>(values: &mut [T], run: Range<usize>, value: T) {
    if let Some(slots) = values.get_mut(run) {
        slots.fill(value);
    }
}

/// Removes null slots.
fn compact(values: &mut Values, bits: &Bits) {
    match values {
        Values::Int(v) => keep(v, bits),
        Values::Long(v) => keep(v, bits),
        Values::Float(v) => keep(v, bits),
        Values::Double(v) => keep(v, bits),
        Values::Boolean(v) => {
            let mut kept = Bits::default();
            bits.each_run(|validity, run| {
                if validity {
                    kept.extend(v.as_bytes(), run.start, run.len());
                }
            });
            *v = kept;
        }
        Values::Bytes(strings) => {
            let mut ends = vec![0];
            bits.each_run(|validity, run| {
                let all = strings.offsets.get(run.start + 1..=run.end).unwrap_or_default();
                ends.extend(all.iter().filter(|_| validity));
            });
            strings.offsets = ends;
        }
        Values::Null(_) | Values::Views(_) | Values::Dictionary(_) | Values::Wide(_) => {}
    }
}

fn keep<T: Copy>(values: &mut Vec<T>, bits: &Bits) {
    let mut kept = 0;
    bits.each_run(|validity, run| {
        if validity {
            values.copy_within(run.clone(), kept);
            kept += run.len();
        }
    });
    values.truncate(kept);
}
