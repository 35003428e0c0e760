//! Tables from files that people have: Parquet, Arrow, CSV, JSON lines and all else that `trevni convert` reads.

use std::path::Path;

use arrow::compute::BatchCoalescer;
use trevni_convert::{Encoding, Format, ReadOptions, Source};

use super::{BATCH, Table};
use crate::Result;

/// Reads all rows of a file; compressed text is decompressed. Text that is not UTF-8 is read as Windows-1252.
pub fn load(path: &Path) -> Result<Table> {
    let found = read(path, &ReadOptions::default());
    found.or_else(|e| {
        let encoding: Encoding = "windows-1252".parse()?;
        let options = ReadOptions { encoding: Some(encoding), ..ReadOptions::default() };
        read(path, &options).map_err(|_| e)
    })
}

fn read(path: &Path, options: &ReadOptions) -> Result<Table> {
    let in_file = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
    let mut source = Source::open(path).map_err(|e| in_file(&e))?.decompressed()?;
    let name = Source::decompressed_path(path).unwrap_or_else(|| path.to_owned());
    let format = match Format::of_path(&name) {
        Some(format) => format,
        None => Format::of_source(&mut source)?.ok_or_else(|| in_file(&"an unknown format"))?,
    };
    let rows = (format.open)(source, options).map_err(|e| in_file(&e))?;
    let schema = rows.schema();
    let mut coalescer = BatchCoalescer::new(schema.clone(), BATCH);
    for batch in rows {
        coalescer.push_batch(batch.map_err(|e| in_file(&e))?)?;
    }
    coalescer.finish_buffered_batch()?;
    let batches: Vec<_> = std::iter::from_fn(|| coalescer.next_completed_batch()).collect();
    let rows = batches.iter().map(|batch| batch.num_rows()).sum();
    if rows == 0 {
        return Err(in_file(&"no rows").into());
    }
    Ok(Table { schema, batches, rows })
}

/// Returns the name of a table of a file: the start of the file's name.
pub fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.split('.').next().unwrap_or_default().chars().take(40).collect()
}
