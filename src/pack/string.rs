//! Encodings of strings: plain, dictionary, FSST, decimal integers, templates and byte pairs.
//!
//! ```text
//! 0 plain        numbers: lengths │ numbers: where each group of 64 ends │ long how many, the bytes
//! 1 dictionary   long how many │ strings: entries │ numbers: codes
//! 2 symbols      numbers: lengths │ numbers: where the codes of each group end │ symbol table
//!                │ long how many, the codes
//! 3 integers     byte parts, 1 or 2 │ numbers: low 64 bits │ if 2, numbers: high 64 bits
//! 4 template     byte how many numbers │ texts, and how wide the numbers between them are │ numbers, of each
//! 5 byte pairs   as 2, with a table of pairs
//! ```
//! Groups allow access to a string without decoding those before it. FSST compresses all strings of a group as one
//! text, so a symbol may span two strings. Integers are strings that are minimal big-endian two's complement
//! numbers, as decimals are.

pub(crate) mod byte_groups;
pub(crate) mod byte_pair;
pub(crate) mod code_table;
pub(crate) mod decimal_strings;
pub(crate) mod dictionary;
pub(crate) mod distinct;
pub(crate) mod fsst;
pub(crate) mod hints;
pub(crate) mod target;
pub(crate) mod template;
pub(crate) mod view_dictionary;
pub(crate) mod views;

use std::fmt;
use std::ops::Range;

use self::byte_groups::{Groups, StringGroup, put_groups};
use self::code_table::CodeTable;
use self::dictionary::Entries;
use self::distinct::{Distinct, StringsRef};
use self::hints::StringHints;
pub(crate) use self::target::{STRINGS, Target};
use self::template::{FoundTemplate, SegmentedStrings, Template};
use self::views::{ViewBuffer, Views};
use super::integer;
use super::integer::{MOST_PARTS, Numbers, each_chunk, long, look_up};
use super::payload::Payload;
use super::payload_reader::Input;
use crate::buffer_reuse::Scratch;
use crate::error::{Error, Result};
use crate::kernel::{self, CHUNK, Level, SLOT};
use crate::wire;

pub(crate) const PLAIN: u8 = 0;
pub(crate) const DICTIONARY: u8 = 1;
pub(crate) const SYMBOLS: u8 = 2;
pub(crate) const INTEGERS: u8 = 3;
pub(crate) const TEMPLATE: u8 = 4;
pub(crate) const BYTE_PAIRS: u8 = 5;

/// Packed strings.
#[derive(Debug)]
pub(crate) struct PackedStrings {
    n: usize,
    /// Whether they must be UTF-8.
    text: bool,
    kind: StringEncoding,
}

#[derive(Debug)]
enum StringEncoding {
    Groups(Groups, Option<Box<CodeTable>>),
    Dictionary { entries: Entries, codes: Numbers },
    Integers { low: Numbers, high: Option<Numbers> },
    Template(Template),
}

/// Names the encoding, and those within it.
impl fmt::Display for PackedStrings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            StringEncoding::Groups(groups, None) => write!(f, "plain ({groups})"),
            StringEncoding::Groups(groups, Some(table)) => write!(f, "{table} ({groups})"),
            StringEncoding::Dictionary { entries, codes } => {
                write!(f, "dictionary of {} (codes: {codes})", entries.len())
            }
            StringEncoding::Integers { low, high: None } => write!(f, "integers ({low})"),
            StringEncoding::Integers { low, high: Some(high) } => {
                write!(f, "integers (low: {low}; high: {high})")
            }
            StringEncoding::Template(template) => template.fmt(f),
        }
    }
}

