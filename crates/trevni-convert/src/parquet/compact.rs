//! Reads Thrift's compact protocol, as far as checks of a footer and of page headers need it.
//!
//! ```text
//! struct   field, ..., 00     field   difference of ids and type in one byte; or type, and the id as a varint
//! list     length and type in one byte; or f and type, and the length as a varint; elements
//! ```
//! `None` says that the bytes are no such values.

/// The types of the protocol.
pub(super) const I32: u8 = 5;
pub(super) const LIST: u8 = 9;
pub(super) const STRUCT: u8 = 12;

/// The maximum nesting depth of what is skipped.
const DEEPEST: usize = 32;

/// A position in bytes.
#[derive(Debug, Clone)]
pub(super) struct Compact<'a>(pub(super) &'a [u8]);

impl Compact<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn bytes(&mut self, count: u64) -> Option<()> {
        self.0 = self.0.get(usize::try_from(count).ok()?..)?;
        Some(())
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    /// Returns a signed integer.
    pub(super) fn integer(&mut self) -> Option<i64> {
        let zigzag = self.varint()?;
        Some((zigzag >> 1).cast_signed() ^ -(zigzag & 1).cast_signed())
    }

    /// Returns the id, which is counted on from the last one, and the type of the next field; or `None` after the last.
    pub(super) fn field(&mut self, last: &mut i64) -> Option<Option<(i64, u8)>> {
        let byte = self.byte()?;
        if byte == 0 {
            return Some(None);
        }
        *last = match byte >> 4 {
            0 => self.integer()?,
            difference => last.checked_add(difference.into())?,
        };
        Some(Some((*last, byte & 0x0f)))
    }

    /// Returns the length and the type of the elements of a list.
    pub(super) fn list(&mut self) -> Option<(u64, u8)> {
        let byte = self.byte()?;
        let length = match byte >> 4 {
            15 => self.varint()?,
            length => length.into(),
        };
        Some((length, byte & 0x0f))
    }

    /// Skips a value of a field.
    pub(super) fn skip(&mut self, kind: u8) -> Option<()> {
        self.skip_nested(kind, DEEPEST)
    }

    /// Skips an element of a list, of which booleans take a byte.
    pub(super) fn skip_element(&mut self, kind: u8) -> Option<()> {
        if matches!(kind, 1 | 2) { self.bytes(1) } else { self.skip(kind) }
    }

    fn skip_nested(&mut self, kind: u8, levels: usize) -> Option<()> {
        let levels = levels.checked_sub(1)?;
        match kind {
            // The type of a boolean field is its value.
            1 | 2 => Some(()),
            3 => self.bytes(1),
            4..=6 => self.varint().map(drop),
            7 => self.bytes(8),
            8 => {
                let length = self.varint()?;
                self.bytes(length)
            }
            LIST | 10 => {
                let (length, kind) = self.list()?;
                (0..length).try_for_each(|_| match kind {
                    1 | 2 => self.bytes(1),
                    _ => self.skip_nested(kind, levels),
                })
            }
            STRUCT => {
                let mut last = 0;
                while let Some((_, kind)) = self.field(&mut last)? {
                    self.skip_nested(kind, levels)?;
                }
                Some(())
            }
            // Parquet has no maps.
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_skipped_to_their_end() {
        let cases: [(u8, &[u8]); 9] = [
            (1, &[]),
            (3, &[7]),
            (I32, &[0x80, 1]),
            (7, &[0; 8]),
            (8, &[3, 1, 2, 3]),
            (LIST, &[0x35, 1, 2, 3]),
            (LIST, &[0xf1, 2, 1, 1]),
            (STRUCT, &[0]),
            // A field of id 1, one of id 300, the end.
            (STRUCT, &[0x15, 2, 0x05, 0xd8, 0x04, 4, 0]),
        ];
        for (kind, bytes) in cases {
            let mut compact = Compact(bytes);
            assert_eq!(compact.skip(kind), Some(()), "{kind} {bytes:?}");
            assert!(compact.0.is_empty(), "{kind} {bytes:?}");
            if !bytes.is_empty() {
                assert_eq!(Compact(&bytes[..bytes.len() - 1]).skip(kind), None, "{kind} {bytes:?}");
            }
        }
        assert_eq!(Compact(&[0x19; 100]).skip(LIST), None);
        assert_eq!(Compact(&[1, 1, 0, 1, 1]).skip(11), None);
    }
}
