//! Encodings of floats: ALP, ALP-RD, dictionary, sparse and plain.
//!
//! ```text
//! 0 plain        the values, low byte first
//! 1 dictionary   long how many │ floats: values │ numbers: codes
//! 2 decimals     exponent byte, factor u16 │ numbers: digits │ exceptions: values
//! 3 split        right byte │ long how many, u16 left parts │ numbers: codes │ numbers: right parts
//!                │ exceptions: left parts, u16
//! 4 frequent     value │ bits: which are others │ floats: others
//! exceptions     long count │ numbers: positions, ascending │ missing bits, end to end
//! ```
//! [`alp`] and [`alp_rd`] document how digits and parts become values.

pub(crate) mod alp;
pub(crate) mod alp_rd;
pub(crate) mod exceptions;
pub(crate) mod hints;
pub(crate) mod width;

use std::fmt;
use std::ops::Range;

use bytes::Bytes;

use self::alp::Scale;
use self::alp_rd::Split;
use self::exceptions::Exceptions;
use self::hints::FloatHints;
use self::width::{FloatBits, put_low, sample};
use super::integer;
use super::integer::{MOST_PARTS, Numbers, check_places, each_chunk, long};
use super::payload::Payload;
use super::payload_reader::Input;
use crate::buffer_reuse::Scratch;
use crate::error::{Error, Result};
use crate::kernel::Modular;
use crate::pack::integer::bitmap::{self, PackedBits};
use crate::pack::integer::dictionary::{Dictionary, Packed};
use crate::pack::integer::sparse;
use crate::pack::integer::value_counts::Counted;
use crate::wire;

const PLAIN: u8 = 0;
const DICTIONARY: u8 = 1;
const DECIMALS: u8 = 2;
const SPLIT: u8 = 3;
const FREQUENT: u8 = 4;

/// Packed floats of one width.
#[derive(Debug)]
pub(crate) struct Floats<R: FloatBits> {
    n: usize,
    kind: FloatEncoding<R>,
}

#[derive(Debug)]
enum FloatEncoding<R: FloatBits> {
    Plain(Bytes),
    Dictionary(Box<Dictionary<Floats<R>>>),
    Decimals { scale: Scale, digits: Numbers, exceptions: Exceptions<R::Bits> },
    Split { split: Split, codes: Numbers, right: Numbers, exceptions: Exceptions<u16> },
    Frequent { value: R, others: PackedBits, rest: Box<Floats<R>> },
}

/// Names the encoding, and those within it.
impl<R: FloatBits> fmt::Display for Floats<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            FloatEncoding::Plain(_) => write!(f, "plain"),
            FloatEncoding::Dictionary(dictionary) => dictionary.fmt(f),
            FloatEncoding::Decimals { scale, digits, exceptions } => {
                let (decimals, exceptions) = (scale.exponent, exceptions.bits.len());
                write!(f, "decimals of {decimals} digits ({digits}; {exceptions} exceptions)")
            }
            FloatEncoding::Split { codes, right, exceptions, .. } => {
                let exceptions = exceptions.bits.len();
                write!(f, "split (left: {codes}; right: {right}; {exceptions} exceptions)")
            }
            FloatEncoding::Frequent { value, others, rest } => {
                write!(f, "frequent {value:?} (others: {others}; {rest})")
            }
        }
    }
}

