//! Several inputs as one table: files, folders, and patterns such as `data/*.parquet`.
//!
//! ```text
//! file, URL, -                      itself
//! data set, container               itself, a folder that it is
//! other folder                      the files below it of formats that are known by their extensions
//! pattern, where no file is called so    the files and folders that match, sorted
//! ```
//! Names that begin with `.` or `_` are left out below folders.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use trevni_convert::{Format, Part, ReadOptions, Source, rows_of};

use super::file::PIPE;
use super::rows::{Opened, ReadArgs};
use crate::args::limit::Skip;
use crate::exit::Fault;

/// Extensions of compressed files, before which stands that of a format.
const COMPRESSED: [&str; 4] = ["gz", "zst", "bz2", "xz"];

/// A file among others.
#[derive(Debug, Clone)]
pub(crate) struct InputFile {
    pub(crate) path: PathBuf,
    /// Of its path, what is below the folder that was given; all of it where none was.
    pub(crate) below: PathBuf,
}

impl InputFile {
    fn new(path: PathBuf) -> Self {
        Self { below: path.clone(), path }
    }
}

/// The files of inputs. One that is no folder and no pattern is itself, whether it is there or not.
pub(crate) fn expand(inputs: &[PathBuf], any_format: bool) -> Result<Vec<InputFile>, Fault> {
    let mut files = Vec::new();
    for input in inputs {
        expand_one(input, any_format, &mut files)?;
    }
    Ok(files)
}

fn expand_one(input: &Path, any_format: bool, files: &mut Vec<InputFile>) -> Result<(), Fault> {
    if input == Path::new(PIPE) || is_url(input) {
        files.push(InputFile::new(input.to_owned()));
        return Ok(());
    }
    let Some(pattern) = pattern(input) else { return add(input, None, any_format, files) };
    let wrong = |e: glob::PatternError| Fault::Usage(format!("{}: {e}", input.display()));
    let options = glob::MatchOptions { require_literal_leading_dot: true, ..Default::default() };
    let before = files.len();
    for found in glob::glob_with(pattern, options).map_err(wrong)? {
        let found = found.map_err(Fault::of(input.display()))?;
        add(&found, Some(Path::new("")), any_format, files)?;
    }
    match files.len() > before {
        true => Ok(()),
        false => Err(Fault::Data(format!("{}: no file matches", input.display()))),
    }
}

/// The text of a path that is a pattern, and no file.
fn pattern(path: &Path) -> Option<&str> {
    let text = path.to_str().filter(|text| text.contains(['*', '?', '[']))?;
    path.symlink_metadata().is_err().then_some(text)
}

fn is_url(path: &Path) -> bool {
    path.to_str().is_some_and(|text| text.contains("://"))
}

/// Adds a file; of a folder that is no data set and no container, the files below it. Of their paths what is behind `base`
/// counts, or behind the folder itself.
fn add(
    path: &Path,
    base: Option<&Path>,
    any_format: bool,
    files: &mut Vec<InputFile>,
) -> Result<(), Fault> {
    if !path.is_dir() || is_one(path)? {
        files.push(InputFile::new(path.to_owned()));
        return Ok(());
    }
    let base = base.unwrap_or(path);
    let before = files.len();
    let mut found = Vec::new();
    walk(path, any_format, &mut found).map_err(Fault::of(path.display()))?;
    for path in found {
        let below = path.strip_prefix(base).unwrap_or(&path).to_owned();
        files.push(InputFile { path, below });
    }
    match files.len() > before {
        true => Ok(()),
        false => {
            let what = "a folder without files of a format that its name says; --from names it";
            Err(Fault::Data(format!("{}: {what}", path.display())))
        }
    }
}

/// Whether a folder is a data set or a container.
fn is_one(path: &Path) -> Result<bool, Fault> {
    let mut source = Source::open(path).map_err(Fault::of(path.display()))?;
    Ok(Format::of_source(&mut source).map_err(Fault::of(path.display()))?.is_some())
}

/// The files below a folder, sorted.
fn walk(folder: &Path, any_format: bool, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut paths = Vec::new();
    for entry in folder.read_dir()? {
        let entry = entry?;
        if !entry.file_name().as_encoded_bytes().starts_with(b".")
            && !entry.file_name().as_encoded_bytes().starts_with(b"_")
        {
            paths.push(entry.path());
        }
    }
    paths.sort();
    for path in paths {
        // Links to folders might lead round in circles.
        let is_link = path.symlink_metadata()?.is_symlink();
        match path.is_dir() {
            true if is_link => {}
            true => walk(&path, any_format, files)?,
            false if any_format || has_format(&path) => files.push(path),
            false => {}
        }
    }
    Ok(())
}

