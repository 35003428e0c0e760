//! The values of a block that is being filled for the value codec; and how they are packed.
//!
//! ```text
//! batches    [5 6 7] [8 - 9] ...                slices of columns, appended
//! gathered   values 5 6 7 8 · 9     there 1 1 1 1 0 1
//! packed     form │ items │ counts │ values     see packed
//! ```

use std::ops::Range;

use super::bits::Bits;
use super::budget::ReadBudget;
use super::column::ColumnSlice;
use super::encode::Encoder;
use super::packed::{DENSE, LENGTHS, PACKED, PackedBlock, SLOTS};
use super::settle::{Settled, settle};
use super::statistics::{Seen, Told, Watch};
use super::strings::{Offsets, Strings};
use super::value::ValueType;
use super::values::{Values, ValuesRef};
use crate::error::{Error, Result};
use crate::io::Limits;
use crate::kernel;
use crate::pack::{self, DEPTH, Hints, Options, Payload, StringsRef, long};
use crate::wire;

/// The values of a block.
#[derive(Debug)]
pub(super) struct Gathered {
    value_type: ValueType,
    counts: Counts,
    values: Values,
}

/// How many values each item has.
#[derive(Debug)]
pub(super) enum Counts {
    /// One.
    None,
    Lengths(Vec<u32>),
    /// One or none: which have one. The values have a slot for each, there or not.
    There(Bits),
}

impl Gathered {
    pub(super) fn new(value_type: ValueType) -> Self {
        Self { value_type, counts: Counts::None, values: Values::new(value_type) }
    }

    /// All values of an open block, slots for those that are not there. They take no more memory than a row may.
    pub(super) fn of(
        packed: &mut PackedBlock,
        value_type: ValueType,
        array: bool,
        limits: &Limits,
    ) -> Result<Self> {
        let n = packed.len();
        let mut all = Self::new(value_type);
        let budget = ReadBudget::new(limits.row_bytes);
        budget.take(n, all.values.width())?;
        all.values.set_room(budget.left());
        if !array {
            packed.values(n, &mut all.values)?;
        } else if packed.has_bits() {
            let mut there = Bits::default();
            packed.slots(n, &mut there, &mut all.values)?;
            all.counts = Counts::There(there);
        } else {
            let mut lengths = Vec::new();
            let most = limits.values.min(budget.left() / all.values.width().max(1));
            packed.arrays(n, &mut lengths, &mut all.values, most)?;
            all.counts = Counts::Lengths(lengths);
        }
        Ok(all)
    }

    /// Whether nothing has been appended.
    pub(super) fn is_empty(&self) -> bool {
        self.items() == 0
    }

    fn items(&self) -> usize {
        match &self.counts {
            Counts::None => self.values.len(),
            Counts::Lengths(lengths) => lengths.len(),
            Counts::There(bits) => bits.len(),
        }
    }

    /// Forgets all, and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.counts = Counts::None;
        self.values.truncate(0);
    }

    /// About the bytes that are held.
    pub(super) fn bytes(&self) -> usize {
        let counts = match &self.counts {
            Counts::Lengths(lengths) => lengths.len() * 4,
            Counts::None | Counts::There(_) => 0,
        };
        counts
            + match &self.values {
                Values::Bytes(strings) => strings.data.len() + strings.offsets.len() * 4,
                values => values.len() * self.value_type.most_bytes().unwrap_or(1).min(8),
            }
    }

    /// Whether a slice has its counts in the form in which they are here.
    pub(super) fn takes(&self, slice: &ColumnSlice<'_>) -> bool {
        match &self.counts {
            _ if self.is_empty() => true,
            Counts::None => slice.lengths.is_none() && !slice.has_presence(self.value_type),
            Counts::Lengths(_) => slice.lengths.is_some(),
            Counts::There(_) => slice.has_presence(self.value_type),
        }
    }

    /// Appends items of a slice, and their values.
    pub(super) fn append(
        &mut self,
        slice: &ColumnSlice<'_>,
        items: Range<usize>,
        values: Range<usize>,
    ) -> Result<()> {
        if self.is_empty() {
            self.counts = match slice.lengths {
                Some(_) => Counts::Lengths(Vec::new()),
                None if slice.has_presence(self.value_type) => Counts::There(Bits::default()),
                None => Counts::None,
            };
        }
        match (&mut self.counts, slice.lengths, slice.bits(self.value_type)) {
            (Counts::Lengths(all), Some(lengths), _) => {
                all.extend_from_slice(lengths.get(items).unwrap_or_default());
                append(&mut self.values, slice.values, values)
            }
            (Counts::There(there), _, Some((bits, offset))) => {
                there.extend(bits, offset + items.start, items.len());
                match slice.values {
                    // Counts of nulls: the values are those bits.
                    ValuesRef::Boolean { .. } if self.value_type == ValueType::Null => Ok(()),
                    ValuesRef::Bytes { offsets, data } => {
                        let Values::Bytes(out) = &mut self.values else { return Ok(()) };
                        append_slots(out, offsets, data, bits, offset, items)
                    }
                    slots => append(&mut self.values, slots, items),
                }
            }
            _ => append(&mut self.values, slice.values, values),
        }
    }
}

