//! A chunked table: columns of one length that are changed together.
//!
//! ```text
//! columns   a  ── ── ── ─        append: the chunks of all columns are made, then
//!           b  ──── ──── ─       the directory takes them in one change
//! ```

use std::path::Path;

use super::array::{Attributes, Container, Edit};
use super::chunked_array::{ChunkedArray, edit};
use super::rootdir::{Carray, Ctable};
use trevni::{Error, Result};

/// The columns of a directory, as one table.
#[derive(Debug)]
pub struct ChunkedTable {
    table: Ctable,
    parallelism: usize,
}

impl ChunkedTable {
    /// Opens a directory of columns.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Ok(Self { table: Ctable::open(path)?, parallelism: 1 })
    }

    /// Sets the number of threads that make chunks. Default: 1.
    pub fn with_parallelism(mut self, threads: usize) -> Self {
        self.parallelism = threads.max(1);
        self
    }

    /// Returns the table, to look at its names and columns.
    pub fn table(&self) -> &Ctable {
        &self.table
    }

    /// Returns how many rows there are.
    pub fn len(&self) -> u64 {
        self.table.rows()
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds rows at the end: for each column the bytes of as many.
    pub fn append(&mut self, columns: &[&[u8]]) -> Result<()> {
        let first = self.len();
        self.put(first, columns)
    }

    /// Overwrites rows, from `first` on. None may be past the end.
    pub fn write(&mut self, first: u64, columns: &[&[u8]]) -> Result<()> {
        let rows = self.rows_of(columns)?;
        if first.checked_add(rows).is_none_or(|end| end > self.len()) {
            let what = format!("{rows} rows from {first} on, but there are {}", self.len());
            return Err(Error::invalid(what));
        }
        self.put(first, columns)
    }

    fn put(&mut self, first: u64, columns: &[&[u8]]) -> Result<()> {
        if self.rows_of(columns)? == 0 {
            return Ok(());
        }
        let threads = self.parallelism;
        let three = self.table.names().iter().zip(self.table.columns()).zip(columns);
        let edits = three.map(|((name, column), rows)| {
            edit::put(column, threads, first, rows).map_err(|e| e.in_column(name))
        });
        let edits = edits.collect::<Result<_>>()?;
        self.table.commit(edits, None)
    }

    /// Drops all rows from `len` on, which may not exceed the number of rows.
    pub fn truncate(&mut self, len: u64) -> Result<()> {
        if len > self.len() {
            let what = format!("{} rows cannot be truncated to {len}", self.len());
            return Err(Error::invalid(what));
        }
        self.resize(len, edit::truncate)
    }

    /// Adds rows of the fill values until there are `len`; there must not be more now.
    pub fn grow(&mut self, len: u64) -> Result<()> {
        if len < self.len() {
            return Err(Error::invalid(format!("{} rows cannot grow to {len}", self.len())));
        }
        self.resize(len, edit::grow)
    }

    fn resize(&mut self, len: u64, to: fn(&dyn Container, u64) -> Result<Edit>) -> Result<()> {
        if len == self.len() {
            return Ok(());
        }
        let columns = self.table.names().iter().zip(self.table.columns());
        let edits = columns.map(|(name, column)| to(column, len).map_err(|e| e.in_column(name)));
        let edits = edits.collect::<Result<_>>()?;
        self.table.commit(edits, None)
    }

    /// Replaces what users have hung on the table.
    pub fn set_attributes(&mut self, attributes: Attributes) -> Result<()> {
        let same = |column: &Carray| {
            let layout = column.layout();
            let (count, shape) = (layout.chunks, layout.shape.clone());
            Edit { chunks: Vec::new(), count, shape, attributes: None }
        };
        let edits = self.table.columns().iter().map(same).collect();
        self.table.commit(edits, Some(attributes))
    }

    /// Returns the columns as separate arrays.
    pub fn into_arrays(self) -> Vec<(String, ChunkedArray)> {
        let threads = self.parallelism;
        let columns = self.table.into_columns().into_iter();
        columns
            .map(|(name, column)| (name, ChunkedArray::new(column).with_parallelism(threads)))
            .collect()
    }

    /// Returns how many rows these bytes are: of every column as many.
    fn rows_of(&self, columns: &[&[u8]]) -> Result<u64> {
        let there = self.table.columns().len();
        if columns.len() != there {
            let what = format!("rows of {} columns, but there are {there}", columns.len());
            return Err(Error::invalid(what));
        }
        let mut rows = None;
        for ((name, column), bytes) in
            self.table.names().iter().zip(self.table.columns()).zip(columns)
        {
            let row = column.layout().row_bytes()?.max(1);
            let whole = bytes.len().is_multiple_of(row).then_some((bytes.len() / row) as u64);
            let found = whole.filter(|found| *rows.get_or_insert(*found) == *found);
            found.ok_or_else(|| {
                let what = format!("{} bytes in rows of {row}, unlike the others", bytes.len());
                Error::invalid(what).in_column(name)
            })?;
        }
        Ok(rows.unwrap_or(0))
    }
}
