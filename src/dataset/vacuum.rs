//! Finds the files that a data set no longer needs.
//!
//! ```text
//! commits   3   4 replaces, old   5         3 is not needed: it is removed
//! files     named by 4 or 5                 stay, and so do those that are young: a writer may be at work on them
//!           others                          go
//! ```

use std::collections::HashSet;
use std::time::Duration;

use super::commit::Commit;
use super::file_names;
use crate::error::{Error, Result};

/// The files that were removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct VacuumReport {
    /// How many files of rows.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// How many commits that another replaced.
    pub commits: u64,
}

/// Returns the commits that were replaced and the files that only they name. Files are removed first, so that an
/// interrupted run can be repeated.
pub(super) fn replaced(mut commits: Vec<(u64, Commit)>) -> VacuumPlan {
    commits.sort_unstable_by_key(|(number, _)| *number);
    let first = commits.iter().rposition(|(_, commit)| commit.replaces).unwrap_or(0);
    let (old, new) = commits.split_at(first);
    let paths = |(_, commit): &'_ (u64, Commit)| -> Vec<String> {
        commit.files.iter().map(|file| file.path.clone()).collect()
    };
    let mut named: HashSet<String> = new.iter().flat_map(paths).collect();
    let mut plan = VacuumPlan { paths: Vec::new(), vacuumed: VacuumReport::default() };
    for file in old.iter().flat_map(|(_, commit)| &commit.files) {
        if named.insert(file.path.clone()) {
            plan.paths.push(file.path.clone());
            plan.vacuumed.files += 1;
            plan.vacuumed.bytes = plan.vacuumed.bytes.saturating_add(file.bytes);
        }
    }
    for (number, _) in old {
        plan.paths.push(file_names::commit(*number));
        plan.vacuumed.commits += 1;
    }
    plan
}

/// A file that was found.
#[derive(Debug, Clone)]
pub(super) struct FoundFiles {
    pub(super) path: String,
    pub(super) bytes: u64,
    pub(super) age: Duration,
}

/// Lists the existing files; reads commits from the last to the first that is not replaced.
#[derive(Debug)]
pub(super) struct Listing {
    files: Vec<FoundFiles>,
    /// Numbers and ages, the last first.
    commits: Vec<(u64, Duration)>,
    older: Duration,
    read: usize,
    named: HashSet<String>,
    /// Whether those before the last that was read count no more.
    done: bool,
}

/// What to remove, and what that is.
#[derive(Debug)]
pub(super) struct VacuumPlan {
    pub(super) paths: Vec<String>,
    pub(super) vacuumed: VacuumReport,
}

impl Listing {
    pub(super) fn new(
        files: Vec<FoundFiles>,
        mut commits: Vec<(u64, Duration)>,
        older: Duration,
    ) -> Self {
        commits.sort_unstable_by_key(|(number, _)| std::cmp::Reverse(*number));
        Self { files, commits, older, read: 0, named: HashSet::new(), done: false }
    }

    /// Returns the numbers of the next commits to read.
    pub(super) fn next(&self, most: usize) -> Vec<u64> {
        let most = if self.done { 0 } else { most };
        self.commits.iter().skip(self.read).take(most).map(|(number, _)| *number).collect()
    }

    pub(super) fn push(&mut self, number: u64, bytes: Vec<u8>) -> Result<()> {
        if self.done {
            return Ok(());
        }
        let commit = Commit::decode_numbered(number, bytes)?;
        let age = self.commits.get(self.read).map_or(Duration::ZERO, |(_, age)| *age);
        self.read += 1;
        // Readers may still use the files that a recent commit replaced.
        self.done = commit.replaces && age >= self.older;
        self.named.extend(commit.files.into_iter().map(|file| file.path));
        Ok(())
    }

    pub(super) fn plan(self) -> Result<VacuumPlan> {
        if self.commits.is_empty() {
            return Err(Error::invalid("a data set without commits: all its files are in use"));
        }
        let is_old =
            |found: &&FoundFiles| found.age >= self.older && !self.named.contains(&found.path);
        let (mut paths, mut vacuumed) = (Vec::new(), VacuumReport::default());
        // Commits first: a file that is gone must not be named by one.
        for (number, _) in self.commits.iter().skip(self.read).rev() {
            paths.push(file_names::commit(*number));
            vacuumed.commits += 1;
        }
        for found in self.files.iter().filter(is_old) {
            paths.push(found.path.clone());
            vacuumed.files += 1;
            vacuumed.bytes = vacuumed.bytes.saturating_add(found.bytes);
        }
        Ok(VacuumPlan { paths, vacuumed })
    }
}
