//! `trevni size`: prints the size of each column.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::json;
use trevni::FileReader;
use trevni::io::ReadAt;

use crate::exit::CliError;
use crate::input::trevni_files::{TrevniFile, files_of};
use crate::input::{file, remote};
use crate::output::table::{Align, Table, plain, ratio};
use crate::stdout;

/// Print the bytes of each column in the file: block count, descriptors, blocks and checksums.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A Trevni file, a container of the Blosc family, a data set, a folder, or a pattern; `-` is standard input.
    file: PathBuf,
    /// As JSON.
    #[arg(long)]
    json: bool,
}

/// Bytes of one column, or of the header.
struct ColumnSize {
    name: String,
    stored: u64,
    before: u64,
    blocks: usize,
}

impl ColumnSize {
    fn add(&mut self, other: &ColumnSize) {
        self.stored = self.stored.saturating_add(other.stored);
        self.before = self.before.saturating_add(other.before);
        self.blocks = self.blocks.saturating_add(other.blocks);
    }
}

const BAR: usize = 30;

pub(crate) fn run(args: &Args) -> Result<(), CliError> {
    #[cfg(feature = "blosc")]
    if crate::input::path::is_container(&args.file) {
        return super::container::size(&args.file, args.json);
    }
    if let Some(files) = files_of(&args.file)? {
        return size_all(&files, args.json);
    }
    let Sizes { total, header, parts, .. } = sizes(&args.file)?;
    if args.json {
        let columns = columns_json(&parts, total);
        return stdout::print_json(
            &json!({"bytes": total, "header": header, "columns": columns}),
            false,
        );
    }
    print_table(&parts, header, total, &mut stdout::stdout())
}

/// The sizes of the parts of a file.
struct Sizes {
    rows: u64,
    total: u64,
    header: u64,
    parts: Vec<ColumnSize>,
}

fn sizes(path: &Path) -> Result<Sizes, CliError> {
    if let Some(file) = remote::tables(path)? {
        return sizes_of(path, &file);
    }
    sizes_of(path, &file::open(path)?)
}

fn sizes_of(path: &Path, file: &FileReader<impl ReadAt>) -> Result<Sizes, CliError> {
    let total = file.file_len();
    let parts = (0..file.columns().len()).map(|i| part(file, i)).collect::<Result<Vec<_>, _>>();
    let parts = parts.map_err(CliError::of(path.display()))?;
    let header = file.header().start(0).unwrap_or(total);
    Ok(Sizes { rows: file.rows(), total, header, parts })
}

/// Returns the columns of several files together, and each file.
fn size_all(files: &[TrevniFile], as_json: bool) -> Result<(), CliError> {
    let mut sum = Sizes { rows: 0, total: 0, header: 0, parts: Vec::new() };
    let mut each = Vec::new();
    for file in files {
        let found = sizes(&file.path)?;
        each.push((file.path.display().to_string(), found.rows, found.total));
        sum.rows = sum.rows.saturating_add(found.rows);
        sum.total = sum.total.saturating_add(found.total);
        sum.header = sum.header.saturating_add(found.header);
        for part in found.parts {
            match sum.parts.iter_mut().find(|known| known.name == part.name) {
                Some(known) => known.add(&part),
                None => sum.parts.push(part),
            }
        }
    }
    if as_json {
        let file = |(path, rows, bytes): &(String, u64, u64)| json!({"path": path, "rows": rows, "bytes": bytes});
        let all = json!({
            "bytes": sum.total,
            "header": sum.header,
            "rows": sum.rows,
            "columns": columns_json(&sum.parts, sum.total),
            "files": each.iter().map(file).collect::<Vec<_>>(),
        });
        return stdout::print_json(&all, false);
    }
    let mut out = stdout::stdout();
    print_table(&sum.parts, sum.header, sum.total, &mut out)?;
    let heads = [
        ("file", Align::Left),
        ("bytes", Align::Right),
        ("share", Align::Right),
        ("rows", Align::Right),
    ];
    let mut table = Table::new(&heads);
    for (path, rows, bytes) in each {
        let share = format!("{:.1}%", share(bytes, sum.total) * 100.0);
        table.push(vec![path, bytes.to_string(), share, rows.to_string()]);
    }
    writeln!(out)?;
    table.write("", &mut out)?;
    Ok(out.flush()?)
}

fn columns_json(parts: &[ColumnSize], total: u64) -> Vec<serde_json::Value> {
    let columns = parts.iter().map(|part| {
        json!({
            "name": part.name,
            "bytes": part.stored,
            "uncompressedSize": part.before,
            "blocks": part.blocks,
            "share": share(part.stored, total),
        })
    });
    columns.collect()
}

fn part(file: &FileReader<impl ReadAt>, column: usize) -> trevni::Result<ColumnSize> {
    let blocks = file.blocks(column)?;
    let checksum = file.header().checksum(column)?;
    let start = file.header().start(column).unwrap_or(0);
    let end = blocks.last().map_or(start + 4, |last| last.offset + last.stored_size(checksum));
    Ok(ColumnSize {
        name: file.column(column)?.name().to_owned(),
        stored: end.saturating_sub(start),
        before: blocks.iter().map(|block| u64::from(block.uncompressed_size)).sum(),
        blocks: blocks.len(),
    })
}

fn print_table(
    parts: &[ColumnSize],
    header: u64,
    total: u64,
    out: &mut impl Write,
) -> Result<(), CliError> {
    let mut table = Table::new(&[
        ("column", Align::Left),
        ("bytes", Align::Right),
        ("share", Align::Right),
        ("ratio", Align::Right),
        ("blocks", Align::Right),
        ("", Align::Left),
    ]);
    let mut push = |name: &str, bytes: u64, ratio: String, blocks: String| {
        let share = share(bytes, total);
        table.push(vec![
            name.to_owned(),
            bytes.to_string(),
            format!("{:.1}%", share * 100.0),
            ratio,
            blocks,
            bar(bytes, total),
        ]);
    };
    push("(header)", header, String::new(), String::new());
    for part in parts {
        push(
            &plain(&part.name, 60),
            part.stored,
            ratio(part.before, part.stored),
            part.blocks.to_string(),
        );
    }
    let sum = header + parts.iter().map(|part| part.stored).sum::<u64>();
    if sum < total {
        push("(unused)", total - sum, String::new(), String::new());
    }
    push("(file)", total, String::new(), String::new());
    table.write("", out)?;
    Ok(out.flush()?)
}

fn share(bytes: u64, total: u64) -> f64 {
    bytes as f64 / total.max(1) as f64
}

/// Returns a bar for a share of `BAR` blocks, at least one unless it is zero.
fn bar(bytes: u64, total: u64) -> String {
    let full = u128::from(bytes) * BAR as u128 / u128::from(total.max(1));
    let full = usize::try_from(full).unwrap_or(BAR).min(BAR);
    "█".repeat(if bytes > 0 { full.max(1) } else { full })
}
