//! `trevni bench`: compares Trevni with Parquet on the user's file.
//!
//! ```text
//! input ──► table ──► columns that all formats hold ──► filter ──► check ──► rounds ──► report
//!           Arrow batches in memory                                 every result is compared once
//! ```
//! The measurements are those of `benches/peers`: one process, one thread, files in memory, batches of 8192 rows,
//! the defaults of each library except for the compression.

mod check;
mod columns;
mod config;
mod configs;
mod filter;
mod machine;
#[cfg(feature = "parquet")]
mod pages;
#[cfg(feature = "parquet")]
mod parquet;
mod report;
mod rows;
mod table;
mod timing;
mod trv;
mod work;

use std::error::Error;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::args::write::size;
use crate::exit::{CliError, tell};
use crate::input::rows::{ReadArgs, tell_report};

/// An error of any of the libraries.
type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// How many scattered rows are read.
const SCATTERED: usize = 1000;

const EXAMPLES: &str = "\
Examples:
  trevni bench flights.csv
  trevni bench lineitem.parquet --column l_comment --where \"l_quantity < 2\" --rounds 9 --json";

/// Measure Trevni and Parquet on your own file.
///
/// Size, write, read, one column, scattered rows, a filter.
///
/// The rows are read into memory once. Then each format writes them to memory and reads them back, on one thread,
/// in batches of 8192 rows, with the defaults of its library but for the compression. Before anything is timed,
/// every result is compared with the rows that were written. Each round runs each measure in all formats, one after
/// the other; the median of the rounds counts.
#[derive(Debug, clap::Args)]
#[command(
    after_long_help = EXAMPLES,
    mut_arg("rows", |arg| arg
        .value_name("N")
        .value_parser(first_rows)
        .help("Use only the first N rows. Default: as many as fit --memory")),
    // It changes nothing here: all formats are measured with batches of one size.
    mut_arg("batch_size", |arg| arg.hide(true)),
    mut_arg("predicate", |arg| arg
        .help("The filter to time, such as \"price > 10\". Default: a comparison that keeps about 1 % of the rows")),
)]
pub(crate) struct Args {
    /// A file of any format that `convert` reads, such as Parquet, Arrow, CSV or JSON; `-` is standard input.
    file: PathBuf,
    /// Print JSON instead of a table.
    #[arg(long)]
    json: bool,
    /// How many times everything is measured.
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    /// The column that is read alone. Default: the first.
    #[arg(long, value_name = "NAME")]
    column: Option<String>,
    /// Stop reading the input at this many bytes of Arrow data; k, M and G are understood.
    #[arg(long, default_value = "1G", value_name = "BYTES", value_parser = size)]
    memory: usize,
    /// Another number scatters the rows otherwise.
    #[arg(long, default_value_t = 0, value_name = "N")]
    seed: u64,
    #[command(flatten)]
    read: ReadArgs,
}

fn first_rows(text: &str) -> std::result::Result<Range<u64>, String> {
    match text.parse() {
        Ok(0) => Err("at least 1".to_owned()),
        Ok(rows) => Ok(0..rows),
        Err(e) => Err(format!("{e}")),
    }
}

pub(crate) fn run(mut args: Args) -> std::result::Result<(), CliError> {
    if cfg!(debug_assertions) {
        tell("warning: this binary was built without optimization; its times are not meaningful");
    }
    // The filter is measured; it does not select the input.
    let predicate = args.read.predicate.take();
    let opened = args.read.open(&args.file)?;
    let name = opened.name.clone();
    let of_file = |e: Box<dyn Error + Send + Sync>| CliError::Data(format!("{name}: {e}"));

    let bar = progress();
    let asked = args.read.rows.as_ref().map(|rows| rows.end);
    let table = table::load(opened.rows, &name, asked, args.memory, &bar)?;
    tell_report(&opened.report);
    let (configs, missing) = configs::all();
    bar.set_message("finding out which columns all formats hold");
    let (table, left_out) = columns::common(table, &configs).map_err(of_file)?;
    if table.schema.fields().is_empty() {
        let why = left_out.first().map_or("", |column| column.reason.as_str());
        return Err(CliError::Data(format!("{name}: no column that all formats hold: {why}")));
    }
    let column = chosen_column(args.column.as_deref(), &table)?;
    bar.set_message("choosing a filter");
    let filter = match predicate {
        Some(predicate) => {
            let checked = predicate.check(&table.schema);
            checked.map_err(|e| CliError::Usage(format!("{name}: {e}")))?;
            Some(filter::Filter::given(predicate))
        }
        None => filter::choose(&table, args.seed).map_err(of_file)?,
    };
    let work = work::Work {
        table: &table,
        column,
        rows: rows::random_rows(table.rows, SCATTERED, args.seed),
        filter,
    };
    let outcomes = timing::run(&work, configs, args.rounds, &bar).map_err(of_file)?;
    bar.finish_and_clear();
    let report = report::Report {
        file: &name,
        work: &work,
        rounds: args.rounds,
        left_out: &left_out,
        missing: &missing,
        outcomes: &outcomes,
    };
    if args.json { report.json() } else { report.text() }
}

/// Returns the index of the column that is read alone.
fn chosen_column(name: Option<&str>, table: &table::Table) -> std::result::Result<usize, CliError> {
    let Some(name) = name else { return Ok(0) };
    let names = || table.schema.fields().iter().map(|field| field.name().as_str());
    names().position(|field| field == name).ok_or_else(|| {
        let all: Vec<_> = names().collect();
        CliError::Usage(format!("no column {name:?}: there are {}", all.join(", ")))
    })
}

/// Shows the current step on stderr if that is a terminal.
fn progress() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
