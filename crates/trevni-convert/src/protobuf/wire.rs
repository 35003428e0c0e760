//! The wire format of messages.
//!
//! ```text
//! number << 3 | 0   varint            number << 3 | 5   4 bytes      number << 3 | 3   fields ... and the same
//! number << 3 | 1   8 bytes           number << 3 | 2   n, n bytes   number << 3 | 4   number ends the group
//! ```

use std::ops::Range;

use trevni::{Error, Result};

/// The maximum nesting depth of skipped groups.
const DEEPEST: usize = 100;

/// The wire type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wire {
    Varint,
    Fixed64,
    Bytes,
    Start,
    End,
    Fixed32,
}

impl Wire {
    fn of(bits: u64) -> Result<Self> {
        Ok(match bits {
            0 => Wire::Varint,
            1 => Wire::Fixed64,
            2 => Wire::Bytes,
            3 => Wire::Start,
            4 => Wire::End,
            5 => Wire::Fixed32,
            other => return Err(Error::malformed(format!("there is no wire type {other}"))),
        })
    }

    fn bits(self) -> u64 {
        match self {
            Wire::Varint => 0,
            Wire::Fixed64 => 1,
            Wire::Bytes => 2,
            Wire::Start => 3,
            Wire::End => 4,
            Wire::Fixed32 => 5,
        }
    }

    /// Returns what it is called in errors.
    pub(super) fn name(self) -> &'static str {
        match self {
            Wire::Varint => "a varint",
            Wire::Fixed64 => "8 bytes",
            Wire::Bytes => "a length and bytes",
            Wire::Start => "a group",
            Wire::End => "the end of a group",
            Wire::Fixed32 => "4 bytes",
        }
    }
}

/// Reads on through a part of a message.
#[derive(Debug, Clone)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    end: usize,
}

fn cut_off() -> Error {
    Error::malformed("it ends within a value")
}

impl<'a> Cursor<'a> {
    /// Creates a reader of a range, as far as it exists.
    pub(super) fn new(bytes: &'a [u8], range: Range<usize>) -> Self {
        let end = range.end.min(bytes.len());
        Self { bytes, at: range.start.min(end), end }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at >= self.end
    }

    /// Some bytes, of which there must be as many.
    fn take(&mut self, n: usize) -> Result<Range<usize>> {
        let start = self.at;
        let end = start.checked_add(n).filter(|end| *end <= self.end).ok_or_else(cut_off)?;
        self.at = end;
        Ok(start..end)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let range = self.take(N)?;
        self.bytes.get(range).and_then(|bytes| bytes.try_into().ok()).ok_or_else(cut_off)
    }

    #[inline]
    pub(super) fn varint(&mut self) -> Result<u64> {
        match self.bytes.get(self.at) {
            // Most are of one byte.
            Some(byte) if *byte < 0x80 && self.at < self.end => {
                self.at += 1;
                Ok((*byte).into())
            }
            _ => self.long_varint(),
        }
    }

    fn long_varint(&mut self) -> Result<u64> {
        let rest = self.bytes.get(self.at..self.end).unwrap_or_default();
        let (mut value, mut shift) = (0, 0);
        for (i, byte) in rest.iter().take(10).enumerate() {
            if shift == 63 && *byte > 1 {
                break;
            }
            value |= u64::from(byte & 0x7f) << shift;
            if *byte < 0x80 {
                self.at += i + 1;
                return Ok(value);
            }
            shift += 7;
        }
        Err(if rest.len() < 10 { cut_off() } else { Error::malformed("a varint has no end") })
    }

    pub(super) fn fixed32(&mut self) -> Result<[u8; 4]> {
        self.array()
    }

    pub(super) fn fixed64(&mut self) -> Result<[u8; 8]> {
        self.array()
    }

    /// Reads the number and the wire type of the next field.
    pub(super) fn key(&mut self) -> Result<(u32, Wire)> {
        let key = self.varint()?;
        let number = u32::try_from(key >> 3).ok().filter(|number| (1..1 << 29).contains(number));
        let number = number
            .ok_or_else(|| Error::malformed(format!("no field has the number {}", key >> 3)))?;
        Ok((number, Wire::of(key & 7)?))
    }

    /// Reads a length. Returns the range of its bytes.
    pub(super) fn range(&mut self) -> Result<Range<usize>> {
        let n = self.varint()?;
        self.take(usize::try_from(n).map_err(|_| cut_off())?)
    }

