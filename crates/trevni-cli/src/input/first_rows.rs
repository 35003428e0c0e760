//! Reads text files once where types that are inferred from their first rows hold, and twice otherwise.
//!
//! ```text
//! first 1,000 rows ──► types ──► all rows fit ──────────────────────────────► rows
//!                                │ a value or a name does not
//!                                └──► all rows ──► types ──► all rows ──────► rows
//! ```
//! The rows are those that types of all rows give: what fits narrower types would have given them.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use trevni_convert::{FIRST_ROWS, Format, Report};

use super::pattern::expand;
use super::rows::{Opened, ReadArgs};
use crate::exit::{CliError, tell};

/// The report of inputs that were opened.
pub(crate) type OpenedReport = Option<Arc<Report>>;

impl ReadArgs {
    /// Calls `read`, which opens inputs and reads all their rows, once or twice. It leaves their report once they are
    /// open, and nothing else if it fails.
    pub(crate) fn read_again<T>(
        &self,
        inputs: &[PathBuf],
        mut read: impl FnMut(&Self, &mut OpenedReport) -> Result<T, CliError>,
    ) -> Result<T, CliError> {
        let mut report = None;
        if !self.can_be_read_twice(inputs) {
            return read(self, &mut report);
        }
        let mut first = self.clone();
        (first.infer_rows, first.reads_again) = (Some(FIRST_ROWS), true);
        let done = read(&first, &mut report);
        if done.is_ok() {
            return done;
        }
        match report.take() {
            Some(report) if !report.inference_failed.load(Ordering::Relaxed) => return done,
            Some(_) => tell(&format!(
                "types that were inferred from the first {FIRST_ROWS} rows do not hold: inferring from all rows"
            )),
            // Columns and types of a condition may be those of later rows.
            None => {}
        }
        read(self, &mut report)
    }

    /// Opens inputs as one table and calls `read`, which reads all rows, as [`read_again`](Self::read_again) does.
    pub(crate) fn read_all<T>(
        &self,
        inputs: &[PathBuf],
        read: impl Fn(Opened) -> Result<T, CliError>,
    ) -> Result<T, CliError> {
        self.read_again(inputs, |args, report| {
            let opened = args.open_all(inputs)?;
            *report = Some(opened.report.clone());
            read(opened)
        })
    }

    /// Opens inputs of which only the first rows are read if there is a limit and no condition. Their types are then
    /// those of about as many rows.
    pub(crate) fn open_some(&self, inputs: &[PathBuf]) -> Result<Opened, CliError> {
        let rows = self.limit.and_then(|limit| usize::try_from(limit).ok());
        match rows.filter(|rows| *rows <= FIRST_ROWS && self.predicate.is_none()) {
            Some(_) => self.read_again(inputs, |args, _| args.open_all(inputs)),
            None => self.open_all(inputs),
        }
    }

    /// Returns whether types are inferred of inputs that are files.
    fn can_be_read_twice(&self, inputs: &[PathBuf]) -> bool {
        let is_text = |path: &PathBuf| {
            let of_path = self.from.or_else(|| Format::of_input(path));
            of_path.is_none_or(|format| matches!(format.name, "csv" | "jsonl"))
        };
        if self.infer_rows.is_some() || self.schema.is_some() || self.skip_bad > 0 {
            return false;
        }
        let files = expand(inputs, self.from.is_some()).unwrap_or_default();
        files.iter().all(|file| file.path.is_file()) && files.iter().any(|file| is_text(&file.path))
    }
}
