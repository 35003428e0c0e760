//! `trevni verify`: verifies files and reports each fault.
//!
//! ```text
//! statistics, blocks of each column ──► checksums, codecs, values, counts
//! without a fault                   ──► schema, and all rows as Arrow
//! ```

use std::io::Write;
use std::path::{Path, PathBuf};

use trevni::arrow::{ArrowReaderBuilder, ArrowReaderOptions};
use trevni::dataset::Dataset;
use trevni::io::ReadAt;
use trevni::{ErrorKind, FileReader};

use crate::cores::cores;
use crate::exit::{CliError, tell};
use crate::input::file;
use crate::input::trevni_files::{files_of, is_dataset, reported};
use crate::output::table::UNCHECKED;
use crate::stdout;

/// Verify files: checksums, codecs, values, counts, statistics, schema. Faults go to standard output.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Trevni files, containers of the Blosc family, data sets, folders of these, or patterns such as 'data/*.trv';
    /// `-` is standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<(), CliError> {
    let mut out = stdout::stdout();
    let mut good = true;
    for path in &args.files {
        good &= reported(verify_input(path, &mut out))?;
        out.flush()?;
    }
    if good { Ok(()) } else { Err(CliError::Reported) }
}

/// Verifies a file, or each file of a data set, a folder or a pattern.
fn verify_input(path: &Path, out: &mut impl Write) -> Result<bool, CliError> {
    let Some(files) = files_of(path)? else { return Ok(verify(path, out)?.is_some()) };
    let (mut good, mut rows) = (true, 0u64);
    for file in &files {
        let Some(found) = verify(&file.path, out)? else {
            good = false;
            continue;
        };
        rows = rows.saturating_add(found);
        if let Some(committed) = file.rows.filter(|committed| *committed != found) {
            let name = file.path.display();
            writeln!(out, "{name}: {found} rows, but the commit says {committed}")?;
            good = false;
        }
        out.flush()?;
    }
    if good && is_dataset(path) {
        let table = Dataset::open(path).map_err(CliError::of(path.display()))?;
        for fault in table.verify_statistics().map_err(CliError::of(path.display()))? {
            writeln!(out, "{}: {fault}", path.display())?;
            good = false;
        }
    }
    let verdict = if good { "ok" } else { "FAULTY" };
    writeln!(out, "{}: {verdict}: {rows} rows, {} files", path.display(), files.len())?;
    Ok(good)
}

/// Verifies one file. Returns its rows if it is good. A file that cannot be opened does not keep the others from
/// being verified.
fn verify(path: &Path, out: &mut impl Write) -> Result<Option<u64>, CliError> {
    #[cfg(feature = "blosc")]
    if crate::input::path::is_container(path) {
        return super::container::verify(path, out);
    }
    let name = path.display();
    let file = match file::open(path) {
        Ok(file) => file,
        Err(CliError::Data(text)) => {
            tell(&format!("error: {text}"));
            return Ok(None);
        }
        Err(other) => return Err(other),
    };
    let bar = progress(file.columns().len(), path);
    let mut seen = file.verify(|_| bar.inc(1));
    let read = match seen.is_ok() {
        true => trevni::arrow::verify_rows(&file, cores()),
        false => Ok(()),
    };
    bar.finish_and_clear();
    match read {
        Err(e) if is_of_value(&e, &file) => writeln!(out, "{name}: not read as Arrow: {e}")?,
        read => read.err().into_iter().for_each(|e| seen.push(e)),
    }
    for fault in &seen.faults {
        writeln!(out, "{name}: {fault}")?;
    }
    for exceeded in &seen.exceeded {
        writeln!(
            out,
            "{name}: not verified, beyond a limit (--limit-memory sets that of memory): {exceeded}"
        )?;
    }
    let verdict = match (seen.faults.is_empty(), seen.exceeded.is_empty()) {
        (false, _) => "FAULTY",
        (true, false) => "NOT VERIFIED",
        (true, true) => "ok",
    };
    write!(out, "{name}: {verdict}: {} rows, {} blocks", file.rows(), seen.blocks)?;
    write!(out, ", {} verified by checksum", seen.verified)?;
    if seen.unchecked > 0 {
        write!(out, ", {} {UNCHECKED}", seen.unchecked)?;
    }
    match seen.faults.len() {
        0 => writeln!(out)?,
        n => writeln!(out, ", {n} faults")?,
    }
    Ok(seen.is_ok().then(|| file.rows()))
}

/// Returns whether an error is of a value that Arrow does not have. Then the file is as it should be.
fn is_of_value<R: ReadAt + 'static>(e: &trevni::Error, file: &FileReader<R>) -> bool {
    let is_unsupported = matches!(e.kind(), ErrorKind::Unsupported(_));
    // The builder reads the schema, whose faults may be of a kind that a later release supports.
    is_unsupported && ArrowReaderBuilder::from_file(file.clone(), ArrowReaderOptions::new()).is_ok()
}

/// Returns a bar on stderr if that is a terminal, nothing otherwise.
fn progress(columns: usize, path: &Path) -> indicatif::ProgressBar {
    let bar = indicatif::ProgressBar::new(columns as u64);
    bar.set_message(path.display().to_string());
    bar
}
