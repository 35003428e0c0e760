//! `trevni layout`: lists the blocks of each column, with offsets and statistics.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};
use trevni::{BlockDescriptor, BlockStatistics, FileReader, Order, Value, ValueType};

use crate::exit::CliError;
use crate::input::file;
use crate::input::trevni_files::{TrevniFile, files_of};
use crate::output::json_rows::value_to_json;
use crate::output::table::{Align, Table, plain, ratio};
use crate::stdout;

/// Print the blocks of each column: rows, offset, sizes, first value, and statistics.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A Trevni file, a container of the Blosc family, a data set, a folder, or a pattern; `-` is standard input.
    file: PathBuf,
    /// As JSON.
    #[arg(long)]
    json: bool,
    /// How the values of each block are encoded, and whether its checksum is right: blocks are read for it.
    #[arg(long)]
    encodings: bool,
}

const HEADS: [(&str, Align); 7] = [
    ("block", Align::Right),
    ("rows", Align::Right),
    ("offset", Align::Right),
    ("before", Align::Right),
    ("after", Align::Right),
    ("ratio", Align::Right),
    ("first value", Align::Left),
];
/// Of columns with statistics.
const KNOWN: [(&str, Align); 3] =
    [("nulls", Align::Right), ("least", Align::Left), ("greatest", Align::Left)];
/// Of `--encodings`.
const ENCODING: [(&str, Align); 1] = [("encoding", Align::Left)];
const SHOWN: usize = 40;

pub(crate) fn run(args: &Args) -> Result<(), CliError> {
    #[cfg(feature = "blosc")]
    if crate::input::path::is_container(&args.file) {
        if args.encodings {
            let text =
                "--encodings is for Trevni files: chunks of Blosc have filters and a compressor";
            return Err(CliError::Usage(text.into()));
        }
        return super::container::layout(&args.file, args.json);
    }
    match files_of(&args.file)? {
        Some(files) => layout_all(&files, args),
        None if args.json => stdout::print_json(&json_of(&args.file, args.encodings)?.0, false),
        None => {
            let mut out = stdout::stdout();
            write_layout(&args.file, args.encodings, &mut out)?;
            Ok(out.flush()?)
        }
    }
}

/// Prints the layouts of several files, and their totals.
fn layout_all(files: &[TrevniFile], args: &Args) -> Result<(), CliError> {
    let (mut rows, mut bytes, mut all) = (0u64, 0u64, Vec::new());
    let mut out = stdout::stdout();
    for file in files {
        let (of_rows, of_bytes) = if args.json {
            let (mut json, sums) = json_of(&file.path, args.encodings)?;
            if let Some(object) = json.as_object_mut() {
                object.insert("path".into(), file.path.display().to_string().into());
            }
            all.push(json);
            sums
        } else {
            let sums = write_layout(&file.path, args.encodings, &mut out)?;
            writeln!(out)?;
            sums
        };
        (rows, bytes) = (rows.saturating_add(of_rows), bytes.saturating_add(of_bytes));
    }
    if args.json {
        let all = json!({"rows": rows, "bytes": bytes, "files": all});
        return stdout::print_json(&all, false);
    }
    writeln!(out, "{} files, {rows} rows, {bytes} bytes", files.len())?;
    Ok(out.flush()?)
}

fn of_file(path: &Path) -> impl Fn(CliError) -> CliError {
    move |e: CliError| match e {
        CliError::Data(text) => CliError::Data(format!("{}: {text}", path.display())),
        other => other,
    }
}

/// Returns the layout of a file, its rows and its bytes.
fn json_of(path: &Path, encodings: bool) -> Result<(Json, (u64, u64)), CliError> {
    let file = file::open(path)?;
    Ok((to_json(&file, encodings).map_err(of_file(path))?, (file.rows(), file.file_len())))
}

/// Writes the layout of a file. Returns its rows and its bytes.
fn write_layout(
    path: &Path,
    encodings: bool,
    mut out: &mut impl Write,
) -> Result<(u64, u64), CliError> {
    let file = file::open(path)?;
    writeln!(
        out,
        "{}: version {}, {} rows, {} columns, {} bytes",
        path.display(),
        file.header().version.number(),
        file.rows(),
        file.columns().len(),
        file.file_len()
    )?;
    for column in 0..file.columns().len() {
        write_column(&file, column, encodings, &mut out).map_err(of_file(path))?;
    }
    Ok((file.rows(), file.file_len()))
}

fn write_column(
    file: &FileReader<File>,
    column: usize,
    encodings: bool,
    out: &mut impl Write,
) -> Result<(), CliError> {
    let (meta, header) = (file.column(column)?, file.header());
    let (codec, checksum) = (header.codec(column)?, header.checksum(column)?);
    let blocks = file.blocks(column)?;
    write!(out, "\ncolumn {column} {}: {}", plain(meta.name(), 200), meta.value_type())?;
    if meta.is_array() {
        write!(out, " array")?;
    }
    if let Some(parent) = meta.parent() {
        write!(out, ", child of {}", plain(parent, 200))?;
    }
    writeln!(out, ", codec {}, checksum {}", codec.name(), checksum.name())?;
    let statistics = file.statistics(column)?;
    let known: &[_] = if statistics.is_some() { &KNOWN } else { &[] };
    let encoding: &[_] = if encodings { &ENCODING } else { &[] };
    let mut table = Table::new(&[&HEADS, known, encoding].concat());
    for (i, block) in blocks.iter().enumerate() {
        let (before, after) = (block.uncompressed_size, block.compressed_size);
        let mut cells = vec![
            i.to_string(),
            block.rows.to_string(),
            block.offset.to_string(),
            before.to_string(),
            after.to_string(),
            ratio(before.into(), after.into()),
            first_value(block, meta.value_type()),
        ];
        if let Some((block, order)) =
            statistics.as_ref().and_then(|s| Some((s.blocks.get(i)?, s.order)))
        {
            let [least, greatest] = bounds(block, meta.value_type(), order);
            cells.extend([block.nulls.to_string(), least, greatest]);
        }
        if encodings {
            cells.push(file.block_encoding(column, i)?.encoding);
        }
        table.push(cells);
    }
    Ok(table.write("  ", out)?)
}

