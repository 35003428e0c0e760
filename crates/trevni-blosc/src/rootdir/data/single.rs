//! Files of one chunk each.
//!
//! ```text
//! cbytes    as bcolz counts it: the full chunks, without the 16 bytes before them, and one chunk uncompressed
//! ```

use bytes::Bytes;

use super::super::blp;
use super::super::edit::{counted, find};
use super::{missing, numbered};
use crate::Edit;
use crate::buffers::Buffers;
use crate::chunk::Header;
use crate::journal::{Folder, Sink, Transaction};
use crate::rootdir::chunk_splitter::Cut;
use trevni::Result;
use trevni::io::ReadAt;

/// Reads a chunk of at most `most` uncompressed bytes.
pub(super) fn chunk(
    folder: &Folder,
    buffers: &Buffers,
    path: &str,
    number: u64,
    most: u64,
) -> Result<Bytes> {
    let file = format!("{path}/{}", blp::name(number));
    let Some(open) = folder.file(&file)? else { return Err(missing(folder, &file)) };
    // No chunk is longer than its uncompressed size and its header; bytes after it are not read.
    let bytes = buffers.read_start(&open, most + 32 + blp::HEADER.len() as u64)?;
    blp::parse(&folder.path(&file), &bytes)
}

/// Returns what bcolz would count.
pub(super) fn cbytes(folder: &Folder, path: &str, cut: &Cut) -> Result<u64> {
    let mut sum = cut.chunk_bytes;
    for (number, name) in numbered(folder, path, 0, blp::number)? {
        if number < cut.full {
            sum = sum.saturating_add(stored(folder, &format!("{path}/{name}"))?);
        }
    }
    Ok(sum)
}

/// Returns the stored size of a chunk; 0 if it does not exist.
fn stored(folder: &Folder, file: &str) -> Result<u64> {
    let len = folder.file(file)?.map(|file| file.len()).transpose()?.unwrap_or(0);
    Ok(len.saturating_sub(blp::HEADER.len() as u64))
}

/// A change of the files.
pub(super) struct Stage<'a> {
    pub(super) folder: &'a Folder,
    pub(super) path: &'a str,
    pub(super) edit: &'a Edit,
    pub(super) before: &'a Cut,
    pub(super) after: &'a Cut,
}

impl Stage<'_> {
    /// Puts new files, removes old ones; how many bytes more the full chunks have.
    pub(super) fn put<'a>(
        &self,
        change: &mut Transaction,
        chunks: impl Iterator<Item = (u64, &'a Vec<u8>, &'a Header)>,
    ) -> Result<i64> {
        let mut more = 0;
        for (number, chunk, header) in chunks {
            let file = self.file(&blp::name(number));
            change.put(&self.folder.path(&file), &[&blp::HEADER, counted(chunk, header)])?;
            if number < self.after.full {
                more += i64::from(header.cbytes);
            }
            more -= self.old(number)?;
        }
        // The last chunk may become a full one without being changed.
        let last = self.before.full;
        if last < self.before.chunks.min(self.after.full) && find(self.edit, last).is_none() {
            more += self.stored(last)?;
        }
        Ok(more - self.drop_rest(change)?)
    }

    /// Removes the chunks after the end. Returns the change of the stored size of full chunks.
    fn drop_rest(&self, change: &mut Transaction) -> Result<i64> {
        let mut less = 0;
        if self.after.full >= self.before.full && self.after.chunks >= self.before.chunks {
            return Ok(0);
        }
        for (number, name) in numbered(self.folder, self.path, self.after.full, blp::number)? {
            if find(self.edit, number).is_none() {
                less += self.old(number)?;
            }
            if number >= self.after.chunks {
                change.remove(&self.folder.path(&self.file(&name)))?;
            }
        }
        Ok(less)
    }

    /// Returns what a chunk counted before.
    fn old(&self, number: u64) -> Result<i64> {
        if number < self.before.full { self.stored(number) } else { Ok(0) }
    }

    fn stored(&self, number: u64) -> Result<i64> {
        Ok(i64::try_from(stored(self.folder, &self.file(&blp::name(number)))?).unwrap_or(i64::MAX))
    }

    fn file(&self, name: &str) -> String {
        format!("{}/{name}", self.path)
    }
}
