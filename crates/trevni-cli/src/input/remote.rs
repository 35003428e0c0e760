//! Objects in stores, as inputs and outputs.
//!
//! ```text
//! s3://bucket/key ──► store, path ──► Source       of a trv file only the needed ranges are fetched
//!                                 ──► Upload       parts are sent while rows are read; the object appears at the end
//! s3://bucket/table/              ──► a data set
//! ```
//! Regions, endpoints and keys are taken from the environment, by the names that the stores' own tools have for them.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use ::object_store::ObjectStore;
use ::object_store::path::Path as Key;
use arrow::datatypes::SchemaRef;
use tokio::runtime::{Builder, Runtime};
use trevni::dataset::{DataFile, Dataset, VacuumReport};
use trevni::io::Ranges;
use trevni::object_store::{FetchOptions, ObjectWriter, environment, from_url, is_literal};
use trevni::{FileReader, Header, RemoteFile};
use trevni_convert::{Sink, Source, WriteOptions, dataset_in_store};

use super::path::is_folder;
use crate::args::memory;
use crate::exit::CliError;
use crate::signals;

/// The number of bytes that are buffered before they are written.
const BUFFER_SIZE: usize = 1 << 20;

/// Returns the object of a URL, as a source of rows; `None` if it is no URL.
pub(crate) fn source(path: &Path) -> Result<Option<Source>, CliError> {
    let Some((store, key)) = object(path)? else { return Ok(None) };
    let (name, runtime) = (path.display().to_string(), runtime()?.handle().clone());
    Ok(Some(match is_folder(path) {
        true => Source::below(name, store, key, runtime),
        false => Source::in_store(name, store, key, runtime),
    }))
}

/// Starts a data set at a URL; `None` if it is none.
pub(crate) fn dataset(
    path: &Path,
    replace: bool,
    schema: SchemaRef,
    options: &WriteOptions,
) -> Result<Option<trevni::Result<Box<dyn Sink>>>, CliError> {
    let Some(place) = object(path)? else { return Ok(None) };
    signals::note_upload();
    let runtime = runtime()?.handle().clone();
    Ok(Some(dataset_in_store(place, runtime, replace, schema, options)))
}

/// Returns the bytes of the data set at a URL; nothing if there is none.
pub(crate) fn bytes_below(path: &Path) -> Result<Option<u64>, CliError> {
    let Some((store, key)) = object(path)? else { return Ok(None) };
    let table = runtime()?.block_on(Dataset::open_in(store, key));
    Ok(Some(table.map_or(0, |table| table.bytes())))
}

/// The URLs of the files of a data set, each with its rows; `None` if it is no URL that ends in `/`.
pub(crate) fn files_below(path: &Path) -> Result<Option<Vec<(PathBuf, u64)>>, CliError> {
    if !is_folder(path) {
        return Ok(None);
    }
    let Some((store, key)) = object(path)? else { return Ok(None) };
    let table = runtime()?.block_on(Dataset::open_in(store, key));
    let table = table.map_err(CliError::of(path.display()))?;
    let url = path.display();
    let file = |file: &DataFile| (url_below(&url.to_string(), file.path()).into(), file.rows());
    Ok(Some(table.files().map(file).collect()))
}

/// The URL of a path below another.
fn url_below(url: &str, path: &str) -> String {
    if is_literal(url) {
        return format!("{url}{path}");
    }
    let mut text = url.to_owned();
    for sign in path.chars() {
        match sign {
            '%' => text.push_str("%25"),
            '#' => text.push_str("%23"),
            '?' => text.push_str("%3F"),
            sign => text.push(sign),
        }
    }
    text
}

/// Returns what can be deleted below a URL; `None` if it is no URL.
pub(crate) fn vacuumable(path: &Path, older: Duration) -> Result<Option<Vacuumable>, CliError> {
    let Some((store, key)) = object(path)? else { return Ok(None) };
    Ok(Some(runtime()?.block_on(Dataset::vacuumable_in(store, key, older))))
}

