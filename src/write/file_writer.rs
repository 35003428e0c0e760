//! Writes a file from column data.
//!
//! ```text
//! write ──► per column: encode, cut at 65,536 bytes ──► compress ──► spool
//! finish ─► header, then each column: block count, descriptors, blocks
//! ```
//! A block is the shortest run of complete rows that reaches the block size: each column is cut separately, at the
//! first row that starts at or past it. The header comes first in the file but is known last, so compressed blocks
//! are kept in a [`Spool`](crate::io::Spool), in memory up to a budget and in a temporary file beyond it.

pub(crate) mod builder;

use std::io::Write;
use std::ops::Range;
use std::sync::Arc;

use rayon::ThreadPool;
use rayon::prelude::*;

use self::builder::FileWriterBuilder;
use super::block_compressor::{CompressedBlock, SealQueue};
use super::column_writer::ColumnWriter;
use super::file_chunks::FileChunks;
use super::file_summary::FileSummary;
use crate::error::{Error, Result};
use crate::format::block;
use crate::format::column_data::ColumnSlice;
use crate::format::column_metadata::ColumnMetadata;
use crate::format::column_tree::ColumnTree;
use crate::format::header::Header;
use crate::format::metadata::Metadata;
use crate::format::row_offsets::{BatchSpans, check_slices};
use crate::format::values_ref::ValuesRef;
use crate::io::Spool;
use crate::parallelism::threads;
use crate::wire;

/// Rows that are encoded before the blocks that they filled are compressed, and their memory can be filled again.
const SEGMENT: usize = 1 << 15;

/// Bytes of text and binary data in such rows, about, if they are many.
const SEGMENT_BYTES: usize = 32 << 20;

/// Writes a file of column data.
pub struct FileWriter<W> {
    to: W,
    header: Header,
    tree: ColumnTree,
    writers: Vec<ColumnWriter>,
    pool: Option<Arc<ThreadPool>>,
    queue: SealQueue,
    spool: Spool,
    /// Whether a write failed in the middle, so that columns have different numbers of rows.
    broken: bool,
}

impl FileWriter<Vec<u8>> {
    /// Returns the settings of a new writer; the writer's type comes with [`FileWriterBuilder::build`].
    pub fn builder() -> FileWriterBuilder {
        FileWriterBuilder::default()
    }
}

