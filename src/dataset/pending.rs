//! Files that a writer has written and not yet committed.
//!
//! ```text
//! _commits/.pending-Xy3kQz     boot 0e1c…            the boot of the machine, as locks are not shared between all hosts
//!                              year=2026/part-….trv  a line for each file, before it gets its name
//! ```
//! The writer locks the list until it has committed. A list that is not locked is that of a killed writer: the next
//! writer deletes its files that no commit names, and the list.

use std::collections::HashSet;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use super::commit::Commit;
use super::file_names;
use crate::error::Result;
use crate::io::{Listed, TemporaryFile, Unused, is_temporary};

/// How the names of these lists begin.
const PREFIX: &str = ".pending-";

/// The files of a writer in a folder.
#[derive(Debug)]
pub(super) struct Pending {
    folder: PathBuf,
    list: TemporaryFile,
    files: Vec<Listed>,
}

impl Pending {
    /// Starts a list in a data set.
    pub(super) fn start(folder: &Path) -> Result<Self> {
        let mut list = TemporaryFile::create(&folder.join(file_names::COMMITS), PREFIX, 0o666)?;
        list.file_mut().write_all(format!("{}\n", boot()).as_bytes())?;
        Ok(Self { folder: folder.to_owned(), list, files: Vec::new() })
    }

    /// Adds a file that is about to get its name.
    pub(super) fn add(&mut self, path: &str) -> Result<()> {
        // The values of partitions are encoded, so that there are no ends of lines.
        self.list.file_mut().write_all(format!("{path}\n").as_bytes())?;
        self.files.push(Listed::new(self.folder.join(path)));
        Ok(())
    }

    /// Returns the files: a signal deletes them, until they are committed.
    pub(super) fn files(&mut self) -> &mut Vec<Listed> {
        &mut self.files
    }
}

/// Deletes what writers that were killed have left in a data set.
pub(super) fn remove_unused(folder: &Path) -> Result<()> {
    let mut named = None;
    for entry in fs::read_dir(folder.join(file_names::COMMITS)).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if !name.to_str().is_some_and(|name| is_temporary(name, PREFIX)) {
            continue;
        }
        let Some(unused) = Unused::take(&entry.path()) else { continue };
        let mut text = String::new();
        unused.file().read_to_string(&mut text)?;
        let mut lines = text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
        // The lock of another host may not be visible here.
        if lines.next() != Some(boot().as_str()) {
            continue;
        }
        let named = match &mut named {
            Some(named) => named,
            none => none.insert(committed(folder)?),
        };
        for path in lines.filter(|path| file_names::check(path).is_ok() && !named.contains(*path)) {
            let _ = fs::remove_file(folder.join(path));
        }
        unused.remove();
    }
    Ok(())
}

/// Returns the files of writers that are at work.
pub(super) fn held(folder: &Path) -> Result<HashSet<String>> {
    let mut held = HashSet::new();
    for entry in fs::read_dir(folder.join(file_names::COMMITS)).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name.to_str().is_some_and(|name| is_temporary(name, PREFIX))
            && Unused::take(&entry.path()).is_none()
        {
            // It may be gone by now.
            let text = fs::read_to_string(entry.path()).unwrap_or_default();
            held.extend(text.lines().skip(1).map(str::to_owned));
        }
    }
    Ok(held)
}

/// Returns the files that any commit names.
fn committed(folder: &Path) -> Result<HashSet<String>> {
    let mut named = HashSet::new();
    for entry in fs::read_dir(folder.join(file_names::COMMITS))? {
        let entry = entry?;
        if entry.file_name().to_str().and_then(file_names::commit_number).is_some() {
            let commit = Commit::decode(fs::read(entry.path())?.into())?;
            named.extend(commit.files.into_iter().map(|file| file.path));
        }
    }
    Ok(named)
}

/// This boot of this machine. Where that is not known, nothing is deleted.
fn boot() -> String {
    let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    match id.trim() {
        "" => format!("process {}", std::process::id()),
        id => format!("boot {id}"),
    }
}
