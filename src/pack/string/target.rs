//! Buffers that strings are decoded to.

use crate::error::{Error, Result};

/// What no read may have too many of.
pub(crate) const STRINGS: &str = "strings of one read";

/// Where strings are unpacked to: offsets, of which the last is where the bytes end, and bytes, at most `limit`.
#[derive(Debug)]
pub(crate) struct Target<'a> {
    pub(crate) offsets: &'a mut Vec<i32>,
    pub(crate) data: &'a mut Vec<u8>,
    pub(crate) limit: usize,
}

impl Target<'_> {
    /// Fails if this many more bytes exceed the limit, or the maximum of an offset.
    pub(crate) fn check_room(&self, bytes: u64) -> Result<()> {
        let size = (self.data.len() as u64).saturating_add(bytes);
        let limit = (self.limit as u64).min(i32::MAX as u64);
        if size > limit {
            return Err(Error::too_large(STRINGS, size, limit));
        }
        Ok(())
    }

    /// Appends the ends of strings of these lengths, whose total is given.
    pub(crate) fn push_ends(
        &mut self,
        bytes: u64,
        lengths: impl Iterator<Item = u32>,
    ) -> Result<()> {
        self.check_room(bytes)?;
        // They fit: the sum does.
        let mut end = i32::try_from(self.data.len()).unwrap_or(i32::MAX);
        self.offsets.extend(lengths.map(|length| {
            end = end.wrapping_add(length.cast_signed());
            end
        }));
        Ok(())
    }
}