impl<R: FloatBits> Floats<R> {
    /// Returns the next `n` floats of a payload.
    pub(crate) fn take(input: &mut Input, n: usize, depth: u32) -> Result<Self> {
        let Some(deeper) = depth.checked_sub(1) else {
            return Err(Error::malformed("floats within floats, too deep"));
        };
        let kind = match input.byte("kind of floats")? {
            PLAIN => FloatEncoding::Plain(take_plain::<R>(input, n)?),
            DICTIONARY => {
                let count = input.count(MOST_PARTS.min(n), "dictionary")?;
                input.allocate(count, R::SIZE)?;
                let values = Self::take(input, count, deeper)?;
                let codes = Numbers::take_within(input, n, deeper)?;
                FloatEncoding::Dictionary(Box::new(Dictionary::new(values, codes)))
            }
            DECIMALS => {
                let exponent = input.byte("exponent")?;
                let factor = take_u16(input, "factor")?;
                let wrong = || Error::malformed(format!("scale of {exponent} and {factor}"));
                let scale = Scale::new(exponent, factor).ok_or_else(wrong)?;
                let digits = Numbers::take_within(input, n, deeper)?;
                let take = |bytes: &[u8], i| bits_at::<R>(bytes, i);
                let exceptions = Exceptions::take(input, n, deeper, R::SIZE, take)?;
                FloatEncoding::Decimals { scale, digits, exceptions }
            }
            SPLIT => {
                let right = input.byte("right part")?;
                let count = input.count(8, "left parts")?;
                let left = (0..count).map(|_| take_u16(input, "left part"));
                let left = left.collect::<Result<Vec<_>>>()?;
                let wrong = || {
                    Error::malformed(format!(
                        "a right part of {right} bits beside left parts {left:?}"
                    ))
                };
                let split = Split::new::<R>(right, &left).ok_or_else(wrong)?;
                let codes = Numbers::take_within(input, n, deeper)?;
                let right = Numbers::take_within(input, n, deeper)?;
                let exceptions = Exceptions::take(input, n, deeper, 2, u16_at)?;
                if !exceptions.bits.iter().all(|left| split.fits::<R>(*left)) {
                    return Err(Error::malformed("a left part of too many bits"));
                }
                FloatEncoding::Split { split, codes, right, exceptions }
            }
            FREQUENT => {
                let value = plain(&take_plain::<R>(input, 1)?, 0);
                let others = PackedBits::take(input, n, deeper)?;
                let rest = Box::new(Self::take(input, others.ones(n), deeper)?);
                FloatEncoding::Frequent { value, others, rest }
            }
            other => return Err(Error::malformed(format!("floats of kind {other}"))),
        };
        Ok(Self { n, kind })
    }

    /// Returns how many there are.
    pub(crate) fn len(&self) -> usize {
        self.n
    }

    /// Appends the floats of a range.
    pub(crate) fn read(&self, range: Range<usize>, out: &mut Vec<R>) -> Result<()> {
        if range.start > range.end || range.end > self.n {
            return Err(Error::malformed(format!("floats {range:?} of {}", self.n)));
        }
        match &self.kind {
            FloatEncoding::Plain(bytes) => read_plain(bytes, range, out),
            FloatEncoding::Dictionary(dictionary) => {
                dictionary.read(range, dictionary.entries()?, out)
            }
            FloatEncoding::Decimals { scale, digits, exceptions } => {
                let start = out.len();
                let mut some = Scratch::<R::Digit>::new();
                each_chunk(range.clone(), |part| {
                    some.clear();
                    digits.read(part, &mut some)?;
                    alp::decode::<R>(&some, *scale, out);
                    Ok(())
                })?;
                let made = out.get_mut(start..).unwrap_or_default();
                let (places, bits) = exceptions.within(&range);
                check_patched(alp::patch(made, &places, bits))
            }
            FloatEncoding::Split { split, codes, right, exceptions } => {
                let start = out.len();
                let (mut some, mut rights) = (Scratch::new(), Scratch::new());
                each_chunk(range.clone(), |part| {
                    some.clear();
                    rights.clear();
                    codes.read(part.clone(), &mut some)?;
                    right.read(part, &mut rights)?;
                    alp_rd::decode::<R>(&some, &rights, split, out);
                    Ok(())
                })?;
                let made = out.get_mut(start..).unwrap_or_default();
                let (places, left) = exceptions.within(&range);
                check_patched(alp_rd::patch(made, split, &places, left))
            }
            FloatEncoding::Frequent { value, others, rest } => {
                sparse::scatter(*value, others, range, |ones, dense| rest.read(ones, dense), out)
            }
        }
    }
}

impl<R: FloatBits> Floats<R> {
    /// Appends the floats at positions, which ascend.
    pub(crate) fn pick(&self, places: &[u32], out: &mut Vec<R>) -> Result<()> {
        check_places(places, self.n)?;
        let start = out.len();
        match &self.kind {
            FloatEncoding::Plain(bytes) => {
                out.extend(places.iter().map(|place| plain::<R>(bytes, *place as usize)));
                Ok(())
            }
            FloatEncoding::Dictionary(dictionary) => dictionary.pick(places, |value| value, out),
            FloatEncoding::Decimals { scale, digits, exceptions } => {
                let mut some = Scratch::<R::Digit>::new();
                digits.pick(places, &mut some)?;
                alp::decode::<R>(&some, *scale, out);
                let made = out.get_mut(start..).unwrap_or_default();
                let (places, bits) = exceptions.among(places);
                check_patched(alp::patch(made, &places, &bits))
            }
            FloatEncoding::Split { split, codes, right, exceptions } => {
                let (mut some, mut rights) = (Scratch::new(), Scratch::new());
                codes.pick(places, &mut some)?;
                right.pick(places, &mut rights)?;
                alp_rd::decode::<R>(&some, &rights, split, out);
                let made = out.get_mut(start..).unwrap_or_default();
                let (places, left) = exceptions.among(places);
                check_patched(alp_rd::patch(made, split, &places, &left))
            }
            FloatEncoding::Frequent { value, others, rest } => {
                sparse::pick(*value, others, places, |ranks, dense| rest.pick(ranks, dense), out)
            }
        }
    }
}

