//! Decodes messages to columns.
//!
//! ```text
//! scan: key │ value │ key │ value ...  ──►  Seen: column, member, where  ──sorted by column──►  Grow
//! ```
//! A field may occur several times and anywhere: the last value counts, lists are continued, and messages are
//! merged as if they were concatenated. So the positions of values are recorded first, and columns are filled
//! afterwards.

use std::collections::HashSet;
use std::ops::Range;

use super::message_layout::{Column, Entry, FieldKind, Member, Names, Record, Rule};
use super::row_error::{Outcome, RowError};
use super::scalar::{Plain, Scalar};
use super::timestamp::TimeUnits;
use super::validate::{check, expect};
use super::wire::{Cursor, Wire};
use crate::rows::Grow;
use trevni::{Error, Result};

/// Values that one message may make, absent ones too: two bytes can be an item that has many fields.
const MOST_VALUES: u64 = 1 << 26;

/// The position of a value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    column: u32,
    member: u32,
    at: u32,
    wire: Wire,
}

/// Reads one message.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    /// The values of the messages that are being read, each after those of the message around it.
    seen: &'a mut Vec<Seen>,
    /// Fields that the schema does not know.
    pub(super) unknown: u64,
    /// Values that were made.
    pub(super) values: u64,
}

/// The positions of the parts of a message.
type Parts<'p> = &'p [Range<usize>];

/// Returns which member it is of.
fn place(seen: &Seen) -> usize {
    usize::try_from(seen.member).unwrap_or(usize::MAX)
}

fn wrong(what: &str) -> Error {
    Error::malformed(what)
}

fn small(n: usize) -> Result<u32> {
    u32::try_from(n).map_err(|_| wrong("a message of 4 GB"))
}

impl<'a> Reader<'a> {
    /// Creates a reader of a message, which uses the memory of `seen`.
    pub(super) fn new(bytes: &'a [u8], seen: &'a mut Vec<Seen>) -> Self {
        seen.clear();
        Self { bytes, seen, unknown: 0, values: 0 }
    }

    /// Makes a row of the message.
    pub(super) fn row(&mut self, record: &Record, to: &mut Grow) -> Outcome {
        let all = 0..self.bytes.len();
        self.record(record, &[all], to)
    }

