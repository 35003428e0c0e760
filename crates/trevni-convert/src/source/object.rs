//! An object in a store as a blocking reader.
//!
//! ```text
//! head        first chunks ──┐ buffered
//! into_read                  └──► Read ◄── the rest, as it comes
//! ```

use std::io::{self, Read};
use std::sync::Arc;

use ::object_store::{GetOptions, ObjectStore, path::Path};
use bytes::{Buf, Bytes};
use futures_util::TryStreamExt;
use futures_util::stream::BoxStream;
use tokio::runtime::Handle;

use trevni::{Error, ErrorKind, Result};

/// An object, and the runtime that its requests are made on.
#[derive(Debug, Clone)]
pub(crate) struct StoredObject {
    pub(crate) store: Arc<dyn ObjectStore>,
    pub(crate) path: Path,
    /// Must be driven by other threads than those that read.
    pub(crate) runtime: Handle,
}

/// The content of an object as a stream.
pub(super) struct Answer {
    runtime: Handle,
    chunk: Bytes,
    stream: BoxStream<'static, ::object_store::Result<Bytes>>,
    pub(super) size: u64,
}

impl StoredObject {
    /// Requests the complete object.
    pub(super) fn get(&self) -> io::Result<Answer> {
        let get = self.store.get_opts(&self.path, GetOptions::default());
        let result = self.runtime.block_on(get).map_err(Error::from)?;
        let (size, runtime) = (result.meta.size, self.runtime.clone());
        Ok(Answer { runtime, chunk: Bytes::new(), stream: result.into_stream(), size })
    }

    /// Returns whether there is an object with this name below the prefix.
    #[cfg(feature = "blosc")]
    pub(crate) fn has(&self, name: &str) -> Result<bool> {
        let head = GetOptions { head: true, ..GetOptions::default() };
        let path = self.path.clone().join(name);
        match self.runtime.block_on(self.store.get_opts(&path, head)) {
            Ok(_) => Ok(true),
            Err(::object_store::Error::NotFound { .. }) => Ok(false),
            Err(e) => Err(e.into()),
        }
    }

    /// Waits for something.
    pub(crate) fn wait<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        self.runtime.block_on(work)
    }
}

/// Returns whether a store does not support ranges.
pub(crate) fn is_unsupported(e: &Error) -> bool {
    matches!(e.kind(), ErrorKind::Io(e) if e.kind() == io::ErrorKind::Unsupported)
}

impl Read for Answer {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.chunk.is_empty() {
            let next = self.runtime.block_on(self.stream.try_next()).map_err(Error::from)?;
            match next {
                Some(chunk) => self.chunk = chunk,
                None => return Ok(0),
            }
        }
        let n = into.len().min(self.chunk.len());
        into.iter_mut().zip(&self.chunk).for_each(|(to, from)| *to = *from);
        self.chunk.advance(n);
        Ok(n)
    }
}
