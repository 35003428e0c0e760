//! The entries of a dictionary of strings, decoded for gathering.
//!
//! ```text
//! entry   offset, length         slot   its bytes and zeros, 32 in all, if it is no longer
//! code ──► slot ──► 32 bytes stored, whatever the length: the next entry overwrites the excess
//! codes ─► tuple ─► if entries are few and short, two or four of them at once
//! ```

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

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
    /// The bytes of all entries, and [`SLOT`] zeros.
    data: Bytes,
    /// The length of the longest entry.
    longest: u32,
    /// The number of codes read so far, and of those about to be read.
    expected: AtomicUsize,
    /// Created when at least as many codes are read as there are entries.
    slots: OnceLock<StringSlots>,
    tuples: OnceLock<Option<StringTuples>>,
}

/// The fewest codes for which tuples are created.
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
        data.resize(data.len() + SLOT, 0);
        let lengths = offsets.iter().zip(offsets.iter().skip(1));
        let longest = lengths.map(|(start, end)| end.abs_diff(*start)).max().unwrap_or(0);
        let (slots, tuples) = (OnceLock::new(), OnceLock::new());
        Ok(Self {
            offsets,
            data: data.into(),
            longest,
            expected: AtomicUsize::new(0),
            slots,
            tuples,
        })
    }

    /// Returns how many there are.
    pub(crate) fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Returns the bytes of all entries, which no other dictionary shares.
    pub(crate) fn data(&self) -> &Bytes {
        &self.data
    }

    /// Returns whether these are the bytes of the entries.
    pub(crate) fn are_in(&self, data: &Bytes) -> bool {
        self.data.as_ptr() == data.as_ptr()
    }

    /// Returns where the entry of a code begins.
    fn start(&self, code: u32) -> u32 {
        self.offsets.get(code as usize).map_or(0, |start| start.cast_unsigned())
    }

    /// Returns the length of the entry of a code; 0 if there is none.
    fn length(&self, code: u32) -> u32 {
        let at = |i: usize| self.offsets.get(i).copied();
        let (start, end) = (at(code as usize), at((code as usize).saturating_add(1)));
        start.zip(end).map_or(0, |(start, end)| end.abs_diff(start))
    }

    /// Prepares for reading so many codes.
    pub(crate) fn expect(&self, codes: usize) {
        let codes = self.expected.fetch_add(codes, Ordering::Relaxed).saturating_add(codes);
        if codes >= self.len() && self.longest as usize <= SLOT {
            self.slots.get_or_init(|| StringSlots::of(&self.offsets, &self.data));
        }
    }

    /// Appends the entry of each code, 32 bytes at a time: the next overwrites the excess.
    fn copy(&self, codes: &[u32], out: &mut Target<'_>) -> Result<()> {
        self.check(codes)?;
        let bytes = self.bytes(codes);
        out.push_ends(bytes, codes.iter().map(|code| self.length(*code)))?;
        let mut at = out.data.len();
        let end = at + usize::try_from(bytes).unwrap_or(0);
        out.data.resize(end + SLOT, 0);
        for code in codes {
            let mut from = self.start(*code) as usize;
            let next = at + self.length(*code) as usize;
            while at < next {
                let to = out.data.get_mut(at..).and_then(|rest| rest.first_chunk_mut::<SLOT>());
                let bytes = self.data.get(from..).and_then(|rest| rest.first_chunk::<SLOT>());
                if let (Some(to), Some(bytes)) = (to, bytes) {
                    *to = *bytes;
                }
                (at, from) = (at + SLOT, from + SLOT);
            }
            at = next;
        }
        out.data.truncate(end);
        Ok(())
    }

    /// Returns the bytes of the entries of codes.
    fn bytes(&self, codes: &[u32]) -> u64 {
        codes.iter().map(|code| u64::from(self.length(*code))).sum()
    }

    /// Appends the entry of each code. Those of many codes are stored faster after [`Self::expect`].
    pub(crate) fn read(&self, codes: &[u32], out: &mut Target<'_>) -> Result<()> {
        let Some(slots) = self.slots.get() else { return self.copy(codes, out) };
        out.check_room((codes.len() * SLOT) as u64)
            .or_else(|_| out.check_room(self.bytes(codes)))?;
        let level = Level::in_use();
        let fine = match self.tuples(slots, codes.len()) {
            Some(tuples) => {
                kernel::gather::gather_string_tuples(level, codes, tuples, out.offsets, out.data)
            }
            None => kernel::gather::gather_strings(level, codes, slots, out.offsets, out.data),
        };
        if fine { Ok(()) } else { Err(no_such_code()) }
    }

    /// Returns the tuples of entries, if they speed up this many codes.
    fn tuples(&self, slots: &StringSlots, codes: usize) -> Option<&StringTuples> {
        let make = || {
            let first = slots.lengths.first()?;
            let alike = *first <= SHORT && slots.lengths.iter().all(|length| length == first);
            if alike { None } else { StringTuples::of(slots) }
        };
        if codes < FEWEST { None } else { self.tuples.get_or_init(make).as_ref() }
    }

    /// Returns a view of each entry; a buffer is added if one is too long to be inline.
    pub(crate) fn views(&self, out: &mut Views) -> Result<Vec<u128>> {
        let long = self.longest as usize > kernel::INLINE;
        let buffer = out.share(long.then(|| self.data.clone()))?;
        let mut table = Vec::with_capacity(self.len());
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
        let long = codes.iter().any(|code| self.length(*code) as usize > kernel::INLINE);
        let buffer = out.share(long.then(|| self.data.clone()))?;
        let view = |code: &u32| {
            kernel::string::view(self.start(*code), self.length(*code), &self.data, buffer)
        };
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