impl<R: FloatBits> Packed for Floats<R> {
    type Value = R;

    fn len(&self) -> usize {
        self.n
    }

    fn read(&self, range: Range<usize>, out: &mut Vec<R>) -> Result<()> {
        self.read(range, out)
    }

    fn pick(&self, places: &[u32], out: &mut Vec<R>) -> Result<()> {
        self.pick(places, out)
    }
}

fn check_patched(patched: bool) -> Result<()> {
    if patched { Ok(()) } else { Err(Error::malformed("an exception is out of range")) }
}

fn take_plain<R: FloatBits>(input: &mut Input, n: usize) -> Result<Bytes> {
    let size = n.checked_mul(R::SIZE).ok_or_else(|| Error::malformed("too many floats"))?;
    input.take(size, "floats")
}

fn take_u16(input: &mut Input, what: &'static str) -> Result<u16> {
    Ok(u16_at(&input.take(2, what)?, 0))
}

fn u16_at(bytes: &[u8], i: usize) -> u16 {
    bytes.get(2 * i..).and_then(|rest| rest.first_chunk()).map_or(0, |two| u16::from_le_bytes(*two))
}

fn bits_at<R: FloatBits>(bytes: &[u8], i: usize) -> R::Bits {
    let rest = bytes.get(R::SIZE * i..).unwrap_or_default();
    // One of the two: the size is known when this is compiled.
    R::Bits::wrap(match R::SIZE {
        4 => rest.first_chunk().map_or(0, |four| u64::from(u32::from_le_bytes(*four))),
        _ => rest.first_chunk().map_or(0, |eight| u64::from_le_bytes(*eight)),
    })
}

fn plain<R: FloatBits>(bytes: &[u8], i: usize) -> R {
    R::from_bits(bits_at::<R>(bytes, i))
}

fn read_plain<R: FloatBits>(bytes: &[u8], range: Range<usize>, out: &mut Vec<R>) -> Result<()> {
    let part = bytes.get(range.start * R::SIZE..range.end * R::SIZE).unwrap_or_default();
    // One of the two: the size is known when this is compiled.
    match R::SIZE {
        4 => out.extend(
            part.as_chunks()
                .0
                .iter()
                .map(|four| R::from_bits(R::Bits::wrap(u64::from(u32::from_le_bytes(*four))))),
        ),
        _ => out.extend(
            part.as_chunks()
                .0
                .iter()
                .map(|eight| R::from_bits(R::Bits::wrap(u64::from_le_bytes(*eight)))),
        ),
    }
    Ok(())
}

fn put_plain<R: FloatBits>(values: &[R], out: &mut Vec<u8>) {
    out.reserve(values.len() * R::SIZE);
    values.iter().for_each(|value| put_low(value.to_bits().into(), R::SIZE, out));
}

/// Encodes floats with the smallest result. `hints` are those of earlier values of the column.
pub(crate) fn put<R: FloatBits>(values: &[R], hints: &FloatHints, depth: u32, out: &mut Payload) {
    let (start, deeper) = (out.len(), depth.saturating_sub(1));
    // Nothing can be saved for one value, and its dictionary would nest another.
    if values.len() < 2 || deeper == 0 {
        out.push(PLAIN);
        return put_plain(values, out);
    }
    let some = sample(values, 512);
    let all = some.iter().map(|value| value.to_bits().into());
    let counted = Counted::of(all, some.len()).unwrap_or_default();
    let distinct = counted.values.len();
    if let Some((value, count)) = counted.most_frequent()
        && distinct > 1
        && count * 10 >= some.len() * 7
        && deeper > 1
    {
        put_frequent(values, R::from_bits(R::Bits::wrap(value)), &hints.of_part(), deeper, out);
        return keep_or_plain(values, start, out);
    }
    let plain = f64::from(R::WIDTH);
    let found = hints.best(values);
    let decimals = found.map_or(plain, |(_, bits)| bits);
    if deeper > 1 && dictionary_bits(&counted, values.len(), decimals) < decimals * 0.75 {
        #[allow(clippy::cast_precision_loss)] // It is not that exact.
        let saves = |bytes: usize| (bytes * 8) as f64 <= decimals * 0.9 * values.len() as f64;
        if put_dictionary(values, &hints.of_part(), deeper, out) && saves(out.size_from(start)) {
            return keep_or_plain(values, start, out);
        }
        out.truncate(start);
    }
    let worth = decimals > plain / 2.0 && hints.options.splits();
    let split = if worth { alp_rd::choose(values) } else { None };
    match (found, split) {
        (Some((scale, bits)), split) if split.as_ref().is_none_or(|(_, other)| bits <= *other) => {
            put_decimals(values, scale, deeper, out);
        }
        (_, Some((split, _))) => put_split(values, &split, deeper, out),
        _ => {}
    }
    keep_or_plain(values, start, out);
}

