//! Refuses URLs in builds without the feature `object_store`.

use std::convert::Infallible;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use arrow::datatypes::SchemaRef;
use trevni::dataset::VacuumReport;
use trevni::{FileReader, Header};
use trevni_convert::{Sink, Source, WriteOptions};

use crate::exit::CliError;

pub(crate) fn source(path: &Path) -> Result<Option<Source>, CliError> {
    refuse(path)
}

pub(crate) fn header(path: &Path) -> Result<Option<Header>, CliError> {
    refuse(path)
}

pub(crate) fn tables(path: &Path) -> Result<Option<FileReader<File>>, CliError> {
    refuse(path)
}

pub(crate) fn target(path: &Path, _: bool) -> Result<Option<Upload>, CliError> {
    refuse(path)
}

pub(crate) fn dataset(
    path: &Path,
    _: bool,
    _: SchemaRef,
    _: &WriteOptions,
) -> Result<Option<trevni::Result<Box<dyn Sink>>>, CliError> {
    refuse(path)
}

pub(crate) fn bytes_below(path: &Path) -> Result<Option<u64>, CliError> {
    refuse(path)
}

pub(crate) fn files_below(path: &Path) -> Result<Option<Vec<(PathBuf, u64)>>, CliError> {
    refuse(path)
}

pub(crate) fn vacuumable(path: &Path, _: Duration) -> Result<Option<Vacuumable>, CliError> {
    refuse(path)
}

/// Paths, and their total size.
type Vacuumable = trevni::Result<(Vec<String>, VacuumReport)>;

pub(crate) fn vacuum(
    path: &Path,
    _: Duration,
) -> Result<Option<trevni::Result<VacuumReport>>, CliError> {
    refuse(path)
}

fn refuse<T>(path: &Path) -> Result<Option<T>, CliError> {
    match path.to_str().is_some_and(|path| path.contains("://")) {
        true => Err(CliError::Usage(format!(
            "{} is a URL, and this command was built without the feature object_store",
            path.display()
        ))),
        false => Ok(None),
    }
}

/// An object in the making, of which there is none.
pub(crate) struct Upload(Infallible);

impl Upload {
    pub(crate) fn commit(self) -> io::Result<()> {
        match self.0 {}
    }
}

impl Write for Upload {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        match self.0 {}
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.0 {}
    }
}
