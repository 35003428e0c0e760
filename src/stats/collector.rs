//! Collects a block's value count, minimum, maximum and Bloom filter while it is written.
//!
//! ```text
//! rows ──► collector ──► encoder ──► ... ──► end of block: value count, minimum, maximum, filter
//! ```
//! Numbers are compared by a kernel, many at a time. What the value codec has computed anyway is not computed again.

use std::ops::Range;

use super::block_statistics::Bounds;
use super::bloom_filter::{Bloom, BloomFilter};
use super::sort_order::Order;
use super::sort_order::{WIDEST, shortest, wide};
use super::string_bounds::{extremes, has_empty};
use super::truncate::cut;
use crate::format::bitmap::Bits;
use crate::format::column_data::ColumnSlice;
use crate::format::string_values::Offsets;
use crate::format::value::{Value, ValueType};
use crate::format::values_ref::ValuesRef;
use crate::kernel::{self, Level, Offset};

/// The statistics of a block.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct CollectedStatistics {
    pub(crate) values: usize,
    pub(crate) bounds: Option<Bounds>,
    pub(crate) filter: Option<BloomFilter>,
}

/// What the value codec computes of all values while it encodes them.
#[derive(Debug)]
pub(crate) enum EncoderStatistics {
    Nothing,
    /// The minimum and the maximum.
    Numbers(i64, i64),
    /// The distinct strings.
    Strings {
        offsets: Vec<i32>,
        data: Vec<u8>,
    },
}

/// Collects the statistics of one block after another.
#[derive(Debug, Clone)]
pub(crate) struct StatisticsCollector {
    value_type: ValueType,
    order: Order,
    bloom: Option<Bloom>,
    values: usize,
    found: CollectedBounds,
    hashes: Vec<u64>,
}

/// The minimum and maximum so far.
#[derive(Debug, Clone, Default)]
enum CollectedBounds {
    #[default]
    Nothing,
    Booleans {
        has_false: bool,
        has_true: bool,
    },
    /// Numbers that compare as the values do.
    Ranks(i64, i64),
    Strings(Vec<u8>, Vec<u8>),
    /// The same of numbers in bytes; not all are short enough if there is none.
    Wide(Option<[[u8; WIDEST]; 2]>),
}

impl StatisticsCollector {
    pub(crate) fn new(value_type: ValueType, order: Order, bloom: Option<Bloom>) -> Self {
        let (found, hashes) = (CollectedBounds::Nothing, Vec::new());
        Self { value_type, order, bloom, values: 0, found, hashes }
    }

    /// Counts values that nothing is known of.
    pub(crate) fn count(&mut self, values: usize) {
        self.values += values;
    }

    /// Adds values of a slice.
    pub(crate) fn add(&mut self, values: ValuesRef<'_>, range: Range<usize>) {
        self.values += range.len();
        if range.is_empty() {
            return;
        }
        if let Some(bloom) = &self.bloom {
            bloom.hash(values, range.clone(), &mut self.hashes);
        }
        if self.order != Order::Unknown {
            self.compare(values, range);
        }
    }

    /// Adds values of a slice of a column.
    pub(crate) fn add_of(
        &mut self,
        slice: &ColumnSlice<'_>,
        value_type: ValueType,
        range: Range<usize>,
    ) {
        match slice.has_presence(value_type) {
            true => self.count(range.len()),
            false => self.add(slice.values, range),
        }
    }

    /// Adds the values of slots. What slots without a value hold is not looked at.
    pub(crate) fn add_slots(&mut self, values: ValuesRef<'_>, validity: &Bits) {
        let ones = kernel::bitmap::count_ones(validity.as_bytes(), 0, validity.len());
        match values {
            _ if ones == validity.len() => self.add(values, 0..values.len()),
            _ if ones == 0 => {}
            ValuesRef::Boolean { bits, offset, len } => {
                self.count(ones);
                let mut is_true = 0;
                validity.each_run(|valid, run| {
                    let n = run.end.min(len).saturating_sub(run.start);
                    if valid {
                        is_true += kernel::bitmap::count_ones(bits, offset + run.start, n);
                    }
                });
                if self.order != Order::Unknown {
                    self.add_booleans(is_true, ones);
                }
            }
            ValuesRef::Bytes { offsets, data } => {
                self.add_string_slots(offsets, data, validity, ones)
            }
            values => self.add_number_slots(values, validity, ones),
        }
    }

