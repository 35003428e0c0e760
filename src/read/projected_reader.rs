//! Reads rows of a projection of columns.
//!
//! ```text
//! projected columns     a    b#x    c       each into its own buffer
//! records               a    b      c       each moves through its blocks independently
//! ```
//! Columns of different records meet only here: all return the same rows.

use std::ops::Range;

use super::file_reader::FileReader;
use super::record_reader::RecordReader;
use crate::error::{Error, Result};
use crate::format::block::BlockDescriptor;
use crate::format::budget::{ReadBudget, is_avoidable};
use crate::format::column_data::ColumnData;
use crate::io::ReadAt;

/// After this number of reads that fit into memory, the number of rows is doubled.
const FITS: usize = 64;

/// Reads some columns of a file from row to row.
pub struct ProjectedReader<R> {
    file: FileReader<R>,
    roots: Vec<RecordReader>,
    /// Whether a read took more memory than there is: columns are read one after another since.
    one_by_one: bool,
    /// How many rows fit into memory, if that is known, and how many reads have done so since.
    rows_that_fit: usize,
    reads_that_fit: usize,
    /// How many rows one read may have.
    most_rows: usize,
    /// What one read of several rows may decode.
    batch_bytes: usize,
    row: u64,
    rows: u64,
}

impl<R: ReadAt> FileReader<R> {
    /// Returns a reader of some columns together, each named once, at row 0.
    pub fn projected_reader(&self, columns: &[usize]) -> Result<ProjectedReader<R>> {
        let roots = RecordReader::all(self, columns)?;
        let (file, rows) = (self.clone(), self.rows());
        Ok(ProjectedReader {
            file,
            roots,
            one_by_one: false,
            rows_that_fit: usize::MAX,
            reads_that_fit: 0,
            most_rows: usize::MAX,
            batch_bytes: self.limits().batch_bytes,
            row: 0,
            rows,
        })
    }

    /// Returns all rows of a column. For files of unknown size prefer
    /// [`projected_reader`](FileReader::projected_reader).
    pub fn read_column(&self, column: usize) -> Result<ColumnData> {
        self.read_rows(column, 0..self.rows())
    }

    /// Returns a range of rows of a column.
    pub fn read_rows(&self, column: usize, rows: Range<u64>) -> Result<ColumnData> {
        let mut data = [ColumnData::of(self.column(column)?)];
        let mut reader = self.projected_reader(&[column])?;
        reader.batch_bytes = self.limits().memory;
        if rows.start > rows.end || rows.end > self.rows() {
            return Err(Error::invalid(format!("rows {rows:?} of {}", self.rows())));
        }
        let wanted = usize::try_from(rows.end - rows.start)
            .map_err(|_| Error::invalid("too many rows at once"))?;
        let read = reader.read_ranges(&[rows], &mut data)?;
        if read < wanted {
            return Err(Error::too_large("rows of one read", wanted as u64, read as u64));
        }
        let [data] = data;
        Ok(data)
    }
}

impl<R: ReadAt> ProjectedReader<R> {
    /// Sets the maximum number of rows of one read.
    #[cfg(feature = "arrow")]
    pub(crate) fn with_most_rows(mut self, rows: usize) -> Self {
        self.most_rows = rows.max(1);
        self
    }

    /// Returns the next row.
    pub fn row(&self) -> u64 {
        self.row
    }

    /// Returns the rows not yet read.
    pub fn remaining(&self) -> u64 {
        self.rows - self.row
    }

    /// Appends up to `rows` rows to `into`, which is parallel to the selected columns. Returns their number: fewer
    /// at the end of the file, and if they exceed the [`Limits`](crate::io::Limits); 0 only at the end.
    ///
    /// After an error the buffers hold part of a row, and the reader must [`seek`](ProjectedReader::seek) before it
    /// reads on.
    pub fn read(&mut self, rows: usize, into: &mut [ColumnData]) -> Result<usize> {
        let end = self.row.saturating_add(rows as u64).min(self.rows);
        self.read_ranges(std::slice::from_ref(&(self.row..end)), into)
    }

    /// Appends the rows of ascending ranges, as [`read`](ProjectedReader::read) does. Of every column only the blocks
    /// with such rows are opened, and those of parents that a child's block begins in.
    pub fn read_ranges(&mut self, ranges: &[Range<u64>], into: &mut [ColumnData]) -> Result<usize> {
        let wanted = self.check_ranges(ranges)?;
        let before: Vec<_> = into.iter().map(Mark::of).collect();
        let mut rows = wanted.min(self.rows_that_fit).min(self.most_rows);
        loop {
            let read = match rows < wanted {
                true => self.read_some(&first(ranges, rows), rows, &before, into),
                false => self.read_some(ranges, rows, &before, into),
            };
            match read {
                Err(e) if is_avoidable(&e) && !(self.one_by_one && rows <= 1) => {
                    into.iter_mut().zip(&before).for_each(|(data, mark)| mark.restore(data));
                    rows = self.read_less_at_once(rows);
                }
                read => {
                    let done = read?;
                    self.note_fit();
                    self.row = first(ranges, done).last().map_or(self.row, |range| range.end);
                    return Ok(done);
                }
            }
        }
    }

