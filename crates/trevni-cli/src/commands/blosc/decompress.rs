//! `trevni blosc decompress`: extracts the bytes of a Bloscpack file or of any array.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use trevni_blosc::{ChunkedArray, ContainerKind};

use super::{EXTENSION, HowArgs, check_extension};
use crate::exit::{CliError, tell};
use crate::output::target::Target;

/// Decompress a file; its metadata is printed to stderr.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The file to be decompressed: a Bloscpack file or, with -e, any container of one array.
    in_file: PathBuf,
    /// The file to be made; `-` is standard output. Default: the name of the other without .blp.
    out_file: Option<PathBuf>,
    /// Take files that do not end in .blp.
    #[arg(short = 'e', long, requires = "out_file")]
    no_check_extension: bool,
    #[command(flatten)]
    how: HowArgs,
}

/// Bytes that are opened at a time for each thread.
const PIECE: u64 = 1 << 22;

pub(super) fn run(args: &Args) -> Result<(), CliError> {
    check_extension(&args.in_file, args.no_check_extension)?;
    let out = match &args.out_file {
        Some(out) => out.clone(),
        None => without_extension(&args.in_file),
    };
    let of_input = || CliError::of(args.in_file.display());
    let contents = trevni_blosc::open(&args.in_file).map_err(of_input())?;
    if contents.arrays.len() != 1 || contents.kind == ContainerKind::Ctable {
        let n = contents.arrays.len();
        return Err(CliError::Data(format!(
            "{} holds {n} columns: trevni convert reads them",
            args.in_file.display()
        )));
    }
    let mut target = Target::create(&out, args.how.force)?;
    for (_, array) in contents.arrays {
        let array = array.with_parallelism(args.how.threads());
        copy(&array, &mut target).map_err(|e| match e {
            CliError::Data(text) => CliError::Data(format!("{}: {text}", args.in_file.display())),
            other => other,
        })?;
    }
    target.commit(&out)?;
    if !contents.attributes.is_empty() {
        let text = serde_json::to_string_pretty(&contents.attributes)?;
        tell(&format!("metadata: {text}"));
    }
    Ok(())
}

fn copy(array: &ChunkedArray, out: &mut Target) -> Result<(), CliError> {
    let row = (array.row_bytes()? as u64).max(1);
    let chunk = array.chunk_shape().and_then(|shape| shape.first().copied()).unwrap_or(1).max(1);
    let rows = (PIECE / row).max(1).saturating_mul(array.parallelism() as u64);
    let rows = rows.div_ceil(chunk).saturating_mul(chunk);
    let bar = indicatif::ProgressBar::new(array.len());
    let mut out = BufWriter::new(out);
    let mut at = 0;
    while at < array.len() {
        let to = at.saturating_add(rows).min(array.len());
        out.write_all(&array.read(at..to)?)?;
        bar.inc(to - at);
        at = to;
    }
    out.flush()?;
    bar.finish_and_clear();
    Ok(())
}

fn without_extension(path: &Path) -> PathBuf {
    let name = path.to_string_lossy();
    name.strip_suffix(EXTENSION).unwrap_or(&name).into()
}