    /// Adds the numbers of slots, given the number of those with a value.
    fn add_number_slots(&mut self, values: ValuesRef<'_>, validity: &Bits, ones: usize) {
        if self.bloom.is_some() || self.order == Order::Unsigned {
            return self.add_runs(values, validity);
        }
        self.count(ones);
        let (level, bits) = (Level::in_use(), validity.as_bytes());
        match values {
            _ if self.order == Order::Unknown => {}
            ValuesRef::Int(v) => self.add_ranks(kernel::bitpack::min_max_valid(level, v, bits)),
            ValuesRef::Long(v) => self.add_ranks(kernel::bitpack::min_max_valid(level, v, bits)),
            ValuesRef::Float(v) => self.add_ranks(kernel::bitpack::min_max_valid(level, v, bits)),
            ValuesRef::Double(v) => self.add_ranks(kernel::bitpack::min_max_valid(level, v, bits)),
            _ => {}
        }
    }

    /// Adds the statistics that the value codec computed for all values of a block, none of which is a slot without
    /// a value. Returns whether they are sufficient.
    pub(crate) fn add_told(
        &mut self,
        values: usize,
        encoder_statistics: &EncoderStatistics,
    ) -> bool {
        if self.bloom.is_some() || values == 0 || self.order == Order::Unknown {
            return false;
        }
        match encoder_statistics {
            EncoderStatistics::Nothing => return false,
            // Without a sign, numbers on both sides of zero are in another order.
            EncoderStatistics::Numbers(least, greatest) if self.order == Order::Unsigned => {
                if (*least < 0) != (*greatest < 0) {
                    return false;
                }
                self.add_ranks(Some((least ^ i64::MIN, greatest ^ i64::MIN)));
            }
            EncoderStatistics::Numbers(least, greatest) => {
                self.add_ranks(Some((*least, *greatest)))
            }
            EncoderStatistics::Strings { .. } if self.order == Order::Numbers => return false,
            EncoderStatistics::Strings { offsets, data } => {
                let n = offsets.len().saturating_sub(1);
                self.add_strings(offsets, data, 0..n, true);
            }
        }
        self.values += values;
        true
    }

    fn compare(&mut self, values: ValuesRef<'_>, range: Range<usize>) {
        let level = Level::in_use();
        match values {
            ValuesRef::Boolean { bits, offset, .. } => {
                let ones = kernel::bitmap::count_ones(bits, offset + range.start, range.len());
                self.add_booleans(ones, range.len());
            }
            ValuesRef::Int(v) => self.add_ranks(kernel::bitpack::min_max(level, part(v, range))),
            ValuesRef::Float(v) => self.add_ranks(kernel::bitpack::min_max(level, part(v, range))),
            ValuesRef::Double(v) => self.add_ranks(kernel::bitpack::min_max(level, part(v, range))),
            ValuesRef::Long(v) if self.order == Order::Unsigned => {
                let ranks = || part(v, range.clone()).iter().map(|v| v ^ i64::MIN);
                self.add_ranks(ranks().min().zip(ranks().max()));
            }
            ValuesRef::Long(v) => self.add_ranks(kernel::bitpack::min_max(level, part(v, range))),
            ValuesRef::Bytes { offsets, data } if self.order == Order::Numbers => {
                range.for_each(|i| self.add_number(offsets.value(i, data).unwrap_or_default()));
            }
            ValuesRef::Bytes { offsets, data } => self.compare_strings(offsets, data, range, true),
            ValuesRef::Null(_)
            | ValuesRef::Wide(_)
            | ValuesRef::Views(_)
            | ValuesRef::Dictionary(_) => {}
        }
    }

    fn compare_strings(
        &mut self,
        offsets: Offsets<'_>,
        data: &[u8],
        range: Range<usize>,
        empty: bool,
    ) {
        match offsets {
            Offsets::Small(offsets) => self.add_strings(offsets, data, range, empty),
            Offsets::Large(offsets) => self.add_strings(offsets, data, range, empty),
        }
    }

    /// Adds the strings of slots, given the number of those with a value.
    fn add_string_slots(
        &mut self,
        offsets: Offsets<'_>,
        data: &[u8],
        validity: &Bits,
        ones: usize,
    ) {
        let has_empty = match offsets {
            _ if self.bloom.is_some() || self.order != Order::Natural => None,
            Offsets::Small(offsets) => has_empty(offsets, validity),
            Offsets::Large(offsets) => has_empty(offsets, validity),
        };
        if let Some(has_empty) = has_empty {
            self.count(ones);
            return self.compare_strings(offsets, data, 0..validity.len(), has_empty);
        }
        self.add_runs(ValuesRef::Bytes { offsets, data }, validity);
    }

    /// Adds the values of the slots that have one, run by run.
    fn add_runs(&mut self, values: ValuesRef<'_>, validity: &Bits) {
        validity.each_run(|valid, run| {
            if valid {
                self.add(values, run);
            }
        });
    }

