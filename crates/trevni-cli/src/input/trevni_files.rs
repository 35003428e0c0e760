//! The Trevni files that an argument names.
//!
//! ```text
//! data set                a folder or a URL that ends in /     the files that its last commit names
//! folder, 'data/*.trv'    the Trevni files and containers of Blosc in it
//! other paths, -          themselves
//! ```

use std::path::{Path, PathBuf};

use trevni::dataset::Dataset;
use trevni_convert::Format;

use super::path::PIPE;
use super::pattern::expand;
use super::remote;
use crate::exit::{CliError, tell};

/// A file, and its entry in the data set.
#[derive(Debug)]
pub(crate) struct TrevniFile {
    pub(crate) path: PathBuf,
    /// Its rows, as the commit of a data set has them.
    pub(crate) rows: Option<u64>,
}

/// Returns the files of an argument; `None` if it is a file itself.
pub(crate) fn files_of(path: &Path) -> Result<Option<Vec<TrevniFile>>, CliError> {
    if path == Path::new(PIPE) {
        return Ok(None);
    }
    if let Some(found) = remote::files_below(path)? {
        let file = |(path, rows)| TrevniFile { path, rows: Some(rows) };
        return Ok(Some(found.into_iter().map(file).collect()));
    }
    if path.to_str().is_some_and(|path| path.contains("://")) {
        return Ok(None);
    }
    let mut files = Vec::new();
    let expanded = expand(&[path.to_owned()], false)?;
    if matches!(expanded.as_slice(), [file] if file.path == path && !is_dataset(path)) {
        return Ok(None);
    }
    for file in expanded {
        if is_dataset(&file.path) {
            add_dataset(&file.path, &mut files)?;
        } else if is_trevni(&file.path) {
            files.push(TrevniFile { path: file.path, rows: None });
        }
    }
    match files.is_empty() {
        true => Err(CliError::Data(format!("{}: there are no Trevni files", path.display()))),
        false => Ok(Some(files)),
    }
}

/// Returns the paths of all files of arguments.
pub(crate) fn paths_of(inputs: &[PathBuf]) -> Result<Vec<PathBuf>, CliError> {
    let mut paths = Vec::new();
    for input in inputs {
        match files_of(input)? {
            Some(files) => paths.extend(files.into_iter().map(|file| file.path)),
            None => paths.push(input.clone()),
        }
    }
    Ok(paths)
}

/// Returns whether a path is a data set in a folder.
pub(crate) fn is_dataset(path: &Path) -> bool {
    let mut source = trevni_convert::Source::open(path).ok().filter(|source| source.is_folder());
    let format = source.as_mut().and_then(|source| Format::of_source(source).ok().flatten());
    format.is_some_and(crate::input::path::is_dataset_format)
}

/// Returns whether a file is a Trevni file; others are skipped.
fn is_trevni(path: &Path) -> bool {
    #[cfg(feature = "blosc")]
    if crate::input::path::is_container(path) {
        return true;
    }
    Format::of_path(path).is_some_and(|format| format.name == "trv")
}

fn add_dataset(folder: &Path, files: &mut Vec<TrevniFile>) -> Result<(), CliError> {
    let table = match Dataset::open(folder) {
        Ok(table) => table,
        // Which file is at fault is seen when each is opened.
        Err(_) if !folder.join("_commits").is_dir() => return add_plain(folder, files),
        Err(e) => return Err(CliError::of(folder.display())(e)),
    };
    files.extend(table.files().map(|file| {
        let path = file.path().split('/').fold(folder.to_owned(), |path, name| path.join(name));
        TrevniFile { path, rows: Some(file.rows()) }
    }));
    Ok(())
}

/// Adds the Trevni files in a folder and below, in the order of their paths.
fn add_plain(folder: &Path, files: &mut Vec<TrevniFile>) -> Result<(), CliError> {
    let entries = folder.read_dir().map_err(CliError::of(folder.display()))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, CliError>>()?;
    paths.sort();
    let is_visible = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        !name.starts_with(['_', '.'])
    };
    for path in paths.into_iter().filter(is_visible) {
        if path.is_dir() {
            add_plain(&path, files)?;
        } else if is_trevni(&path) {
            files.push(TrevniFile { path, rows: None });
        }
    }
    Ok(())
}

/// Returns whether a file has no faults. A file that cannot be opened is reported, and the others are still
/// processed.
pub(crate) fn reported(done: Result<bool, CliError>) -> Result<bool, CliError> {
    match done {
        Err(CliError::Data(text)) => {
            tell(&format!("error: {text}"));
            Ok(false)
        }
        other => other,
    }
}
