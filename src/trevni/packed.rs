//! A block of the value codec `pack`, opened: its values come out of it any range at a time.
//!
//! ```text
//! payload   form byte 1 │ long items │ of array columns: counts │ values
//! items     rows, or of children values of the parent
//! counts    0 lengths   long how many values │ numbers: lengths           then all values, end to end
//!           1 slots     bits: which items are there                       then a value each, there or not
//!           2 dense     bits                                              then those that are there
//! values    null: nothing   boolean: bits   int, long: numbers   float, double: floats   string, bytes: strings
//!
//! form 0    the values as they are serialised without a codec
//! form 2    long size of a payload of form 1 without its form byte │ one zstd frame of it
//! ```
//! [`Gathered`](super::gathered::Gathered) writes it. The bits are in `spec/pack.md`.

use std::ops::Range;

use bytes::Bytes;

use super::bits::Bits;
use super::value::ValueType;
use super::values::Values;
use crate::error::{Error, Result};
use crate::io::Limits;
use crate::kernel::{self, Level};
use crate::pack::{DEPTH, Floats, Input, Numbers, PackedBits, PackedStrings, Target};

pub(super) const SERIALISED: u8 = 0;
pub(super) const PACKED: u8 = 1;
pub(super) const PACKED_ZSTD: u8 = 2;

pub(super) const LENGTHS: u8 = 0;
pub(super) const SLOTS: u8 = 1;
pub(super) const DENSE: u8 = 2;

/// An open block.
#[derive(Debug)]
pub(super) struct PackedBlock {
    items: usize,
    /// The next item.
    at: usize,
    /// The next value.
    value: usize,
    counts: Counts,
    values: PackedValues,
}

#[derive(Debug)]
enum Counts {
    /// One value an item.
    None,
    Lengths(Numbers),
    Slots(PackedBits),
    Dense(PackedBits),
}

#[derive(Debug)]
enum PackedValues {
    Null(usize),
    Boolean(PackedBits),
    Numbers(Numbers),
    Float(Floats<f32>),
    Double(Floats<f64>),
    Strings(PackedStrings),
}

impl PackedBlock {
    /// Opens what is behind the form byte. No block claims more items or values than `most`.
    pub(super) fn take(
        payload: Bytes,
        value_type: ValueType,
        array: bool,
        most: usize,
    ) -> Result<Self> {
        let mut input = Input::new(payload);
        let items = input.count(most, "items")?;
        let (counts, n) = match array {
            true => Counts::take(&mut input, items, most)?,
            false => (Counts::None, items),
        };
        let values = PackedValues::take(&mut input, value_type, n)?;
        input.finish()?;
        Ok(Self { items, at: 0, value: 0, counts, values })
    }

    /// Fails unless the next of the block's items and values is behind the last.
    pub(super) fn finish(&self) -> Result<()> {
        // Where items have one value or none, the values that are left are those of the items.
        let values = match self.counts {
            Counts::None | Counts::Lengths(_) => self.values.len().saturating_sub(self.value),
            Counts::Slots(_) | Counts::Dense(_) => 0,
        };
        match (self.items - self.at, values) {
            (0, 0) => Ok(()),
            (items, values) => Err(Error::malformed(format!(
                "{items} items and {values} values are left over in a packed block"
            ))),
        }
    }

    /// Goes back to the first item.
    pub(super) fn rewind(&mut self) {
        (self.at, self.value) = (0, 0);
    }

    /// How many items there are.
    pub(super) fn len(&self) -> usize {
        self.items
    }

    /// Appends the first value.
    pub(super) fn first(&self, out: &mut Values) -> Result<()> {
        self.values.read(0..self.values.len().min(1), out)
    }

    /// Whether counts are 0 and 1, as bits.
    pub(super) fn has_bits(&self) -> bool {
        matches!(self.counts, Counts::Slots(_) | Counts::Dense(_))
    }

    /// Passes over the next `n` items; gives which they are.
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
    pub(super) fn values(&mut self, n: usize, out: &mut Values) -> Result<()> {
        let range = self.items(n)?;
        self.value = self.at;
        self.values.read(range, out)
    }

    /// Passes over the next `n` values.
    pub(super) fn skip_values(&mut self, n: usize) -> Result<()> {
        self.items(n)?;
        self.value = self.at;
        Ok(())
    }

    /// Passes over the next `n` arrays; gives how many values they have.
    pub(super) fn skip_arrays(&mut self, n: usize, asked: bool, limits: &Limits) -> Result<usize> {
        match &self.counts {
            Counts::Slots(_) | Counts::Dense(_) if !asked => self.items(n).map(|range| range.len()),
            Counts::Lengths(_) => self.arrays(n, &mut Vec::new(), None, limits),
            Counts::None => Err(no_counts()),
            Counts::Slots(_) | Counts::Dense(_) => {
                let range = self.items(n)?;
                Ok(self.present(&range)?.1)
            }
        }
    }

