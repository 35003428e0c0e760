//! The memory budget of a read: decoded values of all columns, and open blocks.
//!
//! ```text
//! batch   column a ─┐
//!         column b ─┼─► ReadBudget: a read that needs more fails, and is done again with fewer rows
//!         column c ─┘
//! reader  open blocks of all columns ─► OpenBlocks: when there are too many, they are closed after a read
//! ```

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::{Error, ErrorKind, Result};
use crate::io::Limits;
use crate::pack::STRINGS;

const DECODED: &str = "decoded values of one read";
const OPEN: &str = "open blocks";
const ITEMS: &str = "items of arrays";
const LENGTHS: &str = "array lengths";

/// Returns whether an error may be avoided by a read of fewer rows, or of one column at a time.
pub(crate) fn is_avoidable(e: &Error) -> bool {
    let avoidable = [DECODED, OPEN, STRINGS, ITEMS, LENGTHS];
    matches!(e.kind(), ErrorKind::TooLarge { what, .. } if avoidable.contains(what))
}

/// Fails if there are more array lengths than may be decoded.
pub(crate) fn check_lengths(n: usize, most: usize) -> Result<()> {
    if n > most { Err(Error::too_large(LENGTHS, n as u64, most as u64)) } else { Ok(()) }
}

/// Fails if the arrays have more items than may be decoded.
#[inline]
pub(crate) fn check_items(n: usize, most: usize) -> Result<()> {
    if n > most { Err(Error::too_large(ITEMS, n as u64, most as u64)) } else { Ok(()) }
}

/// The bytes that one read may decode, over all of its columns.
#[derive(Debug)]
pub(crate) struct ReadBudget {
    limit: usize,
    used: AtomicUsize,
}

impl ReadBudget {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, used: AtomicUsize::new(0) }
    }

    /// Counts `n` values of `width` bytes; fails if they are too many.
    pub(crate) fn take(&self, n: usize, width: usize) -> Result<()> {
        let more = n.saturating_mul(width);
        let used = self.used.fetch_add(more, Ordering::Relaxed).saturating_add(more);
        if more > self.limit || used > self.limit {
            return Err(Error::too_large(DECODED, used.max(more) as u64, self.limit as u64));
        }
        Ok(())
    }

    /// Returns the bytes that are left.
    pub(crate) fn left(&self) -> usize {
        self.limit.saturating_sub(self.used.load(Ordering::Relaxed))
    }
}

/// The memory of the blocks that are open, over all columns of a reader.
#[derive(Debug, Clone)]
pub(crate) struct OpenBlocks {
    limits: Limits,
    bytes: Arc<AtomicUsize>,
}

impl OpenBlocks {
    pub(crate) fn new(limits: Limits) -> Self {
        Self { limits, bytes: Arc::default() }
    }

    /// Replaces the count of a block of `before` bytes by one of `after` bytes. Fails if the total exceeds the
    /// limit; the old block is then subtracted only.
    pub(crate) fn replace(&self, before: usize, after: usize) -> Result<()> {
        self.release(before);
        let all = self.bytes.fetch_add(after, Ordering::Relaxed).saturating_add(after);
        if all > self.limits.memory.saturating_sub(self.limits.batch_bytes) {
            self.release(after);
            return Err(Error::too_large(OPEN, all as u64, self.limits.memory as u64));
        }
        Ok(())
    }

    /// Takes away a block that is closed.
    pub(crate) fn release(&self, bytes: usize) {
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Fails if open blocks exceed the limit and should be closed.
    pub(crate) fn check(&self) -> Result<()> {
        let (bytes, limit) = (self.bytes.load(Ordering::Relaxed), self.limits.open_bytes);
        match bytes > limit {
            true => Err(Error::too_large(OPEN, bytes as u64, limit as u64)),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_shared() {
        let budget = ReadBudget::new(100);
        budget.take(10, 8).unwrap();
        assert_eq!(budget.left(), 20);
        assert!(budget.take(usize::MAX, 8).is_err());
        assert!(budget.take(3, 8).is_err());
        assert_eq!(budget.left(), 0);
    }

    #[test]
    fn open_blocks_are_counted_once() {
        let blocks = OpenBlocks::new(Limits::of_memory(400));
        blocks.replace(0, 90).unwrap();
        assert!(blocks.check().is_ok());
        assert!(blocks.clone().replace(0, 300).is_err());
        blocks.replace(0, 100).unwrap();
        assert!(blocks.check().is_err());
        blocks.release(100);
        assert!(blocks.check().is_ok());
    }
}
