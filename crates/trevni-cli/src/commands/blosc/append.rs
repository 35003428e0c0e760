//! `trevni blosc append`: appends bytes to a Bloscpack file or to a container of one array.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

use trevni_blosc::bloscpack::Bloscpack;
use trevni_blosc::{ChunkedArray, Container, ContainerKind};

use super::{ChunkArgs, HowArgs, check_extension, metadata};
use crate::exit::{CliError, tell};

/// Append the bytes of a file to a compressed one.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The file to append to.
    original_file: PathBuf,
    /// The file to append from: bytes of complete elements.
    new_file: PathBuf,
    /// Take files that do not end in .blp.
    #[arg(short = 'e', long)]
    no_check_extension: bool,
    /// A JSON file that replaces the metadata, if there is room.
    #[arg(short, long, value_name = "FILE")]
    metadata: Option<PathBuf>,
    #[command(flatten)]
    chunks: ChunkArgs,
    #[command(flatten)]
    how: HowArgs,
}

pub(super) fn run(args: &Args) -> Result<(), CliError> {
    check_extension(&args.original_file, args.no_check_extension)?;
    let of_original = || CliError::of(args.original_file.display());
    let mut new = Vec::new();
    let mut file = File::open(&args.new_file).map_err(CliError::of(args.new_file.display()))?;
    file.read_to_end(&mut new).map_err(CliError::of(args.new_file.display()))?;
    let array = open(args).map_err(of_original())?;
    let mut array = array.with_parallelism(args.how.threads());
    let before = array.len();
    array.append(&new).map_err(of_original())?;
    if let Some(path) = &args.metadata {
        let said = metadata(path)?;
        let said = said.as_object().cloned();
        let said =
            said.ok_or_else(|| CliError::Usage("the metadata is not a JSON object".into()))?;
        array.set_attributes(said).map_err(of_original())?;
    }
    tell(&format!("{before} -> {} rows", array.len()));
    Ok(())
}

fn open(args: &Args) -> trevni::Result<ChunkedArray> {
    let mut contents = trevni_blosc::open(&args.original_file)?;
    if contents.kind == ContainerKind::Bloscpack {
        // New chunks use the given parameters, whatever those of the old ones are.
        let file = Bloscpack::open_path(&args.original_file)?;
        let mut params = args.chunks.params();
        params.typesize = file.params().typesize;
        return Ok(ChunkedArray::new(file.with_params(params)));
    }
    match contents.arrays.pop() {
        Some((_, array)) if contents.arrays.is_empty() && contents.unreadable.is_empty() => {
            Ok(array)
        }
        _ => Err(trevni::Error::from(std::io::Error::other("a table of several columns"))),
    }
}
