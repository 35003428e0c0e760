//! The bytes of a packed block, taken piece by piece.
//!
//! ```text
//! payload   kind │ long │ ... │ rows of numbers ...
//!           byte   count          take: shared, not copied
//! ```

use bytes::Bytes;

use crate::error::{Error, Result};
use crate::wire::Cursor;

/// What is left of a payload.
#[derive(Debug, Clone)]
pub(crate) struct Input(Bytes);

impl Input {
    pub(crate) fn new(payload: Bytes) -> Self {
        Self(payload)
    }

    /// How many bytes are left.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn byte(&mut self, what: &'static str) -> Result<u8> {
        let [byte] = self.with(|cursor| cursor.array(what))?;
        Ok(byte)
    }

    pub(crate) fn long(&mut self, what: &'static str) -> Result<i64> {
        self.with(|cursor| cursor.long(what))
    }

    /// A count of at most `most`.
    pub(crate) fn count(&mut self, most: usize, what: &'static str) -> Result<usize> {
        let count = self.long(what)?;
        match usize::try_from(count) {
            Ok(count) if count <= most => Ok(count),
            _ => Err(Error::malformed(format!("{what} of {count}, above {most} or below 0"))),
        }
    }

    /// The next `n` bytes.
    pub(super) fn take(&mut self, n: usize, what: &'static str) -> Result<Bytes> {
        Cursor::new(&self.0).take(n, what)?;
        Ok(self.0.split_to(n))
    }

    /// What `take` finds at the start, and how long that is.
    pub(super) fn parse<T>(
        &mut self,
        what: &'static str,
        take: impl FnOnce(&[u8]) -> Option<(T, usize)>,
    ) -> Result<T> {
        let taken = take(&self.0).ok_or_else(|| Error::malformed(format!("{what} is malformed")));
        let (taken, n) = taken?;
        self.take(n, what)?;
        Ok(taken)
    }

    /// Fails unless all has been taken.
    pub(crate) fn finish(self) -> Result<()> {
        match self.0.len() {
            0 => Ok(()),
            left => Err(Error::malformed(format!("{left} bytes are left over in a packed block"))),
        }
    }

    fn with<T>(&mut self, take: impl FnOnce(&mut Cursor<'_>) -> Result<T>) -> Result<T> {
        let mut cursor = Cursor::new(&self.0);
        let taken = take(&mut cursor)?;
        let n = self.0.len() - cursor.remaining();
        bytes::Buf::advance(&mut self.0, n);
        Ok(taken)
    }
}
