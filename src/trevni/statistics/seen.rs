//! What a writer sees of the values of a block while it fills it.
//!
//! ```text
//! rows ──► watch ──► encode ──► ... ──► cut        seen: how many values, least, greatest, filter
//! ```
//! Numbers are compared by a kernel, many at a time; strings by their first eight bytes, and as a whole only where
//! these are the same.

use std::ops::Range;

use super::super::bits::Bits;
use super::super::bloom::{Bloom, BloomFilter};
use super::super::column::ColumnSlice;
use super::super::strings::Offsets;
use super::super::value::{Value, ValueType};
use super::super::values::ValuesRef;
use super::cut::cut;
use super::order::{WIDEST, shortest, wide};
use super::{Bounds, Order};
use crate::kernel::{self, Level};

/// What was seen of a block.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in super::super) struct Seen {
    pub(in super::super) values: usize,
    pub(in super::super) bounds: Option<Bounds>,
    pub(in super::super) filter: Option<BloomFilter>,
}

/// Looks at the values of one block after another.
#[derive(Debug, Clone)]
pub(in super::super) struct Watch {
    value_type: ValueType,
    order: Order,
    bloom: Option<Bloom>,
    values: usize,
    found: Found,
    hashes: Vec<u64>,
}

/// The least and the greatest so far.
#[derive(Debug, Clone, Default)]
enum Found {
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

impl Watch {
    pub(in super::super) fn new(value_type: ValueType, order: Order, bloom: Option<Bloom>) -> Self {
        let (found, hashes) = (Found::Nothing, Vec::new());
        Self { value_type, order, bloom, values: 0, found, hashes }
    }

    /// Counts values that nothing is known of.
    pub(in super::super) fn count(&mut self, values: usize) {
        self.values += values;
    }

