//! Reads rows of some columns together, whose blocks do not line up.
//!
//! ```text
//! p       |-------------- block ---------------|----
//! p#x     |------ block ------|------ block -------
//! segment  <------- k -------> <------ k -----> ...     k = fewest rows left in any open block
//! ```
//! A segment lies in one block of every column, so no decoder ever crosses a block. The counts of a parent's
//! rows say how many values its children have in the segment; parents that were not asked for are read for
//! their counts alone. Seeking is the same walk, with values passed over.

use std::ops::Range;
use std::sync::Arc;

use super::block::{BlockDescriptor, BlockOpener};
use super::column::ColumnData;
use super::decode::Decoder;
use super::header::Version;
use super::metadata::ColumnMetadata;
use super::reader::FileReader;
use super::values::Values;
use crate::error::{Error, Result};
use crate::io::{Limits, ReadAt};

/// Reads some columns of a file from row to row.
pub struct RowsReader<R> {
    file: FileReader<R>,
    lanes: Vec<Lane>,
    row: u64,
    rows: u64,
}

/// One column on its way through the file.
struct Lane {
    column: usize,
    meta: ColumnMetadata,
    /// The parent's place among the lanes.
    parent: Option<usize>,
    /// Where the caller wants the data; `None` for parents that are read for their counts.
    target: Option<usize>,
    blocks: Arc<[BlockDescriptor]>,
    opener: BlockOpener,
    decoder: Decoder,
    /// The first row not yet decoded.
    row: u64,
    next_block: usize,
    rows_left: u64,
    /// Counts of parents that were not asked for, and of rows passed over.
    scratch: ColumnData,
    /// Values in the segment at hand: what its children have rows of.
    items: usize,
}

impl<R: ReadAt> FileReader<R> {
    /// A reader of some columns together, at row 0.
    pub fn rows_reader(&self, columns: &[usize]) -> Result<RowsReader<R>> {
        RowsReader::new(self.clone(), columns)
    }

    /// All rows of a column. For files of unknown size prefer [`rows_reader`](FileReader::rows_reader).
    pub fn read_column(&self, column: usize) -> Result<ColumnData> {
        self.read_rows(column, 0..self.rows())
    }

    /// A range of rows of a column.
    pub fn read_rows(&self, column: usize, rows: Range<u64>) -> Result<ColumnData> {
        let mut data = [ColumnData::of(self.column(column)?)];
        let mut reader = self.rows_reader(&[column])?;
        if rows.start > rows.end || rows.end > self.rows() {
            return Err(Error::invalid(format!("rows {rows:?} of {}", self.rows())));
        }
        reader.seek(rows.start)?;
        let count = rows.end - rows.start;
        let wanted = usize::try_from(count).map_err(|_| Error::invalid("too many rows at once"))?;
        let read = reader.read(wanted, &mut data)?;
        if read < wanted {
            return Err(Error::too_large("strings of one read", read as u64, i32::MAX as u64));
        }
        let [data] = data;
        Ok(data)
    }
}

impl<R: ReadAt> RowsReader<R> {
    fn new(file: FileReader<R>, columns: &[usize]) -> Result<Self> {
        let all = file.tree().with_ancestors(columns);
        let mut lanes = Vec::with_capacity(all.len());
        for &column in &all {
            let parent = file.tree().parent(column);
            let parent = parent.and_then(|parent| all.binary_search(&parent).ok());
            let target = columns.iter().position(|c| *c == column);
            lanes.push(Lane::new(&file, column, parent, target)?);
        }
        let rows = file.header().rows;
        Ok(Self { file, lanes, row: 0, rows })
    }

    /// The next row.
    pub fn row(&self) -> u64 {
        self.row
    }

    /// The rows not yet read.
    pub fn remaining(&self) -> u64 {
        self.rows - self.row
    }