impl PackedStrings {
    /// Returns the next `n` strings of a payload; with `text` they must be UTF-8.
    pub(crate) fn take(input: &mut Input, n: usize, text: bool, depth: u32) -> Result<Self> {
        let Some(deeper) = depth.checked_sub(1) else {
            return Err(Error::malformed("strings within strings, too deep"));
        };
        let kind = match input.byte("kind of strings")? {
            PLAIN => StringEncoding::Groups(Groups::take(input, n, deeper, |_| Ok(()))?.0, None),
            DICTIONARY => {
                let count = input.count(MOST_PARTS.min(n), "dictionary")?;
                let strings = Self::take(input, count, false, deeper)?;
                let entries = Entries::unpack(&strings, input)?;
                if text {
                    entries.check_text()?;
                }
                StringEncoding::Dictionary {
                    entries,
                    codes: Numbers::take_within(input, n, deeper)?,
                }
            }
            SYMBOLS => {
                let (groups, table) = Groups::take(input, n, deeper, CodeTable::take_fsst)?;
                StringEncoding::Groups(groups, Some(table))
            }
            BYTE_PAIRS => {
                let (groups, table) = Groups::take(input, n, deeper, CodeTable::take_byte_pairs)?;
                StringEncoding::Groups(groups, Some(table))
            }
            INTEGERS => {
                let parts = input.byte("parts of integers")?;
                let low = Numbers::take_within(input, n, deeper)?;
                let high = match parts {
                    1 => None,
                    2 => Some(Numbers::take_within(input, n, deeper)?),
                    _ => return Err(Error::malformed(format!("integers of {parts} parts"))),
                };
                StringEncoding::Integers { low, high }
            }
            TEMPLATE => StringEncoding::Template(Template::take(input, n, text, deeper)?),
            other => return Err(Error::malformed(format!("strings of kind {other}"))),
        };
        Ok(Self { n, text, kind })
    }

    /// Returns how many there are.
    pub(crate) fn len(&self) -> usize {
        self.n
    }

    /// Appends the strings of a range.
    pub(crate) fn read(&self, range: Range<usize>, out: &mut Target<'_>) -> Result<()> {
        self.check(&range)?;
        let (groups, table) = match &self.kind {
            StringEncoding::Dictionary { entries, codes } => {
                let mut some = Scratch::<u32>::new();
                entries.expect(range.len());
                return each_chunk(range, |part| {
                    some.clear();
                    codes.read(part, &mut some)?;
                    entries.read(&some, out)
                });
            }
            StringEncoding::Integers { low, high } => {
                let start = out.data.len();
                let ends = out.offsets.len();
                let read = |part: &Numbers, out: &mut Vec<i64>| part.read(range.clone(), out);
                decimal_strings::read(low, high.as_ref(), read, out)?;
                return self.check_made(start, ends, out);
            }
            StringEncoding::Template(template) => {
                let mut words = SegmentedStrings::default();
                return each_chunk(range, |part| {
                    let read = |of: &Numbers, out: &mut Vec<i64>| of.read(part.clone(), out);
                    template.read(part.len(), read, &mut words, out)
                });
            }
            StringEncoding::Groups(groups, table) => (groups, table),
        };
        let part = groups.part(&range, table.is_some())?;
        let start = out.data.len();
        out.push_ends(part.bytes, part.lengths().iter().copied())?;
        match table {
            None => out.data.extend_from_slice(groups.bytes(&part)?),
            Some(table) => groups.expand(&part, table, out.data)?,
        }
        self.check_text(&part, out.data.get(start..).unwrap_or_default())
    }

    /// Appends a view of each string of a range.
    pub(crate) fn read_views(&self, range: Range<usize>, out: &mut Views) -> Result<()> {
        self.check(&range)?;
        out.bytes |= !self.text;
        let (groups, table) = match &self.kind {
            StringEncoding::Dictionary { entries, codes } => {
                let mut some = Scratch::<u32>::new();
                let table = entries.views(out)?;
                return each_chunk(range, |part| {
                    some.clear();
                    codes.read(part, &mut some)?;
                    look_up(&some, &table, &mut out.views)
                });
            }
            StringEncoding::Template(template) if template.is_even() => {
                return template.read_views(range, out);
            }
            StringEncoding::Integers { .. } | StringEncoding::Template(_) => {
                let (mut offsets, mut data) = (vec![0], Vec::new());
                let limit = out.room();
                self.read(range, &mut Target { offsets: &mut offsets, data: &mut data, limit })?;
                return out.extend(&offsets, data, self.text);
            }
            StringEncoding::Groups(groups, table) => (groups, table),
        };
        let part = groups.part(&range, table.is_some())?;
        let (mut offsets, mut data) = (Scratch::new(), Vec::new());
        if table.is_some() {
            data = std::mem::take(&mut out.spare);
        }
        offsets.push(0);
        let mut ends = Target { offsets: &mut offsets, data: &mut data, limit: out.room() };
        ends.push_ends(part.bytes, part.lengths().iter().copied())?;
        let buffer = match table {
            None => ViewBuffer::Shared(groups.shared(&part)?),
            Some(table) => {
                groups.expand(&part, table, &mut data)?;
                ViewBuffer::Own(data)
            }
        };
        let number = out.add(buffer)?;
        let Views { views, buffers, .. } = out;
        let bytes = match buffers.last() {
            Some(ViewBuffer::Shared(bytes)) => &bytes[..],
            Some(ViewBuffer::Own(bytes)) => &bytes[..],
            None => &[],
        };
        self.check_text(&part, bytes)?;
        kernel::string::offsets_to_views(Level::in_use(), &offsets, bytes, number, views);
        Ok(())
    }

