//! Opens a Trevni file: a path, `-` for the standard input, or a URL.

use std::fs::File;
use std::io::{self, Seek};
use std::path::Path;

use trevni::{FileReader, Header};

use super::path::PIPE;
use super::remote;
use crate::args::memory;
use crate::exit::CliError;

/// Returns the header of a Trevni file. Of an object in a store nothing else is fetched.
pub(crate) fn header(path: &Path) -> Result<Header, CliError> {
    match remote::header(path)? {
        Some(header) => Ok(header),
        None => Ok(open(path)?.header().clone()),
    }
}

/// Opens a Trevni file. It is read at any position, so standard input and objects in stores are copied to a
/// temporary file first.
pub(crate) fn open(path: &Path) -> Result<FileReader<File>, CliError> {
    let file = match remote::source(path)? {
        Some(source) => source.into_file(),
        None => open_file(path),
    };
    let file = file.map_err(CliError::of(path.display()))?;
    let file = FileReader::try_new_with_limits(file, memory::limits());
    file.map_err(CliError::of(path.display()))
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
    io::copy(&mut from, &mut file).map_err(trevni::io::in_temporary_folder)?;
    file.rewind()?;
    Ok(file)
}