    /// Appends up to `rows` rows to `into`, which lies parallel to the columns asked for. Gives how many: fewer
    /// at the end of the file, and where the strings of one column would pass 2 GiB; 0 only at the end.
    ///
    /// After an error the buffers hold part of a row, and the reader must [`seek`](RowsReader::seek) before it
    /// reads on.
    pub fn read(&mut self, rows: usize, into: &mut [ColumnData]) -> Result<usize> {
        let mut done = 0;
        while done < rows && self.row < self.rows {
            let most = ((rows - done) as u64).min(self.remaining());
            let k = self.segment(self.row, most)?;
            if self.lanes.iter().any(|lane| lane.would_overflow(into)) {
                if done > 0 {
                    break;
                }
                return Err(Error::invalid("strings of one row pass 2 GiB"));
            }
            for i in 0..self.lanes.len() {
                let n = self.items_of(i, k)?;
                let Some(lane) = self.lanes.get_mut(i) else { continue };
                let target = lane.target.and_then(|t| into.get_mut(t));
                lane.read(n, k, target, self.file.limits())?;
            }
            self.row += k;
            done += usize::try_from(k).unwrap_or(0);
        }
        Ok(done)
    }

    /// Goes to a row, which is then the next to be read; past the end is the end. Of every column only the
    /// blocks that are needed are opened.
    pub fn seek(&mut self, row: u64) -> Result<()> {
        let row = row.min(self.rows);
        let mut at = self.start_lanes(row);
        while at < row {
            let most = self
                .lanes
                .iter()
                .map(|lane| lane.row)
                .filter(|start| *start > at)
                .fold(row, u64::min);
            let k = self.segment(at, most - at)?;
            for i in 0..self.lanes.len() {
                let n = self.items_of(i, k)?;
                if let Some(lane) = self.lanes.get_mut(i).filter(|lane| lane.row == at) {
                    lane.skip(n, k, self.file.limits())?;
                }
            }
            at += k;
        }
        self.row = row;
        Ok(())
    }

    /// Sets each lane before the block that it must start with to be at `row` later: its own block of that
    /// row, or an earlier one if a child starts earlier. Gives the first row of all.
    fn start_lanes(&mut self, row: u64) -> u64 {
        let mut needed = vec![row; self.lanes.len()];
        let mut first = row;
        for i in (0..self.lanes.len()).rev() {
            let Some(lane) = self.lanes.get_mut(i) else { continue };
            let start = lane.start_at(needed.get(i).copied().unwrap_or(row));
            first = first.min(start);
            if let Some(parent) = lane.parent.and_then(|p| needed.get_mut(p)) {
                *parent = start.min(*parent);
            }
        }
        first
    }

    /// Opens blocks where needed; gives the rows from `row` on, `most` at the most, that lie in one block of
    /// every lane that has come to `row`.
    fn segment(&mut self, row: u64, most: u64) -> Result<u64> {
        let mut k = most;
        for lane in self.lanes.iter_mut().filter(|lane| lane.row == row) {
            while lane.rows_left == 0 {
                lane.open_next(&self.file)?;
            }
            k = k.min(lane.rows_left);
        }
        Ok(k)
    }

    /// How many lengths or values a lane has in a segment of `k` rows.
    fn items_of(&self, lane: usize, k: u64) -> Result<usize> {
        let parent = self.lanes.get(lane).and_then(|lane| self.lanes.get(lane.parent?));
        match parent {
            Some(parent) => Ok(parent.items),
            None => usize::try_from(k).map_err(|_| Error::invalid("too many rows at once")),
        }
    }
}

impl Lane {
    fn new<R: ReadAt>(
        file: &FileReader<R>,
        column: usize,
        parent: Option<usize>,
        target: Option<usize>,
    ) -> Result<Self> {
        let meta = file.column(column)?.clone();
        let blocks = file.blocks(column)?;
        let in_column = |e: Error| e.in_column(meta.name());
        let codec = file.header().codec(column).map_err(in_column)?;
        let checksum = file.header().checksum(column).map_err(in_column)?;
        let opener = BlockOpener::new(codec, checksum, *file.limits()).map_err(in_column)?;
        let scratch = ColumnData::of(&meta);
        Ok(Self {
            column,
            meta,
            parent,
            target,
            blocks,
            opener,
            decoder: Decoder::default(),
            row: 0,
            next_block: 0,
            rows_left: 0,
            scratch,
            items: 0,
        })
    }

    fn start_at(&mut self, row: u64) -> u64 {
        self.next_block = self.blocks.partition_point(|block| block.end_row() <= row);
        self.rows_left = 0;
        self.row = self.blocks.get(self.next_block).map_or(row, |block| block.first_row);
        self.row
    }

