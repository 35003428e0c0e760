//! Names the folder of temporary files that has no space left.

use std::io::{self, ErrorKind};
use std::path::Path;

/// Returns an error of a temporary file in the folder that the operating system has for them. If it is full, the error
/// names it.
pub fn in_temporary_folder(e: io::Error) -> io::Error {
    out_of_space(e, &std::env::temp_dir())
}

/// Returns an error of a temporary file in a folder. If it is full, the error names it.
pub(crate) fn out_of_space(e: io::Error, folder: &Path) -> io::Error {
    match e.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            let folder = folder.display();
            let what = format!(
                "the folder of temporary files, {folder}, has no space left; the environment variable TMPDIR names another"
            );
            io::Error::new(e.kind(), what)
        }
        _ => e,
    }
}
