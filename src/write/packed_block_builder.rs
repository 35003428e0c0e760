//! Collects the values of a block and encodes them with the value codec.
//!
//! ```text
//! batches    [5 6 7] [8 - 9] ...                slices of columns, appended
//! values     5 6 7 8 · 9     validity 1 1 1 1 0 1
//! packed     form │ items │ counts │ values     see packed
//! ```

use std::ops::Range;

use super::null_slots::{FilledValues, fill_nulls};
use crate::error::{Error, Result};
use crate::format::bitmap::Bits;
use crate::format::block_values::{BlockValues, ItemCounts};
use crate::format::column_data::ColumnSlice;
use crate::format::packed_block::{DENSE, LENGTHS, PACKED, SLOTS};
use crate::format::string_values::{Offsets, Strings};
use crate::format::value::ValueType;
use crate::format::values::Values;
use crate::format::values_ref::ValuesRef;
use crate::kernel;
use crate::pack::{
    self, DEPTH, Distinct, FloatHints, Hints, Options, Payload, StringHints, StringsRef, long,
};
use crate::stats::collector::{CollectedStatistics, EncoderStatistics, StatisticsCollector};
use crate::wire;

impl BlockValues {
    /// Returns whether nothing has been appended.
    pub(crate) fn is_empty(&self) -> bool {
        self.items() == 0
    }

