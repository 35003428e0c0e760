//! Where the bytes of a file are: a path, bytes, a Python file object, or an object in a store.
//!
//! ```text
//! "a.trv", Path("a.trv")      File              bytes               Bytes, not copied
//! object with read and seek   PythonSource      "s3://...", "https://..."   an object store
//! ```

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use object_store::path::Path as StorePath;
use object_store::{ObjectStore, ObjectStoreExt};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use trevni::Error;
use trevni::io::ReadAt;
use trevni::object_store::{environment, from_url};

use crate::errors::{Raise, Result};
use crate::python_file::PythonSource;
use crate::runtime::runtime;

/// The maximum number of bytes of a file that is read when it is opened.
const SMALL_FILE: u64 = 256 << 10;

/// Options of object stores, by name.
pub(crate) type StorageOptions = Option<HashMap<String, String>>;

/// Bytes of this process.
#[derive(Debug, Clone)]
pub(crate) enum Source {
    File(Arc<File>),
    Bytes(Bytes),
    Python(Arc<PythonSource>),
}

impl Source {
    /// Opens a file. A small one is read whole: it is scanned without another call of the system.
    pub(crate) fn open(path: PathBuf) -> Result<Self> {
        let name = path.display().to_string();
        let open = || {
            let file = File::open(path)?;
            let metadata = file.metadata()?;
            if !metadata.is_file() || metadata.len() > SMALL_FILE {
                return Ok(Source::File(Arc::new(file)));
            }
            let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
            file.take(SMALL_FILE).read_to_end(&mut bytes)?;
            Ok(Source::Bytes(bytes.into()))
        };
        open().map_err(|error: io::Error| Error::from(error).in_file(&name))
    }

    /// Fetches a whole object.
    pub(crate) fn download(store: &dyn ObjectStore, path: &StorePath) -> Result<Self> {
        let bytes = runtime()?.block_on(async { store.get(path).await?.bytes().await })?;
        Ok(Source::Bytes(bytes))
    }
}

impl ReadAt for Source {
    fn len(&self) -> io::Result<u64> {
        match self {
            Source::File(file) => ReadAt::len(file),
            Source::Bytes(bytes) => ReadAt::len(bytes),
            Source::Python(file) => ReadAt::len(file),
        }
    }

    fn read_at(&self, offset: u64, len: usize) -> io::Result<Bytes> {
        match self {
            Source::File(file) => file.read_at(offset, len),
            Source::Bytes(bytes) => bytes.read_at(offset, len),
            Source::Python(file) => file.read_at(offset, len),
        }
    }
}

/// What a caller names.
pub(crate) enum Location {
    Path(PathBuf),
    Source(Source),
    Object { store: Arc<dyn ObjectStore>, path: StorePath },
}

impl Location {
    /// Returns the location that an argument names.
    pub(crate) fn new(argument: &Bound<'_, PyAny>, options: StorageOptions) -> PyResult<Self> {
        if argument.is_instance_of::<PyBytes>() {
            let bytes: PyBackedBytes = argument.extract()?;
            return Ok(Location::Source(Source::Bytes(Bytes::from_owner(bytes))));
        }
        if argument.hasattr("read")? && argument.hasattr("seek")? {
            let file = PythonSource::new(argument)?;
            return Ok(Location::Source(Source::Python(Arc::new(file))));
        }
        if let Ok(text) = argument.extract::<String>()
            && is_url(&text)
        {
            let (store, path) = object(&text, options).or_raise()?;
            return Ok(Location::Object { store, path });
        }
        Ok(Location::Path(argument.extract()?))
    }
}

impl Location {
    /// Opens a file, and fetches a whole object.
    pub(crate) fn into_source(self) -> Result<Source> {
        match self {
            Location::Path(path) => Source::open(path),
            Location::Source(source) => Ok(source),
            Location::Object { store, path } => Source::download(&*store, &path),
        }
    }
}

/// Returns whether a text is a URL, and not a path.
pub(crate) fn is_url(text: &str) -> bool {
    text.contains("://")
}

/// Returns the store of a URL, with the options of the environment and, above them, those of the caller.
pub(crate) fn object(
    url: &str,
    options: StorageOptions,
) -> Result<(Arc<dyn ObjectStore>, StorePath)> {
    let mut all: HashMap<_, _> = environment().into_iter().collect();
    all.extend(options.into_iter().flatten());
    from_url(url, all)
}
