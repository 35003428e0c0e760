//! Groups blocks that are decoded together, on any thread.
//!
//! ```text
//! blocks ──► small blocks, about as many as fit a batch ──► batch
//!            a large block, and the reader of the others ──► one after another, for their memory
//! ```
//! A group with a bad row, or whose rows take much memory, is left to the reader of single blocks as well.

use std::io::BufRead;
use std::sync::{Mutex, PoisonError};

use arrow::array::RecordBatch;

use super::container::{BlockReader, StoredBlock};
use trevni::arrow::AvroDecoder;
use trevni::wire::Cursor;
use trevni::{Error, Result};

/// Compressed bytes of a group, unless it is a single block.
const GROUP: usize = 256 << 10;

/// The most bytes of a small block, and of the rows of a group.
const SMALL: usize = 4 << 20;

/// Cuts a file into groups.
pub(super) struct Groups<R> {
    /// `None` at the end.
    blocks: Option<BlockReader<R>>,
    /// The block after the last group, or the error.
    next: Option<Result<StoredBlock>>,
    most_rows: u64,
}

/// Blocks that are decoded together.
pub(super) enum Group<R> {
    Small(Vec<StoredBlock>),
    /// A large block, and what reads those after it.
    Large(StoredBlock, BlockReader<R>),
}

/// A group, or its rows.
pub(super) enum Decoded<R> {
    Rows(RecordBatch),
    /// One that must be decoded row by row.
    Group(Group<R>),
}

impl<R: BufRead> Groups<R> {
    /// Groups have at most this many rows, unless they are a single block.
    pub(super) fn new(blocks: BlockReader<R>, most_rows: usize) -> Self {
        Self { blocks: Some(blocks), next: None, most_rows: most_rows as u64 }
    }

    fn group(&mut self) -> Result<Option<Group<R>>> {
        let Some(blocks) = &mut self.blocks else { return Ok(None) };
        let (mut group, mut bytes, mut rows) = (Vec::new(), 0, 0u64);
        loop {
            let block = match self.next.take().or_else(|| blocks.next().transpose()) {
                Some(Ok(block)) => block,
                // The rows before an error come first.
                Some(Err(e)) if !group.is_empty() => {
                    self.next = Some(Err(e));
                    break;
                }
                Some(Err(e)) => return Err(e),
                None => break,
            };
            (bytes, rows) = (bytes + block.size(), rows.saturating_add(block.rows));
            let is_small = block.size() <= SMALL && block.rows <= self.most_rows;
            if !group.is_empty() && (bytes > GROUP || rows > self.most_rows || !is_small) {
                self.next = Some(Ok(block));
                break;
            }
            if !is_small {
                return Ok(self.blocks.take().map(|blocks| Group::Large(block, blocks)));
            }
            group.push(block);
        }
        Ok((!group.is_empty()).then_some(Group::Small(group)))
    }
}

impl<R: BufRead> Iterator for Groups<R> {
    type Item = Result<Group<R>>;

    fn next(&mut self) -> Option<Self::Item> {
        let group = self.group().transpose();
        if !matches!(group, Some(Ok(_))) {
            self.blocks = None;
        }
        group
    }
}

/// Decodes groups.
pub(super) struct GroupDecoder<F> {
    /// Decoders that no thread uses.
    spare: Mutex<Vec<AvroDecoder>>,
    create: F,
}

impl<F: Fn() -> Result<AvroDecoder>> GroupDecoder<F> {
    /// `create` makes a decoder for a thread.
    pub(super) fn new(create: F) -> Self {
        Self { spare: Mutex::default(), create }
    }

    /// Decodes the rows of a group, if that is simple.
    pub(super) fn decode<R>(&self, group: Group<R>) -> Decoded<R> {
        let Group::Small(blocks) = &group else { return Decoded::Group(group) };
        let spare = || self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        let reused = spare().pop();
        let Ok(mut decoder) = reused.map_or_else(&self.create, Ok) else {
            return Decoded::Group(group);
        };
        match decode(&mut decoder, blocks) {
            Ok(batch) if batch.get_array_memory_size() <= 8 * SMALL => {
                spare().push(decoder);
                Decoded::Rows(batch)
            }
            _ => Decoded::Group(group),
        }
    }
}

fn decode(decoder: &mut AvroDecoder, blocks: &[StoredBlock]) -> Result<RecordBatch> {
    let mut bytes = Vec::new();
    for block in blocks {
        block.decompress(SMALL as u64, &mut bytes)?;
        let mut rows = Cursor::new(&bytes);
        (0..block.rows).try_for_each(|_| decoder.decode(&mut rows))?;
        if rows.remaining() > 0 {
            return Err(Error::malformed("bytes after the last row"));
        }
    }
    decoder.flush()
}
