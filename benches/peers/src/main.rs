//! Races trevni against its peers: `cargo run --release`. The README says what is raced and how to read it.

mod chart;
mod check;
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

use ::parquet::basic::Compression;
use clap::Parser;
use clap::builder::PossibleValuesParser;
use peers::random;

use formats::parquet::Parquet;
use formats::{CONFIGS, Config, Format};
use race::Outcome;
use tables::{RECIPES, Recipe, Table};

/// Repetitions over a file, unless the caller says how many.
const FILE_REPETITIONS: usize = 7;

type Result<T, E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

/// Race trevni against its peers: one thread, in memory.
#[derive(Parser)]
struct Args {
    /// A tenth of the rows, and 3 repetitions; writes files only with --out.
    #[arg(long)]
    quick: bool,
    /// Race only over these tables; writes files only with --out.
    #[arg(long, value_name = "NAMES", value_delimiter = ',',
        value_parser = PossibleValuesParser::new(RECIPES.iter().map(|recipe| recipe.name)))]
    tables: Vec<String>,
    /// Race over the rows of these files in place of the tables: Parquet, Arrow, CSV, JSON lines and others,
    /// compressed or not; writes files only with --out.
    #[arg(long, value_name = "PATH", num_args = 1.., conflicts_with_all = ["tables", "quick"])]
    file: Vec<PathBuf>,
    /// Race only these configurations; writes files only with --out.
    #[arg(long, value_name = "NAMES", value_delimiter = ',',
        value_parser = PossibleValuesParser::new(CONFIGS.iter().map(|config| config.name)))]
    configs: Vec<String>,
    /// Repetitions over each table, of which the median counts.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    repetitions: Option<u16>,
    /// Print the results as JSON and nothing else; writes no files.
    #[arg(long, conflicts_with = "out")]
    json: bool,
    /// Instead, read columns out of a store that takes 20 ms to answer, and count its requests.
    #[arg(long, conflicts_with_all = ["json", "out"])]
    remote: bool,
    /// Instead, read little of a large table, and count the bytes that are read.
    #[arg(long, conflicts_with_all = ["json", "out", "remote"])]
    less: bool,
    /// Instead, write the tables as Parquet files for other programs.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["json", "out", "remote", "less", "file"])]
    export: Option<PathBuf>,
    /// Where results.json and chart.svg are written; a full race writes them beside the sources.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
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
        return remote::race(args.quick);
    }
    if args.less {
        return less::race(args.quick, args.repetitions);
    }
    if let Some(folder) = &args.export {
        return export(args, folder);
    }
    let mut outcomes = Vec::new();
    for path in &args.file {
        progress(format!("reading {}", path.display()));
        let table = tables::file::load(path)?;
        outcomes.extend(args.race(&tables::file::name(path), &table, FILE_REPETITIONS)?);
    }
    let recipes = if args.file.is_empty() { &RECIPES[..] } else { &[] };
    for recipe in recipes.iter().filter(|recipe| chosen(&args.tables, recipe.name)) {
        outcomes.extend(race_over(args, recipe)?);
    }
    progress(String::new());
    let json = report::json(&outcomes)?;
    if args.json {
        println!("{json}");
        return Ok(());
    }
    print!("{}", report::tables(&outcomes));
    if let Some(dir) = args.folder() {
        std::fs::create_dir_all(&dir)?;
        std::fs::write(dir.join("results.json"), json + "\n")?;
        let draw = if args.file.is_empty() { chart::svg } else { chart::means };
        if let Some(svg) = draw(&outcomes) {
            std::fs::write(dir.join("chart.svg"), svg)?;
        }
    }
    Ok(())
}

/// Writes the tables as Parquet files.
fn export(args: &Args, folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    for recipe in RECIPES.iter().filter(|recipe| chosen(&args.tables, recipe.name)) {
        let table = recipe.make(recipe.rows)?;
        let bytes = Parquet(Compression::SNAPPY).write(&table.schema, &table.batches)?;
        std::fs::write(folder.join(recipe.name).with_extension("parquet"), bytes)?;
    }
    Ok(())
}

fn race_over(args: &Args, recipe: &Recipe) -> Result<Vec<Outcome>> {
    progress(format!("making {}", recipe.name));
    let (rows, repetitions) = match args.quick {
        true => (recipe.rows / 10, 3),
        false => (recipe.rows, recipe.repetitions),
    };
    args.race(recipe.name, &recipe.make(rows)?, repetitions)
}

/// Returns whether a name was asked for; all are when none is named.
fn chosen(names: &[String], name: &str) -> bool {
    names.is_empty() || names.iter().any(|n| n == name)
}

impl Args {
    fn race(&self, name: &str, table: &Table, repetitions: usize) -> Result<Vec<Outcome>> {
        let configs: Vec<&'static Config> =
            CONFIGS.iter().filter(|config| self.races(config)).collect();
        let repetitions = self.repetitions.map_or(repetitions, usize::from);
        let outcomes = race::race(name, table, &configs, repetitions, &progress);
        Ok(outcomes.map_err(|e| format!("{name}: {e}"))?)
    }

    fn races(&self, config: &Config) -> bool {
        chosen(&self.configs, config.name) && !(config.apart && self.configs.is_empty())
    }

    /// Returns where files go. A race that is not full does not write over the results of one that was.
    fn folder(&self) -> Option<PathBuf> {
        let all = self.tables.is_empty() && self.configs.is_empty() && self.file.is_empty();
        let full = !self.quick && all;
        self.out.clone().or_else(|| full.then(|| env!("CARGO_MANIFEST_DIR").into()))
    }
}

/// One line on a terminal, written over by the next; an empty one clears it.
fn progress(line: String) {
    if std::io::stderr().is_terminal() {
        eprint!("\r\x1b[K{line}");
    }
}
