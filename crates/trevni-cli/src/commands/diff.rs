//! `trevni diff`: compares the rows of two files.

use std::io::Write;
use std::path::PathBuf;

use trevni_convert::Comparison;

use crate::exit::CliError;
use crate::input::rows::{ReadArgs, tell_report};
use crate::output::table::plain;
use crate::stdout;

/// Compare two files of rows, of any formats: their schemas, then row by row.
///
/// Values are compared, not their encoding: int32 and int64 as numbers, dictionaries by their values, lists item by
/// item. Floating-point numbers are equal if their bits are. Exit code 1 says that the files differ.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A file of rows, a folder, or a pattern such as 'data/*.csv'; `-` is standard input.
    a: PathBuf,
    /// Another one.
    b: PathBuf,
    /// Stop after this many different rows.
    #[arg(short = 'n', long = "limit", value_name = "N", default_value_t = 10)]
    limit: usize,
    #[command(flatten)]
    read: ReadArgs,
}

pub(crate) fn run(args: &Args) -> Result<(), CliError> {
    let open = |path: &PathBuf| args.read.open_all(std::slice::from_ref(path));
    let (a, b) = (open(&args.a)?, open(&args.b)?);
    let columns = a.rows.schema().fields().len();
    let names = [a.name, b.name];
    let reports = [a.report, b.report];
    let found = Comparison::new(a.rows, b.rows, args.limit.max(1));
    let found = found.map_err(CliError::of(names.join(" | ")))?;
    reports.iter().for_each(|report| tell_report(report));
    let mut out = stdout::stdout();
    for line in found.schema.iter().cloned().chain(found.rows.iter().map(ToString::to_string)) {
        writeln!(out, "{}", plain(&line, usize::MAX))?;
    }
    let [in_a, in_b] = found.counts;
    if in_a != in_b {
        writeln!(out, "rows: {in_a} | {in_b}")?;
    }
    if found.is_equal() {
        writeln!(out, "equal: {in_a} rows, {columns} columns")?;
        return Ok(out.flush()?);
    }
    out.flush()?;
    Err(CliError::Reported)
}
