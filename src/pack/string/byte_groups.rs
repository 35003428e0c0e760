//! The bytes of strings in groups of 64, so that any group can be decoded without those before it.
//!
//! ```text
//! lengths   17 4 16 ...                    numbers, one a string
//! ends      1,022 2,050 ...                where the bytes of 64 strings end, or the codes of their symbols
//! bytes     DELIVER IN PERSONNONE...       end to end; or codes, each group by itself
//! ```

use std::fmt;
use std::ops::Range;

use bytes::Bytes;

use super::code_table::CodeTable;
use super::distinct::StringsRef;
use super::hints::StringHints;
use super::{PLAIN, Target};
use crate::buffer_reuse::Scratch;
use crate::error::{Error, Result};
use crate::pack::integer;
use crate::pack::integer::{Numbers, long};
use crate::pack::payload::Payload;
use crate::pack::payload_reader::Input;
use crate::wire;

/// Strings of a group.
const GROUP: usize = 64;

/// The bytes of strings, or the codes of their symbols, and how they are found.
#[derive(Debug)]
pub(crate) struct Groups {
    lengths: Numbers,
    /// Where each group ends.
    ends: Vec<usize>,
    data: Bytes,
}

/// What a range of strings needs.
pub(crate) struct StringGroup {
    /// Of the strings of its groups: from the start of the first, and to the end of the last if they are expanded.
    all: Scratch<u32>,
    /// Which of these are the range's.
    range: Range<usize>,
    groups: Range<usize>,
    /// Bytes before the range, of the range, and of all.
    before: u64,
    pub(crate) bytes: u64,
    total: u64,
}

impl StringGroup {
    pub(crate) fn lengths(&self) -> &[u32] {
        self.all.get(self.range.clone()).unwrap_or_default()
    }
}

impl fmt::Display for Groups {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes; lengths: {}", self.data.len(), self.lengths)
    }
}

impl Groups {
    pub(crate) fn take<T>(
        input: &mut Input,
        n: usize,
        depth: u32,
        table: impl FnOnce(&mut Input) -> Result<T>,
    ) -> Result<(Self, T)> {
        let lengths = Numbers::take_within(input, n, depth)?;
        let ends = Numbers::take_all(input, n.div_ceil(GROUP), depth)?;
        input.allocate(ends.len(), size_of::<usize>())?;
        let ends: Option<Vec<usize>> =
            ends.into_iter().map(|end| usize::try_from(end).ok()).collect();
        let table = table(input)?;
        let count = input.count(usize::MAX, "bytes of strings")?;
        let data = input.take(count, "strings")?;
        let sound =
            |ends: &Vec<usize>| ends.is_sorted() && ends.last().copied().unwrap_or(0) == count;
        let ends = ends.filter(sound).ok_or_else(|| Error::malformed("ends of strings"))?;
        Ok((Self { lengths, ends, data }, table))
    }

