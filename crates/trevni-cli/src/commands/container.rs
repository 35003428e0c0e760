//! `layout`, `size` and `verify` of containers of the Blosc family.
//!
//! ```text
//! container ──► arrays ──► chunks ──► header: sizes, codec, filters        verify decodes each chunk
//! ```

use std::io::Write;
use std::path::Path;

use serde_json::{Value as Json, json};
use trevni_blosc::chunk::{Content, Decoder, Header};
use trevni_blosc::{ChunkedArray, Chunking, Contents};

use crate::args::memory;
use crate::commands::blosc::info::{content, header};
use crate::exit::CliError;
use crate::input::path::bytes_at;
use crate::output::table::UNCHECKED;
use crate::output::table::{Align, Table, plain, ratio};
use crate::stdout;

fn open(path: &Path) -> Result<Contents, CliError> {
    trevni_blosc::open(path).map_err(CliError::of(path.display()))
}

/// Returns the headers of all chunks of an array.
fn headers(array: &ChunkedArray) -> trevni::Result<Vec<Header>> {
    let chunks = 0..array.layout().chunks;
    chunks.map(|number| Header::parse(&array.container().chunk(number)?)).collect()
}

const HEADS: [(&str, Align); 8] = [
    ("chunk", Align::Right),
    ("before", Align::Right),
    ("after", Align::Right),
    ("ratio", Align::Right),
    ("block", Align::Right),
    ("codec", Align::Left),
    ("filters", Align::Left),
    ("content", Align::Left),
];

/// Returns the chunks of each array.
pub(crate) fn layout(path: &Path, as_json: bool) -> Result<(), CliError> {
    let contents = open(path)?;
    let of_file = || CliError::of(path.display());
    let mut out = stdout::stdout();
    let mut all = Vec::new();
    if !as_json {
        let kind = contents.kind.name();
        writeln!(out, "{}: {kind}, {} bytes", path.display(), bytes_at(path)?)?;
    }
    for (name, array) in &contents.arrays {
        let headers = headers(array).map_err(of_file())?;
        let about = array.layout();
        if as_json {
            let chunks: Vec<_> = headers.iter().map(header).collect();
            all.push(json!({
                "name": name, "dtype": about.dtype.name(), "shape": about.shape, "chunks": chunks,
            }));
            continue;
        }
        let name = plain(name, 200);
        writeln!(out, "\n{name}: {}, shape {:?}", about.dtype.name(), about.shape)?;
        let mut table = Table::new(&HEADS);
        for (number, one) in headers.iter().enumerate() {
            let said = header(one);
            let text = |key: &str| said.get(key).map_or(String::new(), shown);
            table.push(vec![
                number.to_string(),
                one.nbytes.to_string(),
                one.cbytes.to_string(),
                ratio(one.nbytes.into(), one.cbytes.into()),
                one.block_size.to_string(),
                text("codec"),
                text("filters"),
                content(one.content),
            ]);
        }
        table.write("  ", &mut out)?;
    }
    if as_json {
        let said =
            json!({"container": contents.kind.name(), "bytes": bytes_at(path)?, "arrays": all});
        return stdout::print_json(&said, false);
    }
    Ok(out.flush()?)
}

fn shown(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Array(values) => values.iter().map(shown).collect::<Vec<_>>().join(" "),
        Json::Null => String::new(),
        other => other.to_string(),
    }
}

/// Returns the bytes of each array.
pub(crate) fn size(path: &Path, as_json: bool) -> Result<(), CliError> {
    let contents = open(path)?;
    let total = bytes_at(path)?;
    let mut table = Table::new(&[
        ("array", Align::Left),
        ("bytes", Align::Right),
        ("share", Align::Right),
        ("ratio", Align::Right),
        ("chunks", Align::Right),
    ]);
    let (mut all, mut sum) = (Vec::new(), 0u64);
    let mut push = |name: &str, bytes: u64, ratio: String, chunks: String| {
        let share = format!("{:.1}%", bytes as f64 / total.max(1) as f64 * 100.0);
        table.push(vec![name.to_owned(), bytes.to_string(), share, ratio, chunks]);
    };
    for (name, array) in &contents.arrays {
        let headers = headers(array).map_err(CliError::of(path.display()))?;
        let stored = headers.iter().map(|header| u64::from(header.cbytes)).sum::<u64>();
        let before = array.len().saturating_mul(array.row_bytes()? as u64);
        sum = sum.saturating_add(stored);
        push(&plain(name, 60), stored, ratio(before, stored), headers.len().to_string());
        all.push(json!({
            "name": name, "bytes": stored, "uncompressedSize": before, "chunks": headers.len(),
        }));
    }
    if as_json {
        return stdout::print_json(&json!({"bytes": total, "arrays": all}), false);
    }
    push("(around them)", total.saturating_sub(sum), String::new(), String::new());
    push("(all)", total, String::new(), String::new());
    let mut out = stdout::stdout();
    table.write("", &mut out)?;
    Ok(out.flush()?)
}