    fn cursor(&self, seen: Seen) -> Cursor<'a> {
        Cursor::new(self.bytes, usize::try_from(seen.at).unwrap_or(usize::MAX)..self.bytes.len())
    }

    fn record(&mut self, record: &Record, parts: Parts<'_>, to: &mut Grow) -> Outcome {
        self.afford(record.width, 1)?;
        self.values += record.width;
        let start = self.seen.len();
        for part in parts {
            self.scan(record, part.clone())?;
        }
        if let Some(seen) = self.seen.get_mut(start..) {
            seen.sort_by_key(|seen| seen.column);
        }
        let mut at = start;
        for (i, column) in record.columns.iter().enumerate() {
            let from = at;
            while self.seen.get(at).is_some_and(|seen| usize::try_from(seen.column) == Ok(i)) {
                at += 1;
            }
            let to = to.child(i)?;
            let filled = match record.members.get(column.members.start) {
                Some(member) if !column.is_oneof => self.member(member, from..at, to),
                _ => self.oneof(record, column, from..at, to),
            };
            filled.map_err(|fault| fault.under(&column.name))?;
        }
        self.seen.truncate(start);
        Ok(to.end_struct()?)
    }

    /// Fails if this many values of a width exceed the limit.
    fn afford(&self, width: u64, n: usize) -> Result<()> {
        let more = width.saturating_mul(n as u64);
        match self.values.saturating_add(more) > MOST_VALUES {
            true => Err(wrong("it makes more values than a batch can hold")),
            false => Ok(()),
        }
    }

    /// Records the values in a part of a message.
    fn scan(&mut self, record: &Record, part: Range<usize>) -> Outcome {
        let mut from = Cursor::new(self.bytes, part);
        while !from.is_at_end() {
            let (number, wire) = from.key()?;
            let at = small(from.at())?;
            let Some((place, member)) =
                record.place(number).and_then(|i| Some((i, record.members.get(i)?)))
            else {
                self.unknown += 1;
                from.skip(number, wire)?;
                continue;
            };
            let passed = expect(member, wire).and_then(|()| from.skip(number, wire));
            passed.map_err(|e| Box::<RowError>::from(e).under(&member.name))?;
            let (column, member) = (small(member.column)?, small(place)?);
            self.seen.push(Seen { column, member, at, wire });
        }
        Ok(())
    }

    fn oneof(
        &mut self,
        record: &Record,
        column: &Column,
        run: Range<usize>,
        to: &mut Grow,
    ) -> Outcome {
        let Some(last) = self.last(&run) else { return Ok(to.branch(0)?.push_null()?) };
        // A member is merged with what it had before only if no other was set in between.
        let same = |i: &usize| self.seen.get(*i).is_some_and(|seen| seen.member == last.member);
        let from = run.clone().rev().take_while(same).last().unwrap_or(run.start);
        for i in run.start..from {
            self.replaced(record, i)?;
        }
        let place = place(&last);
        let branch = place.saturating_sub(column.members.start) + 1;
        let member = record.members.get(place).ok_or_else(|| wrong("a oneof without fields"))?;
        let read = self.one(member, from..run.end, to.branch(branch)?);
        read.map_err(|fault| fault.under(&member.name))
    }

    fn member(&mut self, member: &Member, run: Range<usize>, to: &mut Grow) -> Outcome {
        match &member.rule {
            Rule::Implicit => self.one(member, run, to),
            Rule::Optional if run.is_empty() => Ok(to.push_null()?),
            Rule::Required if run.is_empty() => Err(wrong("it is required, and missing").into()),
            Rule::Optional | Rule::Required => self.one(member, run, to),
            Rule::Repeated { .. } => self.list(member, run, to),
            Rule::Map(entry) => self.map(member, entry, run, to),
        }
    }

    /// Reads a value for nothing that another field of its oneof replaces.
    fn replaced(&self, record: &Record, seen: usize) -> Outcome {
        let Some(seen) = self.seen.get(seen) else { return Ok(()) };
        let Some(member) = record.members.get(place(seen)) else { return Ok(()) };
        let checked = check(member, seen.wire, &mut self.cursor(*seen));
        checked.map_err(|e| Box::<RowError>::from(e).under(&member.name))
    }

    fn last(&self, run: &Range<usize>) -> Option<Seen> {
        self.seen.get(run.clone()).and_then(<[Seen]>::last).copied()
    }

    /// Adds the last of the values in a range, or the default.
    fn one(&mut self, member: &Member, run: Range<usize>, to: &mut Grow) -> Outcome {
        if let FieldKind::Record { .. }
        | FieldKind::Timestamp
        | FieldKind::Duration
        | FieldKind::Wrapper(_) = &member.kind
        {
            return match run.len() {
                1 => {
                    let part = self.part(member, run.start)?;
                    self.message(member, &[part], to)
                }
                _ => {
                    let parts: Result<Vec<_>> = run.map(|i| self.part(member, i)).collect();
                    self.message(member, &parts?, to)
                }
            };
        }
        for i in run.clone().skip(1) {
            let Some(seen) = self.seen.get(i - 1) else { break };
            check(member, seen.wire, &mut self.cursor(*seen))?;
        }
        match self.last(&run) {
            Some(seen) => plain(&member.kind, &mut self.cursor(seen), to)?,
            None => match &member.kind {
                FieldKind::Scalar(scalar) => scalar.zero().push(to)?,
                FieldKind::Enum(names) => {
                    symbol(names, names.order.first().copied().unwrap_or(0), to)?;
                }
                _ => {}
            },
        }
        Ok(())
    }

    /// Returns the position of a part of a message.
    fn part(&self, member: &Member, seen: usize) -> Result<Range<usize>> {
        let seen = self.seen.get(seen).ok_or_else(|| wrong("a value that was not seen"))?;
        let mut from = self.cursor(*seen);
        match seen.wire {
            Wire::Start => from.group(member.number),
            _ => from.range(),
        }
    }

    fn message(&mut self, member: &Member, parts: Parts<'_>, to: &mut Grow) -> Outcome {
        match &member.kind {
            FieldKind::Record { record, .. } => self.record(record, parts, to),
            FieldKind::Timestamp | FieldKind::Duration => {
                let moment = match member.kind {
                    FieldKind::Timestamp => TimeUnits::Timestamp,
                    _ => TimeUnits::Duration,
                };
                let (mut seconds, mut nanos) = (0, 0);
                self.fields(parts, |number, wire, from| {
                    match number {
                        1 => seconds = long(Scalar::Int64, wire, from)?,
                        2 => nanos = long(Scalar::Int32, wire, from)?,
                        _ => return Ok(false),
                    }
                    Ok(true)
                })?;
                Ok(to.push_long(moment.nanoseconds(seconds, nanos)?)?)
            }
            FieldKind::Wrapper(scalar) => {
                let mut value = scalar.zero();
                self.fields(parts, |number, wire, from| {
                    if number == 1 {
                        value = scalar.fitting(wire)?.take(from)?;
                    }
                    Ok(number == 1)
                })?;
                Ok(value.push(to)?)
            }
            FieldKind::Scalar(_) | FieldKind::Enum(_) => Ok(()),
        }
    }

    /// Visits the fields of a small message. Fields that `each` does not accept are unknown.
    fn fields(
        &mut self,
        parts: Parts<'_>,
        mut each: impl FnMut(u32, Wire, &mut Cursor<'a>) -> Result<bool>,
    ) -> Result<()> {
        for part in parts {
            let mut from = Cursor::new(self.bytes, part.clone());
            while !from.is_at_end() {
                let (number, wire) = from.key()?;
                if !each(number, wire, &mut from)? {
                    self.unknown += 1;
                    from.skip(number, wire)?;
                }
            }
        }
        Ok(())
    }

    fn list(&mut self, member: &Member, run: Range<usize>, to: &mut Grow) -> Outcome {
        if let FieldKind::Record { record, .. } = &member.kind {
            self.afford(record.width, run.len())?;
        }
        let items = to.item()?;
        for i in run {
            let Some(seen) = self.seen.get(i).copied() else { break };
            if seen.wire == Wire::Bytes && member.kind.wire() != Wire::Bytes {
                let mut from = self.cursor(seen);
                let mut from = Cursor::new(self.bytes, from.range()?);
                while !from.is_at_end() {
                    plain(&member.kind, &mut from, items)?;
                }
            } else {
                self.one(member, i..i + 1, items)?;
            }
        }
        Ok(to.end_list()?)
    }

    fn map(&mut self, member: &Member, entry: &Entry, run: Range<usize>, to: &mut Grow) -> Outcome {
        if let FieldKind::Record { record, .. } = &entry.value.kind {
            self.afford(record.width, run.len())?;
        }
        let (keys, values) = to.entry()?;
        let again = if run.len() > 1 { self.again(entry, run.clone())? } else { HashSet::new() };
        for i in run {
            let Some(seen) = self.seen.get(i).copied() else { break };
            if again.contains(&i) {
                check(member, seen.wire, &mut self.cursor(seen))?;
                continue;
            }
            let mut from = self.cursor(seen).part(seen.wire, member.number)?;
            let (start, mut key) = (self.seen.len(), entry.key.zero());
            while !from.is_at_end() {
                let (number, wire) = from.key()?;
                match number {
                    1 => key = entry.key.fitting(wire)?.take(&mut from)?,
                    2 => {
                        expect(&entry.value, wire)?;
                        self.seen.push(Seen { column: 0, member: 0, at: small(from.at())?, wire });
                        from.skip(number, wire)?;
                    }
                    _ => {
                        self.unknown += 1;
                        from.skip(number, wire)?;
                    }
                }
            }
            key.push(keys)?;
            let read = self.one(&entry.value, start..self.seen.len(), values);
            read.map_err(|fault| fault.under(&entry.value.name))?;
            self.seen.truncate(start);
        }
        Ok(to.end_list()?)
    }

    /// Returns the entries whose key occurs again after them.
    fn again(&self, entry: &Entry, run: Range<usize>) -> Result<HashSet<usize>> {
        let (mut known, mut again) = (HashSet::new(), HashSet::new());
        for i in run.rev() {
            let Some(seen) = self.seen.get(i).copied() else { continue };
            let range = self.cursor(seen).range()?;
            let (mut from, mut key) = (Cursor::new(self.bytes, range), entry.key.zero());
            while !from.is_at_end() {
                match from.key()? {
                    (1, wire) => key = entry.key.fitting(wire)?.take(&mut from)?,
                    (number, wire) => from.skip(number, wire)?,
                }
            }
            let key = match key {
                Plain::Text(text) => (text, 0),
                Plain::Long(n) => ("", n),
                Plain::Unsigned(n) => ("", n.cast_signed()),
                Plain::Bool(b) => ("", b.into()),
                Plain::Double(_) | Plain::Float(_) | Plain::Bytes(_) => {
                    return Err(Error::unsupported("a map with such keys"));
                }
            };
            if !known.insert(key) {
                again.insert(i);
            }
        }
        Ok(again)
    }
}

fn long(scalar: Scalar, wire: Wire, from: &mut Cursor<'_>) -> Result<i64> {
    match scalar.fitting(wire)?.take(from)? {
        Plain::Long(n) => Ok(n),
        _ => Ok(0),
    }
}

/// Adds a scalar or the symbol of an enumeration.
fn plain(kind: &FieldKind, from: &mut Cursor<'_>, to: &mut Grow) -> Result<()> {
    match kind {
        FieldKind::Scalar(scalar) => scalar.take(from)?.push(to),
        FieldKind::Enum(names) => match Scalar::Int32.take(from)? {
            Plain::Long(n) => symbol(names, i32::try_from(n).unwrap_or(0), to),
            _ => Ok(()),
        },
        _ => Err(wrong("a message is there")),
    }
}

/// Adds the name of a number, or its digits if it has none.
fn symbol(names: &Names, number: i32, to: &mut Grow) -> Result<()> {
    match names.names.get(&number) {
        Some(name) => to.push_text(name),
        None => to.push_text(&number.to_string()),
    }
}