    /// Forgets all, and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.counts = ItemCounts::One;
        self.values.truncate(0);
    }

    /// About the bytes that are held.
    pub(crate) fn bytes(&self) -> usize {
        let counts = match &self.counts {
            ItemCounts::Lengths(lengths) => lengths.len() * 4,
            ItemCounts::One | ItemCounts::Presence(_) => 0,
        };
        counts
            + match &self.values {
                Values::Bytes(strings) => strings.data.len() + strings.offsets.len() * 4,
                values => values.len() * self.value_type.most_bytes().unwrap_or(1).min(8),
            }
    }

    /// Returns whether a slice has its counts in the form in which they are here.
    pub(crate) fn takes(&self, slice: &ColumnSlice<'_>) -> bool {
        match &self.counts {
            _ if self.is_empty() => true,
            ItemCounts::One => slice.lengths.is_none() && !slice.has_presence(self.value_type),
            ItemCounts::Lengths(_) => slice.lengths.is_some(),
            ItemCounts::Presence(_) => slice.has_presence(self.value_type),
        }
    }

    /// Appends items of a slice, and their values.
    pub(crate) fn append(
        &mut self,
        slice: &ColumnSlice<'_>,
        items: Range<usize>,
        values: Range<usize>,
    ) -> Result<()> {
        if self.is_empty() {
            self.counts = match slice.lengths {
                Some(_) => ItemCounts::Lengths(Vec::new()),
                None if slice.has_presence(self.value_type) => {
                    ItemCounts::Presence(Bits::default())
                }
                None => ItemCounts::One,
            };
        }
        match (&mut self.counts, slice.lengths, slice.bits(self.value_type)) {
            (ItemCounts::Lengths(all), Some(lengths), _) => {
                all.extend_from_slice(lengths.get(items).unwrap_or_default());
                append(&mut self.values, slice.values, values)
            }
            (ItemCounts::Presence(validity), _, Some((bits, offset))) => {
                validity.extend(bits, offset + items.start, items.len());
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

/// Appends a string for each slot; the content of null slots is dropped.
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
    let mut validity = 0;
    kernel::bitmap::for_each_run(bits, first + items.start, items.len(), |bit, count| {
        validity += if bit { offsets.bytes_between(at..at + count) } else { 0 };
        at += count;
    });
    if validity == gapless {
        return append_strings(out, offsets, data, items);
    }
    at = items.start;
    kernel::bitmap::for_each_run(bits, first + items.start, items.len(), |bit, count| {
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

impl BlockValues {
    /// Returns what these values teach for later ones, and the distinct strings, if they were computed for it.
    pub(crate) fn hints(&self, options: Options) -> (Hints, Option<Distinct>) {
        let (mut hints, mut distinct) = (Hints::default(), None);
        match &self.values {
            Values::Float(values) => hints.floats = FloatHints::of(options, values),
            Values::Double(values) => hints.floats = FloatHints::of(options, values),
            Values::Bytes(strings) => {
                let is_text = self.value_type == ValueType::String;
                (hints.strings, distinct) = StringHints::of(options, as_ref(strings), is_text);
            }
            _ => {}
        }
        (hints, distinct)
    }

    /// Appends the payload, without a second pass over it. `distinct` has the distinct strings, if they are known.
    pub(crate) fn pack(
        &mut self,
        with_runs: bool,
        hints: &Hints,
        distinct: Option<Distinct>,
        out: &mut Payload,
    ) -> (FilledValues, EncoderStatistics) {
        let filled = fill_nulls(self.value_type, &self.counts, &mut self.values, with_runs);
        out.push(PACKED);
        wire::put_long(out, long(self.items()));
        match &self.counts {
            ItemCounts::One => {}
            ItemCounts::Lengths(lengths) => {
                out.push(LENGTHS);
                wire::put_long(out, long(self.values.len()));
                let lengths: Vec<i64> = lengths.iter().map(|length| i64::from(*length)).collect();
                pack::put_numbers(&lengths, DEPTH, out);
            }
            ItemCounts::Presence(bits) => {
                out.push(if filled.dense { DENSE } else { SLOTS });
                pack::put_bits(bits.as_bytes(), 0, bits.len(), DEPTH, out);
            }
        }
        let some = match &self.counts {
            ItemCounts::Presence(bits) if !filled.dense => Some(bits),
            _ => None,
        };
        // Strings without slots for nulls are others than those that were counted.
        let distinct = distinct.filter(|_| !filled.dense);
        let encoder_statistics = put_values(&self.values, some, hints, distinct, out);
        (filled, encoder_statistics)
    }

    /// Returns what there is to see of values that have been packed.
    pub(crate) fn collected(
        &self,
        mut collector: StatisticsCollector,
        dense: bool,
        encoder_statistics: &EncoderStatistics,
    ) -> CollectedStatistics {
        let values = self.values.as_slice();
        let valid = match &self.counts {
            ItemCounts::Presence(bits) if !dense => {
                kernel::bitmap::count_ones(bits.as_bytes(), 0, bits.len())
            }
            _ => values.len(),
        };
        // The numbers that were encoded include those in slots without a value; the distinct strings do not.
        let is_told = match encoder_statistics {
            EncoderStatistics::Numbers(..) => valid == values.len(),
            EncoderStatistics::Nothing | EncoderStatistics::Strings { .. } => true,
        };
        if is_told && collector.add_told(valid, encoder_statistics) {
            return collector.take();
        }
        match &self.counts {
            ItemCounts::Presence(bits) if self.value_type == ValueType::Null => {
                collector.count(kernel::bitmap::count_ones(bits.as_bytes(), 0, bits.len()));
            }
            ItemCounts::Presence(bits) if !dense => collector.add_slots(values, bits),
            _ => collector.add(values, 0..values.len()),
        }
        collector.take()
    }
}

fn as_ref(strings: &Strings) -> StringsRef<'_> {
    StringsRef { offsets: &strings.offsets, data: &strings.data }
}

/// Encodes values; with bits, only those whose bit is set are restored.
fn put_values(
    values: &Values,
    validity: Option<&Bits>,
    hints: &Hints,
    distinct: Option<Distinct>,
    out: &mut Payload,
) -> EncoderStatistics {
    match values {
        Values::Null(_) | Values::Views(_) | Values::Dictionary(_) | Values::Wide(_) => {}
        Values::Boolean(bits) => pack::put_bits(bits.as_bytes(), 0, bits.len(), DEPTH, out),
        Values::Int(v) => {
            let wide: Vec<i64> = v.iter().map(|v| i64::from(*v)).collect();
            let (least, greatest) = pack::put_numbers(&wide, DEPTH, out);
            return EncoderStatistics::Numbers(least, greatest);
        }
        Values::Long(v) => {
            let (least, greatest) = pack::put_numbers(v, DEPTH, out);
            return EncoderStatistics::Numbers(least, greatest);
        }
        Values::Float(v) => pack::put_floats(v, &hints.floats, DEPTH, out),
        Values::Double(v) => pack::put_floats(v, &hints.floats, DEPTH, out),
        Values::Bytes(strings) => {
            let all = |bits: &&Bits| {
                kernel::bitmap::count_ones(bits.as_bytes(), 0, bits.len()) == bits.len()
            };
            let validity = validity.filter(|bits| !all(bits)).map(Bits::as_bytes);
            let (strings, hints) = (as_ref(strings), &hints.strings);
            if let Some(distinct) =
                pack::put_strings(strings, validity, distinct, hints, DEPTH, out)
            {
                return EncoderStatistics::Strings {
                    offsets: distinct.offsets,
                    data: distinct.data,
                };
            }
        }
    }
    EncoderStatistics::Nothing
}
