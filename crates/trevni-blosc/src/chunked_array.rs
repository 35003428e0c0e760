//! A chunked array: reads, appends, overwrites and truncates rows.
//!
//! ```text
//! rows        0 ........ 9 │ 10 ....... 19 │ 20 ... 24
//! chunks      ── chunk 0 ── ── chunk 1 ───── ─ chunk 2        read 8..12   opens blocks of chunks 0 and 1
//!                                                             append       rewrites chunk 2, and those after it
//! a grid      ┌───┬───┬─┐   rows × columns: a band of rows
//!             │ 0 │ 1 │2│   is in several chunks, each of
//!             ├───┼───┼─┤   blocks that are small boxes
//!             │ 3 │ 4 │5│
//! ```
//! Each container stores chunks in its own format ([`Container`]). The chunks of a range of rows, and their content
//! after a change, are computed here for all containers. A row is the elements at one index of the first dimension.
//! Rows are read and written as the bytes of a C-ordered array, in the byte order of the [`Dtype`].
//!
//! A change first creates all new chunks, then the container applies them at once: completely or not at all.

mod chunk_coder;
pub(super) mod edit;
mod flat;
mod grid;
mod view;
mod writer;

use std::ops::Range;

use crate::chunked_array::chunk_coder::Coders;
use view::View;
pub use writer::ArrayWriter;

use super::array::{Attributes, Chunking, Container, Edit, Layout, Order};
use super::chunk::Decoder;
use super::dtype::Dtype;
use trevni::io::Limits;
use trevni::parallelism;
use trevni::{Error, Result};

/// An array in some container.
///
/// ```text
/// shape   (rows, 3, 2)      a row is 3 × 2 elements of the dtype
/// ```
#[derive(Debug)]
pub struct ChunkedArray {
    container: Box<dyn Container>,
    readers: Coders<Decoder>,
    limits: Limits,
}

impl ChunkedArray {
    /// Creates the array in a container.
    pub fn new(container: impl Container + 'static) -> Self {
        let (limits, readers) = (Limits::default(), Coders::readers(1, &Limits::default()));
        Self { container: Box::new(container), readers, limits }
    }

    /// Sets the number of threads that open and make chunks, at most four for each of the machine's cores. Default: 1.
    pub fn with_parallelism(mut self, threads: usize) -> Self {
        self.readers = Coders::readers(parallelism::limit_threads(threads), &self.limits);
        self
    }

