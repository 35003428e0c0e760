//! Opens a file and reads its columns.
//!
//! ```text
//! try_new            header                        one read of 64 KiB, more only if the header is longer; small files whole
//! blocks             block table of one column     on first use, then cached
//! projected_reader   blocks                        one at a time for each column
//! ```
//! Reading never moves a position: a [`FileReader`] is cheap to clone and can be shared by threads.

use std::sync::Arc;

use bytes::Bytes;

use super::file_metadata::FileMetadata;
use super::read_metrics::ReadMetrics;
use crate::checksum::Checksum;
use crate::error::{Error, Result};
use crate::format::block::BlockDescriptor;
use crate::format::block_table::{COUNT, Table};
use crate::format::column_metadata::ColumnMetadata;
use crate::format::column_tree::ColumnTree;
use crate::format::header::Header;
use crate::io::{Limits, ReadAt, read_within};
use crate::keys::{BLOOM, STATISTICS};
use crate::stats::block_statistics::Statistics;
use crate::stats::bloom_filter::BloomFilters;

/// The most bytes that are read for a block table whose length is guessed.
const MOST_GUESSED: u64 = 16 << 10;

/// A file that is open for reading.
pub struct FileReader<R> {
    source: Arc<R>,
    metadata: Arc<FileMetadata>,
    /// The first bytes of the file, if they were read for its header: they are not read again.
    prefix: Bytes,
    limits: Limits,
    metrics: Option<Arc<ReadMetrics>>,
}

impl<R> Clone for FileReader<R> {
    fn clone(&self) -> Self {
        let (source, metadata) = (self.source.clone(), self.metadata.clone());
        let (prefix, metrics) = (self.prefix.clone(), self.metrics.clone());
        Self { source, metadata, prefix, limits: self.limits, metrics }
    }
}

impl<R: ReadAt> FileReader<R> {
    /// Opens a file: reads and checks its header.
    pub fn try_new(source: R) -> Result<Self> {
        Self::try_new_with_limits(source, Limits::default())
    }

    /// Opens a file under limits of the caller's own.
    pub fn try_new_with_limits(source: R, limits: Limits) -> Result<Self> {
        let (metadata, prefix) = FileMetadata::read_with_prefix(&source)?;
        let file = Self::new_with_metadata(source, Arc::new(metadata));
        Ok(Self { prefix, ..file }.with_limits(limits))
    }

    /// Opens a file whose header has been read.
    #[cfg(feature = "object_store")]
    pub(crate) fn from_header(source: R, len: u64, header: Header) -> Result<Self> {
        Ok(Self::new_with_metadata(source, Arc::new(FileMetadata::new(len, header)?)))
    }

    /// Opens a file of which this is known. Nothing is read.
    pub fn new_with_metadata(source: R, metadata: Arc<FileMetadata>) -> Self {
        let (source, limits) = (Arc::new(source), Limits::default());
        Self { source, metadata, prefix: Bytes::new(), limits, metrics: None }
    }

    /// Returns what is known of the file.
    pub fn metadata(&self) -> &Arc<FileMetadata> {
        &self.metadata
    }

    /// Sets the same file under other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets what counts the blocks that are read. Default: nothing.
    #[must_use]
    pub fn with_metrics(mut self, metrics: Arc<ReadMetrics>) -> Self {
        self.metrics = Some(metrics);
        self
    }

    pub(crate) fn metrics(&self) -> Option<&Arc<ReadMetrics>> {
        self.metrics.as_ref()
    }

    /// Returns the header.
    pub fn header(&self) -> &Header {
        &self.metadata.header
    }

    /// Returns the rows in the file.
    pub fn rows(&self) -> u64 {
        self.metadata.header.rows
    }

    /// Returns the columns, in file order.
    pub fn columns(&self) -> &[ColumnMetadata] {
        &self.metadata.header.columns
    }

    /// One column.
    pub fn column(&self, column: usize) -> Result<&ColumnMetadata> {
        let count = self.columns().len();
        self.columns()
            .get(column)
            .ok_or_else(|| Error::invalid(format!("no column {column}: the file has {count}")))
    }

