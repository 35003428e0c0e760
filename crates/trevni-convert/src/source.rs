//! Where the bytes of a file of rows come from: a file, a pipe, the files of a folder, or an object in a store, or
//! those below a prefix.

mod compressed;
#[cfg(feature = "object_store")]
mod object;
pub(super) mod planned_read;
#[cfg(feature = "object_store")]
mod stored_bytes;

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use self::compressed::Compression;
use self::planned_read::PlannedRead;
use crate::sequential::Sequential;
#[cfg(feature = "object_store")]
pub(super) use object::{StoredObject, is_unsupported};
use trevni::Result;
use trevni::io::ReadAt;
#[cfg(feature = "blosc")]
use trevni_blosc::Files;

/// The number of bytes that are inspected to detect the format.
const HEAD: usize = 4096;

/// Bytes that are read once, whose start can be inspected before.
pub struct Source {
    name: String,
    head: Option<Vec<u8>>,
    body: Body,
    taken: Arc<AtomicU64>,
}

enum Body {
    File(File),
    /// Bytes that can be read at any position.
    Bytes(Arc<dyn ReadAt>),
    Pipe(Box<dyn Read + Send>),
    Decompressed(Decompressed),
    Folder(PathBuf),
    /// The files of a container that is a folder.
    #[cfg(feature = "blosc")]
    Files(Arc<dyn Files>),
    #[cfg(feature = "object_store")]
    Object(StoredObject, Option<object::Answer>),
    #[cfg(feature = "object_store")]
    Prefix(StoredObject),
}

/// Decompressed bytes, whose compressed bytes are counted.
struct Decompressed {
    bytes: Box<dyn Read + Send>,
    /// The compressed size.
    size: Option<u64>,
    compression: Compression,
    /// The compressed bytes, if they can be read again.
    packed: Option<Box<Source>>,
}

