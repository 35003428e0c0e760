//! The values of a packed block, by value type.

use std::fmt;
use std::ops::Range;

use super::{Bits, ValueType, Values};
use crate::error::{Error, Result};
use crate::kernel::{self, Level};
use crate::pack::{DEPTH, Floats, Input, Numbers, PackedBits, PackedStrings, Target};

/// The maximum number of values for which memory is reserved before they are read, since a block may claim any
/// number.
const ROOM: usize = 1 << 16;

/// Which of values, or of bits.
#[derive(Debug)]
pub(crate) enum ValueSelection<'a> {
    Range(Range<usize>),
    /// Ascending.
    Places(&'a [u32]),
}

impl ValueSelection<'_> {
    pub(crate) fn len(&self) -> usize {
        match self {
            ValueSelection::Range(range) => range.len(),
            ValueSelection::Places(places) => places.len(),
        }
    }

    /// Appends bits.
    pub(crate) fn bits(&self, of: &PackedBits, out: &mut Bits) {
        match self {
            ValueSelection::Range(range) => out.extend_with(|bytes, len| {
                of.read(range.clone(), bytes, len);
                (range.len(), ())
            }),
            ValueSelection::Places(places) => of.each(places, |set, _| out.push(set)),
        }
    }
}

/// The values of an open block, there or not.
#[derive(Debug)]
pub(crate) enum PackedValues {
    Null(usize),
    Boolean(PackedBits),
    Numbers(Numbers),
    Float(Floats<f32>),
    Double(Floats<f64>),
    Strings(PackedStrings),
}

impl fmt::Display for PackedValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PackedValues::Null(_) => f.write_str("nulls"),
            PackedValues::Boolean(bits) => bits.fmt(f),
            PackedValues::Numbers(numbers) => numbers.fmt(f),
            PackedValues::Float(floats) => floats.fmt(f),
            PackedValues::Double(floats) => floats.fmt(f),
            PackedValues::Strings(strings) => strings.fmt(f),
        }
    }
}

impl PackedValues {
    pub(crate) fn take(input: &mut Input, value_type: ValueType, n: usize) -> Result<Self> {
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

    pub(crate) fn len(&self) -> usize {
        match self {
            PackedValues::Null(n) => *n,
            PackedValues::Boolean(bits) => bits.len(),
            PackedValues::Numbers(numbers) => numbers.len(),
            PackedValues::Float(floats) => floats.len(),
            PackedValues::Double(floats) => floats.len(),
            PackedValues::Strings(strings) => strings.len(),
        }
    }

    /// Appends values.
    pub(crate) fn read(&self, of: &ValueSelection<'_>, out: &mut Values) -> Result<()> {
        out.reserve(of.len().min(ROOM));
        /// Dispatches on a range or positions.
        macro_rules! part {
            ($from:ident.$read:ident or $pick:ident, $out:expr) => {
                match of {
                    ValueSelection::Range(range) => $from.$read(range.clone(), $out),
                    ValueSelection::Places(places) => $from.$pick(places, $out),
                }
            };
        }
        match (self, out) {
            (PackedValues::Null(_), Values::Null(n)) => {
                let sum = n.checked_add(of.len());
                *n = sum.ok_or_else(|| Error::malformed("more values than can be counted"))?;
                Ok(())
            }
            (PackedValues::Boolean(bits), Values::Boolean(out)) => {
                of.bits(bits, out);
                Ok(())
            }
            (PackedValues::Numbers(numbers), Values::Int(out)) => part!(numbers.read or pick, out),
            (PackedValues::Numbers(numbers), Values::Long(out)) => part!(numbers.read or pick, out),
            (PackedValues::Numbers(numbers), Values::Wide(out)) => part!(numbers.read or pick, out),
            (PackedValues::Float(floats), Values::Float(out)) => part!(floats.read or pick, out),
            (PackedValues::Double(floats), Values::Double(out)) => part!(floats.read or pick, out),
            (PackedValues::Strings(strings), Values::Bytes(out)) => {
                let limit = out.limit;
                let (offsets, data) = (&mut out.offsets, &mut out.data);
                part!(strings.read or pick, &mut Target { offsets, data, limit })
            }
            (PackedValues::Strings(strings), Values::Views(out)) => {
                part!(strings.read_views or pick_views, out)
            }
            (PackedValues::Strings(strings), Values::Dictionary(out)) => {
                part!(strings.read_keys or pick_keys, out)
            }
            _ => Err(Error::invalid("no buffer for values of a packed block")),
        }
    }

    /// Appends values where bits are set, from bit `at` on, and something where they are not.
    pub(crate) fn read_spread(
        &self,
        of: &ValueSelection<'_>,
        bits: &Bits,
        at: usize,
        out: &mut Values,
    ) -> Result<()> {
        let (level, bytes, n) = (Level::in_use(), bits.as_bytes(), bits.len() - at);
        macro_rules! expanded {
            ($kind:ident, $out:expr) => {{
                let mut dense = Values::$kind(Vec::new());
                self.read(of, &mut dense)?;
                if let Values::$kind(dense) = dense {
                    kernel::gather::expand(level, &dense, bytes, at, n, Default::default(), $out);
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
                // Their bytes are appended to the existing ones, and their ends are expanded.
                let data = std::mem::take(&mut out.data);
                let mut dense = Values::Bytes(out.behind(data));
                let read = self.read(of, &mut dense);
                let Values::Bytes(dense) = dense else { return read };
                out.data = dense.data;
                read?;
                out.offsets.pop();
                kernel::gather::expand_offsets(
                    level,
                    &dense.offsets,
                    bytes,
                    at,
                    n,
                    &mut out.offsets,
                );
                Ok(())
            }
            Values::Views(_) | Values::Dictionary(_) => {
                let start = out.len();
                self.read(of, out)?;
                match out {
                    Values::Views(views) => views.spread(start, bytes, at, n),
                    Values::Dictionary(keys) => keys.spread(start, bytes, at, n),
                    _ => {}
                }
                Ok(())
            }
            Values::Boolean(out) => {
                let mut dense = Values::Boolean(Bits::default());
                self.read(of, &mut dense)?;
                let Values::Boolean(dense) = dense else { return Ok(()) };
                let mut next = 0;
                kernel::bitmap::for_each_run(bytes, at, n, |valid, count| {
                    let from = if valid { next } else { usize::MAX / 2 };
                    out.extend(dense.as_bytes(), from, count);
                    next += if valid { count } else { 0 };
                });
                Ok(())
            }
            Values::Null(_) => self.read(&ValueSelection::Range(0..0), out),
        }
    }
}
