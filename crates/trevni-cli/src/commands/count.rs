//! `trevni count`: counts rows.

use std::io::Write;
use std::path::{Path, PathBuf};

use trevni::FileReader;

use crate::exit::{CliError, tell};
use crate::input::first_rows::OpenedReport;
use crate::input::pattern::expand;
use crate::input::remote;
use crate::input::rows::{Opened, ReadArgs, batch_fault, tell_report};
use crate::stdout;

/// Print the number of rows, of any format that `convert` reads; of several files each, and the sum.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Files of rows, folders, patterns such as 'data/*.csv', or URLs; `-` is standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    read: ReadArgs,
}

pub(crate) fn run(mut args: Args) -> Result<(), CliError> {
    // Rows are counted without reading columns, except those of a condition, and those whose values may be refused.
    if !args.read.may_refuse_values() {
        args.read.columns.get_or_insert_default();
    }
    let mut out = stdout::stdout();
    let (mut sum, mut good) = (0u64, true);
    for path in &args.files {
        let rows = match count(path, &args.read) {
            Ok(rows) => rows,
            // The others are counted all the same.
            Err(CliError::Data(text)) if args.files.len() > 1 => {
                out.flush()?;
                tell(&format!("error: {text}"));
                good = false;
                continue;
            }
            Err(other) => return Err(other),
        };
        sum = sum.saturating_add(rows);
        if args.files.len() > 1 {
            writeln!(out, "{rows}\t{}", path.display())?;
        }
    }
    if args.files.len() > 1 {
        writeln!(out, "{sum}\ttotal")?;
    } else {
        writeln!(out, "{sum}")?;
    }
    out.flush()?;
    if good { Ok(()) } else { Err(CliError::Reported) }
}

fn count(path: &Path, read: &ReadArgs) -> Result<u64, CliError> {
    read.read_again(&[path.to_owned()], |read, report| count_once(path, read, report))
}

/// Reads files once; `report` becomes theirs.
fn count_once(path: &Path, read: &ReadArgs, report: &mut OpenedReport) -> Result<u64, CliError> {
    let (files, single) = (expand(&[path.to_owned()], read.from.is_some())?, path);
    if !matches!(files.as_slice(), [file] if file.path == single) {
        return count_rows(read.open_all(&[path.to_owned()])?, report);
    }
    let (name, source, format) = read.find(path)?;
    let all = read.rows.is_none() && read.predicate.is_none();
    // Columns that are named must exist.
    let none = read.columns.as_ref().is_none_or(Vec::is_empty);
    if format.name == "trv" && all && none {
        if let Some(header) = remote::header(path)? {
            return Ok(header.rows);
        }
        let file = source.into_file().map_err(CliError::of(&name))?;
        return Ok(FileReader::try_new(file).map_err(CliError::of(&name))?.rows());
    }
    count_rows(read.open_as(path, name, source, format)?, report)
}

fn count_rows(opened: Opened, report: &mut OpenedReport) -> Result<u64, CliError> {
    *report = Some(opened.report.clone());
    let mut rows = 0u64;
    for batch in opened.rows {
        rows += batch.map_err(|e| batch_fault(&opened.name, e))?.num_rows() as u64;
    }
    tell_report(&opened.report);
    Ok(rows)
}
