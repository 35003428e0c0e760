//! The rows that a reader has not read yet.
//!
//! ```text
//! remaining    ├── rows ──┤      ├───────── rows ─────────┤
//! pruner                         ├── excluded ──┤               asked before each window
//! next         ├─ window ─┤
//! ```

use crate::arrow::selection::RowSelection;

/// Returns the rows that are still needed, if they are fewer than at the last call.
type Prune = Box<dyn FnMut() -> Option<RowSelection> + Send>;

/// Rows that are read in order, and what excludes some of them meanwhile.
pub(crate) struct RemainingRows {
    rows: RowSelection,
    pruner: Option<RowPruner>,
}

/// Excludes rows while others are read.
pub(crate) struct RowPruner {
    prune: Prune,
    /// The rows that are still needed, if not all.
    needed: Option<RowSelection>,
    /// How often they have changed.
    changes: u64,
}

impl RowPruner {
    pub(crate) fn new(prune: Prune) -> Self {
        Self { prune, needed: None, changes: 0 }
    }

    /// Returns the rows that are still needed if they have changed.
    fn refresh(&mut self) -> Option<&RowSelection> {
        let needed = (self.prune)()?;
        self.changes += 1;
        let needed = match self.needed.take() {
            Some(before) => before.intersection(&needed),
            None => needed,
        };
        Some(self.needed.insert(needed))
    }
}

impl RemainingRows {
    pub(crate) fn new(rows: RowSelection, pruner: Option<RowPruner>) -> Self {
        Self { rows, pruner }
    }

    /// Removes and returns the next rows.
    pub(crate) fn next(&mut self, rows: u64) -> RowSelection {
        if let Some(needed) = self.pruner.as_mut().and_then(RowPruner::refresh) {
            self.rows = self.rows.intersection(needed);
        }
        self.rows.split_off_first(rows)
    }

    /// Replaces the rows.
    pub(crate) fn set(&mut self, rows: RowSelection) {
        self.rows = match self.pruner.as_ref().and_then(|pruner| pruner.needed.as_ref()) {
            Some(needed) => rows.intersection(needed),
            None => rows,
        };
    }

    /// Returns rows that have not been read.
    pub(crate) fn put_back(&mut self, rows: &RowSelection) {
        self.rows = rows.union(&self.rows);
    }

    /// Drops all rows.
    pub(crate) fn clear(&mut self) {
        self.rows = RowSelection::default();
    }

    /// Returns the first row.
    #[cfg(feature = "object_store")]
    pub(crate) fn first(&self) -> Option<u64> {
        self.rows.ranges().first().map(|range| range.start)
    }

    /// Returns the rows that are still needed if they have changed since the number of changes that is passed, which
    /// is updated.
    #[cfg(feature = "object_store")]
    pub(crate) fn needed_since(&mut self, changes: &mut u64) -> Option<&RowSelection> {
        let pruner = self.pruner.as_mut()?;
        if let Some(needed) = pruner.refresh() {
            self.rows = self.rows.intersection(needed);
        }
        let changed = pruner.changes != std::mem::replace(changes, pruner.changes);
        pruner.needed.as_ref().filter(|_| changed)
    }
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init, reason = "selections are compared by their ranges")]
mod tests {
    use super::*;

    fn rows(ranges: &[std::ops::Range<u64>]) -> RowSelection {
        RowSelection::from_consecutive_ranges(ranges.iter().cloned(), 100)
    }

    #[test]
    fn rows_that_become_unneeded_are_not_read() {
        let mut answers = vec![Some(rows(&[0..60, 80..90])), None, None, Some(rows(&[20..85]))];
        let pruner = RowPruner::new(Box::new(move || answers.pop().flatten()));
        let mut remaining = RemainingRows::new(rows(&[0..100]), Some(pruner));
        assert_eq!(remaining.next(10).ranges(), [20..30]);
        assert_eq!(remaining.next(10).ranges(), [30..40]);
        assert_eq!(remaining.next(10).ranges(), [40..50]);
        remaining.put_back(&rows(&[45..50]));
        assert_eq!(remaining.next(20).ranges(), [45..60, 80..85]);
        remaining.set(rows(&[50..100]));
        assert_eq!(remaining.next(100).ranges(), [50..60, 80..85]);
        assert!(!remaining.next(100).selects_any());
    }

    #[cfg(feature = "object_store")]
    #[test]
    fn windows_learn_of_each_change_once() {
        let mut answers = vec![None, Some(rows(&[5..9])), Some(rows(&[2..8]))];
        let pruner = RowPruner::new(Box::new(move || answers.pop().flatten()));
        let (mut remaining, mut changes) = (RemainingRows::new(rows(&[0..9]), Some(pruner)), 0);
        assert_eq!(remaining.next(1).ranges(), [2..3]);
        assert_eq!(remaining.needed_since(&mut changes).unwrap().ranges(), [5..8]);
        assert!(remaining.needed_since(&mut changes).is_none());
        assert_eq!(remaining.next(9).ranges(), [5..8]);
    }
}