    fn open_next<R: ReadAt>(&mut self, file: &FileReader<R>) -> Result<()> {
        let Some(block) = self.blocks.get(self.next_block) else {
            return Err(Error::malformed("no block for a row").in_column(self.meta.name()));
        };
        let stored = file.read_block(block, self.opener.checksum());
        let opened = stored.and_then(|stored| self.opener.open(block, stored));
        opened.map_err(|e| self.place(e, self.next_block))?;
        self.check_first_value(block, file).map_err(|e| self.place(e, self.next_block))?;
        self.decoder = Decoder::default();
        self.rows_left = u64::from(block.rows);
        self.next_block += 1;
        self.close_if_done()
    }

    /// No checksum covers descriptors, so a first value is compared with the block's own. Early writers of
    /// version 1 stored other values there.
    fn check_first_value<R: ReadAt>(
        &self,
        block: &BlockDescriptor,
        file: &FileReader<R>,
    ) -> Result<()> {
        let Some(expected) = &block.first_value else { return Ok(()) };
        if file.header().version < Version::V2 || block.rows == 0 {
            return Ok(());
        }
        let value_type = self.meta.value_type();
        let mut first = Values::new(value_type);
        Decoder::default().values(self.opener.bytes(), value_type, 1, &mut first)?;
        let first = first.as_slice().get(0);
        match first.and_then(|first| first.order(expected)) {
            Some(std::cmp::Ordering::Equal) => Ok(()),
            _ => Err(Error::malformed("the first value is not that of the descriptor")),
        }
    }

    /// Decodes `n` lengths or values of `k` rows.
    fn read(
        &mut self,
        n: usize,
        k: u64,
        target: Option<&mut ColumnData>,
        limits: &Limits,
    ) -> Result<()> {
        let Some(target) = target else { return self.skip(n, k, limits) };
        let block = self.opener.bytes();
        let value_type = self.meta.value_type();
        let result = match &mut target.lengths {
            Some(lengths) => {
                self.decoder.arrays(block, value_type, n, lengths, Some(&mut target.values), limits)
            }
            None => self.decoder.values(block, value_type, n, &mut target.values).map(|()| n),
        };
        self.advance(result, k)
    }

    /// Passes over `n` lengths or values of `k` rows, for the counts alone.
    fn skip(&mut self, n: usize, k: u64, limits: &Limits) -> Result<()> {
        let block = self.opener.bytes();
        let value_type = self.meta.value_type();
        let result = match &mut self.scratch.lengths {
            Some(lengths) => {
                lengths.clear();
                self.decoder.arrays(block, value_type, n, lengths, None, limits)
            }
            None => self.decoder.skip_values(block, value_type, n).map(|()| n),
        };
        self.advance(result, k)
    }

    fn advance(&mut self, items: Result<usize>, k: u64) -> Result<()> {
        self.items = items.map_err(|e| self.place_here(e))?;
        self.row += k;
        self.rows_left -= k;
        self.close_if_done()
    }

    fn close_if_done(&self) -> Result<()> {
        if self.rows_left > 0 {
            return Ok(());
        }
        self.decoder.finish(self.opener.bytes()).map_err(|e| self.place_here(e))
    }

    /// Whether the strings of the open block might not fit behind those the caller has.
    fn would_overflow(&self, into: &[ColumnData]) -> bool {
        match self.target.and_then(|t| into.get(t)).map(|data| &data.values) {
            Some(Values::Bytes(strings)) => {
                let more = self.opener.bytes().len();
                i32::try_from(strings.data.len().saturating_add(more)).is_err()
            }
            _ => false,
        }
    }

    /// Names the open block in an error of its values.
    fn place_here(&self, e: Error) -> Error {
        self.place(e, self.next_block.saturating_sub(1))
    }

    fn place(&self, e: Error, block: usize) -> Error {
        let offset = self.blocks.get(block).map_or(0, |block| block.offset);
        e.in_block_at(block, offset).in_column(self.meta.name())
    }
}

impl<R> std::fmt::Debug for RowsReader<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let columns: Vec<_> = self.lanes.iter().map(|lane| lane.column).collect();
        f.debug_struct("RowsReader")
            .field("columns", &columns)
            .field("row", &self.row)
            .finish_non_exhaustive()
    }
}