    /// Appends the strings at positions, which ascend.
    pub(crate) fn pick(&self, places: &[u32], out: &mut Target<'_>) -> Result<()> {
        match &self.kind {
            StringEncoding::Dictionary { entries, codes } => {
                let mut some = Scratch::<u32>::new();
                codes.pick(places, &mut some)?;
                entries.expect(places.len());
                entries.read(&some, out)
            }
            StringEncoding::Integers { low, high } => {
                let (start, ends) = (out.data.len(), out.offsets.len());
                let pick = |part: &Numbers, out: &mut Vec<i64>| part.pick(places, out);
                decimal_strings::read(low, high.as_ref(), pick, out)?;
                self.check_made(start, ends, out)
            }
            StringEncoding::Template(template) => {
                let mut words = SegmentedStrings::default();
                places.chunks(CHUNK).try_for_each(|places| {
                    let pick = |of: &Numbers, out: &mut Vec<i64>| of.pick(places, out);
                    template.read(places.len(), pick, &mut words, out)
                })
            }
            StringEncoding::Groups(groups, table) => {
                let (start, ends) = (out.data.len(), out.offsets.len());
                groups.pick(places, table.as_deref(), out)?;
                self.check_made(start, ends, out)
            }
        }
    }

    /// Appends a view of each string at positions, which ascend.
    pub(crate) fn pick_views(&self, places: &[u32], out: &mut Views) -> Result<()> {
        if let StringEncoding::Dictionary { entries, codes } = &self.kind {
            out.bytes |= !self.text;
            let mut some = Scratch::<u32>::new();
            codes.pick(places, &mut some)?;
            return entries.pick_views(&some, out);
        }
        let (mut offsets, mut data) = (vec![0], Vec::new());
        let limit = out.room();
        let mut all = Target { offsets: &mut offsets, data: &mut data, limit };
        self.pick(places, &mut all)?;
        out.extend(&offsets, data, self.text)
    }

    fn check(&self, range: &Range<usize>) -> Result<()> {
        if range.start > range.end || range.end > self.n {
            return Err(Error::malformed(format!("strings {range:?} of {}", self.n)));
        }
        Ok(())
    }

    /// Fails if strings that were made are to be UTF-8 and are not.
    fn check_made(&self, start: usize, ends: usize, out: &Target<'_>) -> Result<()> {
        let bytes = out.data.get(start..).unwrap_or_default();
        let ends = out.offsets.get(ends..).unwrap_or_default();
        let ends = ends.iter().map(|end| usize::try_from(*end).unwrap_or(usize::MAX) - start);
        if self.text { check_utf8(bytes, ends) } else { Ok(()) }
    }

    fn check_text(&self, part: &StringGroup, bytes: &[u8]) -> Result<()> {
        let starts = part.lengths().iter().scan(0usize, |at, length| {
            let start = *at;
            *at += *length as usize;
            Some(start)
        });
        if self.text { check_utf8(bytes, starts) } else { Ok(()) }
    }
}

/// Fails unless the parts of `bytes` that begin at `starts` are each UTF-8.
pub(crate) fn check_utf8(bytes: &[u8], starts: impl Iterator<Item = usize>) -> Result<()> {
    match kernel::string::is_utf8(bytes, starts) {
        true => Ok(()),
        false => Err(Error::malformed("string is not UTF-8")),
    }
}

