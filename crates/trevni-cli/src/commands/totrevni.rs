//! `totrevni` and `trevni_random`, with the arguments and defaults of the reference's tools.
//!
//! ```text
//! totrevni [-codec C] in.avro out.trv           convert --to trv --layout avro --checksum null --codec C
//! trevni_random schema.avsc count out.trv       random --to trv --layout avro --checksum null --codec none
//! trevni_meta, trevni_tojson [-pretty] file     meta, tojson
//! ```
//! Their long options have one dash, or two.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::Parser;

use crate::exit::CliError;
use crate::{Cli, Command};

/// Make a Trevni file of an Avro file, as the reference's tool of this name: codec null and no checksum.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// An Avro file; `-` is standard input.
    input: PathBuf,
    /// The Trevni file; `-` is standard output.
    output: PathBuf,
    /// The codec of the Trevni file.
    #[arg(long, default_value = "null")]
    codec: String,
    /// Replace the output if it exists.
    #[arg(long, short)]
    force: bool,
}

/// Make a Trevni file of random rows, as the reference's tool of this name: no codec and no checksum.
#[derive(Debug, clap::Args)]
pub(crate) struct RandomArgs {
    /// An Avro schema.
    schema: PathBuf,
    /// How many rows.
    count: u64,
    /// The Trevni file; `-` is standard output.
    output: PathBuf,
    /// The seed of the random rows.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Replace the output if it exists.
    #[arg(long, short)]
    force: bool,
}

const AS_THE_REFERENCE: [&str; 6] = ["--to", "trv", "--layout", "avro", "--checksum", "null"];

pub(crate) fn run(args: &Args) -> Result<(), CliError> {
    let words = ["convert", "--from", "avro", "--codec", &args.codec];
    call(&words, args.force, &[args.input.as_os_str(), args.output.as_os_str()])
}

pub(crate) fn random(args: &RandomArgs) -> Result<(), CliError> {
    let (count, seed) = (args.count.to_string(), args.seed.to_string());
    let places = [args.schema.as_os_str(), OsStr::new(&count), args.output.as_os_str()];
    call(&["random", "--codec", "none", "--seed", &seed], args.force, &places)
}

fn call(words: &[&str], force: bool, places: &[&OsStr]) -> Result<(), CliError> {
    let words = ["trevni"].iter().chain(words).chain(&AS_THE_REFERENCE).map(OsStr::new);
    let force = force.then_some(OsStr::new("--force"));
    let words = words.chain(force).chain([OsStr::new("--")]).chain(places.iter().copied());
    let cli = Cli::try_parse_from(words).map_err(|e| CliError::Usage(e.to_string()))?;
    match cli.command {
        Command::Convert(args) => super::convert::run(args),
        Command::Random(args) => super::random::run(&args),
        _ => Ok(()),
    }
}

/// Returns the words of the call; those that the reference's tools take with one dash have two.
pub(crate) fn words() -> impl Iterator<Item = OsString> {
    std::env::args_os().map(|word| match word.to_str() {
        Some("-codec") => "--codec".into(),
        Some("-pretty") => "--pretty".into(),
        _ => word,
    })
}