/// Takes back what does not save a sixteenth.
fn keep_or_plain<R: FloatBits>(values: &[R], start: usize, out: &mut Payload) {
    let (packed, plain) = (out.size_from(start), values.len() * R::SIZE);
    if packed == 0 || packed > plain - plain / 16 {
        out.truncate(start);
        out.push(PLAIN);
        put_plain(values, out);
    }
}

fn put_frequent<R: FloatBits>(
    values: &[R],
    value: R,
    hints: &FloatHints,
    depth: u32,
    out: &mut Payload,
) {
    let bits = value.to_bits();
    let (bitmap, others) = sparse::others(values, |other| other.to_bits() != bits);
    out.push(FREQUENT);
    put_plain(&[value], out);
    bitmap::put(&bitmap, 0, values.len(), depth, out);
    put(&others, hints, depth, out);
}

/// The most entries of a dictionary that is written.
const MOST_ENTRIES: usize = 1 << 14;

/// Estimates the bits that each of `n` values takes in a dictionary, from a sample of them, if an entry takes `entry`.
fn dictionary_bits(sample: &Counted, n: usize, entry: f64) -> f64 {
    let distinct = sample.estimate_distinct().filter(|distinct| *distinct <= MOST_ENTRIES);
    let Some(distinct) = distinct else { return f64::INFINITY };
    let width = f64::from(usize::BITS - distinct.saturating_sub(1).leading_zeros());
    // They are not more than the precision of a float.
    #[allow(clippy::cast_precision_loss)]
    let entries = distinct as f64 / n as f64;
    width + entries * entry
}

fn put_dictionary<R: FloatBits>(
    values: &[R],
    hints: &FloatHints,
    depth: u32,
    out: &mut Payload,
) -> bool {
    let all = values.iter().map(|value| value.to_bits().into());
    let Some(counted) = Counted::of(all, MOST_ENTRIES) else { return false };
    // In order, as most of them pack better and codes compare as values do.
    let value = |bits: u64| R::from_bits(R::Bits::wrap(bits));
    let (order, coded) =
        counted.in_order(|a, b| value(a).widen().total_cmp(&value(b).widen()).then(a.cmp(&b)));
    out.push(DICTIONARY);
    wire::put_long(out, long(order.len()));
    put(&order.into_iter().map(value).collect::<Vec<R>>(), hints, depth, out);
    integer::put(&coded, depth, out);
    true
}

fn put_decimals<R: FloatBits>(values: &[R], scale: Scale, depth: u32, out: &mut Payload) {
    let (mut digits, mut exceptions) = (Vec::with_capacity(values.len()), Exceptions::default());
    alp::encode(values, scale, &mut digits, &mut exceptions);
    out.push(DECIMALS);
    out.push(scale.exponent);
    out.extend(scale.factor.to_le_bytes());
    let digits: Vec<i64> = digits.into_iter().map(Into::into).collect();
    integer::put(&digits, depth, out);
    exceptions.put(R::SIZE, depth, out);
}

fn put_split<R: FloatBits>(values: &[R], split: &Split, depth: u32, out: &mut Payload) {
    let (mut codes, mut right) = (Vec::new(), Vec::new());
    let mut exceptions = Exceptions::default();
    alp_rd::encode(values, split, &mut codes, &mut right, &mut exceptions);
    out.push(SPLIT);
    out.push(split.right());
    wire::put_long(out, long(split.dictionary().len()));
    split.dictionary().iter().for_each(|left| out.extend(left.to_le_bytes()));
    codes.resize(values.len(), 0);
    let codes: Vec<i64> = codes.into_iter().map(i64::from).collect();
    integer::put(&codes, depth, out);
    let right: Vec<i64> =
        right.into_iter().map(|bits| Into::<u64>::into(bits).cast_signed()).collect();
    integer::put(&right, depth, out);
    exceptions.put(2, depth, out);
}
