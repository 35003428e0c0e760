//! Writes a file from column data.
//!
//! ```text
//! write ──► per column: encode, cut at 65,536 bytes ──► compress ──► spool
//! finish ─► header, then each column: block count, descriptors, blocks
//! ```
//! A block is the shortest run of complete rows that reaches the block size: each column is cut separately, at the
//! first row that starts at or past it. The header comes first in the file but is known last, so compressed blocks
//! are kept in a [`Spool`](crate::io::Spool), in memory up to a budget and in a temporary file beyond it.

use std::io::Write;
use std::ops::Range;
use std::sync::Arc;

use rayon::ThreadPool;
use rayon::prelude::*;

use super::block_compressor::{CompressedBlock, SealQueue};
use super::column_writer::{BlockSettings, ColumnWriter};
use super::encoding_choice::EncodingSampling;
use super::file_chunks::FileChunks;
use super::file_summary::FileSummary;
use crate::checksum::Checksum;
use crate::codec::Codec;
use crate::defaults::MEMORY_BUDGET;
use crate::error::{Error, Result};
use crate::format::block;
use crate::format::column_data::ColumnSlice;
use crate::format::column_tree::ColumnTree;
use crate::format::header::{Header, Version};
use crate::format::metadata::{ColumnMetadata, Metadata};
use crate::format::row_offsets::{BatchSpans, check_slices};
use crate::io::Spool;
use crate::parallelism::threads;
use crate::wire;

/// Rows that are encoded before the blocks that they filled are compressed, and their memory can be filled again.
const SEGMENT: usize = 1 << 15;

/// What a [`FileWriter`] is to do.
#[derive(Debug, Clone)]
pub struct FileWriterBuilder {
    header: Header,
    blocks: BlockSettings,
    memory_budget: usize,
    sampling: bool,
    /// Columns whose value type is not changed.
    typed: Vec<usize>,
    parallelism: usize,
    /// Whether no checksum was set.
    default_checksum: bool,
}

impl Default for FileWriterBuilder {
    fn default() -> Self {
        let (metadata, columns, starts) = (Metadata::new(), Vec::new(), Vec::new());
        let header = Header { version: Version::V2, rows: 0, metadata, columns, starts };
        Self {
            header,
            blocks: BlockSettings::default(),
            memory_budget: MEMORY_BUDGET,
            sampling: false,
            typed: Vec::new(),
            parallelism: 1,
            default_checksum: true,
        }
    }
}

impl FileWriterBuilder {
    /// Sets the codec of all columns that have none of their own. Default: none is named, which is `null`.
    pub fn set_codec(mut self, codec: Codec) -> Self {
        self.header.set_codec(codec);
        self
    }

    /// Sets the checksum of all columns that have none of their own. Default: crc32. `null` is not named in the
    /// file.
    pub fn set_checksum(mut self, checksum: Checksum) -> Self {
        self.header.set_checksum(checksum);
        self.default_checksum = false;
        self
    }

    /// Sets all metadata of the file at once, as another file has it; a codec and checksum are those it names,
    /// or none.
    pub fn set_metadata(mut self, metadata: Metadata) -> Self {
        self.header.metadata = metadata;
        self.default_checksum = false;
        self
    }

    /// Sets the version. Default: 2. In version 1 array lengths have no runs.
    pub fn set_version(mut self, version: Version) -> Self {
        self.header.version = version;
        self
    }

    /// Sets the bytes before compression at which a block ends with the row that reaches them. Default: 65,536;
    /// of the value codec 1 MiB.
    pub fn set_block_size(mut self, bytes: usize) -> Self {
        self.blocks.bytes = Some(bytes);
        self
    }

    /// Sets the rows at which a block of the value codec ends. Default: 16,384.
    pub fn set_block_rows(mut self, rows: usize) -> Self {
        self.blocks.rows = rows;
        self
    }

    /// Sets what strings under the value codec must take less as symbols, in hundredths of what they take by
    /// themselves: 0 never replaces them, which is written and read fastest; 100 does so wherever it saves a byte,
    /// and cuts doubles in two where that is smaller. Default: 68.
    pub fn set_fsst_threshold(mut self, hundredths: u8) -> Self {
        self.blocks.fsst_threshold = hundredths;
        self
    }