    /// Returns where the bytes of a group begin.
    fn start(&self, group: usize) -> usize {
        group.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0)
    }

    pub(crate) fn part(&self, range: &Range<usize>, whole: bool) -> Result<StringGroup> {
        let groups = range.start / GROUP..range.end.div_ceil(GROUP);
        let first = groups.start * GROUP;
        let end = if whole { (groups.end * GROUP).min(self.lengths.len()) } else { range.end };
        let mut all = Scratch::<u32>::new();
        self.lengths.read(first.min(end)..end, &mut all)?;
        let sum = |lengths: &[u32]| lengths.iter().map(|n| u64::from(*n)).sum::<u64>();
        let before = sum(all.get(..range.start - first).unwrap_or_default());
        let total = sum(&all);
        let range = range.start - first..range.end - first;
        let bytes = sum(all.get(range.clone()).unwrap_or_default());
        Ok(StringGroup { all, range, groups, before, bytes, total })
    }

    /// Returns the byte range of the strings of a part.
    fn place(&self, part: &StringGroup) -> Option<Range<usize>> {
        let start =
            self.start(part.groups.start).checked_add(usize::try_from(part.before).ok()?)?;
        let end = start.checked_add(usize::try_from(part.bytes).ok()?)?;
        (end <= self.data.len()).then_some(start..end)
    }

    pub(crate) fn bytes(&self, part: &StringGroup) -> Result<&[u8]> {
        let bytes = self.place(part).and_then(|place| self.data.get(place));
        bytes.ok_or_else(past)
    }

    pub(crate) fn shared(&self, part: &StringGroup) -> Result<Bytes> {
        Ok(self.data.slice(self.place(part).ok_or_else(past)?))
    }

    /// Appends the strings at positions.
    pub(crate) fn pick(
        &self,
        places: &[u32],
        table: Option<&CodeTable>,
        out: &mut Target<'_>,
    ) -> Result<()> {
        let (mut lengths, mut text) = (Scratch::<u32>::new(), Scratch::new());
        let group_of = |place: u32| place as usize / GROUP;
        // A group is expanded once, up to the last of its strings that is wanted.
        for places in places.chunk_by(|a, b| group_of(*a) == group_of(*b)) {
            let Some(last) = places.last().copied() else { continue };
            let (group, end) = (group_of(last), last as usize + 1);
            lengths.clear();
            self.lengths.read(group * GROUP..end, &mut lengths)?;
            let bytes = self.data.get(self.start(group)..self.start(group + 1)).unwrap_or_default();
            let bytes = match table {
                None => bytes,
                Some(table) => {
                    text.clear();
                    let wanted = lengths.iter().map(|length| u64::from(*length)).sum::<u64>();
                    if !table.expand_start(bytes, size(wanted)?, &mut text) {
                        return Err(wrong_symbols());
                    }
                    &text
                }
            };
            for place in places.iter().map(|place| *place as usize - group * GROUP) {
                let before = lengths.get(..place).unwrap_or_default();
                let start = before.iter().map(|length| u64::from(*length)).sum::<u64>();
                let length = lengths.get(place).copied().unwrap_or(0);
                let part = size(start)?..size(start + u64::from(length))?;
                let bytes = bytes.get(part).ok_or_else(past)?;
                out.push_ends(u64::from(length), std::iter::once(length))?;
                out.data.extend_from_slice(bytes);
            }
        }
        Ok(())
    }

    /// Appends the strings of the codes of a part.
    pub(crate) fn expand(
        &self,
        part: &StringGroup,
        table: &CodeTable,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let (before, bytes, total) = (size(part.before)?, size(part.bytes)?, size(part.total)?);
        let start = out.len();
        let is_sound = match table {
            CodeTable::Fsst(table) => {
                let codes = self.start(part.groups.start)..self.start(part.groups.end);
                table.expand(self.data.get(codes).unwrap_or_default(), total, out)
            }
            CodeTable::BytePairs(table) => {
                let groups = part.groups.clone().zip(part.all.chunks(GROUP));
                let groups = groups.map(|(group, lengths)| {
                    let codes = self.start(group)..self.start(group + 1);
                    let bytes = lengths.iter().map(|length| *length as usize).sum();
                    (self.data.get(codes).unwrap_or_default(), bytes)
                });
                let codes = self.start(part.groups.end) - self.start(part.groups.start);
                table.expand_groups(groups, codes, total, out)
            }
        };
        if !is_sound {
            return Err(wrong_symbols());
        }
        if before > 0 {
            out.drain(start..start + before);
        }
        out.truncate(start + bytes);
        Ok(())
    }
}

fn size(bytes: u64) -> Result<usize> {
    usize::try_from(bytes).map_err(|_| past())
}

fn wrong_symbols() -> Error {
    Error::malformed("symbols are not the strings they are said to be")
}

fn past() -> Error {
    Error::malformed("strings go past their bytes")
}

/// Encodes the bytes plain, or as codes if that is worth it.
pub(crate) fn put_groups(
    strings: StringsRef<'_>,
    hints: &StringHints,
    depth: u32,
    out: &mut Payload,
) {
    let bytes = strings.bytes();
    let worth = hints.worth(bytes.len());
    let coded = hints.codes().map(|trained| {
        let (mut table, mut codes, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        trained.put(&mut table);
        for group in groups(strings) {
            trained.compress(group, &mut codes);
            ends.push(long(codes.len()));
        }
        (trained.kind(), table, codes, ends)
    });
    let lengths = strings.offsets.windows(2).map(|pair| match pair {
        [start, end] => i64::from(end - start),
        _ => 0,
    });
    let lengths: Vec<i64> = lengths.collect();
    match coded.filter(|(_, table, codes, _)| table.len() + codes.len() < worth) {
        Some((kind, table, codes, ends)) => {
            out.push(kind);
            integer::put(&lengths, depth, out);
            integer::put(&ends, depth, out);
            out.extend(table);
            wire::put_long(out, long(codes.len()));
            out.seam();
            out.extend(codes);
            out.seam();
        }
        None => {
            out.push(PLAIN);
            integer::put(&lengths, depth, out);
            let sizes = groups(strings).map(|group| group.bytes().len());
            let ends = sizes.scan(0, |end, size| {
                *end += size;
                Some(long(*end))
            });
            integer::put(&ends.collect::<Vec<_>>(), depth, out);
            wire::put_long(out, long(bytes.len()));
            out.seam();
            out.extend_from_slice(bytes);
            out.seam();
        }
    }
}

fn groups(strings: StringsRef<'_>) -> impl Iterator<Item = StringsRef<'_>> {
    (0..strings.len()).step_by(GROUP).map(move |first| strings.part(first, GROUP))
}
