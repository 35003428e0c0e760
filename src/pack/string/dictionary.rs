//! The entries of a dictionary of strings, decoded for gathering.
//!
//! ```text
//! entry   offset, length         slot   its bytes and zeros, 32 in all, if it is no longer
//! code ──► slot ──► 32 bytes stored, whatever the length: the next entry overwrites the excess
//! codes ─► tuple ─► if entries are few and short, two or four of them at once
//! ```

use std::sync::OnceLock;

use bytes::Bytes;

use super::views::Views;
use super::{PackedStrings, Target, check_utf8};
use crate::error::Result;
use crate::kernel::{self, Level, SLOT, StringSlots, StringTuples};
use crate::pack::integer::no_such_code;
use crate::pack::payload_reader::Input;

/// The entries of a dictionary of strings.
#[derive(Debug)]
pub(crate) struct Entries {
    offsets: Vec<i32>,
    data: Bytes,
    lengths: Vec<u32>,
    /// Empty if an entry is longer than a slot.
    slots: StringSlots,
    /// Made when many are read.
    tuples: OnceLock<Option<StringTuples>>,
}

/// The fewest codes for which tuples are made.
const FEWEST: usize = 512;

/// Entries that all have the same few bytes are stored as quickly by themselves.
const SHORT: u32 = 4;

/// The memory of an entry without its bytes: its offset, its length and its slot.
const ENTRY: usize = 2 * size_of::<i32>() + SLOT;

impl Entries {
    /// Unpacks all strings of an input, within the memory that may be allocated for it.
    pub(crate) fn unpack(strings: &PackedStrings, input: &mut Input) -> Result<Self> {
        input.allocate(strings.len(), ENTRY)?;
        let (mut offsets, mut data) = (vec![0], Vec::new());
        let mut all = Target { offsets: &mut offsets, data: &mut data, limit: input.room() };
        strings.read(0..strings.len(), &mut all)?;
        input.allocate(data.len(), 1)?;
        let ends = |pair: &[i32]| match pair {
            [start, end] => (start.cast_unsigned() as usize, end.cast_unsigned() as usize),
            _ => (0, 0),
        };
        let ranges: Vec<_> = offsets.windows(2).map(ends).collect();
        let length = |(start, end): &(usize, usize)| u32::try_from(end - start).unwrap_or(0);
        let lengths: Vec<u32> = ranges.iter().map(length).collect();
        let mut slots = StringSlots::default();
        if lengths.iter().all(|length| *length as usize <= SLOT) {
            slots.lengths.clone_from(&lengths);
            slots.bytes.extend(ranges.iter().map(|(start, end)| {
                let mut slot = [0; SLOT];
                let bytes = data.get(*start..*end).unwrap_or_default();
                slot.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
                slot
            }));
        }
        Ok(Self { offsets, data: data.into(), lengths, slots, tuples: OnceLock::new() })
    }

    /// Returns how many there are.
    pub(crate) fn len(&self) -> usize {
        self.lengths.len()
    }

    /// Returns the entry of a code.
    pub(crate) fn get(&self, code: usize) -> Option<&[u8]> {
        let at = |i: usize| usize::try_from(*self.offsets.get(i)?).ok();
        self.data.get(at(code)?..at(code + 1)?)
    }

    /// Appends the entry of each code.
    pub(crate) fn read(&self, codes: &[u32], out: &mut Target<'_>) -> Result<()> {
        let length = |code: &u32| self.lengths.get(*code as usize).copied().unwrap_or(0);
        let bytes = || codes.iter().map(|code| u64::from(length(code))).sum();
        if self.slots.bytes.is_empty() {
            self.check(codes)?;
            let bytes = bytes();
            out.push_ends(bytes, codes.iter().map(length))?;
            out.data.reserve(usize::try_from(bytes).unwrap_or(0));
            for code in codes {
                out.data.extend_from_slice(self.get(*code as usize).unwrap_or_default());
            }
            return Ok(());
        }
        out.check_room((codes.len() * SLOT) as u64).or_else(|_| out.check_room(bytes()))?;
        let level = Level::in_use();
        let fine = match self.tuples(codes.len()) {
            Some(tuples) => {
                kernel::gather::gather_string_tuples(level, codes, tuples, out.offsets, out.data)
            }
            None => {
                kernel::gather::gather_strings(level, codes, &self.slots, out.offsets, out.data)
            }
        };
        if fine { Ok(()) } else { Err(no_such_code()) }
    }

    /// Returns the tuples of entries, if they speed up this many codes.
    fn tuples(&self, codes: usize) -> Option<&StringTuples> {
        let make = || {
            let first = self.lengths.first()?;
            let alike = *first <= SHORT && self.lengths.iter().all(|length| length == first);
            if alike { None } else { StringTuples::of(&self.slots) }
        };
        if codes < FEWEST { None } else { self.tuples.get_or_init(make).as_ref() }
    }

    /// Returns a view of each entry; a buffer is added if one is too long to be inline.
    pub(crate) fn views(&self, out: &mut Views) -> Result<Vec<u128>> {
        let long = self.lengths.iter().any(|length| *length as usize > kernel::INLINE);
        let buffer = out.share(long.then(|| self.data.clone()))?;
        let mut table = Vec::with_capacity(self.lengths.len());
        kernel::string::offsets_to_views(
            Level::in_use(),
            &self.offsets,
            &self.data,
            buffer,
            &mut table,
        );
        Ok(table)
    }

    /// Appends a view of the entry of each code.
    pub(crate) fn pick_views(&self, codes: &[u32], out: &mut Views) -> Result<()> {
        self.check(codes)?;
        let length = |code: &u32| self.lengths.get(*code as usize).copied().unwrap_or(0);
        let long = codes.iter().any(|code| length(code) as usize > kernel::INLINE);
        let buffer = out.share(long.then(|| self.data.clone()))?;
        let start =
            |code: &u32| self.offsets.get(*code as usize).map_or(0, |at| at.cast_unsigned());
        let view = |code| kernel::string::view(start(code), length(code), &self.data, buffer);
        out.views.extend(codes.iter().map(view));
        Ok(())
    }

    fn check(&self, codes: &[u32]) -> Result<()> {
        let most = codes.iter().copied().max().unwrap_or(0);
        match codes.is_empty() || (most as usize) < self.len() {
            true => Ok(()),
            false => Err(no_such_code()),
        }
    }

    /// Fails unless each is UTF-8.
    pub(crate) fn check_text(&self) -> Result<()> {
        let starts = self.offsets.iter().map(|start| usize::try_from(*start).unwrap_or(usize::MAX));
        check_utf8(&self.data, starts)
    }
}
