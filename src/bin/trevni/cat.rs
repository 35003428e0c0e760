//! `trevni cat` and `trevni head`: rows as text.

use std::path::PathBuf;

use clap::ValueEnum;
use trevni::convert::{Format, WriteOptions};

use crate::csv_args::delimiter_for;
use crate::fault::Fault;
use crate::output;
use crate::rows::{ReadArgs, batch_fault, tell_report};

/// Print rows as JSON lines or CSV, of any format that `convert` reads.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Files of rows, or URLs (s3://bucket/key, https://host/path); `-` is standard input. A folder, a pattern such as
    /// 'data/*.parquet', or several of these are one table; a URL that ends in `/` is a data set.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// How rows are printed.
    #[arg(long, short, value_enum, default_value_t = Text::Json)]
    format: Text,
    /// At most so many rows.
    #[arg(short = 'n', long = "limit", value_name = "N")]
    limit: Option<u64>,
    #[command(flatten)]
    read: ReadArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Text {
    Json,
    Csv,
}

const HEAD: u64 = 10;

/// All rows, unless they are limited.
pub(crate) fn run(args: Args) -> Result<(), Fault> {
    print(args)
}

/// The first ten rows, unless another number is asked for.
pub(crate) fn head(mut args: Args) -> Result<(), Fault> {
    args.limit.get_or_insert(HEAD);
    print(args)
}

fn print(mut args: Args) -> Result<(), Fault> {
    if let Some(limit) = args.limit {
        args.read.limit_to(limit);
    }
    let opened = args.read.open_all(&args.files)?;
    let format = Format::named(match args.format {
        Text::Json => "jsonl",
        Text::Csv => "csv",
    })?;
    let options = WriteOptions {
        delimiter: delimiter_for(args.read.csv.delimiter, "".as_ref()),
        header: !args.read.csv.no_header,
        ..WriteOptions::default()
    };
    let mut out = output::stdout();
    let of_file = || Fault::of(opened.name.clone());
    let sink = (format.create)(&mut out, opened.rows.schema(), &options);
    let mut sink = sink.map_err(of_file())?;
    for batch in opened.rows {
        match batch {
            Ok(batch) => sink.write(&batch).map_err(of_file())?,
            // The rows before the fault are printed.
            Err(e) => {
                sink.finish()?;
                return Err(batch_fault(&opened.name, e));
            }
        }
    }
    sink.finish().map_err(of_file())?;
    tell_report(&opened.report);
    Ok(())
}
