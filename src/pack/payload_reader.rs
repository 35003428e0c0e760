//! Reads the payload of a packed block.
//!
//! ```text
//! payload   kind │ long │ ... │ rows of numbers ...
//!           byte   count          take: shared, not copied
//! ```

use bytes::Bytes;

use crate::error::{Error, Result};
use crate::wire::Cursor;

/// The rest of a payload, and the memory that may be allocated to open it.
#[derive(Debug, Clone)]
pub(crate) struct Input {
    bytes: Bytes,
    limit: usize,
    allocated: usize,
}

impl Input {
    /// Creates a payload whose dictionaries, runs and exceptions may take `limit` bytes once they are decoded.
    pub(crate) fn new(payload: Bytes, limit: usize) -> Self {
        Self { bytes: payload, limit, allocated: 0 }
    }

    /// Returns how many bytes are left.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Counts `n` values of `width` bytes that are decoded when the block is opened, before they are allocated.
    /// Fails beyond the limit.
    pub(super) fn allocate(&mut self, n: usize, width: usize) -> Result<()> {
        let size = self.allocated.saturating_add(n.saturating_mul(width));
        if size > self.limit {
            return Err(Error::too_large(
                "decoded parts of a block",
                size as u64,
                self.limit as u64,
            ));
        }
        self.allocated = size;
        Ok(())
    }

    /// Returns the bytes that may still be allocated.
    pub(super) fn room(&self) -> usize {
        self.limit - self.allocated
    }

    /// Returns the bytes of all that was decoded.
    pub(crate) fn allocated(&self) -> usize {
        self.allocated
    }

    pub(crate) fn byte(&mut self, what: &'static str) -> Result<u8> {
        let [byte] = self.with(|cursor| cursor.array(what))?;
        Ok(byte)
    }

    pub(crate) fn long(&mut self, what: &'static str) -> Result<i64> {
        self.with(|cursor| cursor.long(what))
    }

    /// Returns a count of at most `most`.
    pub(crate) fn count(&mut self, most: usize, what: &'static str) -> Result<usize> {
        let count = self.long(what)?;
        match usize::try_from(count) {
            Ok(count) if count <= most => Ok(count),
            _ => Err(Error::malformed(format!("{what} of {count}, above {most} or below 0"))),
        }
    }

    /// Returns the next `n` bytes.
    pub(super) fn take(&mut self, n: usize, what: &'static str) -> Result<Bytes> {
        Cursor::new(&self.bytes).take(n, what)?;
        Ok(self.bytes.split_to(n))
    }

    /// Returns what `take` finds at the start, and how long that is.
    pub(super) fn parse<T>(
        &mut self,
        what: &'static str,
        take: impl FnOnce(&[u8]) -> Option<(T, usize)>,
    ) -> Result<T> {
        let taken =
            take(&self.bytes).ok_or_else(|| Error::malformed(format!("{what} is malformed")));
        let (taken, n) = taken?;
        self.take(n, what)?;
        Ok(taken)
    }

    /// Fails unless all has been taken.
    pub(crate) fn finish(self) -> Result<()> {
        match self.bytes.len() {
            0 => Ok(()),
            left => Err(Error::malformed(format!("{left} bytes are left over in a packed block"))),
        }
    }

    fn with<T>(&mut self, take: impl FnOnce(&mut Cursor<'_>) -> Result<T>) -> Result<T> {
        let mut cursor = Cursor::new(&self.bytes);
        let taken = take(&mut cursor)?;
        let n = self.bytes.len() - cursor.remaining();
        bytes::Buf::advance(&mut self.bytes, n);
        Ok(taken)
    }
}
