//! Dictionary encoding of integers and floats. Entries are decoded when needed.
//!
//! ```text
//! read    all entries, unpacked once ──► a table ──► an entry a code
//! pick    codes at positions, in order ──► only their entries
//! ```

use std::cell::OnceCell;
use std::fmt;
use std::ops::Range;

use super::{Numbers, each_chunk, look_up, no_such_code};
use crate::buffer_reuse::Scratch;
use crate::error::Result;

/// From this number of entries on, a single one is decoded separately.
const MANY: usize = 16;

/// Packed values that are entries of a dictionary.
pub(crate) trait Packed {
    type Value: Copy;

    fn len(&self) -> usize;

    /// Appends the values of a range.
    fn read(&self, range: Range<usize>, out: &mut Vec<Self::Value>) -> Result<()>;

    /// Appends the values at positions, which ascend.
    fn pick(&self, places: &[u32], out: &mut Vec<Self::Value>) -> Result<()>;
}

/// Values by codes.
#[derive(Debug)]
pub(crate) struct Dictionary<P: Packed> {
    packed: P,
    entries: OnceCell<Vec<P::Value>>,
    codes: Numbers,
}

impl<P: Packed + fmt::Display> fmt::Display for Dictionary<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "dictionary of {} ({}; codes: {})", self.packed.len(), self.packed, self.codes)
    }
}

impl<P: Packed> Dictionary<P> {
    pub(crate) fn new(packed: P, codes: Numbers) -> Self {
        Self { packed, entries: OnceCell::new(), codes }
    }

    /// Returns all entries.
    pub(crate) fn entries(&self) -> Result<&[P::Value]> {
        if let Some(entries) = self.entries.get() {
            return Ok(entries);
        }
        let mut entries = Vec::new();
        self.packed.read(0..self.packed.len(), &mut entries)?;
        Ok(self.entries.get_or_init(|| entries))
    }

    /// Appends values of a range; the table has what each entry becomes.
    pub(crate) fn read<T: Copy + Default + 'static>(
        &self,
        range: Range<usize>,
        table: &[T],
        out: &mut Vec<T>,
    ) -> Result<()> {
        let mut some = Scratch::<u32>::new();
        each_chunk(range, |part| {
            some.clear();
            self.codes.read(part, &mut some)?;
            look_up(&some, table, out)
        })
    }

    /// Appends the entries at positions, converted; the positions ascend.
    pub(crate) fn pick<T>(
        &self,
        places: &[u32],
        value: impl Fn(P::Value) -> T,
        out: &mut Vec<T>,
    ) -> Result<()> {
        let mut codes = Scratch::<u32>::new();
        self.codes.pick(places, &mut codes)?;
        if self.entries.get().is_some() || self.packed.len() < MANY * codes.len() {
            let entries = self.entries()?;
            return codes.iter().try_for_each(|code| {
                let entry = entries.get(*code as usize).ok_or_else(no_such_code)?;
                out.push(value(*entry));
                Ok(())
            });
        }
        let mut wanted = codes.clone();
        wanted.sort_unstable();
        wanted.dedup();
        if wanted.last().is_some_and(|last| *last as usize >= self.packed.len()) {
            return Err(no_such_code());
        }
        let mut entries = Vec::with_capacity(wanted.len());
        self.packed.pick(&wanted, &mut entries)?;
        let entry = |code: &u32| entries.get(wanted.binary_search(code).ok()?).copied();
        out.extend(codes.iter().filter_map(entry).map(value));
        Ok(())
    }
}