    /// Sets the size of the compressed blocks held in memory, in bytes; more go to a temporary file. Default: 256
    /// MiB.
    pub fn set_memory_budget(mut self, bytes: usize) -> Self {
        self.memory_budget = bytes;
        self
    }

    /// Sets the level of codecs that have one; `None` is each codec's own default.
    pub fn set_codec_level(mut self, level: Option<i32>) -> Self {
        self.blocks.level = level;
        self
    }

    /// Sets whether the first blocks of each column choose its encoding: without a codec where that costs a reader
    /// more than it saves, unless the column has a codec of its own, and `int` and `long` as `fixed32` and
    /// `fixed64` where varints cost more. The first blocks keep their rows, and so may be a little larger than
    /// others. Default: false, columns are written as they are declared.
    pub fn set_sampling(mut self, sampling: bool) -> Self {
        self.sampling = sampling;
        self
    }

    /// Columns whose value type is as declared even so.
    pub fn set_typed_columns(mut self, columns: Vec<usize>) -> Self {
        self.typed = columns;
        self
    }

    /// Sets the number of threads that compress blocks and, from four on, encode columns in parallel. The bytes of
    /// the file are the same. Default: 1, the caller's. Threads live as long as the writer; the number of pending
    /// blocks is bounded.
    pub fn set_parallelism(mut self, threads: usize) -> Self {
        self.parallelism = threads;
        self
    }

    /// Starts a file of these columns. Nothing is written to `to` before [`FileWriter::finish`].
    ///
    /// # Errors
    /// If a setting is out of its range, or the columns do not form a tree.
    pub fn build<W: Write>(self, to: W, columns: Vec<ColumnMetadata>) -> Result<FileWriter<W>> {
        self.check_settings()?;
        let (mut header, mut columns) = (self.header, columns);
        if self.default_checksum {
            set_default_checksums(&mut header, &mut columns)?;
        }
        if header.version == Version::V0 {
            return Err(Error::unsupported("version 0 is not written"));
        }
        let tree = ColumnTree::new(&columns)?;
        header.columns = columns;
        let writer = |i: usize| {
            let column = header.columns.get(i);
            let own_codec = column.is_some_and(|column| !matches!(column.codec(), Ok(None)));
            let sampling = EncodingSampling {
                codec: self.sampling && !own_codec,
                value_type: self.sampling && !self.typed.contains(&i),
            };
            ColumnWriter::new(&header, i, &self.blocks, sampling)
        };
        let writers = (0..header.columns.len()).map(writer).collect::<Result<Vec<_>>>()?;
        header.columns = writers.iter().map(|writer| writer.column().clone()).collect();
        let spool = Spool::new(writers.len(), self.memory_budget);
        let pool = threads::pool(self.parallelism)?;
        let queue = SealQueue::new(pool.clone());
        Ok(FileWriter { to, header, tree, writers, pool, queue, spool, broken: false })
    }
}

impl FileWriterBuilder {
    /// Fails if a setting is out of its range.
    fn check_settings(&self) -> Result<()> {
        let settings = [
            ("a block size of 0 bytes", self.blocks.bytes == Some(0)),
            ("blocks of 0 rows", self.blocks.rows == 0),
            ("an FSST threshold above 100", self.blocks.fsst_threshold > 100),
            ("a parallelism of 0 threads", self.parallelism == 0),
        ];
        match settings.iter().find(|(_, is_wrong)| *is_wrong) {
            Some((setting, _)) => Err(Error::invalid(*setting)),
            None => Ok(()),
        }
    }
}

/// Sets the checksum of the file to that of most columns, and of other columns to their own: blocks of a value
/// codec have a checksum of their stored bytes.
fn set_default_checksums(header: &mut Header, columns: &mut [ColumnMetadata]) -> Result<()> {
    let checksum = |codec: Codec| match codec.is_value_codec() {
        true => Checksum::StoredCrc32,
        false => Checksum::Crc32,
    };
    let of_file = checksum(header.metadata.codec()?.unwrap_or(Codec::Null));
    header.set_checksum(of_file);
    for column in columns {
        let own = column.codec()?.map(checksum).filter(|own| *own != of_file);
        if let (Some(own), None) = (own, column.checksum()?) {
            *column = column.clone().with_checksum(own);
        }
    }
    Ok(())
}

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
        for start in (0..rows).step_by(SEGMENT) {
            self.encode(start..rows.min(start + SEGMENT), columns, &spans)?;
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
    use crate::format::values::ValuesRef;

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
