//! Prints rows as tables, with borders and truncated to a width, or as Markdown.
//!
//! ```text
//! ┌──────────────┬─────────┐      | place | mag |
//! │ place        │     mag │      |---|---:|
//! │ Utf8         │ Float64 │      | Near the c… | 6.1 |
//! ╞══════════════╪═════════╡
//! │ Near the c…  │     6.1 │
//! └──────────────┴─────────┘
//! … 3 more columns: depth, time, id
//! ```

use std::fmt::{self, Write as _};
use std::io::Write;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int64Type, SchemaRef};
use arrow::util::display::{ArrayFormatter, FormatOptions};
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Width, presets};
use trevni_convert::Sink;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::output::type_name::type_name;

/// Rows that are laid out together. The widths of columns are those of the first of these.
const CHUNK: usize = 512;
/// Characters of a cell where the width is not limited.
const CELL: usize = 1000;
/// Widths that long columns are cut to, one after another, until all columns fit.
const CAPS: [usize; 5] = [64, 48, 32, 24, 16];
/// The width of the columns that are shown where not all fit.
const FEW: usize = 24;
/// What borders and blanks add to a column.
const FRAME: usize = 3;

/// Writes rows as a table with borders.
#[derive(Debug)]
pub(crate) struct BorderedTable<W> {
    out: W,
    schema: SchemaRef,
    /// Columns of characters; 0 for any number.
    width: usize,
    /// The widths of the columns that are shown, the first ones, once they are known.
    widths: Option<Vec<usize>>,
    rows: usize,
}

impl<W: Write> BorderedTable<W> {
    pub(crate) fn new(out: W, schema: SchemaRef, width: usize) -> Self {
        Self { out, schema, width, widths: None, rows: 0 }
    }

    fn write_chunk(&mut self, chunk: &RecordBatch) -> trevni::Result<()> {
        let most = if self.width == 0 { CELL } else { self.width };
        let shown = self.widths.as_ref().map_or(chunk.num_columns(), Vec::len);
        let columns = chunk.columns().iter().take(shown);
        let cells: Vec<Vec<String>> = columns.map(|column| cells(column, most)).collect();
        let first = self.widths.is_none();
        let widths = match self.widths.take() {
            Some(widths) => widths,
            None => fitted(&self.natural(&cells), self.width),
        };
        let lines = self.lines(&cells, chunk.num_rows(), &widths, first);
        // The bottom border follows the last chunk.
        for line in lines.iter().take(lines.len().saturating_sub(1)) {
            writeln!(self.out, "{line}")?;
        }
        self.widths = Some(widths);
        self.rows += chunk.num_rows();
        Ok(())
    }

    /// Returns the widths of the columns without truncation, of names, types and cells.
    fn natural(&self, cells: &[Vec<String>]) -> Vec<usize> {
        let heads = self.schema.fields().iter().map(|field| {
            let name = escaped(field.name(), CELL);
            name.width().max(type_name(field.data_type()).width()).max(1)
        });
        let of_cells = |cells: &Vec<String>| cells.iter().map(|cell| cell.width()).max();
        let cells = cells.iter().map(|cells| of_cells(cells).unwrap_or(0));
        heads.zip(cells).map(|(head, cells)| head.max(cells)).collect()
    }