    /// Adds this many booleans, given the number of true ones.
    fn add_booleans(&mut self, ones: usize, values: usize) {
        let (mut has_false, mut has_true) = (ones < values, ones > 0);
        if let CollectedBounds::Booleans { has_false: no, has_true: yes } = self.found {
            (has_false, has_true) = (has_false || no, has_true || yes);
        }
        self.found = CollectedBounds::Booleans { has_false, has_true };
    }

    fn add_ranks(&mut self, ranks: Option<(i64, i64)>) {
        let Some((mut least, mut greatest)) = ranks else { return };
        if let CollectedBounds::Ranks(min, max) = self.found {
            (least, greatest) = (least.min(min), greatest.max(max));
        }
        self.found = CollectedBounds::Ranks(least, greatest);
    }

    /// Adds strings, of which empty ones may be slots without a value.
    fn add_strings<O: Offset>(
        &mut self,
        offsets: &[O],
        data: &[u8],
        range: Range<usize>,
        empty: bool,
    ) {
        let before = match std::mem::take(&mut self.found) {
            CollectedBounds::Strings(min, max) => Some((min, max)),
            _ => None,
        };
        let before = before.as_ref().map(|(min, max)| (min.as_slice(), max.as_slice()));
        let (mut both, has_empty) = extremes(offsets, data, range, before);
        if has_empty && empty {
            both = Some((&[], both.map_or(&[], |(_, max)| max)));
        }
        if let Some((min, max)) = both {
            self.found = CollectedBounds::Strings(min.to_vec(), max.to_vec());
        }
    }

    fn add_number(&mut self, number: &[u8]) {
        let Some(rank) = wide(number) else {
            self.found = CollectedBounds::Wide(None);
            return;
        };
        match &mut self.found {
            CollectedBounds::Wide(None) => {}
            CollectedBounds::Wide(Some([min, max])) => {
                *min = rank.min(*min);
                *max = rank.max(*max);
            }
            found => *found = CollectedBounds::Wide(Some([rank, rank])),
        }
    }

    /// Returns the statistics since the last call.
    pub(crate) fn take(&mut self) -> CollectedStatistics {
        let values = std::mem::take(&mut self.values);
        let bounds = std::mem::take(&mut self.found).bounds(self.value_type, self.order);
        let filter = self.bloom.as_ref().map(|bloom| bloom.filter(&mut self.hashes));
        self.hashes.clear();
        CollectedStatistics { values, bounds, filter }
    }
}

impl CollectedBounds {
    fn bounds(self, value_type: ValueType, order: Order) -> Option<Bounds> {
        let (min, max) = match self {
            CollectedBounds::Nothing | CollectedBounds::Wide(None) => return None,
            CollectedBounds::Booleans { has_false, has_true } => {
                (Value::Boolean(!has_false), Value::Boolean(has_true))
            }
            CollectedBounds::Ranks(min, max) => {
                (of_rank(min, value_type, order)?, of_rank(max, value_type, order)?)
            }
            CollectedBounds::Strings(min, max) => {
                return cut(&min, &max, value_type == ValueType::String);
            }
            CollectedBounds::Wide(Some(ranks)) => {
                let [min, max] = ranks.map(|mut rank| {
                    rank[0] ^= 0x80;
                    Value::Bytes(shortest(&rank).to_vec().into())
                });
                (min, max)
            }
        };
        Some(Bounds { min, max, exact: true })
    }
}

/// Returns the value that compares as a number does.
fn of_rank(rank: i64, value_type: ValueType, order: Order) -> Option<Value<'static>> {
    Some(match value_type {
        ValueType::Int | ValueType::Fixed32 => Value::Int(i32::try_from(rank).ok()?),
        ValueType::Long | ValueType::Fixed64 if order == Order::Unsigned => {
            Value::Long(rank ^ i64::MIN)
        }
        ValueType::Long | ValueType::Fixed64 => Value::Long(rank),
        ValueType::Float => {
            let bits = i32::try_from(rank).ok()?;
            let bits = bits.cast_unsigned() ^ ((bits >> 31).cast_unsigned() >> 1);
            Value::Float(f32::from_bits(bits))
        }
        ValueType::Double => {
            let bits = rank.cast_unsigned() ^ ((rank >> 63).cast_unsigned() >> 1);
            Value::Double(f64::from_bits(bits))
        }
        _ => return None,
    })
}

fn part<T>(values: &[T], range: Range<usize>) -> &[T] {
    values.get(range).unwrap_or_default()
}