    /// Looks at some values of a slice.
    pub(in super::super) fn add(&mut self, values: ValuesRef<'_>, range: Range<usize>) {
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

    /// Looks at some values of a slice of a column.
    pub(in super::super) fn add_of(
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

    /// Looks at the values of slots, of which those that are not there have one that another has, or none.
    pub(in super::super) fn add_slots(&mut self, values: ValuesRef<'_>, there: &Bits) {
        let ones = kernel::count_ones(there.as_bytes(), 0, there.len());
        match values {
            _ if ones == there.len() => self.add(values, 0..values.len()),
            _ if ones == 0 => {}
            ValuesRef::Boolean { bits, offset, len } => {
                self.count(ones);
                let is_true = kernel::count_ones(bits, offset, len);
                if self.order != Order::Unknown {
                    self.add_booleans(is_true, ones);
                }
            }
            ValuesRef::Bytes { .. } => {
                let mut at = 0;
                kernel::each_run(there.as_bytes(), 0, there.len(), |there, count| {
                    if there {
                        self.add(values, at..at + count);
                    }
                    at += count;
                });
            }
            values => {
                self.add(values, 0..values.len());
                self.values -= there.len() - ones;
            }
        }
    }

    fn compare(&mut self, values: ValuesRef<'_>, range: Range<usize>) {
        let level = Level::in_use();
        match values {
            ValuesRef::Boolean { bits, offset, .. } => {
                let ones = kernel::count_ones(bits, offset + range.start, range.len());
                self.add_booleans(ones, range.len());
            }
            ValuesRef::Int(v) => self.add_ranks(kernel::bounds(level, part(v, range))),
            ValuesRef::Float(v) => self.add_ranks(kernel::bounds(level, part(v, range))),
            ValuesRef::Double(v) => self.add_ranks(kernel::bounds(level, part(v, range))),
            ValuesRef::Long(v) if self.order == Order::Unsigned => {
                let ranks = || part(v, range.clone()).iter().map(|v| v ^ i64::MIN);
                self.add_ranks(ranks().min().zip(ranks().max()));
            }
            ValuesRef::Long(v) => self.add_ranks(kernel::bounds(level, part(v, range))),
            ValuesRef::Bytes { offsets, data } if self.order == Order::Numbers => {
                range.for_each(|i| self.add_number(offsets.value(i, data).unwrap_or_default()));
            }
            ValuesRef::Bytes { offsets, data } => self.add_strings(match offsets {
                Offsets::Small(o) => extremes(o, data, range),
                Offsets::Large(o) => extremes(o, data, range),
            }),
            ValuesRef::Null(_) | ValuesRef::Wide(_) | ValuesRef::Views(_) => {}
        }
    }

    /// Of so many booleans so many are true.
    fn add_booleans(&mut self, ones: usize, values: usize) {
        let (mut has_false, mut has_true) = (ones < values, ones > 0);
        if let Found::Booleans { has_false: no, has_true: yes } = self.found {
            (has_false, has_true) = (has_false || no, has_true || yes);
        }
        self.found = Found::Booleans { has_false, has_true };
    }

    fn add_ranks(&mut self, ranks: Option<(i64, i64)>) {
        let Some((mut least, mut greatest)) = ranks else { return };
        if let Found::Ranks(min, max) = self.found {
            (least, greatest) = (least.min(min), greatest.max(max));
        }
        self.found = Found::Ranks(least, greatest);
    }

    fn add_strings(&mut self, strings: Option<(&[u8], &[u8])>) {
        let Some((least, greatest)) = strings else { return };
        match &mut self.found {
            Found::Strings(min, max) => {
                if least < min.as_slice() {
                    *min = least.to_vec();
                }
                if greatest > max.as_slice() {
                    *max = greatest.to_vec();
                }
            }
            found => *found = Found::Strings(least.to_vec(), greatest.to_vec()),
        }
    }

    fn add_number(&mut self, number: &[u8]) {
        let Some(rank) = wide(number) else {
            self.found = Found::Wide(None);
            return;
        };
        match &mut self.found {
            Found::Wide(None) => {}
            Found::Wide(Some([min, max])) => {
                *min = rank.min(*min);
                *max = rank.max(*max);
            }
            found => *found = Found::Wide(Some([rank, rank])),
        }
    }

    /// What was seen since the last time.
    pub(in super::super) fn take(&mut self) -> Seen {
        let values = std::mem::take(&mut self.values);
        let bounds = std::mem::take(&mut self.found).bounds(self.value_type, self.order);
        let filter = self.bloom.as_ref().map(|bloom| bloom.filter(&mut self.hashes));
        self.hashes.clear();
        Seen { values, bounds, filter }
    }
}

impl Found {
    fn bounds(self, value_type: ValueType, order: Order) -> Option<Bounds> {
        let (min, max) = match self {
            Found::Nothing | Found::Wide(None) => return None,
            Found::Booleans { has_false, has_true } => {
                (Value::Boolean(!has_false), Value::Boolean(has_true))
            }
            Found::Ranks(min, max) => {
                (of_rank(min, value_type, order)?, of_rank(max, value_type, order)?)
            }
            Found::Strings(min, max) => return cut(&min, &max, value_type == ValueType::String),
            Found::Wide(Some(ranks)) => {
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

/// The value that compares as a number does.
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

/// A string, and its first bytes as a number that compares as they do.
#[derive(Clone, Copy)]
struct Keyed<'a> {
    key: u64,
    string: &'a [u8],
}

impl<'a> Keyed<'a> {
    #[inline]
    fn at(data: &'a [u8], start: usize, end: usize) -> Self {
        let string = data.get(start..end).unwrap_or_default();
        let key = match data.get(start..).and_then(|rest| rest.first_chunk::<8>()) {
            Some(first) => match string.len() {
                0 => 0,
                n @ 1..8 => u64::from_be_bytes(*first) & (u64::MAX << (64 - 8 * n)),
                _ => u64::from_be_bytes(*first),
            },
            None => {
                let mut first = [0; 8];
                first.iter_mut().zip(string).for_each(|(to, from)| *to = *from);
                u64::from_be_bytes(first)
            }
        };
        Self { key, string }
    }

    #[inline]
    fn is_less(&self, other: &Self) -> bool {
        let same = |n: usize| n <= 8 && n == other.string.len();
        match self.key == other.key {
            true => !same(self.string.len()) && self.string < other.string,
            false => self.key < other.key,
        }
    }
}

/// The least and the greatest string of a range.
fn extremes<'a, O: Copy + TryInto<usize>>(
    offsets: &[O],
    data: &'a [u8],
    range: Range<usize>,
) -> Option<(&'a [u8], &'a [u8])> {
    let ends = offsets.get(range.start..=range.end)?;
    let place = |end: &O| (*end).try_into().unwrap_or(0);
    let (mut start, ends) = (place(ends.first()?), ends.get(1..)?);
    let mut both: Option<(Keyed<'_>, Keyed<'_>)> = None;
    for end in ends {
        let end = place(end);
        let string = Keyed::at(data, start, end);
        start = end;
        match &mut both {
            None => both = Some((string, string)),
            Some((least, greatest)) => {
                if string.is_less(least) {
                    *least = string;
                } else if greatest.is_less(&string) {
                    *greatest = string;
                }
            }
        }
    }
    both.map(|(least, greatest)| (least.string, greatest.string))
}