/// Bytes of a chunk that are opened at once, unless a block has more.
const AT_ONCE: usize = 16 << 20;

/// Verifies every chunk. Returns the number of rows if there are no faults, which are printed to `out`.
pub(crate) fn verify(path: &Path, out: &mut impl Write) -> Result<Option<u64>, CliError> {
    let name = path.display();
    let contents = match trevni_blosc::open(path) {
        Ok(contents) => contents,
        Err(e) => {
            crate::exit::tell(&format!("error: {name}: {e}"));
            return Ok(None);
        }
    };
    let (mut faults, mut chunks, mut rows, mut checked) = (0u64, 0u64, 0u64, 0u64);
    // What is not supported may be well-formed.
    let not_read = contents.unreadable.iter().filter(|(_, e)| is_unsupported(e)).count();
    for (_, e) in &contents.unreadable {
        faults += u64::from(!is_unsupported(e));
        writeln!(out, "{name}: {e}")?;
    }
    let arrays = contents.arrays.into_iter();
    let arrays = arrays.map(|(column, array)| (column, array.with_limits(memory::limits())));
    for (column, array) in arrays {
        rows = rows.max(array.len());
        chunks += array.layout().chunks;
        checked += if array.container().has_checksums() { array.layout().chunks } else { 0 };
        let mut decoder = Decoder::default().with_limit(array.limits().block_bytes);
        let mut bytes = Vec::new();
        for number in 0..array.layout().chunks {
            if let Err(e) = open_chunk(&array, number, &mut decoder, &mut bytes) {
                faults += 1;
                writeln!(out, "{name}: {column}, chunk {number}: {e}")?;
            }
        }
        if let Err(e) = array.container().verify() {
            faults += 1;
            writeln!(out, "{name}: {column}: {e}")?;
        }
    }
    let verdict = if faults == 0 { "ok" } else { "FAULTY" };
    write!(out, "{name}: {verdict}: {}, {rows} rows, {chunks} chunks", contents.kind.name())?;
    if checked > 0 {
        write!(out, ", {checked} verified by checksum")?;
    }
    if checked < chunks {
        write!(out, ", {} {UNCHECKED}", chunks - checked)?;
    }
    if not_read > 0 {
        write!(out, ", {not_read} columns not read")?;
    }
    match faults {
        0 => writeln!(out)?,
        n => writeln!(out, ", {n} faults")?,
    }
    Ok((faults == 0).then_some(rows))
}

fn is_unsupported(e: &trevni::Error) -> bool {
    matches!(e.kind(), trevni::ErrorKind::Unsupported(_))
}

/// Compares the size of blocks with the shape of blocks, by which other readers find them.
fn check_block(array: &ChunkedArray, header: &Header) -> trevni::Result<()> {
    let Chunking::Grid { block_shape, .. } = &array.layout().chunking else { return Ok(()) };
    let of_shape =
        block_shape.iter().product::<u64>().saturating_mul(array.layout().dtype.size as u64);
    let is_special = !matches!(header.content, Content::Blocks | Content::Stored);
    if is_special || u64::from(header.block_size) == of_shape.min(header.nbytes.into()) {
        return Ok(());
    }
    let text = format!(
        "blocks of {} bytes, but those of the shape {block_shape:?} have {of_shape}",
        header.block_size
    );
    Err(trevni::Error::malformed(text))
}

fn open_chunk(
    array: &ChunkedArray,
    number: u64,
    decoder: &mut Decoder,
    bytes: &mut Vec<u8>,
) -> trevni::Result<()> {
    let chunk = array.container().chunk(number)?;
    let header = Header::parse(&chunk)?;
    let size = |bytes: u32| usize::try_from(bytes).unwrap_or(usize::MAX);
    let (nbytes, block) = (size(header.nbytes), size(header.block_size).max(1));
    check_block(array, &header)?;
    // Of a block that is too large for memory, bytes of a run can be opened, and others are refused.
    let each = match block > array.limits().block_bytes {
        true => AT_ONCE,
        false => AT_ONCE.max(block) / block * block,
    };
    (0..nbytes).step_by(each).try_for_each(|start| {
        bytes.resize(each.min(nbytes - start), 0);
        decoder.decode_range(&chunk, start, bytes)
    })
}
