//! Reads one top-level column together with its descendants, whose blocks do not align.
//!
//! ```text
//! p       |-------------- block ---------------|----
//! p#x     |------ block ------|------ block -------
//! segment  <------- k -------> <------ k -----> ...     k = fewest rows left in any open block
//! ```
//! A segment is within one block of every column, so no decoder crosses a block. The counts of a parent's rows tell
//! the number of values of its children in the segment; parents that are not selected are read for their counts.
//! Seeking does the same, skipping values. Records share no counts, so each is read independently.

use std::collections::HashMap;
use std::ops::Range;

use super::column_cursor::{ColumnCursor, Fetch};
use super::file_reader::FileReader;
use crate::error::{Error, Result};
use crate::format::budget::{OpenBlocks, ReadBudget};
use crate::format::column_data::ColumnData;
use crate::io::ReadAt;

/// One root column and those of its descendants that are read.
pub(crate) struct RecordReader {
    cursors: Vec<ColumnCursor>,
    open_blocks: OpenBlocks,
    /// Of each cursor the row it must start at, while seeking.
    needed: Vec<u64>,
}

impl RecordReader {
    /// Creates the readers of these columns, one for each record. The target of a column is its index in `columns`.
    pub(crate) fn all<R: ReadAt>(file: &FileReader<R>, columns: &[usize]) -> Result<Vec<Self>> {
        let (tree, open_blocks) = (file.tree(), OpenBlocks::new(*file.limits()));
        let mut roots: Vec<Self> = Vec::new();
        let targets: HashMap<usize, usize> =
            columns.iter().enumerate().map(|(target, column)| (*column, target)).collect();
        // The record of each column, and its cursor in that.
        let mut places = HashMap::new();
        for column in tree.with_ancestors(columns) {
            let target = targets.get(&column).copied();
            let parent = tree.parent(column).and_then(|parent| places.get(&parent).copied());
            let root = parent.map_or(roots.len(), |(root, _)| root);
            let above = parent.map(|(_, cursor)| cursor);
            let cursor = ColumnCursor::new(file, column, above, target, &open_blocks)?;
            if let Some((root, above)) = parent
                && let Some(above) = roots.get_mut(root).and_then(|r| r.cursors.get_mut(above))
            {
                above.leads = true;
            }
            if root == roots.len() {
                let (cursors, needed, open_blocks) = (Vec::new(), Vec::new(), open_blocks.clone());
                roots.push(Self { cursors, open_blocks, needed });
            }
            if let Some(RecordReader { cursors, .. }) = roots.get_mut(root) {
                places.insert(column, (root, cursors.len()));
                cursors.push(cursor);
            }
        }
        Ok(roots)
    }

    /// Closes the open blocks. Those that have more rows to read are opened again.
    pub(crate) fn close(&mut self) {
        self.cursors.iter_mut().for_each(ColumnCursor::close);
    }

    /// Closes the open blocks if those of all records exceed the memory limit.
    pub(crate) fn close_if_many(&mut self) {
        if self.open_blocks.check().is_err() {
            self.close();
        }
    }

    /// Exchanges the buffers of the targets of this record.
    pub(crate) fn exchange(&mut self, with: &mut [ColumnData]) {
        for cursor in &mut self.cursors {
            if let Some(theirs) = cursor.target.and_then(|target| with.get_mut(target)) {
                std::mem::swap(&mut cursor.data, theirs);
            }
        }
    }

    /// Appends rows, as ascending ranges, to the data of the cursors. Blocks are those that
    /// `fetch` reads. Returns the number of rows: fewer if the strings of one column would exceed 2 GiB. Fails if
    /// they exceed the budget.
    pub(crate) fn read(
        &mut self,
        fetch: &impl Fetch,
        ranges: &[Range<u64>],
        budget: &ReadBudget,
    ) -> Result<usize> {
        match self.cursors.as_mut_slice() {
            [cursor] => read_alone(cursor, fetch, ranges, budget),
            _ => self.read_together(fetch, ranges, budget),
        }
    }

    /// Reads as above; fails too if the open blocks of all records exceed the memory limit.
    pub(crate) fn read_checked(
        &mut self,
        fetch: &impl Fetch,
        ranges: &[Range<u64>],
        budget: &ReadBudget,
    ) -> Result<usize> {
        let rows = self.read(fetch, ranges, budget)?;
        self.open_blocks.check()?;
        Ok(rows)
    }

