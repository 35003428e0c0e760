//! `trevni count`: how many rows.

use std::io::Write;
use std::path::PathBuf;

use crate::fault::Fault;
use crate::{input, output};

/// Print the number of rows; of several files each, and the sum.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Trevni files, or URLs of such; `-` is standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<(), Fault> {
    let mut out = output::stdout();
    let mut sum = 0u64;
    for path in &args.files {
        let rows = input::header(path)?.rows;
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
    Ok(out.flush()?)
}
