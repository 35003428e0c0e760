//! Writes the files of a new array: chunks, then sizes.
//!
//! ```text
//! push      data/__0.blp, data/__1.blp, ...       or a superchunk whenever there are enough
//! finish    the last superchunk
//! ```

use super::blp;
use super::chunk_splitter::Cut;
use super::directory_format::DirectoryFormat;
use super::edit::{check_chunk, counted};
use super::sizes::Sizes;
use super::storage::Storage;
use super::superchunk::{self, assemble};
use crate::bloscpack::digest::Digest;
use crate::chunk::MAX_NBYTES;
use crate::journal::Sink;
use trevni::{Error, Result};

/// An array in the making.
#[derive(Debug)]
pub(super) struct ColumnWriter {
    pub(super) storage: Storage,
    form: DirectoryFormat,
    /// The folder of the chunks.
    path: String,
    waiting: Vec<Vec<u8>>,
    files: u64,
    file_bytes: u64,
    chunks: u64,
    cbytes: u64,
    /// The uncompressed sizes of the first and the last chunk, and the stored size of the last.
    first: u64,
    last: u64,
    last_cbytes: u64,
}

impl ColumnWriter {
    /// Starts an array whose chunks will be in the folder `path`.
    pub(super) fn new(path: String, storage: Storage, form: DirectoryFormat) -> Self {
        Self {
            storage,
            form,
            path,
            waiting: Vec::new(),
            files: 0,
            file_bytes: 0,
            chunks: 0,
            cbytes: 0,
            first: 0,
            last: 0,
            last_cbytes: 0,
        }
    }

    /// Takes the next chunk.
    pub(super) fn push(&mut self, sink: &mut impl Sink, chunk: &[u8]) -> Result<()> {
        let full = if self.chunks == 0 { MAX_NBYTES as u64 } else { self.first };
        let header = check_chunk(chunk, self.chunks, 0, full)?;
        if self.last < self.first {
            let (number, last, first) = (self.chunks, self.last, self.first);
            let message =
                format!("chunk {number} follows one of {last} bytes, but full ones have {first}");
            return Err(Error::invalid(message));
        }
        let chunk = counted(chunk, &header);
        self.last = header.nbytes.into();
        self.last_cbytes = header.cbytes.into();
        if self.chunks == 0 {
            self.first = self.last;
        }
        self.cbytes += self.last_cbytes;
        self.chunks += 1;
        match self.form {
            DirectoryFormat::Bcolz => {
                let file = format!("{}/{}", self.path, blp::name(self.chunks - 1));
                sink.put(&file, &[&blp::HEADER, chunk])
            }
            DirectoryFormat::Superchunk(form) => {
                self.waiting.push(chunk.to_vec());
                let enough = self.waiting.len() as u64 >= form.chunks.max(1);
                if enough { self.flush(sink) } else { Ok(()) }
            }
        }
    }

    fn flush(&mut self, sink: &mut impl Sink) -> Result<()> {
        let DirectoryFormat::Superchunk(form) = self.form else { return Ok(()) };
        if self.waiting.is_empty() {
            return Ok(());
        }
        let chunks: Vec<&[u8]> = self.waiting.iter().map(Vec::as_slice).collect();
        let bytes = assemble(&chunks, Digest::None, form.slack, None)?;
        self.files += 1;
        self.file_bytes += bytes.len() as u64;
        self.waiting.clear();
        sink.put(&format!("{}/{}", self.path, superchunk::name(self.files)), &[&bytes])
    }

    /// Writes what waits; what the array has if it is of this shape. `Invalid` if the chunks are not those of such
    /// an array.
    pub(super) fn finish(&mut self, sink: &mut impl Sink, shape: &[u64]) -> Result<Sizes> {
        self.flush(sink)?;
        let cut = Cut::new(&self.storage, shape)?;
        let needed = cut.chunks.checked_sub(1).map_or(0, |last| cut.needed(last));
        let first_is_full = self.chunks < 2 || self.first == cut.chunk_bytes;
        let last_is_enough = (needed..=cut.chunk_bytes).contains(&self.last);
        if self.chunks != cut.chunks || !first_is_full || !last_is_enough {
            return Err(Error::invalid(format!(
                "{} chunks of {} bytes and {} in the last are not {} of {} and {needed}",
                self.chunks, self.first, self.last, cut.chunks, cut.chunk_bytes
            )));
        }
        let leftover = if cut.full < cut.chunks { self.last_cbytes } else { 0 };
        let cbytes = match self.form {
            DirectoryFormat::Bcolz => self.cbytes - leftover + cut.chunk_bytes,
            DirectoryFormat::Superchunk(_) => self.file_bytes,
        };
        Ok(Sizes { shape: shape.to_vec(), nbytes: cut.nbytes, cbytes: Some(cbytes) })
    }
}
