//! Expands inputs to files: paths, patterns such as `data/*.parquet`, and folders.

use std::path::{Path, PathBuf};

use trevni_convert::{Format, Source};

use super::path::{PIPE, is_dataset_format};
use crate::exit::CliError;

/// A file among others.
#[derive(Debug, Clone)]
pub(crate) struct InputFile {
    pub(crate) path: PathBuf,
    /// The path below the given folder; the complete path if none was given.
    pub(crate) below: PathBuf,
}

impl InputFile {
    fn new(path: PathBuf) -> Self {
        Self { below: path.clone(), path }
    }
}

/// Returns the files of inputs. An input that is neither a folder nor a pattern is returned as it is, whether it
/// exists or not.
pub(crate) fn expand(inputs: &[PathBuf], any_format: bool) -> Result<Vec<InputFile>, CliError> {
    let mut files = Vec::new();
    for input in inputs {
        expand_one(input, any_format, &mut files)?;
    }
    Ok(files)
}

fn expand_one(input: &Path, any_format: bool, files: &mut Vec<InputFile>) -> Result<(), CliError> {
    if input == Path::new(PIPE) || is_url(input) {
        files.push(InputFile::new(input.to_owned()));
        return Ok(());
    }
    let Some(pattern) = pattern(input) else { return add(input, None, any_format, files) };
    let wrong = |e: glob::PatternError| CliError::Usage(format!("{}: {e}", input.display()));
    let options = glob::MatchOptions { require_literal_leading_dot: true, ..Default::default() };
    let before = files.len();
    for found in glob::glob_with(pattern, options).map_err(wrong)? {
        let found = found.map_err(CliError::of(input.display()))?;
        add(&found, Some(Path::new("")), any_format, files)?;
    }
    match files.len() > before {
        true => Ok(()),
        false => Err(CliError::Data(format!("{}: no file matches", input.display()))),
    }
}

/// Returns the text of a path that is a pattern, and no file.
pub(crate) fn pattern(path: &Path) -> Option<&str> {
    let text = path.to_str().filter(|text| text.contains(['*', '?', '[']))?;
    path.symlink_metadata().is_err().then_some(text)
}

pub(crate) fn is_url(path: &Path) -> bool {
    path.to_str().is_some_and(|text| text.contains("://"))
}

/// Adds a file or, of a folder that is neither a data set nor a container, the files below it. Their paths are
/// relative to `base`, or to the folder.
fn add(
    path: &Path,
    base: Option<&Path>,
    any_format: bool,
    files: &mut Vec<InputFile>,
) -> Result<(), CliError> {
    if !path.is_dir() || is_one(path)? {
        files.push(InputFile::new(path.to_owned()));
        return Ok(());
    }
    let base = base.unwrap_or(path);
    let before = files.len();
    let mut found = Vec::new();
    walk(path, any_format, &mut found)?;
    for path in found {
        let below = path.strip_prefix(base).unwrap_or(&path).to_owned();
        files.push(InputFile { path, below });
    }
    match files.len() > before {
        true => Ok(()),
        false => {
            let what = "a folder without files of a known extension; --from names the format";
            Err(CliError::Data(format!("{}: {what}", path.display())))
        }
    }
}

/// Returns whether a folder is a data set or a container.
fn is_one(path: &Path) -> Result<bool, CliError> {
    Ok(format_of(path)?.is_some())
}

/// Returns the format of a folder by its content; `None` if it is only a folder.
fn format_of(path: &Path) -> Result<Option<&'static Format>, CliError> {
    let mut source = Source::open(path).map_err(CliError::of(path.display()))?;
    Format::of_source(&mut source).map_err(CliError::of(path.display()))
}

/// Returns whether a folder is a container. One that only has Trevni files is a part of the folder that it is in.
fn is_container(path: &Path) -> Result<bool, CliError> {
    Ok(format_of(path)?.is_some_and(|format| !is_dataset_format(format)))
}

/// Returns the files below a folder, and the containers, sorted.
fn walk(folder: &Path, any_format: bool, files: &mut Vec<PathBuf>) -> Result<(), CliError> {
    let mut paths = Vec::new();
    let of_folder = || CliError::of(folder.display());
    for entry in folder.read_dir().map_err(of_folder())? {
        let entry = entry.map_err(of_folder())?;
        if !entry.file_name().as_encoded_bytes().starts_with(b".")
            && !entry.file_name().as_encoded_bytes().starts_with(b"_")
        {
            paths.push(entry.path());
        }
    }
    paths.sort();
    for path in paths {
        // Links to folders might lead round in circles.
        let is_link = path.symlink_metadata().map_err(of_folder())?.is_symlink();
        match path.is_dir() {
            true if is_link => {}
            true if is_container(&path)? => files.push(path),
            true => walk(&path, any_format, files)?,
            false if any_format || Format::of_input(&path).is_some() => files.push(path),
            false => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_patterns_are_files() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        for name in [
            "b/x=1/a.csv",
            "b/x=2/b.csv.gz",
            "b/x=2/c.CSV.GZIP",
            "b/.c.csv",
            "b/_d/e.csv",
            "b/notes",
            "a.csv",
            "[a].csv",
        ] {
            std::fs::create_dir_all(at(name).parent().unwrap()).unwrap();
            std::fs::write(at(name), "").unwrap();
        }
        let names = |input: &str, any: bool| -> Vec<String> {
            let files = expand(&[at(input)], any).unwrap();
            let name = |file: &InputFile| file.below.display().to_string();
            let home = format!("{}/", home.path().display());
            files.iter().map(name).map(|name| name.replace(&home, "")).collect()
        };
        assert_eq!(names("b", false), ["x=1/a.csv", "x=2/b.csv.gz", "x=2/c.CSV.GZIP"]);
        assert_eq!(names("b", true), ["notes", "x=1/a.csv", "x=2/b.csv.gz", "x=2/c.CSV.GZIP"]);
        assert_eq!(names("b/x=*/*", false), ["b/x=1/a.csv", "b/x=2/b.csv.gz", "b/x=2/c.CSV.GZIP"]);
        assert_eq!(names("*.csv", false), ["[a].csv", "a.csv"]);
        assert_eq!(names("[a].csv", false), ["[a].csv"]);
        assert_eq!(names("missing.csv", false), ["missing.csv"]);
        assert!(expand(&[at("*.parquet")], false).is_err());
        assert!(expand(&[at("b/_d/..")], false).is_ok());
    }
}
