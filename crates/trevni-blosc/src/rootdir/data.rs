//! The folder `data`: the files of chunks.
//!
//! ```text
//! data/__0.blp __1.blp __2.blp                one chunk each
//! data/__1__.bin                              chunks 0 to 9
//!      __2__.bin                              chunks 10 to 16
//! data/col1/__1__.bin                         those of a column
//! ```
//! Chunks are never counted: their number follows from the shape and the chunk length. There may be an extra file,
//! which bcolz leaves when it trims.

mod single;
mod superchunks;

use bytes::Bytes;

use self::superchunks::Superchunked;
use super::blp;
use super::chunk_splitter::Cut;
use super::directory_format::{DirectoryFormat, Superchunks};
use super::superchunk;
use crate::Edit;
use crate::buffers::Buffers;
use crate::chunk::Header;
use crate::journal::{Folder, Transaction};
use trevni::{Error, Result};

/// Where the chunks of an array are.
#[derive(Debug, Clone)]
pub(super) struct Data {
    /// The folder, in that of the array.
    path: String,
    files: Files,
}

#[derive(Debug, Clone)]
enum Files {
    Single(Buffers),
    Superchunks(Superchunked),
}

/// What an edit makes of the chunks: where they are then, and how many bytes more they take (as the form counts them).
pub(super) struct Staged {
    pub(super) data: Data,
    pub(super) more: i64,
}

/// Returns the format of the files in a folder; `said` is that of the metadata.
pub(super) fn form(
    folder: &Folder,
    path: &str,
    said: Option<Superchunks>,
) -> Result<Option<DirectoryFormat>> {
    if folder.exists(&format!("{path}/{}", superchunk::name(1)))? {
        return Ok(Some(DirectoryFormat::Superchunk(said.unwrap_or_default())));
    }
    match folder.exists(&format!("{path}/{}", blp::name(0)))? {
        true => Ok(Some(DirectoryFormat::Bcolz)),
        false => Ok(said.map(DirectoryFormat::Superchunk)),
    }
}

impl Data {
    /// Opens the chunks of an array that is cut so.
    pub(super) fn open(
        folder: &Folder,
        path: &str,
        form: DirectoryFormat,
        cut: &Cut,
    ) -> Result<Self> {
        let files = match form {
            DirectoryFormat::Bcolz => Files::Single(Buffers::default()),
            DirectoryFormat::Superchunk(form) => {
                Files::Superchunks(Superchunked::open(folder, path, form, cut.chunks)?)
            }
        };
        Ok(Self { path: path.to_owned(), files })
    }

    /// Returns the bytes of a chunk.
    pub(super) fn chunk(&self, folder: &Folder, cut: &Cut, number: u64) -> Result<Bytes> {
        if number >= cut.chunks {
            return Err(Error::invalid(format!("chunk {number} of {}", cut.chunks)));
        }
        match &self.files {
            Files::Single(buffers) => {
                single::chunk(folder, buffers, &self.path, number, cut.chunk_bytes)
            }
            Files::Superchunks(files) => files.chunk(folder, &self.path, number, cut.chunk_bytes),
        }
    }

    /// Returns the bytes of the chunks as the form counts them.
    pub(super) fn cbytes(&self, folder: &Folder, cut: &Cut) -> Result<u64> {
        match &self.files {
            Files::Single(_) => single::cbytes(folder, &self.path, cut),
            Files::Superchunks(files) => Ok(files.bytes().unsigned_abs()),
        }
    }

    /// Puts the files of an edit, whose chunks have these headers, into a change.
    pub(super) fn stage(
        &self,
        folder: &Folder,
        change: &mut Transaction,
        (edit, headers): (&Edit, &[Header]),
        (before, after): (&Cut, &Cut),
    ) -> Result<Staged> {
        let path = self.path.clone();
        match &self.files {
            Files::Single(buffers) => {
                let pairs = edit.chunks.iter().zip(headers);
                let more = single::Stage { folder, path: &path, edit, before, after }
                    .put(change, pairs.map(|((number, chunk), header)| (*number, chunk, header)))?;
                Ok(Staged { data: Self { path, files: Files::Single(buffers.clone()) }, more })
            }
            Files::Superchunks(files) => {
                let (files, more) = files.stage((folder, &path), change, edit, (before, after))?;
                Ok(Staged { data: Self { path, files: Files::Superchunks(files) }, more })
            }
        }
    }
}

/// Returns the error of a missing file.
fn missing(folder: &Folder, path: &str) -> Error {
    Error::malformed(format!("{} is missing", folder.path(path)))
}

/// Returns the files of a folder with a number from `from` on.
fn numbered(
    folder: &Folder,
    path: &str,
    from: u64,
    number: fn(&str) -> Option<u64>,
) -> Result<Vec<(u64, String)>> {
    let names = folder.names(path)?;
    let numbered = names.into_iter().filter_map(|name| Some((number(&name)?, name)));
    Ok(numbered.filter(|(number, _)| *number >= from).collect())
}
