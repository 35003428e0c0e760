//! `trevni sql` and `trevni explain`: run SQL over files.
//!
//! ```text
//! FILE...              a table each, named after the file ──┐
//! FROM 'path/*.trv'    a table of these files ──────────────┴─► DataFusion ──► rows: printed, or written to --output
//! ```

mod checked_sum;
mod error;
mod prompt;
mod row_table;
mod session;
mod spilling_sort;
mod stores;
mod tables;

use std::io::{IsTerminal, Read};
use std::path::PathBuf;
use std::sync::Arc;

use trevni_convert::Format;

use self::session::{Query, SqlSession};
use crate::args::write::WriteArgs;
use crate::exit::{CliError, tell};
use crate::input::progress::InputSize;
use crate::input::rows::{Opened, ReadArgs};
use crate::output::dataset::DatasetArgs;
use crate::output::print::PrintArgs;
use crate::output::sink::{Dialect, Input, OutputArgs};

/// Run SQL over files of any format that `convert` reads.
///
/// Each FILE is a table that is named after it: quakes.csv is `quakes`. In the statement, a quoted path is a table too:
/// FROM 'data/*.trv'. Without a statement, a terminal gets a prompt, and other input is read as SQL.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Statements, separated by `;`. `-` reads them from standard input.
    statement: Option<String>,
    /// Files, folders, patterns or URLs, each a table; NAME=FILE gives it another name. `-` is standard input, as the
    /// table `stdin`.
    #[arg(value_name = "FILE")]
    files: Vec<String>,
    /// Write the rows to a file, or to a data set if the name ends in `/`.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Format of the output, by name. Otherwise its extension says.
    #[arg(long, value_parser = Format::named, requires = "output")]
    to: Option<&'static Format>,
    /// Replace the output if it exists.
    #[arg(long, requires = "output")]
    force: bool,
    #[command(flatten)]
    print: PrintArgs,
    #[command(flatten)]
    write: WriteArgs,
    #[command(flatten)]
    dataset: DatasetArgs,
    #[command(flatten)]
    read: ReadArgs,
}

/// Show how a query is run.
#[derive(Debug, clap::Args)]
pub(crate) struct ExplainArgs {
    /// A query.
    statement: String,
    /// Files, folders, patterns or URLs, each a table, as for `trevni sql`.
    #[arg(value_name = "FILE")]
    files: Vec<String>,
    /// Run the query, and show what each step has read and how long it took.
    #[arg(long)]
    analyze: bool,
    /// Show the logical plan, and all properties of the physical one.
    #[arg(long, conflicts_with = "analyze")]
    verbose: bool,
    #[command(flatten)]
    read: ReadArgs,
}

/// Runs statements, or the prompt.
pub(crate) fn run(args: Args) -> Result<(), CliError> {
    let Args { statement, files, output, to, force, print, write, dataset, read } = args;
    let output = output.map(|output| OutputArgs { output, to, force, write, dataset });
    let session = open(&read, &files)?;
    let print = |query| print_rows(&print, &read, query);
    let statements = match statement.as_deref() {
        Some("-") => read_stdin()?,
        Some(text) => text.to_owned(),
        None if std::io::stdin().is_terminal() && output.is_none() => {
            return prompt::run(&session, print);
        }
        None => read_stdin()?,
    };
    let plans = session.parse(&statements)?;
    let last = plans.len().saturating_sub(1);
    for (at, plan) in plans.into_iter().enumerate() {
        let query = session.query(plan)?;
        match &output {
            Some(output) if at == last => write_rows(output, &read, query)?,
            _ => print(query)?,
        }
    }
    Ok(())
}

/// Prints the plan of a query.
pub(crate) fn explain(args: &ExplainArgs) -> Result<(), CliError> {
    let session = open(&args.read, &args.files)?;
    let mode = match (args.analyze, args.verbose) {
        (true, _) => "ANALYZE ",
        (_, true) => "VERBOSE ",
        _ => "",
    };
    let mut plans = session.parse(&format!("EXPLAIN {mode}{}", args.statement))?;
    match (plans.pop(), plans.is_empty()) {
        (Some(plan), true) => session.print_plan(session.query(plan)?),
        _ => Err(CliError::Usage("explain takes one statement".into())),
    }
}

fn open(read: &ReadArgs, files: &[String]) -> Result<SqlSession, CliError> {
    read.refuse_selection("by the statement")?;
    let session = SqlSession::try_new(read)?;
    files.iter().try_for_each(|file| session.add_table(file))?;
    Ok(session)
}

fn read_stdin() -> Result<String, CliError> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    Ok(text)
}

/// Prints the rows of a query; nothing for a statement that has none.
fn print_rows(print: &PrintArgs, read: &ReadArgs, query: Query) -> Result<(), CliError> {
    let Some(rows) = query.rows else { return Ok(()) };
    let (taken, report) = (Arc::default(), Arc::default());
    let opened = Opened { name: query.name, format: None, rows, size: None, taken, report };
    print.print(opened, &read.csv)
}

/// Writes the rows of a query to a file.
fn write_rows(output: &OutputArgs, read: &ReadArgs, query: Query) -> Result<(), CliError> {
    let Some(rows) = query.rows else {
        return Err(CliError::Usage("--output needs a statement that has rows".into()));
    };
    let input = Input { name: query.name, rows, size: InputSize::default() };
    let written = output.make(Dialect::of(read), || Ok(input))?;
    tell(&format!("{} rows, {} bytes", written.rows, written.bytes));
    Ok(())
}