    /// Limits on the memory that reading and changing may take.
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self.readers = Coders::readers(self.readers.threads, &limits);
        self
    }

    /// Returns the limits in force.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Frees the memory that is kept for the next read.
    pub fn release_memory(&self) {
        self.readers.clear();
    }

    /// Returns how many threads open and make chunks.
    pub fn parallelism(&self) -> usize {
        self.readers.threads
    }

    /// Views the same bytes as elements of another dtype, in one dimension: for containers without the type of
    /// their elements. The bytes must be complete elements.
    pub fn view(self, dtype: Dtype) -> Result<Self> {
        let container = Box::new(View::try_new(self.container, dtype)?);
        Ok(Self { container, readers: self.readers, limits: self.limits })
    }

    /// Returns the layout of the array.
    pub fn layout(&self) -> &Layout {
        self.container.layout()
    }

    /// Returns the container.
    pub fn container(&self) -> &dyn Container {
        self.container.as_ref()
    }

    /// Returns how many rows there are. An array without dimensions is one row.
    pub fn len(&self) -> u64 {
        self.layout().rows()
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the type of the elements.
    pub fn dtype(&self) -> &Dtype {
        &self.layout().dtype
    }

    /// Returns the rows and what a row is: all dimensions.
    pub fn shape(&self) -> &[u64] {
        &self.layout().shape
    }

    /// Returns the shape of a chunk, of chunks that are all alike and end with a row.
    pub fn chunk_shape(&self) -> Option<Vec<u64>> {
        self.layout().chunk_shape()
    }

    /// Returns what users have hung on it.
    pub fn attributes(&self) -> &Attributes {
        &self.layout().attributes
    }

    /// Returns the bytes of a row.
    pub fn row_bytes(&self) -> Result<usize> {
        self.layout().row_bytes()
    }

    /// Returns the bytes of some rows.
    pub fn read(&self, rows: Range<u64>) -> Result<Vec<u8>> {
        let count = rows.end.saturating_sub(rows.start);
        self.check_rows(rows.start, count)?;
        let mut out = vec![0; self.bytes_of(count)?];
        self.read_into(rows.start, &mut out)?;
        Ok(out)
    }

    /// Reads the rows from `first` into `out`, which must be complete rows. Only their chunks are read, and of
    /// these only their blocks are decoded.
    pub fn read_into(&self, first: u64, out: &mut [u8]) -> Result<()> {
        let count = self.rows_of(out.len())?;
        self.check_rows(first, count)?;
        if out.is_empty() {
            return Ok(());
        }
        let layout = self.layout();
        if layout.order == Order::F && layout.shape.len() > 1 {
            return flat::read_fortran(self.container(), &self.readers, first, out, &self.limits);
        }
        match grid::Grid::of(layout)? {
            Some(grid) => {
                grid::read(self.container(), &grid, &self.readers, first, out, &self.limits)
            }
            None => {
                let start = self.bytes_at(first)?;
                flat::read(self.container(), &self.readers, start, out)
            }
        }
    }

    /// Adds rows at the end.
    pub fn append(&mut self, rows: &[u8]) -> Result<()> {
        let first = self.len();
        self.put(first, rows)
    }

    /// Overwrites rows, from `first` on. None may be past the end.
    pub fn write(&mut self, first: u64, rows: &[u8]) -> Result<()> {
        self.check_rows(first, self.rows_of(rows.len())?)?;
        self.put(first, rows)
    }

    fn put(&mut self, first: u64, rows: &[u8]) -> Result<()> {
        self.rows_of(rows.len())?;
        if rows.is_empty() {
            return Ok(());
        }
        let edit = edit::put(self.container(), self.parallelism(), first, rows)?;
        self.container.commit(edit)
    }

    /// Drops all rows from `len` on, which may not exceed the number of rows.
    pub fn truncate(&mut self, len: u64) -> Result<()> {
        self.check_rows(0, len)?;
        if len == self.len() {
            return Ok(());
        }
        let edit = edit::truncate(self.container(), len)?;
        self.container.commit(edit)
    }

    /// Adds rows of the fill value until there are `len`; there must not be more now.
    pub fn grow(&mut self, len: u64) -> Result<()> {
        if len < self.len() {
            let what = format!("{} rows cannot grow to {len}", self.len());
            return Err(Error::invalid(what));
        }
        if len == self.len() {
            return Ok(());
        }
        let edit = edit::grow(self.container(), len)?;
        self.container.commit(edit)
    }

    /// Replaces what users have hung on it.
    pub fn set_attributes(&mut self, attributes: Attributes) -> Result<()> {
        let layout = self.layout();
        let (count, shape) = (layout.chunks, layout.shape.clone());
        let edit = Edit { chunks: Vec::new(), count, shape, attributes: Some(attributes) };
        self.container.commit(edit)
    }

    /// Returns the number of rows of this many bytes.
    fn rows_of(&self, bytes: usize) -> Result<u64> {
        let row = self.row_bytes()?;
        if row == 0 && bytes == 0 {
            return Ok(0);
        }
        if row == 0 || !bytes.is_multiple_of(row) {
            return Err(Error::invalid(format!("{bytes} bytes are not rows of {row} bytes")));
        }
        Ok((bytes / row) as u64)
    }

    fn bytes_of(&self, rows: u64) -> Result<usize> {
        usize::try_from(self.bytes_at(rows)?)
            .map_err(|_| Error::invalid(format!("{rows} rows are more than memory")))
    }

    fn bytes_at(&self, row: u64) -> Result<u64> {
        row.checked_mul(self.row_bytes()? as u64)
            .ok_or_else(|| Error::invalid(format!("row {row} is past any array")))
    }

    fn check_rows(&self, first: u64, count: u64) -> Result<()> {
        let len = self.len();
        if first.checked_add(count).is_none_or(|end| end > len) {
            let what = format!("{count} rows from {first} on, but there are {len}");
            return Err(Error::invalid(what));
        }
        Ok(())
    }
}