/// Whether the extension says a format, that before the one of a compressed file included.
fn has_format(path: &Path) -> bool {
    let is_compressed = |extension: &str| COMPRESSED.contains(&extension);
    let compressed = path.extension().and_then(|extension| extension.to_str());
    match compressed.is_some_and(is_compressed) {
        true => Format::of_path(&path.with_extension("")).is_some(),
        false => Format::of_path(path).is_some(),
    }
}

impl ReadArgs {
    /// Opens inputs as one table.
    pub(crate) fn open_all(&self, inputs: &[PathBuf]) -> Result<Opened, Fault> {
        let files = expand(inputs, self.from.is_some())?;
        let opened = match (files.as_slice(), inputs) {
            ([file], [input]) if file.path == *input => self.open(input)?,
            _ => self.open_table(inputs, &files)?,
        };
        Ok(match self.offset {
            0 => opened,
            offset => Opened { rows: Box::new(Skip::new(opened.rows, offset)), ..opened },
        })
    }

    /// Opens inputs as one table and reads them; once more from the start, if types that were inferred from the first
    /// rows do not hold.
    pub(crate) fn read_all<T>(
        &self,
        inputs: &[PathBuf],
        read: impl Fn(Opened) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let opened = self.open_all(inputs)?;
        let report = opened.report.clone();
        match read(opened) {
            Ok(done) => Ok(done),
            Err(fault) => match self.again(inputs, &report) {
                Some(again) => read(again.open_all(inputs)?),
                None => Err(fault),
            },
        }
    }

    fn open_table(&self, inputs: &[PathBuf], files: &[InputFile]) -> Result<Opened, Fault> {
        let name = match inputs {
            [one] => one.display().to_string(),
            _ => format!("{} files", files.len()),
        };
        let options = self.options(Path::new(""))?;
        let (taken, report) = (Arc::<AtomicU64>::default(), options.report.clone());
        let size = files.iter().map(|file| crate::output::sink::bytes_at(&file.path).ok()).sum();
        let parts = files.iter().map(|file| self.part(file, &taken)).collect();
        let rows = rows_of(parts, &options).map_err(|e| self.fault(&name, e))?;
        Ok(Opened { name, rows, size, taken, report })
    }

    /// A file of a table. When it is opened for its rows, its bytes count as read.
    fn part(&self, file: &InputFile, taken: &Arc<AtomicU64>) -> Part {
        let (args, path, taken) = (self.clone(), file.path.clone(), taken.clone());
        let pipe = path == Path::new(PIPE);
        let regular = || path.metadata().is_ok_and(|about| about.is_file() || about.is_dir());
        let once = pipe || !is_url(&path) && !regular();
        let mut opened = once;
        let name = path.display().to_string();
        let open = move |wanted: &ReadOptions| {
            let other = |fault: Fault| trevni::Error::from(std::io::Error::other(fault.text()));
            let (_, source, format) = args.find(&path).map_err(other)?;
            args.check(format).map_err(other)?;
            if std::mem::replace(&mut opened, true) {
                taken.fetch_add(
                    crate::output::sink::bytes_at(&path).unwrap_or(0),
                    Ordering::Relaxed,
                );
            }
            let options = ReadOptions {
                columns: wanted.columns.clone(),
                rows: wanted.rows.clone(),
                predicate: wanted.predicate.clone(),
                limit: wanted.limit,
                report: wanted.report.clone(),
                ..args.options(&path).map_err(other)?
            };
            (format.open)(source, &options)
        };
        let below = file.below.iter().map(|name| name.to_string_lossy());
        let below = below.collect::<Vec<_>>().join("/");
        Part { name, path: below, once, open: Box::new(open) }
    }
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
        assert_eq!(names("b", false), ["x=1/a.csv", "x=2/b.csv.gz"]);
        assert_eq!(names("b", true), ["notes", "x=1/a.csv", "x=2/b.csv.gz"]);
        assert_eq!(names("b/x=*/*", false), ["b/x=1/a.csv", "b/x=2/b.csv.gz"]);
        assert_eq!(names("*.csv", false), ["[a].csv", "a.csv"]);
        assert_eq!(names("[a].csv", false), ["[a].csv"]);
        assert_eq!(names("missing.csv", false), ["missing.csv"]);
        assert!(expand(&[at("*.parquet")], false).is_err());
        assert!(expand(&[at("b/_d/..")], false).is_ok());
    }
}