/// Appends values of the same kind.
fn append(to: &mut Values, from: ValuesRef<'_>, range: Range<usize>) -> Result<()> {
    fn part<T>(values: &[T], range: Range<usize>) -> &[T] {
        values.get(range).unwrap_or_default()
    }
    match (to, from) {
        (Values::Null(n), ValuesRef::Null(_)) => *n += range.len(),
        (Values::Boolean(out), ValuesRef::Boolean { bits, offset, .. }) => {
            out.extend(bits, offset + range.start, range.len());
        }
        (Values::Int(out), ValuesRef::Int(v)) => out.extend_from_slice(part(v, range)),
        (Values::Long(out), ValuesRef::Long(v)) => out.extend_from_slice(part(v, range)),
        (Values::Float(out), ValuesRef::Float(v)) => out.extend_from_slice(part(v, range)),
        (Values::Double(out), ValuesRef::Double(v)) => out.extend_from_slice(part(v, range)),
        (Values::Bytes(out), ValuesRef::Bytes { offsets, data }) => {
            return append_strings(out, offsets, data, range);
        }
        _ => return Err(Error::invalid("values of another kind than the column's")),
    }
    Ok(())
}

fn append_strings(
    out: &mut Strings,
    offsets: Offsets<'_>,
    data: &[u8],
    range: Range<usize>,
) -> Result<()> {
    let start = out.data.len();
    let too_large =
        |size: usize| Error::too_large("strings of one block", size as u64, i32::MAX as u64);
    let bytes = offsets.bytes_between(range.clone());
    let end = start.saturating_add(bytes);
    let shift = i32::try_from(start).map_err(|_| too_large(start))?;
    i32::try_from(end).map_err(|_| too_large(end))?;
    let from = offsets.start(range.start);
    out.data.extend_from_slice(data.get(from..from + bytes).unwrap_or_default());
    match offsets {
        Offsets::Small(all) => {
            let ends = all.get(range.start + 1..=range.end).unwrap_or_default();
            let shift = shift.wrapping_sub(i32::try_from(from).unwrap_or(0));
            out.offsets.extend(ends.iter().map(|end| end.wrapping_add(shift)));
        }
        Offsets::Large(all) => {
            let ends = all.get(range.start + 1..=range.end).unwrap_or_default();
            // The distances fit, as their sum does.
            let place = |end: &i64| usize::try_from(*end).unwrap_or(from) - from + start;
            out.offsets.extend(ends.iter().map(|end| i32::try_from(place(end)).unwrap_or(0)));
        }
    }
    Ok(())
}

/// Appends a string for each slot: what lies where nothing is there is left out.
fn append_slots(
    out: &mut Strings,
    offsets: Offsets<'_>,
    data: &[u8],
    bits: &[u8],
    first: usize,
    items: Range<usize>,
) -> Result<()> {
    let mut at = items.start;
    let mut result = Ok(());
    let gapless = offsets.bytes_between(items.clone());
    let mut there = 0;
    kernel::each_run(bits, first + items.start, items.len(), |bit, count| {
        there += if bit { offsets.bytes_between(at..at + count) } else { 0 };
        at += count;
    });
    if there == gapless {
        return append_strings(out, offsets, data, items);
    }
    at = items.start;
    kernel::each_run(bits, first + items.start, items.len(), |bit, count| {
        if bit && result.is_ok() {
            result = append_strings(out, offsets, data, at..at + count);
        } else {
            let last = out.offsets.last().copied().unwrap_or(0);
            out.offsets.extend(std::iter::repeat_n(last, count));
        }
        at += count;
    });
    result
}

impl Gathered {
    /// What these values teach for later ones.
    pub(super) fn hints(&self, options: Options) -> Hints {
        let hints = Hints::new(options);
        match &self.values {
            Values::Float(values) => hints.of_floats(values),
            Values::Double(values) => hints.of_floats(values),
            Values::Bytes(strings) => {
                hints.of_strings(as_ref(strings), self.value_type == ValueType::String)
            }
            _ => hints,
        }
    }

