//! Opens several inputs as one table.
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

use trevni_convert::{Format, ReadOptions, rows_of, skip_rows};

use super::path::PIPE;
use super::pattern::{InputFile, expand, is_url};
use super::rows::{Opened, ReadArgs};
use crate::exit::CliError;

impl ReadArgs {
    /// Opens inputs as one table.
    pub(crate) fn open_all(&self, inputs: &[PathBuf]) -> Result<Opened, CliError> {
        let files = expand(inputs, self.from.is_some())?;
        let opened = match (files.as_slice(), inputs) {
            ([file], [input]) if file.path == *input => self.open(input)?,
            _ => self.open_table(inputs, &files)?,
        };
        Ok(Opened { rows: skip_rows(opened.rows, self.offset), ..opened })
    }

    fn open_table(&self, inputs: &[PathBuf], files: &[InputFile]) -> Result<Opened, CliError> {
        let name = match inputs {
            [one] => one.display().to_string(),
            _ => format!("{} files", files.len()),
        };
        let options = self.options(Path::new(""))?;
        let (taken, report) = (Arc::<AtomicU64>::default(), options.report.clone());
        let size = files.iter().map(|file| crate::input::path::bytes_at(&file.path).ok()).sum();
        let parts = files.iter().map(|file| self.part(file, &taken)).collect();
        let rows = rows_of(parts, &options).map_err(|e| self.fault(&name, e))?;
        Ok(Opened { name, format: self.format_of(files), rows, size, taken, report })
    }

    /// Returns the format that all files have by their names.
    fn format_of(&self, files: &[InputFile]) -> Option<&'static str> {
        let mut names = files.iter().map(|file| {
            let format = self.from.or_else(|| Format::of_input(&file.path));
            format.map(|format| format.name)
        });
        let first = names.next()??;
        names.all(|name| name == Some(first)).then_some(first)
    }

    /// Returns a file of a table. When it is opened for its rows, its bytes count as read.
    fn part(&self, file: &InputFile, taken: &Arc<AtomicU64>) -> trevni_convert::InputFile {
        let (args, path, taken) = (self.clone(), file.path.clone(), taken.clone());
        let pipe = path == Path::new(PIPE);
        let regular = || path.metadata().is_ok_and(|about| about.is_file() || about.is_dir());
        let once = pipe || !is_url(&path) && !regular();
        let mut opened = once;
        let name = path.display().to_string();
        let open = move |wanted: &ReadOptions| {
            let other = |fault: CliError| trevni::Error::from(std::io::Error::other(fault.text()));
            let (_, source, format) = args.find(&path).map_err(other)?;
            args.check(format).map_err(other)?;
            if std::mem::replace(&mut opened, true) {
                taken
                    .fetch_add(crate::input::path::bytes_at(&path).unwrap_or(0), Ordering::Relaxed);
            }
            let options = ReadOptions {
                columns: wanted.columns.clone(),
                rows: wanted.rows.clone(),
                predicate: wanted.predicate.clone(),
                limit: wanted.limit,
                report: wanted.report.clone(),
                inferred: wanted.inferred.clone(),
                null_columns: wanted.null_columns,
                ..args.options(&path).map_err(other)?
            };
            (format.open)(source, &options)
        };
        let below = file.below.iter().map(|name| name.to_string_lossy());
        let below = below.collect::<Vec<_>>().join("/");
        trevni_convert::InputFile { name, path: below, once, open: Box::new(open) }
    }
}
