//! The command `trevni`: shows, verifies, prints and converts Trevni files.
//!
//! ```text
//! main ──► one file per command: Args and run
//!            data ──► output (stdout)         errors, progress ──► stderr
//! ```
//! Exit codes: 0 success, 1 bad data or a system error, 2 a usage error. The library provides the command as a
//! function, for programs that install it in another way than Cargo.
//!
//! The modules, from the lowest layer to the highest:
//!
//! ```text layers
//! cores help signals stdout
//! exit
//! args panics
//! input
//! output
//! commands
//! ```

mod args;
mod commands;
mod cores;
mod exit;
mod help;
mod input;
mod output;
mod panics;
mod signals;
mod stdout;

use std::process::ExitCode;

use clap::{FromArgMatches, Parser, Subcommand};

#[cfg(feature = "blosc")]
use commands::blosc;
#[cfg(feature = "sql")]
use commands::sql;
#[cfg(feature = "view")]
use commands::view;
use commands::{
    bench, cat, completions, concat, convert, count, describe, diff, layout, meta, random, rewrite,
    sample, schema, size, tail, tojson, totrevni, vacuum, verify,
};
use exit::CliError;

/// Trevni column files: look inside, verify, print, convert.
#[derive(Debug, Parser)]
#[command(name = "trevni", version, max_term_width = 100)]
struct Cli {
    #[command(flatten)]
    memory: args::memory::MemoryArgs,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
#[allow(clippy::large_enum_variant, reason = "there is one of it")]
enum Command {
    Bench(bench::Args),
    Cat(cat::Args),
    /// Print the first rows, ten unless `-n` says otherwise.
    Head(cat::Args),
    Tail(tail::Args),
    Sample(sample::Args),
    Describe(describe::Args),
    Schema(schema::Args),
    Count(count::Args),
    #[command(alias = "trevni_meta")]
    Meta(meta::Args),
    Layout(layout::Args),
    Size(size::Args),
    Verify(verify::Args),
    Vacuum(vacuum::Args),
    #[cfg(feature = "view")]
    View(view::Args),
    #[command(alias = "trevni_tojson")]
    Tojson(tojson::Args),
    Convert(convert::Args),
    Diff(diff::Args),
    #[cfg(feature = "sql")]
    Sql(sql::Args),
    #[cfg(feature = "sql")]
    Explain(sql::ExplainArgs),
    Random(random::Args),
    Concat(concat::Args),
    Rewrite(rewrite::Args),
    Totrevni(totrevni::Args),
    Completions(completions::Args),
    Man(completions::ManArgs),
    #[cfg(feature = "blosc")]
    Blosc(blosc::Args),
    #[command(name = "trevni_random")]
    TrevniRandom(totrevni::RandomArgs),
}

impl Command {
    fn run(self) -> Result<(), CliError> {
        match self {
            Command::Bench(args) => bench::run(args),
            Command::Cat(args) => cat::run(args),
            Command::Head(args) => cat::head(args),
            Command::Tail(args) => tail::run(args),
            Command::Sample(args) => sample::run(args),
            Command::Describe(args) => describe::run(args),
            Command::Schema(args) => schema::run(&args),
            Command::Count(args) => count::run(args),
            Command::Meta(args) => meta::run(&args),
            Command::Layout(args) => layout::run(&args),
            Command::Size(args) => size::run(&args),
            Command::Vacuum(args) => vacuum::run(&args),
            #[cfg(feature = "view")]
            Command::View(args) => view::run(args),
            Command::Verify(args) => verify::run(&args),
            Command::Tojson(args) => tojson::run(&args),
            Command::Convert(args) => convert::run(args),
            Command::Diff(args) => diff::run(&args),
            #[cfg(feature = "sql")]
            Command::Sql(args) => sql::run(args),
            #[cfg(feature = "sql")]
            Command::Explain(args) => sql::explain(&args),
            Command::Random(args) => random::run(&args),
            Command::Concat(args) => concat::run(&args),
            Command::Rewrite(args) => rewrite::run(&args),
            Command::Totrevni(args) => totrevni::run(&args),
            Command::Completions(args) => completions::run(&args),
            Command::Man(args) => completions::man(&args),
            #[cfg(feature = "blosc")]
            Command::Blosc(args) => blosc::run(&args),
            Command::TrevniRandom(args) => totrevni::random(&args),
        }
    }
}

/// Runs the command with the arguments of the process.
pub fn main() -> ExitCode {
    panics::install();
    if let Err(e) = signals::install() {
        return CliError::from(e).report();
    }
    let done = panics::caught(|| {
        let matches = help::command().get_matches_from(totrevni::words());
        match Cli::from_arg_matches(&matches) {
            Ok(cli) => {
                cli.memory.apply();
                cli.command.run()
            }
            Err(e) => e.exit(),
        }
    });
    signals::finish();
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => fault.report(),
    }
}
