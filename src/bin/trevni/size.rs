//! `trevni size`: which columns take the room.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

use serde_json::json;
use trevni::trevni::FileReader;

use crate::fault::Fault;
use crate::table::{Align, Table, plain, ratio};
use crate::{input, output};

/// Print the bytes of each column in the file: block count, descriptors, blocks and checksums.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A Trevni file, or a container of the Blosc family; `-` is standard input.
    file: PathBuf,
    /// As JSON.
    #[arg(long)]
    json: bool,
}

/// Bytes of one column, or of the header.
struct Part {
    name: String,
    stored: u64,
    before: u64,
    blocks: usize,
}

const BAR: usize = 30;

pub(crate) fn run(args: &Args) -> Result<(), Fault> {
    #[cfg(feature = "blosc")]
    if crate::container::is_container(&args.file) {
        return crate::container::size(&args.file, args.json);
    }
    let file = input::open(&args.file)?;
    let total = file.file_len();
    let parts = (0..file.columns().len()).map(|i| part(&file, i)).collect::<Result<Vec<_>, _>>();
    let parts = parts.map_err(Fault::of(args.file.display()))?;
    let header = file.header().start(0).unwrap_or(total);
    if args.json {
        let columns = parts.iter().map(|part| {
            json!({
                "name": part.name,
                "bytes": part.stored,
                "uncompressedSize": part.before,
                "blocks": part.blocks,
                "share": share(part.stored, total),
            })
        });
        let columns: Vec<_> = columns.collect();
        return output::print_json(
            &json!({"bytes": total, "header": header, "columns": columns}),
            false,
        );
    }
    print_table(&parts, header, total)
}

fn part(file: &FileReader<File>, column: usize) -> trevni::Result<Part> {
    let blocks = file.blocks(column)?;
    let checksum = file.header().checksum(column)?;
    let start = file.header().start(column).unwrap_or(0);
    let end = blocks.last().map_or(start + 4, |last| last.offset + last.stored_size(checksum));
    Ok(Part {
        name: file.column(column)?.name().to_owned(),
        stored: end.saturating_sub(start),
        before: blocks.iter().map(|block| u64::from(block.uncompressed_size)).sum(),
        blocks: blocks.len(),
    })
}

fn print_table(parts: &[Part], header: u64, total: u64) -> Result<(), Fault> {
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
        push("(nobody's)", total - sum, String::new(), String::new());
    }
    push("(file)", total, String::new(), String::new());
    let mut out = output::stdout();
    table.write("", &mut out)?;
    Ok(out.flush()?)
}

fn share(bytes: u64, total: u64) -> f64 {
    bytes as f64 / total.max(1) as f64
}

/// As many of `BAR` blocks as the share, at least one unless there is nothing.
fn bar(bytes: u64, total: u64) -> String {
    let full = u128::from(bytes) * BAR as u128 / u128::from(total.max(1));
    let full = usize::try_from(full).unwrap_or(BAR).min(BAR);
    "█".repeat(if bytes > 0 { full.max(1) } else { full })
}
