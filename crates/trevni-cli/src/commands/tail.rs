//! `trevni tail`: prints the last rows.
//!
//! ```text
//! trv, parquet, arrow, without a condition     count the rows, then read only the last ones
//! others                                       read all rows, and keep the last ones
//! ```

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use arrow::array::{RecordBatch, RecordBatchIterator};

use crate::args::rename::RenameArgs;
use crate::exit::CliError;
use crate::input::rows::{Opened, ReadArgs, batch_fault};
use crate::output::print::PrintArgs;

/// Print the last rows, ten unless `-n` says otherwise.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Files of rows, folders, patterns such as 'data/*.csv', or URLs; `-` is standard input. Several are one table.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    print: PrintArgs,
    #[command(flatten)]
    rename: RenameArgs,
    /// How many rows.
    #[arg(short = 'n', long = "limit", value_name = "N", default_value_t = 10)]
    limit: u64,
    #[command(flatten)]
    read: ReadArgs,
}

/// Formats that know how many rows there are, and skip rows without reading them.
const COUNTED: [&str; 3] = ["trv", "parquet", "arrow"];
/// Rows of a batch without columns, where rows are counted.
const BATCH: usize = 1 << 20;

pub(crate) fn run(mut args: Args) -> Result<(), CliError> {
    let opened = match counted(&args.read, &args.files)? {
        Some(rows) => {
            args.read.rows = Some(rows.saturating_sub(args.limit)..rows);
            args.read.open_all(&args.files)?
        }
        None => args.read.read_all(&args.files, |opened| last(opened, args.limit))?,
    };
    args.print.print(opened.renamed(&args.rename)?, &args.read.csv)
}

/// Returns the number of rows, where it is cheap to know.
fn counted(read: &ReadArgs, files: &[PathBuf]) -> Result<Option<u64>, CliError> {
    let [file] = files else { return Ok(None) };
    if read.rows.is_some() || read.predicate.is_some() || !Path::new(file).is_file() {
        return Ok(None);
    }
    let (name, source, format) = read.find(file)?;
    if !COUNTED.contains(&format.name) {
        return Ok(None);
    }
    let read = read.without_columns(BATCH);
    let opened = read.open_as(file, name, source, format)?;
    let mut rows = 0;
    for batch in opened.rows {
        rows += batch.map_err(|e| batch_fault(&opened.name, e))?.num_rows() as u64;
    }
    Ok(Some(rows))
}

/// Reads all rows, and keeps the last.
fn last(opened: Opened, limit: u64) -> Result<Opened, CliError> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let schema = opened.rows.schema();
    let (mut kept, mut rows) = (VecDeque::<RecordBatch>::new(), 0usize);
    for batch in opened.rows {
        let batch = batch.map_err(|e| batch_fault(&opened.name, e))?;
        rows += batch.num_rows();
        kept.push_back(batch);
        while let Some(first) = kept.front().map(RecordBatch::num_rows)
            && rows - first >= limit
        {
            kept.pop_front();
            rows -= first;
        }
    }
    if let Some(first) = kept.front_mut() {
        let extra = rows.saturating_sub(limit);
        *first = first.slice(extra, first.num_rows() - extra);
    }
    let rows = Box::new(RecordBatchIterator::new(kept.into_iter().map(Ok), schema));
    Ok(Opened { rows, ..opened })
}
