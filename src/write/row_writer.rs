//! Writes a file row by row.
//!
//! ```text
//! start_row
//!   write_value(0, id)
//!   write_length(1, 2)  write_value(1, to)  write_value(1, to)      array column
//!   write_length(2, 1)  write_value(3, date)                        null array column, and its child
//! end_row
//! ```
//! Within a row the columns may come in any order; each column's own calls come in the order of its values.
//! (What the reference calls its expert interface.)

use std::io::Write;

use super::file_summary::FileSummary;
use super::file_writer::FileWriter;
use crate::error::{Error, Result};
use crate::format::column_data::{ColumnData, ColumnSlice};
use crate::format::row_offsets::check_slices;
use crate::format::value::{Value, ValueType};
use crate::format::values::Values;

/// Rows block_values before they are encoded together.
const ROWS: usize = 1024;

/// Writes rows to a [`FileWriter`].
///
/// ```
/// use trevni::{ColumnMetadata, FileWriter, RowWriter, ValueType};
/// let columns = vec![
///     ColumnMetadata::new("id", ValueType::Int),
///     ColumnMetadata::new("to", ValueType::String).array(),
/// ];
/// let mut rows = RowWriter::new(FileWriter::builder().build(Vec::new(), columns)?);
/// rows.start_row()?;
/// rows.write_value(0, 566)?;
/// rows.write_length(1, 2)?;
/// rows.write_value(1, "bar@baz.com")?;
/// rows.write_value(1, "bang@foo.com")?;
/// rows.end_row()?;
/// let (file, summary) = rows.finish()?;
/// assert_eq!(summary.rows, 1);
/// # Ok::<(), trevni::Error>(())
/// ```
#[derive(Debug)]
pub struct RowWriter<W> {
    writer: FileWriter<W>,
    /// Complete rows, then the values of the current row.
    block_values: Vec<ColumnData>,
    rows: usize,
    /// The number of lengths and values of each column in the complete rows.
    whole: Vec<(usize, usize)>,
    in_row: bool,
}

impl<W: Write> RowWriter<W> {
    /// Creates the rows will follow those that the writer has.
    pub fn new(writer: FileWriter<W>) -> Self {
        let block_values: Vec<_> = writer.columns().iter().map(ColumnData::of).collect();
        let whole = vec![(0, 0); block_values.len()];
        Self { writer, block_values, rows: 0, whole, in_row: false }
    }

    /// Starts a row. A row that was started and not ended is forgotten.
    pub fn start_row(&mut self) -> Result<()> {
        if self.rows >= ROWS {
            self.flush()?;
        }
        self.forget_row();
        self.in_row = true;
        Ok(())
    }

    /// The length of an array column's next array.
    pub fn write_length(&mut self, column: usize, length: u32) -> Result<()> {
        let data = self.column(column)?;
        match &mut data.lengths {
            Some(lengths) => lengths.push(length),
            None => return Err(self.in_column(column, Error::invalid("not an array column"))),
        }
        // Null values are not written; their length represents them.
        if let Values::Null(n) = &mut data.values {
            *n += length as usize;
        }
        Ok(())
    }

    /// A column's next value. Values of null array columns need not be written.
    pub fn write_value<'v>(&mut self, column: usize, value: impl Into<Value<'v>>) -> Result<()> {
        let meta = self.writer.columns().get(column);
        if meta.is_some_and(|meta| meta.is_array() && meta.value_type() == ValueType::Null) {
            return Ok(());
        }
        let pushed = self.column(column)?.values.push(&value.into());
        pushed.map_err(|e| self.in_column(column, e))
    }

    /// Ends the row. If its columns do not fit together, it is forgotten and the rows before it are kept.
    pub fn end_row(&mut self) -> Result<()> {
        if !std::mem::take(&mut self.in_row) {
            return Err(Error::invalid("end_row without start_row"));
        }
        if let Err(e) = self.check_row() {
            self.forget_row();
            return Err(e);
        }
        self.rows += 1;
        for (whole, data) in self.whole.iter_mut().zip(&self.block_values) {
            *whole = (data.lengths.as_ref().map_or(0, Vec::len), data.values.len());
        }
        Ok(())
    }

    /// Writes the file.
    pub fn finish(mut self) -> Result<(W, FileSummary)> {
        self.forget_row();
        self.flush()?;
        self.writer.finish()
    }

    fn check_row(&self) -> Result<()> {
        let parts = self.block_values.iter().zip(&self.whole);
        let slices: Vec<_> = parts
            .map(|(data, (lengths, values))| ColumnSlice {
                validity: None,
                lengths: data.lengths.as_ref().map(|all| all.get(*lengths..).unwrap_or_default()),
                values: data.values.as_slice().skip(*values),
            })
            .collect();
        check_slices(self.writer.columns(), self.writer.tree(), 1, &slices).map(|_| ())
    }

    fn forget_row(&mut self) {
        self.in_row = false;
        for (data, (lengths, values)) in self.block_values.iter_mut().zip(&self.whole) {
            data.values.truncate(*values);
            if let Some(all) = &mut data.lengths {
                all.truncate(*lengths);
            }
        }
    }

    fn flush(&mut self) -> Result<()> {
        let slices: Vec<_> = self.block_values.iter().map(ColumnData::as_slice).collect();
        self.writer.write(std::mem::take(&mut self.rows), &slices)?;
        self.whole.fill((0, 0));
        self.forget_row();
        Ok(())
    }

    fn column(&mut self, column: usize) -> Result<&mut ColumnData> {
        if !self.in_row {
            return Err(Error::invalid("a value outside a row: call start_row first"));
        }
        self.block_values
            .get_mut(column)
            .ok_or_else(|| Error::invalid(format!("no column {column}")))
    }

    fn in_column(&self, column: usize, e: Error) -> Error {
        match self.writer.columns().get(column) {
            Some(meta) => e.in_column(meta.name()),
            None => e,
        }
    }
}
