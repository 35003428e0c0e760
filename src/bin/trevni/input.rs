//! Opens the file that a command looks into; `-` is standard input.

use std::fs::File;
use std::io::{self, Seek};
use std::path::Path;

use trevni::trevni::FileReader;

use crate::fault::Fault;

/// The name of standard input and output.
pub(crate) const PIPE: &str = "-";

/// Opens a Trevni file. It is read at any position, so standard input goes to a temporary file first.
pub(crate) fn open(path: &Path) -> Result<FileReader<File>, Fault> {
    let file = open_file(path).map_err(Fault::of(path.display()))?;
    FileReader::try_new(file).map_err(Fault::of(path.display()))
}

fn open_file(path: &Path) -> io::Result<File> {
    if path != Path::new(PIPE) {
        let file = File::open(path)?;
        return if file.metadata()?.is_file() { Ok(file) } else { spooled(file) };
    }
    spooled(io::stdin().lock())
}

fn spooled(mut from: impl io::Read) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    io::copy(&mut from, &mut file)?;
    file.rewind()?;
    Ok(file)
}