    /// Which of the stored values are of items of 0 or 1, and how many items are there.
    fn present(&mut self, range: &Range<usize>) -> Result<(Range<usize>, usize)> {
        let (stored, there) = match &self.counts {
            Counts::Slots(bits) => (range.clone(), bits.count(range.clone())),
            Counts::Dense(bits) => {
                let start = bits.ones(range.start);
                let there = bits.count(range.clone());
                (start..start + there, there)
            }
            Counts::None | Counts::Lengths(_) => return Err(no_counts()),
        };
        self.value = stored.end;
        Ok((stored, there))
    }

    /// Appends a bit for each of the next `n` lengths, which may only be 0 or 1; gives how many are 1.
    pub(super) fn presence(&mut self, n: usize, out: &mut Bits) -> Result<usize> {
        let range = self.items(n)?;
        let (_, there) = self.present(&range)?;
        self.put_bits(range, out);
        Ok(there)
    }

    fn put_bits(&self, range: Range<usize>, out: &mut Bits) {
        if let Counts::Slots(bits) | Counts::Dense(bits) = &self.counts {
            out.extend_with(|bytes, len| {
                let n = range.len();
                bits.read(range, bytes, len);
                (n, ())
            });
        }
    }

    /// Appends a bit for each of the next `n` items, and a value each, there or not; gives how many are there.
    pub(super) fn slots(&mut self, n: usize, bits: &mut Bits, out: &mut Values) -> Result<usize> {
        let range = self.items(n)?;
        let (stored, there) = self.present(&range)?;
        let before = bits.len();
        self.put_bits(range, bits);
        if matches!(self.counts, Counts::Slots(_)) {
            self.values.read(stored, out)?;
        } else {
            self.values.read_spread(stored, bits, before, out)?;
        }
        Ok(there)
    }

    /// Appends the next `n` lengths and, unless `out` is `None`, the values of all. Gives how many they are.
    pub(super) fn arrays(
        &mut self,
        n: usize,
        lengths: &mut Vec<u32>,
        out: Option<&mut Values>,
        limits: &Limits,
    ) -> Result<usize> {
        let range = self.items(n)?;
        if n > limits.lengths {
            return Err(Error::too_large("array lengths", n as u64, limits.lengths as u64));
        }
        if let Counts::Lengths(all) = &self.counts {
            let start = lengths.len();
            all.read(range, lengths)?;
            let new = lengths.get(start..).unwrap_or_default();
            let sum = new.iter().map(|length| u64::from(*length)).sum::<u64>();
            let values = self.values_of(usize::try_from(sum).unwrap_or(usize::MAX))?;
            let count = values.len();
            out.map_or(Ok(()), |out| self.values.read(values, out))?;
            return Ok(count);
        }
        let mut bits = Bits::default();
        let (stored, there) = self.present(&range)?;
        self.put_bits(range, &mut bits);
        let bytes = bits.as_bytes();
        kernel::each_run(bytes, 0, n, |bit, count| {
            lengths.extend(std::iter::repeat_n(u32::from(bit), count));
        });
        match out {
            Some(out) if matches!(self.counts, Counts::Slots(_)) => {
                let (mut at, mut runs) = (stored.start, Vec::new());
                kernel::each_run(bytes, 0, n, |bit, count| {
                    runs.extend(bit.then_some(at..at + count));
                    at += count;
                });
                runs.into_iter().try_for_each(|run| self.values.read(run, out))?;
            }
            Some(out) => self.values.read(stored, out)?,
            None => {}
        }
        Ok(there)
    }
}

fn no_counts() -> Error {
    Error::malformed("counts of 0 and 1 wanted of a packed block without them")
}

impl Counts {
    /// The counts, and how many values they are of.
    fn take(input: &mut Input, items: usize, most: usize) -> Result<(Self, usize)> {
        Ok(match input.byte("kind of counts")? {
            LENGTHS => {
                let values = input.count(most, "values")?;
                (Counts::Lengths(Numbers::take(input, items)?), values)
            }
            SLOTS => (Counts::Slots(PackedBits::take(input, items, DEPTH)?), items),
            DENSE => {
                let bits = PackedBits::take(input, items, DEPTH)?;
                let values = bits.ones(items);
                (Counts::Dense(bits), values)
            }
            other => return Err(Error::malformed(format!("counts of kind {other}"))),
        })
    }
}

