//! `trevni vacuum`: deletes the files that a data set no longer needs.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use trevni::dataset::{Dataset, VacuumReport};

use crate::exit::{CliError, tell};
use crate::input::remote;
use crate::stdout;

/// Delete the files of a data set that no commit names, and those that were replaced.
///
/// Only files older than --older-than are deleted: a writer that takes longer loses files that it has not
/// committed, and a reader loses files of a data set that was replaced meanwhile. In a folder, files of a running
/// writer on the same machine are kept in any case.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A data set: a folder, or a URL that ends in `/`.
    dataset: PathBuf,
    /// Minimum age of deleted files: a number with s, m, h or d.
    #[arg(long, value_name = "AGE", default_value = "1h", value_parser = age)]
    older_than: Duration,
    /// Print the paths that would be deleted, and delete nothing.
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(args: &Args) -> Result<(), CliError> {
    let (path, older) = (&args.dataset, args.older_than);
    if args.dry_run {
        let found = match remote::vacuumable(path, older)? {
            Some(found) => found,
            None => Dataset::vacuumable(path, older),
        };
        let (paths, sum) = found.map_err(CliError::of(path.display()))?;
        let mut out = stdout::stdout();
        for path in paths {
            writeln!(out, "{path}")?;
        }
        out.flush()?;
        tell(&format!("would delete {}", said(&sum)));
        return Ok(());
    }
    let vacuumed = match remote::vacuum(path, older)? {
        Some(vacuumed) => vacuumed,
        None => Dataset::vacuum(path, older),
    };
    tell(&format!("deleted {}", said(&vacuumed.map_err(CliError::of(path.display()))?)));
    Ok(())
}

fn said(sum: &VacuumReport) -> String {
    format!("{} files of {} bytes, {} commits", sum.files, sum.bytes, sum.commits)
}

fn age(text: &str) -> Result<Duration, String> {
    let units = [('s', 1), ('m', 60), ('h', 3600), ('d', 86_400)];
    let found = units.iter().find_map(|(unit, seconds)| Some((text.strip_suffix(*unit)?, seconds)));
    let (digits, seconds) = found.ok_or("a number with s, m, h or d, such as 90m")?;
    let number: u64 = digits.parse().map_err(|e| format!("{digits:?}: {e}"))?;
    number.checked_mul(*seconds).map(Duration::from_secs).ok_or_else(|| "out of range".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_have_units() {
        assert_eq!(age("90m"), Ok(Duration::from_secs(5400)));
        assert_eq!(age("0s"), Ok(Duration::ZERO));
        assert_eq!(age("7d"), Ok(Duration::from_secs(604_800)));
        for bad in ["", "1", "h", "1w", "-1h", "99999999999999999999d"] {
            assert!(age(bad).is_err(), "{bad}");
        }
    }
}