impl Layout {
    /// Creates the layout of an array in C order that has no rows so far, of rows of this shape.
    pub fn of_rows(dtype: Dtype, row_shape: &[u64], chunking: Chunking) -> Self {
        Self {
            dtype,
            shape: std::iter::once(0).chain(row_shape.iter().copied()).collect(),
            order: Order::C,
            chunking,
            chunks: 0,
            fill: Vec::new(),
            attributes: Attributes::new(),
        }
    }

    /// Returns how many rows there are. An array without dimensions is one row.
    pub fn rows(&self) -> u64 {
        self.shape.first().copied().unwrap_or(1)
    }

    /// Elements of a row.
    pub fn row_elements(&self) -> Result<u64> {
        let row = self.shape.get(1..).unwrap_or_default();
        row.iter()
            .try_fold(1u64, |product, n| product.checked_mul(*n))
            .ok_or_else(|| Error::malformed(format!("a shape of {:?}", self.shape)))
    }

    /// Returns the bytes of a row.
    pub fn row_bytes(&self) -> Result<usize> {
        let bytes = self.row_elements()?.checked_mul(self.dtype.size as u64);
        bytes
            .and_then(|bytes| usize::try_from(bytes).ok())
            .ok_or_else(|| Error::malformed(format!("rows of shape {:?}", self.shape)))
    }

    /// Returns the numbers of the chunks that reading these rows opens.
    ///
    /// # Errors
    /// `Invalid` for rows that the array does not have.
    pub fn chunks_of(&self, rows: Range<u64>) -> Result<Range<u64>> {
        if rows.end > self.rows() {
            return Err(Error::invalid(format!("rows {rows:?}, but there are {}", self.rows())));
        }
        if rows.is_empty() {
            return Ok(0..0);
        }
        if self.order == Order::F && self.shape.len() > 1 {
            return Ok(0..self.chunks);
        }
        let row = self.row_bytes()? as u64;
        // No product passes the bytes of the array.
        let bytes = rows.start.saturating_mul(row)..rows.end.saturating_mul(row);
        let numbers = match &self.chunking {
            _ if bytes.is_empty() => 0..0,
            Chunking::Flat { chunk_bytes } => {
                let each = (*chunk_bytes).max(1);
                bytes.start / each..bytes.end.div_ceil(each)
            }
            Chunking::Varied { ends } => {
                let first = ends.partition_point(|end| *end <= bytes.start) as u64;
                first..ends.partition_point(|end| *end < bytes.end) as u64 + 1
            }
            Chunking::Grid { chunk_shape, .. } => {
                let sides = self.shape.iter().zip(chunk_shape);
                let mut sides = sides.map(|(len, side)| len.div_ceil((*side).max(1)));
                let bands = sides.next().unwrap_or(1).max(1);
                let band = self.chunks / bands;
                let each = chunk_shape.first().map_or(1, |side| (*side).max(1));
                rows.start / each * band..rows.end.div_ceil(each).saturating_mul(band)
            }
        };
        Ok(numbers.start..numbers.end.min(self.chunks))
    }

    /// Returns the shape of a chunk, of chunks that are all alike and end with a row.
    pub fn chunk_shape(&self) -> Option<Vec<u64>> {
        match &self.chunking {
            Chunking::Grid { chunk_shape, .. } => Some(chunk_shape.clone()),
            Chunking::Flat { chunk_bytes } => {
                let row = self.row_bytes().ok().filter(|row| *row > 0)? as u64;
                let rows = chunk_bytes / row;
                let whole = chunk_bytes % row == 0 && self.order == Order::C;
                let rest = self.shape.get(1..).unwrap_or_default();
                whole.then(|| std::iter::once(rows).chain(rest.iter().copied()).collect())
            }
            Chunking::Varied { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests;
