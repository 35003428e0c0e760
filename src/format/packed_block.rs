//! A block of the value codec `pack`: decodes any range of its values, or values at any positions.
//!
//! ```text
//! payload   form byte 1 │ long items │ of array columns: counts │ values
//! items     rows, or of children values of the parent
//! counts    0 lengths   long how many values │ numbers: lengths           then all values, end to end
//!           1 slots     bits: validity of items                           then a value each, valid or not
//!           2 dense     bits                                              then the valid values
//! values    null: nothing   boolean: bits   int, long: numbers   float, double: floats   string, bytes: strings
//!
//! form 0    the plain-encoded values
//! form 2    long size of a payload of form 1 without its form byte │ one zstd frame of it
//! ```
//! [`BlockValues`](crate::format::block_values::BlockValues) writes it. The bits are in `spec/pack.md`.

mod values;

use std::fmt;
use std::ops::Range;

use bytes::Bytes;

use self::values::{PackedValues, ValueSelection};
use super::bitmap::Bits;
use super::value::ValueType;
use super::values::Values;
use crate::buffer_reuse::Scratch;
use crate::error::{Error, Result};
use crate::format::budget::{check_items, check_lengths};
use crate::kernel;
use crate::pack::{DEPTH, Input, Numbers, PackedBits};

pub(crate) const SERIALISED: u8 = 0;
pub(crate) const PACKED: u8 = 1;
pub(crate) const PACKED_ZSTD: u8 = 2;

pub(crate) const LENGTHS: u8 = 0;
pub(crate) const SLOTS: u8 = 1;
pub(crate) const DENSE: u8 = 2;

/// Returns the maximum size of a payload that is compressed with zstd, for values of this plain-encoded size.
/// Before zstd the payload may be slightly larger than its values.
pub(crate) fn most_inflated(serialised: usize) -> usize {
    serialised.saturating_mul(2).saturating_add(64)
}

/// How many lengths are passed over at a time.
const AT_ONCE: usize = 4096;

/// An open block.
#[derive(Debug)]
pub(crate) struct PackedBlock {
    items: usize,
    /// The next item.
    at: usize,
    /// The next value.
    value: usize,
    counts: PackedCounts,
    values: PackedValues,
    /// The memory that opening the block used.
    memory: usize,
}

#[derive(Debug)]
enum PackedCounts {
    /// One value an item.
    One,
    Lengths(Numbers),
    Slots(PackedBits),
    Dense(PackedBits),
}

/// Names the encodings of the counts, if there are some, and of the values.
impl fmt::Display for PackedBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.counts {
            PackedCounts::One => {}
            PackedCounts::Lengths(lengths) => write!(f, "counts: {lengths}; ")?,
            PackedCounts::Slots(bits) | PackedCounts::Dense(bits) => {
                write!(f, "present: {bits}; ")?;
            }
        }
        self.values.fmt(f)
    }
}

impl PackedBlock {
    /// Opens a block after its form byte. It may not claim more than `most` items or values, and its dictionaries
    /// and tables may not use more than `memory` bytes.
    pub(crate) fn take(
        payload: Bytes,
        value_type: ValueType,
        array: bool,
        most: usize,
        memory: usize,
    ) -> Result<Self> {
        let mut input = Input::new(payload, memory);
        let items = input.count(most, "items")?;
        let (counts, n) = match array {
            true => PackedCounts::take(&mut input, items, most)?,
            false => (PackedCounts::One, items),
        };
        let values = PackedValues::take(&mut input, value_type, n)?;
        let memory = input.allocated();
        input.finish()?;
        Ok(Self { items, at: 0, value: 0, counts, values, memory })
    }

    /// Fails unless all items and values of the block have been read.
    pub(crate) fn finish(&self) -> Result<()> {
        // Where items have one value or none, the values that are left are those of the items.
        let values = match self.counts {
            PackedCounts::One | PackedCounts::Lengths(_) => {
                self.values.len().saturating_sub(self.value)
            }
            PackedCounts::Slots(_) | PackedCounts::Dense(_) => 0,
        };
        match (self.items - self.at, values) {
            (0, 0) => Ok(()),
            (items, values) => Err(Error::malformed(format!(
                "{items} items and {values} values are left over in a packed block"
            ))),
        }
    }

    /// Returns to the first item.
    pub(crate) fn rewind(&mut self) {
        (self.at, self.value) = (0, 0);
    }

    /// Returns the memory that opening the block used, without the payload.
    pub(crate) fn memory(&self) -> usize {
        self.memory
    }

    /// Returns how many items there are.
    pub(crate) fn len(&self) -> usize {
        self.items
    }

