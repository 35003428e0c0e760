//! Files of several chunks each.
//!
//! ```text
//! file    1          2          3
//! ends    10         20         27       chunks up to the end of the file
//! ```
//! Files of other writers may have fewer chunks than the maximum. A file with a changed chunk is rewritten.
//! `cbytes` is the size of the files.

use std::borrow::Cow;

use bytes::Bytes;

use super::super::edit::{check_chunk, counted, find};
use super::super::superchunk::{self, Index, assemble};
use super::{missing, numbered};
use crate::Edit;
use crate::bloscpack::digest::Digest;
use crate::journal::{Folder, Sink, Transaction};
use crate::rootdir::chunk_splitter::Cut;
use crate::rootdir::directory_format::Superchunks;
use trevni::Result;

/// Superchunk files, and the chunks in them.
#[derive(Debug, Clone)]
pub(super) struct Superchunked {
    form: Superchunks,
    indexes: Vec<Index>,
    ends: Vec<u64>,
}

fn file_name(path: &str, at: usize) -> String {
    format!("{path}/{}", superchunk::name(at as u64 + 1))
}

impl Superchunked {
    /// Opens as many files as contain this many chunks; others are ignored.
    pub(super) fn open(
        folder: &Folder,
        path: &str,
        form: Superchunks,
        chunks: u64,
    ) -> Result<Self> {
        let mut found = Self { form, indexes: Vec::new(), ends: Vec::new() };
        while found.end() < chunks {
            let file = file_name(path, found.indexes.len());
            let Some(open) = folder.file(&file)? else { return Err(missing(folder, &file)) };
            let mut index = Index::read(&folder.path(&file), &open)?;
            index.starts.truncate(usize::try_from(chunks - found.end()).unwrap_or(usize::MAX));
            found.push(index);
        }
        Ok(found)
    }

    fn push(&mut self, index: Index) {
        self.ends.push(self.end() + index.starts.len() as u64);
        self.indexes.push(index);
    }

    /// Returns how many chunks there are.
    fn end(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Returns the file that has a chunk, and the number of the first chunk there.
    fn place(&self, number: u64) -> (usize, u64) {
        let at = self.ends.partition_point(|end| *end <= number);
        (at, at.checked_sub(1).and_then(|at| self.ends.get(at)).copied().unwrap_or(0))
    }

    /// Reads a chunk of at most `most` uncompressed bytes.
    pub(super) fn chunk(
        &self,
        folder: &Folder,
        path: &str,
        number: u64,
        most: u64,
    ) -> Result<Bytes> {
        let (at, first) = self.place(number);
        let file = file_name(path, at);
        let (Some(index), Some(open)) = (self.indexes.get(at), folder.file(&file)?) else {
            return Err(missing(folder, &file));
        };
        let within = usize::try_from(number - first).unwrap_or(usize::MAX);
        index.chunk(&folder.path(&file), &open, within, most)
    }

    /// Puts the files in which an edit changes something; where all chunks are then, and how many bytes more the
    /// files have.
    pub(super) fn stage(
        &self,
        (folder, path): (&Folder, &str),
        change: &mut Transaction,
        edit: &Edit,
        (before, after): (&Cut, &Cut),
    ) -> Result<(Self, i64)> {
        let mut staged = Self { form: self.form, indexes: Vec::new(), ends: Vec::new() };
        while staged.end() < after.chunks {
            let at = staged.indexes.len();
            let (first, old) = (staged.end(), self.indexes.get(at));
            let end = self.end_of(at, first, after.chunks);
            match old.filter(|old| !changes(edit, first..end, old)) {
                Some(old) => staged.push(old.clone()),
                None => {
                    let read = |number| self.chunk(folder, path, number, before.chunk_bytes);
                    let bytes = self.assemble(edit, first..end, old, read)?;
                    let file = folder.path(&file_name(path, at));
                    change.put(&file, &[&bytes])?;
                    staged.push(Index::read(&file, &Bytes::from(bytes))?);
                }
            }
        }
        if staged.indexes.len() < self.indexes.len() {
            let gone = staged.indexes.len() as u64 + 1;
            for (_, name) in numbered(folder, path, gone, superchunk::number)? {
                change.remove(&folder.path(&format!("{path}/{name}")))?;
            }
        }
        let more = staged.bytes() - self.bytes();
        Ok((staged, more))
    }

    /// Returns the end of the chunks of a file that begins at `first`: full files are kept, the last is filled.
    fn end_of(&self, at: usize, first: u64, chunks: u64) -> u64 {
        let is_last = at + 1 >= self.indexes.len();
        let old = self.ends.get(at).copied().unwrap_or(first);
        let filled = first.saturating_add(self.form.chunks.max(1));
        if is_last { old.max(filled).min(chunks) } else { old.min(chunks) }
    }

    /// Returns the bytes of a file with these chunks, from the edit or else as they were.
    fn assemble(
        &self,
        edit: &Edit,
        numbers: std::ops::Range<u64>,
        old: Option<&Index>,
        read: impl Fn(u64) -> Result<Bytes>,
    ) -> Result<Vec<u8>> {
        let mut chunks = Vec::new();
        for number in numbers {
            chunks.push(match find(edit, number) {
                Some(chunk) => {
                    let header = check_chunk(chunk, number, 0, u64::MAX)?;
                    Cow::Borrowed(counted(chunk, &header))
                }
                None => Cow::Owned(read(number)?.to_vec()),
            });
        }
        let chunks: Vec<&[u8]> = chunks.iter().map(|chunk| &**chunk).collect();
        let digest = old.map_or(Digest::None, |old| old.digest);
        assemble(&chunks, digest, self.form.slack, old)
    }

    /// Returns the bytes of the files.
    pub(super) fn bytes(&self) -> i64 {
        self.indexes.iter().fold(0, |sum: i64, index| sum.saturating_add_unsigned(index.file_len))
    }
}

/// Returns whether an edit changes something in a file with these chunks.
fn changes(edit: &Edit, numbers: std::ops::Range<u64>, old: &Index) -> bool {
    let at = edit.chunks.partition_point(|(number, _)| *number < numbers.start);
    let replaced = edit.chunks.get(at).is_some_and(|(number, _)| *number < numbers.end);
    replaced || numbers.end - numbers.start != old.starts.len() as u64
}