impl Source {
    /// Opens a file, a named pipe, or a folder.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        let file = File::open(path)?;
        let about = file.metadata()?;
        let name = path.display().to_string();
        if about.is_dir() {
            return Ok(Self::new(name, Body::Folder(path.to_owned())));
        }
        if about.is_file() {
            Ok(Self::new(name, Body::File(file)))
        } else {
            Ok(Self::pipe(name, file))
        }
    }

    /// Returns bytes that can be read at any position, wherever they are.
    pub fn bytes(name: impl Into<String>, bytes: impl ReadAt + 'static) -> Self {
        Self::new(name.into(), Body::Bytes(Arc::new(bytes)))
    }

    /// Returns the files of a container that is a folder, wherever they are.
    #[cfg(feature = "blosc")]
    pub fn files(name: impl Into<String>, files: impl Files + 'static) -> Self {
        Self::new(name.into(), Body::Files(Arc::new(files)))
    }

    /// Returns what comes out of a pipe, and cannot be read twice.
    pub fn pipe(name: impl Into<String>, from: impl Read + Send + 'static) -> Self {
        Self::new(name.into(), Body::Pipe(Box::new(from)))
    }

    /// Creates a source of an object in a store. Reading blocks the calling thread, so other threads must drive the
    /// runtime.
    #[cfg(feature = "object_store")]
    pub fn in_store(
        name: impl Into<String>,
        store: Arc<dyn ::object_store::ObjectStore>,
        path: ::object_store::path::Path,
        runtime: tokio::runtime::Handle,
    ) -> Self {
        Self::new(name.into(), Body::Object(StoredObject { store, path, runtime }, None))
    }

    /// Creates the objects below a prefix in a store, as [`in_store`](Self::in_store) has one.
    #[cfg(feature = "object_store")]
    pub fn below(
        name: impl Into<String>,
        store: Arc<dyn ::object_store::ObjectStore>,
        path: ::object_store::path::Path,
        runtime: tokio::runtime::Handle,
    ) -> Self {
        Self::new(name.into(), Body::Prefix(StoredObject { store, path, runtime }))
    }

    /// Returns the prefix, if it is one.
    #[cfg(feature = "object_store")]
    pub(super) fn prefix(&self) -> Option<StoredObject> {
        match &self.body {
            Body::Prefix(prefix) => Some(prefix.clone()),
            _ => None,
        }
    }

    /// Returns the files, if it is a folder of them.
    #[cfg(feature = "blosc")]
    pub(super) fn as_files(&self) -> Option<&Arc<dyn Files>> {
        match &self.body {
            Body::Files(files) => Some(files),
            _ => None,
        }
    }

    /// Returns whether it is a folder, or a prefix in a store.
    pub fn is_folder(&self) -> bool {
        match &self.body {
            Body::Folder(_) => true,
            #[cfg(feature = "blosc")]
            Body::Files(_) => true,
            #[cfg(feature = "object_store")]
            Body::Prefix(_) => true,
            _ => false,
        }
    }

    /// Returns the object, if it is one.
    #[cfg(feature = "object_store")]
    pub(super) fn object(&self) -> Option<StoredObject> {
        match &self.body {
            Body::Object(object, _) => Some(object.clone()),
            _ => None,
        }
    }

    fn new(name: String, body: Body) -> Self {
        Self { name, head: None, body, taken: Arc::default() }
    }

    /// Returns what it is called in errors.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the folder, if it is one.
    pub fn folder(&self) -> Option<&Path> {
        match &self.body {
            Body::Folder(path) => Some(path),
            _ => None,
        }
    }

    /// Decompresses gzip, zstd, bzip2 or xz, detected by their first bytes; other sources are returned unchanged.
    /// Size and progress are those of the compressed bytes.
    pub fn decompressed(mut self) -> Result<Self> {
        let Some(compression) = Compression::of(self.head()?) else { return Ok(self) };
        let (name, size, taken) = (self.name.clone(), self.size(), self.taken());
        let packed = self.again(taken.clone())?.map(Box::new);
        let bytes = compression.decoder(self.into_read())?;
        let body = Body::Decompressed(Decompressed { bytes, size, compression, packed });
        Ok(Self { name, head: None, body, taken })
    }

    /// Returns whether the bytes can be read more than once.
    #[cfg(any(feature = "csv", feature = "json"))]
    pub(super) fn is_repeatable(&self) -> bool {
        match &self.body {
            Body::File(_) | Body::Bytes(_) => true,
            Body::Decompressed(bytes) => bytes.packed.is_some(),
            _ => false,
        }
    }

    /// Returns the same bytes from the start, counted by `taken`, if they can be read more than once. They may share
    /// their position with those of this source, which are not to be read after that.
    pub(super) fn again(&self, taken: Arc<AtomicU64>) -> Result<Option<Self>> {
        let body = match &self.body {
            Body::File(file) => {
                let mut file = file.try_clone()?;
                file.rewind()?;
                Body::File(file)
            }
            Body::Bytes(bytes) => Body::Bytes(bytes.clone()),
            Body::Decompressed(Decompressed {
                size, compression, packed: Some(packed), ..
            }) => {
                let Some(again) = packed.again(taken.clone())? else { return Ok(None) };
                let packed = again.again(taken.clone())?.map(Box::new);
                let bytes = compression.decoder(again.into_read())?;
                let (size, compression) = (*size, *compression);
                Body::Decompressed(Decompressed { bytes, size, compression, packed })
            }
            _ => return Ok(None),
        };
        Ok(Some(Self { name: self.name.clone(), head: None, body, taken }))
    }

    /// Returns a file that has the bytes of a pipe, which are counted already.
    #[cfg(any(feature = "csv", feature = "json"))]
    pub(super) fn spooled(name: String, file: File) -> Self {
        Self::new(name, Body::File(file))
    }

    /// Returns the path without the extension of a compressed file, if it has one.
    pub fn decompressed_path(path: &Path) -> Option<PathBuf> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        compressed::EXTENSIONS.contains(&extension.as_str()).then(|| path.with_extension(""))
    }

    /// Returns how many bytes it has, if that is known.
    pub fn size(&self) -> Option<u64> {
        match &self.body {
            Body::File(file) => file.metadata().ok().map(|about| about.len()),
            Body::Bytes(bytes) => bytes.len().ok(),
            Body::Decompressed(bytes) => bytes.size,
            Body::Pipe(_) | Body::Folder(_) => None,
            #[cfg(feature = "blosc")]
            Body::Files(_) => None,
            #[cfg(feature = "object_store")]
            Body::Object(_, answer) => answer.as_ref().map(|answer| answer.size),
            #[cfg(feature = "object_store")]
            Body::Prefix(_) => None,
        }
    }

    /// Returns a counter of the bytes that have been read.
    pub fn taken(&self) -> Arc<AtomicU64> {
        self.taken.clone()
    }

    /// Returns the first bytes, or all if there are few. A folder has none.
    pub fn head(&mut self) -> io::Result<&[u8]> {
        if self.head.is_none() {
            let mut head = Vec::new();
            match &mut self.body {
                Body::File(file) => {
                    file.take(HEAD as u64).read_to_end(&mut head)?;
                    file.rewind()?;
                }
                Body::Bytes(bytes) => {
                    let len = bytes.len()?.min(HEAD as u64);
                    head.extend_from_slice(
                        &bytes.read_at(0, usize::try_from(len).unwrap_or(HEAD))?,
                    );
                }
                Body::Pipe(pipe) => {
                    pipe.take(HEAD as u64).read_to_end(&mut head)?;
                }
                Body::Decompressed(Decompressed { bytes, .. }) => {
                    bytes.take(HEAD as u64).read_to_end(&mut head)?;
                }
                Body::Folder(_) => {}
                #[cfg(feature = "blosc")]
                Body::Files(_) => {}
                #[cfg(feature = "object_store")]
                Body::Prefix(_) => {}
                #[cfg(feature = "object_store")]
                Body::Object(object, answer) => {
                    let answer = answer.insert(object.get()?);
                    answer.take(HEAD as u64).read_to_end(&mut head)?;
                }
            }
            self.head = Some(head);
        }
        Ok(self.head.as_deref().unwrap_or_default())
    }

    /// Returns the bytes one after another. A folder has none: the first read fails.
    pub fn into_read(self) -> Box<dyn Read + Send> {
        let taken = self.taken;
        match self.body {
            Body::File(from) => Box::new(Counted { from, taken }),
            Body::Bytes(bytes) => Box::new(Counted { from: Sequential::new(bytes, 0), taken }),
            Body::Pipe(pipe) => {
                let head = io::Cursor::new(self.head.unwrap_or_default());
                Box::new(Counted { from: head.chain(pipe), taken })
            }
            Body::Decompressed(Decompressed { bytes, .. }) => {
                Box::new(io::Cursor::new(self.head.unwrap_or_default()).chain(bytes))
            }
            Body::Folder(_) => Box::new(Failed(Some(io::ErrorKind::IsADirectory.into()))),
            #[cfg(feature = "blosc")]
            Body::Files(_) => Box::new(Failed(Some(io::ErrorKind::IsADirectory.into()))),
            #[cfg(feature = "object_store")]
            Body::Prefix(_) => Box::new(Failed(Some(io::ErrorKind::IsADirectory.into()))),
            #[cfg(feature = "object_store")]
            Body::Object(object, answer) => match answer.map_or_else(|| object.get(), Ok) {
                Ok(answer) => {
                    let head = io::Cursor::new(self.head.unwrap_or_default());
                    Box::new(Counted { from: head.chain(answer), taken })
                }
                Err(e) => Box::new(Failed(Some(e))),
            },
        }
    }

    /// Returns bytes that can be read at any position. A pipe or a compressed file is copied to a temporary file
    /// first.
    pub fn into_read_at(self) -> io::Result<Arc<dyn ReadAt>> {
        match self.body {
            Body::Bytes(bytes) => {
                self.taken.store(bytes.len()?, Ordering::Relaxed);
                Ok(bytes)
            }
            _ => Ok(Arc::new(self.into_file()?)),
        }
    }

    /// Returns bytes that can be read at any position, for formats that know early what they will read. An object is not
    /// copied: what is planned is fetched.
    pub(super) fn into_planned_read(self) -> Result<Arc<dyn PlannedRead>> {
        #[cfg(feature = "object_store")]
        if let Some(object) = self.object()
            && let Some(bytes) = stored_bytes::StoredBytes::open(object)?
        {
            self.taken.store(bytes.len()?, Ordering::Relaxed);
            return Ok(Arc::new(bytes));
        }
        match self.body {
            Body::Bytes(_) => Ok(Arc::new(self.into_read_at()?)),
            _ => Ok(Arc::new(self.into_file()?)),
        }
    }

    /// Returns a file that can be read at any position. A pipe or a compressed file is copied to a temporary file
    /// first.
    pub fn into_file(self) -> io::Result<File> {
        if let Body::File(file) = self.body {
            self.taken.store(file.metadata()?.len(), Ordering::Relaxed);
            return Ok(file);
        }
        let mut file = tempfile::tempfile()?;
        io::copy(&mut self.into_read(), &mut file).map_err(trevni::io::in_temporary_folder)?;
        file.rewind()?;
        Ok(file)
    }
}

/// A source that could not be opened: the first read returns the error.
struct Failed(Option<io::Error>);

impl Read for Failed {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// Counts the bytes that are read.
struct Counted<R> {
    from: R,
    taken: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = self.from.read(into)?;
        self.taken.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Source").field("name", &self.name).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
