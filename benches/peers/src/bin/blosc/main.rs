//! Races trevni's containers of the Blosc family against C: `cargo run --release --bin blosc`. The README says what
//! is raced and how to read it.
//!
//! ```text
//! trevni     in this process      chunks, Bloscpack, bcolz directories, frames
//! c-blosc    in this process      chunks; the same in files, as plain as they can be written
//! Python     in another, asked over a pipe for each lap, timing itself: bloscpack, bcolz, blosc2
//! ```

mod c;
mod course;
mod lanes;
mod ours;
mod python;
mod race;
mod report;

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use course::Course;
use race::{Outcome, Racer};

type Result<T, E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

/// Race trevni's containers of the Blosc family against C.
#[derive(Parser)]
pub struct Args {
    /// A tenth of the values, and 3 repetitions.
    #[arg(long)]
    quick: bool,
    /// Race only over these values: i64, f64.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "i64,f64")]
    values: Vec<String>,
    /// Race only these homes: chunk1, chunk2, bloscpack, bloscpack-adler32, bcolz, contiguous, sparse.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    homes: Vec<String>,
    /// Threads of each race.
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', default_value = "1,2")]
    threads: Vec<usize>,
    /// Laps of each measure, of which the median counts.
    #[arg(long, value_name = "N", default_value_t = 11)]
    repetitions: usize,
    /// Random elements of all laps together.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    elements: usize,
    /// A Python that has the peers of tests/blosc/requirements.txt; without it they do not run.
    #[arg(long, value_name = "PROGRAM")]
    python: Option<PathBuf>,
    /// Where files are written and read; a folder of memory keeps the disk out of it.
    #[arg(long, value_name = "DIR", default_value = "/dev/shm")]
    dir: PathBuf,
    /// Time by what is used of a processor, and not by the clock: for a machine with other work, Linux, one thread.
    #[arg(long)]
    cpu: bool,
    /// Print the results as JSON and nothing else.
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("blosc: {e}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<()> {
    if args.cpu {
        if args.threads != [1] {
            return Err("--cpu knows of one thread only: --threads 1".into());
        }
        race::time_by_processor()?;
    }
    let folder = tempfile::Builder::new().prefix("blosc-race-").tempdir_in(&args.dir)?;
    let mut outcomes = Vec::new();
    for name in &args.values {
        progress(format!("making {name}"));
        let course = Course::new(name, args, folder.path())?;
        for threads in &args.threads {
            outcomes.extend(race_over(args, &course, *threads)?);
        }
    }
    progress(String::new());
    match args.json {
        true => println!("{}", report::json(&outcomes)?),
        false => print!("{}", report::tables(&outcomes)),
    }
    Ok(())
}

fn race_over(args: &Args, course: &Course, threads: usize) -> Result<Vec<Outcome>> {
    let mut racers: Vec<Box<dyn Racer>> = Vec::new();
    racers.extend(ours::racers(course, threads));
    racers.extend(c::racers(course, threads));
    if let Some(program) = &args.python {
        racers.extend(python::racers(program, course, threads, args.cpu)?);
    }
    racers.retain(|racer| args.homes.is_empty() || args.homes.iter().any(|h| h == racer.home()));
    let repetitions = if args.quick { 3 } else { args.repetitions };
    race::race(course, threads, racers, repetitions, &progress)
}

/// One line on a terminal, written over by the next; an empty one clears it.
fn progress(line: String) {
    if std::io::stderr().is_terminal() {
        eprint!("\r\x1b[K{line}");
    }
}
