//! Primitive values of the format: integers, bytes and strings.
//!
//! ```text
//! fixed32, fixed64   4 or 8 bytes, low byte first
//! long               zig-zag (0 -1 1 -2 2 → 0 1 2 3 4), then 7 bits a byte, low first, high bit = more
//! int                a long within 32 signed bits
//! bytes, string      long length, then the bytes; a string is UTF-8
//! ```
//!
//! Values are read through [`Cursor`], which cannot be indexed: every call fails when the input ends. The `put_*`
//! functions are its inverse. (Specification: "Primitives".)
//!
//! ```
//! let mut bytes = Vec::new();
//! trevni::wire::put_string(&mut bytes, "foo");
//! assert_eq!(bytes, [0x06, 0x66, 0x6f, 0x6f]);
//! assert_eq!(trevni::wire::Cursor::new(&bytes).string("name")?, "foo");
//! # Ok::<(), trevni::Error>(())
//! ```

use byteorder::{ByteOrder, LittleEndian};
use integer_encoding::VarInt;

use crate::error::{Error, ErrorKind, Result};

/// A position in bytes that are not trusted.
#[derive(Debug, Clone)]
pub struct Cursor<'a> {
    rest: &'a [u8],
    position: u64,
}

impl<'a> Cursor<'a> {
    /// Starts at the first of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, position: 0 }
    }

    /// Returns how many bytes have been taken.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Returns how many bytes are left.
    pub fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// Returns the bytes that are left.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Takes `n` bytes; `what` names them in the error.
    pub fn take(&mut self, n: usize, what: &'static str) -> Result<&'a [u8]> {
        match self.rest.split_at_checked(n) {
            Some((head, tail)) => {
                self.rest = tail;
                self.position += n as u64;
                Ok(head)
            }
            None => Err(self.short(what, (n - self.rest.len()) as u64)),
        }
    }

    /// Takes exactly `N` bytes.
    pub fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N]> {
        match self.rest.split_first_chunk::<N>() {
            Some((head, tail)) => {
                self.rest = tail;
                self.position += N as u64;
                Ok(*head)
            }
            None => Err(self.short(what, (N - self.rest.len()) as u64)),
        }
    }

    /// Returns a fixed32.
    pub fn fixed32(&mut self, what: &'static str) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array(what)?))
    }

    /// Returns a fixed64.
    pub fn fixed64(&mut self, what: &'static str) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array(what)?))
    }

    /// Returns a long: at most ten bytes.
    #[inline]
    pub fn long(&mut self, what: &'static str) -> Result<i64> {
        if let Some((byte, rest)) = self.rest.split_first().filter(|(byte, _)| **byte < 0x80) {
            // Most numbers are small.
            self.rest = rest;
            self.position += 1;
            return Ok(i64::from(byte >> 1) ^ -i64::from(byte & 1));
        }
        match i64::decode_var(self.rest) {
            Some((value, n)) => self.take(n, what).map(|_| value),
            None if self.rest.len() < 10 => Err(self.short(what, 1)),
            None => {
                Err(Error::malformed(format!("{what} is longer than ten bytes")).at(self.position))
            }
        }
    }

    /// Returns an int: a long that fits 32 bits.
    pub fn int(&mut self, what: &'static str) -> Result<i32> {
        let start = self.position;
        let value = self.long(what)?;
        i32::try_from(value)
            .map_err(|_| Error::malformed(format!("{what} {value} does not fit 32 bits")).at(start))
    }

    /// Returns a long that counts or measures something: not negative.
    pub fn count(&mut self, what: &'static str) -> Result<u64> {
        let start = self.position;
        let value = self.long(what)?;
        u64::try_from(value)
            .map_err(|_| Error::malformed(format!("{what} {value} is negative")).at(start))
    }

    /// Reads bytes after their length.
    pub fn bytes(&mut self, what: &'static str) -> Result<&'a [u8]> {
        let n = self.count(what)?;
        match usize::try_from(n) {
            Ok(n) => self.take(n, what),
            Err(_) => Err(self.short(what, n)),
        }
    }

    /// Returns a string: bytes that are UTF-8.
    pub fn string(&mut self, what: &'static str) -> Result<&'a str> {
        let start = self.position;
        std::str::from_utf8(self.bytes(what)?)
            .map_err(|_| Error::malformed(format!("{what} is not UTF-8")).at(start))
    }

    fn short(&self, what: &'static str, missing: u64) -> Error {
        Error::new(ErrorKind::Truncated { what, missing }).at(self.position)
    }
}

/// Appends a fixed32.
pub fn put_fixed32(out: &mut Vec<u8>, value: u32) {
    let mut bytes = [0; 4];
    LittleEndian::write_u32(&mut bytes, value);
    out.extend_from_slice(&bytes);
}

/// Appends a fixed64.
pub fn put_fixed64(out: &mut Vec<u8>, value: u64) {
    let mut bytes = [0; 8];
    LittleEndian::write_u64(&mut bytes, value);
    out.extend_from_slice(&bytes);
}

/// Appends a long.
#[inline]
pub fn put_long(out: &mut Vec<u8>, value: i64) {
    let mut bits = ((value << 1) ^ (value >> 63)).cast_unsigned();
    while bits >= 0x80 {
        out.push(low_byte(bits) | 0x80);
        bits >>= 7;
    }
    out.push(low_byte(bits));
}

/// Appends an int; the same bytes as the long.
#[inline]
pub fn put_int(out: &mut Vec<u8>, value: i32) {
    put_long(out, i64::from(value));
}

/// Appends bytes after their length.
#[inline]
pub fn put_bytes(out: &mut Vec<u8>, value: &[u8]) {
    put_long(out, value.len() as i64);
    out.extend_from_slice(value);
}

/// Appends a string.
#[inline]
pub fn put_string(out: &mut Vec<u8>, value: &str) {
    put_bytes(out, value.as_bytes());
}

#[inline]
fn low_byte(bits: u64) -> u8 {
    let [low, ..] = bits.to_le_bytes();
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longs_of_the_specification() {
        for (value, hex) in [
            (0i64, &[0x00][..]),
            (-1, &[0x01]),
            (1, &[0x02]),
            (-64, &[0x7f]),
            (64, &[0x80, 0x01]),
            (300, &[0xd8, 0x04]),
            (i64::MIN, &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]),
        ] {
            let mut out = Vec::new();
            put_long(&mut out, value);
            assert_eq!(out, hex);
            assert_eq!(Cursor::new(hex).long("value").unwrap(), value);
        }
    }

    #[test]
    fn refuses_what_is_short_long_or_negative() {
        assert!(Cursor::new(&[0x80]).long("x").unwrap_err().is_truncated());
        assert!(Cursor::new(&[]).int("x").unwrap_err().is_truncated());
        let e = Cursor::new(&[0xff; 11]).long("x").unwrap_err();
        assert_eq!(e.to_string(), "offset 0: malformed: x is longer than ten bytes");
        let e = Cursor::new(&[0x80, 0x80, 0x80, 0x80, 0x20]).int("x").unwrap_err();
        assert!(e.to_string().contains("does not fit 32 bits"), "{e}");
        assert!(Cursor::new(&[0x01]).count("x").unwrap_err().to_string().contains("negative"));
        let e = Cursor::new(&[0x08, b'a']).string("name").unwrap_err();
        assert_eq!(e.to_string(), "offset 1: malformed: input ends 3 bytes short of name");
        assert!(Cursor::new(&[0x02, 0xff]).string("x").unwrap_err().to_string().contains("UTF-8"));
    }
}