    /// Returns the lines of a chunk with the border below; those of the first begin with the names and types.
    fn lines(
        &self,
        cells: &[Vec<String>],
        rows: usize,
        widths: &[usize],
        first: bool,
    ) -> Vec<String> {
        let mut table = comfy_table::Table::new();
        table.load_preset(presets::UTF8_FULL_CONDENSED);
        table.set_content_arrangement(ContentArrangement::Disabled);
        if first {
            let fields = self.schema.fields().iter().zip(widths);
            table.set_header(fields.map(|(field, &width)| {
                let name = cut(&escaped(field.name(), CELL), width);
                let of_type = cut(&type_name(field.data_type()), width);
                format!("{name}\n{of_type}")
            }));
        }
        for row in 0..rows {
            let cells = cells.iter().zip(widths);
            table
                .add_row(cells.map(|(column, &width)| {
                    cut(column.get(row).map_or("", String::as_str), width)
                }));
        }
        for (column, (field, &width)) in
            table.column_iter_mut().zip(self.schema.fields().iter().zip(widths))
        {
            let width = u16::try_from(width + FRAME - 1).unwrap_or(u16::MAX);
            column.set_constraint(ColumnConstraint::Absolute(Width::Fixed(width)));
            if is_number(field.data_type()) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        table.lines().skip(usize::from(!first)).collect()
    }

    fn finish_table(&mut self) -> trevni::Result<()> {
        if self.schema.fields().is_empty() {
            writeln!(self.out, "{} rows without columns", self.rows)?;
            return Ok(self.out.flush()?);
        }
        if self.widths.is_none() {
            self.write_chunk(&RecordBatch::new_empty(self.schema.clone()))?;
        }
        let widths = self.widths.as_deref().unwrap_or_default();
        let bottom: Vec<String> = widths.iter().map(|width| "─".repeat(width + 2)).collect();
        writeln!(self.out, "└{}┘", bottom.join("┴"))?;
        let hidden: Vec<String> = self
            .schema
            .fields()
            .iter()
            .skip(widths.len())
            .map(|field| escaped(field.name(), CELL))
            .collect();
        if !hidden.is_empty() {
            let s = if hidden.len() == 1 { "" } else { "s" };
            let line = format!("… {} more column{s}: {}", hidden.len(), hidden.join(", "));
            writeln!(self.out, "{}", cut(&line, self.width))?;
        }
        Ok(self.out.flush()?)
    }
}

impl<W: Write> Sink for BorderedTable<W> {
    fn write(&mut self, batch: &RecordBatch) -> trevni::Result<()> {
        if batch.num_columns() == 0 {
            self.rows += batch.num_rows();
            return Ok(());
        }
        for from in (0..batch.num_rows()).step_by(CHUNK) {
            self.write_chunk(&batch.slice(from, CHUNK.min(batch.num_rows() - from)))?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> trevni::Result<()> {
        self.finish_table()
    }
}

/// Returns the widths of the columns that fit into a width; of those that do not, none.
fn fitted(natural: &[usize], width: usize) -> Vec<usize> {
    let total = |widths: &[usize]| widths.iter().map(|width| width + FRAME).sum::<usize>() + 1;
    if width == 0 || total(natural) <= width {
        return natural.to_vec();
    }
    let capped = |cap: usize| natural.iter().map(|&natural| natural.min(cap)).collect::<Vec<_>>();
    if let Some(fitting) = CAPS.into_iter().map(capped).find(|widths| total(widths) <= width) {
        return fitting;
    }
    let mut few = capped(FEW);
    while few.len() > 1 && total(&few) > width {
        few.pop();
    }
    if let [only] = few.as_mut_slice() {
        *only = (*only).min(width.saturating_sub(FRAME + 1)).max(1);
    }
    few
}

/// Writes rows as a table of Markdown.
#[derive(Debug)]
pub(crate) struct MarkdownTable<W> {
    out: W,
}

impl<W: Write> MarkdownTable<W> {
    pub(crate) fn try_new(mut out: W, schema: &SchemaRef) -> trevni::Result<Self> {
        let names = schema.fields().iter().map(|field| markdown(&escaped(field.name(), CELL)));
        write_markdown_row(&mut out, names)?;
        let rules = schema.fields().iter();
        let rules = rules.map(|field| if is_number(field.data_type()) { "---:" } else { "---" });
        writeln!(out, "|{}|", rules.collect::<Vec<_>>().join("|"))?;
        Ok(Self { out })
    }
}

impl<W: Write> Sink for MarkdownTable<W> {
    fn write(&mut self, batch: &RecordBatch) -> trevni::Result<()> {
        for from in (0..batch.num_rows()).step_by(CHUNK) {
            let chunk = batch.slice(from, CHUNK.min(batch.num_rows() - from));
            let columns = chunk.columns().iter();
            let cells: Vec<_> = columns.map(|column| cells(column, usize::MAX)).collect();
            for row in 0..chunk.num_rows() {
                let row = cells.iter().map(|column| column.get(row).map_or("", String::as_str));
                write_markdown_row(&mut self.out, row.map(markdown))?;
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> trevni::Result<()> {
        Ok(self.out.flush()?)
    }
}

fn write_markdown_row(
    out: &mut impl Write,
    cells: impl Iterator<Item = String>,
) -> std::io::Result<()> {
    writeln!(out, "| {} |", cells.collect::<Vec<_>>().join(" | "))
}

fn markdown(cell: &str) -> String {
    cell.replace('\\', "\\\\").replace('|', "\\|").replace('<', "&lt;")
}

fn is_number(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, value) => is_number(value),
        DataType::RunEndEncoded(_, value) => is_number(value.data_type()),
        other => other.is_numeric(),
    }
}

/// Returns the values of a column as text, of at most `most` characters and one more if they are longer.
pub(crate) fn cells(column: &ArrayRef, most: usize) -> Vec<String> {
    let wider = trevni::arrow::wider_decimals(column).ok().flatten();
    let column = wider.as_ref().unwrap_or(column);
    let options = FormatOptions::new().with_null("null");
    let Ok(formatter) = ArrayFormatter::try_new(column.as_ref(), &options) else {
        return vec!["?".to_owned(); column.len()];
    };
    let cell = |row| {
        let mut cell = Cell { text: String::new(), left: most };
        // The error only means that the value is longer.
        let _ = write!(cell, "{}", formatter.value(row));
        cell.text
    };
    let mut cells: Vec<String> = (0..column.len()).map(cell).collect();
    if column.data_type().is_temporal() && cells.iter().any(|cell| is_out_of_range(cell)) {
        let numbers = numbers(column);
        for (cell, number) in cells.iter_mut().zip(numbers) {
            if is_out_of_range(cell) {
                *cell = number;
            }
        }
    }
    cells
}

/// Returns whether the library wrote that it cannot write a time.
fn is_out_of_range(cell: &str) -> bool {
    cell.starts_with("ERROR: ") || cell == "<invalid>"
}

/// Times as the integers that they are stored as.
fn numbers(times: &ArrayRef) -> Vec<String> {
    let integers = cast(times, &DataType::Int64);
    let integers = integers.or_else(|_| cast(&cast(times, &DataType::Int32)?, &DataType::Int64));
    match integers {
        Ok(integers) => {
            let integers = integers.as_primitive::<Int64Type>();
            integers.iter().map(|n| n.map_or("null".to_owned(), |n| n.to_string())).collect()
        }
        Err(_) => vec!["?".to_owned(); times.len()],
    }
}

/// Takes the first characters of a value, and none that would move the cursor of a terminal.
struct Cell {
    text: String,
    left: usize,
}

impl fmt::Write for Cell {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for c in text.chars() {
            if self.left == 0 {
                self.text.push('…');
                return Err(fmt::Error);
            }
            self.left -= 1;
            match is_harmful(c) {
                true => self.text.extend(c.escape_debug()),
                false => self.text.push(c),
            }
        }
        Ok(())
    }
}

/// Control characters, and those that change the direction of text.
fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns the first characters of a text, and none that would move the cursor of a terminal.
pub(crate) fn escaped(text: &str, most: usize) -> String {
    let mut cell = Cell { text: String::new(), left: most };
    let _ = cell.write_str(text);
    cell.text
}

/// Truncates a text to a number of terminal columns, with `…` at its end. 0 is unlimited.
fn cut(text: &str, width: usize) -> String {
    if width == 0 || text.width() <= width {
        return text.to_owned();
    }
    let mut left = width - 1;
    let kept = text.chars().take_while(|c| {
        let wide = c.width().unwrap_or(0);
        let fits = wide <= left;
        left = left.saturating_sub(wide);
        fits
    });
    let mut kept: String = kept.collect();
    kept.push('…');
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_shrink_before_they_are_left_out() {
        assert_eq!(fitted(&[5, 100], 0), [5, 100]);
        assert_eq!(fitted(&[5, 100], 120), [5, 100]);
        assert_eq!(fitted(&[5, 100], 80), [5, 64]);
        assert_eq!(fitted(&[5, 100, 100], 80), [5, 32, 32]);
        assert_eq!(fitted(&[30, 30, 30], 60), [16, 16, 16]);
        assert_eq!(fitted(&[30, 30, 30], 40), [24]);
        assert_eq!(fitted(&[30, 30], 10), [6]);
        assert_eq!(fitted(&[30, 30], 1), [1]);
        assert!(fitted(&[], 10).is_empty());
    }

    #[test]
    fn texts_are_cut_by_what_a_terminal_shows() {
        for (text, width, expected) in [
            ("abc", 3, "abc"),
            ("abcd", 3, "ab…"),
            ("日本語", 6, "日本語"),
            ("日本語", 5, "日本…"),
            ("日本語", 4, "日…"),
            ("abc", 0, "abc"),
            ("abc", 1, "…"),
        ] {
            assert_eq!(cut(text, width), expected, "{text} {width}");
        }
        assert_eq!(escaped("a\u{1b}[2Jb\n\u{202e}\u{61c}", 99), "a\\u{1b}[2Jb\\n\\u{202e}\\u{61c}");
        assert_eq!(escaped("abcd", 3), "abc…");
    }
}