/// Returns how many rows are encoded together.
fn segment_rows(rows: usize, columns: &[ColumnSlice<'_>]) -> usize {
    let bytes = columns.iter().map(|slice| match slice.values {
        ValuesRef::Bytes { offsets, .. } => offsets.bytes_between(0..offsets.len()),
        _ => 0,
    });
    let bytes = bytes.fold(0, usize::saturating_add);
    let most = rows.saturating_mul(SEGMENT_BYTES).checked_div(bytes).unwrap_or(SEGMENT);
    most.clamp(1, SEGMENT)
}

impl<W: Write> FileWriter<W> {
    /// Appends `rows` rows: one slice for each column, in file order. What does not fit together is an error,
    /// and then nothing is appended. After an error of another kind, from the temporary file or a codec, the file
    /// cannot be finished.
    pub fn write(&mut self, rows: usize, columns: &[ColumnSlice<'_>]) -> Result<()> {
        self.check_whole()?;
        let spans = check_slices(&self.header.columns, &self.tree, rows, columns)?;
        for (writer, slice) in self.writers.iter().zip(columns) {
            if slice.validity.is_some() && !writer.takes_slots() {
                let e = Error::invalid("slots for a column without a value codec");
                return Err(e.in_column(writer.column().name()));
            }
        }
        let total = self.header.rows.checked_add(rows as u64);
        let total = total.ok_or_else(|| Error::invalid("more rows than 64 bits count"))?;
        self.broken = true;
        let segment = segment_rows(rows, columns);
        for start in (0..rows).step_by(segment) {
            self.encode(start..rows.min(start + segment), columns, &spans)?;
            self.compress(false)?;
        }
        self.header.rows = total;
        self.broken = false;
        Ok(())
    }

    /// Appends some of the rows to the blocks that are being filled.
    fn encode(
        &mut self,
        rows: Range<usize>,
        columns: &[ColumnSlice<'_>],
        spans: &BatchSpans,
    ) -> Result<()> {
        let tree = &self.tree;
        let encode = |(column, (writer, slice)): (usize, (&mut ColumnWriter, &ColumnSlice<'_>))| {
            let (lengths, values) = spans.of(column, tree);
            let written = writer.write(rows.clone(), slice, &lengths, &values);
            written.map_err(|e| e.in_column(writer.column().name()))
        };
        match threads::wide(&self.pool) {
            None => self.writers.iter_mut().zip(columns).enumerate().try_for_each(encode),
            Some(pool) => {
                let columns = self.writers.par_iter_mut().zip(columns).enumerate();
                pool.install(|| columns.try_for_each(encode))
            }
        }
    }

    /// Moves full blocks through the queue to the spool; at the end all blocks.
    fn compress(&mut self, end: bool) -> Result<()> {
        for column in 0..self.writers.len() {
            if let Some(writer) = self.writers.get_mut(column) {
                writer.send(column, &mut self.queue)?;
            }
            self.spool_sealed(false)?;
        }
        self.spool_sealed(end)
    }

    fn spool_sealed(&mut self, end: bool) -> Result<()> {
        while let Some((column, compressed)) = self.queue.pop(end) {
            let Some(writer) = self.writers.get_mut(column) else { continue };
            let CompressedBlock { stored, descriptor, collected, reusable, .. } =
                compressed.map_err(|e| e.in_column(writer.column().name()))?;
            self.spool.push(column, &stored)?;
            writer.note(&descriptor, collected);
            self.queue.recycle(stored, reusable);
        }
        Ok(())
    }

    fn check_whole(&self) -> Result<()> {
        if self.broken {
            return Err(Error::invalid("an earlier write failed half-way"));
        }
        Ok(())
    }

    /// Returns the rows appended so far.
    pub fn rows(&self) -> u64 {
        self.header.rows
    }

    /// Returns the columns, in file order.
    pub fn columns(&self) -> &[ColumnMetadata] {
        &self.header.columns
    }

    /// Returns which column is the parent of which.
    pub fn tree(&self) -> &ColumnTree {
        &self.tree
    }

    /// Returns the file's metadata; keys of the caller's own can be set until the end.
    pub fn metadata_mut(&mut self) -> &mut Metadata {
        &mut self.header.metadata
    }

    /// Returns the bytes held in memory: compressed blocks and those being filled.
    pub fn memory_size(&self) -> usize {
        let open: usize = self.writers.iter().map(ColumnWriter::memory_size).sum();
        self.spool.in_memory() + open + self.queue.bytes()
    }

    /// Returns a reference to the writer below. Nothing is written to it before [`finish`](Self::finish).
    pub fn inner(&self) -> &W {
        &self.to
    }

    /// Returns the bytes of compressed blocks so far, in memory and in the temporary file.
    pub fn bytes_written(&self) -> u64 {
        self.spool.in_memory() as u64 + self.spool.spilled()
    }

    /// Writes the file. Returns what it was written to.
    pub fn finish(self) -> Result<(W, FileSummary)> {
        let (mut to, mut chunks) = self.into_chunks()?;
        chunks.try_for_each(|chunk| Ok::<_, Error>(to.write_all(&chunk?)?))?;
        to.flush()?;
        Ok((to, chunks.into_summary()))
    }

    /// Returns the bytes of the file, of which none are written.
    pub fn into_chunks(mut self) -> Result<(W, FileChunks)> {
        self.check_whole()?;
        self.writers.iter_mut().try_for_each(ColumnWriter::finish)?;
        self.compress(true)?;
        self.header.columns = self.writers.iter().map(ColumnWriter::finished).collect();
        let mut out = Vec::new();
        self.header.starts = vec![0; self.header.columns.len()];
        self.header.write(&mut out)?;
        let mut at = out.len() as u64;
        for (column, (start, writer)) in
            self.header.starts.iter_mut().zip(&self.writers).enumerate()
        {
            *start = at;
            at += 4 + writer.descriptors.len() as u64 + self.spool.column_len(column);
        }
        out.clear();
        self.header.write(&mut out)?;
        let columns = self.writers.iter().map(ColumnWriter::summary).collect();
        let summary = FileSummary { rows: self.header.rows, bytes: at, columns };
        let table = |writer: ColumnWriter| {
            let mut table = Vec::with_capacity(4 + writer.descriptors.len());
            wire::put_fixed32(&mut table, block::block_size(writer.blocks)?);
            table.extend_from_slice(&writer.descriptors);
            Ok(table)
        };
        let tables = self.writers.into_iter().map(table).collect::<Result<Vec<_>>>()?;
        Ok((self.to, FileChunks::new(out, tables, self.spool, summary)))
    }
}

impl<W> std::fmt::Debug for FileWriter<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileWriter")
            .field("rows", &self.header.rows)
            .field("columns", &self.header.columns.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::column_data::ColumnSlice;
    use crate::format::values_ref::ValuesRef;

    #[test]
    fn a_file_that_broke_half_way_is_not_finished() {
        let column = ColumnMetadata::new("a", crate::format::value::ValueType::Int);
        let mut writer = FileWriter::builder().build(Vec::new(), vec![column]).unwrap();
        writer.broken = true;
        let e = writer.write(1, &[ColumnSlice::plain(ValuesRef::Int(&[1]))]).unwrap_err();
        assert_eq!(e.to_string(), "invalid: an earlier write failed half-way");
        assert!(writer.finish().is_err());
    }
}
