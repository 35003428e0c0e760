//! Prints aligned tables.

use std::io::{self, Write};

/// The note on blocks and chunks without checksums.
pub(crate) const UNCHECKED: &str = "without a checksum: decoded, but not verified";

/// Rows of cells under a heading.
#[derive(Debug)]
pub(crate) struct Table {
    align: Vec<Align>,
    rows: Vec<Vec<String>>,
}

/// The alignment of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

impl Table {
    pub(crate) fn new(heads: &[(&str, Align)]) -> Self {
        let align = heads.iter().map(|(_, align)| *align).collect();
        let heads = heads.iter().map(|(head, _)| (*head).to_owned()).collect();
        Self { align, rows: vec![heads] }
    }

    pub(crate) fn push(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Writes the table, each line after `indent`.
    pub(crate) fn write(&self, indent: &str, out: &mut impl Write) -> io::Result<()> {
        let width = |i| {
            let cells = self.rows.iter().filter_map(|row: &Vec<String>| row.get::<usize>(i));
            cells.map(|cell| cell_width(cell)).max()
        };
        let widths: Vec<usize> = (0..self.align.len()).map(|i| width(i).unwrap_or(0)).collect();
        for row in &self.rows {
            let mut line = String::from(indent);
            for ((cell, align), width) in row.iter().zip(&self.align).zip(&widths) {
                let fill = " ".repeat(width - cell_width(cell));
                match align {
                    Align::Left => line.extend([cell, fill.as_str(), "  "]),
                    Align::Right => line.extend([fill.as_str(), cell, "  "]),
                }
            }
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

fn cell_width(cell: &str) -> usize {
    cell.chars().count()
}

/// Text from a file, on one line and without control characters, cut to `most` characters.
pub(crate) fn plain(text: &str, most: usize) -> String {
    let mut shown: String = text.chars().take(most).flat_map(char::escape_debug).collect();
    if text.chars().nth(most).is_some() {
        shown.push('…');
    }
    shown
}

/// Returns how many times smaller `after` is than `before`.
pub(crate) fn ratio(before: u64, after: u64) -> String {
    if after == 0 {
        return "-".into();
    }
    format!("{:.2}", before as f64 / after as f64)
}