    /// Appends the first value.
    pub(crate) fn first(&self, out: &mut Values) -> Result<()> {
        self.values.read(&ValueSelection::Range(0..self.values.len().min(1)), out)
    }

    /// Returns whether counts are 0 and 1, as bits.
    pub(crate) fn has_bits(&self) -> bool {
        matches!(self.counts, PackedCounts::Slots(_) | PackedCounts::Dense(_))
    }

    /// Passes over the next `n` items. Returns which they are.
    fn items(&mut self, n: usize) -> Result<Range<usize>> {
        let end = self.at.checked_add(n).filter(|end| *end <= self.items);
        let Some(end) = end else {
            let left = self.items - self.at;
            return Err(Error::malformed(format!("{n} items wanted of {left} in a packed block")));
        };
        let range = self.at..end;
        self.at = end;
        Ok(range)
    }

    fn values_of(&mut self, n: usize) -> Result<Range<usize>> {
        let range = self.value..self.value.saturating_add(n);
        if range.end > self.values.len() {
            return Err(Error::malformed("lengths of more values than a packed block has"));
        }
        self.value = range.end;
        Ok(range)
    }

    /// Appends the next `n` values.
    pub(crate) fn values(&mut self, n: usize, out: &mut Values) -> Result<()> {
        let range = self.items(n)?;
        self.value = self.at;
        self.values.read(&ValueSelection::Range(range), out)
    }

    /// Appends the values of the items at these positions, which ascend and are after the last item read.
    pub(crate) fn pick_values(&mut self, places: &[u32], out: &mut Values) -> Result<()> {
        self.pass(places)?;
        self.value = self.at;
        self.values.read(&ValueSelection::Places(places), out)
    }

    /// Skips the items up to the last of these positions.
    fn pass(&mut self, places: &[u32]) -> Result<()> {
        let end = places.last().map_or(self.at, |last| *last as usize + 1);
        self.items(end.saturating_sub(self.at)).map(|_| ())
    }

    /// Passes over the next `n` values.
    pub(crate) fn skip_values(&mut self, n: usize) -> Result<()> {
        self.items(n)?;
        self.value = self.at;
        Ok(())
    }

    /// Passes over the next `n` arrays. Returns how many values they have.
    pub(crate) fn skip_arrays(&mut self, n: usize, asked: bool) -> Result<usize> {
        match &self.counts {
            PackedCounts::Slots(_) | PackedCounts::Dense(_) if !asked => {
                self.items(n).map(|range| range.len())
            }
            PackedCounts::Lengths(_) => self.skip_lengths(n),
            PackedCounts::One => Err(no_counts()),
            PackedCounts::Slots(_) | PackedCounts::Dense(_) => {
                let range = self.items(n)?;
                Ok(self.present(&range)?.1)
            }
        }
    }

    /// Passes over the next `n` lengths, some thousand at a time. Returns their sum.
    fn skip_lengths(&mut self, n: usize) -> Result<usize> {
        let (mut lengths, mut left, mut sum) = (Vec::new(), n, 0usize);
        while left > 0 {
            let some = left.min(AT_ONCE);
            lengths.clear();
            let range = self.items(some)?;
            sum = sum.saturating_add(self.take_lengths(range, &mut lengths)?.len());
            left -= some;
        }
        Ok(sum)
    }

    /// Appends the lengths of a range of items. Returns which values are theirs.
    fn take_lengths(
        &mut self,
        range: Range<usize>,
        lengths: &mut Vec<u32>,
    ) -> Result<Range<usize>> {
        let PackedCounts::Lengths(all) = &self.counts else { return Err(no_counts()) };
        let start = lengths.len();
        all.read(range, lengths)?;
        let new = lengths.get(start..).unwrap_or_default();
        let sum = new.iter().map(|length| u64::from(*length)).sum::<u64>();
        self.values_of(usize::try_from(sum).unwrap_or(usize::MAX))
    }

    /// Returns the range of stored values of a range of items of 0 or 1, and the number of items.
    fn present(&mut self, range: &Range<usize>) -> Result<(Range<usize>, usize)> {
        let (stored, validity) = match &self.counts {
            PackedCounts::Slots(bits) => (range.clone(), bits.count(range.clone())),
            PackedCounts::Dense(bits) => {
                let start = bits.ones(range.start);
                let validity = bits.count(range.clone());
                (start..start + validity, validity)
            }
            PackedCounts::One | PackedCounts::Lengths(_) => return Err(no_counts()),
        };
        self.value = stored.end;
        Ok((stored, validity))
    }

    /// Appends a bit for each of the next `n` lengths, which may only be 0 or 1. Returns how many are 1.
    pub(crate) fn presence(&mut self, n: usize, out: &mut Bits) -> Result<usize> {
        let range = self.items(n)?;
        let (_, validity) = self.present(&range)?;
        self.put_bits(&ValueSelection::Range(range), out);
        Ok(validity)
    }

