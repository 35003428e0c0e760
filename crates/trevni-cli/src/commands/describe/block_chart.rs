//! Draws the blocks of a Trevni file, by rows and by file offset.

use std::fmt::{self, Write};

use super::blocks::{Blocks, ColumnLayout, FileLayout};
use super::html_text::{NAME, grouped, text};

/// Units of the width.
const UNITS: f64 = 10_000.0;
/// The minimum width of a block by offset, so that small ones are visible.
const LEAST: f64 = 60.0;
/// Blocks of a column that are distinguished by edges and shades. Edges of more would cover them.
const EDGED: usize = 24;

/// Writes a row for each column.
pub(super) fn write_blocks(layout: &FileLayout, out: &mut String) -> fmt::Result {
    writeln!(
        out,
        "<h2>Blocks</h2>\n<p class=\"dim\">By rows: from the first row to the last; the stronger the color of a block, the more \
         bytes it has for a row. By offset: from the first byte of the file to the last, byte {}.</p>\n<table class=\"blocks\">\n\
         <tr><th scope=\"col\">column</th><th scope=\"col\" class=\"n\">blocks</th><th scope=\"col\">by rows</th>\
         <th scope=\"col\">by offset</th></tr>",
        grouped(layout.bytes)
    )?;
    for column in &layout.columns {
        let name = text(&column.name, NAME);
        let count = grouped(column.block_count as u64);
        write!(
            out,
            "<tr><td class=\"name\">{name}</td><td class=\"n\">{count}</td><td class=\"bar\">"
        )?;
        write_by_rows(column, layout.rows, &name, out)?;
        out.write_str("</td><td class=\"bar\">")?;
        write_by_offset(column, layout.bytes, &name, out)?;
        out.write_str("</td></tr>\n")?;
    }
    out.write_str("</table>\n")
}

/// Returns the blocks of a column side by side, as wide as they have rows. `name` is text of the page.
fn write_by_rows(column: &ColumnLayout, rows: u64, name: &str, out: &mut String) -> fmt::Result {
    let density = |blocks: &Blocks| blocks.stored as f64 / blocks.rows.max(1) as f64;
    let most = column.blocks.iter().map(density).fold(f64::MIN_POSITIVE, f64::max);
    let last = column.blocks.last().map_or(0, |last| last.first_row.saturating_add(last.rows));
    let unit = UNITS / last.max(rows).max(1) as f64;
    let class = if column.blocks.len() <= EDGED { "edged" } else { "crisp" };
    write_start(class, &format!("blocks of {name} by rows"), out)?;
    for blocks in &column.blocks {
        let (x, width) = (blocks.first_row as f64 * unit, blocks.rows as f64 * unit);
        let opacity = 0.25 + 0.75 * density(blocks) / most;
        write_rect(blocks, (x, width, opacity), out)?;
    }
    out.write_str("</svg>")
}

/// Returns the blocks of a column where they are in the file; the shades of a few alternate.
fn write_by_offset(column: &ColumnLayout, bytes: u64, name: &str, out: &mut String) -> fmt::Result {
    let unit = UNITS / bytes.max(1) as f64;
    write_start("plain", &format!("blocks of {name} by offset"), out)?;
    for (number, blocks) in column.blocks.iter().enumerate() {
        let width = blocks.end_offset.saturating_sub(blocks.offset) as f64 * unit;
        let width = width.max(LEAST);
        let x = (blocks.offset as f64 * unit).min(UNITS - width);
        let is_dim = column.blocks.len() <= EDGED && !number.is_multiple_of(2);
        let opacity = if is_dim { 0.6 } else { 1.0 };
        write_rect(blocks, (x, width, opacity), out)?;
    }
    out.write_str("</svg>")
}

fn write_start(class: &str, label: &str, out: &mut String) -> fmt::Result {
    write!(
        out,
        "<svg class=\"{class}\" viewBox=\"0 0 {UNITS} 100\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{label}\">"
    )
}

fn write_rect(
    blocks: &Blocks,
    (x, width, opacity): (f64, f64, f64),
    out: &mut String,
) -> fmt::Result {
    let numbers = match blocks.end - blocks.first {
        1 => format!("block {}", blocks.first),
        _ => format!("blocks {} to {}", blocks.first, blocks.end - 1),
    };
    let Blocks { first_row, rows, offset, stored, uncompressed, .. } = blocks;
    let end = first_row.saturating_add(*rows);
    write!(
        out,
        "<rect x=\"{x:.1}\" width=\"{width:.1}\" height=\"100\" fill-opacity=\"{opacity:.2}\">\
         <title>{numbers}: rows {first_row} to {end}, offset {offset}, {uncompressed} bytes as {stored}</title></rect>"
    )
}