/// Deletes it.
pub(crate) fn vacuum(
    path: &Path,
    older: Duration,
) -> Result<Option<trevni::Result<VacuumReport>>, CliError> {
    let Some((store, key)) = object(path)? else { return Ok(None) };
    Ok(Some(runtime()?.block_on(Dataset::vacuum_in(store, key, older))))
}

/// Paths, and their total size.
type Vacuumable = trevni::Result<(Vec<String>, VacuumReport)>;

/// A Trevni file in a store, of which some is fetched.
pub(crate) type FetchedFile = FileReader<Arc<Ranges>>;

/// Returns the header of the Trevni file at a URL; `None` if it is no URL, or if its store does not support ranges.
pub(crate) fn header(path: &Path) -> Result<Option<Header>, CliError> {
    Ok(fetched(path, false)?.map(|file| file.header().clone()))
}

/// Returns the Trevni file at a URL, of which header and block tables are fetched; `None` as for [`header`].
pub(crate) fn tables(path: &Path) -> Result<Option<FetchedFile>, CliError> {
    fetched(path, true)
}

fn fetched(path: &Path, with_tables: bool) -> Result<Option<FetchedFile>, CliError> {
    let Some((store, key)) = object(path)? else { return Ok(None) };
    let opened = runtime()?.block_on(async {
        let file = RemoteFile::open(store, key, FetchOptions::default()).await?;
        if with_tables {
            let columns: Vec<usize> = (0..file.file().columns().len()).collect();
            file.fetch_tables(&columns, 0).await?;
        }
        Ok(file.file().clone().with_limits(memory::limits()))
    });
    match opened {
        Ok(file) => Ok(Some(file)),
        Err(e) if is_unsupported(&e) => Ok(None),
        Err(e) => Err(CliError::of(path.display())(e)),
    }
}

/// Returns an object to be made; one that exists is left alone unless `force`.
pub(crate) fn target(path: &Path, force: bool) -> Result<Option<Upload>, CliError> {
    let Some((store, key)) = object(path)? else { return Ok(None) };
    signals::note_upload();
    let object = ObjectWriter::new(store, key).with_refuse_existing(!force);
    Ok(Some(Upload { runtime: runtime()?, object, buffered: Vec::new() }))
}

/// A store, and a key there.
pub(crate) type StoreKey = (Arc<dyn ObjectStore>, Key);

/// Returns the store of a URL and the key there; `None` if it is no URL.
pub(crate) fn object(path: &Path) -> Result<Option<StoreKey>, CliError> {
    let Some(url) = path.to_str().filter(|path| path.contains("://")) else { return Ok(None) };
    Ok(Some(from_url(url, environment()).map_err(CliError::of(url))?))
}

/// Returns whether the store does not support range requests.
fn is_unsupported(e: &trevni::Error) -> bool {
    matches!(e.kind(), trevni::ErrorKind::Io(e) if e.kind() == io::ErrorKind::Unsupported)
}

/// Returns the runtime of all requests; its threads make them while the others wait or work.
fn runtime() -> Result<&'static Runtime, CliError> {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    if let Some(runtime) = RUNTIME.get() {
        return Ok(runtime);
    }
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    Ok(RUNTIME.get_or_init(|| runtime))
}

/// An object in the making.
pub(crate) struct Upload {
    runtime: &'static Runtime,
    object: ObjectWriter,
    buffered: Vec<u8>,
}

impl Upload {
    /// Makes the object appear.
    pub(crate) fn commit(mut self) -> io::Result<()> {
        self.flush()?;
        self.runtime.block_on(self.object.finish())?;
        Ok(())
    }
}

impl Write for Upload {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        signals::check()?;
        self.buffered.extend_from_slice(bytes);
        if self.buffered.len() >= BUFFER_SIZE {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let buffered = std::mem::take(&mut self.buffered);
        Ok(self.runtime.block_on(self.object.put(buffered.into()))?)
    }
}

impl Drop for Upload {
    /// Removes the parts of an unfinished object.
    fn drop(&mut self) {
        let _ = self.runtime.block_on(self.object.abort());
    }
}