/// Returns the bounds of a block, if they are known; inexact ones are marked.
fn bounds(block: &BlockStatistics, value_type: ValueType, order: Order) -> [String; 2] {
    let Some(bounds) = &block.bounds else { return [String::new(), String::new()] };
    let mark = if bounds.exact { "" } else { "~" };
    [&bounds.min, &bounds.max].map(|value| format!("{mark}{}", bound(value, value_type, order)))
}

fn bound(value: &Value<'_>, value_type: ValueType, order: Order) -> String {
    match (value, order) {
        (Value::Long(bits), Order::Unsigned) => bits.cast_unsigned().to_string(),
        (Value::Bytes(number), Order::Numbers) => number_text(number),
        (Value::Bytes(text), _) if value_type == ValueType::String => {
            plain(&String::from_utf8_lossy(text), SHOWN)
        }
        _ => plain(&value_to_json(value, value_type), SHOWN),
    }
}

/// Returns a number in two's complement, high byte first; in hexadecimal where it is wider than 128 bits.
fn number_text(number: &[u8]) -> String {
    let negative = number.first().is_some_and(|high| *high >= 0x80);
    match number.len() {
        0..=16 => {
            let start = if negative { -1 } else { 0 };
            number.iter().fold(start, |n: i128, byte| n << 8 | i128::from(*byte)).to_string()
        }
        _ => number.iter().map(|byte| format!("{byte:02x}")).collect(),
    }
}

fn first_value(block: &BlockDescriptor, value_type: ValueType) -> String {
    match &block.first_value {
        None => String::new(),
        Some(Value::Bytes(text)) if value_type == ValueType::String => {
            plain(&String::from_utf8_lossy(text), SHOWN)
        }
        Some(value) => plain(&value_to_json(value, value_type), SHOWN),
    }
}

fn to_json(file: &FileReader<File>, encodings: bool) -> Result<Json, CliError> {
    let header = file.header();
    let columns = file.columns().iter().enumerate().map(|(i, meta)| {
        let (blocks, statistics) = (file.blocks(i)?, file.statistics(i)?);
        let known =
            |at: usize| statistics.as_ref().and_then(|s| Some((s.blocks.get(at)?, s.order)));
        let blocks = blocks.iter().enumerate();
        let blocks = blocks.map(|(at, block)| {
            let mut json = block_json(block, meta.value_type(), known(at))?;
            if let (true, Some(object)) = (encodings, json.as_object_mut()) {
                let found = file.block_encoding(i, at)?;
                object.insert("encoding".into(), found.encoding.into());
                object.insert("verified".into(), found.is_verified.into());
            }
            Ok(json)
        });
        Ok(json!({
            "name": meta.name(),
            "type": meta.value_type().name(),
            "array": meta.is_array(),
            "parent": meta.parent(),
            "codec": header.codec(i)?.name(),
            "checksum": header.checksum(i)?.name(),
            "start": header.start(i),
            "blocks": blocks.collect::<Result<Vec<_>, CliError>>()?,
        }))
    });
    Ok(json!({
        "version": header.version.number(),
        "rows": file.rows(),
        "bytes": file.file_len(),
        "columns": columns.collect::<Result<Vec<_>, CliError>>()?,
    }))
}

fn block_json(
    block: &BlockDescriptor,
    value_type: ValueType,
    known: Option<(&BlockStatistics, Order)>,
) -> Result<Json, CliError> {
    let mut json = json!({
        "rows": block.rows,
        "firstRow": block.first_row,
        "offset": block.offset,
        "uncompressedSize": block.uncompressed_size,
        "compressedSize": block.compressed_size,
    });
    if let (Some(value), Some(object)) = (&block.first_value, json.as_object_mut()) {
        let value = serde_json::from_str(&value_to_json(value, value_type))?;
        object.insert("firstValue".into(), value);
    }
    if let (Some((known, order)), Some(object)) = (known, json.as_object_mut()) {
        object.insert("nulls".into(), known.nulls.into());
        if let Some(bounds) = &known.bounds {
            let text = |value| match order {
                Order::Natural => Ok(serde_json::from_str(&value_to_json(value, value_type))?),
                _ => Ok::<Json, CliError>(bound(value, value_type, order).into()),
            };
            object.insert("least".into(), text(&bounds.min)?);
            object.insert("greatest".into(), text(&bounds.max)?);
            object.insert("exact".into(), bounds.exact.into());
        }
    }
    Ok(json)
}