/// Encodes strings with the smallest result. Returns the distinct ones, if they were computed. With bits, only
/// strings whose bit is set are restored, and the others are empty. `known` has the distinct ones, if they are known.
pub(crate) fn put(
    strings: StringsRef<'_>,
    validity: Option<&[u8]>,
    known: Option<Distinct>,
    hints: &StringHints,
    depth: u32,
    out: &mut Payload,
) -> Option<Distinct> {
    let (start, deeper) = (out.len(), depth.saturating_sub(1));
    if hints.integers && put_integers(strings, deeper, out) {
        return None;
    }
    let mut found = None;
    if deeper > 1 && hints.repetitive {
        let most = (strings.len() / 2).min(MOST_ENTRIES);
        let known = known.filter(|known| known.len() <= most);
        let all = || known.or_else(|| Distinct::of(strings, None, most));
        let (mut distinct, all) = match validity {
            None => (all(), None),
            Some(_) => (Distinct::of(strings, validity, most), Some(all)),
        };
        // Long strings would be many bytes where none need be.
        let long = distinct.as_ref().is_some_and(|distinct| distinct.longest() > SLOT);
        let reports = validity.is_none() || !long;
        if !reports {
            distinct = all.and_then(|all| all());
        }
        if let Some(distinct) = distinct {
            put_dictionary(&distinct, hints, deeper, out);
            let few = distinct.len() <= strings.len() / FEW;
            found = Some(distinct).filter(|_| reports);
            if few && out.size_from(start) < strings.bytes().len() / 2 {
                return found;
            }
        }
    }
    let dictionary = out.split_off(start);
    put_each(strings, validity, Some(dictionary).filter(|d| !d.is_empty()), hints, deeper, out);
    found
}

/// Encodes each string for itself, or appends the dictionary of them if that is smaller.
fn put_each(
    strings: StringsRef<'_>,
    validity: Option<&[u8]>,
    dictionary: Option<Payload>,
    hints: &StringHints,
    depth: u32,
    out: &mut Payload,
) {
    let start = out.len();
    if !put_template(strings, validity, depth, out) {
        let expected = hints.expected_size(strings);
        let most = expected - expected / 8;
        if let Some(dictionary) = dictionary.as_ref().filter(|d| d.size_from(0) < most) {
            return out.append(dictionary);
        }
        put_groups(strings, hints, depth, out);
    }
    // Codes are faster to read than strings.
    if let Some(dictionary) = dictionary.filter(|d| d.size_from(0) <= out.size_from(start)) {
        out.truncate(start);
        out.append(&dictionary);
    }
}

/// Appends the template of strings and their numbers, if they have one and it saves.
fn put_template(
    strings: StringsRef<'_>,
    validity: Option<&[u8]>,
    depth: u32,
    out: &mut Payload,
) -> bool {
    let Some(found) = FoundTemplate::of(strings, validity) else { return false };
    let start = out.len();
    out.push(TEMPLATE);
    found.put(depth, out);
    let saves = out.size_from(start) < strings.bytes().len();
    if !saves {
        out.truncate(start);
    }
    saves
}

/// Appends strings that are integers as numbers, if all are and it saves.
fn put_integers(strings: StringsRef<'_>, depth: u32, out: &mut Payload) -> bool {
    let Some((low, high)) = decimal_strings::parts(strings) else { return false };
    let start = out.len();
    out.push(INTEGERS);
    out.push(if high.is_some() { 2 } else { 1 });
    integer::put(&low, depth, out);
    if let Some(high) = high {
        integer::put(&high, depth, out);
    }
    let saves = out.size_from(start) < strings.bytes().len();
    if !saves {
        out.truncate(start);
    }
    saves
}

/// The most entries of a dictionary that is written.
const MOST_ENTRIES: usize = 1 << 16;

/// A dictionary with at most one entry for this many strings is chosen without trying other encodings.
const FEW: usize = 8;

fn put_dictionary(distinct: &Distinct, hints: &StringHints, depth: u32, out: &mut Payload) {
    let entries = StringsRef { offsets: &distinct.offsets, data: &distinct.data };
    out.push(DICTIONARY);
    wire::put_long(out, long(entries.len()));
    // The entries have no dictionary: they are distinct.
    let deeper = depth.saturating_sub(1);
    if !(hints.integers && put_integers(entries, deeper, out)) {
        put_each(entries, None, None, hints, deeper, out);
    }
    integer::put(&distinct.codes, depth, out);
}