impl PackedValues {
    fn take(input: &mut Input, value_type: ValueType, n: usize) -> Result<Self> {
        use ValueType::{Boolean, Bytes, Double, Fixed32, Fixed64, Float, Int, Long, Null};
        Ok(match value_type {
            Null => PackedValues::Null(n),
            Boolean => PackedValues::Boolean(PackedBits::take(input, n, DEPTH)?),
            Int | Long | Fixed32 | Fixed64 => PackedValues::Numbers(Numbers::take(input, n)?),
            Float => PackedValues::Float(Floats::take(input, n, DEPTH)?),
            Double => PackedValues::Double(Floats::take(input, n, DEPTH)?),
            ValueType::String => PackedValues::Strings(PackedStrings::take(input, n, true, DEPTH)?),
            Bytes => PackedValues::Strings(PackedStrings::take(input, n, false, DEPTH)?),
        })
    }

    fn len(&self) -> usize {
        match self {
            PackedValues::Null(n) => *n,
            PackedValues::Boolean(bits) => bits.len(),
            PackedValues::Numbers(numbers) => numbers.len(),
            PackedValues::Float(floats) => floats.len(),
            PackedValues::Double(floats) => floats.len(),
            PackedValues::Strings(strings) => strings.len(),
        }
    }

    /// Appends the values of a range.
    fn read(&self, range: Range<usize>, out: &mut Values) -> Result<()> {
        match (self, out) {
            (PackedValues::Null(_), Values::Null(n)) => {
                let sum = n.checked_add(range.len());
                *n = sum.ok_or_else(|| Error::malformed("more values than can be counted"))?;
                Ok(())
            }
            (PackedValues::Boolean(bits), Values::Boolean(out)) => {
                out.extend_with(|bytes, len| {
                    let n = range.len();
                    bits.read(range, bytes, len);
                    (n, ())
                });
                Ok(())
            }
            (PackedValues::Numbers(numbers), Values::Int(out)) => numbers.read(range, out),
            (PackedValues::Numbers(numbers), Values::Long(out)) => numbers.read(range, out),
            (PackedValues::Numbers(numbers), Values::Wide(out)) => numbers.read(range, out),
            (PackedValues::Float(floats), Values::Float(out)) => floats.read(range, out),
            (PackedValues::Double(floats), Values::Double(out)) => floats.read(range, out),
            (PackedValues::Strings(strings), Values::Bytes(out)) => {
                let (offsets, data) = (&mut out.offsets, &mut out.data);
                strings.read(range, &mut Target { offsets, data })
            }
            (PackedValues::Strings(strings), Values::Views(out)) => strings.read_views(range, out),
            _ => Err(Error::invalid("no buffer for values of a packed block")),
        }
    }

    /// Appends the values of a range where bits are set, from bit `at` on, and something where they are not.
    fn read_spread(
        &self,
        range: Range<usize>,
        bits: &Bits,
        at: usize,
        out: &mut Values,
    ) -> Result<()> {
        let (level, bytes, n) = (Level::in_use(), bits.as_bytes(), bits.len() - at);
        macro_rules! expanded {
            ($kind:ident, $out:expr) => {{
                let mut dense = Values::$kind(Vec::new());
                self.read(range, &mut dense)?;
                if let Values::$kind(dense) = dense {
                    kernel::expand(level, &dense, bytes, at, n, Default::default(), $out);
                }
                Ok(())
            }};
        }
        match out {
            Values::Int(out) => expanded!(Int, out),
            Values::Long(out) => expanded!(Long, out),
            Values::Wide(out) => expanded!(Wide, out),
            Values::Float(out) => expanded!(Float, out),
            Values::Double(out) => expanded!(Double, out),
            Values::Bytes(out) => {
                let mut ends = vec![out.offsets.last().copied().unwrap_or(0)];
                let (offsets, data) = (&mut ends, &mut out.data);
                if let PackedValues::Strings(strings) = self {
                    strings.read(range, &mut Target { offsets, data })?;
                }
                out.offsets.pop();
                kernel::repeat_ends(level, &ends, bytes, at, n, &mut out.offsets);
                Ok(())
            }
            Values::Views(out) => match self {
                PackedValues::Strings(strings) => {
                    out.spread(bytes, at, n, |out| strings.read_views(range, out))
                }
                _ => Err(Error::invalid("no buffer for values of a packed block")),
            },
            Values::Boolean(out) => {
                let mut dense = Values::Boolean(Bits::default());
                self.read(range, &mut dense)?;
                let Values::Boolean(dense) = dense else { return Ok(()) };
                let mut next = 0;
                kernel::each_run(bytes, at, n, |there, count| {
                    let from = if there { next } else { usize::MAX / 2 };
                    out.extend(dense.as_bytes(), from, count);
                    next += if there { count } else { 0 };
                });
                Ok(())
            }
            Values::Null(_) => self.read(0..0, out),
        }
    }
}