    /// Recovers from a read that exceeded the memory limit: first column by column, then with fewer rows. Returns
    /// the number of rows.
    fn read_less_at_once(&mut self, rows: usize) -> usize {
        if std::mem::replace(&mut self.one_by_one, true) {
            (self.rows_that_fit, self.reads_that_fit) = ((rows / 2).max(1), 0);
        }
        for root in &mut self.roots {
            root.close();
        }
        rows.min(self.rows_that_fit)
    }

    /// Has more rows be read, when several reads have fitted.
    fn note_fit(&mut self) {
        self.reads_that_fit += 1;
        if self.reads_that_fit == FITS {
            self.reads_that_fit = 0;
            self.rows_that_fit = self.rows_that_fit.saturating_mul(2);
        }
    }

    /// Reads the rows of ranges, which are `wanted`, or fewer.
    fn read_some(
        &mut self,
        ranges: &[Range<u64>],
        wanted: usize,
        before: &[Mark],
        into: &mut [ColumnData],
    ) -> Result<usize> {
        let read = self.read_roots(ranges, into)?;
        let done = read.iter().copied().min().unwrap_or(wanted);
        if done < wanted {
            self.read_less(ranges, done, before, into)?;
        }
        Ok(done)
    }

    fn read_roots(&mut self, ranges: &[Range<u64>], into: &mut [ColumnData]) -> Result<Vec<usize>> {
        let file = &self.file;
        let fetch = |block: &BlockDescriptor, checksum| file.read_block(block, checksum);
        self.roots.iter_mut().for_each(|root| root.exchange(into));
        let several = ranges.iter().map(|range| range.end - range.start).sum::<u64>() > 1;
        let row_bytes = file.limits().row_bytes.max(self.batch_bytes);
        let budget = ReadBudget::new(if several { self.batch_bytes } else { row_bytes });
        let one_by_one = self.one_by_one;
        let read = |root: &mut RecordReader| {
            if !one_by_one {
                return root.read_checked(&fetch, ranges, &budget);
            }
            let read = root.read(&fetch, ranges, &budget);
            root.close_if_many();
            read
        };
        let read = self.roots.iter_mut().map(read).collect();
        self.roots.iter_mut().for_each(|root| root.exchange(into));
        read
    }

    /// The strings of one record ended early: all records are read again up to that row.
    fn read_less(
        &mut self,
        ranges: &[Range<u64>],
        rows: usize,
        before: &[Mark],
        into: &mut [ColumnData],
    ) -> Result<()> {
        if rows == 0 {
            return Err(Error::invalid("strings of one row pass 2 GiB"));
        }
        into.iter_mut().zip(before).for_each(|(data, mark)| mark.restore(data));
        self.read_roots(&first(ranges, rows), into).map(|_| ())
    }

    /// Seeks to a row; past the end is the end. Blocks are opened when the row is read.
    pub fn seek(&mut self, row: u64) {
        self.row = row.min(self.rows);
    }

    /// Returns how many rows ranges have that ascend within the file.
    fn check_ranges(&self, ranges: &[Range<u64>]) -> Result<usize> {
        let mut end = 0;
        let mut rows = 0usize;
        for range in ranges {
            if range.start < end || range.start > range.end || range.end > self.rows {
                return Err(Error::invalid(format!("rows {range:?} of {}", self.rows)));
            }
            end = range.end;
            let more = usize::try_from(range.end - range.start).ok();
            rows = more
                .and_then(|more| rows.checked_add(more))
                .ok_or_else(|| Error::invalid("too many rows at once"))?;
        }
        Ok(rows)
    }
}

/// Returns the first `rows` rows of ranges.
fn first(ranges: &[Range<u64>], rows: usize) -> Vec<Range<u64>> {
    let mut left = rows as u64;
    let mut cut = Vec::new();
    for range in ranges {
        let end = range.end.min(range.start.saturating_add(left));
        if left == 0 {
            break;
        }
        left -= end - range.start;
        cut.push(range.start..end);
    }
    cut
}

/// How much a caller's buffer held before.
struct Mark {
    lengths: usize,
    values: usize,
    buffers: usize,
}

impl Mark {
    fn of(data: &ColumnData) -> Self {
        let lengths = data.lengths.as_ref().map_or(0, Vec::len);
        Self { lengths, values: data.values.len(), buffers: data.values.buffers() }
    }

    fn restore(&self, data: &mut ColumnData) {
        if let Some(lengths) = &mut data.lengths {
            lengths.truncate(self.lengths);
        }
        if let Some(validity) = &mut data.validity {
            validity.truncate(self.values);
        }
        data.values.truncate(self.values);
        data.values.truncate_buffers(self.buffers);
    }
}

impl<R> std::fmt::Debug for ProjectedReader<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProjectedReader")
            .field("roots", &self.roots.len())
            .field("row", &self.row)
            .finish_non_exhaustive()
    }
}