    /// Returns the index of the first column with a name.
    pub fn column_named(&self, name: &str) -> Option<usize> {
        self.columns().iter().position(|column| column.name() == name)
    }

    /// Returns which column is the parent of which.
    pub fn tree(&self) -> &ColumnTree {
        &self.metadata.tree
    }

    /// Returns the limits in force.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Returns the length of the file in bytes.
    pub fn file_len(&self) -> u64 {
        self.metadata.len
    }

    /// Returns the blocks of a column. They are read once, and checked against the number of rows and the length of
    /// the file.
    pub fn blocks(&self, column: usize) -> Result<Arc<[BlockDescriptor]>> {
        let meta = self.column(column)?;
        if let Some(blocks) = self.metadata.blocks(column) {
            return Ok(blocks.clone());
        }
        let blocks = self.read_blocks(column).map_err(|e| e.in_column(meta.name()))?;
        Ok(self.keep_blocks(column, blocks))
    }

    /// Returns the statistics of each block of a column; `None` if there are none, or they do not fit the blocks.
    pub fn statistics(&self, column: usize) -> Result<Option<Statistics>> {
        let meta = self.column(column)?;
        let Some(bytes) = meta.metadata().get(STATISTICS) else { return Ok(None) };
        Ok(Statistics::read(bytes, meta.value_type(), &self.blocks(column)?).ok())
    }

    /// Returns the filters of a column's blocks, under the same rule.
    pub(crate) fn bloom_filters(&self, column: usize) -> Result<Option<BloomFilters>> {
        let Some(bytes) = self.column(column)?.metadata().get(BLOOM) else { return Ok(None) };
        Ok(BloomFilters::read(bytes, &self.blocks(column)?).ok())
    }

    /// Returns whether the blocks of a column have been read.
    #[cfg(feature = "object_store")]
    pub(crate) fn has_blocks(&self, column: usize) -> bool {
        self.metadata.blocks(column).is_some()
    }

    /// Keeps the blocks of a column that have been read.
    pub(crate) fn keep_blocks(
        &self,
        column: usize,
        blocks: Vec<BlockDescriptor>,
    ) -> Arc<[BlockDescriptor]> {
        self.metadata.keep_blocks(column, blocks)
    }

    fn read_blocks(&self, column: usize) -> Result<Vec<BlockDescriptor>> {
        let FileMetadata { len, header, .. } = &*self.metadata;
        let start = header.span(column, *len).start;
        // Of a source that has only some bytes, none are read beyond what is needed.
        let guess = match self.prefix.is_empty() {
            true => start..start,
            false => header.table_span(column, *len),
        };
        let mut size = (guess.end - guess.start).clamp(COUNT, MOST_GUESSED);
        loop {
            let bytes = self.read(start, size, "block count")?;
            match header.read_table(column, *len, &bytes)? {
                Table::Whole(blocks) => return Ok(blocks),
                Table::Longer(least) => size = least,
            }
        }
    }

    /// Some bytes of the file.
    pub(crate) fn read_bytes(&self, offset: u64, n: u64) -> Result<Bytes> {
        self.read(offset, n, "blocks")
    }

    /// Returns the stored bytes of a block, its checksum included.
    pub(crate) fn read_block(&self, block: &BlockDescriptor, checksum: Checksum) -> Result<Bytes> {
        let size = block.stored_size(checksum);
        self.read(block.offset, size, "block")
    }

    fn read(&self, offset: u64, n: u64, what: &'static str) -> Result<Bytes> {
        let end = offset.checked_add(n).filter(|end| *end <= self.prefix.len() as u64);
        match (usize::try_from(offset), end.map(usize::try_from)) {
            (Ok(start), Some(Ok(end))) => Ok(self.prefix.slice(start..end)),
            _ => read_within(&*self.source, self.metadata.len, offset, n, what),
        }
    }
}

impl<R> std::fmt::Debug for FileReader<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileReader").field("metadata", &self.metadata).finish_non_exhaustive()
    }
}
