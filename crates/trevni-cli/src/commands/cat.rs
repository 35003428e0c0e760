//! `trevni cat` and `trevni head`: print rows.

use std::path::PathBuf;

use crate::args::rename::RenameArgs;
use crate::exit::CliError;
use crate::input::limit::LimitArgs;
use crate::input::rows::ReadArgs;
use crate::output::print::PrintArgs;

/// Print rows, of any format that `convert` reads.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Files of rows, or URLs (s3://bucket/key, https://host/path); `-` is standard input. A folder, a pattern such as
    /// 'data/*.parquet', or several of these are one table; a URL that ends in `/` is a data set.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    print: PrintArgs,
    #[command(flatten)]
    rename: RenameArgs,
    #[command(flatten)]
    limit: LimitArgs,
    #[command(flatten)]
    read: ReadArgs,
}

const HEAD: u64 = 10;

/// Returns all rows, unless they are limited.
pub(crate) fn run(mut args: Args) -> Result<(), CliError> {
    args.limit.apply(&mut args.read);
    let opened = args.read.open_some(&args.files)?.renamed(&args.rename)?;
    args.print.print(opened, &args.read.csv)
}

/// Prints the first ten rows, unless another number is given.
pub(crate) fn head(mut args: Args) -> Result<(), CliError> {
    args.limit.limit.get_or_insert(HEAD);
    run(args)
}