    /// Appends the payload, without a second pass over it.
    pub(super) fn pack(
        &mut self,
        with_runs: bool,
        hints: &Hints,
        out: &mut Payload,
    ) -> (Settled, Told) {
        let settled = settle(self.value_type, &self.counts, &mut self.values, with_runs);
        out.push(PACKED);
        wire::put_long(out, long(self.items()));
        match &self.counts {
            Counts::None => {}
            Counts::Lengths(lengths) => {
                out.push(LENGTHS);
                wire::put_long(out, long(self.values.len()));
                let lengths: Vec<i64> = lengths.iter().map(|length| i64::from(*length)).collect();
                pack::put_numbers(&lengths, DEPTH, out);
            }
            Counts::There(bits) => {
                out.push(if settled.dense { DENSE } else { SLOTS });
                pack::put_bits(bits.as_bytes(), 0, bits.len(), DEPTH, out);
            }
        }
        let some = match &self.counts {
            Counts::There(bits) if !settled.dense => Some(bits),
            _ => None,
        };
        let told = put_values(&self.values, some, hints, out);
        (settled, told)
    }

    /// What there is to see of values that have been packed.
    pub(super) fn seen(&self, mut watch: Watch, dense: bool, told: &Told) -> Seen {
        let values = self.values.as_slice();
        let there = match &self.counts {
            Counts::There(bits) if !dense => kernel::count_ones(bits.as_bytes(), 0, bits.len()),
            _ => values.len(),
        };
        // Slots without a value have one that another has.
        if watch.add_told(there, told) {
            return watch.take();
        }
        match &self.counts {
            Counts::There(bits) if self.value_type == ValueType::Null => {
                watch.count(kernel::count_ones(bits.as_bytes(), 0, bits.len()));
            }
            Counts::There(bits) if !dense => watch.add_slots(values, bits),
            _ => watch.add(values, 0..values.len()),
        }
        watch.take()
    }

    /// The same values as they are serialised without a codec.
    pub(super) fn serialise(&self, with_runs: bool, dense: bool) -> Vec<u8> {
        let fixed = matches!(self.value_type, ValueType::Fixed32 | ValueType::Fixed64);
        let mut encoder = Encoder::new(with_runs);
        let values = self.values.as_slice();
        match &self.counts {
            Counts::None if fixed => encoder.fixed(values, 0..values.len()),
            Counts::None => encoder.values(values, 0..values.len()),
            Counts::Lengths(lengths) => encoder.arrays(lengths, values, 0, fixed),
            Counts::There(bits) if self.value_type == ValueType::Null => {
                encoder.presence(bits.as_bytes(), 0, 0..bits.len());
            }
            Counts::There(bits) => {
                let mut at = 0;
                kernel::each_run(bits.as_bytes(), 0, bits.len(), |there, count| {
                    encoder.arrays(&vec![u32::from(there); count], values, at, fixed);
                    at += if there || !dense { count } else { 0 };
                });
            }
        }
        encoder.finish();
        encoder.bytes
    }
}

fn as_ref(strings: &Strings) -> StringsRef<'_> {
    StringsRef { offsets: &strings.offsets, data: &strings.data }
}

/// Appends values; with bits, only those whose bit is set are there.
fn put_values(values: &Values, there: Option<&Bits>, hints: &Hints, out: &mut Payload) -> Told {
    match values {
        Values::Null(_) | Values::Views(_) | Values::Wide(_) => {}
        Values::Boolean(bits) => pack::put_bits(bits.as_bytes(), 0, bits.len(), DEPTH, out),
        Values::Int(v) => {
            let wide: Vec<i64> = v.iter().map(|v| i64::from(*v)).collect();
            let (least, greatest) = pack::put_numbers(&wide, DEPTH, out);
            return Told::Numbers(least, greatest);
        }
        Values::Long(v) => {
            let (least, greatest) = pack::put_numbers(v, DEPTH, out);
            return Told::Numbers(least, greatest);
        }
        Values::Float(v) => pack::put_floats(v, hints, DEPTH, out),
        Values::Double(v) => pack::put_floats(v, hints, DEPTH, out),
        Values::Bytes(strings) => {
            let all =
                |bits: &&Bits| kernel::count_ones(bits.as_bytes(), 0, bits.len()) == bits.len();
            let there = there.filter(|bits| !all(bits)).map(Bits::as_bytes);
            if let Some(distinct) = pack::put_strings(as_ref(strings), there, hints, DEPTH, out) {
                return Told::Strings { offsets: distinct.offsets, data: distinct.data };
            }
        }
    }
    Told::Nothing
}
