//! Compares trevni with its peers: `cargo run --release`. The README says what is measured and how to read it.

mod check;
mod cold;
mod filter;
mod floor;
mod formats;
mod less;
mod race;
mod remote;
mod report;
mod tables;

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use clap::builder::PossibleValuesParser;
use peers::random;

use formats::parquet::{Compression, v59::Parquet};
use formats::{CONFIGS, Config, Format};
use race::{Outcome, Rounds};
use tables::{RECIPES, Recipe, Table};

/// One for all that is measured.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Result<T, E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

/// Compare trevni with its peers: one thread, in memory.
#[derive(Parser)]
struct Args {
    /// A tenth of the rows, and 3 rounds.
    #[arg(long)]
    quick: bool,
    /// Only these generated tables.
    #[arg(long, value_name = "NAMES", value_delimiter = ',',
        value_parser = PossibleValuesParser::new(RECIPES.iter().map(|recipe| recipe.name)))]
    tables: Vec<String>,
    /// The rows of these files: Parquet, Arrow, CSV, JSON lines and others, compressed or not. Generated tables are
    /// those that are named, then.
    #[arg(long, value_name = "PATH", num_args = 1.., conflicts_with = "quick")]
    file: Vec<PathBuf>,
    /// Only these configurations.
    #[arg(long, value_name = "NAMES", value_delimiter = ',',
        value_parser = PossibleValuesParser::new(CONFIGS.iter().map(|config| config.name)))]
    configs: Vec<String>,
    /// Rounds over each table, at most.
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    /// The seconds after which a table gets no more rounds, if it had three.
    #[arg(long, value_name = "N", default_value_t = 20)]
    seconds: u64,
    /// Print the results as JSON.
    #[arg(long)]
    json: bool,
    /// Instead, read from a store that answers late, and count requests, round trips and bytes.
    #[arg(long)]
    remote: bool,
    /// Instead, read files from a disk, the page cache dropped.
    #[arg(long, value_name = "DIR", conflicts_with = "remote")]
    cold: Option<PathBuf>,
    /// Instead, read little of a large table, and count the bytes that are read.
    #[arg(long, conflicts_with_all = ["json", "remote", "cold"])]
    less: bool,
    /// Instead, write the tables as Parquet files for other programs.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["json", "remote", "less", "cold"])]
    export: Option<PathBuf>,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("peers: {e}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<()> {
    if args.remote {
        return remote::run(args.quick, args.json);
    }
    if args.less {
        return less::race(args.quick, args.rounds);
    }
    if let Some(folder) = &args.export {
        return export(args, folder);
    }
    let mut outcomes = Vec::new();
    let mut measure = |name: &str, table: &Table| -> Result<()> {
        match &args.cold {
            Some(folder) => outcomes.extend(cold::run(name, table, &args.configs(), folder)?),
            None => outcomes.extend(args.race(name, table)?),
        }
        Ok(())
    };
    for path in &args.file {
        progress(format!("reading {}", path.display()));
        measure(&tables::file::name(path), &tables::file::load(path)?)?;
    }
    let all = args.file.is_empty() && args.tables.is_empty();
    let named = |recipe: &&Recipe| all || args.tables.iter().any(|name| name == recipe.name);
    for recipe in RECIPES.iter().filter(named) {
        progress(format!("making {}", recipe.name));
        let rows = if args.quick { recipe.rows / 10 } else { recipe.rows };
        measure(recipe.name, &recipe.make(rows)?)?;
    }
    progress(String::new());
    match args.json {
        true => println!("{}", report::json(&outcomes)?),
        false => print!("{}", report::tables(&outcomes)),
    }
    Ok(())
}

/// Writes the tables as Parquet files.
fn export(args: &Args, folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    for recipe in RECIPES.iter().filter(|recipe| chosen(&args.tables, recipe.name)) {
        let table = recipe.make(recipe.rows)?;
        let bytes = Parquet::new(Compression::Snappy).write(&table.schema, &table.batches)?;
        std::fs::write(folder.join(recipe.name).with_extension("parquet"), bytes)?;
    }
    Ok(())
}

/// Returns whether a name was asked for; all are when none is named.
fn chosen(names: &[String], name: &str) -> bool {
    names.is_empty() || names.iter().any(|n| n == name)
}

impl Args {
    fn configs(&self) -> Vec<&'static Config> {
        let asked = |config: &&Config| {
            chosen(&self.configs, config.name) && !(config.apart && self.configs.is_empty())
        };
        CONFIGS.iter().filter(asked).collect()
    }

    fn race(&self, name: &str, table: &Table) -> Result<Vec<Outcome>> {
        let most = if self.quick { 3 } else { usize::from(self.rounds) };
        let within = Duration::from_secs(self.seconds);
        let rounds = Rounds { least: most.min(3), most, within };
        let outcomes = race::race(name, table, &self.configs(), rounds, &progress);
        Ok(outcomes.map_err(|e| format!("{name}: {e}"))?)
    }
}

/// One line on a terminal, written over by the next; an empty one clears it.
fn progress(line: String) {
    if std::io::stderr().is_terminal() {
        eprint!("\r\x1b[K{line}");
    }
}
