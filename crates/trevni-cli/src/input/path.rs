//! The kinds of paths, and the size of what they name.

#[cfg(feature = "blosc")]
use std::fs::File;
#[cfg(feature = "blosc")]
use std::io::Read;
use std::path::Path;

use trevni_convert::Format;

/// The name of standard input and output.
pub(crate) const PIPE: &str = "-";

/// Returns whether a path is written as that of a folder.
pub(crate) fn is_folder(path: &Path) -> bool {
    path.to_str().is_some_and(|path| path.ends_with('/'))
}

/// Returns the bytes of a file, or of all files below a folder.
pub(crate) fn bytes_at(path: &Path) -> std::io::Result<u64> {
    let about = path.metadata()?;
    if !about.is_dir() {
        return Ok(about.len());
    }
    path.read_dir()?.try_fold(0, |bytes, entry| Ok(bytes + bytes_at(&entry?.path())?))
}

#[cfg(feature = "blosc")]
/// Returns whether a path is a container, and no pipe or file of Trevni.
pub(crate) fn is_container(path: &Path) -> bool {
    if path.is_dir() {
        return trevni_blosc::is_container(path);
    }
    let mut head = Vec::new();
    let file =
        File::open(path).ok().filter(|file| file.metadata().is_ok_and(|about| about.is_file()));
    let read = file.map(|file| file.take(16).read_to_end(&mut head));
    read.is_some_and(|read| read.is_ok()) && trevni_blosc::kind_of(&head).is_some()
}

/// Returns whether a format is that of data sets.
pub(crate) fn is_dataset_format(format: &Format) -> bool {
    format.name == "dataset"
}
