//! `snappy`: the raw format, which begins with the uncompressed length as a varint.
//!
//! ```text
//! ac 02 │ 04 07 07 │ 01 02 │ 0a 02 00 │ ...
//! length   literal   copy    copy              elements: literal bytes, or copies of earlier ones
//! ```
//! `encode` finds the elements. A kernel decompresses blocks where there is one; `snap` decompresses the others and
//! reports errors.

mod encode;

use snap::raw::{Decoder, decompress_len};

use self::encode::Encoder;
use super::{Compress, Decompress, check_len};
use crate::error::{Error, Result};
use crate::kernel::{self, Level};

/// No element of snappy makes more than 64 bytes of 2 (a copy with a one-byte offset makes 11; with two, 64 of 3).
const MOST_RATIO: usize = 32;

pub(super) fn compressor(_level: Option<i32>) -> Box<dyn Compress> {
    Box::new(Encoder::new())
}

pub(super) fn decompressor() -> Box<dyn Decompress> {
    Box::new(Decoder::new())
}

impl Compress for Encoder {
    fn compress(&mut self, raw: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let mut length = u32::try_from(raw.len())
            .map_err(|_| Error::too_large("snappy block", raw.len() as u64, u64::from(u32::MAX)))?;
        out.reserve(encode::most(raw.len()));
        while length >= 0x80 {
            out.push(length.to_le_bytes()[0] | 0x80);
            length >>= 7;
        }
        out.push(length.to_le_bytes()[0]);
        self.encode(raw, out);
        Ok(())
    }

    /// Every element takes about as long, however few bytes it makes: as long as a byte that need not be read is
    /// worth.
    fn effort(&self, _raw: usize, stored: &[u8]) -> usize {
        elements(stored)
    }
}

/// Returns the elements of a stream, if its length has an end.
fn behind_length(stored: &[u8]) -> Option<&[u8]> {
    let last = stored.iter().position(|byte| *byte < 0x80)?;
    stored.get(last + 1..)
}

/// Returns how many literals and copies a stream has.
fn elements(stored: &[u8]) -> usize {
    let mut rest = behind_length(stored).unwrap_or_default();
    let mut count = 0;
    while let Some((tag, behind)) = rest.split_first() {
        count += 1;
        let long = usize::from(tag >> 2);
        let bytes = match tag & 3 {
            0 if long < 60 => long + 1,
            // The length of a long literal is in the 1 to 4 bytes after the tag.
            0 => {
                let length = behind.iter().take(long - 59).rev();
                let length = length.fold(0usize, |length, byte| length << 8 | usize::from(*byte));
                length.saturating_add(long - 58)
            }
            1 => 1,
            2 => 2,
            _ => 4,
        };
        rest = behind.get(bytes..).unwrap_or_default();
    }
    count
}

impl Decompress for Decoder {
    fn decompress(&mut self, stored: &[u8], raw_len: usize, out: &mut Vec<u8>) -> Result<()> {
        let malformed = |e| Error::malformed(format!("compressed block: {e}"));
        check_len(decompress_len(stored).map_err(malformed)?, raw_len)?;
        if raw_len > stored.len().saturating_mul(MOST_RATIO) {
            return Err(Error::malformed("snappy block claims more than it can hold"));
        }
        if let Some(elements) = behind_length(stored)
            && kernel::snappy::decompress_snappy(Level::in_use(), elements, raw_len, out)
        {
            return Ok(());
        }
        out.resize(raw_len, 0);
        let n = Decoder::decompress(self, stored, out).map_err(malformed)?;
        check_len(n, raw_len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_counted_to_the_end() {
        // Length 300: a literal of 2, a copy with one byte of offset, one with two, a literal of 61, one of 200.
        let mut stored = vec![0xac, 0x02, 1 << 2, 7, 7, 1, 2, 2, 2, 0, 60 << 2, 60];
        stored.extend([7; 61]);
        stored.extend([60 << 2, 199]);
        stored.extend([7; 200]);
        assert_eq!(elements(&stored), 5);
        assert_eq!(elements(&stored[..stored.len() - 1]), 5);
        assert_eq!((elements(&[]), elements(&[0])), (0, 0));
    }

    #[test]
    fn lengths_are_read_as_snap_reads_them() {
        let streams: [(&[u8], usize); 11] = [
            (&[], 0),
            (&[0], 0),
            (&[0, 0, 7], 0),
            (&[0x80], 0),
            (&[0x80, 0], 0),
            (&[0x81, 0, 0, 7], 1),
            (&[0x81, 0x80, 0x80, 0x80, 0, 0, 7], 1),
            (&[0x81, 0x80, 0x80, 0x80, 0x80, 0, 0, 7], 1),
            (&[0x81, 0x80, 0x80, 0x80, 0x10, 0, 7], 1),
            (&[1, 0, 7, 0, 7], 1),
            (&[2, 0, 7, 1, 0], 2),
        ];
        for (stored, raw_len) in streams {
            let mut out = vec![9; 5];
            let taken = Decompress::decompress(&mut Decoder::new(), stored, raw_len, &mut out);
            let expected = Decoder::new().decompress_vec(stored).ok();
            assert_eq!(taken.ok().map(|()| out), expected, "{stored:x?}");
        }
    }
}
