//! What is known of an open file: its header, and the block tables that have been read.
//!
//! ```text
//! FileReader = source + FileMetadata        shared by all readers of the file, at the same time or later
//! ```

use std::sync::{Arc, OnceLock};

use bytes::Bytes;

use crate::error::{Error, Result};
use crate::format::block::BlockDescriptor;
use crate::format::column_tree::ColumnTree;
use crate::format::header::Header;
use crate::io::{ReadAt, read_within};

/// How much of a file is read for its header at first.
const FIRST_READ: u64 = 64 << 10;

/// Files of up to this many bytes are read whole: a second read takes longer than the bytes.
const SMALL_FILE: u64 = 256 << 10;

/// The header of a file and its block tables, to read the file again without reading these.
///
/// It belongs to one state of a file: a caller that keeps it compares the time of the last change, or the e-tag.
///
/// ```
/// use trevni::{ColumnMetadata, ColumnSlice, FileReader, FileWriter, ValueType, ValuesRef};
///
/// let columns = vec![ColumnMetadata::new("id", ValueType::Long)];
/// let mut writer = FileWriter::builder().build(Vec::new(), columns)?;
/// writer.write(1, &[ColumnSlice::plain(ValuesRef::Long(&[7]))])?;
/// let file = bytes::Bytes::from(writer.finish()?.0);
///
/// let metadata = FileReader::try_new(file.clone())?.metadata().clone();
/// let again = FileReader::new_with_metadata(file, metadata);
/// assert_eq!(again.rows(), 1);
/// # Ok::<(), trevni::Error>(())
/// ```
pub struct FileMetadata {
    pub(super) len: u64,
    pub(super) header: Header,
    pub(super) tree: ColumnTree,
    blocks: Vec<OnceLock<Arc<[BlockDescriptor]>>>,
    /// The bytes that the header was read from, which its values keep in memory.
    read: u64,
}

impl FileMetadata {
    /// Reads the header of a file and checks it.
    pub fn read<R: ReadAt>(source: &R) -> Result<Self> {
        let len = source.len()?;
        Ok(Self::read_from(source, len, FIRST_READ.min(len))?.0)
    }

    /// Reads the header of a file, of a small one the whole file, and checks it. Returns also the first bytes of the file,
    /// which were read for it.
    pub(super) fn read_with_prefix<R: ReadAt>(source: &R) -> Result<(Self, Bytes)> {
        let len = source.len()?;
        let first = if len <= SMALL_FILE { len } else { FIRST_READ };
        Self::read_from(source, len, first)
    }

    fn read_from<R: ReadAt>(source: &R, len: u64, first: u64) -> Result<(Self, Bytes)> {
        let (header, prefix) = read_header(source, len, first)?;
        let metadata = Self { read: prefix.len() as u64, ..Self::new(len, header)? };
        Ok((metadata, prefix))
    }

    /// Creates the metadata of a file of `len` bytes; its block tables are not known yet.
    pub(super) fn new(len: u64, header: Header) -> Result<Self> {
        check_column_count(&header, len)?;
        let tree = ColumnTree::new(&header.columns)?;
        let blocks = header.columns.iter().map(|_| OnceLock::new()).collect();
        let read = header.starts.first().copied().unwrap_or(len);
        Ok(Self { len, header, tree, blocks, read })
    }

    /// Returns the header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the length of the file in bytes.
    pub fn file_len(&self) -> u64 {
        self.len
    }

    /// Returns the approximate number of bytes that this takes in memory.
    pub fn memory_size(&self) -> usize {
        let columns = self.header.columns.len() * size_of::<crate::ColumnMetadata>();
        let descriptors = self.blocks.iter().filter_map(OnceLock::get).map(|blocks| blocks.len());
        usize::try_from(self.read)
            .unwrap_or(usize::MAX)
            .saturating_add(columns)
            .saturating_add(descriptors.sum::<usize>() * size_of::<BlockDescriptor>())
    }

    /// Returns the blocks of a column, if they have been read.
    pub(super) fn blocks(&self, column: usize) -> Option<&Arc<[BlockDescriptor]>> {
        self.blocks.get(column).and_then(OnceLock::get)
    }

    /// Keeps the blocks of a column that have been read.
    pub(super) fn keep_blocks(
        &self,
        column: usize,
        blocks: Vec<BlockDescriptor>,
    ) -> Arc<[BlockDescriptor]> {
        let blocks: Arc<[_]> = blocks.into();
        let kept = self.blocks.get(column);
        kept.map_or(blocks.clone(), |kept| kept.get_or_init(|| blocks).clone())
    }
}

impl std::fmt::Debug for FileMetadata {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileMetadata")
            .field("len", &self.len)
            .field("header", &self.header)
            .finish_non_exhaustive()
    }
}

/// Bytes after the last column are ignored, as in the reference. But bytes after the header of a file without
/// columns are columns that a damaged count hides.
fn check_column_count(header: &Header, len: u64) -> Result<()> {
    if !header.columns.is_empty() {
        return Ok(());
    }
    let mut bytes = Vec::new();
    header.write(&mut bytes)?;
    let end = bytes.len() as u64;
    if end < len {
        return Err(Error::malformed("no columns, but bytes after the header").at(end));
    }
    Ok(())
}

/// Reads a header, whose length is not known: the first bytes, and as many again while it goes on and the file has more.
/// Returns also the bytes that were read.
fn read_header(source: &impl ReadAt, total: u64, first: u64) -> Result<(Header, Bytes)> {
    let first = read_within(source, total, 0, first, "header")?;
    let mut bytes = match Header::read(&first) {
        Err(e) if e.is_truncated() && (first.len() as u64) < total => first.to_vec(),
        // A claim that exceeds the file is an error before the file is read for it.
        result => return Ok((result?, first)),
    };
    loop {
        let read = bytes.len() as u64;
        let more = read_within(source, total, read, read.min(total - read), "header")?;
        bytes.extend_from_slice(&more);
        match Header::read(&bytes) {
            Err(e) if e.is_truncated() && (bytes.len() as u64) < total => {}
            result => return Ok((result?, bytes.into())),
        }
    }
}