    fn put_bits(&self, of: &ValueSelection<'_>, out: &mut Bits) {
        if let PackedCounts::Slots(bits) | PackedCounts::Dense(bits) = &self.counts {
            of.bits(bits, out);
        }
    }

    /// Appends a bit and a value for each of the next `n` items. Returns the number of set bits.
    pub(crate) fn slots(&mut self, n: usize, bits: &mut Bits, out: &mut Values) -> Result<usize> {
        let range = self.items(n)?;
        let (stored, validity) = self.present(&range)?;
        let before = bits.len();
        self.put_bits(&ValueSelection::Range(range), bits);
        if matches!(self.counts, PackedCounts::Slots(_)) {
            self.values.read(&ValueSelection::Range(stored), out)?;
        } else {
            self.values.read_spread(&ValueSelection::Range(stored), bits, before, out)?;
        }
        Ok(validity)
    }

    /// Appends a bit and a value for each item at these positions, which ascend and are after the last item read.
    pub(crate) fn pick_slots(
        &mut self,
        places: &[u32],
        bits: &mut Bits,
        out: &mut Values,
    ) -> Result<usize> {
        let before = bits.len();
        let ranks = self.pick_presence(places, bits)?;
        if matches!(self.counts, PackedCounts::Slots(_)) {
            self.values.read(&ValueSelection::Places(places), out)?;
        } else {
            self.values.read_spread(&ValueSelection::Places(&ranks), bits, before, out)?;
        }
        Ok(ranks.len())
    }

    /// Appends a bit for each item at these positions. Returns their ranks among the set bits.
    pub(crate) fn pick_presence(
        &mut self,
        places: &[u32],
        bits: &mut Bits,
    ) -> Result<Scratch<u32>> {
        self.pass(places)?;
        let mut ranks = Scratch::new();
        match &self.counts {
            PackedCounts::Slots(all) | PackedCounts::Dense(all) => all.each(places, |set, rank| {
                bits.push(set);
                ranks.extend(set.then_some(rank));
            }),
            PackedCounts::One | PackedCounts::Lengths(_) => return Err(no_counts()),
        }
        Ok(ranks)
    }

    /// Appends the next `n` lengths, and the values of all. Returns how many they are. Fails if there are more than
    /// `most` of either.
    pub(crate) fn arrays(
        &mut self,
        n: usize,
        lengths: &mut Vec<u32>,
        out: &mut Values,
        most: usize,
    ) -> Result<usize> {
        let range = self.items(n)?;
        check_lengths(n, most)?;
        if matches!(self.counts, PackedCounts::Lengths(_)) {
            let values = self.take_lengths(range, lengths)?;
            let count = values.len();
            check_items(count, most)?;
            self.values.read(&ValueSelection::Range(values), out)?;
            return Ok(count);
        }
        let mut bits = Bits::default();
        let (stored, validity) = self.present(&range)?;
        self.put_bits(&ValueSelection::Range(range), &mut bits);
        let bytes = bits.as_bytes();
        kernel::bitmap::for_each_run(bytes, 0, n, |bit, count| {
            lengths.extend(std::iter::repeat_n(u32::from(bit), count));
        });
        if matches!(self.counts, PackedCounts::Slots(_)) {
            let (mut at, mut runs) = (stored.start, Vec::new());
            kernel::bitmap::for_each_run(bytes, 0, n, |bit, count| {
                runs.extend(bit.then_some(at..at + count));
                at += count;
            });
            runs.into_iter()
                .try_for_each(|run| self.values.read(&ValueSelection::Range(run), out))?;
        } else {
            self.values.read(&ValueSelection::Range(stored), out)?;
        }
        Ok(validity)
    }
}

fn no_counts() -> Error {
    Error::malformed("counts of 0 and 1 wanted of a packed block without them")
}

impl PackedCounts {
    /// Returns the counts, and how many values they are of.
    fn take(input: &mut Input, items: usize, most: usize) -> Result<(Self, usize)> {
        Ok(match input.byte("kind of counts")? {
            LENGTHS => {
                let values = input.count(most, "values")?;
                (PackedCounts::Lengths(Numbers::take(input, items)?), values)
            }
            SLOTS => (PackedCounts::Slots(PackedBits::take(input, items, DEPTH)?), items),
            DENSE => {
                let bits = PackedBits::take(input, items, DEPTH)?;
                let values = bits.ones(items);
                (PackedCounts::Dense(bits), values)
            }
            other => return Err(Error::malformed(format!("counts of kind {other}"))),
        })
    }
}