    fn read_together(
        &mut self,
        fetch: &impl Fetch,
        ranges: &[Range<u64>],
        budget: &ReadBudget,
    ) -> Result<usize> {
        let mut done = 0;
        for range in ranges {
            self.seek(fetch, range.start)?;
            let mut row = range.start;
            while row < range.end {
                let k = self.segment(fetch, row, range.end - row)?;
                if self.cursors.iter().any(ColumnCursor::would_overflow) {
                    return Ok(done);
                }
                for i in 0..self.cursors.len() {
                    let n = self.items_of(i, k)?;
                    let Some(cursor) = self.cursors.get_mut(i) else { continue };
                    cursor.read(n, k, budget)?;
                }
                row += k;
                done += usize::try_from(k).unwrap_or(0);
            }
        }
        Ok(done)
    }

    /// Seeks to a row. Of each column only the needed blocks are opened.
    pub(crate) fn seek(&mut self, fetch: &impl Fetch, row: u64) -> Result<()> {
        let mut at = self.start_lanes(row);
        while at < row {
            let most = self
                .cursors
                .iter()
                .map(|cursor| cursor.row)
                .filter(|start| *start > at)
                .fold(row, u64::min);
            let k = self.segment(fetch, at, most - at)?;
            for i in 0..self.cursors.len() {
                let n = self.items_of(i, k)?;
                if let Some(cursor) = self.cursors.get_mut(i).filter(|cursor| cursor.row == at) {
                    cursor.skip(n, k)?;
                }
            }
            at += k;
        }
        Ok(())
    }

    /// Sets each cursor before the block that it must start with to be at `row` later: its own block of that
    /// row, or an earlier one if a child starts earlier. Returns the first row of all.
    fn start_lanes(&mut self, row: u64) -> u64 {
        let Self { cursors, needed, .. } = self;
        needed.clear();
        needed.resize(cursors.len(), row);
        let mut first = row;
        for (i, cursor) in cursors.iter_mut().enumerate().rev() {
            let start = cursor.start_at(needed.get(i).copied().unwrap_or(row));
            first = first.min(start);
            if let Some(parent) = cursor.parent.and_then(|p| needed.get_mut(p)) {
                *parent = start.min(*parent);
            }
        }
        first
    }

    /// Opens blocks where needed. Returns the rows from `row`, at most `most`, that are within one block of every
    /// cursor at `row`.
    fn segment(&mut self, fetch: &impl Fetch, row: u64, most: u64) -> Result<u64> {
        let mut k = most;
        for cursor in self.cursors.iter_mut().filter(|cursor| cursor.row == row) {
            while cursor.rows_left == 0 {
                cursor.open_next(fetch)?;
            }
            k = k.min(cursor.rows_left);
        }
        Ok(k)
    }

    /// Returns how many lengths or values a cursor has in a segment of `k` rows.
    fn items_of(&self, cursor: usize, k: u64) -> Result<usize> {
        let parent = self.cursors.get(cursor).and_then(|cursor| self.cursors.get(cursor.parent?));
        match parent {
            Some(parent) => Ok(parent.items),
            None => usize::try_from(k).map_err(|_| Error::invalid("too many rows at once")),
        }
    }
}

/// Appends the rows of ranges to the data of a cursor without others, a block at a time, as [`RecordReader::read`]
/// does.
fn read_alone(
    cursor: &mut ColumnCursor,
    fetch: &impl Fetch,
    ranges: &[Range<u64>],
    budget: &ReadBudget,
) -> Result<usize> {
    let (mut done, mut row, mut rest) = (0, 0, ranges);
    while let [range, others @ ..] = rest {
        if range.end <= range.start.max(row) {
            rest = others;
            continue;
        }
        row = range.start.max(row);
        cursor.start_at(row);
        while cursor.rows_left == 0 {
            cursor.open_next(fetch)?;
        }
        if cursor.would_overflow() {
            break;
        }
        let block = row..cursor.row + cursor.rows_left;
        let begun = rest.partition_point(|range| range.start < block.end);
        let begun_ranges = rest.get(..begun).unwrap_or_default();
        done += cursor.read_ranges(begun_ranges, &block, budget)?;
        // The last of them may continue past the block.
        rest = rest.get(begun - 1..).unwrap_or_default();
        row = block.end;
    }
    Ok(done)
}
