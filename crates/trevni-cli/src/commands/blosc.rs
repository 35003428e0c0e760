//! `trevni blosc`: Bloscpack files with the arguments of the command `blpk`, and information on all containers of
//! the family.
//!
//! ```text
//! compress    file ──► file.blp          append   file.blp, more bytes ──► file.blp
//! decompress  file.blp ──► file          info     the structure of a container
//! ```

mod append;
mod compress;
mod decompress;
pub(crate) mod info;

use std::path::{Path, PathBuf};

use clap::Subcommand;
use trevni_blosc::chunk::{Generation, Params};
use trevni_blosc::{Compressor, Filter};

use crate::cores::cores;
use crate::exit::CliError;

/// How Bloscpack files end.
const EXTENSION: &str = ".blp";

/// Compress, decompress and append to Bloscpack files; look into containers of the Blosc family.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    #[command(alias = "c")]
    Compress(compress::Args),
    #[command(alias = "d")]
    Decompress(decompress::Args),
    #[command(alias = "a")]
    Append(append::Args),
    #[command(alias = "i")]
    Info(info::Args),
}

/// How chunks are made.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Blosc")]
struct ChunkArgs {
    /// Bytes of an element, 1 to 255.
    #[arg(short, long, value_name = "SIZE", default_value_t = 8, value_parser = clap::value_parser!(u8).range(1..))]
    typesize: u8,
    /// 0, which stores, to 9.
    #[arg(short = 'l', long, value_name = "LEVEL", default_value_t = 7, value_parser = clap::value_parser!(u8).range(0..=9))]
    clevel: u8,
    /// Leave bytes where they are.
    #[arg(short = 's', long)]
    no_shuffle: bool,
    /// blosclz, lz4, lz4hc, zlib or zstd.
    #[arg(short, long, value_name = "NAME", default_value = "blosclz", value_parser = compressor)]
    codec: Compressor,
}

impl ChunkArgs {
    fn params(&self) -> Params {
        let mut params = Params::new(Generation::Blosc1, self.typesize);
        (params.compressor, params.level) = (self.codec, self.clevel);
        if let Some(last) = params.filters.last_mut().filter(|_| self.no_shuffle) {
            *last = Filter::None;
        }
        params
    }
}

/// What all of them take.
#[derive(Debug, clap::Args)]
struct HowArgs {
    /// Overwrite an existing file.
    #[arg(short, long)]
    force: bool,
    /// Threads. Default: one for each core.
    #[arg(short, long, value_name = "N")]
    nthreads: Option<usize>,
}

impl HowArgs {
    fn threads(&self) -> usize {
        self.nthreads.unwrap_or_else(cores).max(1)
    }
}

pub(crate) fn run(args: &Args) -> Result<(), CliError> {
    match &args.command {
        Command::Compress(args) => compress::run(args),
        Command::Decompress(args) => decompress::run(args),
        Command::Append(args) => append::run(args),
        Command::Info(args) => info::run(args),
    }
}

fn compressor(name: &str) -> Result<Compressor, String> {
    Compressor::from_name(name).map_err(|e| e.to_string())
}

/// Returns the metadata in a file of JSON.
fn metadata(path: &Path) -> Result<serde_json::Value, CliError> {
    let text = std::fs::read_to_string(path).map_err(CliError::of(path.display()))?;
    serde_json::from_str(text.trim()).map_err(CliError::of(path.display()))
}

/// Appends the extension to a path.
fn with_extension(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(EXTENSION);
    name.into()
}

fn has_extension(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().ends_with(EXTENSION.as_bytes())
}

/// Refuses a Bloscpack file that does not end as one does.
fn check_extension(path: &Path, no_check: bool) -> Result<(), CliError> {
    if no_check || has_extension(path) {
        return Ok(());
    }
    let path = path.display();
    Err(CliError::Usage(format!("{path} does not end in {EXTENSION}: -e accepts any name")))
}