    /// Returns the bytes that have their length before them.
    pub(super) fn slice(&mut self) -> Result<&'a [u8]> {
        let range = self.range()?;
        self.bytes.get(range).ok_or_else(cut_off)
    }

    /// Returns a reader of a message or a group whose key was read.
    pub(super) fn part(&mut self, wire: Wire, number: u32) -> Result<Cursor<'a>> {
        let range = match wire {
            Wire::Start => self.group(number)?,
            _ => self.range()?,
        };
        Ok(Cursor::new(self.bytes, range))
    }

    /// Passes over a value.
    pub(super) fn skip(&mut self, number: u32, wire: Wire) -> Result<()> {
        match wire {
            Wire::Varint => self.varint().map(|_| ()),
            Wire::Fixed64 => self.take(8).map(|_| ()),
            Wire::Bytes => self.range().map(|_| ()),
            Wire::Fixed32 => self.take(4).map(|_| ()),
            Wire::Start => self.group(number).map(|_| ()),
            Wire::End => Err(Error::malformed("a group ends that did not start")),
        }
    }

    /// Returns the range of the fields of a group whose start was read.
    pub(super) fn group(&mut self, number: u32) -> Result<Range<usize>> {
        let start = self.at;
        let mut open = vec![number];
        loop {
            let end = self.at;
            match self.key()? {
                (number, Wire::Start) if open.len() < DEEPEST => open.push(number),
                (_, Wire::Start) => return Err(Error::malformed("groups are nested too deep")),
                (number, Wire::End) if open.last() == Some(&number) => {
                    open.pop();
                    if open.is_empty() {
                        return Ok(start..end);
                    }
                }
                (_, Wire::End) => return Err(Error::malformed("a group ends that did not start")),
                (number, wire) => self.skip(number, wire)?,
            }
        }
    }
}

pub(super) fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        let [low, ..] = value.to_le_bytes();
        out.push(low | 0x80);
        value >>= 7;
    }
    let [low, ..] = value.to_le_bytes();
    out.push(low);
}

pub(super) fn put_key(out: &mut Vec<u8>, number: u32, wire: Wire) {
    put_varint(out, u64::from(number) << 3 | wire.bits());
}

/// Writes something with its length before it. Few lengths need more than the one byte that is kept free.
pub(super) fn put_sized<E>(
    out: &mut Vec<u8>,
    write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
) -> Result<(), E> {
    let at = out.len();
    out.push(0);
    write(out)?;
    let mut size = Vec::new();
    let n = out.len() - at - 1;
    if let Some(byte) = out.get_mut(at).filter(|_| n < 0x80) {
        *byte = u8::try_from(n).unwrap_or(0);
    } else {
        put_varint(&mut size, n as u64);
        out.splice(at..=at, size);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cursor(bytes: &[u8]) -> Cursor<'_> {
        Cursor::new(bytes, 0..bytes.len())
    }

    #[test]
    fn varints_go_there_and_back() {
        for value in
            [0, 1, 0x7f, 0x80, 0x3fff, 0x4000, u64::from(u32::MAX), u64::MAX >> 1, u64::MAX]
        {
            let mut bytes = Vec::new();
            put_varint(&mut bytes, value);
            let mut at = cursor(&bytes);
            assert_eq!((at.varint().unwrap(), at.is_at_end()), (value, true));
            bytes.pop();
            assert!(cursor(&bytes).varint().is_err());
        }
        let long = [0xff; 9];
        let fault = |last: &[u8]| cursor(&[&long, last].concat()).varint().unwrap_err().to_string();
        assert_eq!(fault(&[]), "malformed: it ends within a value");
        assert_eq!(fault(&[2]), "malformed: a varint has no end");
    }

    #[test]
    fn groups_end_where_they_must() {
        let bytes = [0x13, 0x14, 0x08, 0x01, 0x0c, 0xff];
        assert_eq!(cursor(&bytes).group(1).unwrap(), 0..4);
        assert!(cursor(&bytes).group(2).is_err());
        assert!(cursor(&[0x0b; 200]).group(1).unwrap_err().to_string().ends_with("too deep"));
        assert!(cursor(&[0x0b; 20]).group(1).unwrap_err().to_string().ends_with("within a value"));
    }

    #[test]
    fn keys_that_cannot_be_are_refused() {
        let fault = |bytes: &[u8]| cursor(bytes).key().unwrap_err().to_string();
        assert_eq!(fault(&[0x0e]), "malformed: there is no wire type 6");
        assert_eq!(fault(&[0x02]), "malformed: no field has the number 0");
        assert!(fault(&[0x80, 0x80, 0x80, 0x80, 0x10]).contains("number 536870912"));
    }

    #[test]
    fn sizes_stand_before_what_they_count() {
        for n in [0, 1, 127, 128, 20_000] {
            let mut out = vec![7];
            put_sized(&mut out, |out| {
                out.resize(out.len() + n, 9);
                Ok::<_, Error>(())
            })
            .unwrap();
            assert_eq!(Cursor::new(&out, 1..out.len()).slice().unwrap(), vec![9; n]);
        }
    }
}
