//! `trevni concat`: concatenates files.

mod rows;

use std::fs::File;
use std::path::{Path, PathBuf};

use trevni::{ColumnMetadata, FileReader, FileWriter, concat, copy_rows, schema_difference};

use super::rewrite::SCHEMAS;
use crate::exit::{CliError, tell};
use crate::input::file;
use crate::input::path::is_folder;
use crate::input::trevni_files::{is_dataset, paths_of};
use crate::output::target::Target;

/// Concatenate Trevni files.
///
/// Where all have the same columns, codecs and checksums, their blocks are copied and not decoded. Otherwise rows are
/// rewritten with the settings of the first file. The metadata is that of the first. Rows of data sets are rewritten:
/// their files may differ, and some columns are only in their paths.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The file to be made; `-` is standard output.
    output: PathBuf,
    /// Trevni files, data sets, folders, or patterns such as 'data/*.trv'; `-` is standard input.
    #[arg(required = true, value_name = "FILE")]
    inputs: Vec<PathBuf>,
    /// Replace the output if it exists.
    #[arg(long, short)]
    force: bool,
}

pub(crate) fn run(args: &Args) -> Result<(), CliError> {
    if args.inputs.iter().any(|input| is_folder(input) || is_dataset(input)) {
        return rows::run(args);
    }
    let inputs = paths_of(&args.inputs)?;
    let files = inputs.iter().map(|path| file::open(path));
    let files: Vec<FileReader<File>> = files.collect::<Result<_, _>>()?;
    check_schemas(&files, &inputs)?;
    let mut target = Target::create(&args.output, args.force)?;
    let bar = indicatif::ProgressBar::no_length().with_message("putting files together");
    let how = match schema_difference(&files)? {
        None => {
            concat(&files, &mut target)?;
            "blocks copied".to_owned()
        }
        Some(what) => {
            check_columns(&files, &inputs)?;
            write_anew(&files, &mut target, &bar)?;
            format!("rows rewritten, because the files differ: {what}")
        }
    };
    bar.finish_and_clear();
    let written = target.commit(&args.output)?;
    let rows: u64 = files.iter().map(FileReader::rows).sum();
    tell(&format!("{rows} rows of {} files, {written} bytes: {how}", files.len()));
    Ok(())
}

fn write_anew(
    files: &[FileReader<File>],
    target: &mut Target,
    bar: &indicatif::ProgressBar,
) -> Result<(), CliError> {
    let Some(first) = files.first() else { return Ok(()) };
    let mut metadata = first.header().metadata.clone();
    // It is unknown whether the rows of several files are sorted.
    metadata.unset(trevni::keys::SORTING)?;
    let builder = FileWriter::builder().set_metadata(metadata);
    let columns = first.columns().iter().cloned().map(ColumnMetadata::not_indexed);
    let mut writer = builder.build(target, columns.collect())?;
    let columns: Vec<usize> = (0..first.columns().len()).collect();
    for file in files {
        copy_rows(file, &columns, &mut writer)?;
        bar.inc(1);
    }
    writer.finish()?;
    Ok(())
}

/// Refuses files whose schemas differ.
fn check_schemas(files: &[FileReader<File>], paths: &[PathBuf]) -> Result<(), CliError> {
    let Some((first, others)) = files.split_first() else { return Ok(()) };
    for (other, path) in others.iter().zip(paths.iter().skip(1)) {
        let same =
            |key: &&str| first.header().metadata.get(key) == other.header().metadata.get(key);
        if let Some(key) = SCHEMAS.iter().find(|key| !same(key)) {
            return Err(differs(path, &format!("{key} is another")));
        }
    }
    Ok(())
}

/// Refuses files whose rows cannot be put into the columns of the first.
fn check_columns(files: &[FileReader<File>], paths: &[PathBuf]) -> Result<(), CliError> {
    let Some((first, others)) = files.split_first() else { return Ok(()) };
    for (other, path) in others.iter().zip(paths.iter().skip(1)) {
        let (ours, theirs) = (first.columns(), other.columns());
        if ours.len() != theirs.len() {
            return Err(differs(path, &format!("{} columns, not {}", theirs.len(), ours.len())));
        }
        let place =
            |c: &ColumnMetadata| (c.name().to_owned(), c.parent().map(str::to_owned), c.is_array());
        if let Some((a, b)) = ours.iter().zip(theirs).find(|(a, b)| place(a) != place(b)) {
            return Err(differs(path, &format!("column {:?} for {:?}", b.name(), a.name())));
        }
    }
    Ok(())
}

fn differs(path: &Path, what: &str) -> CliError {
    CliError::Data(format!("{} cannot follow: {what}", path.display()))
}
